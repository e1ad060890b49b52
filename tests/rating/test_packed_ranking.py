"""A ranking that was packed: it answers as before, to the last bit, and takes no further results."""

from __future__ import annotations

from random import Random
from typing import get_args

import numpy as np
import pytest

from rating import Match, PairTable, Ranking, ResultError, pack_ranking, rate, unpack_ranking
from rating.fit.kinds import Kind

NAMES = [f"p{number}" for number in range(12)]


def simulate_matches(rounds: int, names: list[str] = NAMES, seed: int = 1) -> list[Match]:
    """Matches of four, by lot, in which the later names are the stronger ones."""
    lot = Random(seed)
    found = []
    for number in range(1, rounds + 1):
        order = lot.sample(names, len(names))
        for table in range(len(order) // 4):
            seated = order[4 * table : 4 * table + 4]
            points = [int(lot.gauss(10 + names.index(name), 8)) for name in seated]
            found.append(
                Match(players=seated, points=points, round=number, table=table, id=f"{number}/{table}")
            )
    return found


def ranked(kind: Kind = "round", rounds: int = 14, late: bool = False) -> Ranking:
    """A ranking of some rounds; with a player who came `late` some intervals have a floor."""
    matches = simulate_matches(rounds)
    if late:
        matches += simulate_matches(3, ["new", *NAMES[:7]], seed=2)
    return rate(PairTable.from_matches(matches, players=[*NAMES, "idle"]), kind)


def assert_same(one: Ranking, other: Ranking) -> None:
    assert one.rows == other.rows
    assert one.notices == other.notices
    assert (one.intervals.los() == other.intervals.los()).all()
    assert (one.intervals.rank_interval() == other.intervals.rank_interval()).all()
    assert one.better(NAMES[0], NAMES[5]) == other.better(NAMES[0], NAMES[5])


@pytest.mark.parametrize("kind", get_args(Kind))
def test_what_is_unpacked_answers_as_what_was_packed(kind: Kind) -> None:
    before = ranked(kind)
    packed = pack_ranking(before)
    assert packed is not None
    assert_same(before, unpack_ranking(packed))


@pytest.mark.parametrize("rounds", [1, 5, 30])
def test_so_it_does_with_few_clusters_and_with_many(rounds: int) -> None:
    before = ranked(rounds=rounds)
    packed = pack_ranking(before)
    assert packed is not None
    assert_same(before, unpack_ranking(packed))


def test_so_it_does_where_some_have_few_rounds() -> None:
    before = ranked(late=True)
    assert before.intervals.floor is not None
    packed = pack_ranking(before)
    assert packed is not None
    assert_same(before, unpack_ranking(packed))


@pytest.mark.parametrize("cut", [0, 5, 100, -1])
def test_what_is_no_ranking_is_refused(cut: int) -> None:
    packed = pack_ranking(ranked())
    assert packed is not None
    with pytest.raises(ResultError, match="cannot be read"):
        unpack_ranking(packed[:cut])


def test_intervals_of_some_ranks_are_those_among_all() -> None:
    of = ranked().intervals
    whole, some = of.rank_interval(), of.rank_interval(of=[2, 7])
    assert (some[:, [2, 7]] == whole[:, [2, 7]]).all()
    assert not some[:, [1, 3]].any()


def test_counts_between_some_are_those_of_all() -> None:
    pairs = PairTable.from_matches(simulate_matches(6), players=NAMES).pairs()
    every = pairs.between(range(12), range(12))
    assert pairs.between([3, 5], [5, 9]) == {
        pair: counts for pair, counts in every.items() if pair[0] in (3, 5) and pair[1] in (5, 9)
    }
    for (one, other), (wins, draws, losses) in every.items():
        assert every[other, one] == (losses, draws, wins)


def test_blocks_add_up_the_counts_in_an_order() -> None:
    pairs = PairTable.from_matches(simulate_matches(6), players=NAMES).pairs()
    order = Random(4).sample(range(12), 11)
    every = pairs.between(range(12), range(12))
    blocks = pairs.blocks(order, 4)
    assert len(blocks) == len(blocks[0]) == 3
    for row in range(3):
        for column in range(3):
            inside = [
                every.get((one, other), (0, 0, 0))
                for one in order[4 * row : 4 * row + 4]
                for other in order[4 * column : 4 * column + 4]
            ]
            assert blocks[row][column] == tuple(np.sum(inside, axis=0))


def test_two_who_drew_all_their_matches_are_packed_too() -> None:
    matches = [Match(players=["a", "b"], points=[1, 1], round=number, table=1) for number in (1, 2)]
    before = rate(PairTable.from_matches(matches), "match")
    assert set(before.fit.elo) == {0.0}
    packed = pack_ranking(before)
    assert packed is not None
    after = unpack_ranking(packed)
    assert after.rows == before.rows
    assert (after.intervals.los() == before.intervals.los()).all()
    assert (after.intervals.rank_interval() == before.intervals.rank_interval()).all()
