"""Chef's Hat for learners: matches a CPU second in the environment and in a room, at random.

    python -m tests.bench.chefs_hat_env [SECONDS] [PYTHON]

PYTHON is an interpreter that has ChefsHatGym; its figures are taken in turns with ours.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from arbiter.envs.chefs_hat import ID, ChefsHatEnv, Room

MATCHES = 10
SECONDS = 3.0


def env_matches(env: gymnasium.Env[Any, Any], *, reading: bool = False) -> Callable[[], int]:
    """Ten matches in an environment, each action picked from those that the observation calls possible.

    With `reading`, a key of every step's `info` is read, and so all of it is built.
    """
    draw = random.Random(1)

    def play() -> int:
        observation, _ = env.reset()
        over = False
        while not over:
            possible = np.flatnonzero(observation[28:] == 1).tolist()
            observation, _, over, _, info = env.step(draw.choice(possible))
            if reading:
                info["Game_Score"]
        return MATCHES

    return play


def gym2_matches() -> Callable[[], int]:
    """As `env_matches` under the published rules, whose matches terminate one by one."""
    env = ChefsHatEnv(rules="gym2", matches=MATCHES)
    draw = random.Random(1)

    def play() -> int:
        observation, _ = env.reset()
        while not env.over:
            possible = np.flatnonzero(observation[28:] == 1).tolist()
            observation, *_ = env.step(draw.choice(possible))
        return MATCHES

    return play


def room_matches(*, hearing: bool, rules: str = "book") -> Callable[[], int]:
    """Ten matches in a room; `hearing` agents read the `info` of every step."""
    room = Room(rules=rules, matches=MATCHES)
    for seat in range(4):
        room.add_player(f"p{seat}", Hearing(seat) if hearing else Random(seat))

    def play() -> int:
        return room.play().matches

    return play


class Random:
    """Does anything that is possible."""

    def __init__(self, seed: int) -> None:
        self._choice = random.Random(seed).choice

    def action(self, observation: Any, info: Any) -> int:
        return self._choice(np.flatnonzero(observation[28:] == 1).tolist())


class Hearing(Random):
    """Reads, too, what it is told."""

    score: object = None

    def on_step(self, info: Any) -> None:
        self.score = info["Game_Score"]


def per_second(play: Callable[[], int], seconds: float) -> float:
    """Matches a CPU second, after one game to warm up."""
    play()
    start, matches = time.process_time(), 0
    while (spent := time.process_time() - start) < seconds:
        matches += play()
    return round(matches / spent, 1)


def figures(seconds: float = SECONDS, peer: str | None = None) -> dict[str, Any]:
    """Matches a CPU second by what is measured, and ours by the peer's where there is one."""
    bare = ChefsHatEnv(matches=MATCHES)
    made = gymnasium.make(ID, matches=MATCHES)
    theirs = {} if peer is None else _theirs(peer, seconds)
    found: dict[str, Any] = {
        "env_matches_per_second": per_second(env_matches(bare), seconds),
        "env_gym2_matches_per_second": per_second(gym2_matches(), seconds),
        "env_reading_info_matches_per_second": per_second(env_matches(bare, reading=True), seconds),
        "env_made_matches_per_second": per_second(env_matches(made), seconds),
        "room_matches_per_second": per_second(room_matches(hearing=False), seconds),
        "room_gym2_matches_per_second": per_second(room_matches(hearing=False, rules="gym2"), seconds),
        "room_hearing_matches_per_second": per_second(room_matches(hearing=True), seconds),
    }
    if theirs:
        again = _theirs(str(peer), seconds)
        for name, ours in (("env", "env_gym2"), ("room", "room_gym2")):
            mean = (theirs[name] + again[name]) / 2
            found[f"peer_{name}_matches_per_second"] = round(mean, 2)
            found[f"{name}_ratio"] = round(found[f"{ours}_matches_per_second"] / mean, 1)
    return found


def _theirs(python: str, seconds: float) -> dict[str, float]:
    folder = Path(__file__).parent
    done = [
        subprocess.run(
            [python, folder / script, str(seconds)], capture_output=True, text=True, check=True
        ).stdout.splitlines()[-1]
        for script in ("peer_games.py", "peer_room.py")
    ]
    env, room = (json.loads(line)["chefshatgym"] for line in done)
    return {"env": env["games_per_second"], "room": room["games_per_second"]}


if __name__ == "__main__":
    arguments = sys.argv[1:]
    print(json.dumps(figures(float(arguments[0]) if arguments else SECONDS, *arguments[1:2]), indent=2))
