#!/usr/bin/env python3
"""A bot that plays Dou Dizhu from its smallest card up.
It leads the longest play that its smallest card belongs to, follows as low as it can, and lets a play of its
fellow peasant stand.

Bombs wait until somebody of the other side is short of cards.
The protocol and the rules come from dou_dizhu_random.py.
"""

import dou_dizhu_random as base

SHORT = 6  # an opponent with so few cards is to be stopped at any price


class Bot(base.Bot):
    """Follows one match from its seat; `choose` decides."""

    def choose(self):
        """The smallest play that does the job."""
        # Kickers are cards without a like, the smallest first.
        order = sorted(base.spread(self.held), key=lambda rank: (self.held[rank], rank))
        found = base.plays(self.held, self.best, order)
        for words in found.values():
            if len(words[-1]) == len(order):
                return words[-1]
        bombs = found.pop(base.BOMB, [])
        enemies = [seat for seat in range(3) if (seat == self.landlord) != (self.me == self.landlord)]
        fewest = min(self.left[seat] for seat in enemies)
        if self.best is None:
            return self.lead(found, fewest)
        if self.owner not in enemies:
            return "pass"
        if found:
            (words,) = found.values()
            # What breaks up no pair, trio or bomb, if there is a choice; of that the lowest.
            return min(words, key=lambda word: max(self.held[base.RANKS.index(card)] for card in word))
        return bombs[0] if bombs and fewest <= SHORT else "pass"

    def lead(self, found, fewest):
        """The longest play with the smallest card in it."""
        words = [word for form, words in found.items() if form != base.SOLO and form[0] < 4 for word in words]
        singles = found[base.SOLO]
        if fewest == 1:  # a single card is what this opponent waits for
            if not words:
                return singles[-1]
        else:
            words += singles
        return max([word for word in words if singles[0] in word] or words, key=len)


if __name__ == "__main__":
    base.main(Bot, __doc__)
