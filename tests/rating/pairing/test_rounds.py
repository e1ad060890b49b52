"""Rules of pairing against their definitions, written out with loops and whole matrices; what they are for."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from rating import Match, OptionError, PairTable
from rating.fit.bayeselo import Fit, bayeselo
from rating.pairing.field import field_of
from rating.pairing.rounds import next_round
from rating.pairing.rules import Rule, rule_of_round
from rating.seeded_shuffle import shuffle
from rating.simulation import Simulation, simulate
from tests.rating.recorded_results import from_pairs, simulate_season

ELO = math.log(10.0) / 400.0
RULES: list[Rule] = ["variance", "variance-sequential", "a-optimal", "d-optimal", "swiss", "random"]
Floats = npt.NDArray[np.float64]


def information(fit: Fit) -> Floats:
    """H of the ratings, virtual draws included, natural units."""
    likelihood = fit.likelihood()
    h = likelihood.slope(fit.elo * ELO, fit.advantage * ELO, fit.drawelo * ELO).h
    return likelihood.laplacian(h)


def outcomes(fit: Fit, a: int, b: int, kappa: float = 8.0) -> list[tuple[float, float]]:
    """(chance, information) of a win, a draw and a loss of a against b."""
    u, d = (fit.elo[a] - fit.elo[b]) * ELO, fit.drawelo * ELO
    s1, s2 = 1.0 / (1.0 + math.exp(d - u)), 1.0 / (1.0 + math.exp(d + u))
    table, counts = fit.table, [0, 0, 0]
    for first, second, outcome in zip(table.first, table.second, table.outcome, strict=True):
        if {int(first), int(second)} == {a, b}:
            counts[1 - int(outcome if first == a else -outcome)] += 1
    h_win, h_loss = s1 * (1.0 - s1), s2 * (1.0 - s2)
    model = (s1, 1.0 - s1 - s2, s2)
    chances = [(kappa * p + n) / (kappa + sum(counts)) for p, n in zip(model, counts, strict=True)]
    return list(zip(chances, (h_win, h_win + h_loss, h_loss), strict=True))


def variance_after(matrix: Floats, a: int, b: int, h: float) -> float:
    v = np.zeros(len(matrix))
    v[a], v[b] = 1.0, -1.0
    inverse = np.linalg.pinv(matrix + h * np.outer(v, v), rcond=1e-13, hermitian=True)
    return float(inverse[a, a])


def rounded(fit: Fit) -> Fit:
    """As pairing sees it."""
    return replace(fit, elo=np.round(fit.elo, 6), drawelo=round(fit.drawelo, 6))


@pytest.fixture(scope="module")
def fit() -> Fit:
    return rounded(bayeselo(PairTable.from_matches(simulate_season(12, 11, seed=4))))


def ranked(fit: Fit) -> list[int]:
    return sorted(range(len(fit.elo)), key=lambda k: (-round(float(fit.elo[k]), 6), fit.table.players[k]))


def test_closed_form_is_the_pseudo_inverse(fit: Fit) -> None:
    """One result of known outcome, one of unknown outcome, and several, to 1e-9."""
    matrix, order = information(fit), ranked(fit)
    field = field_of(fit, fit.table.players)
    others = np.arange(1, 12)
    one, four = field.drops(0, others, 1), field.drops(0, others, 4)
    a = order[0]
    before = float(np.linalg.pinv(matrix, rcond=1e-13, hermitian=True)[a, a])
    for rank in others:
        expected, hbar = 0.0, 0.0
        for chance, h in outcomes(fit, a, order[rank]):
            after = variance_after(matrix, a, order[rank], h)
            c = field.covariance[0, 0] - field.covariance[0, rank]
            spread = c + field.covariance[rank, rank] - field.covariance[0, rank]
            assert before - h * c**2 / (1.0 + h * spread) == pytest.approx(after, rel=1e-9)
            expected += chance * (before - after)
            hbar += chance * h
        assert one[rank - 1] == pytest.approx(expected, rel=1e-9)
        several = before - variance_after(matrix, a, order[rank], 4.0 * hbar)
        assert four[rank - 1] == pytest.approx(several, rel=1e-9)
        assert field.information()[0, rank] == pytest.approx(hbar, rel=1e-12)


def test_closed_form_with_a_ridge() -> None:
    """Groups that never met and a newcomer: the whole matrix has an inverse, and falls are the same."""
    rows = [("a", "b", 9, 1, 5), ("b", "c", 3, 2, 4), ("x", "y", 9, 1, 5)]
    fit = rounded(bayeselo(from_pairs(rows, players=["idle"])))
    players = [*fit.table.players, "new"]
    field = field_of(fit, players)
    matrix = np.zeros((7, 7))
    matrix[:6, :6] = information(fit)
    matrix += np.eye(7) * (350.0 * ELO) ** -2
    number = [players.index(name) for name in field.names]
    for a in range(7):
        others = np.array([b for b in range(7) if b != a])
        drops = field.drops(a, others, 4)
        for b, drop in zip(others, drops, strict=True):
            h = 4.0 * field.information()[a, b]
            before = np.linalg.inv(matrix)[number[a], number[a]]
            after = variance_after(matrix, number[a], number[b], h)
            assert drop == pytest.approx(before - after, rel=1e-9)


def test_variance_is_the_missions_greedy(fit: Fit) -> None:
    matrix, free, expected = information(fit), ranked(fit), []
    while free:
        a = free.pop(0)
        before = variance_after(matrix, a, free[0], 0.0)
        falls = {
            b: sum(p * (before - variance_after(matrix, a, b, h)) for p, h in outcomes(fit, a, b))
            for b in free
        }
        chosen = sorted(free, key=lambda b: -falls[b])[:3]
        expected.append([fit.table.players[k] for k in (a, *chosen)])
        free = [k for k in free if k not in chosen]
    assert next_round(fit) == expected


def test_variance_sequential_by_whole_matrices(fit: Fit) -> None:
    matrix, free, expected = information(fit), ranked(fit), []
    field, order = field_of(fit, fit.table.players), ranked(fit)
    weight = field.information() * 4 * 0.6
    while free:
        table = [free.pop(0)]
        while len(table) < 4:
            a, rank = table[0], order.index(table[0])
            before = variance_after(matrix, a, free[0], 0.0)
            falls = [before - variance_after(matrix, a, b, float(weight[rank, order.index(b)])) for b in free]
            chosen = free.pop(int(np.argmax(falls)))
            for seated in table:
                v = np.zeros(12)
                v[seated], v[chosen] = 1.0, -1.0
                matrix = matrix + weight[order.index(seated), order.index(chosen)] * np.outer(v, v)
            table.append(chosen)
        expected.append([fit.table.players[k] for k in table])
    assert next_round(fit, rule="variance-sequential") == expected


def test_many_updates_are_applied_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = bayeselo(PairTable.from_matches(simulate_season(48, 12)))
    batched = next_round(fit, rule="variance-sequential")
    for columns in (1, 5, 1000):
        monkeypatch.setattr("rating.pairing.greedy._COLUMNS", columns)
        assert next_round(fit, rule="variance-sequential") == batched


def test_swiss_takes_the_least_met_and_then_the_nearest() -> None:
    rows = [("a", "b", 9, 0, 1), ("b", "c", 9, 0, 1), ("c", "d", 9, 0, 1)]
    table = from_pairs(rows)
    assert next_round(table, rule="swiss", size=2) == [["a", "c"], ["b", "d"]]
    met_all = from_pairs([*rows, ("a", "c", 10, 0, 0), ("a", "d", 10, 0, 0), ("b", "d", 10, 0, 0)])
    assert next_round(met_all, rule="swiss", size=2) == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize("rule", RULES)
def test_everybody_has_one_seat(rule: Rule) -> None:
    table = PairTable.from_matches(simulate_season(20, 3), players=["idle"])
    players = [*table.players[:21], "new", "newer", "newest"]
    for size in (2, 3, 4, 6, 12, 24):
        tables = next_round(table, players, rule=rule, size=size)
        assert [len(seats) for seats in tables] == [size] * (24 // size)
        assert sorted(name for seats in tables for name in seats) == sorted(players)


@pytest.mark.parametrize("rule", RULES)
def test_nothing_matters_but_results_players_and_seed(rule: Rule) -> None:
    """Not the order of players, the order of results, nor how the fit was reached."""
    matches = simulate_season(16, 10, seed=2)
    table = PairTable.from_matches(matches)
    expected = next_round(table, rule=rule, seed="s|11")
    mixed = PairTable.from_matches(matches[::-1], players=sorted(table.players, reverse=True))
    assert next_round(mixed, rule=rule, seed="s|11") == expected
    warm = bayeselo(table, start=np.linspace(-300.0, 300.0, 16))
    assert next_round(warm, list(reversed(table.players)), rule=rule, seed="s|11") == expected
    assert (next_round(table, rule=rule, seed="s|12") == expected) == (rule != "random")


@pytest.mark.parametrize("rule", RULES)
def test_before_any_result(rule: Rule) -> None:
    tables = next_round(PairTable.from_matches([]), list("hgfedcba"), rule=rule)
    assert sorted(name for seats in tables for name in seats) == list("abcdefgh")


@pytest.mark.parametrize("rule", RULES)
def test_newcomers_are_like_idle_players(rule: Rule) -> None:
    matches = simulate_season(16, 10)
    named = PairTable.from_matches(matches, players=["x", "y", "z", "w"])
    players = list(named.players)
    assert next_round(PairTable.from_matches(matches), players, rule=rule) == next_round(named, rule=rule)


@pytest.mark.parametrize("rule", RULES)
def test_players_may_be_away(rule: Rule) -> None:
    table = PairTable.from_matches(simulate_season(16, 10))
    present = list(table.players[3:11])
    tables = next_round(table, present, rule=rule)
    assert sorted(name for seats in tables for name in seats) == sorted(present)


@pytest.mark.parametrize("rule", ["a-optimal", "d-optimal", "swiss"])
def test_copies_of_a_house_bot_sit_apart(rule: Rule) -> None:
    """They tell nothing about each other; rules that look at whole tables see it."""
    table = PairTable.from_matches(simulate_season(8, 10))
    players = [*table.players[:6], "p7", "p7"]
    tables = next_round(table, players, rule=rule)
    assert [seats.count("p7") for seats in tables] == [1, 1]


def test_earlier_meetings_count_against_a_pairing() -> None:
    """a has met b forty times and c never: of two equals, the stranger tells more."""
    rows = [("a", "b", 20, 0, 20), ("a", "d", 10, 0, 10), ("b", "c", 10, 0, 10), ("c", "d", 10, 0, 10)]
    tables = next_round(from_pairs(rows), size=2)
    assert tables[0] == ["a", "c"]


def test_lots_never_change() -> None:
    """Recorded: a season must pair alike on every machine and for ever."""
    assert shuffle("abcdefgh", 1) == list("ahegcbfd")
    assert shuffle("abcdefgh", "spring|7") == list("cbhafegd")
    table = PairTable.from_matches([], players="hgfedcba")
    assert next_round(table, rule="random", seed=1) == [
        shuffle("abcdefgh", 1)[:4],
        shuffle("abcdefgh", 1)[4:],
    ]


def test_lots_are_fair() -> None:
    first = [shuffle("abc", seed) for seed in range(6000)]
    counts = [first.count(list(order)) for order in ("abc", "acb", "bac", "bca", "cab", "cba")]
    assert sum(counts) == 6000
    assert max(abs(count - 1000) for count in counts) < 120  # four standard deviations


@pytest.mark.parametrize(
    ("rule", "round", "expected"),
    [
        ("variance", 1, "random"),
        ("variance", 12, "random"),
        ("variance", 13, "variance"),
        ("variance", 16, "variance"),
        ("a-optimal", 12, "random"),
        ("a-optimal", 15, "a-optimal"),
        ("a-optimal", 16, "random"),
        ("a-optimal", 17, "a-optimal"),
        ("a-optimal", 20, "random"),
    ],
)
def test_rule_of_a_round(rule: Rule, round: int, expected: Rule) -> None:
    assert rule_of_round(rule, round, 12) == expected


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rule": "seed"}, "give one of variance"),
        ({"size": 1}, "at least two"),
        ({"size": 3}, "4 players do not fill tables of 3: add 2"),
        ({"size": 8}, "add 4"),
        ({"players": []}, "0 players do not fill tables of 4: add 4"),
        ({"games": 0}, "games 0"),
        ({"weights": {"a": 1.0}}, "with a-optimal"),
        ({"rule": "a-optimal", "weights": {"a": -1.0}}, "from 0 on"),
    ],
)
def test_options_out_of_range(options: dict[str, object], says: str) -> None:
    table = PairTable.from_matches([Match("abcd", [1, 2, 3, 4])])
    with pytest.raises(OptionError, match=says):
        next_round(table, **options)  # type: ignore[arg-type]


def order(made: Simulation) -> float:
    from scipy.stats import kendalltau  # takes a second, in each process of the tests

    fit = bayeselo(PairTable.from_matches(made.matches, players=list(made.elo)))
    return float(kendalltau(fit.elo, list(made.elo.values())).statistic)


@pytest.mark.nightly
def test_rules_order_players_better_than_random_rounds() -> None:
    """Seasons with the same true ratings for each rule: paired differences of Kendall's tau, in standard errors."""
    players, rounds, least = 100, 60, 3.0
    rules: list[Rule] = ["variance", "a-optimal"]
    gained: dict[Rule, list[float]] = {rule: [] for rule in rules}
    for seed in range(6):
        random = order(simulate(players, rounds, spread=400.0, seed=seed))
        for rule in rules:
            gained[rule].append(order(simulate(players, rounds, spread=400.0, seed=seed, rule=rule)) - random)
    for rule, gains in gained.items():
        error = float(np.std(gains, ddof=1)) / math.sqrt(len(gains))
        assert float(np.mean(gains)) > least * error, (rule, gains)


@pytest.mark.parametrize("rule", ["swiss", "variance-sequential", "d-optimal"])
def test_a_season_by_every_rule(rule: Rule) -> None:
    made = simulate(16, 20, rule=rule, opening_rounds=4, seed=1)
    assert len(made.matches) == 20 * 16
    assert order(made) > 0.5
