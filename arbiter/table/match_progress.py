"""The number of matches at once, and how far they are: for a function, or as a line on standard error."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias

from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

ProgressLike: TypeAlias = bool | Callable[[int, int | None], object]
"""True for a line on standard error, or a function of the matches played and planned (None if unknown)."""
LINE_SECONDS = 0.5
"""Seconds between two updates of the line that a terminal or a notebook rewrites."""
LOG_SECONDS = 10.0
"""Seconds between two lines elsewhere, so that a log stays short."""


def check_workers(workers: object) -> int:
    """Return a number of workers, for None one for each core; ConfigError."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if isinstance(workers, bool) or not isinstance(workers, SupportsIndex) or int(workers) < 1:
        raise ConfigError(
            f"workers: expected an integer from 1, or None for one on each core, got {workers!r}"
        )
    if int(workers) > 1 and not hasattr(os, "sched_getaffinity"):
        raise ConfigError("workers: more than one needs Linux")
    return int(workers)


@contextmanager
def shown(progress: ProgressLike) -> Iterator[Callable[[int, int | None], object]]:
    """Yield a function to call with the matches played and planned; ConfigError."""
    if not (isinstance(progress, bool) or callable(progress)):
        raise ConfigError(f"progress: expected a boolean or a function, got {progress!r}")
    if progress is not True:
        yield progress or (lambda *_: None)
        return
    line = _ProgressLine()
    try:
        yield line.show
    finally:
        line.end()


class _ProgressLine:
    """A line that a terminal or a notebook rewrites; elsewhere a line now and then, none for short calls."""

    def __init__(self) -> None:
        self._rewrites = sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel")
        self._begun = time.monotonic()
        self._last = 0.0 if self._rewrites else self._begun
        self._open = False

    def show(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._last < (LINE_SECONDS if self._rewrites else LOG_SECONDS) and (
            not self._rewrites or done != total
        ):
            return
        self._last, self._open = now, self._rewrites
        seconds = 0.0 if total is None else (now - self._begun) / done * (total - done)
        text = f"{done} matches" if total is None else f"{done} of {total} matches, {seconds:.0f} s left"
        if self._rewrites:
            print(f"\r{text}   ", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._open:
            print(file=sys.stderr)
