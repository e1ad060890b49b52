#!/usr/bin/env python3
"""Discards its largest value, but no more cards of it than the table asks for: one to an empty table. It
passes only when it must.

The lesson: weak cards have to go first, yet one by one they take too many turns. The protocol and the
rules come from chefs_hat_kit.py.
"""

import chefs_hat_kit as kit


class Bot(kit.Bot):
    """The choice of a discard."""

    def move(self):
        """(value, quantity, jokers), None for a pass."""
        return max(self.discards(), key=lambda move: (move[0], -move[1] - move[2], -move[2]), default=None)


if __name__ == "__main__":
    kit.main(
        Bot,
        "Plays Chef's Hat, a card of the largest value at a time.",
        "without effect: there is no chance in it",
    )
