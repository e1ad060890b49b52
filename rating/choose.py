"""Choose the best of many candidates, if it is better than the base, by a sequential test.

All candidates still in the race play the base on the same deals, a block each; x is the mean of a
candidate's results in a block, s0 and s1 are the mean scores at strengths of elo0 and elo1. The base counts
as one more candidate with the constant score s0. The hypothesis that a candidate is the best of all is tested
by betting: from a capital of 1, a stake before each block bets that the current leader scores more:

    capital <- capital (1 + w d),      d = x of the leader - x of this one,      w <= 0.9,

(for the leader itself the second; against the base w <= 0.9 / s0). Under the hypothesis d has a mean of at
most 0 for any leader and stake, so the capital is a supermartingale and ever reaches 1 / alpha with
probability at most alpha. A hypothesis whose capital does so is rejected. So the best candidate, or the base
if it is the best, is rejected with probability at most alpha **for any number of candidates**, since only one
hypothesis is true, and at every look. No distribution is assumed, so rare large losses do no harm, and
results in a block may depend on each other.

The stakes are 1, 2 and 4 times (s1 - s0) / v with a third of the capital each, v being the mean of d^2 so
far: among constant stakes, m / v grows fastest for a mean of m.

The test would not end between equals. So two more bets remove candidates that are not worth choosing, with a
total risk of beta for one that is: bets on s1 - x against being elo1 above the base (three quarters of beta),
and, for a candidate less than elo1 - elo0 behind the leader, bets on d + s1 - s0 against being that much
above the leader (the rest). A candidate removed in this way is not shown to be worse than the winner.

As in `Gsprt`, nothing is decided before 16 blocks; `best` needs 16 blocks of the winner that are not level.

    choice, standing = Choice(elo1=10.0), Choice.start(3)
    for scores in blocks:                    # of three candidates; any value for those out of the race
        standing = choice.add(standing, scores)
        if standing.verdict:
            break
    print(VERDICTS[standing.verdict], standing.leader)

All arrays may have leading axes, for many runs at once.

Source: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (2024), for stakes
and mixtures of them; Cho, Gan and Kallus, Peeking with PEAK (2024), for one capital over many
streams without a correction; Even-Dar, Mannor and Mansour, Action elimination and stopping conditions (2006),
for successive elimination.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rating.arrays import Bools, Floats, Ints
from rating.errors import OptionError, ResultError
from rating.evidence import confidence_sequence, e_value
from rating.sequential.runs import FIRST_LOOK

VERDICTS = (None, "best", "none", "out_of_budget")
STATES = ("playing", "behind", "no_better", "level")
"""In the race; shown worse than another; not elo1 above the base; not elo1 - elo0 above the leader."""
_PLAYING, _BEHIND, _NO_BETTER, _LEVEL = range(4)
_BEST, _NONE, _OUT_OF_BUDGET = range(1, 4)

_MOST = 0.9
"""The maximum share of a capital lost in a block."""
_STAKES = np.array([1.0, 2.0, 4.0])
_OF_BASE = 0.75
"""The share of beta for the bets against a gain over the base."""
_PRIOR, _UNKNOWN = 8.0, 0.4
"""Prior number of blocks, and the prior sum of d^2 over them."""


class Standing(NamedTuple):
    """The state of a choice among N candidates, with any leading axes.

    `verdict` and `state` are indices into `VERDICTS` and `STATES`; `total` are sums of scores, `uneven` the
    numbers of blocks that were not exactly 1/2. `not_best` has the logarithms of the capitals against each as
    the best, the base first, by stake; `no_gain` and `no_lead` those of the two other bets. `spread` has sums
    of d^2, `spread_of_base` of (x - s0)^2.
    """

    verdict: Ints
    blocks: Ints
    state: Ints
    total: Floats
    uneven: Ints
    base_beaten: Bools
    not_best: Floats
    no_gain: Floats
    no_lead: Floats
    spread: Floats
    spread_of_base: Floats

    @property
    def leader(self) -> Ints:
        """The index of the candidate in the race with the highest total score, shape (...)."""
        return _rivals(self.total, self.state == _PLAYING)[0][..., 0]


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice among candidates, each against the base; strengths between `elo0` and `elo1` are indifferent.

    `alpha` is the maximum probability that the best of all, the base included, is called worse than another;
    `beta` that a candidate elo1 above the base and elo1 - elo0 above the rest is removed. After `most_blocks`
    the choice ends undecided. `share` is as in `Gsprt`. OptionError for values out of range.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    most_blocks: int | None = None
    share: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise OptionError(f"elo0 {self.elo0!r}, elo1 {self.elo1!r}: give two numbers, elo0 below elo1")
        for name, risk in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < risk < 0.5:
                raise OptionError(f"{name} {risk!r}: give a risk between 0 and 0.5")
        if self.most_blocks is not None and self.most_blocks < 1:
            raise OptionError(f"most_blocks {self.most_blocks}: give at least 1, or None")

    @property
    def scores(self) -> tuple[float, float]:
        """The mean scores at elo0 and elo1."""
        wins = [1.0 / (1.0 + 10.0 ** (-elo / 400.0)) for elo in (self.elo0, self.elo1)]
        s0, s1 = (0.5 + self.share * (win - 0.5) for win in wins)
        return s0, s1

    @staticmethod
    def start(candidates: int, runs: tuple[int, ...] = ()) -> Standing:
        """Return the state before the first block. OptionError without candidates."""
        if candidates < 1:
            raise OptionError(f"{candidates} candidates: give at least 1")
        each = (*runs, candidates)
        return Standing(
            np.zeros(runs, np.int64),
            np.zeros(runs, np.int64),
            np.zeros(each, np.int64),
            np.zeros(each),
            np.zeros(each, np.int64),
            np.zeros(runs, np.bool_),
            np.full((*runs, candidates + 1, len(_STAKES)), -math.log(len(_STAKES))),
            np.zeros(each),
            np.zeros(each),
            np.full((*runs, candidates + 1), _UNKNOWN),
            np.full(each, 0.5 * _UNKNOWN),
        )

    def add(self, standing: Standing, scores: Floats) -> Standing:
        """Return the state after one more block, scores of shape (..., N); after a verdict it stays the same.

        Scores of candidates out of the race are ignored. ResultError for a score outside 0 to 1.
        """
        playing = standing.state == _PLAYING
        x = np.where(playing, scores, 0.5)
        if not ((x >= 0.0) & (x <= 1.0)).all():
            raise ResultError(f"block scores {scores!r}: give means from 0 to 1")
        (s0, s1), stake = self.scores, self._stakes(standing.blocks[..., None], standing.spread)
        zone = s1 - s0
        first, others = _rivals(standing.total, playing)
        ahead = np.where(playing & (playing.sum(axis=-1, keepdims=True) > 1), _take(x, others) - x, 0.0)
        d = np.concatenate([_take(x, first) - s0, ahead], axis=-1)
        seen = (standing.blocks[..., None] + _PRIOR) / standing.spread_of_base
        gain_stake = np.minimum(_MOST / (1.0 - s1), zone * seen)
        after = standing._replace(
            blocks=standing.blocks + 1,
            total=standing.total + np.where(playing, x, 0.0),
            uneven=standing.uneven + (x != 0.5),
            not_best=standing.not_best + np.log1p(stake * d[..., None]),
            no_gain=standing.no_gain + np.log1p(gain_stake * (s1 - x)),
            no_lead=standing.no_lead + np.log1p(stake[..., 1:, 0] * (ahead + zone)),
            spread=standing.spread + d**2,
            spread_of_base=standing.spread_of_base + (x - s0) ** 2,
        )
        return _update_running(standing.verdict == 0, self._decide(after), standing)

    def evidence(self, standing: Standing) -> float:
        """Return the e-value, in a single run, against no candidate being more than elo0 above the base."""
        return e_value(float(_mean_capital(standing.not_best[0])))

    def strength(self, scores: Floats) -> tuple[float, float, float]:
        """Return low end, middle and high end of a candidate's Elo above the base, from the scores of one or
        more blocks; the interval is a 95 % confidence sequence.
        """
        low, high = confidence_sequence(scores)
        low, middle, high = (
            min(max(0.5 + (score - 0.5) / self.share, 1e-3), 1.0 - 1e-3)
            for score in (low, float(scores.mean()), high)
        )
        return _elo(low), _elo(middle), _elo(high)

    def _stakes(self, blocks: Floats | Ints, spread: Floats) -> Floats:
        """Return the stakes on the rivals of the base and of each candidate, shape (..., N + 1, stakes)."""
        s0, s1 = self.scores
        most = np.full(spread.shape[-1], _MOST)
        most[0] /= s0
        each = (s1 - s0) * (blocks + _PRIOR) / spread
        stakes: Floats = np.minimum(most[:, None], _STAKES * each[..., None])
        return stakes

    def _decide(self, standing: Standing) -> Standing:
        """Remove candidates after the last counted block, and set the verdict."""
        (s0, s1), at_once = self.scores, standing.state == _PLAYING
        first, _ = _rivals(standing.total, at_once)
        lost = (_take(standing.total, first) - standing.total) / standing.blocks[..., None]
        given_up = _mean_capital(standing.not_best) >= -math.log(self.alpha)
        base_beaten = np.asarray(standing.base_beaten | given_up[..., 0], np.bool_)
        doubted = ~base_beaten[..., None] & (standing.no_gain >= -math.log(_OF_BASE * self.beta))
        # The leader is 0 behind, and so is a program that plays identically.
        close = (np.arange(lost.shape[-1]) != first) & (lost < s1 - s0)
        level = close & (standing.no_lead >= -math.log((1.0 - _OF_BASE) * self.beta))
        found = np.select([given_up[..., 1:], doubted, level], [_BEHIND, _NO_BETTER, _LEVEL], _PLAYING)
        state = np.where(at_once & (standing.blocks >= FIRST_LOOK)[..., None], found, standing.state)
        left = (state == _PLAYING).sum(axis=-1)
        known = np.where(state == _PLAYING, standing.uneven, 0).max(axis=-1) >= FIRST_LOOK
        spent = self.most_blocks is not None and standing.blocks >= self.most_blocks
        verdict = np.select(
            [base_beaten & (left == 1) & known, ~base_beaten & (left == 0), np.asarray(spent)],
            [_BEST, _NONE, _OUT_OF_BUDGET],
            0,
        )
        return standing._replace(state=state, base_beaten=base_beaten, verdict=verdict)

    def groups(self, scores: Floats, standing: Standing) -> list[list[int]]:
        """Return the candidates of one choice in groups without a sure difference, best first, by mean score.

        `scores` are those of counted blocks, shape (blocks, N), NaN for candidates out of the race. The first
        group are those not shown worse than another; each next group is found in the same way among the rest,
        so in each the best is placed too low with probability at most alpha.
        """
        rest = np.flatnonzero(standing.state == _BEHIND)
        found = [_by_mean(scores, np.flatnonzero(standing.state != _BEHIND))]
        while rest.size:
            lower = self._behind(scores[:, rest])
            # The lead may change, so that every one is rejected once.
            lower[np.flatnonzero(rest == _by_mean(scores, rest)[0])] = False
            found.append(_by_mean(scores, rest[~lower]))
            rest = rest[lower]
        return [group for group in found if group]

    def _behind(self, scores: Floats) -> Bools:
        """Return which of these candidates were at some time rejected as their best, shape (N,)."""
        there = ~np.isnan(scores)
        x = np.where(there, scores, 0.5)
        before = np.where(there, x, 0.0).cumsum(axis=0) - np.where(there, x, 0.0)
        _, others = _rivals(before, there)
        d = np.where(there & (there.sum(axis=1, keepdims=True) > 1), _take(x, others) - x, 0.0)
        spread = _UNKNOWN + (d**2).cumsum(axis=0) - d**2
        # The base's column is a placeholder.
        stakes = self._stakes(np.arange(len(d))[:, None], np.insert(spread, 0, _UNKNOWN, axis=1))[:, 1:]
        capital = np.log1p(stakes * d[..., None]).cumsum(axis=0) - math.log(len(_STAKES))
        return np.asarray((_mean_capital(capital) >= -math.log(self.alpha)).any(axis=0))


def _elo(score: float) -> float:
    """Return the logistic Elo of a mean score between 0 and 1."""
    return 400.0 * math.log10(score / (1.0 - score))


def _rivals(total: Floats, playing: Bools) -> tuple[Ints, Ints]:
    """Return indices of the leader (..., 1), and of each one's rival (..., N): the leader, or the second."""
    ranked = np.where(playing, total, -np.inf)
    first = ranked.argmax(axis=-1)[..., None]
    alone = np.arange(total.shape[-1]) == first
    second = np.where(alone, -np.inf, ranked).argmax(axis=-1)[..., None]
    return first, np.where(alone, second, first)


def _take(values: Floats, numbers: Ints) -> Floats:
    found: Floats = np.take_along_axis(values, numbers, -1)
    return found


def _mean_capital(logarithms: Floats) -> Floats:
    """Return the logarithm of the total capital over all stakes, the last axis."""
    total: Floats = np.logaddexp.reduce(logarithms, axis=-1)
    return total


def _by_mean(scores: Floats, numbers: Ints) -> list[int]:
    """Return these candidates, the highest mean score first."""
    seen = np.maximum((~np.isnan(scores)).sum(axis=0), 1)
    mean = np.nansum(scores, axis=0) / seen
    return sorted(map(int, numbers), key=lambda number: -float(mean[number]))


def _update_running(going: Bools, new: Standing, old: Standing) -> Standing:
    """Return the new state of the runs that are undecided, and the old one of the others."""

    def pick_new(now: Any, then: Any) -> Any:
        return np.where(going.reshape(going.shape + (1,) * (now.ndim - going.ndim)), now, then)

    return Standing(*map(pick_new, new, old))
