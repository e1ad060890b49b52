"""The crosstable: frozen pairwise results in numpy arrays, and their counts by pair.

Two views of the same results:

- result by result (`first`, `second`, `outcome`, and the `match`, `table` and `round` each belongs to), for
  the sandwich intervals, since results of one round are correlated;
- pair by pair (`pairs()`): wins, draws and losses of each pair that met, for the likelihood. Counted once, at
  first use, by one `bincount` (few players) or by sorting packed keys (many).

A table never changes. `append` returns a new one: it copies the arrays once and reads only the new matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rating.arrays import Bools, Floats, Ints
from rating.errors import OptionError, ResultError
from rating.expansion import Results, expand
from rating.matches import FaultRule, Match, rated_parts

Cluster = Literal["round", "table", "match"]

# The arrays of a table: six with one entry per result, three with one entry per player.
_ARRAYS = tuple(field.name for field in fields(Results))
# Below this many bins one bincount over all possible pairs is faster than sorting, at 8 bytes a bin.
_MOST_BINS = 12_000_000
# Results handled together: they stay in the cache.
_PIECE = 32_768


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Counts by unordered pair that met, i < j, seen from i: arrays of shape (P,), ordered by j, then i.

    `counts` has shape (3, P) (wins, draws, losses of i) or, `oriented`, (6, P): the same three with i named
    first, then the same three with j named first.
    """

    i: npt.NDArray[np.intp]
    j: npt.NDArray[np.intp]
    counts: Floats
    oriented: bool

    @property
    def totals(self) -> Floats:
        """Wins, draws and losses of i, named first or second, shape (3, P)."""
        return self.counts[:3] + self.counts[3:] if self.oriented else self.counts

    def between(
        self, some: Sequence[int], others: Sequence[int]
    ) -> dict[tuple[int, int], tuple[int, int, int]]:
        """Return (wins, draws, losses) of each of `some` against each of `others` that it met.

        The keys are (one of `some`, one of `others`), as player indices; pairs that never met have none.
        """
        found: dict[tuple[int, int], tuple[int, int, int]] = {}
        for first, second, cells in ((self.i, self.j, self.totals), (self.j, self.i, self.totals[::-1])):
            chosen = np.flatnonzero(np.isin(first, some) & np.isin(second, others))
            wins, draws, losses = cells[:, chosen].astype(np.int64).tolist()
            pairs = zip(first[chosen].tolist(), second[chosen].tolist(), strict=True)
            found.update(zip(pairs, zip(wins, draws, losses, strict=True), strict=True))
        return found

    def blocks(self, order: Sequence[int], size: int) -> list[list[tuple[int, int, int]]]:
        """Return in row a, column b the (wins, draws, losses) of block a against block b, of players.

        Blocks are `size` players in this `order` of indices, the last one fewer if they do not divide.
        """
        block = np.full(int(max(self.j.max(initial=0), self.i.max(initial=0), max(order, default=0))) + 1, -1)
        block[list(order)] = np.arange(len(order)) // size
        number = -(-len(order) // size)
        one, other = block[self.i], block[self.j]
        inside = (one >= 0) & (other >= 0)
        cells = np.zeros((3, number * number))
        for first, second, counts in ((one, other, self.totals), (other, one, self.totals[::-1])):
            keys = first[inside] * number + second[inside]
            for place in range(3):
                cells[place] += np.bincount(keys, counts[place][inside], number * number)
        whole = cells.astype(np.int64).T.reshape(number, number, 3)
        return [[(wins, draws, losses) for wins, draws, losses in row] for row in whole.tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class PairTable(Results):
    """Results between `players`, in a stable order; players may have no results.

    All arrays are read-only. Build with `from_matches` or `from_results`.
    """

    players: tuple[str, ...]
    fault_rule: FaultRule = "seed"
    _kept: dict[bool, Pairs] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            getattr(self, name).flags.writeable = False

    @classmethod
    def from_matches(
        cls, matches: Iterable[Match], *, players: Iterable[str] = (), faults: FaultRule = "seed"
    ) -> PairTable:
        """Return the table of `matches`. `players` come first, in this order; others follow as they appear.

        `faults`: "seed" (the faulty player loses to each of the others), "separate" (the fault is counted,
        without a result) or "drop" (the match is ignored). Raises OptionError for another rule.
        """
        check_fault_rule(faults)
        names = tuple(dict.fromkeys(players))
        n, no = len(names), np.zeros(0, np.int64)
        none = np.zeros(n, np.int64)
        return cls(no, no, no, no, no, no, none, np.zeros(n), none, names, faults).append(matches)

    @classmethod
    def from_results(
        cls,
        players: Sequence[str],
        first: npt.ArrayLike,
        second: npt.ArrayLike,
        outcome: npt.ArrayLike,
        *,
        round: npt.ArrayLike | None = None,
        table: npt.ArrayLike | None = None,
        match: npt.ArrayLike | None = None,
    ) -> PairTable:
        """Return the table of N results in arrays of shape (N,): player indices and +1, 0 or -1 for first.

        Without `match` each result is a separate match. Raises ResultError for indices or outcomes out of
        range, arrays of other shapes, a player against itself, and two players of one name.
        """
        n, size = len(players), np.size(first)
        if len(set(players)) != n:
            raise ResultError("two players have the same name: give each another name")
        a, b, result = _integers("first", first), _integers("second", second), _integers("outcome", outcome)
        number = _integers("match", np.arange(size) if match is None else match)
        rounds = _integers("round", np.full(size, -1) if round is None else round)
        tables = _integers("table", np.full(size, -1) if table is None else table)
        if any(array.shape != (size,) for array in (a, b, result, number, rounds, tables)):
            raise ResultError("result arrays differ in length: give one entry per result in each")
        if size and (min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= n):
            raise ResultError(f"a result names a player outside 0 to {n - 1}: index into players")
        if np.any(a == b):
            itself = players[int(a[a == b][0])]
            raise ResultError(f"player {itself} has a result against itself: remove it")
        if size and np.abs(result).max() > 1:
            raise ResultError("an outcome is not 1, 0 or -1: give 1 where first won, -1 where second won")
        if match is None:
            played = np.bincount(a, minlength=n) + np.bincount(b, minlength=n)
        else:
            played = distinct_of_players(n, a, b, *_number_densely(number)) if size else np.zeros(n, np.int64)
        none = np.zeros(n, np.int64)
        return cls(a, b, result, number, rounds, tables, played, np.zeros(n), none, tuple(players))

    def append(self, matches: Iterable[Match]) -> PairTable:
        """Return a table with `matches` added under the same fault rule; new players come last."""
        listed = rated_parts(matches)
        names = tuple(dict.fromkeys([*self.players, *(name for match in listed for name in match.players)]))
        new = expand(listed, {name: number for number, name in enumerate(names)}, self.fault_rule)
        grown = len(names) - len(self.players)
        offset = int(self.match.max()) + 1 if self.match.size else 0
        added: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(new, name)]) for name in _ARRAYS[:6]
        }
        added["match"][self.match.size :] += offset
        for name in _ARRAYS[6:]:
            added[name] = np.pad(getattr(self, name), (0, grown)) + getattr(new, name)
        return replace(self, players=names, **added, _kept={})

    def names(self, chosen: Bools) -> tuple[str, ...]:
        """Return the players selected by a mask of shape (n,)."""
        return tuple(self.players[k] for k in np.flatnonzero(chosen))

    @property
    def one_sided(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The players with only wins, and the players with only losses; at least one result each."""
        wins, draws, losses = self.results
        played, drew = wins + draws + losses > 0, draws > 0
        return self.names(played & ~drew & (losses == 0)), self.names(played & ~drew & (wins == 0))

    @property
    def results(self) -> Ints:
        """Wins, draws and losses of each player, shape (3, n)."""
        pairs, n = self.pairs(), len(self.players)
        wins, draws, losses = pairs.counts
        rows = ((wins, losses), (draws, draws), (losses, wins))
        total = [np.bincount(pairs.i, of_i, n) + np.bincount(pairs.j, of_j, n) for of_i, of_j in rows]
        return np.array(total).astype(np.int64)

    def clusters(self, kind: Cluster) -> tuple[Ints, int] | None:
        """Return each result's cluster, numbered 0 to R - 1, and R; None if a result's cluster is unknown.

        Round and number identify a table, since each round numbers its tables from the start.
        """
        codes = {"round": self.round, "table": self.table, "match": self.match}[kind]
        if not codes.size or codes.min() < 0:
            return None
        if kind == "table":
            codes = (self.round + 1) * (int(codes.max()) + 1) + codes
        return _number_densely(codes)

    def pairs(self, oriented: bool = False) -> Pairs:
        """Return counts by pair; `oriented` separates them by who was named first. Each is computed once."""
        if oriented not in self._kept:
            if not oriented and True in self._kept:
                both = self._kept[True]
                self._kept[False] = Pairs(both.i, both.j, both.totals, False)
            else:
                self._kept[oriented] = _count(self, oriented)
        return self._kept[oriented]


def check_fault_rule(faults: str) -> None:
    """Raise OptionError unless `faults` is seed, drop or separate."""
    if faults not in get_args(FaultRule):
        raise OptionError(f"faults {faults!r}: give seed, drop or separate")


def _integers(name: str, given: npt.ArrayLike) -> Ints:
    """Return a copy as int64; ResultError, which names `name`, for values of another type than integers."""
    array = np.array(given)  # a copy: the table's arrays are made read-only
    if array.size and array.dtype.kind not in "iu":
        raise ResultError(f"{name} holds {array.dtype} values: give whole numbers")
    return array.astype(np.int64, copy=False)


def distinct_of_players(n: int, first: Ints, second: Ints, cluster: Ints, number: int) -> Ints:
    """Return the number of clusters with results of each player, shape (n,); `cluster` is (N,), from 0."""
    if n * number <= _MOST_BINS:
        seen = np.zeros(n * number, np.bool_)
        for player in (first, second):
            seen[cluster * n + player] = True
        found: Ints = seen.reshape(number, n).sum(axis=0)
        return found
    from scipy.sparse import coo_array

    # A sparse matrix adds up a player's results in a cluster to one entry.
    place = (np.concatenate([cluster, cluster]), np.concatenate([first, second]))
    entries = coo_array((np.ones(place[0].size, np.bool_), place), shape=(number, n)).tocsr()
    return np.bincount(entries.indices, minlength=n)


def _number_densely(codes: Ints) -> tuple[Ints, int]:
    """Number codes (at least one) densely from 0; return them and the number of different ones."""
    codes = codes - codes.min()
    span = int(codes.max()) + 1
    if span > 4 * codes.size + 1000:
        distinct, dense = np.unique(codes, return_inverse=True)
        return dense.astype(np.int64), int(distinct.size)
    present = np.bincount(codes, minlength=span) > 0
    return (np.cumsum(present) - 1)[codes], int(present.sum())


def _count(table: PairTable, oriented: bool) -> Pairs:
    """Count the results by unordered pair, if `oriented` also by who is first; see Pairs.

    Bins number pairs by j (j - 1) / 2 + i, the triangle row by row: half as many as n^2. Sorting numbers them
    by j n + i, which is easier to invert.
    """
    n = len(table.players)
    cells, bins = 6 if oriented else 3, n * (n - 1) // 2
    if bins * cells <= _MOST_BINS:
        keys = _pair_keys(table, oriented, lambda low, high: high * (high - 1) // 2 + low, np.int64)
        counts = np.bincount(keys, minlength=bins * cells).reshape(bins, cells)
        met = np.flatnonzero(counts.any(axis=1))
        j, i = np.tril_indices(n, -1)
        i, j, counts = i[met], j[met], counts[met]
    else:
        # Small keys sort faster; with the cell in the key, no argsort is needed.
        narrow: type[np.integer[Any]] = np.uint32 if n * n * cells < 2**32 else np.int64
        keys = _pair_keys(table, oriented, lambda low, high: high * n + low, narrow)
        keys.sort()
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        pair, column = np.divmod(keys[starts].astype(np.int64), cells)
        new = np.concatenate([[True], pair[1:] != pair[:-1]])
        counts = np.zeros((int(new.sum()), cells), np.int64)
        counts[np.cumsum(new) - 1, column] = np.diff(starts, append=keys.size)
        j, i = np.divmod(pair[new], n)
    return Pairs(i, j, np.ascontiguousarray(counts.T, dtype=np.float64), oriented)


def _pair_keys(
    table: PairTable, oriented: bool, number: Callable[[Ints, Ints], Ints], kind: type[np.integer[Any]]
) -> npt.NDArray[np.integer[Any]]:
    """Return each result's pair and cell (see Pairs) as a key: `number(low, high)` times cells, plus cell."""
    cells = 6 if oriented else 3
    keys = np.empty(table.first.size, kind)
    for start in range(0, keys.size, _PIECE):
        some = slice(start, start + _PIECE)
        a, b, outcome = table.first[some], table.second[some], table.outcome[some]
        low, high = np.minimum(a, b), np.maximum(a, b)
        forward = a == low
        cell = 1 - np.where(forward, outcome, -outcome)
        if oriented:
            cell += np.where(forward, 0, 3)
        keys[some] = number(low, high) * cells + cell
    return keys
