"""Tuned numbers: within their bounds, whole where they are to be, the same from the same seed, and found."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating.descent import Descent, Tunable
from rating.errors import OptionError, ResultError
from tests.fixtures.profiles import examples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rating.descent import Values


@st.composite
def parameters(draw: st.DrawFn, whole: bool | None = None) -> Tunable:
    is_whole = draw(st.booleans()) if whole is None else whole
    number = (lambda least, most: st.integers(int(least), int(most))) if is_whole else st.floats
    low = draw(number(-100, 100))
    high = low + draw(number(1, 50))
    start = draw(number(low, high))
    step = draw(st.none() | st.floats(0.5, float(high - low)))
    return Tunable("x", start, low, high, step, is_whole)


RESULTS = st.lists(st.none() | st.floats(-1e6, 1e6), max_size=40)


def run(chosen: Sequence[Tunable], results: Sequence[float | None], seed: str = "s") -> Descent:
    descent = Descent(chosen, seed)
    for result in results:
        descent.take(result)
    return descent


@given(parameters(), RESULTS)
@examples(200)
def test_numbers_and_both_sides_keep_to_their_bounds(one: Tunable, results: list[float | None]) -> None:
    descent = Descent([one], "s")
    for result in results:
        for side in (*descent.sides(), descent.values, descent.estimate):
            assert one.low <= side["x"] <= one.high
        descent.take(result)
        assert one.low <= descent.path[-1][0] <= one.high


@given(parameters(whole=True), RESULTS)
@examples(200)
def test_a_whole_number_is_an_int_and_its_sides_differ_within_the_bounds(
    one: Tunable, results: list[float | None]
) -> None:
    descent = run([one], results)
    first, second = (side["x"] for side in descent.sides())
    assert isinstance(first, int)
    assert isinstance(descent.estimate["x"], int)
    assert isinstance(descent.values["x"], int)
    if one.low + 1 <= descent.path[-1][0] <= one.high - 1:
        assert first != second


def test_a_whole_number_is_rounded_up_as_often_as_its_fraction_says() -> None:
    one = Tunable("x", 3, 0, 9, whole=True)
    lots = [number / 1000 for number in range(1000)]
    assert sum(one.shown(3.25, lot) for lot in lots) / 1000 == pytest.approx(3.25, abs=2e-3)


@given(RESULTS)
def test_the_same_results_give_the_same_numbers_and_another_seed_others(results: list[float | None]) -> None:
    chosen = [Tunable(name, 1.0, 0.0, 9.0) for name in "abcdefgh"]
    first, again = run(chosen, results), run(chosen, results)
    assert (first.path, first.sides()) == (again.path, again.sides())
    assert run(chosen, results, "t").sides() != first.sides()


def test_nothing_depends_on_the_unit_of_results() -> None:
    chosen = [Tunable("a", 1.0, 0.0, 9.0), Tunable("b", 3, 0, 50, whole=True)]
    results = [random.Random(1).gauss(0.0, 1.0) for _ in range(50)]
    one, other = run(chosen, results), run(chosen, [1024 * result for result in results])
    assert one.path == other.path


def test_an_unknown_result_moves_nothing_and_a_first_one_a_quarter_of_the_step() -> None:
    descent = run([Tunable("x", 5.0, 0.0, 8.0)], [None, 0.0])
    assert descent.path == [(5.0,)] * 3
    assert run([Tunable("x", 5.0, 0.0, 8.0)], [17.0]).path[-1][0] in (4.5, 5.5)


def towards(best: Values, noise: float, seed: int) -> Callable[[Values, Values], float]:
    """By how much one side is better, where each number costs the square of its distance to the best."""
    chance = random.Random(seed)

    def lead(one: Values, other: Values) -> float:
        worth = [-sum((side[name] - best[name]) ** 2 for name in best) for side in (one, other)]
        return worth[0] - worth[1] + chance.gauss(0.0, noise)

    return lead


@pytest.mark.parametrize("whole", [False, True])
def test_a_noisy_optimum_is_found(whole: bool) -> None:
    """The noise of an iteration is twice what the start loses against the best."""
    left = []
    for seed in range(20):
        descent = Descent(
            [Tunable("a", 2, 0, 40, whole=whole), Tunable("b", 30.0, 0.0, 40.0)], f"seed {seed}"
        )
        best = {"a": 20.0, "b": 15.0}
        lead = towards(best, 2.0 * (18**2 + 15**2), seed)
        for _ in range(500):
            descent.take(lead(*descent.sides()))
        left.append(sum((descent.estimate[name] - best[name]) ** 2 for name in best) / (18**2 + 15**2))
    assert sum(left) / len(left) < 0.2


def test_the_estimate_is_the_mean_of_the_later_half() -> None:
    descent = run([Tunable("x", 5.0, 0.0, 8.0)], [1.0, -1.0, 2.0, 1.0])
    late = [numbers[0] for numbers in descent.path[3:]]
    assert descent.estimate["x"] == pytest.approx(sum(late) / 2, rel=1e-5)
    assert run([Tunable("x", 5.0, 0.0, 8.0)], []).estimate == {"x": 5.0}


@pytest.mark.parametrize(
    "keys",
    [
        {"start": 9.0}, {"high": 0.0}, {"high": float("inf")}, {"step": 0.0}, {"step": -1.0}, {"step": 9.0},
        {"step": 0.25, "whole": True}, {"start": 1.5, "whole": True},
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_fit_is_refused(keys: dict[str, float]) -> None:
    with pytest.raises(OptionError, match="x: "):
        Tunable(**{"name": "x", "start": 1, "low": 0, "high": 8, **keys})  # type: ignore[arg-type]


def test_a_result_is_finite() -> None:
    with pytest.raises(ResultError, match="finite"):
        run([Tunable("x", 5.0, 0.0, 8.0)], [float("nan")])


def test_what_a_number_is_worth_is_told_apart_from_one_that_does_nothing() -> None:
    luck = random.Random(4)
    descent = Descent([Tunable("steep", 0.1, 0.0, 1.0), Tunable("idle", 0.5, 0.0, 1.0)], "s")
    for _ in range(120):
        one, other = descent.sides()
        descent.take(10.0 * (one["steep"] - other["steep"]) + luck.gauss(0.0, 1.0))
    steep, idle = descent.worth["steep"], descent.worth["idle"]
    assert steep.lead > 5.0 * steep.error
    assert abs(idle.lead) < 2.0 * idle.error


def test_a_number_pulled_down_is_worth_less_up_and_nothing_is_said_of_one_result() -> None:
    descent = Descent([Tunable("x", 0.5, 0.0, 1.0)], "s")
    assert descent.worth == {}
    for _ in range(8):
        one, other = descent.sides()
        descent.take(other["x"] - one["x"])
    assert descent.worth["x"].lead < 0.0
    assert run([Tunable("x", 0.5, 0.0, 1.0)], [1.0, None, None]).worth == {}
