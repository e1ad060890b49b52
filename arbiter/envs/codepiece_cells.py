"""Encode and decode cards and observations of Codepiece as cells; exported by `arbiter.envs.codepiece`.

encode_cards(["TD", "AS"])              # float32[52], ones at 21 and 51
decode_cards(engine.observe(0)[:52])    # the hand of player 0
decode_observation(engine.observe(0))   # what player 0 sees, as a dictionary
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from arbiter.envs.observers.codepiece import CELLS
from arbiter.envs.observers.observer import Vector
from arbiter.games.codepiece import DECK, HIGHEST, IDS, SEATS, TRICKS, WORDS

CARDS = len(DECK)
PHASES = ("bidding", "choose_trump", "trick", "game_over")
_TRICK, _OTHERS, _LEGAL, _PHASE, _NUMBERS, _TRUMP = 52, 104, 156, 219, 223, 229


def encode_cards(cards: Iterable[str]) -> Vector:
    """Return float32[52], 1 for each of the cards, given by name; ValueError for an unknown name."""
    cells = np.zeros(CARDS, np.float32)
    for card in cards:
        if card not in DECK.index:
            raise ValueError(f"expected the name of a card, such as TD, got {card!r}")
        cells[DECK.index[card]] = 1.0
    return cells


def decode_cards(cells: npt.ArrayLike) -> list[str]:
    """Return the names of the cards whose cells are 1, in index order; ValueError unless 52 cells 0 or 1."""
    return [DECK.names[card] for card in np.flatnonzero(_checked(cells, CARDS))]


def encode_observation(state: Mapping[str, Any]) -> Vector:
    """Return float32[233], equal to `Engine.observe`, from the state of `Engine.get_state`."""
    cells = np.zeros(CELLS, np.float32)
    cells[:_TRICK] = encode_cards(state["hand"])
    cells[_TRICK:_OTHERS] = encode_cards(card for _, card in state["current_trick"])
    cells[_OTHERS:_LEGAL] = 1 - cells[:_TRICK] - cells[_TRICK:_OTHERS]
    cells[[_LEGAL + IDS[action] for action in state["legal_actions"]]] = 1.0
    cells[_PHASE + PHASES.index(state["phase"])] = 1.0
    cells[_NUMBERS:_TRUMP] = (
        state["player_id"] / (SEATS - 1),
        state["team_id"],
        len(state["legal_actions"]) > 0,
        (state["highest_bid"] or 0) / HIGHEST,
        (state["winning_bid"] or 0) / HIGHEST,
        state["tricks_completed"] / TRICKS,
    )
    if state["trump_suit"] is not None:
        cells[_TRUMP + DECK.suits.index(state["trump_suit"])] = 1.0
    return cells


def decode_observation(cells: npt.ArrayLike) -> dict[str, Any]:
    """Decode 233 cells, with the names of `Engine.get_state`; ValueError if they are not an observation.

    Also, `trick` has the cards on the table and `others` all that are neither there nor in the hand, both
    in index order: the cells do not contain who played a card; `to_act` is True if the player acts next.
    """
    seen = _checked(cells, CELLS, slice(_NUMBERS, _TRUMP))
    numbers = (
        np.rint(seen[_NUMBERS:_TRUMP] * (SEATS - 1, 1, 1, HIGHEST, HIGHEST, TRICKS)).astype(int).tolist()
    )
    player, team, to_act, highest, winning, completed = numbers
    phases, trumps = np.flatnonzero(seen[_PHASE:_NUMBERS]), np.flatnonzero(seen[_TRUMP:])
    if len(phases) != 1 or len(trumps) > 1:
        raise ValueError("expected one phase in cells 219:223 and at most one trump in cells 229:233")
    return {
        "player_id": player,
        "team_id": team,
        "phase": PHASES[phases[0]],
        "hand": decode_cards(seen[:_TRICK]),
        "trick": decode_cards(seen[_TRICK:_OTHERS]),
        "others": decode_cards(seen[_OTHERS:_LEGAL]),
        "legal_actions": [WORDS[action] for action in np.flatnonzero(seen[_LEGAL:_PHASE])],
        "to_act": bool(to_act),
        "highest_bid": highest or None,
        "winning_bid": winning or None,
        "tricks_completed": completed,
        "trump_suit": DECK.suits[trumps[0]] if len(trumps) else None,
    }


def _checked(cells: npt.ArrayLike, count: int, numbers: slice = slice(0)) -> npt.NDArray[Any]:
    """Return `count` cells as an array, each 0 or 1, in the slice `numbers` from 0 to 1; ValueError."""
    seen = np.asarray(cells)
    right = seen.dtype.kind in "biuf" and seen.shape == (count,)
    if right:
        bits = (seen == 0) | (seen == 1)
        bits[numbers] = (seen[numbers] >= 0) & (seen[numbers] <= 1)
        right = bits.all()
    if not right:
        raise ValueError(f"expected {count} cells from 0 to 1, got {seen.dtype} of shape {seen.shape}")
    return seen
