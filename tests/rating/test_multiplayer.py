"""TrueSkill and openskill: symmetry, order, draws."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import pytest

from rating import Match, OptionError, PairTable
from rating.fit.bayeselo import bayeselo
from rating.multiplayer import Skill, games_of, matches_of, openskill, trueskill
from tests.rating.recorded_results import from_pairs, simulate_season

pytestmark = pytest.mark.slow

needs_openskill = pytest.mark.skipif(find_spec("openskill") is None, reason="openskill is not installed")
MODELS = [trueskill, pytest.param(openskill, marks=needs_openskill)]
Model = Callable[..., Skill]


@pytest.mark.parametrize("model", MODELS)
def test_order_of_players_agrees_with_the_ratings(model: Model) -> None:
    matches = simulate_season(8, 15)
    fit = bayeselo(PairTable.from_matches(matches))
    skill = model(matches, players=fit.table.players, shuffles=4)
    assert np.corrcoef(skill.mu, fit.elo)[0, 1] > 0.97
    assert skill.mu.mean() == pytest.approx(25.0)
    assert np.all(skill.spread > 0.0)
    assert np.all(skill.sigma < 25.0 / 3.0)
    assert skill.played.tolist() == [60] * 8


def test_the_order_of_matches_matters_less_than_sigma() -> None:
    skill = trueskill(simulate_season(8, 15), shuffles=6)
    assert skill.spread.mean() < 0.5 * skill.sigma.mean()


@pytest.mark.parametrize("model", MODELS)
def test_same_seed_same_figures(model: Model) -> None:
    matches = simulate_season(4, 5)
    one, again, other = (model(matches, shuffles=2, seed=seed) for seed in (1, 1, 2))
    assert one.mu.tolist() == again.mu.tolist()
    assert one.mu.tolist() != other.mu.tolist()


@pytest.mark.parametrize("model", MODELS)
def test_renaming_players_permutes_everything(model: Model) -> None:
    matches = simulate_season(4, 4)
    renamed = [Match([f"x{name}" for name in match.players], match.points) for match in matches]
    assert model(renamed, shuffles=2).mu.tolist() == model(matches, shuffles=2).mu.tolist()


@pytest.mark.parametrize("model", MODELS)
def test_equal_results_give_equal_skill(model: Model) -> None:
    """Ties of two are slightly uneven in trueskill: 25.00 to a thousandth."""
    skill = model([Match("ab", [1, 1]), Match("ba", [2, 2])], shuffles=2)
    assert skill.mu[0] == pytest.approx(skill.mu[1], abs=2e-3)
    assert skill.sigma[0] == pytest.approx(skill.sigma[1], abs=2e-3)


@pytest.mark.parametrize("model", MODELS)
def test_reversed_results_mirror(model: Model) -> None:
    up = model([Match("abc", [3, 2, 1])], shuffles=1)
    down = model([Match("abc", [1, 2, 3])], shuffles=1)
    assert up.mu == pytest.approx(down.mu[::-1], abs=1e-2)
    assert up.spread.tolist() == [0, 0, 0]


def test_games() -> None:
    matches = [
        Match("abcd", [3, 1, 1, 0]),
        Match("abcd", [2, 1, 2, 1], sides=(0, 1, 0, 1)),
        Match("abcd", [3, 1, 1, 0], faulty=1),
        Match(["a", "random", "random#2", "b"], [0, 1, 2, 3], owners=["a", "random", "random", "b"]),
    ]
    games, names = games_of(matches, ["z"], "seed")
    assert names == ("z", "a", "b", "c", "d", "random", "random#2")
    assert games[0] == (((1,), (2,), (3,), (4,)), (0, 1, 1, 2))
    assert games[1] == (((1, 3), (2, 4)), (0, 1))
    assert len(games) == 2 + 3 + 5
    assert games[2] == (((1,), (2,)), (0, 1))
    assert len(games_of(matches, [], "drop")[0]) == 2 + 5


def test_results_without_matches() -> None:
    table = from_pairs([("a", "b", 2, 1, 0)])
    assert [list(match.points or ()) for match in matches_of(table)] == [[1, 0], [1, 0], [0, 0]]


def test_draw_probability() -> None:
    none = trueskill([Match("ab", [1, 0])] * 4, shuffles=1)
    assert none.draw_probability == 0.0
    drawn = trueskill([Match("ab", [1, 0]), Match("ab", [0, 1]), Match("ab", [1, 1])] * 20, shuffles=2)
    assert drawn.draw_probability == pytest.approx(1 / 3, abs=0.05)
    assert trueskill([Match("ab", [1, 1])] * 5, shuffles=1).draw_probability == pytest.approx(0.99, abs=0.01)


def test_nobody() -> None:
    skill = trueskill([], players=["a"])
    assert skill.mu.tolist() == [25.0]
    assert skill.played.tolist() == [0]


def test_there_is_at_least_one_order() -> None:
    with pytest.raises(OptionError, match="at least 1"):
        trueskill([], shuffles=0)


@pytest.mark.process
def test_no_warning_gets_out() -> None:
    code = (
        "from rating import Match; from rating.multiplayer import trueskill; trueskill([Match('ab', [1, 0])])"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_seats_decide_nothing_among_tied_players() -> None:
    """Linked in the order given, the three would be more than a point apart."""
    for seats in ("abcd", "adcb"):
        skill = trueskill([Match(seats, [9, 0, 0, 0])] * 20, players="abcd")
        assert np.ptp(skill.mu[1:]) < 0.2 < skill.sigma.min()
        assert np.all(skill.spread[1:] > 0.03)
