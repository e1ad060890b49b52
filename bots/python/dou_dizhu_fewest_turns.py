#!/usr/bin/env python3
"""A bot that plays Dou Dizhu to be rid of its cards in as few turns as it can.
It divides its hand into chains, trios with kickers, pairs and single cards, and makes the play after which
the rest needs the fewest turns.

It keeps what wins the lead back, leaves its fellow peasant's plays alone
unless it gains by beating them, and blocks opponents who are short of cards.
The protocol and the rules come from dou_dizhu_random.py.
"""

import functools

import dou_dizhu_random as base

BLOCK, BOMBED = 4, 5  # opponents with so few cards are blocked at any price, and bombed
STRONG = 0.5  # what each 2, joker and bomb counts against the turns
EARLY = 0.1  # what each rank of a lead's smallest card costs: small cards must go while there is time


@functools.lru_cache(maxsize=50_000)
def turns(held, slots=0):
    """How many turns it takes to play these cards if nobody interferes; `slots` is for kickers of chains."""
    ones, twos, trios, fours = (held.count(n) for n in (1, 2, 3, 4))
    if held[13] and held[14]:
        ones, fours = ones - 2, fours + 1  # the rocket is one turn
    fewest = trios + fours + max(0, ones + twos - trios - slots)
    for copies, least in ((1, 5), (2, 3), (3, 2)):
        for start in range(13 - least):
            end = start
            while end < 12 and held[end] >= copies:
                end += 1
                if end - start >= least:
                    rest = held[:start] + tuple(n - copies for n in held[start:end]) + held[end:]
                    more = end - start if copies == 3 else 0
                    fewest = min(fewest, 1 + turns(rest, slots + more))
    return fewest


class Bot(base.Bot):
    """Follows one match from its seat; `choose` decides."""

    def choose(self):
        """What leaves the best hand, if it is worth its price."""
        cards = base.spread(self.held)
        # Kickers: what shortens the hand, then cards without a like, then small ones; strong cards last.
        loose = {rank: (rank > 11, self.cost(base.RANKS[rank]), self.held[rank], rank) for rank in cards}
        found = base.plays(self.held, self.best, sorted(cards, key=loose.__getitem__))
        words = [word for words in found.values() for word in words]
        for word in words:
            if len(word) == len(cards):
                return word
        bombs = found.get(base.BOMB, [])
        others = [word for word in words if word not in bombs]
        enemies = [seat for seat in range(3) if (seat == self.landlord) != (self.me == self.landlord)]
        fewest = min(self.left[seat] for seat in enemies)
        if self.best is None:
            return self.lead(others or bombs, fewest)
        now = self.cost("")
        if others:
            word = min(others, key=lambda word: (self.cost(word), base.shape(word)[1]))
            if self.owner in enemies:
                # The landlord stands alone against two: it lets nothing pass.
                if self.me == self.landlord or fewest <= BLOCK or self.cost(word) <= now:
                    return word
            elif self.cost(word) < now and base.shape(word)[1] < 8 and self.left[self.owner] > 4:
                return word
        if bombs and self.owner in enemies and (fewest <= BOMBED or self.cost(bombs[0]) <= 1):
            return bombs[0]
        return "pass"

    def lead(self, words, fewest):
        """What leaves the best hand, small cards rather than large ones."""
        mate = (self.me + 1) % 3
        if self.landlord not in (self.me, mate) and self.left[mate] == 1 and len(words[0]) == 1:
            return words[0]  # lets my fellow peasant out
        # Not what an opponent with one or two cards waits for.
        safe = [word for word in words if len(word) != fewest] if fewest < 3 else words
        if not safe:
            return max(words, key=lambda word: base.RANKS.index(word[0]))
        return min(safe, key=lambda word: (self.cost(word) + EARLY * base.RANKS.index(word[0]), -len(word)))

    def cost(self, word):
        """The turns that the hand takes after a play, less something for what wins the lead back."""
        gone = base.count(word)
        left = tuple(self.held[rank] - gone[rank] for rank in range(15))
        return turns(left) - STRONG * (left[12] % 4 + left[13] + left[14] + left.count(4))


if __name__ == "__main__":
    base.main(Bot, __doc__)
