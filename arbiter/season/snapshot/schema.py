"""JSON types of a season's figures: one for each answer, and for its parts.

Commands print these values, the API returns them and describes them in its OpenAPI document, and pages and
the report show them. Elo are on the season's scale, with mean 0; `low` and `high` are the ends of a 95 %
interval. Null means unknown or hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypeAlias

# From here also where typing has it: pydantic takes no other one before Python 3.12.
from typing_extensions import TypedDict

from arbiter.season.snapshot.match_schema import MatchRow, Pages

Condition: TypeAlias = Literal["new", "playing", "stopping", "paused", "waiting", "over"]
"""The present condition of a season."""


class SeasonGame(TypedDict):
    """A season's game: its name, its title for people, and its options."""

    name: str
    title: str
    options: Mapping[str, Any]


class Progress(TypedDict):
    """The progress of a round; `matches` may grow by matches with substitutes."""

    round: int
    complete: bool
    stored: int
    matches: int


class Next(TypedDict):
    """The next round, null while results are held back, and its start."""

    round: int | None
    begins: str


class SeasonInShort(TypedDict):
    """A season in short: its progress, condition, and the commitment to its deals.

    `rounds` is the planned number of rounds, `complete` of complete ones; `round` is the current one.
    """

    season: str
    game: SeasonGame
    rounds: int
    until: str | None
    frozen_after: int | None
    complete: int
    players: int
    matches: int
    round: Progress | None
    next: Next | None
    state: Condition
    takes_programs: bool
    commitment: str | None
    seed: str | None
    stamp: str
    moment: str


class Status(SeasonInShort):
    """A season in short for organisers: also its coordinator, requests to it, and orders in effect.

    `paused` and `closed` are since when; `asks` is what needs consent before it continues. `suspended` are
    reasons by player, `annulled` and `to_replay` numbers of matches.
    """

    played_by: str | None
    stop_asked: bool
    paused: str | None
    closed: str | None
    asks: str | None
    suspended: Mapping[str, str]
    annulled: int
    to_replay: int
    voids: VoidPlays


class VoidPlays(TypedDict):
    """The number of void plays, and by player of those with it, most first."""

    all: int
    players: Mapping[str, int]


class Rated(TypedDict):
    """A player's rating after a round; house bots, rungs and withdrawn players have no `rank`."""

    rank: int | None
    player: str
    elo: float | None
    low: float | None
    high: float | None


class ModelSums(TypedDict):
    """Usage of a language model in its matches that count: input and output tokens.

    `first_try` counts its decisions with a legal first answer.
    """

    matches: int
    decisions: int
    first_try: int
    input: int
    output: int


class StoredRow(Rated):
    """A player of stored standings; earlier versions have no `wins_by_fault` and `scored`.

    `scored` is the number of seats in which it got `points`, in matches without a fault. Only language models
    have a `model`.
    """

    matches: int
    results: int
    wins: int
    draws: int
    losses: int
    points: float
    faults: Mapping[str, int]
    wins_by_fault: NotRequired[int]
    scored: NotRequired[int]
    model: NotRequired[ModelSums]


class ModelFigures(TypedDict, total=False):
    """The figures of a language model beside its rating."""

    cost: float | None
    cost_a_match: float | None
    legal_first: float | None


class Row(StoredRow, ModelFigures):
    """A player of standings; `marks` are of suspended, withdrawn, house, rung.

    `rank_low` and `rank_high` are the ends of the interval of its rank; `apart` is true if it is better
    than the next player significantly. They are known only after the last round.
    """

    marks: Sequence[str]
    rank_low: int | None
    rank_high: int | None
    apart: bool | None


class SeasonCosts(TypedDict):
    """The costs of all language models: in matches that count, and in plays that do not.

    The latter are void, annulled or replaced; they are known only after the last round.
    """

    currency: str | None
    counted: float | None
    uncounted: float | None


class FavourRow(TypedDict):
    """A player whose faults favour another: numbers of its faults at tables with it, and without."""

    faulty: str
    favoured: str
    there: int
    together: int
    elsewhere: int
    apart: int
    behind: int
    known: int
    expected: float
    p: float


class FirstPlace(TypedDict):
    """The players on the first place, its probability, and the verdict in words; see `first_place`."""

    rule: str
    over: bool
    players: Sequence[str]
    next: str | None
    lead: float | None
    better: float | None
    apart: bool | None
    say: str


class _Head(TypedDict):
    drawelo: float | None
    intervals: str | None
    anchors: NotRequired[Mapping[str, float]]
    warnings: Sequence[str]


class StoredStandings(_Head):
    """Standings as stored with a round; earlier versions have fewer keys.

    Of the `suspended`, `by_order` are those suspended by the organiser, and `plays_on` those who still play,
    since no house bot could fill up.
    """

    suspended: NotRequired[Mapping[str, str]]
    by_order: NotRequired[Sequence[str]]
    plays_on: NotRequired[Sequence[str]]
    favours: NotRequired[Sequence[FavourRow]]
    players: Sequence[StoredRow]


class Standings(_Head, Pages):
    """The standings after a round; `suspended` are reasons by player. A site sends them in pages.

    Only seasons with language models have `costs`, and only seasons with anchors `anchors`.
    """

    season: str
    game: str
    rounds_played: int
    after_round: int
    first: FirstPlace | None
    suspended: Mapping[str, str]
    favours: Sequence[FavourRow]
    players: Sequence[Row]
    costs: NotRequired[SeasonCosts]


class SeasonList(TypedDict):
    """All seasons that have begun."""

    seasons: Sequence[SeasonInShort]


class Cell(TypedDict):
    """Results of a player against another; `los`: probability that it is better, `z`: the same in sigma."""

    wins: int
    draws: int
    losses: int
    los: float
    z: float


class Crosstable(TypedDict):
    """`cells` are rows by player, each by opponent; null if the two never met.

    A site sends it in windows: the players of a page against those of the page `columns`, `against`.
    """

    season: str
    after_round: int
    players: Sequence[str]
    cells: Sequence[Sequence[Cell | None]]
    against: NotRequired[Sequence[str]]
    columns: NotRequired[int]
    page: NotRequired[int]
    pages: NotRequired[int]
    next: NotRequired[int | None]


class ResultBlock(TypedDict):
    """Results of all players of a page of the crosstable against all of another page."""

    wins: int
    draws: int
    losses: int


class RoundRatings(TypedDict):
    """All ratings after a round, the best first."""

    round: int
    players: Sequence[Rated]


class History(TypedDict):
    """The ratings after each complete round.

    A site sends it in pages of players, for some rounds; `earlier` is the `before` of the rounds before.
    """

    season: str
    history: Sequence[RoundRatings]
    page: NotRequired[int]
    pages: NotRequired[int]
    next: NotRequired[int | None]
    earlier: NotRequired[int | None]


class RoundTable(TypedDict):
    """A table of a round, with its stored matches."""

    table: int
    players: Sequence[str]
    matches: Sequence[MatchRow]


class Round(Progress, Pages):
    """A round; `rounds` is the number of rounds begun. Its tables come in pages."""

    season: str
    rounds: int
    tables: Sequence[RoundTable]
