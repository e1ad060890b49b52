"""Whole games through the environments at random, in games per second of CPU time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from arbiter import envs
from arbiter.envs import dou_dizhu_v4
from arbiter.envs.batches import Batch
from arbiter.envs.codepiece import Engine
from arbiter.envs.compiled import CompiledBatch
from arbiter.envs.vector import vector
from arbiter.games import names

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 2.0
"""Each figure takes about this much CPU time."""
SIDE_BY_SIDE = 128
MANY = 1024
COMPILED = ("planning", "codepiece", "dou_dizhu", "chefs_hat")
"""Games that a batch plays in C, where it was built."""
SHARES = 7
"""What is compared is measured in turns, so many times: the machine's speed changes meanwhile."""


def environments() -> dict[str, Any]:
    """Games per CPU second; a game of Codepiece and Planning is a whole match, of the engine a deal."""
    figures: dict[str, Any] = {name: figure() for name, figure in FIGURES.items()}
    return figures | {
        "batch_actions_by_those_of_aec": {name: batch_ratios(name) for name in names()},
        "batch_with_masks": {name: in_c_and_python(name) for name in COMPILED},
        "make_vec_by_batch": {name: round(vector_ratio(name), 2) for name in COMPILED},
    }


def in_c_and_python(name: str) -> dict[str, dict[str, int]]:
    """Actions a CPU second with observations and masks, by the number of matches, in C and in Python."""
    forms: dict[str, Callable[..., Batch]] = {"c": envs.batch, "python": Batch}
    if not isinstance(envs.batch(name, 1), CompiledBatch):
        del forms["c"]

    def actions(form: str, n: int) -> int:
        looks = ("observations", "masks")
        return round(speed(batch_actions(name, looks, partial(forms[form], n=n), again=True), SECONDS))

    return {str(n): {form: actions(form, n) for form in forms} for n in (SIDE_BY_SIDE, MANY)}


def vector_ratio(name: str) -> float:
    """How many actions `make_vec` without copies makes in the time of one of the batch, both with masks."""
    env, chance = vector(SIDE_BY_SIDE, name, copy=False), np.random.default_rng(1)
    env.reset(seed=1)

    def act() -> int:
        ids, starts = env.batch.legal_ids()
        env.step(ids[starts[:-1] + (chance.random(env.num_envs) * np.diff(starts)).astype(np.int64)])
        return env.num_envs

    looks = ("observations", "masks")
    return ratio(act, batch_actions(name, looks, partial(envs.batch, n=SIDE_BY_SIDE), again=True))


def in_python(name: str) -> Batch:
    """The batch that plays a game where there is no compiler."""
    return Batch(name, SIDE_BY_SIDE)


def batch_ratios(name: str) -> dict[str, float]:
    """How many actions a batch in Python makes in the time of one of the environment, by what is looked at."""
    masked = ("observations", "masks")
    return {
        "legal_ids": ratio(batch_actions(name, (), in_python), aec_actions(name, "legal_ids")),
        "observations": ratio(batch_actions(name, ("observations",), in_python), aec_actions(name, "vector")),
        "observations_and_masks": ratio(batch_actions(name, masked, in_python), aec_actions(name, "observe")),
    }


def ratio(one: Callable[[], int], other: Callable[[], int]) -> float:
    """The median over some turns of how much faster one makes actions than the other."""
    speeds = [[speed(act, SECONDS / SHARES) for act in (one, other)] for _ in range(SHARES + 1)]
    return round(median(mine / theirs for mine, theirs in speeds[1:]), 2)


def speed(act: Callable[[], int], seconds: float) -> float:
    actions, start = 0, process_time()
    while (spent := process_time() - start) < seconds:
        actions += act()
    return actions / spent


def batch_actions(
    name: str,
    looks: Sequence[str],
    made: Callable[[str], Batch],
    *,
    again: bool = False,
) -> Callable[[], int]:
    """An action in each match of a batch, from arrays; returns how many that are.

    What is looked at is written into the same arrays `again` and again, or else into new ones.
    """
    games, chance = made(name), np.random.default_rng(1)
    looking = [getattr(games, look) for look in looks]
    if again:
        looking = [partial(look, look()) for look in looking]

    def act() -> int:
        for look in looking:
            look()
        ids, starts = games.legal_ids()
        games.step(ids[starts[:-1] + (chance.random(games.n) * np.diff(starts)).astype(np.int64)])
        return games.n

    return act


def aec_actions(name: str, look: str) -> Callable[[], int]:
    """As many actions in one environment, whose next match begins where one ends."""
    env, chance = envs.aec(name), Random(1)
    env.reset(seed=0)

    def act() -> int:
        for _ in range(SIDE_BY_SIDE):
            agent = env.agent_selection
            if env.terminations[agent]:
                env.reset()
                agent = env.agent_selection
            if look == "observe":
                ids: Any = np.flatnonzero(env.observe(agent)["action_mask"])
            else:
                if look == "vector":
                    env.vector(agent)
                ids = env.legal_ids(agent)
            env.step(ids[int(chance.random() * len(ids))])
        return SIDE_BY_SIDE

    return act


def games_per_second(env: Any, play: Callable[[Any, Random], None], seconds: float = SECONDS) -> float:
    """One game after the other, after a few that fill the tables made when first used."""
    chance = Random(1)
    for _ in range(20):
        play(env, chance)

    def one_game() -> int:
        play(env, chance)
        return 1

    return round(speed(one_game, seconds), 1)


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


def by_engine(engine: Engine, chance: Random) -> None:
    """One deal of Codepiece with the state of whoever is to act as a dictionary."""
    state, _ = engine.init_game()
    while not engine.is_over():
        state, _ = engine.step(chance.choice(state["legal_actions"]))


FIGURES: dict[str, Callable[[], float]] = {
    # What RLCard's own environment gives at every step: the observation and the legal ids.
    "dou_dizhu_vector_and_legal_ids": lambda: games_per_second(
        dou_dizhu_v4.env(opponents_hand_visible=True), by_legal_ids
    ),
    # What PettingZoo's wrapper of it gave: the observation with a mask over all 27,472 ids.
    "dou_dizhu_v4_with_masks": lambda: games_per_second(dou_dizhu_v4.env(), by_mask),
    "codepiece_with_masks": lambda: games_per_second(envs.aec("codepiece"), by_mask),
    "planning_with_masks": lambda: games_per_second(envs.aec("planning"), by_mask),
    "codepiece_engine": lambda: games_per_second(Engine(seed=1), by_engine),
}
