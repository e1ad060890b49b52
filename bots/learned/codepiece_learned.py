#!/usr/bin/env python3
"""A bot that learned Codepiece by playing against itself: small networks tell how each bid is likely to end,
and how likely its side is to succeed with each trump and each card; the bot does what wins most. It was
trained by deep Monte Carlo, on nothing but how deals between its earlier selves ended.

What the networks know is what a seat knows: own cards, cards gone, what others have shown not to hold, calls,
tricks. Needs NumPy, `codepiece_weights.npz`, which `train.py` makes, and `codepiece_kit.py`, beside this file
or in `../python`.
"""

import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a bot writes no files, not even those of the import system
os.environ["OPENBLAS_NUM_THREADS"] = (
    "1"  # read when NumPy is imported: it would start a thread for every core
)
sys.path.append(str(Path(__file__).parents[1] / "python"))  # codepiece_kit

import codepiece_kit as kit  # noqa: E402
import features_codepiece as features  # noqa: E402
import numpy as np  # noqa: E402
from memory_codepiece import CARDS, FIRST_CARD, FIRST_TRUMP, FORCED, PASS, Memory  # noqa: E402
from network import Network  # noqa: E402

WEIGHTS = Path(__file__).with_name("codepiece_weights.npz")
NAMES = [value + suit for suit in kit.SUITS for value in kit.VALUES]
TRUMPS = "SHDC"
TRUMP_IDS = range(FIRST_TRUMP, FIRST_CARD)
ONE = np.zeros(1, np.int64)


class Learned(kit.Bot):
    """Does what the networks value most."""

    def __init__(self, seed=1, weights=WEIGHTS):
        super().__init__(seed)
        self.networks = {name: Network.load(weights, name) for name in ("bid", "trump", "play")}

    def reply(self, line):
        told = super().reply(line)
        if told is not None:
            self.remember(*line.split())
        return told

    def remember(self, command, *words):
        """What the networks need beside the kit's hand and trick."""
        if command == "set_game":
            self.memory = Memory(1, self.dealers)
        elif command in ("bid", "trump", "play") and words[1] != "bid_7":  # after four passes: known
            self.memory.hear(ONE, np.array([int(words[0])]), np.array([id_of(words[1])]))
        elif command == "end_deal":
            self.memory.end(ONE)

    def bid(self):
        return self.best("bid", self.calls_open()) + FORCED  # below 8: pass

    def name_trump(self):
        return TRUMPS[self.best("trump", TRUMP_IDS) - FIRST_TRUMP]

    def move(self):
        legal = self.legal()
        if self.memory.decided(ONE):  # what is still played changes nothing
            return legal[0]
        return NAMES[self.best("play", [id_of(card) for card in legal]) - FIRST_CARD]

    def calls_open(self):
        """Ids of a pass and of the bids higher than all so far."""
        return [PASS, *range(self.highest - FORCED + 1, features.BIDS)]

    def outputs(self, name, ids):
        """What a network makes of options, and what each is worth."""
        hand = np.zeros((1, CARDS), bool)
        hand[0, [NAMES.index(card) for card in self.hand]] = True
        mine, seat = np.zeros(len(ids), np.int64), np.array([self.me])
        cells = features.cells(name, self.memory, ONE, seat, hand, mine, np.array(ids))
        outputs = self.networks[name](*cells, mine)
        return outputs, features.worth(name, self.memory, ONE, seat, outputs, mine)

    def best(self, name, ids):
        """The option worth most, by its id; one of them by lot where several are."""
        worth = self.outputs(name, ids)[1]
        return ids[self.rng.choice(np.flatnonzero(worth == worth.max()).tolist())]

    def values(self, due):
        """Points of my side in this deal, and its chance to win the match."""
        name, ids, words = {
            "gen_bid": ("bid", self.calls_open(), None),
            "gen_trump": ("trump", TRUMP_IDS, [f"trump_{suit}" for suit in TRUMPS]),
            "gen_move": ("play", [id_of(card) for card in self.legal()], self.legal()),
        }[due]
        if name == "bid":
            words = [f"bid_{number + FORCED}" if number else "pass" for number in ids]
            outputs, won = self.outputs(name, ids)
            chances, points = features.odds(outputs), features.POINTS
        else:
            bid = self.highest if (self.leader - self.me) % 2 == 0 else -self.highest
            success = 1 / (1 + np.exp(-self.outputs(name, ids)[0][:, 0]))
            if self.memory.decided(ONE):
                success = np.full(len(ids), float(bid > 0))
            chances = np.stack([success, 1 - success], axis=1)
            points = np.array([bid, -2 * bid] if bid > 0 else [-2 * bid, bid])
            total = self.memory.total[0] * (-1 if self.me & 1 else 1)
            won = chances @ features.winning(total + points, self.memory.later(ONE))
        return {
            word: (float(value), float(chance))
            for word, value, chance in zip(words, chances @ points, won, strict=True)
        }


def id_of(word):
    """The id in ``arbiter.envs`` of what was done."""
    if word == "pass":
        return PASS
    if word.startswith("bid_"):
        return int(word[4:]) - FORCED
    if word.startswith("trump_"):
        return FIRST_TRUMP + TRUMPS.index(word[-1])
    return FIRST_CARD + NAMES.index(word)


if __name__ == "__main__":
    kit.main(Learned, __doc__)
