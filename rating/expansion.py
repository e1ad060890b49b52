"""Expand matches into pairwise results.

A match without a fault gives one result for each pair of seats: the higher points win, equal points draw.
Partners (equal `sides`) give no result. A fault ends a match: by the rule `seed` the faulty player loses to
each of the others, partners included, and the others have no results with each other. Seats of the same
player, and seats of one owner (`random` and `random#2`, copies of a house bot, are rated separately), never
give a result with each other. A player with several seats of a side counts as having one, with the points of
all of them.

Matches are grouped by their number of seats; each pair of seats is then one numpy expression over the group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from rating.arrays import Floats, Ints
from rating.matches import FaultRule, Match


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Results between players, and the counts of each player.

    Per result, shape (N,): `first` and `second` (player indices), `outcome` (+1, 0, -1 for first), `match` (a
    number for each match), `round` and `table` (-1 where unknown). Per player, shape (n,): `played` matches,
    `points` gained, `faults` committed.
    """

    first: Ints
    second: Ints
    outcome: Ints
    match: Ints
    round: Ints
    table: Ints
    played: Ints
    points: Floats
    faults: Ints


def expand(matches: Sequence[Match], index: Mapping[str, int], faults: FaultRule) -> Results:
    """Return the results of `matches`, all seats rated, with players numbered by `index` (n = len(index)).

    Matches are numbered by their place in the list; `first` sat in the lower seat.

    `faults`: "seed" counts a loss to each other player for the faulty one; "separate" counts the fault and
    the match, but no result; "drop" ignores the match.
    """
    groups: dict[int, list[int]] = defaultdict(list)
    matches = [_one_seat_a_side(match) for match in matches]
    for number, match in enumerate(matches):
        if match.faulty is None or faults != "drop":
            groups[len(match.players)].append(number)
    n = len(index)
    parts: list[tuple[Ints, ...]] = []
    played, faulted, points = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n)
    for seats, numbers in sorted(groups.items()):
        group = [matches[number] for number in numbers]
        faulty = np.array([-1 if match.faulty is None else match.faulty for match in group], np.int64)
        clean = faulty < 0
        seated = np.array([[index[player] for player in match.players] for match in group], np.int64)
        scores = np.array([_scores(match) for match in group], np.float64)
        sides = np.array([match.sides or range(seats) for match in group], np.int64)
        owners = np.array([_owners(match) for match in group], np.int64)
        place = np.array(numbers, np.int64)
        in_round = np.array([-1 if match.round is None else match.round for match in group], np.int64)
        in_table = np.array([-1 if match.table is None else match.table for match in group], np.int64)
        played += _distinct(seated, n)
        faulted += np.bincount(seated[~clean, faulty[~clean]], minlength=n)
        pointed = np.array([match.faulty is None and match.points is not None for match in group], np.bool_)
        points += np.bincount(seated[pointed].ravel(), scores[pointed].ravel(), minlength=n)
        for a, b in combinations(range(seats), 2):
            at_fault = (faulty == a) | (faulty == b)
            counted = np.where(clean, sides[:, a] != sides[:, b], at_fault & (faults == "seed"))
            counted &= (seated[:, a] != seated[:, b]) & (owners[:, a] != owners[:, b])
            outcome = np.where(
                clean, np.sign(scores[:, a] - scores[:, b]).astype(np.int64), np.where(faulty == a, -1, 1)
            )
            rows = (seated[:, a], seated[:, b], outcome, place, in_round, in_table)
            parts.append(tuple(row[counted] for row in rows))
    empty = np.zeros(0, np.int64)
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else [empty] * 6
    # By match, so that a table grown round by round equals one read at once, bit for bit.
    order = np.argsort(columns[3], kind="stable")
    first, second, outcome, match_number, rounds, tables = (column[order] for column in columns)
    return Results(first, second, outcome, match_number, rounds, tables, played, points, faulted)


def _one_seat_a_side(match: Match) -> Match:
    """Return the match with several seats of a player on a side merged into one, their scores added."""
    players, sides = match.players, match.sides
    if sides is None or len(set(players)) == len(players):
        return match
    seats = list(zip(players, sides, strict=True))
    kept = list(dict.fromkeys(seats))

    def sum_by_seat(scores: Sequence[float] | None) -> Sequence[float] | None:
        if scores is None:
            return None
        return [sum(n for seat, n in zip(seats, scores, strict=True) if seat == one) for one in kept]

    return replace(
        match,
        players=[player for player, _ in kept],
        points=sum_by_seat(match.points),
        places=sum_by_seat(match.places),
        faulty=None if match.faulty is None else kept.index(seats[match.faulty]),
        sides=[side for _, side in kept],
        owners=None if match.owners is None else [match.owners[seats.index(one)] for one in kept],
    )


def _owners(match: Match) -> Sequence[int]:
    """Return a number for each seat, the same for seats of one owner."""
    if match.owners is None:
        return range(len(match.players))
    first: dict[str, int] = {}
    return [first.setdefault(owner, seat) for seat, owner in enumerate(match.owners)]


def _scores(match: Match) -> Sequence[float]:
    """Return scores by seat, more is better; zeros, which are never read, after a fault."""
    if match.faulty is not None:
        return [0.0] * len(match.players)
    if match.points is not None:
        return match.points
    assert match.places is not None  # Match checks it
    return [-place for place in match.places]


def _distinct(seated: Ints, n: int) -> Ints:
    """Return the number of matches of each player; two seats in a match are one match."""
    ordered = np.sort(seated, axis=1)
    new = np.ones(ordered.shape, np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return np.bincount(ordered[new], minlength=n)
