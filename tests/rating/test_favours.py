"""Whom faults favour: exact probabilities, no alarm where faults follow anything but the standing, one where they do."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating.favours import ALPHA, LEAST, Favours, Sitting, tail_probability
from tests.fixtures.profiles import examples

SEATS, DEALS = 4, 6


@st.composite
def groups(draw: st.DrawFn) -> tuple[tuple[int, ...], int]:
    values = tuple(sorted(draw(st.lists(st.integers(0, 4), min_size=1, max_size=6))))
    return values, draw(st.integers(0, len(values)))


def sums(values: tuple[int, ...], drawn: int) -> list[int]:
    return [sum(chosen) for chosen in combinations(values, drawn)]


@given(st.lists(groups(), min_size=1, max_size=3), st.data())
@examples(200)
def test_the_probability_is_what_counting_all_choices_gives_or_one(
    found: list[tuple[tuple[int, ...], int]], data: st.DataObject
) -> None:
    every = [sums(*group) for group in found]
    seen = [data.draw(st.sampled_from(some)) for some in every]
    totals = {0: 1}
    for some in every:
        totals = {
            total: sum(ways * some.count(total - before) for before, ways in totals.items())
            for total in {before + one for before in totals for one in some}
        }
    ways = sum(number for total, number in totals.items() if total >= sum(seen))
    exact = ways / np.prod([comb(len(values), drawn) for values, drawn in found])
    p = tail_probability((values, drawn, one) for (values, drawn), one in zip(found, seen, strict=True))
    assert p in (1.0, pytest.approx(exact))
    if p == 1.0:
        assert exact > 0.01


def simulate_tables(
    rng: np.random.Generator, players: int, rounds: int, faults: str, versions: int = 1
) -> list[list[Sitting]]:
    """Tables of a season of equals drawn by lot, in all rotations.

    `faults`: p0's come `at random`, `in bursts` of whole tables, when it `trails` itself, or it is p1's
    `friend`, who faults in the last deal where p1 does not win.
    """
    tables = []
    for number in range(rounds):
        order = rng.permutation(players)
        for at in order.reshape(-1, SEATS):
            burst = rng.random() < 0.3
            matches = []
            for rotation in range(SEATS):
                seat = np.roll(at, rotation)
                scores = np.cumsum(rng.integers(0, 9, (DEALS, SEATS)), axis=0)
                ended, mine = None, int(np.argmax(seat == 0))
                if 0 not in seat:
                    pass
                elif faults == "friend":
                    friend = int(np.argmax(seat == 1))
                    if 1 in seat and scores[-1][friend] < max(scores[-1]):
                        ended = DEALS - 1
                elif faults == "trails":
                    behind = [
                        deal for deal in range(1, DEALS) if scores[deal - 1][mine] == min(scores[deal - 1])
                    ]
                    ended = behind[0] if behind and rng.random() < 0.5 else None
                elif burst if faults == "in bursts" else rng.random() < 0.3:
                    ended = int(rng.integers(DEALS))
                names = [f"p{player}@{1 + number % versions}" for player in seat]
                owners = [f"p{player}" for player in seat]
                rows = scores.tolist() if ended is None else scores[:ended].tolist()
                matches.append(Sitting(names, owners, None, None if ended is None else mine, rows))
            tables.append(matches)
    return tables


def favours_of(tables: list[list[Sitting]]) -> Favours:
    found = Favours()
    for table in tables:
        found.add(table)
    return found


@pytest.mark.parametrize("faults", ["at random", "in bursts", "trails"])
@pytest.mark.parametrize("players", [4, 12])
def test_faults_that_follow_anything_but_anothers_standing_name_nobody(players: int, faults: str) -> None:
    rng = np.random.default_rng(1)
    assert [favours_of(simulate_tables(rng, players, 40, faults)).found() for _ in range(10)] == [[]] * 10


@pytest.mark.parametrize(("players", "rounds"), [(4, 25), (12, 40)])
def test_a_friend_who_faults_where_another_would_not_win_is_named_with_it(players: int, rounds: int) -> None:
    (found,) = favours_of(simulate_tables(np.random.default_rng(1), players, rounds, "friend")).found()
    assert (found.faulty, found.favoured) == ("p0", "p1")
    assert found.p < ALPHA
    assert found.elsewhere == 0 < found.there
    assert found.behind > found.expected


def test_a_friend_that_comes_with_a_new_version_each_round_is_named_all_the_same() -> None:
    (found,) = favours_of(simulate_tables(np.random.default_rng(1), 4, 25, "friend", versions=5)).found()
    assert (found.faulty, found.favoured) == ("p0", "p1")


def test_tables_added_one_by_one_say_what_they_say_at_once() -> None:
    tables = simulate_tables(np.random.default_rng(1), 4, 25, "friend")
    slowly = Favours()
    for table in tables:
        slowly.add(table)
        slowly.found()
    assert slowly.found() == favours_of(tables).found() != []


def test_who_begins_anew_has_no_faults() -> None:
    found = favours_of(simulate_tables(np.random.default_rng(1), 4, 25, "friend"))
    found.forget(["p0@1"])
    assert found.found() == []


def test_players_of_one_owner_are_not_asked_about() -> None:
    tables = simulate_tables(np.random.default_rng(1), 4, 25, "friend")
    one = [
        [
            Sitting(
                m.players,
                ["same" if own in ("p0", "p1") else own for own in m.owners],
                *(m.sides, m.faulty, m.scores),
            )
            for m in at
        ]
        for at in tables
    ]
    assert not {found.favoured for found in favours_of(one).found()} & {"same"}


def test_few_faults_are_not_looked_at() -> None:
    tables = simulate_tables(np.random.default_rng(1), 4, 25, "friend")
    few, left = [], LEAST - 1
    for table in tables:
        faults = sum(match.faulty is not None for match in table)
        if faults <= left:
            few.append(table)
            left -= faults
    assert favours_of(few).found() == []


def test_matches_whose_scores_are_not_known_say_nothing_of_the_standing() -> None:
    tables = [
        [Sitting(m.players, m.owners, m.sides, m.faulty, None) for m in table]
        for table in simulate_tables(np.random.default_rng(1), 4, 25, "friend")
    ]
    assert favours_of(tables).found() == []


def test_a_partner_with_the_same_points_is_no_rival() -> None:
    """p1's partner is p3; behind is who has fewer points than the other side's player who did not fault."""
    rng, tables = np.random.default_rng(1), []
    for _ in range(25):
        matches = []
        for rotation in range(SEATS):
            names = [f"p{(seat + rotation) % SEATS}" for seat in range(SEATS)]
            rows = [(int(a), int(b)) * 2 for a, b in np.cumsum(rng.integers(0, 9, (DEALS, 2)), axis=0)]
            lost = rows[-1][names.index("p1") % 2] <= rows[-1][names.index("p0") % 2]
            cut = rows[: DEALS - 1] if lost else rows
            matches.append(Sitting(names, names, (0, 1, 0, 1), names.index("p0") if lost else None, cut))
        tables.append(matches)
    assert {one.favoured for one in favours_of(tables).found()} == {"p1", "p3"}
