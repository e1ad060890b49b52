"""Chef's Hat: 228 cells, and every decision in steps over the same 200 ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arbiter.envs.observers.observer import Observer, Vector
from arbiter.errors import IllegalAction
from arbiter.games.chefs_hat_actions import (
    HAND,
    JOKER,
    LONE_JOKER,
    NO_SPECIAL,
    PASS,
    STEP_NAMES,
    STEPS,
    card_of_step,
    gift,
    step_of_card,
)
from arbiter.games.chefs_hat_gym2 import BOARD, Gym2State
from arbiter.games.chefs_hat_opening import Opening
from arbiter.games.chefs_hat_view import board_cells, hand_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.envs.play import Play
    from arbiter.games.chefs_hat import ChefsHat
    from arbiter.rules import Seat

CELLS = BOARD + HAND + STEPS
_REFUSED = 2
"""Under `gym2`, in the cells of discards that are listed but cannot be done."""
_DECLARE = LONE_JOKER
_DECLINE = PASS


class ChefsHatObserver(Observer):
    """float32[228]: the board / 13, the own hand / 13, the own possible actions, all from 0 to 1.

    Under `gym2` a possible action may be 2: it is listed, but cannot be done.

    Ids 0..198 are discards ``C{c};Q{q};J{j}``, 199 is a pass. Before the play the same ids are used: for
    the special action 198 declares the one open to the seat's role and 199 none; in the exchange
    ``C{v};Q1;J0`` gives one card of value v and 198 a joker, the Chef being asked twice.

    An empty board is 13, 0, ...; played cards are zeros in front of the hand.
    """

    dtype = np.float32
    high = _REFUSED

    def __init__(self, game: ChefsHat) -> None:  # noqa: ARG002
        self.actions = STEPS

    def size(self, seat: Seat) -> int:  # noqa: ARG002
        """228."""
        return CELLS

    def vector(self, play: Play, seat: Seat) -> Vector:
        """See the class."""
        cells = np.zeros(CELLS, np.float32)
        cells[:BOARD] = board_cells(play.state)
        cells[BOARD : BOARD + HAND] = hand_cells(play.state, seat)
        cells[: BOARD + HAND] /= np.float32(JOKER + 1)
        if play.turn == seat:
            cells[[action + BOARD + HAND for action in self.legal(play, seat)]] = 1
            if isinstance(play.state, Gym2State):
                _, refused = play.state.possible(seat)
                cells[[action + BOARD + HAND for action in refused]] = _REFUSED
        return cells

    def legal(self, play: Play, seat: Seat) -> Sequence[int]:
        """The steps that a seat may take."""
        state = play.state
        if not isinstance(state, Opening):
            return play.legal(seat)
        if state.asking_special:
            return _DECLARE, _DECLINE
        left = list(state.setting.hands[seat])
        for card in play.pending:
            left.remove(card)
        return sorted({step_of_card(card) for card in left})

    def act(self, play: Play, seat: Seat, action: int) -> None:
        """See `Observer.act`; the first of the Chef's two cards is kept in `Play.pending`."""
        state = play.state
        if not isinstance(state, Opening):
            # The game has other ids above the steps, which the play does not know.
            play.act(seat, action)
        elif action not in self.legal(play, seat):
            asked = "198 (declare) or 199" if state.asking_special else "a card in hand"
            raise IllegalAction(f"{STEP_NAMES[action]} is not {asked}")
        elif state.asking_special:
            play.act(seat, NO_SPECIAL if action == _DECLINE else play.legal(seat)[1])
        else:
            cards = (*play.pending, card_of_step(action))
            if len(cards) < state.wanted:
                play.pending = cards
            else:
                play.act(seat, gift(cards))

    def action_name(self, action: int) -> str:
        """``C11;Q2;J1``, ``pass``."""
        return STEP_NAMES[action]
