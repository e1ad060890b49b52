#!/usr/bin/env python3
"""Draws lots between all that is legal: discards, passes, gifts, special actions. It looks at nothing else,
and is a tutorial of the protocol in one page.

A bot is a program that reads commands on standard input, one per line, and answers each on standard output. A
reply starts with "=" (done) or "?" (refused) and ends with an EMPTY LINE. One command, one reply, in the
order they came.
"""

import argparse
import random
import sys

JOKER = 12
ROLES = ("Chef", "Souschef", "Waiter", "Dishwasher")


class Bot:
    """What this bot remembers, and what it answers."""

    def __init__(self, seed=1):
        self.seed, self.rng = seed, random.Random(seed)
        self.book = True  # the rule book, or the rules of a published environment ("gym2")?
        self.me = 0  # my seat
        self.deal = -1  # the number of the match, as Chef's Hat calls one deal, from 0
        self.hand = []  # my cards, as numbers: 1 is the strongest, 11 the weakest, 12 a joker
        self.role = ""
        self.table = None  # (value, number of cards) of the last discard, None when the table is empty
        self.opening = True  # is the very first discard still to come?

    def answer(self, command, words):
        """The reply to one command: what stands after "=", or None to refuse."""
        # 1. At the start of a game: the rules, who sits where, when it ends.
        if command == "set_rules":  # chefs_hat 1 [gym2]
            self.book = "gym2" not in words
            return ""
        if command == "set_players":  # n i: there are n players, I am number i
            self.me = range(int(words[0])).index(int(words[1]))
            return ""
        if command == "set_game":  # matches n, or points n
            self.deal = -1
            return ""

        # 2. In every match my cards come, and from the second on who is what.
        if command == "set_cards":  # n K1 ... Kn
            if len(words) != int(words[0]) + 1:
                return None
            self.deal, self.hand = self.deal + 1, sorted(map(int, words[1:]))
            self.role, self.table, self.opening = "", None, True
            # Luck depends on nothing but the seed, the match and my cards, so a game can be played again.
            self.rng = random.Random(f"{self.seed}|{self.deal}|{self.hand}")
            return ""
        if command == "set_roles":  # the role of each seat
            self.role = words[self.me]
            return ""
        if (
            command == "time_left"
        ):  # milliseconds for the rest of the game: a bot that thinks must look at this
            return ""

        if command.startswith("gen_") and not self.hand:  # nothing to decide without cards: refused
            return None

        # 3. A holder of both jokers may declare a special action. Then the Chef gives two cards to the
        #    Dishwasher and the Souschef one to the Waiter, who must give their strongest ones in return.
        if command == "gen_special":
            return self.rng.choice(["none", "food_fight" if self.role == ROLES[3] else "dinner_served"])
        if command == "special":  # i food_fight: set_roles comes again; i dinner_served: nobody exchanges
            return ""
        if command == "gen_exchange":  # n: n cards to give
            return " ".join(map(str, sorted(self.rng.sample(self.hand, int(words[0])))))
        if (
            command == "exchange"
        ):  # i j n K1 ... Kn: i gave these to j; without the cards if it is not my business
            giver, taker, *cards = int(words[0]), int(words[1]), *map(int, words[3:])
            if giver == self.me:
                for card in cards:
                    self.hand.remove(card)
            if taker == self.me:
                self.hand = sorted(self.hand + cards)
            return ""

        # 4. "gen_move" asks me when it is my turn, "play" tells who played what. My own cards leave my hand
        #    only when "play" says so. "pizza i" clears the table, and i leads.
        if command == "gen_move":
            return self.rng.choice(self.moves())
        if command == "play":  # i C7;Q2;J1: player i laid two sevens and a joker; C0;Q0;J1: a joker alone
            if words[1] != "pass":
                value, quantity, jokers = (int(part[1:]) for part in words[1].split(";"))
                self.table = (value or JOKER, quantity + jokers)
                if int(words[0]) == self.me:
                    for card in [value] * quantity + [JOKER] * jokers:
                        self.hand.remove(card)
            self.opening = False
            return ""
        if command == "pizza":
            self.table = None
            return ""
        if command == "end_deal":  # the points that each seat got: 3, 2, 1 and 0
            return ""

        # 5. "quit" wants a reply, too. Anything else is refused.
        return "" if command == "quit" else None

    def moves(self):
        """Everything that may be played."""
        over, size = self.table or (13, 1)
        held = self.hand.count(JOKER)
        found = []
        for value in range(1, JOKER):
            # A lower value than the one on the table, and as many cards, to which jokers count.
            for quantity in range(1, self.hand.count(value) + 1):
                for jokers in range(held + 1):
                    found += [(value, quantity, jokers)] * (value < over and quantity + jokers >= size)
        if held and not self.table:
            found.append((0, 0, 1))
        if self.opening:
            elevens = [move for move in found if move[0] == 11]
            found = elevens or (found if self.book else [])  # the first discard is elevens
        if not self.book:  # these rules take no two jokers but in the opening, and nothing beats a lone joker
            found = [move for move in found if (move[2] < 2 or self.opening) and over != JOKER]
        moves = [f"C{value};Q{quantity};J{jokers}" for value, quantity, jokers in found]
        # Whoever plays to an empty table must discard.
        return moves if self.book and not self.table else [*moves, "pass"]


def main():
    """Answer whatever comes on standard input."""
    options = argparse.ArgumentParser(description="Plays Chef's Hat at random.")
    options.add_argument("--seed", type=int, default=1, metavar="N", help="seed of every choice (default 1)")
    bot = Bot(options.parse_args().seed)
    sys.stdin.reconfigure(errors="replace")  # whatever bytes come: refuse, do not crash
    for line in sys.stdin:
        words = line.split()
        if not words:  # blank lines are ignored: they get no reply
            continue
        try:
            reply = bot.answer(words[0], words[1:])
        except (ValueError, IndexError):
            reply = None
        text = f"? cannot do {words[0][:40]}" if reply is None else f"= {reply}".rstrip()
        # The second "\n" makes the empty line. Without flush the reply would wait in a buffer.
        print(text + "\n", flush=True)
        if words[0] == "quit":
            break


if __name__ == "__main__":
    main()
