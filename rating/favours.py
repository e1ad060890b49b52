"""Favours: exact permutation tests that one player's faults favour another beyond chance.

A fault of a player F ends a match early. For each other player A two hypotheses are tested, each within small
groups in which only chance should decide:

- F faults more often at tables with A. Among `BLOCK` consecutive tables of F, A sits at m. If tables are
  drawn at random, each choice of m tables is equally likely, for any cause and clustering of F's faults.
- F faults in those matches of a table in which A is further behind. The matches of a table have the same
  deals and players in other seats. Among those that reach a deal, F's faults end some during that deal; given
  their number, each choice is equally likely. The matches are ranked by A's lead, after the previous deals,
  over the best player that is neither F nor on A's side.

Both statistics are sums of values drawn without replacement from groups: the distribution within a group is
counted exactly, groups are convolved, and p is the probability of the observed sum or a larger one. It stays
valid if faults depend on anything else, such as a loaded machine or certain cards. The pair's p is twice the
smaller of the two, times the number of pairs tested (Bonferroni).

Players of one owner are not tested against each other, nor players with fewer than `LEAST` faults.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from rating.arrays import Floats

ALPHA = 0.001
"""Corrected p below which a pair is reported."""
BLOCK = 12
"""Consecutive tables of a player that form a group: the rate of faults may change with time."""
LEAST = 5
"""With fewer faults no pair can be reported."""
_NEAR = 2.5
"""A sum fewer standard deviations above its mean is not rare, and its probability is not computed."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One match, by seat: players, their owners, their sides (None: each seat alone).

    `faulty` is the seat whose fault ended it, or None; `scores` are the points by seat after each finished
    deal, None if unknown.
    """

    players: Sequence[str]
    owners: Sequence[str]
    sides: Sequence[int] | None
    faulty: int | None
    scores: Sequence[Sequence[float]] | None


@dataclass(frozen=True, slots=True)
class Favour:
    """The faults of `faulty` favour `favoured`, both owners; `p` is corrected for all pairs.

    `there` faults in `together` shared tables, `elsewhere` faults in `apart` others. Of `known` faults whose
    moment can be compared, `behind` came when `favoured` was not in the lead; chance gives `expected`.
    """

    faulty: str
    favoured: str
    there: int
    together: int
    elsewhere: int
    apart: int
    behind: int
    known: int
    expected: float
    p: float


@dataclass(frozen=True, slots=True)
class _Table:
    """A player's table: its number of faults, and the other owners there."""

    faults: int
    others: frozenset[str]


# A group: its values, the number of them drawn, and the observed sum.
_Group = tuple[tuple[int, ...], int, int]


@dataclass(frozen=True, slots=True)
class _Moment:
    """Matches of a table that reached a deal in which one player's faults ended some of them.

    `group` has twice their ranks by another player's lead, the largest lead first; in `behind` of the ended
    ones that player was not in the lead, chance gives `expected`.
    """

    group: _Group
    behind: int
    expected: float


class Favours:
    """The tables of a season, added in order; adding them at once or one by one gives the same."""

    def __init__(self) -> None:
        self._tables: defaultdict[str, list[_Table]] = defaultdict(list)
        self._moments: defaultdict[tuple[str, str], list[_Moment]] = defaultdict(list)
        self._owner: dict[str, str] = {}

    def add(self, matches: Collection[Sitting]) -> None:
        """Add the matches of one table, which all have the same deals."""
        owner = {
            name: own for match in matches for name, own in zip(match.players, match.owners, strict=True)
        }
        self._owner |= owner
        faults = Counter(match.players[match.faulty] for match in matches if match.faulty is not None)
        for name, own in owner.items():
            others = frozenset(owner.values()) - {own}
            self._tables[name].append(_Table(faults[name], others))
            for other in others if faults[name] else ():
                self._moments[name, other] += _moments(matches, name, other)

    def forget(self, names: Iterable[str]) -> None:
        """Remove the faults of these players, but keep their presence at others' faults."""
        for name in names:
            self._tables.pop(name, None)
            for pair in [pair for pair in self._moments if pair[0] == name]:
                del self._moments[pair]

    def found(self) -> list[Favour]:
        """Test all pairs; return those with a corrected p below `ALPHA`, the smallest p first."""
        pairs, named = 0, []
        for own, names in self._faulty():
            tables = {name: self._tables[name] for name in names}
            for other in sorted(frozenset().union(*(one.others for at in tables.values() for one in at))):
                pairs += 1
                named.append(self._test_pair(own, other, tables))
        sure = [(float(f"{min(1.0, one.p * pairs):.2g}"), one) for one in named if one.p < ALPHA]
        found = [replace(one, p=p) for p, one in sure if p < ALPHA]
        return sorted(found, key=lambda one: (one.p, one.faulty, one.favoured))

    def _faulty(self) -> Iterator[tuple[str, list[str]]]:
        """Yield owners with at least `LEAST` faults, each with its players in the order of their names."""
        by_owner = defaultdict(list)
        for name in sorted(self._tables):
            by_owner[self._owner[name]].append(name)
        for own, names in sorted(by_owner.items()):
            if sum(table.faults for name in names for table in self._tables[name]) >= LEAST:
                yield own, names

    def _test_pair(self, own: str, other: str, tables: dict[str, list[_Table]]) -> Favour:
        """Return the favour of a pair with an uncorrected p."""
        presence: list[_Group] = []
        moments: list[_Moment] = []
        for name, at in tables.items():
            moments += self._moments.get((name, other), [])
            for start in range(0, len(at), BLOCK):
                block = at[start : start + BLOCK]
                there = [table.faults for table in block if other in table.others]
                presence.append((tuple(sorted(table.faults for table in block)), len(there), sum(there)))
        every = [table for at in tables.values() for table in at]
        both = [table for table in every if other in table.others]
        faults = sum(table.faults for table in both)
        return Favour(
            faulty=own,
            favoured=other,
            there=faults,
            together=len(both),
            elsewhere=sum(table.faults for table in every) - faults,
            apart=len(every) - len(both),
            behind=sum(moment.behind for moment in moments),
            known=sum(moment.group[1] for moment in moments),
            expected=round(sum(moment.expected for moment in moments), 3),
            p=min(
                1.0,
                2.0 * min(tail_probability(presence), tail_probability(moment.group for moment in moments)),
            ),
        )


def _moments(matches: Iterable[Sitting], faulty: str, favoured: str) -> Iterator[_Moment]:
    """Yield the comparable matches of a table, for each deal in which faults of `faulty` ended some."""
    known = [
        match
        for match in matches
        if match.scores is not None and faulty in match.players and favoured in match.owners
    ]
    ended = Counter(len(match.scores or ()) for match in known if _faulted(match, faulty))
    for deal, drawn in sorted(ended.items()):
        leads, at_fault = [], []
        for match in known:
            scores = match.scores or ()
            here = len(scores) == deal and _faulted(match, faulty)
            if len(scores) > deal or here:
                leads.append(_lead(match, scores[deal - 1], faulty, favoured) if deal else 0.0)
                at_fault.append(here)
        if drawn < len(leads) and min(leads) < max(leads):
            ranks = [sum((other > one) + (other >= one) for other in leads) for one in leads]
            seen = sum(rank for rank, here in zip(ranks, at_fault, strict=True) if here)
            behind = [lead <= 0 for lead in leads]
            yield _Moment(
                (tuple(sorted(ranks)), drawn, seen),
                sum(back and here for back, here in zip(behind, at_fault, strict=True)),
                drawn * sum(behind) / len(behind),
            )


def _faulted(match: Sitting, name: str) -> bool:
    return match.faulty is not None and match.players[match.faulty] == name


def _lead(match: Sitting, scores: Sequence[float], faulty: str, favoured: str) -> float:
    """Return the lead of `favoured` over the best of its rivals in points; 0 without rivals."""
    mine = [seat for seat, own in enumerate(match.owners) if own == favoured]
    sides = match.sides or range(len(match.owners))
    own_sides = {sides[seat] for seat in mine}
    rivals = [
        scores[seat]
        for seat, name in enumerate(match.players)
        if match.owners[seat] != favoured and sides[seat] not in own_sides and name != faulty
    ]
    return max(scores[seat] for seat in mine) - max(rivals) if rivals else 0.0


def tail_probability(groups: Iterable[_Group]) -> float:
    """Return the probability that values drawn from each group sum to the observed total, or more.

    A group is its values (whole numbers from 0), the number drawn, and their observed sum. Returns 1 for a
    sum that is clearly not rare.
    """
    some = [group for group in groups if 0 < group[1] < len(group[0]) and group[0][0] < group[0][-1]]
    excess = variance = 0.0
    for values, drawn, seen in some:
        size, mean = len(values), sum(values) / len(values)
        excess += seen - drawn * mean
        spread = sum((value - mean) ** 2 for value in values) / (size - 1)
        variance += drawn * (1.0 - drawn / size) * spread
    if excess <= 0.0 or excess < _NEAR * math.sqrt(variance):
        return 1.0
    law = np.ones(1)
    for values, drawn, _ in some:
        law = np.convolve(law, _sums(values, drawn))
    return float(min(1.0, law[sum(seen for _, _, seen in some) :].sum()))


@lru_cache(maxsize=4096)
def _sums(values: tuple[int, ...], drawn: int) -> Floats:
    """Return the probability of each sum, from 0 on, of `drawn` of the values, all choices equally likely."""
    top = sum(sorted(values)[-drawn:])
    ways = np.zeros((drawn + 1, top + 1))
    ways[0, 0] = 1.0
    for value in values:
        # Downwards, so that each value is taken at most once.
        for taken in range(drawn, 0, -1):
            ways[taken, value:] += ways[taken - 1, : top + 1 - value]
    law: Floats = ways[drawn] / math.comb(len(values), drawn)
    return law
