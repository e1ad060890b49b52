"""Which pairs are within reach of a question about soft play, and from which round on."""

from __future__ import annotations

import numpy as np
import pytest

from rating.matches import Match
from rating.meetings import LEAST, Reach
from rating.softplay import PlayedTables, find_soft_play_and_reach

ROUNDS = 40


def simulate_season(players: int, seed: int = 0) -> list[Match]:
    """Tables of four by lot, a match each."""
    rng = np.random.default_rng(seed)
    names = [f"p{number}" for number in range(players)]
    matches = []
    for number in range(1, ROUNDS + 1):
        order = rng.permutation(names).tolist()
        for table in range(players // 4):
            seated = order[4 * table : 4 * table + 4]
            matches.append(Match(seated, rng.normal(0.0, 5.0, 4).tolist(), round=number, table=table))
    return matches


def reach(matches: list[Match], last: int, house: tuple[str, ...] = ()) -> Reach:
    return find_soft_play_and_reach(PlayedTables.from_matches(matches), last, ROUNDS, house)[1]


@pytest.mark.parametrize(("players", "seed"), [(8, 0), (8, 1), (12, 0), (12, 1)])
def test_nothing_is_tested_before_the_earliest_round_that_is_told(players: int, seed: int) -> None:
    matches = simulate_season(players, seed)
    earliest = []
    for last in range(1, ROUNDS + 1):
        found = reach(matches, last)
        assert found.pairs <= players * (players - 1) // 2
        if found.able:
            break
        assert found.earliest is not None
        assert found.earliest > last
        earliest.append(found.earliest)
    assert found.able == found.met > 0
    assert max(earliest) <= last
    assert min(earliest) >= 2 * LEAST


def test_four_players_are_too_few_for_ever() -> None:
    found = reach(simulate_season(4), ROUNDS)
    assert (found.pairs, found.able, found.earliest, found.typical) == (6, 0, None, None)


def test_pairs_with_a_house_bot_are_not_counted() -> None:
    assert reach(simulate_season(8), ROUNDS, house=("p0", "p1")).pairs == 15


def test_before_the_first_round_there_is_no_pair() -> None:
    assert reach([], 0) == Reach(0, 0, 0, None, None)
