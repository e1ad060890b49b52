"""Sandwich intervals, their fall-backs, and what they are for: coverage."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtr, stdtrit

from rating import Match, OptionError, PairTable, rate, rating_covariance, simulate
from rating.arrays import Floats, Ints
from rating.fit import sandwich
from rating.fit.bayeselo import Fit, bayeselo
from rating.fit.intervals import _gradient_parts, intervals
from rating.fit.kinds import BAYESELO_Z, Kind, distribution, quantile_to_compare, upper_quantile
from rating.fit.sandwich import count_clusters
from tests.fixtures.profiles import examples
from tests.rating.recorded_results import from_pairs, simulate_season

pytestmark = pytest.mark.slow

ELO = math.log(10.0) / 400.0


@pytest.mark.parametrize(("kind", "clusters"), [("round", 15), ("table", 45), ("match", 180)])
def test_sandwich_by_its_formula(kind: Kind, clusters: int) -> None:
    """V = C (R/(R-1) sum g g^T) C, written out with loops."""
    matches = simulate_season(12, 15, seed=3)
    table = PairTable.from_matches(matches, players=[f"p{k}" for k in range(12)])
    fit = bayeselo(table)
    d, middle, sums = fit.drawelo * ELO, np.zeros((12, 12)), dict[Any, Any]()
    for match in matches:
        key = {"round": match.round, "table": (match.round, match.table), "match": id(match)}[kind]
        own = sums.setdefault(key, np.zeros(12))
        assert match.points is not None
        seats = [int(name[1:]) for name in match.players]
        for a in range(4):
            for b in range(a + 1, 4):
                i, j = seats[a], seats[b]
                u = (fit.elo[i] - fit.elo[j]) * ELO
                up, down = 1 / (1 + math.exp(u - d)), 1 / (1 + math.exp(-u - d))
                gap = match.points[a] - match.points[b]
                score = up * (gap >= 0) - down * (gap <= 0)
                own[i] += score
                own[j] -= score
    assert len(sums) == clusters
    for own in sums.values():
        middle += np.outer(own, own) * clusters / (clusters - 1)
    inverse = rating_covariance(fit) * ELO**2
    expected = inverse @ middle @ inverse / ELO**2
    of = intervals(fit, kind, pooled=False)
    assert (of.kind, of.clusters, of.notices) == (kind, clusters, ())
    assert of.covariance == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert of.quantile == pytest.approx(float(stdtrit(clusters - 1, 0.975)))
    spread = math.sqrt(expected[0, 0] + expected[1, 1] - 2 * expected[0, 1])
    assert of.los()[0, 1] == pytest.approx(float(stdtr(clusters - 1, (fit.elo[0] - fit.elo[1]) / spread)))


@pytest.mark.parametrize(
    ("rounds", "wanted", "kind", "notices"),
    [
        (10, "round", "round", []),
        (9, "round", "match", ["few-rounds"]),
        (5, "table", "table", ["few-tables-of-player"]),
        (4, "table", "match", ["few-tables"]),
        (2, "match", "match", ["few-matches-of-player"]),
        (1, "match", "model", ["few-matches"]),
        (1, "round", "model", ["few-matches"]),
    ],
)
def test_fall_backs(rounds: int, wanted: Kind, kind: Kind, notices: list[str]) -> None:
    fit = bayeselo(PairTable.from_matches(simulate_season(8, rounds)))
    of = intervals(fit, wanted, pooled=False)
    assert (of.kind, [notice.name for notice in of.notices]) == (kind, notices)
    if kind == "match":
        assert of.quantile == pytest.approx(float(stdtrit(8 * rounds - 1, 0.975)))
    if kind == "model":
        assert of.half == pytest.approx(math.sqrt(5 / 3) * intervals(fit, "model").half)


def test_rank_intervals_by_their_rule() -> None:
    fit = bayeselo(PairTable.from_matches(simulate_season(12, 20), players=["idle"]))
    of = intervals(fit)
    chance, best, worst = of.los(), *of.rank_interval()
    sure = 1 - 0.05 / 11
    for k in range(1, 13):
        assert best[k] == 1 + sum(chance[other, k] > sure for other in range(1, 13) if other != k)
        assert worst[k] == 12 - sum(chance[k, other] > sure for other in range(1, 13) if other != k)
    assert (best[0], worst[0]) == (0, 0)
    assert best.max() > 1
    narrow = intervals(fit, level=0.5).rank_interval()
    assert np.all(narrow[0] >= best)
    assert np.all(narrow[1] <= worst)
    among = of.rank_interval(who=[2, 5, 9])
    assert np.flatnonzero(among[0]).tolist() == [2, 5, 9]
    assert among.max() <= 3


def test_groups_apart_may_rank_anywhere() -> None:
    of = intervals(bayeselo(from_pairs([("a", "b", 90, 1, 5), ("c", "d", 9, 1, 5)])))
    assert of.rank_interval().tolist() == [[1, 2, 1, 1], [3, 4, 4, 4]]


def test_exactdist_ends_where_the_grid_ends() -> None:
    fit = bayeselo(from_pairs([("a", "b", 1, 0, 0)], players=["z"]), prior=0.1, drawelo=97.3)
    of = intervals(fit, "exactdist")
    assert of.low[1] < 0.0 < fit.elo[1] < of.high[1] < 1500.0
    assert of.low[1] == pytest.approx(-of.high[2])
    assert (of.low[0], of.high[0], of.sd[0]) == (0.0, 0.0, 0.0)
    assert of.los() == pytest.approx(intervals(fit, "covariance").los())
    wide, narrow = intervals(fit, "exactdist", level=0.99), intervals(fit, "exactdist", level=0.5)
    assert wide.low[1] < of.low[1] < narrow.low[1] < narrow.high[1] < of.high[1] < wide.high[1] < 1500.0


def test_rounds_that_are_not_named() -> None:
    plain = [Match(match.players, match.points) for match in simulate_season(8, 12)]
    ranking = rate(PairTable.from_matches(plain))
    assert ranking.intervals.kind == "match"
    assert ranking.warnings == ("intervals are by match: not all results name their round",)


@examples(300)
@given(
    st.lists(st.floats(-1e300, 1e300) | st.floats(-9.0, 9.0) | st.just(math.inf), max_size=4),
    st.none() | st.floats(0.5, 10_000.0),
)
def test_few_probabilities_are_those_of_many(scores: list[float], freedom: float | None) -> None:
    score = np.array(scores)
    expected = distribution(freedom, 1_000)(score)
    np.testing.assert_allclose(distribution(freedom, 2)(score), expected, rtol=0, atol=2e-11)


@examples(100)
@given(st.floats(0.4, 1.0 - 1e-9), st.none() | st.floats(0.5, 10_000.0))
def test_a_quantile_to_compare_is_the_quantile(share: float, freedom: float | None) -> None:
    expected = upper_quantile(share, freedom)
    assert quantile_to_compare(share, freedom) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_quantiles() -> None:
    fit = bayeselo(PairTable.from_matches(simulate_season(8, 12)))
    assert intervals(fit, "model").quantile == pytest.approx(1.959964, abs=1e-6)
    assert intervals(fit, "covariance").quantile == BAYESELO_Z
    assert intervals(fit, "variance").quantile == BAYESELO_Z
    assert intervals(fit, "model", level=0.99).quantile == pytest.approx(2.575829, abs=1e-6)
    narrow, wide = intervals(fit, level=0.5), intervals(fit, level=0.99)
    assert np.all(narrow.half < wide.half)
    assert wide.low == pytest.approx(fit.elo - wide.half)


@pytest.mark.parametrize(("kind", "level"), [("rounds", 0.95), ("round", 1.0), ("round", 95.0)])
def test_options_out_of_range(kind: str, level: float) -> None:
    fit = bayeselo(PairTable.from_matches(simulate_season(4, 1)))
    with pytest.raises(OptionError):
        intervals(fit, kind, level=level)  # type: ignore[arg-type]


def test_lines_are_ranked_and_add_up() -> None:
    ranking = rate(PairTable.from_matches(simulate_season(12, 12)))
    elos = [row.elo for row in ranking.rows if row.elo is not None]
    assert elos == sorted(elos, reverse=True)
    assert [row.rank for row in ranking.rows] == list(range(1, 13))
    for row in ranking.rows:
        assert row.results == row.wins + row.draws + row.losses == 3 * row.matches
        assert row.low is not None
        assert row.high is not None
        assert row.elo == pytest.approx((row.low + row.high) / 2)
        assert row.high - row.low == pytest.approx(2 * ranking.intervals.quantile * (row.sd or 0))


def test_equal_ratings_are_ordered_by_name() -> None:
    table = from_pairs([("b", "a", 5, 1, 5), ("c", "a", 5, 1, 5), ("c", "b", 5, 1, 5)])
    assert [row.player for row in rate(table).rows] == ["a", "b", "c"]


def test_a_ridge_for_the_covariance_alone() -> None:
    fit = bayeselo(from_pairs([("a", "b", 9, 1, 5), ("c", "d", 9, 1, 5)], players=["z"]))
    tied = rating_covariance(fit, ridge=350.0)
    assert np.linalg.eigvalsh(tied)[1] > 0
    assert not rating_covariance(fit)[0].any()


def test_coverage() -> None:
    """Three results of a match share a score: rounds cover 95 %, the model alone much less."""
    hits = {"round": 0, "model": 0}
    tries, players, rounds = 60, 40, 60
    for seed in range(tries):
        rng = np.random.default_rng(seed)
        # Gumbel scores: differences are logistic, so the model holds exactly pair by pair.
        truth = rng.normal(0.0, 0.5, players)
        truth -= truth.mean()
        seats = np.array([rng.permutation(players).reshape(-1, 4) for _ in range(rounds)])
        score = truth[seats][:, :, None, :] + rng.gumbel(size=(*seats.shape[:2], 2, 4))
        pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
        first = np.stack([np.broadcast_to(seats[:, :, None, a], score.shape[:3]) for a, _ in pairs])
        second = np.stack([np.broadcast_to(seats[:, :, None, b], score.shape[:3]) for _, b in pairs])
        won = np.stack([np.where(score[..., a] > score[..., b], 1, -1) for a, b in pairs])
        number = np.broadcast_to(np.arange(rounds)[None, :, None, None], won.shape)
        table = PairTable.from_results(
            [f"p{k}" for k in range(players)],
            first.ravel(),
            second.ravel(),
            won.ravel(),
            round=number.ravel(),
        )
        fit = bayeselo(table, drawelo=0.0)
        for kind in hits:
            of = intervals(fit, kind)  # type: ignore[arg-type]
            hits[kind] += int(np.sum(np.abs(of.fit.elo - truth / ELO) <= of.half))
    share = {kind: hit / (tries * players) for kind, hit in hits.items()}
    assert 0.93 <= share["round"] <= 0.965
    assert share["model"] < 0.92


def made_season(seed: int, own: Sequence[int], rounds: int, strength: dict[int, float] | None = None) -> Fit:
    """Two matches a table and round with Gumbel scores; player k is there in the last own[k] rounds. `truth_of`
    has the true ratings.
    """
    rng = np.random.default_rng(seed)
    there, truth = np.array(own), truth_of(seed, len(own), strength)
    columns: list[list[Ints]] = [[], [], [], []]
    for number in range(rounds):
        present = np.flatnonzero(there >= rounds - number)
        seats = rng.permutation(present)[: present.size // 4 * 4].reshape(-1, 4)
        score = truth[seats][:, None, :] + rng.gumbel(size=(len(seats), 2, 4))
        for a, b in combinations(range(4), 2):
            won = np.where(score[..., a] > score[..., b], 1, -1).ravel()
            parts = (np.repeat(seats[:, a], 2), np.repeat(seats[:, b], 2), won, np.full(won.size, number))
            for column, part in zip(columns, parts, strict=True):
                column.append(part)
    first, second, outcome, number_of = (np.concatenate(column) for column in columns)
    names = [f"p{k}" for k in range(len(own))]
    return bayeselo(PairTable.from_results(names, first, second, outcome, round=number_of), drawelo=0.0)


def truth_of(seed: int, players: int, strength: dict[int, float] | None = None) -> Floats:
    """The strengths that `made_season` plays with, natural units."""
    truth = np.random.default_rng([seed, 1]).normal(0.0, 0.5, players)
    for k, theta in (strength or {}).items():
        truth[k] = theta
    return truth - truth.mean()


def own_rounds(fit: Fit) -> Ints:
    table = fit.table
    played = [set(table.round[(table.first == k) | (table.second == k)]) for k in range(len(fit.elo))]
    return np.array([len(rounds) for rounds in played])


def test_intervals_of_late_joiners_hold() -> None:
    hits, tries = dict.fromkeys((1, 2, 3, 5), 0), dict.fromkeys((1, 2, 3, 5), 0)
    for seed in range(150):
        fit = made_season(seed, [1, 1, 2, 2, 3, 3, 5, 5] + [20] * 16, 20)
        of, own = intervals(fit), own_rounds(fit)
        assert of.kind == "round"
        held = np.abs(fit.elo - truth_of(seed, 24) / ELO) <= of.half
        for rounds in hits:
            hits[rounds] += int(held[own == rounds].sum())
            tries[rounds] += int((own == rounds).sum())
    assert min(tries.values()) > 100
    assert all(hits[rounds] / tries[rounds] >= 0.92 for rounds in hits), (hits, tries)


def test_late_joiners_are_named_and_at_least_as_wide_as_the_model() -> None:
    fit = made_season(3, [1, 2, 3] + [20] * 17, 20)
    of, few = intervals(fit, pooled=False), own_rounds(fit) < 10
    names = [name for name, late in zip(fit.table.players, few, strict=True) if late and name in "p0p1p2"]
    assert [notice.name for notice in of.notices] == ["few-rounds-of-player"]
    assert all(name in of.warnings[0] for name in names)
    floor = math.sqrt(5 / 3) * intervals(fit, "model").half
    assert np.all(of.half[few & fit.rated] >= floor[few & fit.rated] * (1 - 1e-12))
    assert of.high - of.low == pytest.approx(2 * of.quantile * of.sd)
    late = int(np.flatnonzero(few & fit.rated)[0])
    model = rating_covariance(fit)
    for k in range(5, 10):
        sd = math.sqrt(5 / 3 * (model[late, late] + model[k, k] - 2 * model[late, k]))
        score = (fit.elo[late] - fit.elo[k]) / sd
        assert abs(of.los([late, k])[0, 1] - 0.5) <= abs(float(stdtr(19, score)) - 0.5) + 1e-12


def test_others_keep_the_numbers_of_their_clusters() -> None:
    fit = made_season(3, [1, 2, 3] + [20] * 17, 20)
    of, kept = intervals(fit), own_rounds(fit) >= 10
    assert of.half[kept] == pytest.approx(of.quantile * np.sqrt(of.covariance.diagonal()[kept]), rel=1e-12)
    assert intervals(made_season(3, [20] * 20, 20)).floor is None


@pytest.mark.parametrize(("theta", "name"), [(9.0, "open-above"), (-9.0, "open-below")])
def test_who_won_or_lost_everything_is_no_surer_than_the_model(theta: float, name: str) -> None:
    fit = made_season(5, [20] * 12, 20, {0: theta})
    of = intervals(fit, pooled=False)
    assert [notice.name for notice in of.notices] == [name]
    assert of.warnings[0].endswith(": p0")
    assert of.half[0] >= math.sqrt(5 / 3) * intervals(fit, "model").half[0] * (1 - 1e-12)
    assert of.half[0] > 2 * of.quantile * math.sqrt(of.covariance[0, 0])
    # The chance against anybody else follows the wider of the two.
    assert np.all(np.abs(of.los()[0, 1:] - 0.5) < 0.5)


def test_many_players_have_a_floor_without_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = made_season(3, [1, 2, 3] + [20] * 57, 20)
    exact = intervals(fit, pooled=False)
    monkeypatch.setattr("rating.fit.sandwich._MOST_FACTORISED", 0)
    monkeypatch.setattr("rating.fit.sandwich._MOST_DENSE", 0)
    rough = intervals(fit, pooled=False)
    assert rough.half == pytest.approx(exact.half, rel=0.05)
    assert rough.los() == pytest.approx(exact.los(), abs=0.05)


def truth_and_fit(seed: int, rounds: int, alpha: float) -> tuple[Floats, Fit]:
    """A season of 24 players whose rounds share luck unless `alpha` is 1."""
    made = simulate(24, rounds, seed=seed, alpha=alpha)
    fit = bayeselo(PairTable.from_matches(made.matches))
    return np.array([made.elo[name] for name in fit.table.players]), fit


@pytest.mark.parametrize("rounds", [2, 3, 5, 10, 20])
def test_intervals_hold_from_the_second_round_on(rounds: int) -> None:
    """Whether a round's luck is shared or not; the half-widths of a season differ little."""
    hits, spread = [], []
    for seed in range(24):
        truth, fit = truth_and_fit(seed, rounds, (1.0, 0.9, 0.6)[seed % 3])
        of = intervals(fit)
        hits.append(np.mean(np.abs(fit.elo - truth) <= of.half))
        spread.append(of.half.std() / of.half.mean())
    assert 0.92 <= np.mean(hits) <= 0.985
    assert np.mean(spread) <= 0.15


def test_at_the_change_from_matches_to_rounds_no_interval_leaps() -> None:
    for seed in range(4):
        made = simulate(24, 10, seed=seed)
        before, after = (
            intervals(
                bayeselo(PairTable.from_matches([one for one in made.matches if (one.round or 0) <= last]))
            )
            for last in (9, 10)
        )
        assert (before.kind, after.kind) == ("match", "round")
        ratio = after.half / before.half
        assert ratio.min() > 0.7
        assert ratio.max() < 1.3


def test_variances_are_held_together_by_their_formula() -> None:
    """From 20 rounds on: V = w C M C + (1 - w) rho C."""
    _, fit = truth_and_fit(1, 25, 0.9)
    plain, model = intervals(fit, pooled=False).covariance, intervals(fit, "model").covariance
    ratio, weight = float(np.mean(plain.diagonal() / model.diagonal())), 24 / 54
    of = intervals(fit)
    assert of.covariance == pytest.approx(weight * plain + (1 - weight) * ratio * model)
    freedom = 1 / (1 / 54 + (1 - weight) ** 2 / (24 * 23))
    assert of.freedom == pytest.approx(freedom)
    assert of.quantile == pytest.approx(float(stdtrit(freedom, 0.975)))
    chance = (fit.elo[0] - fit.elo[1]) / math.sqrt(
        of.covariance[0, 0] + of.covariance[1, 1] - 2 * of.covariance[0, 1]
    )
    assert of.los()[0, 1] == pytest.approx(float(stdtr(freedom, chance)))


@pytest.mark.parametrize(("rounds", "kind"), [(5, "match"), (20, "round")])
def test_who_did_the_same_in_each_cluster_is_no_surer_than_the_model(rounds: int, kind: str) -> None:
    seats = [deque("ABCD") for _ in range(4)]
    for turn, order in enumerate(seats):
        order.rotate(turn)
    each = [Match(list(order), points=[-ord(name) for name in order], round=1, table=1) for order in seats]
    table = PairTable.from_matches(replace(one, round=number) for number in range(rounds) for one in each)
    fit = bayeselo(table)
    of = intervals(fit)
    (notice,) = [notice for notice in of.notices if notice.name == "alike"]
    assert (of.kind, notice.text.rpartition(": ")[2]) == (kind, "B, C")
    assert np.all(of.half >= math.sqrt(5 / 3) * intervals(fit, "model").half * (1 - 1e-12))


def test_rounds_that_are_all_alike_are_rated() -> None:
    rotation = [Match(order, points=[3, 2, 1, 0]) for order in ("ABCD", "BCDA", "CDAB", "DABC")]
    table = PairTable.from_matches(replace(one, round=n, table=1) for n in range(12) for one in rotation)
    ranking = rate(table)
    least = math.sqrt(5 / 3) * intervals(ranking.fit, "model").half
    assert ranking.intervals.half == pytest.approx(least)


def test_many_clusters_are_counted_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = made_season(3, [1, 2, 3] + [20] * 17, 20)
    clusters = fit.table.clusters("round")
    assert clusters is not None
    few = count_clusters(fit.table, _gradient_parts(fit), *clusters)
    monkeypatch.setattr(sandwich, "_MOST_SUMS", 0)
    many = count_clusters(fit.table, _gradient_parts(fit), *clusters)
    assert [list(values) for values in few] == [list(values) for values in many]
    assert few[1].sum() == (few[0] == 1).sum()
