"""BayesElo's commands, scale and table."""

from __future__ import annotations

import numpy as np
import pytest

from rating import OptionError
from rating.fit.bayeselo import bayeselo
from rating.fit.intervals import intervals
from rating.presets import PRESETS, bayeselo_lines, display_scale, find_preset, round_away
from tests.rating.recorded_results import from_pairs, recorded, recorded_table

SETS = ("small4", "small12_ties", "medium40", "undefeated", "bridge")


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(("preset", "variant"), [("bayeselo", "default"), ("bayeselo-mm-1-1", "fit_both")])
def test_a_preset_gives_the_recorded_ratings(name: str, preset: str, variant: str) -> None:
    chosen, expected = find_preset(preset), recorded(name)["bayeselo"]["converged"][variant]
    fit = bayeselo(
        recorded_table(name), advantage=chosen.advantage, drawelo=chosen.drawelo, prior=chosen.prior
    )
    assert np.abs(fit.elo - expected["elo"]).max() <= 2e-6
    of = intervals(fit, chosen.kind)
    assert np.abs(of.half - expected["plus_variance"]).max() <= (4e-6 if name == "bridge" else 2e-6)
    assert display_scale(fit.drawelo) == pytest.approx(expected["default_scale"], abs=1e-9)


@pytest.mark.parametrize("kind", ["variance", "covariance", "exactdist"])
def test_the_table_is_scaled_and_rounded(kind: str) -> None:
    expected = recorded("small4")["bayeselo"]["converged"]["default"]
    fit = bayeselo(recorded_table("small4"), advantage=32.8, drawelo=97.3)
    lines = bayeselo_lines(intervals(fit, kind))  # type: ignore[arg-type]
    assert lines[0] == "Rank Name   Elo    +    - games score oppo. draws"
    scale = expected["default_scale"]
    order = sorted(range(4), key=lambda k: -expected["elo"][k])
    for line, k in zip(lines[1:], order, strict=True):
        rank, name, elo, plus, minus, games, *_ = line.split()
        assert (rank, name, games) == (str(order.index(k) + 1), f"p{k}", "144")
        assert int(elo) == round_away(scale * expected["elo"][k])
        assert int(plus) == round_away(scale * expected[f"plus_{kind}"][k])
        assert int(minus) == round_away(scale * expected[f"minus_{kind}"][k])


def test_the_table_as_it_is_printed() -> None:
    table = from_pairs([("Rybka 2.3", "b", 6, 2, 2), ("b", "c", 3, 1, 6)], players=["idle"])
    fit = bayeselo(table, advantage=32.8, drawelo=97.3)
    assert bayeselo_lines(intervals(fit, "variance"), offset=2000.0) == [
        "Rank Name        Elo    +    - games score oppo. draws",
        "   1 c          2048  179  179    10   65%  1929   10%",
        "   2 Rybka 2.3  2023  174  174    10   70%  1929   20%",
        "   3 b          1929  125  125    20   33%  2036   15%",
    ]


@pytest.mark.parametrize(("value", "whole"), [(0.5, 1), (-0.5, -1), (1.49, 1), (-2.5, -3), (0.0, 0)])
def test_halves_go_away_from_zero(value: float, whole: int) -> None:
    assert round_away(value) == whole


def test_scale() -> None:
    assert display_scale(97.3) == pytest.approx(0.925497, abs=1e-6)
    assert display_scale(0.0) == 1.0


def test_unknown_preset() -> None:
    with pytest.raises(OptionError, match="bayeselo-mm-1-1"):
        find_preset("bayes")
    assert PRESETS["bayeselo"].advantage == 32.8
