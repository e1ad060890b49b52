"""Sequential tests: the formula, verdicts, resumption, degenerate play; intervals after a stop."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import numpy as np
import pytest

from rating.errors import OptionError, ResultError
from rating.sequential.brownian import _above, _between, drift_interval, expected_exit
from rating.sequential.gsprt import Gsprt
from rating.sequential.runs import Run
from tests.fixtures.simulated_blocks import evidence_of, simulate_blocks, stops


def through(test: Gsprt, scores: list[float]) -> Run:
    run = Run()
    for score in scores:
        run = test.add(run, score)
    return run


def scores(number: int, elo: float, seed: int = 0) -> list[float]:
    made: list[float] = simulate_blocks(1, number, elo, seed=seed)[0][0].tolist()
    return made


def test_the_ratio_by_its_formula() -> None:
    made = np.array(scores(60, 5.0))
    s0, s1 = 0.5, 1.0 / (1.0 + 10.0 ** (-20.0 / 400.0))
    # A quarter of a block lost whole and a quarter won whole stand for what was not seen.
    around0, around1 = (np.sum((made - s) ** 2) + 0.25 * (s**2 + (1.0 - s) ** 2) for s in (s0, s1))
    plain = 30.25 * math.log(around0 / around1)
    test = Gsprt(0.0, 20.0, alpha=1e-9, beta=1e-9)
    assert float(test.llr(60, made.sum(), (made**2).sum())) == pytest.approx(plain, abs=0.01)
    run = through(test, made.tolist())
    assert test.report(run).llr == pytest.approx(plain, abs=0.01)
    assert Gsprt().bounds == pytest.approx((-math.log(19.0), math.log(19.0)))


def test_normalised_bounds_follow_the_noise() -> None:
    """nElo 800/ln 10 (mean - 1/2) / sqrt(m var): at a mean of just elo1, N t^2 / 2."""
    made = np.array(scores(400, 10.0))
    mean, variance = made.mean(), made.var()
    nelo = 800.0 / math.log(10.0) * (mean - 0.5) / math.sqrt(4.0 * variance)
    test = Gsprt(0.0, nelo, scale="normalized", matches=4)
    t = (mean - 0.5) / math.sqrt(variance)
    expected = 400.0 * t**2 / 2.0
    assert float(test.llr(400, made.sum(), (made**2).sum())) == pytest.approx(expected, rel=0.04)
    assert test.report(through(test, made[:16].tolist())).nelo is not None


def test_a_long_way_apart_is_decided_early_but_not_at_once() -> None:
    test = Gsprt(0.0, 20.0)
    winning, losing = scores(400, 200.0), scores(400, -200.0)
    assert through(test, winning[:15]).verdict is None
    run = through(test, winning)
    assert run.verdict == "better"
    assert 16 <= run.blocks < 40
    assert through(test, losing).verdict == "not_better"


def test_a_verdict_stays() -> None:
    test = Gsprt(0.0, 20.0)
    run = through(test, scores(400, 200.0))
    assert test.add(run, 0.0) is run


def test_a_run_can_be_kept_and_goes_on_as_if_it_never_stopped() -> None:
    test, made = Gsprt(0.0, 10.0), scores(200, 5.0)
    kept = Run()
    for score in made:
        kept = Run(**json.loads(json.dumps(asdict(test.add(kept, score)))))
    assert kept == through(test, made)
    assert test.report(kept) == test.report(through(test, made))


def test_identical_play_is_said_to_be() -> None:
    """Two copies of one deterministic program gain exactly half of every block."""
    test = Gsprt(0.0, 10.0)
    assert through(test, [0.5] * 15).verdict is None
    run = through(test, [0.5] * 16)
    assert run.verdict == "identical_play"
    report = test.report(run)
    assert math.isfinite(report.llr)
    assert report.elo == pytest.approx(0.0, abs=0.1)
    assert (report.blocks, report.matches, report.to_go) == (16, 64, None)


@pytest.mark.parametrize("scale", ["logistic", "normalized"])
@pytest.mark.parametrize(("score", "verdict"), [(1.0, "better"), (0.0, "not_better"), (0.75, "better")])
def test_play_without_variance_is_decided(scale: str, score: float, verdict: str) -> None:
    test = Gsprt(0.0, 10.0, scale=scale)  # type: ignore[arg-type]
    run = through(test, [score] * 2000)
    assert run.verdict == verdict
    report = test.report(run)
    for value in (report.llr, report.elo, report.low, report.high, report.nelo):
        assert value is not None
        assert math.isfinite(value)


def test_scores_at_a_bound_divide_by_nothing() -> None:
    test = Gsprt(-10.0, 0.0)
    for number in (1, 2, 1000):
        assert np.isfinite(test.llr(number, 0.5 * number, 0.25 * number))


def test_out_of_budget() -> None:
    test, made = Gsprt(0.0, 2.0, most_blocks=40), scores(60, 1.0)
    run = through(test, made)
    assert (run.verdict, run.blocks) == ("out_of_budget", 40)
    report = test.report(run)
    assert report.low is not None
    assert report.elo is not None
    assert report.high is not None
    assert report.low < report.elo < report.high
    assert report.to_go is None


def test_nothing_yet() -> None:
    test = Gsprt()
    report = test.report(Run())
    assert (report.llr, report.elo, report.blocks, report.to_go) == (0.0, None, 0, None)
    one = test.report(test.add(Run(), 0.6))
    assert one.to_go is None
    assert one.high == pytest.approx(1200.0, abs=1200.0)


def test_stops_are_those_of_one_run_at_a_time() -> None:
    test = Gsprt(0.0, 40.0)
    made, _ = simulate_blocks(20, 120, 25.0)
    sums = made.cumsum(axis=1), (made**2).cumsum(axis=1)
    side, step = stops(test, np.arange(1, 121), *sums, evidence=evidence_of(test, made))
    assert set(side.tolist()) <= {-1, 0, 1}
    for of_run, last, decided in zip(made, step, side, strict=True):
        run = through(test, of_run.tolist())
        assert run.verdict == {1: "better", -1: "not_better", 0: None}[int(decided)]
        assert run.blocks == last + 1


@pytest.mark.slow
def test_expected_numbers_of_blocks() -> None:
    """Wald: 2.65 x 2 variance / (s1 - s0)^2 at either bound with 5 % risks; about what simulation gives."""
    test = Gsprt(0.0, 20.0)
    made, _ = simulate_blocks(300, 600, 20.0, seed=3)
    variance = float(made.var())
    s1 = 1.0 / (1.0 + 10.0 ** (-20.0 / 400.0))
    expected = test.expected_blocks(20.0, variance)
    assert expected == pytest.approx(2.65 * 2.0 * variance / (s1 - 0.5) ** 2, rel=0.01)
    assert test.expected_blocks(0.0, variance) == pytest.approx(expected, rel=0.01)
    assert test.expected_blocks(10.0, variance) > 1.5 * expected
    _, step = stops(test, np.arange(1, 601), made.cumsum(axis=1), (made**2).cumsum(axis=1))
    assert np.mean(step + 1) == pytest.approx(expected, rel=0.12)
    assert test.expected_blocks(0.0, 0.0) == 16.0
    assert test.expected_blocks(500.0, variance) == 16.0
    run = through(test, scores(40, 5.0))
    report = test.report(run)
    assert run.verdict is None
    assert report.to_go is not None
    assert report.to_go > 0.0
    early = test.report(through(test, scores(3, 5.0)))
    assert early.to_go is not None
    assert early.to_go >= 12.9


def test_expected_exit() -> None:
    assert expected_exit(3.0, 5.0, 0.0, 2.0) == pytest.approx(7.5)
    assert expected_exit(3.0, 5.0, 1e-7, 2.0) == pytest.approx(7.5, rel=1e-5)
    assert expected_exit(3.0, 5.0, 10.0, 1.0) == pytest.approx(0.5)
    assert expected_exit(3.0, 5.0, -10.0, 1.0) == pytest.approx(0.3)
    assert expected_exit(3.0, 5.0, 0.3, 1.0) == pytest.approx(expected_exit(5.0, 3.0, -0.3, 1.0))
    assert expected_exit(0.0, 5.0, 0.3, 1.0) == 0.0


@pytest.mark.parametrize("time", [0.5, 4.0, 30.0, 400.0])
def test_walks_between_bounds_end_somewhere(time: float) -> None:
    """Above, below and neither add up to 1, at small times and large."""
    a, b = 4.0, 7.0
    for drift in (-1.5, -0.2, 0.0, 0.05, 0.4, 3.0):
        above, below = _above(drift, time, a, b), _above(-drift, time, b, a)
        assert above + below + _between(drift, time, a, b, -a) == pytest.approx(1.0, abs=1e-9)
        if time == 400.0 and drift:
            g = 2.0 * drift
            assert above == pytest.approx(math.expm1(-g * a) / math.expm1(-g * (a + b)), abs=1e-6)


@pytest.mark.slow
def test_walks_by_simulation() -> None:
    a, b, drift, time, fine = 3.0, 4.0, 0.1, 20.0, 200
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.normal(drift / fine, fine**-0.5, (3000, int(time) * fine)), axis=1, dtype=np.float32)
    hit_above = np.where((walk >= b).any(axis=1), (walk >= b).argmax(axis=1), 10**9)
    hit_below = np.where((walk <= -a).any(axis=1), (walk <= -a).argmax(axis=1), 10**9)
    assert np.mean(hit_above < hit_below) == pytest.approx(_above(drift, time, a, b), abs=0.035)
    neither = (hit_above == hit_below) & (walk[:, -1] > 1.0)
    assert np.mean(neither) == pytest.approx(_between(drift, time, a, b, 1.0), abs=0.03)


def test_an_interval_without_bounds_is_the_plain_one() -> None:
    low, middle, high = drift_interval(25.0, 5.0, -math.inf, math.inf, False, 0.95)
    assert (low, middle, high) == pytest.approx((0.2 - 0.391993, 0.2, 0.2 + 0.391993), abs=1e-6)
    wide = drift_interval(25.0, 5.0, -1e3, 1e3, False, 0.95)
    assert wide == pytest.approx((low, middle, high), abs=1e-6)


def test_an_early_stop_is_drawn_towards_the_middle() -> None:
    low, middle, high = drift_interval(30.0, 9.0, -8.0, 8.0, True, 0.95)
    assert low < middle < 9.0 / 30.0 < high
    mirrored = drift_interval(30.0, -9.0, -8.0, 8.0, True, 0.95)
    assert mirrored == pytest.approx((-high, -middle, -low), abs=1e-9)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"elo0": 10.0, "elo1": 10.0}, "elo0 below elo1"),
        ({"elo1": math.inf}, "two numbers"),
        ({"alpha": 0.0}, "alpha"),
        ({"beta": 0.5}, "beta"),
        ({"scale": "normalised"}, "logistic, normalized"),
        ({"matches": 0}, "give at least 1"),
        ({"most_blocks": 0}, "most_blocks"),
    ],
)
def test_options_out_of_range(options: dict[str, object], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        Gsprt(**options)  # type: ignore[arg-type]


def test_scores_out_of_range() -> None:
    test = Gsprt()
    for score in (-0.1, 1.1, math.nan):
        with pytest.raises(ResultError, match="from 0 to 1"):
            test.add(Run(), score)


def test_a_winner_of_everything_is_decided_soon_after_the_first_look() -> None:
    run = through(Gsprt(0.0, 10.0), [1.0] * 40)
    assert run.verdict == "better"
    assert run.blocks <= 24


def test_level_blocks_decide_nothing_but_identical_play() -> None:
    test = Gsprt(-10.0, 0.0, level_blocks=102)
    assert through(test, [0.5] * 101).verdict is None
    assert through(test, [0.5] * 102).verdict == "identical_play"
    assert through(test, [0.5] * 60 + [0.6] * 15 + [0.5] * 60).verdict is None


def test_level_blocks_that_rule_out_a_weaker_version() -> None:
    """A share p of blocks that are lost makes 1/2 - p/2; (1 - p)^n <= alpha."""
    test = Gsprt(-10.0, 0.0)
    p = 2.0 * (0.5 - 1.0 / (1.0 + 10.0 ** (10.0 / 400.0)))
    n = test.enough_level_blocks
    assert (1.0 - p) ** n <= 0.05 < (1.0 - p) ** (n - 1)
    with pytest.raises(OptionError, match=r"elo0 0\.0"):
        _ = Gsprt().enough_level_blocks


def test_intervals_of_few_blocks_are_students() -> None:
    made = [0.4, 0.6, 0.7, 0.5]
    report = Gsprt(0.0, 10.0).report(through(Gsprt(0.0, 10.0), made))
    assert report.low is not None
    half = 3.182446 * np.std(made, ddof=1) / 2.0
    assert report.low == pytest.approx(-400.0 * math.log10(1.0 / (0.55 - half) - 1.0), rel=0.02)
    lone = Gsprt().report(through(Gsprt(), [0.5]))
    assert (lone.low, lone.high) == pytest.approx((-1199.8, 1199.8), abs=0.1)


def test_the_forecast_waits_for_blocks_that_are_not_level() -> None:
    test = Gsprt(0.0, 60.0)
    run = through(test, [0.5, 0.75, 0.75] * 5)
    report = test.report(run)
    assert report.llr > report.bounds[1]
    assert report.to_go == pytest.approx(1.5 * (16 - 10))
    assert min(test.cost(run)) >= 24.0
