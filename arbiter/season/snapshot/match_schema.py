"""Matches in lists, alone, and played again, as JSON has them; see `schema`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired

# From here also where typing has it: pydantic takes no other one before Python 3.12.
from typing_extensions import TypedDict


class Pages(TypedDict):
    """Which page of how many it is; `next` is the one after it."""

    page: int
    pages: int
    next: int | None


class MatchFault(TypedDict):
    """The fault that ended a match, and its player."""

    seat: int
    player: str
    kind: str


class ModelOfMatch(TypedDict):
    """What the language model of a seat used in a match, and what that cost, null where it has no price."""

    seat: int
    decisions: int
    first_try: int
    input: int
    output: int
    cost: float | None


class MatchRun(TypedDict):
    """The result of one run of a match."""

    players: Sequence[str]
    points: Sequence[int] | None
    say: str
    fault: MatchFault | None


class Rejudging(TypedDict):
    """A match that was played again (`replayed`), or put back as it was before that (`restored`).

    `run` is the number of the run `before`, the first being 1; `after` took its place at `moment`. `because`
    is the organiser's reason, "" of one that was put back; `say` is the change in words.
    """

    match: str
    round: int | None
    run: int
    kind: Literal["replayed", "restored"]
    moment: str
    because: str
    before: MatchRun
    after: MatchRun
    say: str


class Rejudgings(Pages):
    """A page of all matches that were played again, the last first; `total` is how often that happened."""

    season: str
    rejudgings: Sequence[Rejudging]
    total: int


class MatchRow(TypedDict):
    """A stored match; `points` by seat, null after a fault, `annulled` why it does not count.

    `winners` are the seats with the most points, none where all have the same; `say` is the result in words.

    `substitute` is the seat of a house bot that sits in for a player who made a fault; `text` the reason of a
    fault, where it is shown. `models` are the language models in it, once the round is complete; `rejudged`,
    of one that was played again, what it was before, the oldest first.
    """

    id: str
    round: int | None
    table: int | None
    rotation: int
    players: Sequence[str]
    points: Sequence[int] | None
    winners: Sequence[int]
    say: str
    fault: MatchFault | None
    substitute: int | None
    annulled: str | None
    text: NotRequired[str]
    models: NotRequired[Sequence[ModelOfMatch]]
    rejudged: NotRequired[Sequence[Rejudging]]


class MatchPage(TypedDict):
    """A page of matches; `next` is the `cursor` of the page after it."""

    matches: Sequence[MatchRow]
    next: int | None
