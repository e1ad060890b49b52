"""The JSON of the integrity report, and of two programs side by side."""

from __future__ import annotations

from typing import Final, Literal, NotRequired

from typing_extensions import TypedDict

from arbiter.replay.match_review import PhaseLoss
from arbiter.season.config.settings_diff import rated_name

FORMAT: Final = "arbiter-integrity/1"


class Side(TypedDict):
    """One of two programs: a player of this season or, with `season`, of another; or a `sample`.

    `key` names it in addresses. `version` is None for a player with a command.
    """

    name: str
    version: int | None
    key: str
    season: NotRequired[str]
    sample: NotRequired[bool]


class LeftOut(TypedDict):
    """A source that was left out, and why."""

    file: str
    why: str


class CopyRow(TypedDict):
    """Two similar programs, as a question.

    `similarity` is the weighted share of the smaller program's own fingerprints that the other has, `jaccard`
    the weighted share of those of either, `common` their number. `stands_out` is the distance of the
    similarity from the median of all pairs, in robust standard deviations. `files` are each side's files with
    common fingerprints, `left_out` those not read.
    """

    players: tuple[Side, Side]
    similarity: float
    jaccard: float
    common: int
    stands_out: float
    files: tuple[list[str], list[str]]
    left_out: tuple[list[str], list[str]]
    say: str


class ReviewedLoss(TypedDict):
    """The helper's mean loss by its decisions, in points, as reviewed by the program `by`.

    `there` is at tables with both, `elsewhere` at its others; `more` is the difference, None with too few
    reviews.
    """

    by: str
    there: PhaseLoss
    elsewhere: PhaseLoss
    more: float | None
    se: float | None


class SoftPlay(TypedDict):
    """A suspicious pair of authors; `say` is the question as a sentence.

    In points per match `helped` is stronger by `effect` at tables with `helper`, which is weaker there by
    `loss`; each with its standard error. Gains of honest pairs have the standard deviation `spread` in this
    season. Both sit at `together` tables, `helped` alone at `apart`. `q` is the false discovery rate.
    """

    helper: str
    helped: str
    effect: float
    se: float
    q: float
    loss: float
    loss_se: float
    spread: float
    together: int
    apart: int
    reviewed: ReviewedLoss | None
    say: str


class TwinKind(TypedDict):
    """The agreement of two players in one kind of decision, in situations that both were in."""

    kind: str
    compared: int
    alike: int
    expected: float


class TwinAnswer(TypedDict):
    """An answer that both gave in one situation, as did `same` of the `others` in it.

    `matches` and `moves` are, of each of the two, the match and the number of the move in it, from 1.
    """

    kind: str
    answer: str
    same: int
    others: int
    matches: list[str]
    moves: list[int]


class Twins(TypedDict):
    """Two players who decide alike: in `alike` of `compared` situations, with `expected` by others' answers.

    `p` bounds the probability that any two independent programs ever agree as much in the season. `examples`
    are the rarest answers that both gave.
    """

    players: list[str]
    alike: int
    compared: int
    expected: float
    p: float
    kinds: list[TwinKind]
    examples: list[TwinAnswer]
    say: str


class PairsReach(TypedDict):
    """How many of all `pairs` had enough data (`able`); `say` is that as a sentence."""

    pairs: int
    able: int
    say: str


class SoftPlayReach(PairsReach):
    """The reach of soft play: `met` pairs sat together, and apart, at `least` tables or more.

    Nothing can be found before round `earliest`, None with too few players. At the present rate a pair has
    met often enough in round `typical`, None if never.
    """

    met: int
    least: int
    earliest: int | None
    typical: int | None


class CopiesReach(TypedDict):
    """How many of the season's programs could be compared; those in `lacking` have too little source."""

    programs: int
    able: int
    lacking: list[str]
    say: str


class ReportReach(TypedDict):
    """The reach of each kind of question."""

    soft_play: SoftPlayReach
    twins: PairsReach
    copies: CopiesReach


class SimilarGroup(TypedDict):
    """Programs connected by twins and copies: their keys, and the numbers of these rows, from 0."""

    members: list[str]
    twins: list[int]
    copies: list[int]


class Integrity(TypedDict):
    """The report of a season after its last complete `round`, with the time in UTC.

    Reports of earlier versions lack `reach` and `groups`.
    """

    format: Literal["arbiter-integrity/1"]
    season: str
    round: int
    made: str
    soft_play: list[SoftPlay]
    twins: list[Twins]
    copies: list[CopyRow]
    reach: NotRequired[ReportReach]
    groups: NotRequired[list[SimilarGroup]]


class PassagePlace(TypedDict):
    """Lines of a file, from 1, both ends included; `file` is its number on its side, from 0."""

    file: int
    first: int
    last: int


class Passage(TypedDict):
    """A common passage: its place on either side, and its length in tokens."""

    number: int
    places: tuple[PassagePlace, PassagePlace]
    tokens: int


class ShownFile(TypedDict):
    """A file with its lines; `given` are the numbers of handed-out lines."""

    name: str
    lines: list[str]
    given: list[int]


class ComparisonSide(TypedDict):
    """One of the two programs; `covered` is the share of its own tokens in passages."""

    side: Side
    covered: float
    files: list[ShownFile]
    left_out: list[LeftOut]


class SourceComparison(TypedDict):
    """Two programs and their common passages, in the order of the first one's lines."""

    halves: tuple[ComparisonSide, ComparisonSide]
    passages: list[Passage]


def in_words(side: Side) -> str:
    """Return ``alice@2``, ``alice@2 of SEASON`` or ``the sample NAME``."""
    if side.get("sample"):
        return f"the sample {side['name']}"
    rated = rated_name(side["name"], side["version"])
    return f"{rated} of {side['season']}" if "season" in side else rated
