"""The interface of observers, the default observer for any game, and vectors of bits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.core import core_of
from arbiter.envs.match_state import Play
from arbiter.games.cards import Stream
from arbiter.games.game import AnyGame, Seat

Vector: TypeAlias = NDArray[Any]


class Observer(ABC):
    """The observations of a game's agents, and the ids of their actions.

    Ids are 0..`actions`-1, by default the game's. Observations have `dtype`, and cells from `low` to `high`.
    """

    actions: int
    dtype: ClassVar[type[np.generic]] = np.int8
    low: ClassVar[float] = 0
    high: ClassVar[float] = 1
    aec: ClassVar[str] = "arbiter.envs.pettingzoo_forms:GameEnv"
    parallel: ClassVar[str] = "arbiter.envs.pettingzoo_forms:ParallelGameEnv"
    """``module:class`` of the PettingZoo environments of the game."""
    batch: str = "arbiter.envs.batches:Batch"
    """``module:class`` of the game's `Batch`."""

    def _compile(self, game: AnyGame | None, rules: type[AnyGame], able: bool = True) -> None:
        """Use the batch in C if it was built, for games of exactly the class `rules`, if C is `able` to."""
        # A subclass may have other rules.
        if type(game) is rules and able and core_of(rules.name) is not None:
            self.batch = f"arbiter.envs.compiled:{rules.__name__}Batch"

    @abstractmethod
    def size(self, seat: Seat) -> int:
        """Return the number of cells in the observation of a seat."""

    @abstractmethod
    def vector(self, play: Play, seat: Seat) -> Vector:
        """Return the observation of a seat: a new array of `size` cells."""

    def legal(self, play: Play, seat: Seat) -> Sequence[int]:
        """Return the legal ids of a seat to act, ascending; do not modify them."""
        return play.legal(seat)

    def act(self, play: Play, seat: Seat, action: int) -> None:
        """Do the action of an id for a seat to act; IllegalAction, then nothing is changed."""
        play.act(seat, action)

    def action_name(self, action: int) -> str:
        """Return the name of an id for people."""
        return str(action)

    def translated(self, play: Play) -> bool:  # noqa: ARG002
        """Return True if ids differ from the game's actions now, or several ids make one action."""
        return False


class AnyGameObserver(Observer):
    """The default observer: a seat's own cards and legal actions.

    int8: cells 0 .. c-1, the number of copies of each card in the seat's hand, by card index; c, 1 if it is
    its turn; then a cell for each action, 1 if it is legal for this seat now.

    c is one more than the highest card index in 200 sample deals; higher cards are left out.
    """

    high = 127

    def __init__(self, game: AnyGame) -> None:
        self.actions = game.actions
        self.cards = 1
        for number in range(200):
            deal = game.deal(0, Stream.of_deal("arbiter-envs-cards", number + 1, 0), None)
            for hand in (*deal.hands, deal.extra) if deal else ():
                self.cards = max(self.cards, *(card + 1 for card in hand), 1)

    def size(self, seat: Seat) -> int:  # noqa: ARG002
        return self.cards + 1 + self.actions

    def vector(self, play: Play, seat: Seat) -> Vector:
        cells = np.zeros(self.size(seat), np.int8)
        for card in play.game.hand(play.state, seat):
            if card < self.cards:
                cells[card] += 1
        if seat == play.turn:
            cells[self.cards] = 1
            cells[np.asarray(play.legal(seat), np.intp) + self.cards + 1] = 1
        return cells


def bits(value: int, count: int) -> NDArray[np.int8]:
    """Return the lowest `count` bits of an integer, the lowest first, as cells 0 and 1."""
    packed = np.frombuffer(value.to_bytes((count + 7) >> 3, "little"), np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little").view(np.int8)
