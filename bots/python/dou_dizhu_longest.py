#!/usr/bin/env python3
"""A bot that leads as many cards at once as it can in Dou Dizhu, and passes only if it must.
It beats what others play with whatever comes to hand, high or low.

Who goes out first wins, so a lead of eight cards is worth eight turns of single ones: that is the first
thing to learn about this game. What it does not know is what its high cards are for. The protocol and the
rules come from dou_dizhu_random.py.
"""

import dou_dizhu_random as base


class Bot(base.Bot):
    """Follows one match from its seat; `choose` decides."""

    def choose(self):
        """The longest of the plays if it leads, of equals the lowest; any play if it follows."""
        # Kickers are the lowest cards, whatever they are torn from.
        found = base.plays(self.held, self.best, base.spread(self.held))
        words = [word for words in found.values() for word in words]
        if self.best is None:
            return max(words, key=len)  # the first of the longest
        return self.rng.choice(words or ["pass"])


if __name__ == "__main__":
    base.main(Bot, __doc__)
