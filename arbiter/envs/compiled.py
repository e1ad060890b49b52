"""Many matches at once, whose rules and views are C.

The matches live in a `Core` (`arbiter/envs/core`); a `Play` is asked for the first situation of each, and its
class in Python stays the truth: equal in every state, mask and observation.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.batches import Batch, _written
from arbiter.envs.core import AGAIN, WHOLE, ZEROS, core_of
from arbiter.envs.match_state import Play
from arbiter.envs.observers import Observer
from arbiter.games.game import AnyGame


class CompiledBatch(Batch):
    """`Batch` over a `Core`, for a game of exactly the class that `core` knows; subclasses say which."""

    core: ClassVar[str]
    """The name of the game's module in `arbiter.envs.core`."""

    @abstractmethod
    def _options(self, game: Any) -> list[int]:
        """The game's options as the `Core` reads them."""

    @abstractmethod
    def _numbers_of(self, play: Any) -> list[int]:
        """A match as the `Core` loads it."""

    _loaded = False

    @classmethod
    def _takes(cls, plays: Sequence[Play]) -> bool:
        return all(type(play) is Play for play in plays)

    def _prepare(self, game: AnyGame, observer: Observer, plays: list[Play]) -> None:
        super()._prepare(game, observer, plays)
        self._cells = self.size
        made = core_of(self.core)
        assert made is not None, "a game's observer names this class where there is a core"
        self._core = made(self.n, np.array(self._options(game), np.uint64))

    def __getstate__(self) -> dict[str, Any]:
        # The array of masks was written by another core than the copy's.
        return {**self.__dict__, "_core": self._core.state(), "_filled": (None,)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        loads, matches, starts = state["_core"]
        self.__dict__.update(state)
        if (made := core_of(self.core)) is None:
            raise ValueError(f"this batch of {self.core} was made by rules in C, and here are none")
        self._core = made(self.n, np.array(self._options(self.game), np.uint64))
        for number, (name, numbers) in enumerate(loads):
            self._core.load(number, name, numbers)
        self._core.restore(matches, starts)

    def begin(self, seeds: Sequence[int | str | None]) -> None:
        if self._loaded:
            # They have heard nothing of the matches since, and the next one is to be the right one.
            for number, play in enumerate(self._plays):
                play._match = self._core.match(number)
        super().begin(seeds)

    def observations(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        shape, dtype = (self.n, self.size), self.observer.dtype
        if out is not None and self._fits(out, shape, dtype):
            self._core.observations(out)
            return out
        made: NDArray[Any] = np.empty(shape, dtype)
        self._core.observations(made)
        return made if out is None else _written(out, made)

    def masks(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        shape = self.n, self.actions
        if out is not None and self._fits(out, shape, np.int8):
            self._core.masks(out, AGAIN if out is self._filled[0] else WHOLE)
            self._filled = (out,)
            return out
        made: NDArray[np.int8] = np.zeros(shape, np.int8)
        self._core.masks(made, ZEROS)
        return made if out is None else _written(out, made)

    def step(self, actions: Sequence[int] | NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        given = self._integers(actions)
        if given.dtype != np.int64 or not given.flags.carray:
            given = given.astype(np.int64)
        rewards, over = np.zeros((self.n, self.seats), np.float32), np.empty(self.n, np.bool_)
        last = None if self.ends is None else np.empty((self.n, self._cells), self.observer.dtype)
        if not self._core.step(given, rewards, over, last):
            raise self._no_such_id()
        if self.ends is not None and last is not None:
            ended = over.nonzero()[0]
            self.ends.update(zip(ended.tolist(), self._views(last[ended], self.turns[ended]), strict=True))
        self._turn()
        return rewards, over

    def _views(self, seen: NDArray[Any], seats: NDArray[np.int64]) -> NDArray[Any]:  # noqa: ARG002
        """What seats see, by the views that the core writes for them."""
        return seen

    def _look(self) -> None:
        for number in range(self.n):
            self._load(number)
        if self._starts is not None:
            self._core.mark()
        self._loaded = True
        self._turn()

    def _load(self, number: int) -> None:
        play = self._plays[number]
        name = f"arbiter-deals-1|{play._seed}|".encode()
        self._core.load(number, name, np.array(self._numbers_of(play), np.uint64))

    def _turn(self) -> None:
        self.turns, self._legal = np.empty(self.n, np.int64), None
        self._core.turns(self.turns)

    def _enumerated(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        starts = np.empty(self.n + 1, np.int64)
        self._core.starts(starts)
        ids = np.empty(int(starts[-1]), np.int64)
        self._core.ids(ids)
        return ids, starts

    @staticmethod
    def _fits(out: NDArray[Any], shape: tuple[int, int], dtype: type[np.generic]) -> bool:
        """True where a core can write into it."""
        return out.shape == shape and out.dtype == dtype and out.flags.carray
