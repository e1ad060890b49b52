#!/usr/bin/env python3
"""Plays Codepiece by small bids: it passes, bids eight or bids nine, whichever comes by chance and is
allowed, and names its longest suit trump. The cards it then plays at random, as the rules allow.

The lesson: most of what codepiece_random.py loses is lost by bids that no play could make.
"""

import codepiece_kit as kit


class Bot(kit.Bot):
    """Plays one match after the other."""

    def bid(self):
        """Nothing, eight or nine."""
        return self.rng.choice([0, 8, 9])


if __name__ == "__main__":
    kit.main(Bot, "Plays Codepiece by small bids; its cards at random.")
