#!/usr/bin/env python3
"""A bot that plays Planning knowing no more than how many play: it declares its fair share of the tricks.
Then it plays any card that the rules allow.

The lesson: a declaration is a bet on the most likely number of tricks. With 8 cards and four players that
is 2, whatever the cards are, so this bot is right far more often than one that declares at random, although
it plays no better.
"""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True  # a bot writes no files, not even those of the import system

import planning_kit as kit  # noqa: E402 -- after the line above, which must come first


class FairShare(kit.Bot):
    """Declares cards / players; plays by lot."""

    def declare(self, table: kit.Table) -> int:
        # Rounded down: with fewer cards than players it declares none.
        return table.size // table.seats

    def move(self, table: kit.Table) -> str:
        return self.rng.choice(table.legal())


if __name__ == "__main__":
    kit.serve(FairShare(kit.parser(__doc__).parse_args().seed))
