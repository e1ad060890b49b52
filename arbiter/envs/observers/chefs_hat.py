"""Chef's Hat: 228 cells, and every decision in steps over the same 200 ids."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.match_state import Play
from arbiter.envs.observers.observer import Observer, Vector
from arbiter.errors import IllegalAction
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import HAND, JOKER, STEP_NAMES, STEPS
from arbiter.games.chefs_hat.gym_observation import BOARD
from arbiter.games.chefs_hat.opening import Opening
from arbiter.games.chefs_hat.state import ChefsHatState
from arbiter.games.game import Action, Seat

Observation: TypeAlias = NDArray[np.float32]
FIRST_STEP = BOARD + HAND
"""The cell of action 0."""
CELLS = FIRST_STEP + STEPS
NO_STEPS = [0.0] * STEPS
_REFUSED = 2
"""Under `gym2`, the value of cells of discards that are listed but refused."""
_SHARES = np.arange(JOKER + 2, dtype=np.float32) / np.float32(JOKER + 1)
"""The value of the cell of each card, and of an empty board."""


@lru_cache(maxsize=1 << 14)
def card_cells(cards: bytes) -> tuple[Observation, list[float]]:
    """Return the cells of cards as an array, not to be modified, and as a list."""
    shares: Observation = _SHARES[np.frombuffer(cards, np.uint8)]
    return shares, shares.tolist()


def observe(
    state: ChefsHatState, seat: Seat, can: Sequence[Action] = (), refused: Sequence[Action] = ()
) -> Observation:
    """Return a seat's observation, with possible actions `can` and listed but `refused` ones."""
    seen = np.zeros(CELLS, np.float32)
    seen[:BOARD] = card_cells(state.board)[0]
    seen[BOARD:FIRST_STEP] = card_cells(state.cells(seat))[0]
    if can:
        cells = seen[FIRST_STEP:]
        cells.put(can, 1)
        if refused:
            cells.put(refused, _REFUSED)
    return seen


class ChefsHatObserver(Observer):
    """float32[228]: the board / 13, the own hand / 13, the own possible actions, all from 0 to 1.

    Under `gym2` the value 2 marks an action that is listed but refused.

    Ids 0..198 are discards ``C{c};Q{q};J{j}``, 199 is a pass. Before the play the same ids are used: for
    the special action 198 declares the one open to the seat's role and 199 none; in the exchange
    ``C{v};Q1;J0`` gives one card of value v and 198 a joker, the Chef being asked twice.

    An empty board is 13, 0, ...; played cards are zeros in front of the hand.
    """

    dtype = np.float32
    high = _REFUSED
    aec = "arbiter.envs.chefs_hat.pettingzoo_envs:ChefsHatCycle"
    parallel = "arbiter.envs.chefs_hat.pettingzoo_envs:ChefsHatParallel"

    def __init__(self, game: ChefsHat) -> None:
        self.actions = STEPS
        # Given deals may have properties that C does not support.
        self._compile(game, ChefsHat, game.rules == "book" and game._given is None)

    def size(self, seat: Seat) -> int:  # noqa: ARG002
        return CELLS

    def vector(self, play: Play, seat: Seat) -> Vector:
        state: ChefsHatState = play.state
        if play.turn != seat:
            return observe(state, seat)
        return observe(state, seat, self.legal(play, seat), state.refused(seat))

    def legal(self, play: Play, seat: Seat) -> Sequence[int]:
        state: ChefsHatState = play.state
        return play.legal(seat) if state.in_play else state.steps(seat, play.pending)

    def act(self, play: Play, seat: Seat, action: int) -> None:
        """See `Observer.act`; the first of the Chef's two cards is stored in `Play.pending`."""
        state: ChefsHatState = play.state
        if not state.in_play and action not in self.legal(play, seat):
            asked = "198 (declare) or 199" if state.asking_special else "a card in hand"
            raise IllegalAction(f"{STEP_NAMES[action]} is not {asked}", STEP_NAMES[action])
        decided, picked = state.decision(play.pending, action)
        if decided is None:
            play.pending = picked
        else:
            play.act(seat, decided)

    def translated(self, play: Play) -> bool:
        return isinstance(play.state, Opening)

    def action_name(self, action: int) -> str:
        return STEP_NAMES[action]
