"""Rules that fill one table after the other, starting with the best player without a table.

- `by_variance`: all others without a table are ranked once, by the expected fall of the variance of that
  player's rating by meeting them; the best m - 1 join it.
- `by_variance_in_turn`: after each choice the covariance is updated as if its results were known, and the
  rest are ranked again: three opponents that are each good alone may be redundant together, and the next
  table takes this table's information into account.
- `by_swiss`: players with the fewest results with those at the table, among them the nearest in rating; a
  copy of a player at the table comes last, as the two have no result.

Players are numbered by rank, so the lowest of several equally good numbers is the best and, of equal rating,
the first by name.
"""

from __future__ import annotations

import numpy as np

from rating.arrays import Floats, Ints
from rating.pairing.field import Field

# Updates of the covariance applied together: one matrix product is several times faster than as many rank-one
# updates.
_COLUMNS = 64


def by_variance(field: Field, size: int, results: int) -> list[list[int]]:
    """Return tables of ranks, from 0, by the expected fall of variance; each pairing gives `results`."""
    free = np.arange(len(field.names))
    tables = []
    while free.size:
        leader, others = int(free[0]), free[1:]
        chosen = _best(field.drops(leader, others, results), size - 1)
        tables.append([leader, *others[chosen].tolist()])
        free = np.delete(others, chosen)
    return tables


def by_variance_in_turn(field: Field, size: int, results: int) -> list[list[int]]:
    """Return tables of ranks by the rule that ranks again after each choice.

    Results of a match share scores, so a pairing's `results` count for 3 / (size + 1) of their information
    (see `rating.pairing.partition`).
    """
    weight = field.information() * (results * 3.0 / (size + 1.0))
    belief = _Belief(field.covariance)
    free = np.arange(len(field.names))
    tables = []
    while free.size:
        table, free = [int(free[0])], free[1:]
        while len(table) < size:
            h, leader = weight[table[0], free], belief.row(table[0])
            c = leader[table[0]] - leader[free]
            spread = c + belief.own[free] - leader[free]
            best = _best(c**2 * h / (1.0 + h * spread), 1)[0]
            chosen, free = int(free[best]), np.delete(free, best)
            if free.size:  # the last table's information is not needed
                for seated in table:
                    belief.learn(seated, chosen, float(weight[seated, chosen]))
            table.append(chosen)
        tables.append(table)
        belief.forget_all_but(free)
    return tables


def by_swiss(field: Field, size: int) -> list[list[int]]:
    """Return tables of ranks: fewest earlier results with the table's players, then nearest to its best."""
    free = np.arange(len(field.names))
    tables = []
    while free.size:
        leader, free = int(free[0]), free[1:]
        table, met = [leader], field.met[leader].copy()
        while len(table) < size:
            met[field.player == field.player[table[-1]]] = np.inf
            counts = met[free]
            fewest = np.flatnonzero(counts == counts.min())
            # By rank, the nearest below the leader comes first.
            chosen = int(free[fewest[0]])
            table.append(chosen)
            met += field.met[chosen]
            free = np.delete(free, fewest[0])
        tables.append(table)
    return tables


class _Belief:
    """The covariance after the results expected so far, by rank.

    It is a matrix over `_players` (those free at the last write-out) less U U^T, where U has a column for
    each update since. `own`, shape (n,), is the diagonal.
    """

    def __init__(self, covariance: Floats) -> None:
        n = len(covariance)
        self.own = covariance.diagonal().copy()
        self._matrix, self._players, self._place = covariance, np.arange(n), np.arange(n)
        self._columns, self._used = np.empty((n, _COLUMNS)), 0

    def row(self, player: int) -> Floats:
        """Return the player's covariances, shape (n,); zero for forgotten players."""
        place, columns = self._place[player], self._columns[:, : self._used]
        row = np.zeros(self.own.size)
        row[self._players] = self._matrix[place] - columns @ columns[place]
        return row

    def learn(self, a: int, b: int, h: float) -> None:
        """Add information h (e_a - e_b)(e_a - e_b)^T: with x = C (e_a - e_b) the covariance decreases by
        x x^T h / (1 + h (x_a - x_b)).
        """
        x = self.row(a) - self.row(b)
        x *= np.sqrt(h / (1.0 + h * (x[a] - x[b])))
        self.own -= x**2
        if self._used == _COLUMNS:
            self._apply_updates()
        self._columns[:, self._used] = x[self._players]
        self._used += 1

    def forget_all_but(self, free: Ints) -> None:
        """Apply the updates if they fill half of the columns; drop all players but `free` if none wait."""
        if self._used > _COLUMNS // 2:
            self._apply_updates()
        if self._used == 0:
            places = self._place[free]
            self._matrix = self._matrix.take(places, 0).take(places, 1)
            self._players, self._columns = free, np.empty((free.size, _COLUMNS))
            self._place[free] = np.arange(free.size)

    def _apply_updates(self) -> None:
        """Subtract the updates from the matrix, and begin with none."""
        columns = self._columns[:, : self._used]
        self._matrix = self._matrix - columns @ columns.T
        self._used = 0


def _best(drops: Floats, number: int) -> Ints:
    """Return the positions of the `number` largest, in order; equal up to rounding, in the order of ranks."""
    scale = float(drops.max(initial=0.0)) or 1.0
    order: Ints = np.argsort(-np.round(drops / scale, 9), kind="stable")
    return order[:number]
