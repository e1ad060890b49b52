"""The questions about who plays with whom, and two programs side by side, as JSON has them."""

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
    """A source that was not looked at, and why."""

    file: str
    why: str


class CopyRow(TypedDict):
    """Two programs that are much alike, as a question.

    `similarity` is the share of the smaller one's own fingerprints that the other has, `jaccard` that of all
    that either has, both weighted; `common` how many that are. `stands_out` is how far the similarity is
    above the middle of all pairs, in their spread. `files` are, of each side, those with fingerprints in
    common, `left_out` those that were not looked at.
    """

    players: tuple[Side, Side]
    similarity: float
    jaccard: float
    common: int
    stands_out: float
    files: tuple[list[str], list[str]]
    left_out: tuple[list[str], list[str]]
    say: str


class LossBeside(TypedDict):
    """What the helper's decisions lost, in points, as the program `by` values them.

    `there` at the tables of both, `elsewhere` at its others; `more` is the difference, None where too little
    is reviewed.
    """

    by: str
    there: PhaseLoss
    elsewhere: PhaseLoss
    more: float | None
    se: float | None


class SoftPlay(TypedDict):
    """A pair of authors that is asked about, `say` in words.

    In points a match `helped` is stronger by `effect` where `helper` sits, which is weaker there by `loss`;
    each with its standard error. Gains of honest pairs have a standard deviation of `spread` in this season.
    Both sit at `together` tables, `helped` alone at `apart`. `q` is the share that chance has in questions as
    sure as this one.
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
    reviewed: LossBeside | None
    say: str


class TwinKind(TypedDict):
    """What two players answered to one kind of decision, in situations that both were in."""

    kind: str
    compared: int
    alike: int
    expected: float


class TwinAnswer(TypedDict):
    """An answer that both gave in the same situation, and that `same` of `others` who were in it gave too.

    Of each of the two, the match and the number of the move in it, from 1.
    """

    kind: str
    answer: str
    same: int
    others: int
    matches: list[str]
    moves: list[int]


class Twins(TypedDict):
    """Two players who decide alike: in `alike` of `compared` situations, where the answers of the others let
    expect `expected`.

    `p` is at most the probability that any two programs that know nothing of each other look so, ever in the
    season. `examples` are the rarest answers that both gave.
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
    """Of how many of all pairs could be asked; `say` in words."""

    pairs: int
    able: int
    say: str


class SoftPlayReach(PairsReach):
    """The same of soft play: `met` pairs sat together, and apart, at `least` tables or more.

    Nothing can be asked before round `earliest`, None where there are too few players. At the rate so far a
    pair has met often enough in round `typical`, None where that is never.
    """

    met: int
    least: int
    earliest: int | None
    typical: int | None


class CopiesReach(TypedDict):
    """How many of the season's programs could be compared; those of `lacking` have too little source."""

    programs: int
    able: int
    lacking: list[str]
    say: str


class ReportReach(TypedDict):
    """What could be asked, by kind of question."""

    soft_play: SoftPlayReach
    twins: PairsReach
    copies: CopiesReach


class SimilarGroup(TypedDict):
    """Programs that twins and copies connect: their keys, and the numbers of those rows, from 0."""

    members: list[str]
    twins: list[int]
    copies: list[int]


class Integrity(TypedDict):
    """The questions about a season after its last complete `round`, `made` at a moment in UTC.

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
    """What corresponds: where it is on either side, and how many tokens long."""

    number: int
    places: tuple[PassagePlace, PassagePlace]
    tokens: int


class ShownFile(TypedDict):
    """A file with its lines; `given` are the numbers of those that were handed out."""

    name: str
    lines: list[str]
    given: list[int]


class Half(TypedDict):
    """One of the two programs; `covered` is the share of its own tokens that is in passages."""

    side: Side
    covered: float
    files: list[ShownFile]
    left_out: list[LeftOut]


class Beside(TypedDict):
    """Two programs and what of them corresponds, in the order of the first one's lines."""

    halves: tuple[Half, Half]
    passages: list[Passage]


def in_words(side: Side) -> str:
    """A side as a sentence names it."""
    if side.get("sample"):
        return f"the sample {side['name']}"
    rated = rated_name(side["name"], side["version"])
    return f"{rated} of {side['season']}" if "season" in side else rated
