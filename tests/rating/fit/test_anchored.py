"""One player's rating against opponents whose ratings are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rating import Match, OptionError, PairTable, bayeselo, rate_one
from rating.fit.kinds import upper_quantile
from tests.rating.recorded_results import simulate_season

ELO = math.log(10.0) / 400.0
NAMES = [f"p{k}" for k in range(12)]


def test_it_is_the_maximum_of_the_likelihood() -> None:
    table = PairTable.from_matches(simulate_season(12, 15, seed=3), players=NAMES)
    others, d = np.linspace(-150.0, 150.0, 12), 20.0
    found = rate_one(table, "p4", others, d)
    assert found is not None

    def value(elo: float) -> float:
        total, results = 0.0, 0
        for first, second, outcome in zip(table.first, table.second, table.outcome, strict=True):
            if 4 in (first, second):
                sign = 1 if first == 4 else -1
                u = ELO * (elo - others[second if first == 4 else first])
                won, lost = (1.0 / (1.0 + math.exp(ELO * d - side)) for side in (u, -u))
                own = sign * outcome
                total += math.log(won) * (own >= 0) + math.log(lost) * (own <= 0)
                results += 1
        for first, second in zip(table.first, table.second, strict=True):
            if 4 in (first, second):
                u = ELO * (elo - others[second if first == 4 else first])
                total += 2.0 / results * sum(-math.log1p(math.exp(ELO * d - side)) for side in (u, -u))
        return total

    step = 0.01
    assert value(found.elo) > max(value(found.elo - step), value(found.elo + step))
    assert found.low < found.elo < found.high


def test_anchors_from_a_fit_give_the_fit_again() -> None:
    table = PairTable.from_matches(simulate_season(12, 60, seed=4), players=NAMES)
    fit = bayeselo(table)
    found = rate_one(table, "p7", fit.elo, fit.drawelo)
    assert found is not None
    assert found.elo == pytest.approx(float(fit.elo[7]), abs=1.0)


def test_shifted_anchors_shift_the_rating() -> None:
    table = PairTable.from_matches(simulate_season(12, 15, seed=3), players=NAMES)
    zero, shifted = (rate_one(table, "p4", np.full(12, level), 10.0) for level in (0.0, 800.0))
    assert zero is not None
    assert shifted is not None
    assert shifted.elo - 800.0 == pytest.approx(zero.elo, abs=1e-6)
    assert shifted.high - shifted.low == pytest.approx(zero.high - zero.low, abs=1e-6)


def test_without_a_defeat_the_rating_is_finite_and_the_interval_wide() -> None:
    matches = [Match(["a", f"b{k}"], points=[1, 0], round=k) for k in range(30)]
    found = rate_one(PairTable.from_matches(matches), "a", np.zeros(31), 10.0)
    assert found is not None
    assert 200.0 < found.elo < 1000.0
    assert found.high - found.low > 200.0


def test_intervals_hold() -> None:
    """Three results a match share one score; nominally 95 %."""
    rng, true, others, held = np.random.default_rng(5), 60.0, np.array([0.0, -100.0, 0.0, 100.0]), 0
    runs = 300
    for _ in range(runs):
        luck = rng.gumbel(size=(80, 4)) + ELO * np.array([true, *others[1:]])
        matches = [
            Match(["me", "x", "y", "z"], points=row.tolist(), round=k // 4) for k, row in enumerate(luck)
        ]
        found = rate_one(PairTable.from_matches(matches), "me", others, 0.0)
        assert found is not None
        held += found.low <= true <= found.high
    assert 0.91 <= held / runs <= 0.98


def test_few_matches_have_the_models_interval() -> None:
    matches = [Match(["a", "b"], points=points) for points in ([1, 0], [0, 1])]
    found = rate_one(PairTable.from_matches(matches), "a", np.zeros(2), 0.0)
    assert found is not None
    # Two results and two virtual draws, which count twice, at an information of 1/4 each.
    half = upper_quantile(0.975, None) * math.sqrt(5.0 / 3.0 / 1.5) / ELO
    assert (found.elo, found.high) == pytest.approx((0.0, half), abs=1e-6)


def test_whom_there_is_nothing_to_say_of() -> None:
    table = PairTable.from_matches([Match(["a", "b"], points=[1, 0])], players=["a", "b", "idle"])
    assert rate_one(table, "idle", np.zeros(3), 0.0) is None
    with pytest.raises(OptionError, match="no player 'who' in the results: give one of"):
        rate_one(table, "who", np.zeros(3), 0.0)
