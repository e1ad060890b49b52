"""The interface of observers, the one that suits all games, and vectors made of bits."""

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
    """The view of a game's agents, and the ids by which they name their actions.

    Ids are 0..`actions`-1; by default they are the game's own. `dtype` is that of observations, all
    of whose cells are from `low` to `high`.
    """

    actions: int
    dtype: ClassVar[type[np.generic]] = np.int8
    low: ClassVar[float] = 0
    high: ClassVar[float] = 1
    aec: ClassVar[str] = "arbiter.envs.pettingzoo_forms:GameEnv"
    parallel: ClassVar[str] = "arbiter.envs.pettingzoo_forms:ParallelGameEnv"
    """``module:class`` of the PettingZoo environments of the game."""
    batch: str = "arbiter.envs.batches:Batch"
    """The same of what plays many matches of the game at once."""

    def _compile(self, game: AnyGame | None, rules: type[AnyGame], able: bool = True) -> None:
        """Many matches are played in C where that was built, by exactly these rules, and C is `able` to."""
        # A class that is made of them may have other rules.
        if type(game) is rules and able and core_of(rules.name) is not None:
            self.batch = f"arbiter.envs.compiled:{rules.__name__}Batch"

    @abstractmethod
    def size(self, seat: Seat) -> int:
        """The number of cells in the observation of a seat."""

    @abstractmethod
    def vector(self, play: Play, seat: Seat) -> Vector:
        """The observation of a seat: a new array of `size` cells."""

    def legal(self, play: Play, seat: Seat) -> Sequence[int]:
        """The ids of what a seat that is to act may do, ascending; do not change the answer."""
        return play.legal(seat)

    def act(self, play: Play, seat: Seat, action: int) -> None:
        """Do what an id means for a seat that is to act; IllegalAction, nothing being changed."""
        play.act(seat, action)

    def action_name(self, action: int) -> str:
        """An id for people."""
        return str(action)

    def translated(self, play: Play) -> bool:  # noqa: ARG002
        """True where ids are not the game's actions now, or several ids are one action."""
        return False


class AnyGameObserver(Observer):
    """A seat's own cards and legal actions, which is all that is known without the rules.

    int8: cells 0 .. c-1, how many copies of each card the seat holds, by card index; c, 1 if it is
    its turn; then a cell for each action, 1 if it is legal for this seat now.

    c is one more than the highest card index in 200 sample deals; cards above that are left out.
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
    """The lowest `count` bits of an integer, the lowest first, as cells 0 and 1."""
    packed = np.frombuffer(value.to_bytes((count + 7) >> 3, "little"), np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little").view(np.int8)
