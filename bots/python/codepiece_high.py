#!/usr/bin/env python3
"""Plays Codepiece by high cards: it bids aces and the cards of its longest suit, leads its highest card,
and puts its highest on a trick that its partner is not winning. Where it cannot win, or need not, it
throws its smallest card away.

The lesson: the same bids as codepiece_aces.py, and cards with some sense, for each card asks only what it
does now.
"""

import codepiece_kit as kit


class Bot(kit.Bot):
    """Plays one match after the other."""

    def bid(self):
        """The bid for this hand: one of five cards and an ace, as they come most often, is worth none."""
        trump = self.longest()
        length = sum(card[1] == trump for card in self.hand)
        aces = sum(card[0] == "A" for card in self.hand)
        return min(length + aces, 10)

    def move(self):
        trick = self.trick if len(self.trick) < 4 else []
        cards = self.legal()
        if not trick:
            return self.highest_of(cards)
        led = trick[0][1][1]
        winner, best = max(trick, key=lambda played: self.power(played[1], led))
        if (winner - self.me) % 2 and self.power(cards[0], led) > self.power(best, led):
            return self.highest_of(cards)  # one beats it, so all do: it is a duty
        return self.smallest_of(cards)

    def highest_of(self, cards):
        """A highest card, of several values alike any."""
        top = max(kit.VALUES.index(card[0]) for card in cards)
        return self.rng.choice([card for card in cards if kit.VALUES.index(card[0]) == top])

    def smallest_of(self, cards):
        """The smallest card, and no trump where there is another."""
        return min(cards, key=lambda card: (card[1] == self.trump, kit.VALUES.index(card[0])))


if __name__ == "__main__":
    kit.main(Bot, "Plays Codepiece by high cards.")
