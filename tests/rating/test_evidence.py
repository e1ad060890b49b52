"""Bets against a mean score: what they are worth, and that they seldom win where they should not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rating.arrays import Floats
from rating.errors import ResultError
from rating.evidence import confidence_sequence, e_value, log_evidence, stake
from rating.sequential.gsprt import Gsprt
from rating.sequential.runs import Run
from tests.fixtures.simulated_blocks import evidence_of, rare_losses, simulate_blocks, simulate_margins


def kelly(scores: Floats, null: float, hoped: float) -> float:
    """The e-value written out block by block."""
    wealth, seen = 1.0, [0.0, 1.0]
    for score in scores.tolist():
        weights = [0.25, 0.25] + [1.0] * (len(seen) - 2)
        variance = float(np.cov(seen, aweights=weights, ddof=0))
        bet = min(0.97 / null, (hoped - null) / (variance + (hoped - null) ** 2))
        wealth *= 1.0 + bet * (score - null)
        seen.append(score)
    return wealth


def test_the_e_value_by_its_formula() -> None:
    scores = simulate_blocks(1, 40, 30.0)[0][0]
    found = log_evidence(scores, 0.5, 0.53)
    assert math.exp(found[-1]) == pytest.approx(kelly(scores, 0.5, 0.53), rel=1e-9)
    assert found[9] == pytest.approx(float(log_evidence(scores[:10], 0.5, 0.53)[-1]))


def test_no_block_can_cost_all() -> None:
    assert float(stake(1000, 500.0, 250.0, 0.5, 0.6)) * 0.5 == pytest.approx(0.97)
    assert float(log_evidence(np.zeros(50), 0.5, 0.6)[-1]) > -math.inf
    assert math.isfinite(e_value(1e9))
    assert float(log_evidence(np.full(5, 0.2), 0.0, 0.5)[-1]) > 0.0


def test_level_blocks_are_no_evidence_against_level_play() -> None:
    assert log_evidence(np.full(100, 0.5), 0.5, 0.51).tolist() == [0.0] * 100
    # And the better against a loss: 103 in a row would rule out 10 Elo, had all been staked from the first on.
    null = 1.0 / (1.0 + 10.0 ** (10.0 / 400.0))
    assert float(log_evidence(np.full(120, 0.5), null, 0.5)[-1]) >= math.log(20.0)


def test_a_run_and_its_record_know_the_same_evidence() -> None:
    scores, margins = simulate_blocks(1, 60, 10.0)[0], simulate_margins(1, 60, 10.0)
    for test, by in ((Gsprt(0.0, 20.0), None), (Gsprt(5.0, 20.0, scale="normalized"), None),
                     (Gsprt(0.0, 20.0, measure="points"), margins)):  # fmt: skip
        expected, run = evidence_of(test, scores, by)[0], Run()
        for place, score in enumerate(scores[0].tolist()):
            run = test.add(run, score, 0.0 if by is None else float(by[0, place]))
            if run.verdict is not None:
                break
        assert run.log_e == pytest.approx(float(expected[run.blocks - 1]))
        assert test.report(run).e == pytest.approx(math.exp(run.log_e))


@pytest.mark.parametrize(
    ("wins", "losses"),
    [((0.2, 1 / 16), (0.025, -1 / 2)), ((0.4, 1 / 24), (0.1, -1 / 6)), ((0.5, 1 / 2), (0.5, -1 / 2))],
)
def test_it_seldom_ever_reaches_20_where_nothing_is_gained(
    wins: tuple[float, float], losses: tuple[float, float]
) -> None:
    """Whoever stops at the highest has the worst rule that there is."""
    made = rare_losses(400, 800, wins, losses)
    share = float(np.mean(log_evidence(made, 0.5, 0.5144).max(axis=1) >= math.log(20.0)))
    assert share <= 0.05 + 2.0 * math.sqrt(0.05 * 0.95 / 400)


def test_the_interval_holds_at_all_times_at_once() -> None:
    rng, missed = np.random.default_rng(2), 0
    for _ in range(60):
        scores = (rng.random(200) < 0.7) * rng.random(200)
        ends = [confidence_sequence(scores[:size]) for size in (1, 5, 20, 60, 200)]
        missed += any(not low <= 0.35 <= high for low, high in ends)
        widths = [high - low for low, high in ends]
        assert widths == sorted(widths, reverse=True)
        assert widths[-1] < 0.25
    assert missed <= 5
    assert confidence_sequence([]) == (0.0, 1.0)


def test_the_interval_is_its_own_mirror_image() -> None:
    scores = simulate_blocks(1, 50, 60.0)[0][0]
    low, high = confidence_sequence(scores)
    assert confidence_sequence(1.0 - scores) == pytest.approx((1.0 - high, 1.0 - low))
    narrow = confidence_sequence(scores, 0.5)
    assert low < narrow[0] < narrow[1] < high
    with pytest.raises(ResultError):
        confidence_sequence([0.5, 1.5])
