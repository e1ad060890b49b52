#!/usr/bin/env python3
"""Discards its largest value first, as many cards of it as possible, jokers too. It passes only when it must.

The protocol and the rules come from chefs_hat_kit.py.
"""

import chefs_hat_kit as kit


class Bot(kit.Bot):
    """The choice of a discard."""

    def move(self):
        """(value, quantity, jokers), None for a pass."""
        return max(self.discards(), key=lambda move: (move[0], move[1] + move[2]), default=None)


if __name__ == "__main__":
    kit.main(Bot, "Plays Chef's Hat, the largest values first.", "without effect: there is no chance in it")
