"""Dou Dizhu's plays in published packages, as lines of JSON.

    python tests/bench/peer_rules.py openspiel      # the words of all its plays
    python tests/bench/peer_rules.py douzero 200    # of each decision in 200 random deals: hand, play to beat, plays

Run by the peers' interpreter; it needs nothing of `arbiter`. Words are cards in rank order.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

RANKS = "3456789TJQKA2BR"
NUMBERS = (*range(3, 15), 17, 20, 30)
"""DouZero's number of each rank."""


def openspiel() -> None:
    import pyspiel

    game = pyspiel.load_game("dou_dizhu")
    state = game.new_initial_state()
    words = [state.action_to_string(0, action) for action in range(4, game.num_distinct_actions())]
    bare = [word.replace("(BWJ)", "B").replace("(CJ)", "R").replace("-", "") for word in words]
    print(json.dumps(["".join(sorted(word, key=RANKS.index)) for word in bare]))


def word_of(cards: list[int]) -> str:
    return "".join(RANKS[NUMBERS.index(card)] for card in sorted(cards))


class Draw:
    """A player that prints each decision, then draws."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw

    def act(self, seen: Any) -> list[int]:
        best: list[int] = next((cards for cards in seen.card_play_action_seq[:-3:-1] if cards), [])
        plays = [word_of(cards) for cards in seen.legal_actions]
        print(json.dumps([word_of(seen.player_hand_cards), word_of(best), plays]))
        chosen: list[int] = self.draw.choice(seen.legal_actions)
        return chosen


def douzero(deals: int) -> None:
    from douzero.env.game import GameEnv

    draw, seats = random.Random(1), ("landlord", "landlord_down", "landlord_up")
    for _ in range(deals):
        env = GameEnv({seat: Draw(draw) for seat in seats})
        deck = [*NUMBERS[:13] * 4, *NUMBERS[13:]]
        draw.shuffle(deck)
        hands = dict(zip(seats, (deck[:20], deck[20:37], deck[37:]), strict=True))
        env.card_play_init(
            {**{seat: sorted(hand) for seat, hand in hands.items()}, "three_landlord_cards": deck[:3]}
        )
        while not env.game_over:
            env.step()


if __name__ == "__main__":
    if sys.argv[1] == "openspiel":
        openspiel()
    else:
        douzero(int(sys.argv[2]))
