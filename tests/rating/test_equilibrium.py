"""Scores against the equilibrium: right in games that are known, still under copies, honest under noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating.crosstable import PairTable
from rating.equilibrium import MOST_PLAYERS, Nash, equilibrium, nash
from rating.errors import OptionError
from rating.fit.bayeselo import bayeselo
from tests.fixtures.profiles import examples

if TYPE_CHECKING:
    from rating.arrays import Floats

pytestmark = pytest.mark.slow

CYCLE = np.array([[0.0, -0.6, 0.6], [0.6, 0.0, -0.6], [-0.6, 0.6, 0.0]])


def season_of(wins: Floats, rounds: int, seed: int = 1, players: tuple[str, ...] = ()) -> PairTable:
    """A season in which each pair meets four times a round; `wins` (n, n) are chances of row against column."""
    n, chance = len(wins), np.random.default_rng(seed)
    first, second = (np.tile(np.repeat(side, 4), rounds) for side in np.triu_indices(n, 1))
    outcome = np.where(chance.random(first.size) < wins[first, second], 1, -1)
    numbers = np.repeat(np.arange(rounds), first.size // rounds)
    names = players or tuple(f"p{k}" for k in range(n))
    return PairTable.from_results(names, first, second, outcome, round=numbers)


def scores_of(table: PairTable, samples: int = 0) -> Nash:
    return nash(bayeselo(table, drawelo=0.0), samples=samples)


def with_copies(wins: Floats, player: int, copies: int) -> Floats:
    order = [*range(len(wins)), *[player] * copies]
    grown = wins[np.ix_(order, order)].copy()
    same = np.array([place == player for place in order])
    grown[np.ix_(same, same)] = 0.5
    return grown


@st.composite
def games(draw: st.DrawFn) -> Floats:
    n = draw(st.integers(1, 8))
    cells = draw(st.lists(st.floats(-1, 1), min_size=n * n, max_size=n * n))
    raw = np.array(cells).reshape(n, n)
    return np.asarray((raw - raw.T) / 2)


@given(games())
@examples(100)
def test_nobody_gains_against_the_equilibrium(payoff: Floats) -> None:
    found = equilibrium(payoff)
    assert found.sum() == pytest.approx(1) and (found >= 0).all()
    assert (payoff @ found).max() < 0.002


def test_copies_share_the_place_of_the_original() -> None:
    grown = with_copies((CYCLE + 1) / 2, 0, 9) * 2 - 1
    found = equilibrium(grown)
    assert found[1:3] == pytest.approx([1 / 3, 1 / 3], abs=0.002)
    assert found[[0, *range(3, 12)]] == pytest.approx(1 / 30, abs=0.001)


def test_of_a_cycle_all_are_in_the_equilibrium_and_of_a_line_the_best_alone() -> None:
    of_cycle = scores_of(season_of((CYCLE + 1) / 2, 100))
    assert of_cycle.score == pytest.approx(0.5, abs=0.01) and of_cycle.share.min() > 0.25
    assert of_cycle.cycles > 0.15
    strength = np.array([0.0, 150.0, 300.0])
    of_line = scores_of(season_of(1 / (1 + 10 ** ((strength - strength[:, None]) / 400)), 100))
    assert of_line.share.argmax() == 2 and of_line.share[2] > 0.99
    assert of_line.score == pytest.approx([0.15, 0.30, 0.5], abs=0.04)
    assert of_line.cycles < 0.05


def joined_by_copies(before: PairTable, wins: Floats, copies: int, seed: int) -> PairTable:
    """The same season, in which copies of player 0 meet everybody as well."""
    n, rounds = len(wins), int(before.round.max()) + 1
    names = (*before.players, *(f"copy{k}" for k in range(copies)))
    after = season_of(with_copies(wins, 0, copies), rounds, seed, names)
    new = (after.first >= n) | (after.second >= n)
    columns = ("first", "second", "outcome", "round")
    first, second, outcome, round_ = (
        np.concatenate([getattr(before, name), getattr(after, name)[new]]) for name in columns
    )
    return PairTable.from_results(names, first, second, outcome, round=round_)


def test_ten_copies_move_nobody_by_more_than_its_interval_where_elo_is_moved() -> None:
    wins = np.full((4, 4), 0.5)
    wins[:3, :3] += CYCLE / 2
    wins[:3, 3], wins[3, :3] = 0.7, 0.3
    before = season_of(wins, 40)
    after = joined_by_copies(before, wins, 9, seed=2)
    one, other = scores_of(before), scores_of(after, samples=100)
    within = 0.002  # what an equilibrium is exact to
    assert ((other.low[:4] - within <= one.score) & (one.score <= other.high[:4] + within)).all()
    moved = bayeselo(after, drawelo=0.0).elo[:4] - bayeselo(before, drawelo=0.0).elo[:4]
    assert moved[1] - moved[2] > 100


def test_the_same_seed_gives_the_same_intervals() -> None:
    strength = np.array([0.0, 100.0, 200.0])
    table = season_of(1 / (1 + 10 ** ((strength - strength[:, None]) / 400)), 12)
    fit = bayeselo(table, drawelo=0.0)
    one, same, other = (nash(fit, samples=10, seed=seed) for seed in (0, 0, 1))
    assert (one.low == same.low).all() and (one.low != other.low).any()


def test_of_few_matches_there_is_a_score_and_no_interval() -> None:
    table = PairTable.from_results(("a", "b", "idle"), [0, 0], [1, 1], [1, 1])
    found = scores_of(table, samples=10)
    assert found.figures("a")["score"] == pytest.approx(0.5, abs=0.01) and found.figures("a")["low"] is None
    assert (
        found.figures("idle")
        == found.figures("nobody")
        == {"score": None, "low": None, "high": None, "share": None}
    )


def test_of_too_many_players_and_of_none_it_is_said() -> None:
    n = MOST_PLAYERS + 1
    table = PairTable.from_results([str(k) for k in range(n)], range(n - 1), range(1, n), [1] * (n - 1))
    with pytest.raises(OptionError, match="at most 300 players"):
        nash(bayeselo(table, drawelo=0.0))
    with pytest.raises(OptionError, match="needs results"):
        nash(bayeselo(PairTable.from_matches([], players=["a"])))
