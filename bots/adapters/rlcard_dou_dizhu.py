#!/usr/bin/env python3
"""An agent of RLCard plays Dou Dizhu: by default its rules, else what --agent module:function makes."""
# pip: rlcard==1.2.0 setuptools<81

import argparse
import importlib
import random
import subprocess
from importlib.util import find_spec

import numpy as np

from arbiter.envs.protocol_bot import ProtocolBot
from arbiter.games.dou_dizhu.combinations import cards_in, table

# RLCard starts `pip freeze` when it is imported, to look for torch; a confined bot starts no programs.
subprocess.check_output = lambda *_, **__: b"torch==0" if find_spec("torch") else b""

import rlcard  # noqa: E402

RULES = "rlcard.models.doudizhu_rule_models:DouDizhuRuleAgentV1"
NAMES, RANKS = table().names, "3456789TJQKA2BR"


def in_order(cards):
    return "".join(sorted(cards, key=RANKS.index))


class RLCardBot(ProtocolBot):
    """Shows an agent RLCard's state, in which seats count from the landlord."""

    def __init__(self, agent=RULES, seed=1):
        super().__init__("dou_dizhu")
        module, made = agent.split(":")
        self.agent, self.seed = getattr(importlib.import_module(module), made)(), seed
        self.env = rlcard.make("doudizhu", config={"seed": seed})

    def begin(self, _):
        random.seed(self.seed)
        np.random.seed(self.seed)

    def decide(self, match):
        me, state = match.seat, match.state
        trace = [((seat - state.landlord) % 3, NAMES[action]) for seat, action in match.done]
        played = ["".join(word for seat, word in trace if seat == k and word != "pass") for k in range(3)]
        hand = "".join(map(match.game.card_name, cards_in(state.hands[me])))
        others = RANKS[:13] * 4 + "BR"
        for card in hand + "".join(played):
            others = others.replace(card, "", 1)
        self.env.game.state = raw = {
            "self": (me - state.landlord) % 3,
            "landlord": 0,
            "current_hand": hand,
            "others_hand": in_order(others),
            "trace": trace,
            "played_cards": [in_order(cards) for cards in played],
            "num_cards_left": [dealt - len(cards) for dealt, cards in zip((20, 17, 17), played, strict=True)],
            "seen_cards": "".join(map(match.game.card_name, match.deal.extra)),
            "actions": [NAMES[action] for action in state.legal(me)],
        }
        answer, _ = self.agent.eval_step(self.env._extract_state(raw))
        return NAMES.index(answer) if isinstance(answer, str) else int(answer)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--agent", default=RULES, help="module:function, called without arguments")
    options.add_argument("--seed", type=int, default=1)
    RLCardBot(**vars(options.parse_args())).run()
