"""BayesElo's `exactdist` intervals: each player's distribution on a grid, with the others moving against it.

Player i is at r_i + x, all others move by -x/(n - 1), so that the mean stays 0. Its results, virtual draws
included, give a likelihood at the middle of each of 1001 cells of [-1500, 1500] Elo; after normalisation half
of 1 - level is cut off at either end. Half of a cell's mass lies below its middle; between middles the
distribution function is linear (trapezoids). Intervals are not symmetrical, and end at the grid's ends.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rating.arrays import Floats
from rating.fit.likelihood import ELO, FAR, Likelihood

CELLS = 1001
"""BayesElo's `resolution`."""
REACH = 1500.0
"""BayesElo's `maxelo`; `minelo` is its negative."""

# Opponents processed together: vectors of 1 MB stay in the cache.
_MOST_ROWS = 128


def grid_intervals(
    likelihood: Likelihood, elo: Floats, advantage: float, drawelo: float, level: float
) -> tuple[Floats, Floats, Floats]:
    """Return lower ends, upper ends and standard deviations in Elo, shape (n,) each, for ratings `elo` (n,).

    `advantage` and `drawelo` are in Elo. A player without results gets the uniform distribution of the grid.
    """
    n = likelihood.n
    width = 2.0 * REACH / CELLS
    middle = np.linspace(-REACH + width / 2.0, REACH - width / 2.0, CELLS, dtype=np.float64)
    low, high, sd = np.empty(n), np.empty(n), np.empty(n)
    order, start = _by_player(likelihood, n)
    for k in range(n):
        mine = order[start[k] : start[k + 1]]
        logs = np.zeros(CELLS)
        # Opponents move the other way, which adds to the distance.
        stand = middle + (middle - elo[k]) / max(n - 1, 1)
        for chunk in range(0, mine.size, _MOST_ROWS):
            some = mine[chunk : chunk + _MOST_ROWS]
            logs += _log_likelihood(likelihood, elo, some, stand, advantage, drawelo)
        mass: Floats = np.exp(logs - logs.max())
        mass /= mass.sum()
        below, tail = np.cumsum(mass) - mass / 2.0, (1.0 - level) / 2.0
        low[k], high[k] = np.interp([tail, 1.0 - tail], below, middle)
        mean = float(mass @ middle)
        sd[k] = np.sqrt(max(float(mass @ (middle - mean) ** 2), 0.0))
    return low, high, sd


def _by_player(likelihood: Likelihood, n: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return pairs by player: those of k are order[start[k] : start[k + 1]], p for k = i, P + p for k = j."""
    own = np.concatenate([likelihood.i, likelihood.j])
    order = np.argsort(own, kind="stable")
    start = np.zeros(n + 1, np.intp)
    np.cumsum(np.bincount(own, minlength=n), out=start[1:])
    return order, start


def _log_likelihood(
    likelihood: Likelihood,
    elo: Floats,
    pairs: npt.NDArray[np.intp],
    stand: Floats,
    advantage: float,
    drawelo: float,
) -> Floats:
    """Return the log-likelihood of some of a player's pairs, shape (CELLS,), without the draws' constants."""
    size = likelihood.i.size
    is_i = pairs < size
    pair = np.where(is_i, pairs, pairs - size)
    sign = np.where(is_i, 1.0, -1.0)[:, None]
    other = np.where(is_i, likelihood.j[pair], likelihood.i[pair])
    x = sign * (stand[None, :] - elo[other][:, None]) * ELO
    total = np.zeros(stand.size)
    tie = np.exp(min(drawelo * ELO, FAR))
    for block in likelihood.blocks:
        odds = np.exp(np.clip(x + block.sign * advantage * ELO, -FAR, FAR))
        total -= (block.losses + block.draws)[pair] @ np.log(1.0 + tie * odds)
        np.divide(tie, odds, out=odds)
        odds += 1.0
        total -= (block.wins + block.draws)[pair] @ np.log(odds, out=odds)
    return total
