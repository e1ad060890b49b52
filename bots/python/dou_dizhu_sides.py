#!/usr/bin/env python3
"""A bot that plays Dou Dizhu at random, but knows who is on its side.
It passes on whatever its fellow peasant plays, and never on an opponent's play that it can beat.

That is all it has over dou_dizhu_random.py, from which the protocol and the rules come: a pass gives the lead
away, so a pass should be a gift to a friend.
"""

import dou_dizhu_random as base


class Bot(base.Bot):
    """Follows one match from its seat; `choose` decides."""

    def choose(self):
        """A pass to its fellow; otherwise any type of play that is legal, and any play of it."""
        if self.best and self.landlord not in (self.me, self.owner):
            return "pass"
        order = base.spread(self.held)
        self.rng.shuffle(order)  # so kickers are random too
        kinds = list(base.plays(self.held, self.best, order).values())
        return self.rng.choice(self.rng.choice(kinds)) if kinds else "pass"


if __name__ == "__main__":
    base.main(Bot, __doc__)
