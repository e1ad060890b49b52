"""The figures of a season, as JSON has them: a type for each answer, and for its parts.

Commands print these values, the API answers with them and describes them in its OpenAPI document, and pages
and the report draw them. Elo are those of the season's scale, its mean 0; `low` and `high` are the ends of a
95 % interval. Null is what is not known, or not shown.
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
    """A season's game: its name, as people know it, and its options."""

    name: str
    title: str
    options: Mapping[str, Any]


class Progress(TypedDict):
    """The progress of a round; `matches` may grow by those that are played once more with a substitute."""

    round: int
    complete: bool
    stored: int
    matches: int


class Next(TypedDict):
    """The next round, null where results are held back, and when it begins."""

    round: int | None
    begins: str


class SeasonInShort(TypedDict):
    """A season in short: how far it is, who plays it, and what its deals were committed to.

    `rounds` is how many there are to be, `complete` how many are; `round` is the one under way.
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
    """The same for organisers: who plays it, what was asked of its coordinator, and what orders are in force.

    `paused` and `closed` say since when; `asks` what has to be accepted before it goes on. `suspended` are
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
    """How many plays were void in `all`, and by player those in which it sat, most first."""

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
    """What a language model used in its matches that count: tokens of questions and of answers.

    In `first_try` of its decisions the first answer was legal.
    """

    matches: int
    decisions: int
    first_try: int
    input: int
    output: int


class StoredRow(Rated):
    """A player of standings as they are stored; those of earlier versions lack `wins_by_fault` and `scored`.

    `scored` is the number of seats in which it got `points`: not where a fault ended the match. Only language
    models have a `model`.
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

    `rank_low` and `rank_high` are the ends of the interval of its rank; `apart` is true where it is told
    apart from the one below it. They are known after the last round alone.
    """

    marks: Sequence[str]
    rank_low: int | None
    rank_high: int | None
    apart: bool | None


class SeasonCosts(TypedDict):
    """The costs of all language models: in matches that count, and in plays that do not.

    The latter are void, annulled or were played again; they are known after the last round alone.
    """

    currency: str | None
    counted: float | None
    uncounted: float | None


class FavourRow(TypedDict):
    """The faults of one player favour another: how often it faulted at tables with it, and without."""

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
    """The players who share the first place, and how sure it is; see `first_place`."""

    rule: str
    over: bool
    players: Sequence[str]
    next: str | None
    lead: float | None
    better: float | None
    apart: bool | None


class _Head(TypedDict):
    drawelo: float | None
    intervals: str | None
    anchors: NotRequired[Mapping[str, float]]
    warnings: Sequence[str]


class StoredStandings(_Head):
    """Standings as they are stored with a round; what came later is lacking in those of earlier versions.

    Of who is `suspended`, `by_order` are those whom the organiser suspended, and `plays_on` those who play
    all the same, since no house bot could fill up.
    """

    suspended: NotRequired[Mapping[str, str]]
    by_order: NotRequired[Sequence[str]]
    plays_on: NotRequired[Sequence[str]]
    favours: NotRequired[Sequence[FavourRow]]
    players: Sequence[StoredRow]


class Standings(_Head, Pages):
    """The standings after a round; `suspended` are reasons by player. A site sends them in pages.

    Only those of seasons with language models have `costs`, of seasons on the scale of `anchors` these.
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
    """All seasons that are begun."""

    seasons: Sequence[SeasonInShort]


class Cell(TypedDict):
    """Results of a player against another; `los`: how probably it is better, `z`: in sigma."""

    wins: int
    draws: int
    losses: int
    los: float
    z: float


class Crosstable(TypedDict):
    """`cells` are rows by player, each by opponent; null where the two never met.

    Of a site it comes in windows: the players of a page against those of the page `columns`, `against`.
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
    """Results of all players of a page of the crosstable against all those of another."""

    wins: int
    draws: int
    losses: int


class RoundRatings(TypedDict):
    """Everybody's rating after a round, the best first."""

    round: int
    players: Sequence[Rated]


class History(TypedDict):
    """The ratings after each complete round.

    Of a site it comes in pages of players, and goes back so many rounds: `earlier` is the `before` of those
    before them.
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
    """A round; `rounds` is how many were begun. Its tables come in pages."""

    season: str
    rounds: int
    tables: Sequence[RoundTable]
