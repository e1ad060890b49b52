#!/usr/bin/env python3
"""Plays Codepiece at random: each bid, trump and card that the rules allow is as likely as any other. Its
source is a tutorial of the protocol in one page.

A bot is a program that reads commands on standard input, one per line, and answers each on standard
output. A reply starts with "=" (done) or "?" (refused) and ends with an EMPTY LINE. One command, one
reply, in the order they came.
"""

import argparse
import random
import sys

options = argparse.ArgumentParser(description="Plays Codepiece at random.")
options.add_argument("--seed", type=int, default=1, metavar="N", help="seed of every choice (default 1)")

VALUES = "23456789TJQKA"


class Bot:
    """Remembers as much as legal play needs."""

    def __init__(self, seed=1):
        self.seed, self.me, self.deal = seed, 0, -1

    def reply(self, line):
        """The reply to one command: what stands after "=", or None to refuse."""
        command, *words = line.split()

        # 1. At the start of a match: the rules, the deck (values, weakest first, and suits), who sits where,
        #    and how many deals there are, with who deals each.
        if command == "set_rules":  # the game, and the version of its protocol
            return "" if words[:2] == ["codepiece", "1"] else None
        if command in ("set_deck", "time_left", "end_deal", "quit"):
            return ""
        if command == "set_players":  # 4 i: I am number i; 0 and 2 play against 1 and 3
            self.me = int(words[1])
            return ""
        if command == "set_game":
            self.deal = -1
            return ""

        # 2. In every deal: my cards come, each bids once, the highest bidder names trump.
        if command == "set_cards":  # 13 K1 ... K13
            self.deal, self.hand, self.trick, self.highest = self.deal + 1, sorted(words[1:]), [], 7
            self.rng = random.Random(f"{self.seed}|{self.deal}|{' '.join(self.hand)}")
            return ""
        if command == "gen_bid":
            higher = [f"bid_{bid}" for bid in range(self.highest + 1, 14)]
            return self.rng.choice(["pass", *higher])
        if command == "bid":  # i pass, or i bid_10
            if words[1] != "pass":
                self.highest = int(words[1][4:])
            return ""
        if command == "gen_trump":
            return self.rng.choice(["trump_S", "trump_H", "trump_D", "trump_C"])
        if command == "trump":  # i trump_S
            self.trump = words[1][-1]
            return ""

        # 3. For every card: "gen_move" asks me when it is my turn, "play" tells who played what.
        if command == "gen_move":
            return self.rng.choice(self.legal())
        if command == "play":  # i K
            if len(self.trick) == 4:
                self.trick = []
            self.trick.append((int(words[0]), words[1]))
            if words[1] in self.hand:
                self.hand.remove(words[1])
            return ""
        return None  # an unknown command

    def legal(self):
        """Follow suit if you can; then, if an opponent is winning and you can overtake, you must."""
        trick = self.trick if len(self.trick) < 4 else []
        if not trick:
            return self.hand
        led = trick[0][1][1]
        cards = [card for card in self.hand if card[1] == led] or self.hand
        winner, best = max(trick, key=lambda played: self.worth(played[1], led))
        over = [card for card in cards if self.worth(card, led) > self.worth(best, led)]
        return over if over and (winner - self.me) % 2 else cards

    def worth(self, card, led):
        """What a card is worth in a trick: trumps beat the suit led, which beats all else."""
        value = VALUES.index(card[0]) + 1
        return value + 26 if card[1] == self.trump else value + 13 if card[1] == led else 0


if __name__ == "__main__":
    bot = Bot(options.parse_args().seed)
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            text = bot.reply(line)
        except (ValueError, IndexError, AttributeError):
            text = None  # a command out of order, or words that are none
        print("?\n" if text is None else f"= {text}\n" if text else "=\n", flush=True)
        if line.split()[0] == "quit":
            break
