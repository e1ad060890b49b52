#!/usr/bin/env python3
"""Plays Codepiece by its bids alone: it counts aces and the cards of its longest suit, bids if there are
many of them, and names that suit trump. The cards it then plays at random, as the rules allow.

The lesson: a bid is worth what the hand is worth, and to pass is a move, too.
"""

import argparse
import random
import sys

VALUES, SUITS = "23456789TJQKA", "CDHS"


class Bot:
    """Plays one match after the other; `reply` gives the text behind "=", or None to refuse."""

    def __init__(self, seed=1):
        self.seed, self.me, self.deal = seed, 0, -1

    def reply(self, line):
        command, *words = line.split()
        if command == "set_rules":
            return "" if words[:2] == ["codepiece", "1"] else None
        if command in ("set_deck", "time_left", "end_deal", "quit"):
            return ""
        if command == "set_players":
            self.me = int(words[1])
            return ""
        if command == "set_game":
            self.deal = -1
            return ""
        if command == "set_cards":
            self.deal, self.hand, self.trick, self.highest = self.deal + 1, sorted(words[1:]), [], 7
            self.rng = random.Random(f"{self.seed}|{self.deal}|{' '.join(self.hand)}")
            return ""
        if command == "gen_bid":
            bid = self.worth()
            return f"bid_{bid}" if bid > self.highest else "pass"
        if command == "bid":
            if words[1] != "pass":
                self.highest = int(words[1][4:])
            return ""
        if command == "gen_trump":
            return f"trump_{self.longest()}"
        if command == "trump":
            self.trump = words[1][-1]
            return ""
        if command == "gen_move":
            return self.rng.choice(self.legal())
        if command == "play":
            if len(self.trick) == 4:
                self.trick = []
            self.trick.append((int(words[0]), words[1]))
            if words[1] in self.hand:
                self.hand.remove(words[1])
            return ""
        return None

    def longest(self):
        """The suit with most cards; of several, the one with the highest card."""

        def length(suit):
            ranks = [VALUES.index(card[0]) for card in self.hand if card[1] == suit]
            return len(ranks), max(ranks, default=0)

        return max(SUITS, key=length)

    def worth(self):
        """The bid for this hand: one of five cards and an ace, as they come most often, is worth none."""
        trump = self.longest()
        length = sum(card[1] == trump for card in self.hand)
        aces = sum(card[0] == "A" for card in self.hand)
        return min(length + aces, 10)

    def legal(self):
        """Follow suit if you can; then, if an opponent is winning and you can overtake, you must."""
        trick = self.trick if len(self.trick) < 4 else []
        if not trick:
            return self.hand
        led = trick[0][1][1]
        cards = [card for card in self.hand if card[1] == led] or self.hand
        winner, best = max(trick, key=lambda played: self.power(played[1], led))
        over = [card for card in cards if self.power(card, led) > self.power(best, led)]
        return over if over and (winner - self.me) % 2 else cards

    def power(self, card, led):
        """What a card is worth in a trick: trumps beat the suit led, which beats all else."""
        value = VALUES.index(card[0]) + 1
        return value + 26 if card[1] == self.trump else value + 13 if card[1] == led else 0


def main():
    options = argparse.ArgumentParser(description="Plays Codepiece by its bids; its cards at random.")
    options.add_argument("--seed", type=int, default=1, metavar="N", help="seed of every choice (default 1)")
    bot = Bot(options.parse_args().seed)
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            text = bot.reply(line)
        except (ValueError, IndexError, AttributeError, TypeError):
            text = None
        print("?\n" if text is None else f"= {text}\n" if text else "=\n", flush=True)
        if line.split()[0] == "quit":
            return


if __name__ == "__main__":
    main()
