"""JSON types of front pages, duplicate boards and pages of players; see `schema`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# From here also where typing has it: pydantic takes no other one before Python 3.12.
from typing_extensions import TypedDict

from arbiter.season.snapshot.decision_losses import PlayerLoss
from arbiter.season.snapshot.match_schema import MatchRow, Pages, Rejudging
from arbiter.season.snapshot.schema import Cell, Rated, Row, SeasonInShort, Standings


class Mover(TypedDict):
    """Ranks and Elo that a player has gained in a round, negative if lost; null if it had none before."""

    player: str
    ranks: int | None
    elo: float | None


class Highlight(TypedDict):
    """A notable match, and why."""

    match: MatchRow
    say: str


class AnnouncementRow(TypedDict):
    """A text of an organiser in Markdown; `question` is what it answers, or None.

    `corrected` is when the visible text was last changed, or None.
    """

    number: int
    moment: str
    text: str
    question: str | None
    corrected: str | None


class SeasonCard(SeasonInShort):
    """A season in a list of seasons: `say` is who is first, `left_s` the seconds left in its round.

    Both may be null; `announcements` has at most the last one.
    """

    say: str | None
    left_s: float | None
    announcements: Sequence[AnnouncementRow]


class Front(SeasonInShort):
    """A season in short, with its standings, the highlights of the last round, and announcements.

    `about` describes the game; `changes` are of the first players of the standings. `upset` is the match with
    the winner rated farthest below a loser, `closest` the one with the smallest lead.
    """

    about: str
    standings: Standings
    changes: Sequence[Mover]
    movers: Sequence[Mover]
    last_round: int | None
    upset: Highlight | None
    closest: Highlight | None
    announcements: Sequence[AnnouncementRow]


class BoardCell(TypedDict):
    """The result of a player with the hand of a seat in a deal; `best` and `worst` where results differ.

    `ahead` are its points above the mean of all players with this hand.
    """

    seat: int
    player: str
    made: str
    points: int
    ahead: float
    best: bool
    worst: bool


class BoardRow(TypedDict):
    """A deal in one match of a table; `say` is its result in words."""

    match: str
    rotation: int
    say: str
    cells: Sequence[BoardCell]


class CostliestDecision(TypedDict):
    """The decision that lost most points in a deal, by reviews; `event` is its number in the replay."""

    match: str
    seat: int
    player: str
    event: int
    loss: float
    say: str


class BoardDeal(TypedDict):
    """A deal in all matches of a table: `hands` by seat, null if they differ, and their mean points `par`.

    `ahead` has by player the mean of its points above `par`; `costliest` is null without a published review.
    """

    deal: int
    hands: Sequence[Sequence[str]] | None
    par: Sequence[float]
    ahead: Mapping[str, float]
    costliest: CostliestDecision | None
    rows: Sequence[BoardRow]


class BoardTotal(TypedDict):
    """A player's mean points per match, the value of its cards (`par`), and the difference (`ahead`)."""

    player: str
    matches: int
    points: float
    par: float
    ahead: float


class BoardResult(TypedDict):
    """The result of a match of a table."""

    match: str
    say: str
    players: Sequence[str]
    points: Sequence[int] | None


class DuplicateBoard(TypedDict):
    """The duplicate board of a table of a complete round; `par` by seat is of whole matches.

    `luck` is by seat the value of the cards in points above the mean, by reviews; null without reviews.
    `ahead` has by player the sum of its deals, the best first.
    """

    season: str
    round: int
    table: int
    tables: int
    players: Sequence[str]
    seats: int
    deals: Sequence[BoardDeal]
    results: Sequence[BoardResult]
    par: Sequence[float]
    luck: Sequence[float] | None
    ahead: Mapping[str, float]
    totals: Sequence[BoardTotal]


class TableTotals(TypedDict):
    """A table of a round, and the totals of its players."""

    table: int
    players: Sequence[str]
    totals: Sequence[BoardTotal]


class RoundBoards(Pages):
    """A page of the tables of a complete round; `rounds` is the number of complete rounds."""

    season: str
    round: int
    rounds: int
    tables: Sequence[TableTotals]


class Versus(TypedDict):
    """Two players; `cell` is that of the crosstable, null if they never met; `points` are means per match.

    `matches` are the last of those in which they `met`.
    """

    season: str
    players: Sequence[str]
    standing: Sequence[Row | None]
    cell: Cell | None
    points: Sequence[float | None]
    met: int
    matches: Sequence[MatchRow]


class Against(Cell):
    """A player's results against another."""

    player: str


class RatedThen(Rated):
    """One player's rating after a round."""

    round: int


class Use(TypedDict):
    """Time and memory of a player in its matches of a round."""

    round: int
    matches: int
    charged_ms: float
    most_charged_ms: float
    peak_memory_mb: float


class ModelIdentity(TypedDict):
    """The language model of a player in its last matches, and the form of its prompts.

    `state`, `legal` and `names` are as in the season's file; `served_as` are its provider's names for it.
    """

    name: str
    date: str
    effort: str
    harness: int
    state: str
    legal: bool
    names: str
    served_as: Sequence[str]


class PlayerReview(PlayerLoss):
    """The losses of a player's decisions as the program `by` finds them."""

    by: str


class PlayerPage(Pages):
    """All about a player; `faults` are the last of `faults_in_all`.

    `history` has at most a hundred rounds, evenly spaced; `against` comes in pages. `cards` compares its
    points in its last matches with others' with the same cards, `review` has its losses in them. `model` is
    null for a program. `rejudged` are its last replayed matches.
    """

    season: str
    player: str
    standing: Row | None
    house: bool
    rung: bool
    withdrawn: bool
    suspended: str | None
    versions: Sequence[str]
    history: Sequence[RatedThen]
    against: Sequence[Against]
    faults: Sequence[MatchRow]
    faults_in_all: int
    use: Use | None
    model: ModelIdentity | None
    cards: BoardTotal | None
    review: PlayerReview | None
    rejudged: Sequence[Rejudging]
