"""Sequential tests of a new version: the generalised sequential probability ratio test over blocks.

The unit is the block: one set of deals, played in balanced seatings by new and base players. x is the mean of
a block's results between new and base (1, 1/2, 0). Results of a block are correlated, blocks are not: so the
variance is estimated from the blocks' means, for any correlation. With s_k = 1 / (1 + 10^(-elo_k/400)) the
log-likelihood ratio of elo1 against elo0 after N blocks is that of the generalised test,

    LLR = (N/2) ln( sum (x - s0)^2 / sum (x - s1)^2 )  ~  N (s1 - s0)(2 mean - s0 - s1) / (2 variance),

and elo0 is accepted at ln(beta / (1 - alpha)), elo1 near ln((1 - beta) / alpha). A test on single results
keeps alpha = 5 % only if they are independent; with three results sharing a score its error is 13 to 15 %.

Normalised Elo measures strength relative to the noise of the game, with m matches in a block:

    nElo = (800 / ln 10) (mean - 1/2) / sqrt(m variance),

so that a test between given bounds costs about the same in every game. Its s_k follow from the variance so
far, and its ratio is the form on the right. The form on the left is more cautious, but it falls again as the
mean moves many standard deviations beyond both s_k, and the test of a version that won every result would
never end: beyond one standard deviation it is at least half of the form on the right.

The estimated variance of few blocks may be too small. If most blocks are level and losses are rare but large,
it stays too small until the first loss: a version that often wins a little and rarely loses much would be
called better in a quarter of the tests. So the ratio includes a quarter of a block of score 0 and a quarter
of one of score 1, and a verdict needs 16 blocks that are not level. And elo1 is accepted when the e-value of
`rating.evidence`, which grows like the ratio without assumptions on the spread, reaches 1/alpha. The ratio
alone (`evidence=False`) errs in 17 % of the tests if losses are rare enough. (Estimates and intervals include
a thousandth of a block of each of the scores 0, 1/4, 1/2, 3/4, 1, so that the variance is positive.)

If all blocks are exactly 1/2, this is not evidence of equal strength but identical play, which is the verdict
after `level_blocks`. A version e Elo weaker loses at least 2 (1/2 - s(-e)) of the blocks:
`enough_level_blocks` is the number that rules this out.

With ``measure="points"`` x is a block's result as estimated from its margin in points (see `points`).

    test = Gsprt(elo0=0.0, elo1=10.0)
    run = Run()
    for score in scores:
        run = test.add(run, score)           # json.dumps(asdict(run)) and Run(**loaded) keep it
        if run.verdict is not None:
            break
    print(test.report(run))

Source: Van den Bergh's notes on the generalised test and on normalised Elo, by the formulas.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from rating.arrays import Floats
from rating.errors import OptionError, ResultError
from rating.evidence import confidence_sequence, e_value, stake
from rating.sequential.brownian import drift_interval, expected_exit
from rating.sequential.points import sums_of_run
from rating.sequential.runs import FIRST_LOOK, Measure, Report, Run, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

Scale = Literal["logistic", "normalized"]

# Prior blocks in the ratio, of score 0 and of score 1 each.
_UNSEEN = 0.25
# Prior scores, and the blocks of each, in estimates and intervals.
_CELLS = (0.0, 0.25, 0.5, 0.75, 1.0)
_WEIGHT = 1e-3
# The confidence level of the intervals.
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Gsprt:
    """A test of `elo1` against `elo0`, both given on `scale`.

    `alpha` is the risk of accepting elo1 if elo0 is true, `beta` of the reverse; `matches` is the number in a
    block; after `most_blocks` without a decision the verdict is out_of_budget. `share` is the part of the
    expected score above 1/2 that a block shows: 1 if the versions meet, 1/2 if each meets equally strong
    others and the score is (1 + score of the one - score of the other) / 2. With `evidence` elo1 is accepted
    by the e-value, else by the ratio. Raises OptionError for values out of range.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    scale: Scale = "logistic"
    matches: int = 4
    most_blocks: int | None = None
    share: float = 1.0
    level_blocks: int = FIRST_LOOK
    measure: Measure = "results"
    evidence: bool = True

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise OptionError(f"elo0 {self.elo0!r}, elo1 {self.elo1!r}: give two numbers, elo0 below elo1")
        for name, risk in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < risk < 0.5:
                raise OptionError(f"{name} {risk!r}: give a risk between 0 and 0.5")
        for name, value, known in (("scale", self.scale, Scale), ("measure", self.measure, Measure)):
            if value not in get_args(known):
                raise OptionError(f"{name} {value!r}: give one of {', '.join(get_args(known))}")
        if self.matches < 1:
            raise OptionError(f"matches {self.matches}: give at least 1")
        if not 0.0 < self.share <= 1.0:
            raise OptionError(f"share {self.share!r}: give a number above 0, at most 1")
        if self.measure == "points" and self.scale == "logistic" and self.elo0 != 0.0:
            raise OptionError(
                f"elo0 {self.elo0:g}: expected 0 with points, since the Elo of a point is only estimated"
            )
        if self.most_blocks is not None and self.most_blocks < 1:
            raise OptionError(f"most_blocks {self.most_blocks}: give at least 1, or None")

    @property
    def bounds(self) -> tuple[float, float]:
        """The LLR at which elo0 is accepted, and that for elo1, which is approximate with `evidence`."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    @property
    def enough_evidence(self) -> float:
        """The e-value at which elo1 is accepted."""
        return 1.0 / self.alpha

    @property
    def enough_level_blocks(self) -> int:
        """The number of level blocks in a row that has probability alpha at a strength of elo0, below 0.

        A mean score of s needs scores below 1/2 in at least 2 (1/2 - s) of the blocks. Raises OptionError if
        elo0 is not negative, since no number rules that out.
        """
        short = 2.0 * self.share * (0.5 - 1.0 / (1.0 + 10.0 ** (-self.elo0 / 400.0)))
        if short <= 0.0:
            raise OptionError(f"elo0 {self.elo0!r}: expected a negative one, which level blocks can rule out")
        return max(math.ceil(math.log(self.alpha) / math.log1p(-short)), FIRST_LOOK)

    def add(self, run: Run, score: float, margin: float = 0.0, offset: float = 0.0) -> Run:
        """Return `run` with one more block, in which the new version's mean score is `score`.

        `margin` is its mean lead in points, and `offset` the part of the score from faults; both are used
        only with points. A run with a verdict does not change, so later blocks do not count. Raises
        ResultError for a score outside 0 to 1.
        """
        if not 0.0 <= score <= 1.0:
            raise ResultError(f"block score {score!r}: give a mean from 0 to 1")
        if run.verdict is not None:
            return run
        lowest, highest = min(run.lowest, score), max(run.highest, score)
        log_e = run.log_e + self._growth(run, score, margin, offset)
        level = score == 0.5 and (self.measure == "results" or margin == offset == 0.0)
        run = Run(
            run.blocks + 1,
            run.total + score,
            run.squares + score**2,
            lowest,
            highest,
            None,
            run.level + level,
            run.margins + margin,
            run.margin_squares + margin**2,
            run.cross + (score - 0.5 - offset) * margin,
            run.offsets + offset,
            run.offset_squares + offset**2,
            run.offset_cross + offset * margin,
            log_e,
        )
        return replace(run, verdict=self._verdict(run))

    def llr(self, blocks: Floats | float, total: Floats | float, squares: Floats | float) -> Floats:
        """Return the log-likelihood ratio from sums over blocks; arrays of any shape that broadcast."""
        n, mean, variance = _moments(
            blocks + 2.0 * _UNSEEN, np.asarray(total) + _UNSEEN, np.asarray(squares) + _UNSEEN
        )
        s0, s1 = self._score(self.elo0, variance), self._score(self.elo1, variance)
        llr: Floats
        if self.scale == "logistic":
            # sum (x - s)^2 = n (variance + (mean - s)^2)
            llr = 0.5 * n * np.log((variance + (mean - s0) ** 2) / (variance + (mean - s1) ** 2))
            # The form on the left acts as if the variance were 1 + z^2 times as large, z being the distance
            # of the mean from the middle in standard deviations: limit this factor to 2, so that tests end.
            llr *= np.maximum(1.0, (variance + (mean - 0.5 * (s0 + s1)) ** 2) / (2.0 * variance))
        else:
            llr = n * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance)
        return llr

    def ratio(self, run: Run) -> float:
        """Return the log-likelihood ratio after the blocks of `run`; 0 without any."""
        return float(self.llr(*self._sums(run))) if run.blocks else 0.0

    def expected_blocks(self, elo: float, variance: float) -> float:
        """Return the expected blocks of a test at a true `elo`, on its scale, with this score variance."""
        if variance <= 0.0:
            return float(FIRST_LOOK)
        taken = self._further(0.0, float(self._score(elo, variance)), variance)
        return max(taken, float(FIRST_LOOK))

    def elo_of_results(self, run: Run) -> tuple[float, float, float]:
        """Return low end, middle and high end of the Elo by results, not corrected for the stop rule."""
        found = _student((run.blocks, run.total, run.squares))
        low, middle, high = (_elo(0.5 + (score - 0.5) / self.share) for score in found)
        return low, middle, high

    def elo_at_any_time(self, scores: Sequence[float]) -> tuple[float, float]:
        """Return the ends of a 95 % confidence sequence of the Elo by results, from all blocks' scores."""
        low, high = (_elo(0.5 + (score - 0.5) / self.share) for score in confidence_sequence(scores, _LEVEL))
        return low, high

    def elo_of_a_point(self, run: Run) -> float:
        """Return the Elo of one more point in each match, near equal strength."""
        return float(sums_of_run(run).slope) * 1600.0 / math.log(10.0) / self.share

    def cost(self, run: Run) -> tuple[float, float]:
        """Return the expected blocks of the whole test at elo0 and at elo1, by the variance so far."""
        variance, least = float(_moments(*self._sums(run))[2]), run.blocks + self._blocks_to_first_look(run)
        worse, better = (self.expected_blocks(elo, variance) for elo in (self.elo0, self.elo1))
        return max(worse, least), max(better, least)

    def report(self, run: Run) -> Report:
        """Return the report on `run`, with a 95 % interval."""
        if not run.blocks:
            return Report(run.verdict, 0.0, self.bounds, None, None, None, None, 0, 0, None)
        llr = self.ratio(run)
        matches = run.blocks * self.matches
        _, mean, variance = (float(moment) for moment in _moments(*self._sums(run)))
        low, middle, high = (_elo(0.5 + (score - 0.5) / self.share) for score in self._interval(run))
        nelo = 800.0 / math.log(10.0) * (mean - 0.5) / math.sqrt(self.matches * variance)
        to_go = None
        if run.verdict is None and run.blocks >= 2:
            to_go = max(self._further(llr, mean, variance), self._blocks_to_first_look(run))
        e = e_value(run.log_e)
        return Report(run.verdict, llr, self.bounds, middle, low, high, nelo, run.blocks, matches, to_go, e)

    def _growth(self, run: Run, score: float, margin: float, offset: float) -> float:
        """Return the log factor of the e-value for one more block."""
        sums = self._sums(run)
        variance = float(_moments(*sums)[2])
        null, hoped = float(self._score(self.elo0, variance)), float(self._score(self.elo1, variance))
        if self.measure == "points":
            # By the slope of the previous blocks; limited to a whole win or loss.
            score = min(max(0.5 + offset + float(sums_of_run(run).slope) * margin, 0.0), 1.0)
        return math.log1p(float(stake(*sums, null, hoped)) * (score - null))

    def _blocks_to_first_look(self, run: Run) -> float:
        """Return the expected blocks until a verdict is possible, by the share of level ones so far."""
        uneven = run.blocks - run.level
        if not uneven:
            return max(self.level_blocks - run.blocks, 0)
        return max(FIRST_LOOK - uneven, 0) * run.blocks / uneven

    def _sums(self, run: Run) -> tuple[int, float, float]:
        """Return number, sum and sum of squares of the blocks' measured scores."""
        if self.measure == "results":
            return run.blocks, run.total, run.squares
        found = sums_of_run(run)
        return run.blocks, float(found.total), float(found.squares)

    def _verdict(self, run: Run) -> Verdict | None:
        """Return the verdict after the last block, by level blocks, evidence, ratio and budget; or None."""
        if run.level == run.blocks >= self.level_blocks:
            return "identical_play"
        # While more points do not go with more wins, they are no evidence.
        silent = self.measure == "points" and sums_of_run(run).slope <= 0.0
        if run.blocks - run.level >= FIRST_LOOK and not silent:
            lower, upper = self.bounds
            llr = self.ratio(run)
            shown = run.log_e >= math.log(self.enough_evidence) if self.evidence else llr >= upper
            if shown:
                return "better"
            if llr <= lower:
                return "not_better"
        if self.most_blocks is not None and run.blocks >= self.most_blocks:
            return "out_of_budget"
        return None

    def _score(self, elo: float, variance: Floats | float) -> Floats:
        """Return the mean score at a strength on the test's scale; a scalar, or of `variance`'s shape."""
        if self.scale == "logistic":
            return np.asarray(0.5 + self.share * (1.0 / (1.0 + 10.0 ** (-elo / 400.0)) - 0.5))
        return np.asarray(0.5 + elo * math.log(10.0) / 800.0 * np.sqrt(self.matches * variance))

    def _walk(self, variance: float) -> tuple[float, float]:
        """Return the middle of the scores at elo0 and elo1, and their difference."""
        s0, s1 = float(self._score(self.elo0, variance)), float(self._score(self.elo1, variance))
        return 0.5 * (s0 + s1), s1 - s0

    def _further(self, llr: float, mean: float, variance: float) -> float:
        """Return the expected blocks until an LLR leaves its bounds, for scores of this mean and variance."""
        middle, apart = self._walk(variance)
        pace = apart / variance
        lower, upper = self.bounds
        return expected_exit(llr - lower, upper - llr, pace * (mean - middle), pace**2 * variance)

    def _interval(self, run: Run) -> tuple[float, float, float]:
        """Return low end, median and high end of the mean score, corrected for the stop rule.

        N (mean - middle of s0 and s1) / sd moves like Brownian motion of variance 1 a block, and the LLR is
        (s1 - s0) / sd times it.
        """
        sums = self._sums(run)
        n, mean, variance = (float(moment) for moment in _moments(*sums))
        sd = math.sqrt(variance)
        middle, apart = self._walk(variance)
        lower, upper = (bound * sd / apart for bound in self.bounds)
        stopped = run.verdict in ("better", "not_better")
        if run.blocks - run.level <= FIRST_LOOK:
            # A test that stops here had one look, so only the small number of blocks matters.
            return _student(sums)
        drifts = drift_interval(n, n * (mean - middle) / sd, lower, upper, stopped, _LEVEL)
        low, half, high = (min(max(middle + drift * sd, 0.0), 1.0) for drift in drifts)
        return low, half, high


def _moments(
    blocks: Floats | float, total: Floats | float, squares: Floats | float
) -> tuple[Floats, Floats, Floats]:
    """Return number, mean and variance of blocks with the prior ones added."""
    n = np.asarray(blocks + _WEIGHT * len(_CELLS), np.float64)
    mean = np.asarray((total + _WEIGHT * sum(_CELLS)) / n, np.float64)
    # At least the variance of the prior blocks, in spite of rounding.
    least = _WEIGHT * sum((cell - 0.5) ** 2 for cell in _CELLS)
    around = squares + _WEIGHT * sum(cell**2 for cell in _CELLS) - n * mean**2
    return n, mean, np.asarray(np.maximum(around, least) / n, np.float64)


def _student(sums: tuple[int, float, float]) -> tuple[float, float, float]:
    """Return low end, mean and high end of the mean score by Student's t; 0 and 1 with a single block."""
    blocks, total, _ = sums
    if blocks < 2:
        return 0.0, total, 1.0
    # Imported here, since the import is slow.
    from scipy.special import stdtrit

    _, mean, variance = (float(moment) for moment in _moments(*sums))
    half = float(stdtrit(blocks - 1, 0.5 + _LEVEL / 2.0)) * math.sqrt(variance / (blocks - 1))
    return max(mean - half, 0.0), mean, min(mean + half, 1.0)


def _elo(score: float) -> float:
    """Return the logistic Elo of a mean score, limited to 1200 Elo."""
    inside = min(max(score, 1e-3), 1.0 - 1e-3)
    return 400.0 * math.log10(inside / (1.0 - inside))
