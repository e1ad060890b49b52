"""Measures how strong the Python bots are: duplicate rotations, all bots in this one process.

    python -m tests.bench.measure_planning --rounds 20 greedy random random random

Every round deals one match and plays it in all rotations of the table, so that each bot sits once on each
seat with the same cards. A round's mean over the rotations is one sample; printed are mean points per match,
the standard error over rounds, and CPU seconds per match. Bots that play at random here are the kit's
equivalent of planning_random.py.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bots" / "python"))

import planning_greedy
import planning_kit as kit
import planning_pimc

from tests.bots.planning_referee import Memory, Rules, play


class Random(kit.Bot):
    """Random legal play."""

    def declare(self, table: kit.Table) -> int:
        return self.rng.randrange(table.size + 1)

    def move(self, table: kit.Table) -> str:
        return self.rng.choice(table.legal())


class Timed(Memory):
    """A kit session as a seat, with the CPU time it has used."""

    seconds = 0.0

    def ask(self, commands: list[str]) -> list[str]:
        start = time.process_time()
        replies = super().ask(commands)
        self.seconds += time.process_time() - start
        return replies


BOTS: dict[str, Callable[[int], kit.Bot]] = {
    "random": Random,
    "greedy": planning_greedy.Greedy,
    "pimc": lambda seed: planning_pimc.Pimc(seed, clock=None),
}


def measure(names: list[str], rounds: int, first: int = 1) -> list[tuple[float, float, float]]:
    """(mean points, standard error, CPU seconds per match) of each bot at a table."""
    rules = Rules(seats=len(names), deals=[(cards, (cards - 1) % len(names)) for cards in range(1, 14)])
    means: list[list[float]] = [[] for _ in names]
    seconds = [0.0] * len(names)
    for number in range(first, first + rounds):
        hands = rules.hands(number)
        points = [0] * len(names)
        for shift in range(len(names)):
            # A seed of its own for each player: two random bots must not be one.
            seats = [Timed(kit.Session(BOTS[name](1000 * number + i))) for i, name in enumerate(names)]
            order = seats[-shift:] + seats[:-shift] if shift else seats
            result = play(rules, order, hands)
            for i, seat in enumerate(seats):
                points[i] += result.points[order.index(seat)]
                seconds[i] += seat.seconds
        for i, total in enumerate(points):
            means[i].append(total / len(names))
    error = rounds**0.5
    return [
        (statistics.mean(m), statistics.stdev(m) / error, s / rounds / len(names))
        for m, s in zip(means, seconds, strict=True)
    ]


def main() -> None:
    """Command line."""
    line = argparse.ArgumentParser(description="Measures how strong the bots are.")
    line.add_argument("bots", nargs="+", choices=sorted(BOTS))
    line.add_argument("--rounds", type=int, default=20)
    options = line.parse_args()
    print("bot     points  error  CPU s/match")
    for name, (mean, error, seconds) in zip(options.bots, measure(options.bots, options.rounds), strict=True):
        print(f"{name:<7} {mean:6.2f} {error:6.2f} {seconds:12.3f}")


if __name__ == "__main__":
    main()
