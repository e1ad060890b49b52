"""Which of many candidates is the best, and is it better than the base? A test that stops when it is sure.

All candidates that may still be the best play the base on the same deals, a block each; x is the mean of a
candidate's results in a block, s0 and s1 the means that strengths of elo0 and elo1 stand for. The base counts
as one more, whose score is always s0. Against each of them, as "nobody is better than this one", a player
with a capital of 1 bets before each block that the one which leads so far does better:

    capital <- capital (1 + w d),      d = x of the leader - x of this one,      w <= 0.9,

(for the leader itself the second; against the base w <= 0.9 / s0). If the claim is true, d has a mean of at
most 0 whoever leads and however much is bet, so the capital is expected to shrink, and the chance that it
ever reaches 1 / alpha is at most alpha. A claim whose adversary gets there is given up. So the one that is
the best, be it the base, is given up with a chance of at most alpha in all: **whatever the number of
candidates**, since there is one claim that is true, and whenever somebody looks. No distribution is assumed,
so rare large losses do no harm, and nothing about how results of a block depend on each other.

The stakes are 1, 2 and 4 times (s1 - s0) / v with a third of the capital each, v being the mean of d^2 so
far: of constant stakes m / v grows fastest for a mean of m.

Nothing would end between equals. So two more adversaries hold a candidate that is not worth it to be out of
the race, at a risk of beta together for one that is worth it: that it is elo1 above the base is doubted by
bets on s1 - x, three quarters of beta; that it is elo1 - elo0 above the leader by bets on d + s1 - s0, the
rest, once it lies behind by less than that. Who leaves so was not shown to be worse than the winner.

    choice, standing = Choice(elo1=10.0), Choice.start(3)
    for scores in blocks:                    # of three candidates; of those out of the race anything
        standing = choice.add(standing, scores)
        if standing.verdict:
            break
    print(VERDICTS[standing.verdict], standing.leader)

All arrays may have further axes in front: many runs at once.

Source: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (2024), for stakes
and mixtures of them; Cho, Gan and Kallus, Peeking with PEAK (2024), for one capital over many
streams without a correction; Even-Dar, Mannor and Mansour, Action elimination and stopping conditions (2006),
for leaving as one goes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rating.arrays import Bools, Floats, Ints
from rating.errors import OptionError, ResultError
from rating.evidence import e_value, sequence

VERDICTS = (None, "best", "none", "out_of_budget")
STATES = ("playing", "behind", "no_better", "level")
"""In the race; shown worse than another; not elo1 above the base; not elo1 - elo0 above the leader."""
_PLAYING, _BEHIND, _NO_BETTER, _LEVEL = range(4)
_BEST, _NONE, _OUT_OF_BUDGET = range(1, 4)

_MOST = 0.9
"""The most of a capital that is lost in a block."""
_STAKES = np.array([1.0, 2.0, 4.0])
_OF_BASE = 0.75
"""The share of beta that goes to the doubt of a gain over the base."""
_PRIOR, _UNKNOWN = 8.0, 0.4
"""Blocks, and the sum of d^2 over them, that stand for what is not known yet."""


class Standing(NamedTuple):
    """A choice under way; N candidates, any axes in front.

    `verdict` and `state` number those of `VERDICTS` and `STATES`; `total` are sums of scores. `not_best` has
    logarithms of capital against each as the best, the base first, by stake; `no_gain` and `no_lead` those of
    the doubts. `spread` has sums of d^2, `spread_of_base` of (x - s0)^2.
    """

    verdict: Ints
    blocks: Ints
    state: Ints
    total: Floats
    base_beaten: Bools
    not_best: Floats
    no_gain: Floats
    no_lead: Floats
    spread: Floats
    spread_of_base: Floats

    @property
    def leader(self) -> Ints:
        """The number of the candidate in the race that has scored most, shape (...)."""
        return _rivals(self.total, self.state == _PLAYING)[0][..., 0]


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice among candidates, each against the base, between whose `elo0` and `elo1` it need not be right.

    `alpha` is the chance that the best of all, the base included, is called worse than another; `beta` the
    chance that one which is elo1 above the base, and elo1 - elo0 above the rest, leaves as not worth it.
    After `most_blocks` it ends undecided. `share` as in `Gsprt`. OptionError for values out of range.
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
        """The mean scores that elo0 and elo1 stand for."""
        wins = [1.0 / (1.0 + 10.0 ** (-elo / 400.0)) for elo in (self.elo0, self.elo1)]
        s0, s1 = (0.5 + self.share * (win - 0.5) for win in wins)
        return s0, s1

    @staticmethod
    def start(candidates: int, runs: tuple[int, ...] = ()) -> Standing:
        """Before the first block. OptionError without candidates."""
        if candidates < 1:
            raise OptionError(f"{candidates} candidates: give at least 1")
        each = (*runs, candidates)
        return Standing(
            np.zeros(runs, np.int64),
            np.zeros(runs, np.int64),
            np.zeros(each, np.int64),
            np.zeros(each),
            np.zeros(runs, np.bool_),
            np.full((*runs, candidates + 1, len(_STAKES)), -math.log(len(_STAKES))),
            np.zeros(each),
            np.zeros(each),
            np.full((*runs, candidates + 1), _UNKNOWN),
            np.full(each, 0.5 * _UNKNOWN),
        )

    def add(self, standing: Standing, scores: Floats) -> Standing:
        """The standing after one more block of all in the race, shape (..., N); with a verdict it stays.

        What stands for the others is ignored. ResultError for a score outside 0 to 1.
        """
        playing = standing.state == _PLAYING
        x = np.where(playing, scores, 0.5)
        if not ((x >= 0.0) & (x <= 1.0)).all():
            raise ResultError(f"block scores {scores!r}: give means from 0 to 1")
        (s0, s1), stake = self.scores, self._stakes(standing.blocks[..., None], standing.spread)
        zone = s1 - s0
        first, others = _rivals(standing.total, playing)
        ahead = np.where(playing & (playing.sum(axis=-1, keepdims=True) > 1), _at(x, others) - x, 0.0)
        d = np.concatenate([_at(x, first) - s0, ahead], axis=-1)
        seen = (standing.blocks[..., None] + _PRIOR) / standing.spread_of_base
        gain_stake = np.minimum(_MOST / (1.0 - s1), zone * seen)
        after = standing._replace(
            blocks=standing.blocks + 1,
            total=standing.total + np.where(playing, x, 0.0),
            not_best=standing.not_best + np.log1p(stake * d[..., None]),
            no_gain=standing.no_gain + np.log1p(gain_stake * (s1 - x)),
            no_lead=standing.no_lead + np.log1p(stake[..., 1:, 0] * (ahead + zone)),
            spread=standing.spread + d**2,
            spread_of_base=standing.spread_of_base + (x - s0) ** 2,
        )
        return _where(standing.verdict == 0, self._judged(after), standing)

    def evidence(self, standing: Standing) -> float:
        """The e-value against nobody being more than elo0 above the base, of a single run."""
        return e_value(float(_mean_capital(standing.not_best[0])))

    def strength(self, scores: Floats) -> tuple[float, float, float]:
        """Low end, middle and high end of a candidate's Elo above the base, from the scores of its blocks, at
        least one; the interval holds at all times at once with 95 %.
        """
        low, high = sequence(scores)
        low, middle, high = (
            min(max(0.5 + (score - 0.5) / self.share, 1e-3), 1.0 - 1e-3)
            for score in (low, float(scores.mean()), high)
        )
        return _elo(low), _elo(middle), _elo(high)

    def _stakes(self, blocks: Floats | Ints, spread: Floats) -> Floats:
        """What is bet on the base's rival and on those of the candidates, shape (..., N + 1, stakes)."""
        s0, s1 = self.scores
        most = np.full(spread.shape[-1], _MOST)
        most[0] /= s0
        each = (s1 - s0) * (blocks + _PRIOR) / spread
        stakes: Floats = np.minimum(most[:, None], _STAKES * each[..., None])
        return stakes

    def _judged(self, standing: Standing) -> Standing:
        """Who leaves after the block that was counted last, and the verdict."""
        (s0, s1), at_once = self.scores, standing.state == _PLAYING
        first, _ = _rivals(standing.total, at_once)
        lost = (_at(standing.total, first) - standing.total) / standing.blocks[..., None]
        given_up = _mean_capital(standing.not_best) >= -math.log(self.alpha)
        base_beaten = np.asarray(standing.base_beaten | given_up[..., 0], np.bool_)
        doubted = ~base_beaten[..., None] & (standing.no_gain >= -math.log(_OF_BASE * self.beta))
        # The leader has lost nothing, and neither has a program that plays as it does.
        close = (np.arange(lost.shape[-1]) != first) & (lost < s1 - s0)
        level = close & (standing.no_lead >= -math.log((1.0 - _OF_BASE) * self.beta))
        found = np.select([given_up[..., 1:], doubted, level], [_BEHIND, _NO_BETTER, _LEVEL], _PLAYING)
        state = np.where(at_once, found, standing.state)
        left = (state == _PLAYING).sum(axis=-1)
        spent = self.most_blocks is not None and standing.blocks >= self.most_blocks
        verdict = np.select(
            [base_beaten & (left == 1), ~base_beaten & (left == 0), np.asarray(spent)],
            [_BEST, _NONE, _OUT_OF_BUDGET],
            0,
        )
        return standing._replace(state=state, base_beaten=base_beaten, verdict=verdict)

    def groups(self, scores: Floats, standing: Standing) -> list[list[int]]:
        """The candidates of one choice in groups that are not told apart, best first, each by its mean score.

        `scores` are those of its counted blocks, shape (blocks, N), NaN where one was out of the race. The
        first group are those not shown worse than another; the next ones are found in the same way among
        those that are left, so of these, too, the best one stands too low with a chance of at most alpha.
        """
        rest = np.flatnonzero(standing.state == _BEHIND)
        found = [_by_mean(scores, np.flatnonzero(standing.state != _BEHIND))]
        while rest.size:
            lower = self._behind(scores[:, rest])
            # Luck may turn, and each be given up once.
            lower[np.flatnonzero(rest == _by_mean(scores, rest)[0])] = False
            found.append(_by_mean(scores, rest[~lower]))
            rest = rest[lower]
        return [group for group in found if group]

    def _behind(self, scores: Floats) -> Bools:
        """Which of candidates were at some time given up as the best of these, shape (N,)."""
        there = ~np.isnan(scores)
        x = np.where(there, scores, 0.5)
        before = np.where(there, x, 0.0).cumsum(axis=0) - np.where(there, x, 0.0)
        _, others = _rivals(before, there)
        d = np.where(there & (there.sum(axis=1, keepdims=True) > 1), _at(x, others) - x, 0.0)
        spread = _UNKNOWN + (d**2).cumsum(axis=0) - d**2
        # The base's place stays empty.
        stakes = self._stakes(np.arange(len(d))[:, None], np.insert(spread, 0, _UNKNOWN, axis=1))[:, 1:]
        capital = np.log1p(stakes * d[..., None]).cumsum(axis=0) - math.log(len(_STAKES))
        return np.asarray((_mean_capital(capital) >= -math.log(self.alpha)).any(axis=0))


def _elo(score: float) -> float:
    return 400.0 * math.log10(score / (1.0 - score))


def _rivals(total: Floats, playing: Bools) -> tuple[Ints, Ints]:
    """The number of the one that leads, shape (..., 1), and of each one's rival, shape (..., N): the leader,
    of the leader the second.
    """
    ranked = np.where(playing, total, -np.inf)
    first = ranked.argmax(axis=-1)[..., None]
    alone = np.arange(total.shape[-1]) == first
    second = np.where(alone, -np.inf, ranked).argmax(axis=-1)[..., None]
    return first, np.where(alone, second, first)


def _at(values: Floats, numbers: Ints) -> Floats:
    found: Floats = np.take_along_axis(values, numbers, -1)
    return found


def _mean_capital(logarithms: Floats) -> Floats:
    """The logarithm of the capital over all stakes, the last axis."""
    total: Floats = np.logaddexp.reduce(logarithms, axis=-1)
    return total


def _by_mean(scores: Floats, numbers: Ints) -> list[int]:
    """These candidates, the highest mean score first."""
    seen = np.maximum((~np.isnan(scores)).sum(axis=0), 1)
    mean = np.nansum(scores, axis=0) / seen
    return sorted(map(int, numbers), key=lambda number: -float(mean[number]))


def _where(going: Bools, new: Standing, old: Standing) -> Standing:
    """The new standing of those runs that go on, the old one of the others."""

    def chosen(now: Any, then: Any) -> Any:
        return np.where(going.reshape(going.shape + (1,) * (now.ndim - going.ndim)), now, then)

    return Standing(*map(chosen, new, old))
