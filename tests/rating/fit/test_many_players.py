"""Many players: conjugate gradients give what the dense factor gives; BLAS stays at one thread."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from rating import PairTable
from rating.fit.bayeselo import bayeselo
from rating.fit.intervals import intervals
from rating.fit.kinds import Kind
from rating.threads import one_thread
from tests.rating.recorded_results import from_pairs, simulate_season

pytestmark = pytest.mark.slow

KINDS: list[Kind] = ["round", "match", "model", "covariance", "variance"]


APART = from_pairs([("a", "b", 5, 2, 3), ("b", "c", 5, 2, 3), ("x", "y", 4, 1, 1)], players=["idle"])
WHOLE = PairTable.from_matches(simulate_season(40, 20), players=["idle"])


@pytest.mark.parametrize("table", [WHOLE, APART])
@pytest.mark.parametrize(
    "options", [{}, {"advantage": "fit"}, {"ridge": 350.0}, {"drawelo": 97.3, "prior": 8.0}]
)
def test_both_solvers_agree(
    monkeypatch: pytest.MonkeyPatch, table: PairTable, options: dict[str, object]
) -> None:
    dense = bayeselo(table, **options)  # type: ignore[arg-type]
    monkeypatch.setattr("rating.fit.newton._FEWEST_ITERATIVE", 0)
    iterative = bayeselo(table, **options)  # type: ignore[arg-type]
    assert iterative.elo == pytest.approx(dense.elo, abs=1e-9)
    assert iterative.drawelo == pytest.approx(dense.drawelo, abs=1e-9)
    assert iterative.advantage == pytest.approx(dense.advantage, abs=1e-9)


def test_a_long_chain_falls_back_to_the_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours only: conjugate gradients would need as many products as there are players."""
    n = 300
    names, at = [f"p{k}" for k in range(n)], np.arange(n - 1)
    first, second = np.tile(at, 3), np.tile(at + 1, 3)
    outcome = np.repeat([1, -1, 1], n - 1)
    table = PairTable.from_results(names, first, second, outcome)
    monkeypatch.setattr("rating.fit.solvers._MOST_PRODUCTS", 20)
    iterative = bayeselo(table)
    monkeypatch.setattr("rating.fit.newton._FEWEST_ITERATIVE", n)
    assert iterative.elo == pytest.approx(bayeselo(table).elo, abs=1e-6)


@pytest.mark.parametrize("options", [{}, {"ridge": 350.0}, {"advantage": "fit"}])
def test_intervals_without_a_matrix(monkeypatch: pytest.MonkeyPatch, options: dict[str, object]) -> None:
    table = PairTable.from_matches(simulate_season(60, 20), players=["idle"])
    fit = bayeselo(table, **options)  # type: ignore[arg-type]
    dense = {kind: intervals(fit, kind, pooled=False) for kind in KINDS}
    ranks = {kind: of.rank_interval() for kind, of in dense.items()}
    monkeypatch.setattr("rating.fit.sandwich._MOST_FACTORISED", 0)
    monkeypatch.setattr("rating.fit.sandwich._MOST_DENSE", 0)
    monkeypatch.setattr("rating.fit.intervals._ROWS", 7)
    for kind, of in dense.items():
        iterated = intervals(fit, kind, pooled=False)
        rough = 0.03 if kind in ("model", "covariance") else 1e-7
        assert iterated.clusters == of.clusters
        assert iterated.notices == ()
        assert iterated.half == pytest.approx(of.half, rel=rough)
        if kind in ("round", "match"):
            assert iterated.los() == pytest.approx(of.los(), abs=1e-7)
            assert iterated.covariance == pytest.approx(of.covariance, rel=1e-6, abs=1e-6)
            assert np.array_equal(iterated.rank_interval(), ranks[kind])
        some = [5, 60, 7]
        assert iterated.los(some) == pytest.approx(of.los()[np.ix_(some, some)], abs=rough)
        than = [7, 2, 30, 11]
        assert of.los(some, than) == pytest.approx(of.los()[np.ix_(some, than)], abs=1e-12)


@pytest.mark.slow
def test_many_clusters_of_many_players_are_summed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = bayeselo(PairTable.from_matches(simulate_season(40, 100)))
    exact = intervals(fit, "match")
    monkeypatch.setattr("rating.fit.sandwich._MOST_DENSE", 0)
    monkeypatch.setattr("rating.fit.sandwich._MOST_ENTRIES", 40 * 500)
    blocks = intervals(fit, "match")
    assert (exact.clusters, blocks.clusters) == (4000, 500)
    assert blocks.half.mean() == pytest.approx(exact.half.mean(), rel=0.05)


def test_chains_too_long_for_conjugate_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    names, at = [f"p{k}" for k in range(300)], np.arange(299)
    first, second = np.tile(at, 12), np.tile(at + 1, 12)
    number = np.repeat(np.arange(12), 299)
    outcome = np.random.default_rng(0).choice([1, -1], number.size)
    fit = bayeselo(PairTable.from_results(names, first, second, outcome, round=number))
    exact = intervals(fit, pooled=False)
    monkeypatch.setattr("rating.fit.sandwich._MOST_FACTORISED", 0)
    monkeypatch.setattr("rating.fit.solvers._MOST_PRODUCTS", 20)
    assert intervals(fit, pooled=False).half == pytest.approx(exact.half, rel=1e-9)
    monkeypatch.setattr("rating.fit.sandwich._MOST_DENSE", 0)
    assert [notice.name for notice in intervals(fit, pooled=False).notices] == ["rough-intervals"]


def test_ten_thousand_players_need_no_matrix() -> None:
    rng = np.random.default_rng(5)
    n, rounds = 10_000, 12
    first, second = np.array([rng.permutation(n).reshape(2, -1) for _ in range(rounds)]).transpose(1, 0, 2)
    outcome = rng.choice([1, -1, 1, 0], size=first.shape)
    number = np.broadcast_to(np.arange(rounds)[:, None], first.shape)
    names = [f"p{k}" for k in range(n)]
    table = PairTable.from_results(
        names, first.ravel(), second.ravel(), outcome.ravel(), round=number.ravel()
    )
    tracemalloc.start()
    of = intervals(bayeselo(table))
    top = of.los([0, 1, 2])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert of.kind == "round"
    assert top[0, 1] + top[1, 0] == 1.0
    assert peak < 100_000_000


def test_a_start_near_the_end_saves_steps_and_none_changes_anything() -> None:
    table = PairTable.from_matches(simulate_season(40, 20))
    cold = bayeselo(table)
    warm, far = bayeselo(table, start=cold.elo), bayeselo(table, start=np.linspace(900.0, -200.0, 40))
    assert warm.iterations <= cold.iterations
    assert warm.elo == pytest.approx(cold.elo, abs=1e-9)
    assert far.elo == pytest.approx(cold.elo, abs=1e-9)


def threads_of_blas() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_one_thread_within_and_the_old_number_after() -> None:
    import scipy.linalg  # noqa: F401  (its BLAS must be loaded to be found)

    before = threads_of_blas()
    with one_thread(), one_thread():
        assert set(threads_of_blas()) == {1}
    assert threads_of_blas() == before


def test_the_last_of_several_threads_restores_the_number() -> None:
    import scipy.linalg  # noqa: F401

    before = threads_of_blas()
    first, second = one_thread(), one_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(threads_of_blas()) == {1}
    second.__exit__(None, None, None)
    assert threads_of_blas() == before


@pytest.mark.process
def test_a_library_loaded_within_is_limited_too() -> None:
    code = (
        "from rating.threads import one_thread\n"
        "from threadpoolctl import threadpool_info\n"
        "import numpy\n"
        "with one_thread():\n"
        "    import scipy.linalg\n"
        "    with one_thread():\n"
        "        print([library['num_threads'] for library in threadpool_info()])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) == {1}
