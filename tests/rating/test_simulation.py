"""Made results follow the model they claim to follow."""

from __future__ import annotations

import numpy as np
import pytest

from rating import OptionError, PairTable
from rating.fit.bayeselo import bayeselo
from rating.simulation import play_round, simulate
from tests.fixtures.simulated_blocks import simulate_blocks

pytestmark = pytest.mark.slow


def test_a_season_has_the_shape_of_a_tournament() -> None:
    made = simulate(12, 5, seed=3)
    assert list(made.elo) == [f"p{k:02}" for k in range(1, 13)]
    assert sum(made.elo.values()) == pytest.approx(0.0, abs=1e-9)
    assert len(made.matches) == 5 * 3 * 4
    for number in range(1, 6):
        matches = [match for match in made.matches if match.round == number]
        assert [match.table for match in matches] == [1] * 4 + [2] * 4 + [3] * 4
        for table in (1, 2, 3):
            turns = [match.players for match in matches if match.table == table]
            for player in turns[0]:  # once on each seat
                assert sorted(list(seats).index(player) for seats in turns) == [0, 1, 2, 3]


def test_the_seed_decides() -> None:
    assert simulate(8, 3, seed=1) == simulate(8, 3, seed=1)
    assert simulate(8, 3, seed=1).matches != simulate(8, 3, seed=2).matches


@pytest.mark.parametrize("alpha", [1.0, 0.6])
def test_pairwise_results_follow_the_model_whatever_is_shared(alpha: float) -> None:
    """P(win) = 1 / (1 + 10^(-gap/400)), over many rounds."""
    elo = {"a": 200.0, "b": 0.0, "c": -100.0, "d": 0.0}
    won = {("a", "b"): 0, ("b", "c"): 0, ("a", "c"): 0}
    rounds = 1500
    for number in range(rounds):
        for match in play_round([list("abcd")], elo, round=number, seed=5, alpha=alpha, ties=0.0):
            assert match.points is not None
            points = dict(zip(match.players, match.points, strict=True))
            for i, j in won:
                won[i, j] += points[i] > points[j]
    for (i, j), count in won.items():
        chance = 1.0 / (1.0 + 10.0 ** ((elo[j] - elo[i]) / 400.0))
        assert count / (4 * rounds) == pytest.approx(chance, abs=0.03)


def test_shared_luck_is_met_by_all() -> None:
    """With alpha 0 only the deal counts: equal players of one seat have equal luck at every table."""
    elo = dict.fromkeys("abcdefgh", 0.0)
    matches = play_round([list("abcd"), list("efgh")], elo, round=1, alpha=0.0, ties=0.0)
    assert len({tuple(match.points or ()) for match in matches}) == 1
    totals = dict.fromkeys("abcdefgh", 0.0)
    for match in matches:
        for name, scored in zip(match.players, match.points or (), strict=True):
            totals[name] += scored
    assert list(totals.values()) == pytest.approx([totals["a"]] * 8)


@pytest.mark.parametrize("ties", [0.0, 0.018, 0.2])
def test_ties(ties: float) -> None:
    made = simulate(40, 30, spread=0.0, ties=ties)
    _, draws, _ = PairTable.from_matches(made.matches).pairs().totals
    results = 30 * 40 // 4 * 4 * 6
    assert draws.sum() / results == pytest.approx(ties, abs=0.2 * ties + 1e-12)


def test_truth_is_found_again() -> None:
    made = simulate(40, 100, spread=200.0, seed=8)
    fit = bayeselo(PairTable.from_matches(made.matches, players=list(made.elo)))
    assert np.std(fit.elo - np.array(list(made.elo.values()))) < 20.0


def test_blocks() -> None:
    scores, counts = simulate_blocks(3, 400, 0.0, seed=2)
    assert scores.shape == (3, 400)
    assert counts.sum(axis=2) == pytest.approx(np.full((3, 400), 16.0))
    assert scores == pytest.approx((counts[:, :, 0] + 0.5 * counts[:, :, 1]) / 16.0)
    assert scores.mean() == pytest.approx(0.5, abs=0.02)
    better, _ = simulate_blocks(1, 2000, 100.0, seed=2)
    assert better.mean() == pytest.approx(0.64, abs=0.02)
    one_new, counts = simulate_blocks(1, 2000, 100.0, layout="ABBB", rotations=2)
    assert counts.sum(axis=2)[0, 0] == 6.0
    assert one_new.mean() == pytest.approx(0.64, abs=0.02)


def test_duplicate_deals_lower_the_variance_of_blocks() -> None:
    duplicate, _ = simulate_blocks(1, 4000, 0.0, alpha=0.9)
    fresh, _ = simulate_blocks(1, 4000, 0.0, alpha=0.9, fresh=True)
    assert 4.0 * fresh.var() == pytest.approx(0.1025, rel=0.1)
    assert 4.0 * duplicate.var() == pytest.approx(0.0901, rel=0.1)


def test_no_tables() -> None:
    assert play_round([], {}, round=1) == []
    assert simulate(4, 0).matches == ()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"players": 10}, "do not fill tables"),
        ({"players": 1}, "at least 2"),
        ({"alpha": 1.5}, "alpha"),
        ({"ties": 1.0}, "ties"),
        ({"spread": -1.0}, "spread"),
        ({"spread": 1e308}, "spread"),
        ({"spread": float("nan")}, "spread"),
        ({"seed": -1}, "seed"),
    ],
)
def test_options_out_of_range(options: dict[str, float], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        simulate(**options)  # type: ignore[arg-type]


def test_tables_of_different_sizes() -> None:
    with pytest.raises(OptionError, match="differ in size"):
        play_round([["a", "b"], ["c", "d", "e"]], dict.fromkeys("abcde", 0.0), round=1)
