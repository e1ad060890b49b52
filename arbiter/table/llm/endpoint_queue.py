"""The questions in progress at one endpoint, of all processes of this user on this machine.

A server may divide one context among its questions, or interrupt one for the next. Then questions asked at
once fail together, and so do their repetitions. So after a stream that broke off while others were in
progress, questions to that endpoint are asked one at a time for a while: `CALM_S` seconds, doubled up to
`LONGEST_CALM_S` each time it happens again.

The locks are on files: the kernel releases them when a process ends.
"""

from __future__ import annotations

import fcntl
import time
from contextlib import contextmanager, suppress
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, BinaryIO

from arbiter.table.llm.provider import ProviderFailure
from arbiter.table.private_folder import private_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CALM_S, LONGEST_CALM_S = 60.0, 3600.0
POLL_S = 0.02


class EndpointQueue:
    """The queue of an endpoint; `wait` waits some seconds, and returns True if the match is over."""

    def __init__(self, endpoint: str, wait: Callable[[float], bool]) -> None:
        self._path = str(private_folder() / f"model-{sha256(endpoint.encode()).hexdigest()[:16]}")
        self._wait = wait

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Ask within the block, alone while the endpoint is calmed; ProviderFailure if the match ends."""
        with open(f"{self._path}-room", "wb") as room:
            # Held until there is room, so that later questions do not overtake this one.
            with open(f"{self._path}-gate", "wb") as gate:
                self._lock(gate, fcntl.LOCK_EX)
                self._lock(room, fcntl.LOCK_EX if time.time() < self._calm_until() else fcntl.LOCK_SH)
            try:
                yield
            except ProviderFailure as failure:
                if failure.status == HTTPStatus.OK and _is_shared(room):
                    self._calm_down()
                raise
            finally:
                # A process forked meanwhile has the file open, too.
                fcntl.flock(room, fcntl.LOCK_UN)

    def _lock(self, file: BinaryIO, kind: int) -> None:
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(file, kind | fcntl.LOCK_NB)
                return
            if self._wait(POLL_S):
                raise ProviderFailure("the match was over", again=False)

    def _calm_until(self) -> float:
        """Return until when questions are asked one at a time, by `time.time`; 0.0 if never."""
        return sum(self._last_calm())

    def _last_calm(self) -> tuple[float, float]:
        """Return when the last calm began, and how long it is, in seconds."""
        with suppress(OSError, ValueError), open(f"{self._path}-calm", encoding="ascii") as file:
            begun, seconds = map(float, file.read().split())
            return begun, seconds
        return 0.0, 0.0

    def _calm_down(self) -> None:
        begun, seconds = self._last_calm()
        now = time.time()
        if begun + seconds <= now:
            recent = now < begun + 2 * seconds + CALM_S
            seconds = min(2 * seconds, LONGEST_CALM_S) if recent else CALM_S
            with open(f"{self._path}-calm", "w", encoding="ascii") as file:
                file.write(f"{now} {seconds}")


def _is_shared(room: BinaryIO) -> bool:
    """Return True if others hold this lock, too; it may be lost."""
    try:
        fcntl.flock(room, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
