"""Word of every change at the table as server-sent events, for the pages that listen."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from arbiter.web.stream import stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from arbiter.byhand.session import Session

MOST = 20
"""Pages that listen at once."""


class News:
    """Who listens, and since when nobody does."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: set[asyncio.Event] = set()
        self._closed = False
        self._left: float | None = None

    @property
    def full(self) -> bool:
        """True when no further page may listen."""
        return len(self._waiting) >= MOST

    @property
    def alone_seconds(self) -> float:
        """For how long nobody has listened, after somebody did; 0 while one does, and before the first."""
        return 0.0 if self._left is None or self._waiting else time.monotonic() - self._left

    def close(self) -> None:
        """Let all go; called in the server's thread."""
        self._closed = True
        for changed in self._waiting:
            changed.set()

    async def listen(self) -> AsyncIterator[bytes]:
        """What one page is sent until it goes away: the present revision, then the newest each time."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(changed.set)

        told = -1

        async def newest() -> bytes | None:
            nonlocal told
            while told == self._session.revision and not self._closed:
                await changed.wait()
                changed.clear()
            told = self._session.revision
            return None if self._closed else f"data: {json.dumps({'revision': told})}\n\n".encode()

        stop = self._session.listen(wake)
        self._waiting.add(changed)
        try:
            yield b"retry: 1000\n\n"
            async for chunk in stream(newest):
                yield chunk
        finally:
            stop()
            self._waiting.discard(changed)
            self._left = time.monotonic()
