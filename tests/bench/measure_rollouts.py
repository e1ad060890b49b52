"""Measures how strong the player by rollouts is: against a shipped bot, on the same deals in all seats.

    python -m tests.bench.measure_rollouts --rounds 10 --budget 1000 planning bots/python/planning_greedy.py

Each round plays the duels of the game, each with its deals. Printed are the share of pairs of opponents in which
the player had more points, a draw counting half, with one standard error over rounds, and its CPU seconds a match.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from time import process_time
from typing import Any

import numpy as np

from arbiter.envs.rollout_bot import RolloutBot
from arbiter.games import make
from arbiter.testing import match_spec, play_in_memory
from tests.fixtures.bot_programs import Process


def program(command: str) -> Process:
    """A file in Python, or a command."""
    return Process([sys.executable, command] if command.endswith(".py") else shlex.split(command))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--budget", type=float, default=1000, help="milliseconds of CPU time for a match")
    options.add_argument("game", choices=["planning", "codepiece", "dou_dizhu", "chefs_hat"])
    options.add_argument("opponent", help="a file in Python, or a command")
    chosen = options.parse_args()
    shares, seconds, seats = [], 0.0, 0
    for number in range(chosen.rounds):
        won = []
        for game, versions in make(chosen.game, {}).duels:
            bots: list[Any] = []
            for seat, version in enumerate(versions):
                if version:
                    bots.append(program(chosen.opponent))
                else:
                    own = RolloutBot(game, budget=chosen.budget / 1000, seed=number * 10 + seat)
                    bots.append(lambda line, own=own: f"{own.answer(line)}\n\n".encode())
            began = process_time()
            record = play_in_memory(game, bots, match_spec(game, seed=f"rollouts-{number}"))
            seconds, seats = seconds + process_time() - began, seats + versions.count(0)
            assert record.points is not None, record.forfeit
            for bot in bots:
                if isinstance(bot, Process):
                    bot.close()
            points = np.array(record.points)
            mine, others = points[np.equal(versions, 0)], points[np.equal(versions, 1)]
            won.append(float((np.sign(mine[:, None] - others) / 2 + 0.5).mean()))
        shares.append(float(np.mean(won)))
    error = float(np.std(shares, ddof=1)) / len(shares) ** 0.5 if len(shares) > 1 else float("nan")
    print(
        f"{chosen.game} at {chosen.budget:g} ms against {chosen.opponent}: "
        f"{100 * float(np.mean(shares)):.1f} ± {100 * error:.1f} % of {chosen.rounds} rounds, "
        f"{seconds / max(seats, 1):.2f} CPU seconds a match and player, the referee's included"
    )


if __name__ == "__main__":
    main()
