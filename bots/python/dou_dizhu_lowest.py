#!/usr/bin/env python3
"""A bot that plays the lowest thing that it may in Dou Dizhu, and passes only if it must.
It leads its lowest single card every time, so it needs as many turns as it has cards.

Against the random bot that is much: whoever beats what he can has the lead more often, and his high cards
last. It knows no fellow and no shape: it beats its fellow peasant's plays, and breaks up chains for a
single card. The protocol and the rules come from dou_dizhu_random.py.
"""

import dou_dizhu_random as base


class Bot(base.Bot):
    """Follows one match from its seat; `choose` decides."""

    def choose(self):
        """The first of the plays, which come by type and rank, single cards first and bombs last."""
        # Kickers are the lowest cards, whatever they are torn from.
        found = base.plays(self.held, self.best, base.spread(self.held))
        # What follows is of one type, unless it is a bomb: what beats without one goes first.
        bombs = found.pop(base.BOMB, [])
        words = [word for words in found.values() for word in words]
        return (words or bombs or ["pass"])[0]


if __name__ == "__main__":
    base.main(Bot, __doc__)
