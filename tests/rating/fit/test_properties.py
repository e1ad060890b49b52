"""What must hold whatever the results are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating import PairTable, rating_covariance
from rating.fit.bayeselo import bayeselo
from rating.fit.intervals import intervals
from rating.fit.kinds import Kind
from rating.fit.likelihood import Likelihood
from tests.fixtures.profiles import examples

Row = tuple[int, int, int]
CLUSTERED: list[Kind] = ["round", "match"]

quick = examples(40)


@st.composite
def results(draw: st.DrawFn) -> tuple[int, list[Row]]:
    n = draw(st.integers(2, 7))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda ab: ab[0] != ab[1])
    rows = draw(st.lists(st.tuples(pair, st.sampled_from([1, 1, 0, -1])), min_size=1, max_size=60))
    return n, [(a, b, outcome) for (a, b), outcome in rows]


def table_of(n: int, rows: list[Row], rename: list[int] | None = None) -> PairTable:
    place = rename or list(range(n))
    first, second, outcome = (np.array(column) for column in zip(*rows, strict=True))
    at = np.array(place)
    rounds = np.arange(len(rows)) % 12
    return PairTable.from_results([f"p{k}" for k in range(n)], at[first], at[second], outcome, round=rounds)


@quick
@given(results(), st.randoms(use_true_random=False))
def test_renaming_players_permutes_everything(case: tuple[int, list[Row]], random: object) -> None:
    n, rows = case
    place = list(range(n))
    random.shuffle(place)  # type: ignore[attr-defined]
    before, after = bayeselo(table_of(n, rows)), bayeselo(table_of(n, rows, place))
    assert after.drawelo == pytest.approx(before.drawelo, abs=1e-6)
    assert after.elo[place] == pytest.approx(before.elo, abs=1e-6)
    assert intervals(after).half[place] == pytest.approx(intervals(before).half, rel=1e-6, abs=1e-6)


@quick
@given(results(), st.randoms(use_true_random=False))
def test_order_of_results_does_not_matter(case: tuple[int, list[Row]], random: object) -> None:
    n, rows = case
    shuffled = rows.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert bayeselo(table_of(n, shuffled)).elo == pytest.approx(bayeselo(table_of(n, rows)).elo, abs=1e-7)


@quick
@given(results())
def test_who_is_named_first_does_not_matter_without_advantage(case: tuple[int, list[Row]]) -> None:
    n, rows = case
    turned = [(b, a, -outcome) for a, b, outcome in rows]
    assert bayeselo(table_of(n, turned)).elo == pytest.approx(bayeselo(table_of(n, rows)).elo, abs=1e-7)


@quick
@given(results())
def test_mirrored_results_negate(case: tuple[int, list[Row]]) -> None:
    n, rows = case
    mirrored = [(a, b, -outcome) for a, b, outcome in rows]
    one, other = bayeselo(table_of(n, rows)), bayeselo(table_of(n, mirrored))
    assert other.elo == pytest.approx(-one.elo, abs=1e-7)
    assert other.drawelo == pytest.approx(one.drawelo, abs=1e-7)
    assert intervals(other, "match").half == pytest.approx(intervals(one, "match").half, rel=1e-6, abs=1e-6)


@quick
@given(results(), st.floats(-2.0, 2.0), st.sampled_from([0.0, 32.8]))
def test_likelihood_ignores_a_constant_and_matches_its_slopes(
    case: tuple[int, list[Row]], constant: float, advantage: float
) -> None:
    n, rows = case
    likelihood = Likelihood(table_of(n, rows).pairs(advantage != 0.0), n, 2.0)
    theta, a, d = np.linspace(-1.0, 1.0, n), 0.3 * (advantage != 0.0), 0.4
    assert likelihood.value(theta + constant, a, d) == pytest.approx(likelihood.value(theta, a, d), abs=1e-9)
    slope, gap = likelihood.slope(theta, a, d), 1e-5
    gradient = likelihood.scatter(slope.r)
    for k in range(n):
        step = gap * np.eye(n)[k]
        rise = (likelihood.value(theta + step, a, d) - likelihood.value(theta - step, a, d)) / (2 * gap)
        assert gradient[k] == pytest.approx(rise, abs=1e-5)
    rise = (likelihood.value(theta, a, d + gap) - likelihood.value(theta, a, d - gap)) / (2 * gap)
    assert slope.d1 == pytest.approx(rise, abs=1e-4)
    higher, lower = likelihood.slope(theta, a, d + gap), likelihood.slope(theta, a, d - gap)
    assert slope.c == pytest.approx(-(higher.r - lower.r) / (2 * gap), abs=1e-5)
    assert slope.d2 == pytest.approx(-(higher.d1 - lower.d1) / (2 * gap), rel=1e-4)


@quick
@given(results(), st.sampled_from(CLUSTERED))
def test_covariances_are_positive_and_blind_to_constants(case: tuple[int, list[Row]], kind: Kind) -> None:
    fit = bayeselo(table_of(*case))
    of = intervals(fit, kind)
    scale = max(1.0, float(np.abs(of.covariance).max()))
    assert np.linalg.eigvalsh(of.covariance).min() >= -1e-8 * scale
    for group in range(int(fit.component.max()) + 1):
        assert np.abs(of.covariance[:, fit.component == group].sum(axis=1)).max() <= 1e-7 * scale
    chance = of.los()
    assert np.all((chance >= 0.0) & (chance <= 1.0))
    assert chance + chance.T == pytest.approx(np.ones_like(chance))


@quick
@given(results(), st.sampled_from([0.0, 1e-6, 2.0]), st.sampled_from(["fit", 0.0, 97.3]), st.booleans())
def test_numbers_are_finite(
    case: tuple[int, list[Row]], prior: float, drawelo: float | str, with_advantage: bool
) -> None:
    table = table_of(*case)
    fit = bayeselo(table, prior=prior, drawelo=drawelo, advantage="fit" if with_advantage else 0.0)  # type: ignore[arg-type]
    assert np.all(np.isfinite(fit.elo))
    assert np.isfinite([fit.drawelo, fit.advantage, fit.loglik]).all()
    assert prior == 1e-6 or "not-converged" not in {notice.name for notice in fit.notices}
    for kind in ("round", "model", "variance"):
        of = intervals(fit, kind)  # type: ignore[arg-type]
        assert np.all(np.isfinite(of.half))
        assert np.all(np.isfinite(of.los()))


@quick
@given(results())
def test_covariance_is_the_pseudo_inverse(case: tuple[int, list[Row]]) -> None:
    fit = bayeselo(table_of(*case))
    likelihood = fit.likelihood()
    elo = np.log(10.0) / 400.0
    matrix = likelihood.laplacian(likelihood.slope(fit.elo * elo, 0.0, fit.drawelo * elo).h)
    expected = np.linalg.pinv(matrix, rcond=1e-12, hermitian=True) / elo**2
    assert rating_covariance(fit) == pytest.approx(expected, rel=1e-6, abs=1e-6 * np.abs(expected).max())
