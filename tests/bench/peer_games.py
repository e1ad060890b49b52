"""Random legal play in published packages: games a CPU second, as one JSON object.

    python tests/bench/peer_games.py [SECONDS]

Run by an interpreter of its own, whose packages are theirs: they want other versions of numpy than
ours. It needs nothing of `arbiter`, and skips by name what is not installed.
"""

from __future__ import annotations

import atexit
import json
import random
import shutil
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def rlcard_games() -> Callable[[], None]:
    """A Dou Dizhu game of RLCard without its environment."""
    from numpy.random import RandomState
    from rlcard.games.doudizhu import Game

    game = Game()
    game.np_random = draw = RandomState(1)

    def play() -> None:
        state, _ = game.init_game()
        while not game.is_over():
            actions = state["actions"]
            state, _ = game.step(actions[draw.randint(len(actions))])

    return play


def rlcard_environment() -> Callable[[], None]:
    """The same in RLCard's environment, with its observation at every step."""
    import rlcard

    env = rlcard.make("doudizhu", config={"seed": 1})
    draw = random.Random(1)

    def play() -> None:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(draw.choice(list(state["legal_actions"])))

    return play


def chefshatgym_matches() -> Callable[[], None]:
    """A match of ChefsHatGym's environment, each action picked among those it calls possible."""
    import gym
    from ChefsHatGym.env import ChefsHatEnv

    env = gym.make("chefshat-v1").unwrapped
    names = ["a", "b", "c", "d"]
    kind = ChefsHatEnv.GAMETYPE["MATCHES"]
    # It does not start without a folder, into which it writes nothing then.
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    env.startExperiment(
        gameType=kind,
        stopCriteria=1,
        playerNames=names,
        logDirectory=f"{folder}/log",
        verbose=0,
        saveLog=False,
    )
    draw = random.Random(1)

    def play() -> None:
        observation, _ = env.reset()
        over = False
        while not over:
            possible = [action for action, may in enumerate(observation[28:]) if may]
            chosen = [0.0] * 200
            chosen[draw.choice(possible)] = 1.0
            observation, _, over, *_ = env.step(chosen)

    return play


def openspiel_games(name: str) -> Callable[[], None]:
    """A deal of OpenSpiel: cards by the chances of its chance nodes, then actions from those that are legal."""
    import pyspiel

    game = pyspiel.load_game(name)
    draw = random.Random(1)

    def play() -> None:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draw.choices(outcomes, chances)[0])
            else:
                state.apply_action(draw.choice(state.legal_actions()))
        state.returns()

    return play


def openspiel_actions(name: str) -> Callable[[], int]:
    """The same with what the player to act sees at each decision; returns how many there were."""
    import pyspiel

    game = pyspiel.load_game(name)
    draw = random.Random(1)

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draw.choices(outcomes, chances)[0])
            else:
                decisions += 1
                state.observation_tensor()
                state.apply_action(draw.choice(state.legal_actions()))
        return decisions

    return play


def pgx_actions(name: str, matches: int = 128, steps: int = 200) -> Callable[[], int]:
    """Actions of Pgx in so many matches side by side, compiled as one loop, each with observation and mask."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    begin = jax.jit(jax.vmap(env.init))
    step = jax.vmap(auto_reset(env.step, env.init))

    def act(state: Any, key: Any) -> tuple[Any, Any]:
        of_choice, of_step = jax.random.split(key)
        chances = jax.numpy.log(state.legal_action_mask.astype(float))
        chosen = jax.random.categorical(of_choice, chances, axis=1)
        state = step(state, chosen, jax.random.split(of_step, matches))
        return state, state.observation.sum()

    run = jax.jit(lambda state, keys: jax.lax.scan(act, state, keys))
    held = [begin(jax.random.split(jax.random.PRNGKey(0), matches)), jax.random.PRNGKey(1)]

    def play() -> int:
        held[1], key = jax.random.split(held[1])
        held[0], seen = run(held[0], jax.random.split(key, steps))
        seen.block_until_ready()
        return matches * steps

    return play


ACTIONS = {
    "openspiel_dou_dizhu_seen": lambda: openspiel_actions("dou_dizhu"),
    "openspiel_spades_seen": lambda: openspiel_actions("spades"),
    "pgx_leduc_holdem": lambda: pgx_actions("leduc_holdem"),
    "pgx_sparrow_mahjong": lambda: pgx_actions("sparrow_mahjong"),
}
"""What is counted in actions, beside `envs.batch`."""

PEERS = {
    "rlcard": rlcard_games,
    "rlcard_environment": rlcard_environment,
    "chefshatgym": chefshatgym_matches,
    "openspiel_dou_dizhu": lambda: openspiel_games("dou_dizhu"),
    # Four players take twelve tricks: with thirteen there is no card left to say what is trump.
    "openspiel_oh_hell": lambda: openspiel_games("oh_hell(players=4,num_tricks_fixed=12)"),
}


def main() -> None:
    """Each for so many CPU seconds."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    figures: dict[str, object] = {}
    for name, prepare in {**PEERS, **ACTIONS}.items():
        try:
            play = prepare()
        except ImportError as error:
            figures[name] = {"skipped": f"{error.name} is not installed"}
            continue
        play()
        start, number = time.process_time(), 0
        while (spent := time.process_time() - start) < seconds:
            number += play() or 1
        what = "actions" if name in ACTIONS else "games"
        figures[name] = {f"{what}_per_second": round(number / spent, 1)}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
