"""The interface of observers, and vectors made of bits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.envs.play import Play
    from arbiter.rules import Seat

Vector: TypeAlias = NDArray[Any]


class Observer(ABC):
    """How the agents of a game see it, and the ids by which they name their actions.

    Ids are 0..`actions`-1; by default they are the game's own. `dtype` is that of observations, all
    of whose cells are from `low` to `high`.
    """

    actions: int
    dtype: ClassVar[type[np.generic]] = np.int8
    low: ClassVar[float] = 0
    high: ClassVar[float] = 1

    @abstractmethod
    def size(self, seat: Seat) -> int:
        """How many cells the observation of a seat has."""

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


def bits(value: int, count: int) -> NDArray[np.int8]:
    """The lowest `count` bits of an integer, the lowest first, as cells 0 and 1."""
    packed = np.frombuffer(value.to_bytes((count + 7) >> 3, "little"), np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little").view(np.int8)
