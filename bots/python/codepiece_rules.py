#!/usr/bin/env python3
"""Plays Codepiece by rules of thumb: it counts what its hand is worth in tricks with each trump, and bids
what earns most on average. In play it leads sure tricks, leaves a trick to its partner, and else takes it
with a card that nothing unseen beats.
"""

from math import erf, sqrt

import codepiece_kit as kit
from codepiece_kit import SUITS, VALUES

CARDS = [value + suit for suit in SUITS for value in VALUES]
# Measured with this bot's own play: tricks that a side takes when this hand leads, by what is in it.
FIRST, LONG, LONGER = 1.84, 0.78, 0.41  # with no trump; for each of the first four; for each more
TRUMP_HONOURS = {"A": 0.77, "K": 0.63, "Q": 0.48, "J": 0.37}
SIDE_HONOURS = {"A": (0.66, 1), "K": (0.48, 2), "Q": (0.22, 3)}  # what it is worth, if the suit has so many
SHORT = {0: 1.07, 1: 0.66, 2: 0.20}
SPREAD = 1.7  # standard deviation of the tricks taken


def rank(card):
    return VALUES.index(card[0])


def expected(hand, trump):
    """The tricks that a hand's side takes when it leads with this trump, on average."""
    suits = {suit: [card[0] for card in hand if card[1] == suit] for suit in SUITS}
    mine = suits.pop(trump)
    tricks = FIRST + LONG * min(len(mine), 4) + LONGER * max(len(mine) - 4, 0)
    tricks += sum(TRUMP_HONOURS.get(value, 0) for value in mine)
    for values in suits.values():
        tricks += SHORT.get(len(values), 0)
        for value, (worth, guarded) in SIDE_HONOURS.items():
            if value in values and len(values) >= guarded:
                tricks += worth
    return tricks


def points(bid, tricks):
    """What a bid earns on average with so many tricks expected: B if made, else -2 B."""
    made = 0.5 + 0.5 * erf((tricks - bid + 0.5) / SPREAD / sqrt(2))
    return bid * (3 * made - 2)


class Bot(kit.Bot):
    """Plays one match after the other."""

    def dealt(self, cards):
        self.hand, self.trump = cards, None
        self.unseen = set(CARDS) - set(cards)

    def played(self, card):
        self.unseen.discard(card)

    def name_trump(self):
        return max(SUITS, key=lambda suit: expected(self.hand, suit))

    def bid(self):
        """The bid that earns most on average, if it is more than what stands."""
        tricks = max(expected(self.hand, suit) for suit in SUITS)
        worth, bid = max((points(bid, tricks), bid) for bid in [*range(self.highest + 1, 14), 0])
        stands = 0.0
        if self.leader is not None:
            stands = 0.25 * self.highest * (1 if self.partner(self.leader) else -1)
        return bid if worth > stands else 0

    def partner(self, seat):
        return (seat - self.me) % 4 == 2

    def worth(self, card, led):
        """What a card is worth in a trick: trumps beat the suit led, which beats all else."""
        return rank(card) + (26 if card[1] == self.trump else 13 if card[1] == led else 0)

    def sure(self, card):
        """Whether no card of its suit that the others hold is higher."""
        return not any(other[1] == card[1] and rank(other) > rank(card) for other in self.unseen)

    def least(self, cards):
        """The card that is missed least: the smallest, and no trump where there is another."""
        small = min((card[1] == self.trump, rank(card)) for card in cards)
        return self.rng.choice([card for card in cards if (card[1] == self.trump, rank(card)) == small])

    def move(self):
        trick = self.trick if len(self.trick) < 4 else []
        if not trick:
            return self.lead()
        led = trick[0][1][1]
        cards = [card for card in self.hand if card[1] == led] or self.hand
        winner, best = max(trick, key=lambda played: self.worth(played[1], led))
        if self.partner(winner):
            return self.least(cards)
        over = [card for card in cards if self.worth(card, led) > self.worth(best, led)]
        if over and len(trick) < 3:
            sure = [card for card in over if self.sure(card)]
            return self.least(sure or over)
        return self.least(over or cards)

    def lead(self):
        """A sure trump while others have some, a sure card, or a small one of the longest suit."""
        sure = [card for card in self.hand if self.sure(card)]
        trumps_left = any(card[1] == self.trump for card in self.unseen)
        if (self.leader - self.me) % 2 == 0 and trumps_left:
            for card in sure:
                if card[1] == self.trump:
                    return card
        sure = [card for card in sure if card[1] != self.trump]
        if sure:
            return self.rng.choice(sure)
        side = [card for card in self.hand if card[1] != self.trump] or self.hand
        longest = max(SUITS, key=lambda suit: sum(card[1] == suit for card in side))
        return self.least([card for card in side if card[1] == longest])


if __name__ == "__main__":
    kit.main(Bot, "Plays Codepiece by rules of thumb.")
