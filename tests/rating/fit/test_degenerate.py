"""Results that say too little: finite numbers and a named notice, never an exception, never silence."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from rating import Match, OptionError, PairTable, Ranking, rate
from rating.fit.bayeselo import bayeselo
from tests.rating.recorded_results import from_pairs, simulate_season


def names_of(ranking: Ranking) -> set[str]:
    return {notice.name for notice in ranking.notices}


def finite(ranking: Ranking) -> None:
    for row in ranking.rows:
        for value in (row.elo, row.sd, row.low, row.high):
            assert (value is None) == (row.results == 0)
            assert value is None or math.isfinite(value)
    assert math.isfinite(ranking.fit.drawelo)
    assert math.isfinite(ranking.fit.advantage)
    assert math.isfinite(ranking.fit.loglik)
    assert np.all(np.isfinite(ranking.intervals.los()))


DECIDED = {"undefeated", "winless", "open-above", "open-below"}
FEW = {"no-rounds", "few-matches-of-player"}
CASES = {
    "nobody": ([], [], {"no-results", "few-matches"}),
    "one player": ([], ["a"], {"no-results", "few-matches"}),
    "no game": ([], ["a", "b"], {"no-results", "few-matches"}),
    "one game": ([("a", "b", 1, 0, 0)], [], {*DECIDED, "drawelo-held", "few-matches"}),
    "one draw": ([("a", "b", 0, 1, 0)], [], {"drawelo-held", "few-matches"}),
    "all draws": ([("a", "b", 0, 9, 0), ("b", "c", 0, 9, 0)], [], {*FEW, "drawelo-held"}),
    "no draws": ([("a", "b", 9, 0, 5), ("b", "c", 4, 0, 4)], [], {*FEW, "no-draws"}),
    "a chain": ([("a", "b", 9, 0, 0), ("b", "c", 9, 0, 0)], [], {*DECIDED, *FEW, "drawelo-held"}),
    "idle": ([("a", "b", 9, 1, 5)], ["z"], {"idle", "no-rounds"}),
    "apart": ([("a", "b", 9, 1, 5), ("c", "d", 9, 1, 5)], [], {"disconnected", "no-rounds"}),
}


@pytest.mark.parametrize("case", CASES)
def test_notices_with_the_defaults(case: str) -> None:
    counts, players, expected = CASES[case]
    ranking = rate(from_pairs(counts, players=players))
    finite(ranking)
    assert names_of(ranking) == expected


OPTIONS: dict[str, tuple[Any, ...]] = {
    "prior": (0.0, 2.0),
    "advantage": (0.0, 32.8, "fit"),
    "drawelo": (0.0, 97.3, "fit"),
    "ridge": (None, 350.0),
}


@pytest.mark.parametrize("case", CASES)
def test_finite_under_every_option(case: str) -> None:
    counts, players, _ = CASES[case]
    table = from_pairs(counts, players=players)
    for values in product(*OPTIONS.values()):
        ranking = rate(table, **dict(zip(OPTIONS, values, strict=True)))
        finite(ranking)
        assert "not-converged" not in names_of(ranking), values


def test_a_three_cycle_with_advantage_fitted_does_not_run_away() -> None:
    table = from_pairs([("a", "b", 1, 0, 0), ("b", "c", 1, 0, 0), ("c", "a", 1, 0, 0)])
    with_prior = rate(table, advantage="fit")
    assert "drawelo-held" in names_of(with_prior)
    assert 0.0 < with_prior.fit.advantage < 2000.0
    without = rate(table, advantage="fit", prior=0.0)
    assert {"no-draws", "advantage-held"} <= names_of(without)
    assert without.fit.advantage == 0.0
    assert np.abs(without.fit.elo).max() < 1e-9


def test_players_without_results_come_last_and_have_no_rating() -> None:
    table = PairTable.from_matches(simulate_season(8, 12), players=["idle", "zero"])
    rows = rate(table).rows
    assert [(row.player, row.rank, row.elo, row.low, row.component) for row in rows[-2:]] == [
        ("idle", 9, None, None, None),
        ("zero", 9, None, None, None),
    ]
    without = rate(PairTable.from_matches(simulate_season(8, 12))).rows
    assert [row.elo for row in rows[:8]] == pytest.approx([row.elo for row in without], abs=1e-8)


def test_a_ridge_ties_groups() -> None:
    table = from_pairs([("a", "b", 30, 1, 5), ("c", "d", 30, 1, 5)])
    apart, tied = rate(table), rate(table, ridge=350.0)
    assert apart.intervals.los()[0, 3] == 0.5
    assert tied.intervals.los()[0, 3] > 0.5
    assert "only the ridge links them" in " ".join(tied.warnings)
    assert 0.0 < tied.fit.elo[0] < apart.fit.elo[0]


def test_a_wide_ridge_changes_nothing() -> None:
    table = PairTable.from_matches(simulate_season(12, 12))
    plain, wide = rate(table), rate(table, ridge=1e6)
    assert wide.fit.elo == pytest.approx(plain.fit.elo, abs=1e-4)
    assert wide.intervals.half == pytest.approx(plain.intervals.half, rel=1e-5)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"prior": -1.0}, "prior"),
        ({"prior": float("nan")}, "prior"),
        ({"prior": 1e300}, "1e-9 to 1e6"),
        ({"drawelo": 1e-300}, "1e-9 to 5000"),
        ({"drawelo": -1.0}, "drawelo"),
        ({"drawelo": "ml"}, "drawelo"),
        ({"drawelo": 1e6}, "1e-9 to 5000"),
        ({"advantage": -1e6}, "up to 5000"),
        ({"advantage": float("inf")}, "advantage"),
        ({"ridge": 0.0}, "ridge"),
        ({"start": np.zeros(3)}, "start"),
    ],
)
def test_options_out_of_range(options: dict[str, object], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        bayeselo(PairTable.from_matches([Match("ab", [1, 0])]), **options)  # type: ignore[arg-type]
