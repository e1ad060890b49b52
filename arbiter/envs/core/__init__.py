"""Rules of games in C, one extension module per game, for `arbiter.envs.batch`.

Without them the Python rules are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

ZEROS, WHOLE, AGAIN = range(3)
"""Modes of writing masks: see `core_masks` in core.h."""


class AnyCore(Protocol):
    """`n` matches of a game in play, in C; arguments `write_...` are overwritten: see `core.h`.

    Arrays are C-contiguous, aligned, and of the documented type. ValueError for a wrong size, or before all
    matches are loaded.
    """

    def __init__(self, n: int, options: NDArray[Any], /) -> None: ...
    def state(self) -> tuple[list[tuple[bytes, bytes]], bytes, bytes | None]: ...
    def restore(self, state_of_matches: bytes, state_of_starts: bytes | None, /) -> None: ...
    def turns(self, write_seats: NDArray[Any], /) -> None: ...
    def starts(self, write_first_of_legal: NDArray[Any], /) -> None: ...
    def ids(self, write_legal: NDArray[Any], /) -> None: ...
    def load(self, k: int, name: bytes, numbers: NDArray[Any] | bytes, /) -> None:
        """Replace match k by what `numbers` describe (deals drawn under `name`); drop starts."""

    def mark(self) -> None:
        """Store the present states as starts: a match that ends returns to its own."""

    def match(self, k: int, /) -> int:
        """Return the number of match k since its seed."""

    def masks(self, write_masks: NDArray[Any], how: int, /) -> None: ...
    def observations(self, write_cells: NDArray[Any], /) -> None: ...
    def step(
        self,
        actions: NDArray[Any],
        write_rewards: NDArray[Any],
        write_over: NDArray[Any],
        write_last: NDArray[Any] | None,
        wait: NDArray[np.bool_] | None = None,
        viewers: NDArray[np.int64] | None = None,
        /,
    ) -> bool: ...


def core_of(name: str) -> type[AnyCore] | None:
    """Return the `Core` of a game by its name; None if it was not built."""
    try:
        found: type[AnyCore] = import_module(f"{__name__}.{name}").Core
    except ImportError:
        return None
    return found
