"""Ratings on the scale of anchors: players whose Elo is known from elsewhere.

Results fix the differences of ratings alone, and by default their mean is 0. On the scale of anchors the mean
of these is that of their known Elo, and an interval is that of a rating's distance to them: of one anchor
alone it has no width. Differences and superiorities stay as they are. Of groups that never met each has its
own anchors; one without any keeps the mean 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rating.fit.intervals import SHARED_SCORE
from rating.fit.kinds import upper
from rating.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rating.arrays import Floats, Ints
    from rating.fit.intervals import Intervals
    from rating.fit.sandwich import Spread


def scaled(of: Intervals, anchors: Mapping[str, float]) -> Intervals:
    """Intervals on the scale of `anchors`, Elo by player; as they were where none of these has results.

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
        half = _half(of, places)[there]
        elo[there] += gap
        low[there], high[there] = elo[there] - half, elo[there] + half
    notices = tuple(
        Notice(one.name, one.text.replace("each group has", "a group without anchors has"))
        for one in fit.notices
    )
    return replace(of, fit=replace(fit, elo=elo, notices=notices), low=low, high=high)


def _half(of: Intervals, places: Ints) -> Floats:
    """Half widths of the intervals of distances to the mean of some players, shape (n,)."""
    own = of.spread.variance() if of.floor is not None else of.sd**2 / of.factor
    half: Floats = of.quantile * np.sqrt(of.factor * _from_mean(of.spread, own, places))
    if of.floor is not None:
        least = _from_mean(of.floor.spread, of.floor.variance, places)
        wide = upper(0.5 + of.level / 2.0, None) * np.sqrt(of.factor * SHARED_SCORE * least)
        few = of.floor.who | bool(of.floor.who[places].any())
        half = np.where(few, np.maximum(half, wide), half)
    return half


def _from_mean(spread: Spread, own: Floats, places: Ints) -> Floats:
    """Variances of the distances to the mean of some players, shape (n,), `own` being the diagonal."""
    cross = spread.rows(places)
    mean = cross.mean(axis=0)
    found: Floats = np.maximum(own + mean[places].mean() - 2.0 * mean, 0.0)
    return found
