#!/usr/bin/env python3
"""OpenSpiel's search over sampled worlds (ISMCTS) plays Dou Dizhu; arguments: simulations a move, seed."""
# pip: open_spiel==2.0.2

import random
import sys

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from arbiter.envs.protocol_bot import ProtocolBot
from arbiter.games.dou_dizhu.combinations import PASS, table

RANKS, NAMES, GAME = "3456789TJQKA2BR", table().names, pyspiel.load_game("dou_dizhu")
DECK = RANKS[:13] * 4 + "BR"
CARDS, BIDS = dict(enumerate(DECK, 51)), 4


def ids_of_plays():
    """OpenSpiel's ids of each play, by our id: two where it has two readings, none where it is missing."""
    ours = {name: number for number, name in enumerate(NAMES)}
    found, state = {PASS: [0]}, GAME.new_initial_state()
    for number in range(BIDS, GAME.num_distinct_actions()):
        word = state.action_to_string(0, number).replace("(BWJ)", "B").replace("(CJ)", "R").replace("-", "")
        if (name := "".join(sorted(word, key=RANKS.index))) in ours:
            found.setdefault(ours[name], []).append(number)
    return found


class OpenSpielBot(ProtocolBot):
    """Asks a bot of OpenSpiel for its move in a state that is replayed; seats count from the landlord."""

    def __init__(self, simulations=50, seed=1):
        super().__init__("dou_dizhu")
        self.simulations, self.seed, self.theirs = simulations, seed, ids_of_plays()
        self.ours = {number: action for action, numbers in self.theirs.items() for number in numbers}

    def begin(self, match):
        self.random = random.Random(self.seed)
        luck = np.random.RandomState(self.seed)
        search = mcts.RandomRolloutEvaluator(1, luck), 2.0, self.simulations
        form = {"random_state": luck, "use_observation_string": True, "allow_inconsistent_action_sets": True}
        self.bot = ismcts.ISMCTSBot(GAME, *search, **form)
        self.bot.set_resampler(lambda *_: self.world(match))

    def world(self, match):
        """Return a state in which this seat has its cards; ValueError where OpenSpiel lacks a play."""
        me = (match.seat - match.state.landlord) % 3
        name, dealt, first = match.game.card_name, match.deal, match.state.landlord
        extra, hidden = [name(card) for card in dealt.extra], list(DECK)
        hands = [[name(card) for card in dealt.hands[(first + k) % 3] if card < 54] for k in range(3)]
        for card in extra:
            hands[0].remove(card)
        for card in extra + hands[0] + hands[1] + hands[2]:
            hidden.remove(card)
        self.random.shuffle(hidden)
        hands = [hand + [hidden.pop() for _ in range(17 - len(hand))] for hand in hands]
        state = GAME.new_initial_state()
        # Whose card lies open bids first; by our own first card it is the same in all worlds.
        state.apply_action(me)
        ids = {card: [number for number in CARDS if CARDS[number] == card] for card in RANKS}
        dealing = [[ids[card].pop()] for cards in zip(*hands, strict=True) for card in cards]
        auction = [[bid] for bid in [0] * (-me % 3) + [3]]
        for numbers in dealing + auction + [self.theirs.get(action, ()) for _, action in match.done]:
            state.apply_action(max(numbers, key=set(state.legal_actions()).__contains__))
        return state

    def decide(self, match):
        legal = match.state.legal(match.seat)
        try:
            chosen = self.ours.get(self.bot.step(self.world(match)))
        except ValueError:
            chosen = None
        # A play that one of the two lacks: ours of the lowest rank.
        return chosen if chosen in legal else legal[0]


if __name__ == "__main__":
    OpenSpielBot(*map(int, sys.argv[1:])).run()
