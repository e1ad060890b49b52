"""Whole games through the environments at random, in games per second of CPU time."""

from __future__ import annotations

from random import Random
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from arbiter import envs
from arbiter.envs import dou_dizhu_v4

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 2.0
"""Each figure takes about this much CPU time."""


def environments() -> dict[str, float]:
    """Games per CPU second; a game of Codepiece and Planning is a whole match."""
    dou_dizhu = dou_dizhu_v4.env(opponents_hand_visible=True)
    return {
        # What RLCard's own environment gives at every step: the observation and the legal ids.
        "dou_dizhu_vector_and_legal_ids": games_per_second(dou_dizhu, by_legal_ids),
        # What PettingZoo's wrapper of it gave: the observation with a mask over all 27,472 ids.
        "dou_dizhu_v4_with_masks": games_per_second(dou_dizhu_v4.env(), by_mask),
        "codepiece_with_masks": games_per_second(envs.aec("codepiece"), by_mask),
        "planning_with_masks": games_per_second(envs.aec("planning"), by_mask),
    }


def games_per_second(env: Any, play: Callable[[Any, Random], None], seconds: float = SECONDS) -> float:
    """One game after the other, after a few that fill the tables made when first used."""
    chance = Random(1)
    env.reset(seed=1)
    for _ in range(20):
        play(env, chance)
    games, start = 0, process_time()
    while (spent := process_time() - start) < seconds:
        play(env, chance)
        games += 1
    return round(games / spent, 1)


def by_legal_ids(env: Any, chance: Random) -> None:
    """One game, with what a learner needs and no mask."""
    env.reset()
    while not env.terminations[agent := env.agent_selection]:
        env.vector(agent)
        ids = env.legal_ids(agent)
        env.step(ids[int(chance.random() * len(ids))])


def by_mask(env: Any, chance: Random) -> None:
    """One game as PettingZoo's documentation plays it, terminated agents included."""
    env.reset()
    for _ in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            ids = np.flatnonzero(seen["action_mask"])
            env.step(ids[int(chance.random() * len(ids))])
