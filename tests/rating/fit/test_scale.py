"""Ratings on the scale of anchors: the anchors' mean is known, and all else is measured from it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtr

from rating import Intervals, PairTable, bayeselo, intervals, pack_ranking, rank, scaled, unpack_ranking
from tests.rating.test_packed_ranking import NAMES, simulate_matches

ONE, TWO = NAMES[2], NAMES[7]


def around_zero(rounds: int, late: bool = False) -> Intervals:
    matches = simulate_matches(rounds)
    if late:
        matches += simulate_matches(3, ["new", *NAMES[:7]], seed=2)
    return intervals(bayeselo(PairTable.from_matches(matches, players=[*NAMES, "idle"])))


def test_one_anchor_has_its_elo_and_no_interval() -> None:
    found = scaled(around_zero(14), {ONE: 1500})
    place = NAMES.index(ONE)
    assert (found.fit.elo[place], found.low[place], found.high[place]) == pytest.approx((1500, 1500, 1500))


def test_the_mean_of_several_is_that_of_their_elo_whatever_their_distance() -> None:
    found = scaled(around_zero(14), {ONE: 900, TWO: 1100})
    assert found.fit.elo[[NAMES.index(ONE), NAMES.index(TWO)]].mean() == pytest.approx(1000)


@pytest.mark.parametrize(("rounds", "late"), [(14, False), (14, True), (4, False)])
def test_an_interval_is_as_wide_as_the_superiority_over_the_anchor_is_sure(rounds: int, late: bool) -> None:
    before = around_zero(rounds, late)
    found, anchor = scaled(before, {ONE: 0}), NAMES.index(ONE)
    others = [k for k, rated in enumerate(before.fit.rated) if rated and k != anchor]
    score = found.fit.elo[others] / (found.half[others] / found.quantile)
    better = before.los(others, [anchor])[:, 0]
    if before.floor is None and before.freedom is not None:
        assert stdtr(before.freedom, score) == pytest.approx(better)
    # A floor's intervals are those of the normal distribution, and its superiorities those of t.
    assert ((score > 0) == (better > 0.5)).all()
    assert (found.half[others] > 0).all()


def test_differences_and_superiorities_stay_also_when_packed() -> None:
    before = around_zero(14, late=True)
    packed = pack_ranking(rank(scaled(before, {ONE: 1500, TWO: 1700})))
    assert packed is not None
    found = unpack_ranking(packed)
    assert found.intervals.los() == pytest.approx(before.los())
    assert np.ptp((found.fit.elo - before.fit.elo)[before.fit.rated]) == pytest.approx(0, abs=1e-9)
    assert [row.player for row in found.rows] == [row.player for row in rank(before).rows]


def test_anchors_without_results_change_nothing() -> None:
    before = around_zero(3)
    assert scaled(before, {"idle": 100, "nobody": 5}) is before


def test_groups_that_never_met_have_anchors_of_their_own() -> None:
    one, two, three = (
        simulate_matches(4, [f"{name}{group}" for name in NAMES[:4]], seed=group) for group in (1, 2, 3)
    )
    before = intervals(bayeselo(PairTable.from_matches([*one, *two, *three])))
    anchors = {f"{NAMES[0]}1": 1000.0, f"{NAMES[1]}2": -50.0}
    found, players = scaled(before, anchors), before.fit.table.players
    for name, elo in anchors.items():
        assert found.fit.elo[players.index(name)] == pytest.approx(elo)
        assert found.half[players.index(name)] == pytest.approx(0, abs=1e-6)
    alone = [k for k, name in enumerate(players) if name.endswith("3")]
    assert found.fit.elo[alone] == pytest.approx(before.fit.elo[alone])
    assert found.half[alone] == pytest.approx(before.half[alone])
    assert any("a group without anchors has mean 0" in text for text in rank(found).warnings)
