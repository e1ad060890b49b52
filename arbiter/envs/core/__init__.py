"""Rules of games in C, an extension module each, for `arbiter.envs.batch`.

Where they are not built Python plays.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from numpy.typing import NDArray

ZEROS, WHOLE, AGAIN = range(3)
"""How masks are written: see `core_masks` in core.h."""


class AnyCore(Protocol):
    """`n` matches of a game in play; `core.h` says what its methods read and write.

    Arrays are C-contiguous, aligned, and of the type that is told there: ValueError for a size that is not
    right, or before all matches are loaded.
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
    """The `Core` of a game by its name; None where it was not built."""
    try:
        found: type[AnyCore] = import_module(f"{__name__}.{name}").Core
    except ImportError:
        return None
    return found
