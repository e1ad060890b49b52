#!/usr/bin/env python3
"""Discards its largest value first, as many cards of it as possible, but saves its jokers for when they win.
It counts cards, and when all its groups but one cannot be beaten, it leads these first.

Jokers go into a discard that nobody can beat with the cards not yet seen, once that brings the hand near its
end, and into the last discard. Its commands are explained in chefs_hat_random.py.
"""

import argparse
import sys

JOKER = 12
NEAR_THE_END = 4
"""With so many groups left, a joker may go for a sure trick: measured, 3 and 6 are a little worse."""


class Bot:
    """The cards and the table."""

    def __init__(self, seed=1):
        self.seed = seed  # all bots have one; here nothing is left to chance
        self.book = True
        self.me = 0
        self.hand = []
        self.role = ""
        self.table = None  # (value, number of cards) of the last discard
        self.opening = True
        self.unseen = [0] * (JOKER + 1)  # how many cards of each value the others may hold

    def answer(self, command, words):
        """The reply to one command: what stands after "=", or None to refuse."""
        if command in ("set_game", "time_left", "special", "end_deal", "quit"):
            return ""
        if command == "set_rules":
            self.book = "gym2" not in words
            return ""
        if command == "set_players":
            self.me = range(int(words[0])).index(int(words[1]))
            return ""
        if command == "set_cards":
            if len(words) != int(words[0]) + 1:
                return None
            self.hand = sorted(map(int, words[1:]))
            self.role, self.table, self.opening = "", None, True
            self.unseen = [*range(JOKER), 2]
            for card in self.hand:
                self.unseen[card] -= 1
            return ""
        if command == "set_roles":
            self.role = words[self.me]
            return ""
        if command.startswith("gen_") and not self.hand:
            return None
        if command == "gen_special":
            return self.special()
        if command == "gen_exchange":
            return " ".join(map(str, sorted(self.gifts(int(words[0])))))
        if command == "exchange":
            giver, taker, cards = int(words[0]), int(words[1]), list(map(int, words[3:]))
            if giver == self.me:
                for card in cards:
                    self.hand.remove(card)
                    self.unseen[card] += 1
            if taker == self.me:
                self.hand = sorted(self.hand + cards)
                for card in cards:
                    self.unseen[card] -= 1
            return ""
        if command == "gen_move":
            move = self.move()
            return "C{};Q{};J{}".format(*move) if move else "pass"
        if command == "play":
            if words[1] != "pass":
                value, quantity, jokers = (int(part[1:]) for part in words[1].split(";"))
                self.table = (value or JOKER, quantity + jokers)
                for card in [value] * quantity + [JOKER] * jokers:
                    if int(words[0]) == self.me:
                        self.hand.remove(card)
                    else:
                        self.unseen[card] -= 1
            self.opening = False
            return ""
        if command == "pizza":
            self.table = None
            return ""
        return None

    def special(self):
        """A Dishwasher turns the roles round; a Waiter has nothing to win by an exchange."""
        return {"Dishwasher": "food_fight", "Waiter": "dinner_served"}.get(self.role, "none")

    def gifts(self, number):
        """The largest values, jokers last of all."""
        return sorted(self.hand, key=lambda card: (card != JOKER, card))[-number:]

    def move(self):
        """(value, quantity, jokers), None for a pass."""
        found = self.discards()
        for move in found:
            if move[1] + move[2] == len(self.hand):
                return move
        # The fewest jokers first, then the largest value.
        sure = sorted(filter(self.is_sure, found), key=lambda move: (move[2], -move[0]))
        for move in sure:
            if self.wins_after(move):
                return move
        plain = [move for move in found if not move[2]]
        if plain:
            return max(plain)
        with_jokers = [move for move in sure if move[0]]
        if with_jokers and len(set(self.hand) - {JOKER}) <= NEAR_THE_END:
            return with_jokers[0]
        if self.table or not found:
            return None
        return max(found, key=lambda move: (move[0], move[1] + move[2]))

    def is_sure(self, move):
        """Whether no cards not yet seen beat a discard."""
        value, quantity, jokers = move
        if not value:
            return not self.book
        wild = self.unseen[JOKER]
        return all(not number or number + wild < quantity + jokers for number in self.unseen[1:value])

    def wins_after(self, move):
        """Whether of the groups that a discard leaves all but one are sure as well."""
        value, quantity, jokers = move
        left = {card: self.hand.count(card) for card in set(self.hand) - {JOKER}}
        left[value] = left.get(value, 0) - quantity
        groups = {card: number for card, number in left.items() if number > 0}
        unsure = sum(not self.is_sure((card, number, 0)) for card, number in groups.items())
        # Jokers that are left need a group to go with.
        return unsure <= 1 and (bool(groups) or self.hand.count(JOKER) == jokers)

    def discards(self):
        """Everything that may be discarded, a lone joker as (0, 0, 1)."""
        over, size = self.table or (13, 1)
        held = self.hand.count(JOKER)
        found = [
            (value, quantity, jokers)
            for value in range(1, min(over, JOKER))
            for quantity in range(1, self.hand.count(value) + 1)
            for jokers in range(held + 1)
            if quantity + jokers >= size
        ]
        if held and not self.table:
            found.append((0, 0, 1))
        if self.opening:
            elevens = [move for move in found if move[0] == 11]
            found = elevens or (found if self.book else [])
        if not self.book:
            found = [move for move in found if (move[2] < 2 or self.opening) and over != JOKER]
        return found


def main():
    """Answer whatever comes on standard input."""
    options = argparse.ArgumentParser(description="Plays Chef's Hat, the largest values first.")
    options.add_argument(
        "--seed", type=int, default=1, metavar="N", help="without effect: there is no chance in it"
    )
    bot = Bot(options.parse_args().seed)
    sys.stdin.reconfigure(errors="replace")
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        try:
            reply = bot.answer(words[0], words[1:])
        except (ValueError, IndexError):
            reply = None
        text = f"? cannot do {words[0][:40]}" if reply is None else f"= {reply}".rstrip()
        print(text + "\n", flush=True)
        if words[0] == "quit":
            break


if __name__ == "__main__":
    main()
