#!/usr/bin/env python3
"""Discards as many cards at once as it can, jokers too, of whatever value. It draws lots between discards of
equal size, and passes only when it must.

The lesson: large groups empty a hand soon and are hard to beat, but strong cards and jokers spent early are
missed in the end. The protocol and the rules come from chefs_hat_kit.py.
"""

import chefs_hat_kit as kit


class Bot(kit.Bot):
    """The choice of a discard."""

    def move(self):
        """(value, quantity, jokers), None for a pass."""
        found = self.discards()
        most = max((quantity + jokers for _, quantity, jokers in found), default=0)
        largest = [move for move in found if move[1] + move[2] == most]
        return self.rng.choice(largest) if largest else None


if __name__ == "__main__":
    kit.main(Bot, "Plays Chef's Hat, as many cards at once as possible.")
