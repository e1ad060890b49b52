#!/usr/bin/env python3
"""Plays Codepiece by its bids alone: it counts aces and the cards of its longest suit, bids if there are
many of them, and names that suit trump. The cards it then plays at random, as the rules allow.

The lesson: a bid is worth what the hand is worth, and to pass is a move, too.
"""

import codepiece_kit as kit


class Bot(kit.Bot):
    """Plays one match after the other."""

    def bid(self):
        """The bid for this hand: one of five cards and an ace, as they come most often, is worth none."""
        trump = self.longest()
        length = sum(card[1] == trump for card in self.hand)
        aces = sum(card[0] == "A" for card in self.hand)
        return min(length + aces, 10)


if __name__ == "__main__":
    kit.main(Bot, "Plays Codepiece by its bids; its cards at random.")
