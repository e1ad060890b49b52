"""JSON types of matches, in lists, alone, and replayed; see `schema`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired

# From here also where typing has it: pydantic takes no other one before Python 3.12.
from typing_extensions import TypedDict

from arbiter.season.administration import RankChange


class Pages(TypedDict):
    """The number of a page, of how many; `next` is the number of the next page."""

    page: int
    pages: int
    next: int | None


class MatchFault(TypedDict):
    """The fault that ended a match, and its player."""

    seat: int
    player: str
    kind: str


class ModelOfMatch(TypedDict):
    """Usage of a seat's language model in a match, and its cost, null without a price."""

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
    """A match that was played again (`replayed`), or put back to an earlier run (`restored`).

    `run` is the number of the run `before`, the first being 1; `after` replaced it at `moment`. `because` is
    the organiser's reason, "" without one; `say` is the change in words. `counts` is the run that counts
    since then: the new one, or a restored one. `standings` compares those before the decision and
    after this run for at most 20 of the `changed` players; both are missing before a complete round.
    """

    match: str
    round: int | None
    run: int
    counts: int
    kind: Literal["replayed", "restored"]
    moment: str
    because: str
    before: MatchRun
    after: MatchRun
    say: str
    standings: NotRequired[Sequence[RankChange]]
    changed: NotRequired[int]


class AwaitedReplay(TypedDict):
    """An annulled match that will be played again, and why."""

    match: str
    because: str


class Rejudgings(Pages):
    """A page of all rejudgings, the last first; `total` is their number, `waiting` are matches to replay."""

    season: str
    rejudgings: Sequence[Rejudging]
    total: int
    waiting: Sequence[AwaitedReplay]


class MatchRow(TypedDict):
    """A stored match; `points` by seat, null after a fault, `annulled` why it does not count.

    `winners` are the seats with the most points, empty if all are equal; `say` is the result in words.

    `substitute` is the seat of a house bot in place of a faulty player; `text` the reason of a fault, if
    shown. `models` are its language models, once the round is complete; `rejudged` the earlier runs of a
    replayed match, the oldest first.
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
