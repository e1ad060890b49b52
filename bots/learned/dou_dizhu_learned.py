#!/usr/bin/env python3
"""A bot that learned Dou Dizhu by playing against itself: for every legal play a small network tells how
likely its side then is to win, and the bot makes the likeliest. It was trained by deep Monte Carlo, on
nothing but who won deals between its earlier selves.

What the network knows is what a seat knows: own cards, cards gone, the play to beat and whose it is, how many
cards the others have, the landlord's three. Needs NumPy, and `dou_dizhu_weights.npz`, which `train.py` makes.
"""

import argparse
import os
import random
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a bot writes no files, not even those of the import system
os.environ["OPENBLAS_NUM_THREADS"] = (
    "1"  # read when NumPy is imported: it would start a thread for every core
)

import numpy as np  # noqa: E402
from features_dou_dizhu import (  # noqa: E402
    BEST,
    BOMB,
    EXTRA,
    LAST,
    LEFT,
    MOST_LEFT,
    PASS,
    PLANE,
    PLAYED,
    RANKS,
    ROLE,
    ROLES,
    SEEN,
    Sight,
    all_plays,
    legal,
    plane_of,
)
from network import Network  # noqa: E402

WEIGHTS = Path(__file__).with_name("dou_dizhu_weights.npz")
MOST_VALUED = 200


def count(word):
    """The cards of a word as counts, four bits for each rank."""
    return sum(1 << 4 * RANKS.index(card) for card in word)


def word_of(counts):
    """Cards as the protocol writes them."""
    return "".join(rank * (counts >> 4 * at & 7) for at, rank in enumerate(RANKS))


class Bot:
    """Follows one match from its seat."""

    def __init__(self, seed=1, weights=WEIGHTS):
        self.seed = seed
        self.network = Network.load(weights, "play")
        self.plays = all_plays()
        self.number = {cards: number for number, cards in enumerate(self.plays.cards.tolist())}
        self.me = self.deal = self.landlord = 0
        self.landlords = []  # of each deal
        self.doubled = False  # does each bomb double the points?
        self.start([], 0)

    def start(self, word, landlord):
        """A deal begins: these are my cards."""
        self.landlord = landlord
        self.hand, self.extra = count(word), 0
        self.best, self.owner = 0, landlord  # the cards to beat, none for a lead, and whose they are
        self.bombs = 0
        self.played, self.last = (
            [0] * ROLES,
            [0] * ROLES,
        )  # by role: the landlord, the next one, the one before it
        self.rng = random.Random(f"{self.seed}|{self.deal}|{''.join(word)}")

    def role(self, seat):
        """0 for the landlord, 1 for the one after it, 2 for the one before it."""
        return (seat - self.landlord) % ROLES

    def answer(self, command, words):
        """The reply to one command: what stands after "=", or None to refuse."""
        if command == "set_rules":
            self.doubled = "double" in words
            return "" if words[0] == "dou_dizhu" else None
        if command == "set_players":
            if words[0] != "3" or words[1] not in ("0", "1", "2"):
                return None
            self.me = int(words[1])
            return ""
        if command == "set_game":
            self.deal, self.landlords = -1, [int(word) % ROLES for word in words[1:]]
            return ""
        if command == "set_cards":
            if len(words[1]) != int(words[0]) or len(words[1]) > MOST_LEFT or not self.cards_exist(words[1]):
                return None
            landlord = self.landlords[self.deal + 1]
            self.deal += 1
            self.start(words[1], landlord)
            return ""
        if command == "show_cards":
            if len(words[1]) != int(words[0]) or not self.cards_exist(words[1]):
                return None
            self.extra = count(words[1])
            return ""
        if command in ("time_left", "end_deal"):
            return ""
        if command == "gen_move" and self.hand:
            return self.choose()
        if command == "gen_values" and self.hand:
            return self.values()
        if command == "play":
            return self.hear(int(words[0]), 0 if words[1] == "pass" else self.known(words[1]))
        return "" if command == "quit" else None

    @staticmethod
    def cards_exist(word):
        """Whether a deck has all these cards."""
        return all(word.count(card) <= (1 if card in "BR" else 4) for card in word) and set(word) <= set(
            RANKS
        )

    def known(self, word):
        """The cards of a play; ValueError for what is none."""
        cards = count(word)
        if not cards or cards not in self.number:
            raise ValueError(word)
        return cards

    def hear(self, seat, cards):
        """A play, or a pass."""
        role = self.role(seat)
        self.last[role] = cards
        if cards:
            self.played[role] += cards
            self.best, self.owner = cards, seat
            self.bombs += self.plays.kind[self.number[cards]] == BOMB
            if seat == self.me:
                self.hand -= cards
        elif (seat + 1) % ROLES == self.owner:  # both others passed
            self.best = 0
        return ""

    def seen(self):
        """What ``arbiter.envs`` would show this seat, (1, 1035), without the last nine actions."""
        seen = np.zeros((1, SEEN), np.int8)
        planes = plane_of(np.array([self.hand, self.best, self.extra, *self.played, *self.last]))
        seen[0, :PLANE], seen[0, BEST : BEST + PLANE], seen[0, EXTRA : EXTRA + PLANE] = planes[:3]
        seen[0, PLAYED:LAST], seen[0, LAST:LEFT] = planes[3:6].reshape(-1), planes[6:].reshape(-1)
        gone = planes[3:6].sum(axis=1)
        for role in range(ROLES):
            left = (20 if role == 0 else 17) - int(gone[role])
            seen[0, LEFT + MOST_LEFT * role + max(left, 1) - 1] = 1
        seen[0, ROLE + self.role(self.me)] = 1
        return seen

    def odds(self):
        """Numbers of the plays that are legal, and how likely my side then is to win, as log odds."""
        sight = Sight(self.seen())
        numbers = legal(self.plays, self.hand, self.number[self.best])
        rows = np.zeros(len(numbers), np.int64)
        return numbers, self.network(sight.seen(), sight.plays(self.plays, rows, numbers), rows)[:, 0]

    def choose(self):
        """The play, or the pass, after which winning is likeliest; by lot where several are."""
        numbers, odds = self.odds()
        return self.name(numbers[self.rng.choice(np.flatnonzero(odds == odds.max()).tolist())])

    def values(self):
        """What each play is worth, the best first, as if no more bombs came; 200 and the pass at most."""
        numbers, odds = self.odds()
        out = self.plays.cards[numbers] == self.hand
        points = np.where(out, 1, np.tanh(odds / 2))  # of a chance p: 2p - 1
        order = np.argsort(-points, kind="stable").tolist()
        kept = order[:MOST_VALUED] + [
            at for at in order[MOST_VALUED:] if self.plays.kind[numbers[at]] == PASS
        ]
        stakes = [
            2 ** (self.bombs + (self.plays.kind[number] == BOMB)) if self.doubled else 1 for number in numbers
        ]
        return " ".join(f"{self.name(numbers[at])}:{points[at] * stakes[at]:.3f}" for at in kept)

    def name(self, number):
        """A play as the protocol writes it."""
        return "pass" if self.plays.kind[number] == PASS else word_of(int(self.plays.cards[number]))


def main():
    """Command line: read commands, one a line, and answer each."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seed", type=int, default=1, metavar="N", help="seed of every choice (default 1)")
    bot = Bot(options.parse_args().seed)
    sys.stdin.reconfigure(errors="replace")  # whatever bytes come: refuse, do not crash
    for line in sys.stdin:
        words = line.split()
        if not words:  # blank lines are ignored: they get no reply
            continue
        try:
            reply = bot.answer(words[0], words[1:])
        except (ValueError, IndexError, OverflowError):
            reply = None
        text = f"? cannot do {words[0][:40]}" if reply is None else f"= {reply}".rstrip()
        print(text + "\n", flush=True)
        if words[0] == "quit":
            break


if __name__ == "__main__":
    main()
