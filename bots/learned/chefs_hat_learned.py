#!/usr/bin/env python3
"""A bot that learned Chef's Hat by playing against itself: for each discard, gift or special action a small
network foresees in which order all may finish the deal, and the bot does what puts it ahead of the most
rivals at the end of the match. It was trained by deep Monte Carlo, on nothing but how deals between its
earlier selves and simple players ended.

What the network knows is what a seat knows: own cards, cards gone, how many the others have, what they passed
on, who was given what. It knows the rule book; by other rules it discards the largest values first. Needs
NumPy, `chefs_hat_weights.npz`, which `train.py` makes, and `chefs_hat_kit.py`, beside this file or in
`../python`.
"""

import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a bot writes no files, not even those of the import system
os.environ["OPENBLAS_NUM_THREADS"] = (
    "1"  # read when NumPy is imported: it would start a thread for every core
)
sys.path.append(str(Path(__file__).parents[1] / "python"))  # chefs_hat_kit

import chefs_hat_kit as kit  # noqa: E402
import numpy as np  # noqa: E402
from features_chefs_hat import FIRST_GIFT, LAST_GIFT, PLAY, SPECIAL, Sight, counts_of, odds  # noqa: E402
from memory_chefs_hat import DISHWASHER, LONE_JOKER, NO_ROLE, PASS, SEATS, WAITER, Memory, id_of  # noqa: E402
from network import Network  # noqa: E402
from worth_chefs_hat import POINTS, SHIFTED, aims, wins  # noqa: E402

WEIGHTS = Path(__file__).with_name("chefs_hat_weights.npz")
ROLES = ("Chef", "Souschef", "Waiter", "Dishwasher")
ROW = np.zeros(1, np.int64)


class Bot(kit.Bot):
    """Follows one match from its seat, and does what two networks value most."""

    def __init__(self, seed=1, weights=WEIGHTS):
        super().__init__(seed)
        self.networks = {name: Network.load(weights, name) for name in ("open", "play")}
        with np.load(weights) as arrays:
            self.chances = arrays["chances"]  # how likely each order is for who has the roles 0, 1, 2, 3
        self.memory, self.length, self.goal = Memory(1), 1, 0
        self.totals, self.deals = np.zeros((1, SEATS), np.int64), np.zeros(1, np.int64)
        self.worth, self.untold = {}, {}

    def answer(self, command, words):
        """The reply to one command; the memory hears it, too."""
        reply = super().answer(command, words)
        if reply is not None:
            self.notice(command, words)
        return reply

    def notice(self, command, words):
        """What all have seen, or this seat alone."""
        memory, me = self.memory, np.array([self.me])
        if command == "set_game":
            self.goal, self.length = (int(words[1]), 0) if words[0] == "points" else (0, int(words[1]))
            self.totals[:] = 0
        elif command == "set_cards":
            memory.begin(ROW, NO_ROLE, len(self.hand))
            most = int(self.totals.max())
            self.deals[:] = max((self.goal - most - 1) // 2 if self.goal else self.length - self.deal - 1, 0)
            self.worth, self.untold = {}, {}
        elif command == "set_roles":
            memory.role[0] = [ROLES.index(word) for word in words]
        elif command == "special":
            memory.show_jokers(ROW, np.array([int(words[0])]))
        elif command == "exchange" and len(words) > 3:
            giver, taker = np.array([[int(words[0])], [int(words[1])]])
            cards = counts_of(np.array([words[3:]], np.int64))
            strongest = WAITER <= memory.role[0, giver[0]] <= DISHWASHER
            if strongest and taker == me:
                memory.take(ROW, taker, giver, cards)
            elif strongest:
                # Counts from when that seat acts: in training it is seen then.
                self.untold[int(taker[0])] = cards
            elif giver == me:
                memory.give(ROW, giver, taker, cards)
        elif command == "play":
            seat = np.array([int(words[0])])
            if seat[0] in self.untold:
                memory.take(ROW, seat, me, self.untold.pop(seat[0]))
            memory.act(ROW, seat, np.array([id_of(words[1])]))
        elif command == "end_deal":
            self.totals[0] += [int(word) for word in words]

    def move(self):
        """What is worth most; the largest value by rules that it has not learned."""
        found = self.discards()
        if not self.book:
            return max(found, default=None)
        moves = [*found, None] if self.table else found
        ids = [PASS if move is None else id_of("C{};Q{};J{}".format(*move)) for move in moves]
        return moves[self.best(PLAY, ids)]

    def special(self):
        """Whether to declare what the role may."""
        return self.specials()[self.best(SPECIAL, [LONE_JOKER, PASS])]

    def specials(self):
        """To declare what the role may, and not to."""
        return "food_fight" if self.role == ROLES[DISHWASHER] else "dinner_served", "none"

    def gifts(self, number):
        """One card after the other."""
        if not self.book:
            return super().gifts(number)
        given, hand = [], list(self.hand)
        for left in range(number, 0, -1):
            cards = sorted(set(hand))
            given.append(cards[self.best(LAST_GIFT if left == 1 else FIRST_GIFT, ids_of(cards), hand)])
            hand.remove(given[-1])
        return given

    def values(self, request):
        """The points that the networks expect in this deal, and the chance to win the match after it."""
        if not self.book:
            return None
        if request == "gen_special":
            return self.told(self.specials(), SPECIAL, [LONE_JOKER, PASS])
        if request == "gen_move":
            found = self.discards()
            words = ["C{};Q{};J{}".format(*move) for move in found] + ["pass"] * bool(self.table)
            return self.told(words, PLAY, [id_of(word) for word in words])
        cards = sorted(set(self.hand))
        if self.role != ROLES[0]:
            return self.told(map(str, cards), LAST_GIFT, ids_of(cards))
        found = {}
        for one in cards:
            hand = list(self.hand)
            hand.remove(one)
            seconds = [card for card in sorted(set(hand)) if card >= one]
            if seconds:
                found |= self.told([f"{one} {card}" for card in seconds], LAST_GIFT, ids_of(seconds), hand)
        return found

    def told(self, words, asked, ids, hand=None):
        """The values of some answers."""
        chances = self.orders(asked, ids, hand)
        points, chance = chances @ POINTS[:, 0], chances @ self.worth_of(wins)
        return {word: (float(a), float(b)) for word, a, b in zip(words, points, chance, strict=True)}

    def best(self, asked, ids, hand=None):
        """Which of these actions puts it ahead of the most rivals; one of them by lot where several are."""
        if len(ids) == 1:
            return 0
        worth = self.orders(asked, ids, hand) @ self.worth_of(aims)
        return self.rng.choice(np.flatnonzero(worth == worth.max()).tolist())

    def worth_of(self, what):
        """What each order, counted from this seat, is worth to it."""
        if what not in self.worth:
            worth = what(self.totals, int(self.deals[0]), self.chances)
            self.worth[what] = worth[0, SHIFTED[self.me], self.me]
        return self.worth[what]

    def orders(self, asked, ids, hand=None):
        """How likely each order is after each of these actions, (actions, 24)."""
        hand = counts_of(np.array([self.hand if hand is None else hand]))
        sight = Sight(self.memory, ROW, np.array([self.me]), hand, np.array([asked]), self.totals, self.deals)
        rows = np.zeros(len(ids), np.int64)
        network = self.networks["play" if asked == PLAY else "open"]
        return odds(network(sight.seen(), sight.actions(rows, np.array(ids)), rows), sight.possible()[rows])


def ids_of(cards):
    """What stands for giving each of these cards."""
    return [LONE_JOKER if card == kit.JOKER else id_of(f"C{card};Q1;J0") for card in cards]


if __name__ == "__main__":
    kit.main(Bot, __doc__)
