"""All tables at once: the division of all players into tables that gives most information on the ratings.

A table of m players adds its pairings' information M, a Laplacian with weight w = eff k hbar on each pair (k
results, of expected information hbar each; see `rating.pairing.field`). The results of a match share scores,
which reduces their information to the share eff = 3 / (m + 1) (3/5 at a table of four). With C the covariance
of the table's players, shape (m, m), its gain is

    A-optimal:  tr[ M (I + C M)^-1 (C W C) ],  the fall of the weighted sum of all ratings' variances,
    D-optimal:  ln det(I + C M),               the fall of the log volume of their joint uncertainty.

W holds the players' weights; C W C is taken over all players and computed once a round.

The best division is an m-dimensional matching, which is NP-hard. Local search is good enough: from sorted
blocks (the best m, the next m, ..), swap two players of different tables, at most `window` ranks apart, while
this increases the gain. Swaps of a step are chosen by gain, at most one per table, so a step is a few numpy
expressions. There are two phases:

1. rough: the gain of a table is the sum of its pairs' gains, so the gain of a swap is a sum of a few matrix
   entries;
2. exact: the swaps with the best rough gain are evaluated by the formulas above.

With few players one start can end 3 % below the best division, so there are more: sorted blocks in which
neighbouring ranks were shuffled. With many, differences average out and one start is within 0.5 %.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rating.arrays import Floats, Ints
from rating.pairing.field import Field
from rating.seeded_shuffle import shuffle

WINDOW = 40
"""Maximum difference in rank of swapped players; beyond, hardly any swap gains."""

# A gain below this share of the total is rounding.
_TOLERANCE, _DIGITS = 1e-9, 11
# Further starts for n players: _STARTS / n, at most _MOST_STARTS.
_STARTS, _MOST_STARTS = 160, 6
# Partners with the best rough gain that the exact phase tries for each player.
_SHORTLIST = 6


class Gain:
    """The gain of tables: `rule` is "a-optimal" or "d-optimal"; `size` players, `results` per pairing."""

    def __init__(
        self, field: Field, rule: str, size: int, results: int, weights: Floats | None = None
    ) -> None:
        c = field.covariance
        self.covariance = c
        self.weight = field.information() * (results * 3.0 / (size + 1.0))
        self.spread: Floats | None = None
        if rule == "a-optimal":
            scaled = c if weights is None else c * np.sqrt(weights)
            # A matrix times its transpose costs half.
            self.spread = scaled @ scaled.T
        self.rough = self._pairs()

    def _pairs(self) -> Floats:
        """Return the gain of each pair alone, shape (n, n); zero on the diagonal."""
        own = self.covariance.diagonal()
        information = self.weight * (own[:, None] + own[None, :] - 2.0 * self.covariance)
        if self.spread is None:
            return np.log1p(information)
        fall = self.spread.diagonal()
        return self.weight * (fall[:, None] + fall[None, :] - 2.0 * self.spread) / (1.0 + information)

    def of_tables(self, tables: Ints) -> Floats:
        """Return the gain of each table, shape (T,), for ranks of shape (T, m)."""
        rows, columns = tables[:, :, None], tables[:, None, :]
        laplacian = -self.weight[rows, columns]
        m = tables.shape[1]
        laplacian[:, range(m), range(m)] = -laplacian.sum(axis=2)
        mixed = self.covariance[rows, columns] @ laplacian
        mixed[:, range(m), range(m)] += 1.0
        gains: Floats
        if self.spread is None:
            gains = np.linalg.slogdet(mixed).logabsdet
        else:
            # tr[M B^-1 Q] = tr[B^-1 Q M]
            solved = np.linalg.solve(mixed, self.spread[rows, columns] @ laplacian)
            gains = np.trace(solved, axis1=1, axis2=2)
        return gains

    def of_swaps_roughly(self, tables: Ints, where: Ints, i: Ints, j: Ints) -> Floats:
        """Return the approximate gain of swapping i and j of different tables `where`: shape (S,)."""
        at_i, at_j, q = tables[where[i]].T, tables[where[j]].T, self.rough
        gained = -2.0 * q[i, j]
        for a, b in zip(at_i, at_j, strict=True):
            gained += q[i, b] - q[i, a] + q[j, a] - q[j, b]
        return gained

    def of_swaps(self, tables: Ints, where: Ints, i: Ints, j: Ints) -> Floats:
        """Return the gain of swapping i and j of different tables `where`: shape (S,)."""
        before = self.of_tables(tables)
        at_i, at_j = tables[where[i]], tables[where[j]]
        after_i = np.where(at_i == i[:, None], j[:, None], at_i)
        after_j = np.where(at_j == j[:, None], i[:, None], at_j)
        after = self.of_tables(np.concatenate([after_i, after_j]))
        return after[: i.size] + after[i.size :] - before[where[i]] - before[where[j]]


def divide(gain: Gain, size: int) -> Ints:
    """Return tables of ranks, shape (T, size): the best that both phases find from one or more starts."""
    n = len(gain.covariance)
    starts = [_shuffled_blocks(n, size, number) for number in range(min(_MOST_STARTS, _STARTS // n))]
    found = [improve(gain, start) for start in [sorted_blocks(n, size), *starts]]
    totals = [gain.of_tables(tables).sum() for tables in found]
    # The first of those equal up to rounding.
    best = next(k for k, total in enumerate(totals) if total >= max(totals) * (1.0 - _TOLERANCE))
    return found[best]


def sorted_blocks(n: int, size: int) -> Ints:
    """Return the best `size`, the next `size`, ..: shape (T, size)."""
    return np.arange(n).reshape(-1, size)


def _shuffled_blocks(n: int, size: int, number: int) -> Ints:
    """Return sorted blocks after a shuffle of neighbouring ranks."""
    length = max(4 * size, 16)
    stretches = [range(start, min(start + length, n)) for start in range(0, n, length)]
    order = [rank for ranks in stretches for rank in shuffle(ranks, f"{number}|{ranks.start}")]
    return np.array(order, np.int64).reshape(-1, size)


def improve(gain: Gain, tables: Ints, window: int = WINDOW) -> Ints:
    """Return `tables`, shape (T, m), after both phases; ranks ascend in tables, and tables by first rank."""
    tables = np.array(tables)
    n = tables.size
    first, apart = np.divmod(np.arange(n * min(window, n)), min(window, n))
    second = first + apart + 1
    inside = second < n
    first, second = first[inside], second[inside]
    whole = float(gain.of_tables(tables).sum()) or 1.0
    _climb(tables, first, second, gain.of_swaps_roughly, None, whole)
    _climb(tables, first, second, gain.of_swaps, gain.of_swaps_roughly, whole)
    tables.sort(axis=1)
    return tables[np.argsort(tables[:, 0])]


Judge = Callable[[Ints, Ints, Ints, Ints], Floats]


def _climb(tables: Ints, first: Ints, second: Ints, judge: Judge, screen: Judge | None, whole: float) -> None:
    """Swap `first` with `second` (candidates, shape (S,)) in `tables` while the judge finds a gain.

    After a step only candidates at changed tables are judged again: the others gain nothing, or lost to a
    swap that changed one of their tables.
    """
    where = np.empty(tables.size, np.int64)
    where[tables] = np.arange(len(tables))[:, None]
    changed = np.ones(len(tables), np.bool_)
    while changed.any():
        at_i, at_j = where[first], where[second]
        live = np.flatnonzero((at_i != at_j) & (changed[at_i] | changed[at_j]))
        i, j = first[live], second[live]
        # Rounded shares of the total, so that ranks decide between gains equal up to rounding.
        if screen is not None and i.size:
            promising = _shortlist(i, np.round(screen(tables, where, i, j) / whole, _DIGITS))
            i, j = i[promising], j[promising]
        gained = np.round(judge(tables, where, i, j) / whole, _DIGITS)
        good = np.flatnonzero(gained > _TOLERANCE)
        changed[:] = False
        for k in good[np.argsort(-gained[good], kind="stable")].tolist():
            a, b = int(i[k]), int(j[k])
            if changed[where[a]] or changed[where[b]]:
                continue
            table_a, table_b = tables[where[a]], tables[where[b]]
            table_a[table_a == a], table_b[table_b == b] = b, a
            changed[where[a]] = changed[where[b]] = True
            where[a], where[b] = where[b], where[a]


def _shortlist(i: Ints, gained: Floats) -> Ints:
    """Return the positions of the `_SHORTLIST` best candidates of each i."""
    order = np.lexsort((-gained, i))
    ranked = i[order]
    start = np.flatnonzero(np.diff(ranked, prepend=-1))
    place = np.arange(i.size) - np.repeat(start, np.diff(start, append=i.size))
    return np.sort(order[place < _SHORTLIST])
