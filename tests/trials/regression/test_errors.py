"""Error rates of the whole test, by bots in memory: real rules, real deals, real blocks, many seeded runs.

Blocks are played once and drawn from with replacement, since each run takes some forty of them.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from arbiter.match.spec import original
from arbiter.testing import random_policy
from arbiter.trials.regression.blocks import block_score, block_specs
from rating.sequential.gsprt import Gsprt
from tests.fixtures.simulated_blocks import evidence_of, points_sums, stops
from tests.fixtures.simulated_regression import InMemory, experiment

if TYPE_CHECKING:
    from arbiter.games.game import Action, Seat, State
    from arbiter.match.in_memory import Policy
    from arbiter.match.spec import MatchSpec

pytestmark = pytest.mark.slow

BLOCKS, RUNS, LONGEST = 300, 4000, 300
CHANCE = 3
"""The stronger version does something better than the weaker one in one decision of so many."""


def slightly_stronger(spec: MatchSpec) -> Policy:
    """By lot; but the candidate now and then takes the best of its cards, or declares no trick."""
    lot = random_policy(f"{spec.seed}|{spec.id}")
    draws = {"left": 0}

    def choose(state: State, seat: Seat) -> Action:
        draws["left"] = (draws["left"] + 1) % CHANCE
        action = lot(state, seat)
        if original(spec.players[seat].name) == "candidate" and not draws["left"]:
            return state.legal(seat)[0]
        return action

    return choose


@lru_cache
def pool(stronger: bool) -> np.ndarray:
    """Scores and margins of blocks: of equal versions each with its mirror image, since names could be
    exchanged.
    """
    table, test = InMemory(slightly_stronger if stronger else None), experiment()
    blocks = []
    for block in range(1, BLOCKS + 1):
        played = [table.record(spec).summary() for spec in block_specs(test, "errors", block)]
        found = block_score(False, played)
        assert found.score is not None
        blocks.append((found.score, found.margin))
    pairs = np.array(blocks)
    return pairs if stronger else np.concatenate([pairs, (1.0, 0.0) - pairs])


def share_of(side: int, stronger: bool, elo1: float, by_points: bool = False) -> float:
    """How often the test ends on a side."""
    drawn = np.random.default_rng(7).choice(pool(stronger), (RUNS, LONGEST))
    test, scores = Gsprt(0.0, elo1), drawn[:, :, 0]
    sums = scores.cumsum(axis=1), (scores**2).cumsum(axis=1)
    if by_points:
        sums = points_sums(scores, drawn[:, :, 1])
    evidence = evidence_of(test, scores, drawn[:, :, 1] if by_points else None)
    ends, _ = stops(test, np.arange(1, LONGEST + 1), *sums, evidence=evidence)
    assert np.mean(ends == 0) < 0.01
    return float(np.mean(ends == side))


def true_elo() -> float:
    """Of the stronger version in the blocks that are drawn from."""
    mean = float(pool(True)[:, 0].mean())
    return -400.0 * math.log10(1.0 / mean - 1.0)


def test_equal_bots_are_called_better_in_no_more_than_alpha_of_the_tests() -> None:
    assert 0.005 < share_of(1, False, true_elo()) <= 0.07


def test_bots_that_are_better_by_elo1_are_missed_in_no_more_than_beta_of_the_tests() -> None:
    assert true_elo() > 20.0
    assert 0.005 < share_of(-1, True, true_elo()) <= 0.07


def test_by_points_equal_bots_are_called_better_as_seldom() -> None:
    assert 0.002 < share_of(1, False, true_elo(), by_points=True) <= 0.07


def test_by_points_a_coarse_change_is_missed_more_often() -> None:
    """These bots get better by large steps, which win more matches than other points do."""
    assert 0.05 < share_of(-1, True, true_elo(), by_points=True) <= 0.2
