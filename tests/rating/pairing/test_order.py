"""What pairing is for: after 60 rounds the order is nearer the truth than with random tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import kendalltau

from rating import PairTable
from rating.fit.bayeselo import bayeselo
from rating.pairing.rules import Rule
from rating.simulation import Simulation, simulate


def order(made: Simulation) -> float:
    fit = bayeselo(PairTable.from_matches(made.matches, players=list(made.elo)))
    return float(kendalltau(fit.elo, list(made.elo.values())).statistic)


def test_order_after_60_rounds() -> None:
    """Seasons of 100 players, the same true ratings for each rule: paired differences of Kendall's tau, which
    must be 3 standard errors above 0.
    """
    rules: list[Rule] = ["variance", "a-optimal"]
    gained: dict[Rule, list[float]] = {rule: [] for rule in rules}
    for seed in range(6):
        random = order(simulate(100, 60, spread=400.0, seed=seed))
        for rule in rules:
            gained[rule].append(order(simulate(100, 60, spread=400.0, seed=seed, rule=rule)) - random)
    for rule, gains in gained.items():
        error = float(np.std(gains, ddof=1)) / math.sqrt(len(gains))
        assert float(np.mean(gains)) > 3.0 * error, (rule, gains)


@pytest.mark.parametrize("rule", ["swiss", "variance-sequential", "d-optimal"])
def test_a_season_by_every_rule(rule: Rule) -> None:
    made = simulate(16, 20, rule=rule, opening_rounds=4, seed=1)
    assert len(made.matches) == 20 * 16
    assert order(made) > 0.5
