"""Groups linked by results, and parameters for which the likelihood has no maximum.

The log-likelihood is concave, so it has no maximum exactly if there is a direction (v, alpha, delta) for
ratings, advantage and d along which it never falls. Along a ray ln P(win) falls unless v_i - v_j + alpha
>= delta, and ln P(draw) falls unless |v_i - v_j + alpha| <= delta. This is a linear programme, solved only if
quick answers fail: a pair in which i, named first, both won and lost forces delta = 0, and with virtual
draws on every pair that met everything.

With delta = 0 and alpha = 0 this is the classical condition for finite Bradley-Terry ratings: within a group
every player must be reachable from every other over "did not lose to".
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from rating.arrays import Floats, Ints
from rating.crosstable import Pairs
from rating.fit.likelihood import Likelihood


def components(pairs: Pairs, n: int) -> Ints:
    """Return each player's group, shape (n,): players linked by results share a number; -1 without results.

    Groups are numbered from 0 in the order of their first player.
    """
    # With many opponents per player, a part of the pairs usually links all of them.
    step = max(1, pairs.i.size // (20 * n)) if n else 1
    label = _label_groups(pairs.i[::step], pairs.j[::step], n, "weak")
    if step > 1 and label.any():
        label = _label_groups(pairs.i, pairs.j, n, "weak")
    met = np.zeros(n, np.bool_)
    met[pairs.i] = met[pairs.j] = True
    number = np.full(n, -1, np.int64)
    _, first, inverse = np.unique(label[met], return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    number[met] = rank[inverse]
    return number


def is_strongly_linked(likelihood: Likelihood) -> bool:
    """True if the likelihood has a maximum at finite ratings, for given drawelo and advantage."""
    i, j, n = likelihood.i, likelihood.j, likelihood.n
    up = np.zeros(i.size, np.bool_)
    down = np.zeros(i.size, np.bool_)
    for block in likelihood.blocks:
        up |= (block.wins > 0) | (block.draws > 0)
        down |= (block.losses > 0) | (block.draws > 0)
    if bool(np.all(up & down)):
        return True
    weak = _label_groups(i, j, n, "weak")
    strong = _label_groups(np.concatenate([i[up], j[down]]), np.concatenate([j[up], i[down]]), n, "strong")
    return bool(weak.max(initial=0) == strong.max(initial=0))


def has_maximum(
    likelihood: Likelihood,
    parameter: Literal["d", "advantage"],
    *,
    with_advantage: bool,
    bounded: bool,
    prior: float,
) -> bool:
    """True if the likelihood has a maximum in d (with the advantage, if that is fitted too) or in the
    advantage (at given d); `bounded` if a ridge keeps the ratings finite.
    """
    if any(bool(np.any((block.wins > 0) & (block.losses > 0))) for block in likelihood.blocks) and (
        parameter == "d" or prior > 0
    ):
        return True
    if parameter == "advantage" and prior > 0:
        return True  # virtual draws with both colours allow only alpha = 0
    if parameter == "d":
        return _reach(likelihood, 1, free_d=True, with_advantage=with_advantage, bounded=bounded) < 1e-6
    return all(
        _reach(likelihood, sign, free_d=False, with_advantage=True, bounded=bounded) < 1e-6
        for sign in (1, -1)
    )


def _reach(likelihood: Likelihood, sign: int, *, free_d: bool, with_advantage: bool, bounded: bool) -> float:
    """Return the largest delta (free_d) or sign alpha, within +-1, of a direction in which nothing falls."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    n = likelihood.n
    rows: list[tuple[npt.NDArray[np.bool_], int, int, int]] = []
    for block in likelihood.blocks:
        # (pairs concerned, factor of v_i - v_j, factor of alpha, factor of delta), each row <= 0
        rows.append((block.wins > 0, -1, -block.sign, 1))
        rows.append((block.losses > 0, 1, block.sign, 1))
        rows.append((block.draws > 0, 1, block.sign, -1))
        rows.append((block.draws > 0, -1, -block.sign, -1))
    line, column, factor = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    total = 0
    for concerned, of_v, of_alpha, of_delta in rows:
        i, j = likelihood.i[concerned], likelihood.j[concerned]
        number = np.arange(total, total + i.size)
        total += i.size
        for where, value in ((i, of_v), (j, -of_v), (n, of_alpha), (n + 1, of_delta)):
            line.append(number)
            column.append(np.broadcast_to(where, number.shape))
            factor.append(np.full(number.shape, float(value)))
    matrix = coo_array(
        (np.concatenate(factor), (np.concatenate(line), np.concatenate(column))), shape=(total, n + 2)
    )
    box = 0.0 if bounded else 1.0
    bounds = [(-box, box)] * n
    bounds += [(-1.0, 1.0) if with_advantage else (0.0, 0.0), (0.0, 1.0) if free_d else (0.0, 0.0)]
    aim: Floats = np.zeros(n + 2)
    aim[n + 1 if free_d else n] = -sign
    found = linprog(aim, A_ub=matrix.tocsr(), b_ub=np.zeros(total), bounds=bounds, method="highs")
    return float(-found.fun) if found.status == 0 else 0.0


def _label_groups(
    i: npt.NDArray[np.intp], j: npt.NDArray[np.intp], n: int, connection: Literal["weak", "strong"]
) -> npt.NDArray[np.int32]:
    """Return each player's connected component, shape (n,), in the graph of edges from i to j."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if n == 0:
        return np.zeros(0, np.int32)
    graph = coo_array((np.ones(i.size, np.int8), (i, j)), shape=(n, n)).tocsr()
    label: npt.NDArray[np.int32] = connected_components(graph, directed=True, connection=connection)[1]
    return label
