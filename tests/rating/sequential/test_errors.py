"""What sequential tests promise, by simulation: their error rates, their cost, and their intervals."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from rating.arrays import Floats, Ints
from rating.sequential.gsprt import Gsprt
from rating.sequential.runs import Run, Verdict
from tests.fixtures.simulated_blocks import evidence_of, rare_losses, simulate_blocks, stops

pytestmark = pytest.mark.slow

RUNS, BLOCKS = 300, 700


@lru_cache
def made(elo: float, fresh: bool = False) -> tuple[Floats, Floats]:
    return simulate_blocks(RUNS, BLOCKS, elo, seed=1, fresh=fresh)


def ends(test: Gsprt, elo: float, fresh: bool = False) -> tuple[Ints, Ints]:
    scores, _ = made(elo, fresh)
    sums = scores.cumsum(axis=1), (scores**2).cumsum(axis=1)
    return stops(test, np.arange(1, BLOCKS + 1), *sums, evidence=evidence_of(test, scores))


@pytest.mark.parametrize("fresh", [False, True])
def test_errors_of_the_generalised_test(fresh: bool) -> None:
    """Both nominally 5 %."""
    test = Gsprt(0.0, 20.0)
    assert np.mean(ends(test, 0.0, fresh)[0] == 1) <= 0.07
    assert np.mean(ends(test, 20.0, fresh)[0] == -1) <= 0.07


def test_errors_with_normalised_bounds() -> None:
    scores, _ = made(20.0)
    nelo = 800.0 / np.log(10.0) * (scores.mean() - 0.5) / np.sqrt(4.0 * scores.var())
    test = Gsprt(0.0, float(nelo), scale="normalized")
    assert np.mean(ends(test, 0.0)[0] == 1) <= 0.07
    assert np.mean(ends(test, 20.0)[0] == -1) <= 0.07


def test_single_results_taken_as_independent_err_twice_as_often() -> None:
    _, counts = made(0.0, True)
    wins, draws = counts[:, :, 0].cumsum(axis=1), counts[:, :, 1].cumsum(axis=1)
    number = counts.sum(axis=2).cumsum(axis=1)
    side, _ = stops(Gsprt(0.0, 20.0), number, wins + 0.5 * draws, wins + 0.25 * draws)
    assert np.mean(side == 1) > 0.1


def test_duplicate_deals_save_matches() -> None:
    test = Gsprt(0.0, 20.0)
    cost = {fresh: float(np.mean(ends(test, 20.0, fresh)[1] + 1)) for fresh in (False, True)}
    assert cost[False] <= 0.9 * cost[True]


@pytest.mark.parametrize("elo", [pytest.param(0.0, marks=pytest.mark.nightly), 20.0])
def test_intervals_after_a_stop(elo: float) -> None:
    """Plain intervals hold in 88 to 90 % of the tests; these in 93 to 94, and their middle is unbiased."""
    test, (scores, _) = Gsprt(0.0, 20.0), made(elo)
    side, step = ends(test, elo)
    verdicts: dict[int, Verdict | None] = {1: "better", -1: "not_better", 0: None}
    middles, held, number = [], 0, 300
    for k in range(number):
        seen = scores[k, : step[k] + 1]
        report = test.report(
            Run(
                seen.size,
                float(seen.sum()),
                float((seen**2).sum()),
                float(seen.min()),
                float(seen.max()),
                verdicts[int(side[k])],
            )
        )
        assert report.low is not None
        assert report.elo is not None
        assert report.high is not None
        held += report.low <= elo <= report.high
        middles.append(report.elo)
    assert held / number >= 0.91
    assert abs(float(np.mean(np.array(middles) > elo)) - 0.5) < 0.09


@pytest.mark.parametrize(
    ("wins", "losses"),
    [
        ((0.2, 1 / 16), (0.1, -1 / 8)),
        ((0.3, 1 / 24), (0.1, -1 / 8)),
        ((0.4, 1 / 24), (0.1, -1 / 6)),
        ((0.2, 1 / 16), (0.025, -1 / 2)),
    ],
)
def test_rare_large_losses_are_not_overlooked(wins: tuple[float, float], losses: tuple[float, float]) -> None:
    """Most blocks level, small wins, rare large losses, 1/2 in the mean: 12, 19, 24 and 47 % without care, and
    17 in the last without evidence.
    """
    scores = rare_losses(500, 2000, wins, losses)
    number = np.arange(1, 2001)
    level = (scores == 0.5).cumsum(axis=1)
    test, sums = Gsprt(0.0, 10.0), (scores.cumsum(axis=1), (scores**2).cumsum(axis=1))
    side, _ = stops(test, number, *sums, level, evidence_of(test, scores))
    assert np.mean(side == 1) <= 0.05
