#!/usr/bin/env python3
"""A bot that plays Planning like a beginner with a plan: it counts its high cards and trumps and declares
as many tricks. Then it takes tricks with its strongest cards until it has them, and plays its weakest cards
after that.

The lesson: count what your cards are worth before the first one is played. It needs no simulation, and a
rule for each card is enough to declare far better than the fair share. What it does not know is how to win
cheaply, or how to get rid of a high card that would take a trick too many.
"""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True  # a bot writes no files, not even those of the import system

import planning_kit as kit  # noqa: E402 -- after the line above, which must come first


class Count(kit.Bot):
    """Declares from the values of its cards; moves by the tricks it still needs."""

    def declare(self, table: kit.Table) -> int:
        return min(table.size, int(sum(self.chance(table, card) for card in table.hand) + 0.5))

    def chance(self, table: kit.Table, card: str) -> float:
        """About how often this card takes a trick, 0 to 1."""
        dealt = table.size * table.seats / len(table.deck)  # the part of the deck that is in somebody's hand
        higher = len(table.values) - 1 - table.rank(card)  # cards of its suit that beat it
        if card[1] == table.trump:
            # Nothing but higher trumps beats it, but a small one needs a suit led that one does not hold.
            return max(0.0, 1 - 0.15 * higher * dealt)
        # Somebody out of the suit may play a trump.
        return max(0.0, 0.8 - 0.3 * higher * dealt)

    def move(self, table: kit.Table) -> str:
        cards = table.legal()
        self.rng.shuffle(cards)  # equal values of plain suits: the lot decides
        weakest_first = sorted(cards, key=lambda card: (card[1] == table.trump, table.rank(card)))
        needed = (table.declared[table.me] or 0) - table.taken[table.me]
        return weakest_first[-1] if needed > 0 else weakest_first[0]


if __name__ == "__main__":
    kit.serve(Count(kit.parser(__doc__).parse_args().seed))
