"""Rate one player against opponents with known ratings, such as those of a season.

The likelihood is BayesElo's (`rating.fit.likelihood`) in one rating, with opponents' ratings and drawelo
taken as exact: it is concave, so Newton's method finds the maximum. The prior is `PRIOR` virtual draws,
shared among the opponents by how often they were met. The interval is the sandwich of one rating, over rounds
or, with fewer than 10, over matches. As in `rating.fit.intervals`, with fewer than 10 matches it is sqrt(5/3)
times the model's, and at least that for a player without a win or without a loss.

`scaled` puts ratings on the scale of anchors: players whose Elo is known from elsewhere. Results determine
only differences of ratings, and by default the mean is 0. On the scale of anchors their mean is that of their
known Elo, and an interval is that of a rating's distance to them: with one anchor, the anchor's has no width.
Differences and superiorities do not change. Groups that never met have separate anchors; a group without any
keeps the mean 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rating.errors import OptionError
from rating.fit.intervals import SHARED_SCORE
from rating.fit.kinds import FEWEST_CLUSTERS, upper_quantile
from rating.fit.likelihood import ELO
from rating.notices import Notice, name_some

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rating.arrays import Floats, Ints
    from rating.crosstable import PairTable
    from rating.fit.intervals import Intervals
    from rating.fit.sandwich import Spread

PRIOR = 2.0
# The maximum step in nats, and the step at which the search ends.
_FARTHEST, _ENOUGH = 3.0, 1e-12
_STEPS = 200
# The upper quantile of a 95 % interval.
_UPPER = 0.975


@dataclass(frozen=True, slots=True)
class Anchored:
    """A rating in Elo on its opponents' scale, and the ends of its 95 % interval."""

    elo: float
    low: float
    high: float


def rate_one(table: PairTable, player: str, elo: Floats, drawelo: float) -> Anchored | None:
    """Return the rating of `player` from its results in `table` against opponents rated `elo`, shape (n,).

    The player's entry in `elo` is ignored. None without results. OptionError for a player that is not in the
    table.
    """
    if player not in table.players:
        raise OptionError(f"no player {player!r} in the results: give one of {name_some(table.players)}")
    me = table.players.index(player)
    mine = (table.first == me) | (table.second == me)
    if not mine.any():
        return None
    as_first = table.first[mine] == me
    them = np.where(as_first, table.second[mine], table.first[mine])
    outcome = np.where(as_first, table.outcome[mine], -table.outcome[mine])
    theirs, d = np.asarray(elo, np.float64)[them] * ELO, drawelo * ELO
    # The weights of a result's two logistic terms: a win counts in the first, a draw in both.
    up, down = (outcome >= 0).astype(np.float64), (outcome <= 0).astype(np.float64)
    virtual = PRIOR / outcome.size

    def slopes(at: float) -> tuple[Floats, float]:
        """Return each result's derivative of the log-likelihood at a rating, and the total information.

        Natural units; the virtual draws are included.
        """
        won, lost = _logistic(at - theirs - d), _logistic(theirs - at - d)
        information = (up + virtual) * won * (1.0 - won) + (down + virtual) * lost * (1.0 - lost)
        return up * (1.0 - won) - down * (1.0 - lost) + virtual * (lost - won), float(information.sum())

    here = float(theirs.mean())
    for _ in range(_STEPS):
        slope, information = slopes(here)
        step = float(slope.sum()) / max(information, 1e-12)
        here += min(max(step, -_FARTHEST), _FARTHEST)
        if abs(step) < _ENOUGH:
            break
    slope, information = slopes(here)
    decided = bool((outcome > 0).any() and (outcome < 0).any())
    half = _half_width(slope, information, _clusters(table, mine), decided)
    return Anchored(here / ELO, (here - half) / ELO, (here + half) / ELO)


def _half_width(slope: Floats, information: float, cluster: Ints, decided: bool) -> float:
    """Return half the width: the model's below 10 clusters, else the sandwich's; undecided, the larger."""
    number = int(cluster.max()) + 1
    model = upper_quantile(_UPPER, None) * math.sqrt(SHARED_SCORE / information)
    if number < FEWEST_CLUSTERS:
        return model
    sums = np.bincount(cluster, slope)
    sandwich = math.sqrt(number / (number - 1) * float((sums**2).sum())) / information
    half = upper_quantile(_UPPER, number - 1) * sandwich
    return half if decided else max(half, model)


def _clusters(table: PairTable, mine: Ints) -> Ints:
    """Return the round of each result as a number from 0, or with few rounds its match."""
    rounds, of = np.unique(table.round[mine], return_inverse=True)
    if rounds.size < FEWEST_CLUSTERS or rounds[0] < 0:
        of = np.unique(table.match[mine], return_inverse=True)[1]
    found: Ints = of.astype(np.int64)
    return found


def _logistic(x: Floats) -> Floats:
    found: Floats = 0.5 + 0.5 * np.tanh(0.5 * x)
    return found


def scaled(of: Intervals, anchors: Mapping[str, float]) -> Intervals:
    """Return the intervals on the scale of `anchors`, Elo by player; unchanged if no anchor has results.

    `sd` stays that of a rating around the mean of all.
    """
    fit = of.fit
    where = {name: k for k, name in enumerate(fit.table.players)}
    known = [name for name in anchors if name in where and fit.rated[where[name]]]
    if not known:
        return of
    group = fit.component if fit.ridge is None else np.where(fit.rated, 0, -1)
    elo, low, high = fit.elo.copy(), of.low.copy(), of.high.copy()
    for number in sorted({int(group[where[name]]) for name in known}):
        names = [name for name in known if group[where[name]] == number]
        places, there = np.array([where[name] for name in names]), group == number
        gap = float(np.mean([anchors[name] for name in names]) - fit.elo[places].mean())
        half = _half_widths(of, places)[there]
        elo[there] += gap
        low[there], high[there] = elo[there] - half, elo[there] + half
    notices = tuple(
        Notice(one.name, one.text.replace("each group has", "a group without anchors has"))
        for one in fit.notices
    )
    return replace(of, fit=replace(fit, elo=elo, notices=notices), low=low, high=high)


def _half_widths(of: Intervals, places: Ints) -> Floats:
    """Return half widths of the intervals of distances to the mean of some players, shape (n,)."""
    own = of.spread.variance() if of.floor is not None else of.sd**2 / of.factor
    half: Floats = of.quantile * np.sqrt(of.factor * _from_mean(of.spread, own, places))
    if of.floor is not None:
        least = _from_mean(of.floor.spread, of.floor.variance, places)
        wide = upper_quantile(0.5 + of.level / 2.0, None) * np.sqrt(of.factor * SHARED_SCORE * least)
        few = of.floor.who | bool(of.floor.who[places].any())
        half = np.where(few, np.maximum(half, wide), half)
    return half


def _from_mean(spread: Spread, own: Floats, places: Ints) -> Floats:
    """Return variances of the distances to the mean of some players, shape (n,); `own` is the diagonal."""
    cross = spread.rows(places)
    mean = cross.mean(axis=0)
    found: Floats = np.maximum(own + mean[places].mean() - 2.0 * mean, 0.0)
    return found
