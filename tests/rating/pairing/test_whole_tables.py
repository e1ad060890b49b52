"""Whole tables: gains against matrices written out, and how near the best division local search comes."""

from __future__ import annotations

import numpy as np
import pytest

from rating import PairTable
from rating.arrays import Floats, Ints
from rating.fit.bayeselo import bayeselo
from rating.pairing.field import Field, field_of
from rating.pairing.partition import Gain, divide, improve
from rating.pairing.rounds import next_round
from rating.pairing.rules import Rule
from rating.simulation import simulate
from rating.threads import one_thread


def field_after(players: int, rounds: int, *, size: int = 4, spread: float = 250.0, seed: int = 0) -> Field:
    made = simulate(players, rounds, size=size, spread=spread, seed=seed)
    return field_of(bayeselo(PairTable.from_matches(made.matches)), list(made.elo))


@pytest.mark.parametrize("size", [2, 3, 4, 6])
@pytest.mark.parametrize("weighted", [False, True])
def test_gains_are_what_matrices_say(size: int, weighted: bool) -> None:
    field = field_after(12, 4, size=size)
    weights: Floats = np.linspace(0.1, 2.0, 12) if weighted else np.ones(12)
    table = np.arange(12)[:: 12 // size][:size]
    added, share = np.zeros((12, 12)), 4 * 3.0 / (size + 1.0)
    for a in table:
        for b in table:
            if a < b:
                v = np.zeros(12)
                v[a], v[b] = 1.0, -1.0
                added += share * field.information()[a, b] * np.outer(v, v)
    # C is singular (ratings have mean 0): C (I + M C)^-1 is what it becomes all the same.
    after = field.covariance @ np.linalg.inv(np.eye(12) + added @ field.covariance)
    fall = float(weights @ (field.covariance - after).diagonal())
    volume = float(np.linalg.slogdet(np.eye(12) + field.covariance @ added)[1])
    by_a = Gain(field, "a-optimal", size, 4, weights if weighted else None)
    assert by_a.of_tables(table[None])[0] == pytest.approx(fall, rel=1e-9)
    if not weighted:
        assert Gain(field, "d-optimal", size, 4).of_tables(table[None])[0] == pytest.approx(volume, rel=1e-9)


@pytest.mark.parametrize("rule", ["a-optimal", "d-optimal"])
def test_gain_of_a_swap_is_the_difference(rule: str) -> None:
    gain = Gain(field_after(16, 4), rule, 4, 4)
    tables = np.random.default_rng(0).permutation(16).reshape(4, 4)
    where = np.argsort(tables.ravel()) // 4
    i, j = np.array([(i, j) for i in range(16) for j in range(16) if where[i] != where[j]]).T
    exact, rough = gain.of_swaps(tables, where, i, j), gain.of_swaps_roughly(tables, where, i, j)
    for a, b, gained, roughly in zip(i, j, exact, rough, strict=True):
        swapped = np.where(tables == a, b, np.where(tables == b, a, tables))
        assert gained == pytest.approx(
            gain.of_tables(swapped).sum() - gain.of_tables(tables).sum(), abs=1e-12
        )
        pairs = [
            sum(gain.rough[s, t] for table in of.tolist() for s in table for t in table) / 2.0
            for of in (tables, swapped)
        ]
        assert roughly == pytest.approx(pairs[1] - pairs[0], abs=1e-12)


def best_of_restarts(gain: Gain, size: int, restarts: int) -> float:
    rng, n = np.random.default_rng(1), len(gain.covariance)
    starts = [rng.permutation(n).reshape(-1, size) for _ in range(restarts)]
    return max(float(gain.of_tables(improve(gain, start, n)).sum()) for start in starts)


def total(gain: Gain, tables: Ints) -> float:
    return float(gain.of_tables(tables).sum())


@pytest.mark.parametrize("rule", ["a-optimal", "d-optimal"])
@pytest.mark.parametrize(
    ("players", "rounds", "size", "restarts"),
    [(12, 3, 4, 30), (20, 12, 2, 30), (40, 2, 4, 30), (40, 12, 4, 30), (60, 30, 3, 15), (200, 12, 4, 4)],
)
def test_local_search_comes_within_a_hundredth_of_the_best(
    rule: str, players: int, rounds: int, size: int, restarts: int
) -> None:
    gain = Gain(field_after(players, rounds, size=size), rule, size, size)
    with one_thread():
        assert total(gain, divide(gain, size)) >= 0.99 * best_of_restarts(gain, size, restarts)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["variance", "variance-sequential"])
@pytest.mark.parametrize(("players", "rounds"), [(40, 12), (40, 40), (200, 12), (200, 40)])
def test_greedy_comes_within_three_hundredths(rule: Rule, players: int, rounds: int) -> None:
    made = simulate(players, rounds, spread=250.0)
    fit = bayeselo(PairTable.from_matches(made.matches))
    field = field_of(fit, list(made.elo))
    rank = {name: k for k, name in enumerate(field.names)}
    tables = np.array([[rank[name] for name in seats] for seats in next_round(fit, rule=rule)])
    gain = Gain(field, "a-optimal", 4, 4)
    assert total(gain, tables) >= 0.97 * total(gain, divide(gain, 4))


def test_a_swap_never_loses() -> None:
    gain = Gain(field_after(40, 3), "a-optimal", 4, 4)
    start = np.random.default_rng(3).permutation(40).reshape(-1, 4)
    once = improve(gain, start)
    assert total(gain, once) > total(gain, start)
    assert total(gain, improve(gain, once)) >= total(gain, once) * (1.0 - 1e-12)
    assert sorted(once.ravel().tolist()) == list(range(40))


def test_players_of_weight_zero_are_not_worth_a_table() -> None:
    """With weight on the best alone, they meet whoever tells most about them."""
    made = simulate(24, 12, spread=250.0)
    fit = bayeselo(PairTable.from_matches(made.matches))
    field = field_of(fit, list(made.elo))
    top = field.names[:4]
    weights: Floats = np.array([1.0 if name in top else 0.0 for name in field.names])
    of_top = Gain(field, "a-optimal", 4, 4, weights)
    rank = {name: k for k, name in enumerate(field.names)}

    def worth(given: dict[str, float] | None) -> float:
        tables = next_round(fit, rule="a-optimal", weights=given)
        return total(of_top, np.array([[rank[name] for name in seats] for seats in tables]))

    assert worth({name: float(name in top) for name in field.names}) > worth(None)
