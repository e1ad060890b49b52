"""Favours: exact tests that one player's faults favour another beyond chance, given everything else that
happened.

A player F who faults ends a match before the others have had theirs. For each other player A two things are
asked, each within small groups between whose members chance alone should decide:

- Does F fault more often where A sits? Of `BLOCK` consecutive tables of F's, A sits at m. Had A sat at any
  other m of them, F's faults there would have been another number. Where tables are drawn by lot, each
  choice of m is equally likely, whatever ails F and however its faults cluster.
- Does F fault rather in those matches of a table in which A is further behind? The matches of a table
  are the same deals with the same players in other seats. Of those in which a deal is played, F's fault
  ends some during that deal; given how many, each choice is equally likely. The matches are ranked by A's
  lead, after the deals before, over the best of those who are neither F nor on A's side.

Both statistics are sums of values of groups drawn without replacement: the distribution within a group
is counted exactly, groups are convolved, and p is the probability of the observed sum or a larger one. Faults
that depend on anything else, such as a loaded machine or certain cards, leave p what it says. The smaller
p of the two counts twice, and that times the number of pairs asked about (Bonferroni).

Nothing is said of two players of one owner, and nothing of who faulted fewer than `LEAST` times.
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
"""Corrected p below which a pair is named."""
BLOCK = 12
"""Consecutive tables of a player that are compared with each other: faults may come and go with time."""
LEAST = 5
"""Faults below which no pair could be named."""
_NEAR = 2.5
"""Standard deviations above its mean within which a sum is not looked at exactly: it is plainly not rare."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One match, by seat: who played, who runs them, their sides (None: each its own).

    `faulty` is the seat whose fault ended it, None for none; `scores` are the points by seat after each deal
    that was over, None where they are not known.
    """

    players: Sequence[str]
    owners: Sequence[str]
    sides: Sequence[int] | None
    faulty: int | None
    scores: Sequence[Sequence[float]] | None


@dataclass(frozen=True, slots=True)
class Favour:
    """The faults of `faulty` favour `favoured`, both owners: `p` is corrected for all pairs.

    `there` faults in `together` tables that both shared, `elsewhere` in `apart` others. Of `known` faults
    whose moment can be compared, `behind` came when `favoured` was not in the lead; chance gives `expected`.
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
    """A player's table: how often it faulted there, and which other owners sat there."""

    faults: int
    others: frozenset[str]


# A group: its values, how many of them are drawn, and their observed sum.
_Group = tuple[tuple[int, ...], int, int]


@dataclass(frozen=True, slots=True)
class _Moment:
    """Matches of a table that came to a deal in which one player's fault ended some of them.

    `group` has twice their ranks by another player's lead, the largest first; `behind` of those that ended
    were such that it was not in the lead, where chance gives `expected`.
    """

    group: _Group
    behind: int
    expected: float


class Favours:
    """The tables of a season, added in their order; the same whether added at once or one by one."""

    def __init__(self) -> None:
        self._tables: defaultdict[str, list[_Table]] = defaultdict(list)
        self._moments: defaultdict[tuple[str, str], list[_Moment]] = defaultdict(list)
        self._owner: dict[str, str] = {}

    def add(self, matches: Collection[Sitting]) -> None:
        """Add the matches of one table, whose deals are the same in all of them."""
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
        """Forget the faults of these players, but not that they were there for others' faults."""
        for name in names:
            self._tables.pop(name, None)
            for pair in [pair for pair in self._moments if pair[0] == name]:
                del self._moments[pair]

    def found(self) -> list[Favour]:
        pairs, named = 0, []
        for own, names in self._faulty():
            tables = {name: self._tables[name] for name in names}
            for other in sorted(frozenset().union(*(one.others for at in tables.values() for one in at))):
                pairs += 1
                named.append(self._asked(own, other, tables))
        sure = [(float(f"{min(1.0, one.p * pairs):.2g}"), one) for one in named if one.p < ALPHA]
        found = [replace(one, p=p) for p, one in sure if p < ALPHA]
        return sorted(found, key=lambda one: (one.p, one.faulty, one.favoured))

    def _faulty(self) -> Iterator[tuple[str, list[str]]]:
        """Owners with faults enough to be asked about, each with its players in the order of their names."""
        by_owner = defaultdict(list)
        for name in sorted(self._tables):
            by_owner[self._owner[name]].append(name)
        for own, names in sorted(by_owner.items()):
            if sum(table.faults for name in names for table in self._tables[name]) >= LEAST:
                yield own, names

    def _asked(self, own: str, other: str, tables: dict[str, list[_Table]]) -> Favour:
        """Return the favour of a pair, its p still uncorrected."""
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
            p=min(1.0, 2.0 * min(tail(presence), tail(moment.group for moment in moments))),
        )


def _moments(matches: Iterable[Sitting], faulty: str, favoured: str) -> Iterator[_Moment]:
    """Yield what can be compared of a table's matches, for each deal in which `faulty` ended some of them."""
    known = [
        match
        for match in matches
        if match.scores is not None and faulty in match.players and favoured in match.owners
    ]
    ended = Counter(len(match.scores or ()) for match in known if _fault_of(match, faulty))
    for deal, drawn in sorted(ended.items()):
        leads, at_fault = [], []
        for match in known:
            scores = match.scores or ()
            here = len(scores) == deal and _fault_of(match, faulty)
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


def _fault_of(match: Sitting, name: str) -> bool:
    return match.faulty is not None and match.players[match.faulty] == name


def _lead(match: Sitting, scores: Sequence[float], faulty: str, favoured: str) -> float:
    """By how many points `favoured` is ahead of the best of its rivals; 0 where there are none."""
    mine = [seat for seat, own in enumerate(match.owners) if own == favoured]
    sides = match.sides or range(len(match.owners))
    own_sides = {sides[seat] for seat in mine}
    rivals = [
        scores[seat]
        for seat, name in enumerate(match.players)
        if match.owners[seat] != favoured and sides[seat] not in own_sides and name != faulty
    ]
    return max(scores[seat] for seat in mine) - max(rivals) if rivals else 0.0


def tail(groups: Iterable[_Group]) -> float:
    """The probability that so many values drawn from each group sum to what was seen, or more.

    A group is its values (whole numbers from 0), how many are drawn, and their sum that was seen. 1 where the
    sum is plainly not rare.
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
    """The probability of each sum, from 0 on, of `drawn` of the values, each choice being equally likely."""
    top = sum(sorted(values)[-drawn:])
    ways = np.zeros((drawn + 1, top + 1))
    ways[0, 0] = 1.0
    for value in values:
        # From above, so that each value is taken once.
        for taken in range(drawn, 0, -1):
            ways[taken, value:] += ways[taken - 1, : top + 1 - value]
    law: Floats = ways[drawn] / math.comb(len(values), drawn)
    return law
