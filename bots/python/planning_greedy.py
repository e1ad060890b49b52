#!/usr/bin/env python3
"""A bot that declares the number of tricks it takes most often when random deals of the unseen cards are
played out simply. It plays by rule of thumb: it wins as cheaply as it can until it has them, and gets rid
of its dangerous cards after that.
"""

from __future__ import annotations

import math
import sys

sys.dont_write_bytecode = True  # a bot writes no files, not even those of the import system

import planning_kit as kit  # noqa: E402 -- after the line above, which must come first
from planning_worlds import Position, deck_of  # noqa: E402


class Greedy(kit.Bot):
    """Declares from ``worlds`` random deals; moves without looking ahead.

    By ``tilt`` a declaration one trick higher counts e^tilt times as often.
    """

    def __init__(self, seed: int = 1, worlds: int = 60, tilt: float = 0.0) -> None:
        super().__init__(seed)
        self.worlds = worlds
        self.tilt = tilt

    def declare(self, table: kit.Table) -> int:
        deck = deck_of(table.values, table.suits)
        position = Position(deck, table)
        size = table.size
        often = [0] * (size + 1)
        for _ in range(self.worlds):
            need = [size] * table.seats  # everybody wants everything
            deck.play_out(position.world(self.rng), need, position.turn, tricks=size)
            often[size - need[0]] += 1
        worth = [
            self.tilt * tricks + math.log(times) if times else -math.inf for tricks, times in enumerate(often)
        ]
        return worth.index(max(worth))

    def move(self, table: kit.Table) -> str:
        need = (table.declared[table.me] or 0) - table.taken[table.me]
        deck = deck_of(table.values, table.suits)
        return deck.name(deck.choose(Position(deck, table), need))


def main() -> None:
    """Command line."""
    line = kit.parser(__doc__)
    line.add_argument(
        "--worlds", type=int, default=60, metavar="N", help="deals per declaration (default 60)"
    )
    line.add_argument(
        "--tilt", type=float, default=0.0, metavar="X", help="towards high declarations, or low ones below 0"
    )
    options = line.parse_args()
    kit.serve(Greedy(options.seed, options.worlds, options.tilt))


if __name__ == "__main__":
    main()
