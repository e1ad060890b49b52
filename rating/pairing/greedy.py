"""Rules that fill one table after the other, beginning with the best player who has no table yet.

- `by_variance`: the mission's rule. All others without a table are ranked once, by how much the variance of
  that player's rating is expected to fall by meeting them; the best m - 1 sit down with him.
- `by_variance_in_turn`: after each choice the covariance is updated as if its results were in, and the rest
  are ranked anew: three opponents of whom each would do alone may be redundant together, and what this table
  will tell is known when the next one is filled.
- `by_swiss`: those whom the players at the table have met least, the nearest in rating among them; a copy of
  somebody at the table comes last, as the two have no result.

Players are numbered by rank, so the lowest number of several equally good is the best and, of equal rating,
the first by name.
"""

from __future__ import annotations

import numpy as np

from rating.arrays import Floats, Ints
from rating.pairing.field import Field

# Updates of the covariance that are applied together: one product of matrices is several times faster than
# as many updates of rank one.
_COLUMNS = 64


def by_variance(field: Field, size: int, results: int) -> list[list[int]]:
    """Tables of ranks by the mission's rule; `results` a pairing are simulated."""
    free = np.arange(len(field.names))
    tables = []
    while free.size:
        leader, others = int(free[0]), free[1:]
        chosen = _best(field.drops(leader, others, results), size - 1)
        tables.append([leader, *others[chosen].tolist()])
        free = np.delete(others, chosen)
    return tables


def by_variance_in_turn(field: Field, size: int, results: int) -> list[list[int]]:
    """Tables of ranks by the rule that ranks anew after each choice.

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
            if free.size:  # nobody profits from what the last table tells
                for seated in table:
                    belief.learn(seated, chosen, float(weight[seated, chosen]))
            table.append(chosen)
        tables.append(table)
        belief.forget_all_but(free)
    return tables


def by_swiss(field: Field, size: int) -> list[list[int]]:
    """Tables of ranks: fewest earlier results with those at the table, then nearest to its best player."""
    free = np.arange(len(field.names))
    tables = []
    while free.size:
        leader, free = int(free[0]), free[1:]
        table, met = [leader], field.met[leader].copy()
        while len(table) < size:
            met[field.player == field.player[table[-1]]] = np.inf
            counts = met[free]
            fewest = np.flatnonzero(counts == counts.min())
            # By rank the nearest of those below the leader comes first.
            chosen = int(free[fewest[0]])
            table.append(chosen)
            met += field.met[chosen]
            free = np.delete(free, fewest[0])
        tables.append(table)
    return tables


class _Belief:
    """The covariance as the results expected so far leave it, by rank.

    It is a matrix over `_players` (those who were free when it was last written out) less U U^T, U holding a
    column for each update since. `own`, shape (n,), is the diagonal.
    """

    def __init__(self, covariance: Floats) -> None:
        n = len(covariance)
        self.own = covariance.diagonal().copy()
        self._matrix, self._players, self._place = covariance, np.arange(n), np.arange(n)
        self._columns, self._used = np.empty((n, _COLUMNS)), 0

    def row(self, player: int) -> Floats:
        """The player's covariances, shape (n,); zero for those forgotten."""
        place, columns = self._place[player], self._columns[:, : self._used]
        row = np.zeros(self.own.size)
        row[self._players] = self._matrix[place] - columns @ columns[place]
        return row

    def learn(self, a: int, b: int, h: float) -> None:
        """Add information h (e_a - e_b)(e_a - e_b)^T: with x = C (e_a - e_b) the covariance loses
        x x^T h / (1 + h (x_a - x_b)).
        """
        x = self.row(a) - self.row(b)
        x *= np.sqrt(h / (1.0 + h * (x[a] - x[b])))
        self.own -= x**2
        if self._used == _COLUMNS:
            self._write_out()
        self._columns[:, self._used] = x[self._players]
        self._used += 1

    def forget_all_but(self, free: Ints) -> None:
        """Only `free` players matter from now on."""
        if self._used > _COLUMNS // 2:
            self._write_out()
        if self._used == 0:
            places = self._place[free]
            self._matrix = self._matrix.take(places, 0).take(places, 1)
            self._players, self._columns = free, np.empty((free.size, _COLUMNS))
            self._place[free] = np.arange(free.size)

    def _write_out(self) -> None:
        columns = self._columns[:, : self._used]
        self._matrix = self._matrix - columns @ columns.T
        self._used = 0


def _best(drops: Floats, number: int) -> Ints:
    """Positions of the `number` largest, in order; those equal but for rounding in the order of ranks."""
    scale = float(drops.max(initial=0.0)) or 1.0
    order: Ints = np.argsort(-np.round(drops / scale, 9), kind="stable")
    return order[:number]
