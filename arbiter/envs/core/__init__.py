"""Rules of games in C, one extension module per game, for `arbiter.envs.batch`.

Without them the Python rules are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from numpy.typing import NDArray

ZEROS, WHOLE, AGAIN = range(3)
"""Modes of writing masks: see `core_masks` in core.h."""


class AnyCore(Protocol):
    """`n` matches of a game in play; `core.h` documents what its methods read and write.

    Arrays are C-contiguous, aligned, and of the documented type. ValueError for a wrong size, or before all
    matches are loaded.
    """

    def __init__(self, n: int, options: NDArray[Any], /) -> None: ...
    def load(self, k: int, name: bytes, numbers: NDArray[Any] | bytes, /) -> None: ...
    def state(self) -> tuple[list[tuple[bytes, bytes]], bytes, bytes | None]: ...
    def restore(self, matches: bytes, starts: bytes | None, /) -> None: ...
    def mark(self) -> None: ...
    def match(self, k: int, /) -> int: ...
    def turns(self, seats: NDArray[Any], /) -> None: ...
    def starts(self, first: NDArray[Any], /) -> None: ...
    def ids(self, array: NDArray[Any], /) -> None: ...
    def masks(self, array: NDArray[Any], how: int, /) -> None: ...
    def observations(self, array: NDArray[Any], /) -> None: ...
    def step(
        self, actions: NDArray[Any], rewards: NDArray[Any], over: NDArray[Any], last: NDArray[Any] | None, /
    ) -> bool: ...


def core_of(name: str) -> type[AnyCore] | None:
    """Return the `Core` of a game by its name; None if it was not built."""
    try:
        found: type[AnyCore] = import_module(f"{__name__}.{name}").Core
    except ImportError:
        return None
    return found
