"""Threads that make a game's tables at once all get the whole table: a site's visitors play in threads."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest

from arbiter.games import make
from arbiter.testing import play_by_policy, random_policy

GAMES = {
    "planning": {},
    "codepiece": {},
    "dou_dizhu": {},
    "chefs_hat": {},
    "chefs_hat as published": {"rules": "gym2", "matches": 1},
}
THREADS = 8


def moves(name: str, options: dict[str, object]) -> list[str]:
    """A match by lot; an action that is listed twice would be drawn twice as often."""
    record = play_by_policy(make(name, options), random_policy("threads"))
    return [f"{move.seat} {move.action}" for move in record.moves]


def play_at_once(name: str, options: dict[str, object]) -> list[list[str]]:
    """The same match in each of some threads, which begin together."""
    barrier = threading.Barrier(THREADS)
    played: list[list[str]] = []

    def play() -> None:
        barrier.wait()
        played.append(moves(name, options))

    # Threads take turns as often as they can, so that each of them finds what others have only begun.
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=play) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return played


@pytest.mark.process
def test_threads_that_begin_at_once_play_as_one_alone() -> None:
    here = (
        "from tests.games.test_threads import *; "
        "print(json.dumps([play_at_once(game.split()[0], options) for game, options in GAMES.items()]))"
    )
    done = subprocess.run([sys.executable, "-c", here], capture_output=True, check=True)
    alone = [moves(game.split()[0], options) for game, options in GAMES.items()]
    assert json.loads(done.stdout) == [[one] * THREADS for one in alone]
