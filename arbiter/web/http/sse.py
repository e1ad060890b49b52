"""Server-sent events: streams of chunks with heartbeats."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

HEARTBEAT_SECONDS = 15.0
"""Without events, until a comment is sent, which detects closed connections."""
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}
"""Against caching and buffering by proxies."""


def stream_answer(chunks: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(chunks, media_type="text/event-stream", headers=_HEADERS)


def waker(changed: asyncio.Event) -> Callable[[], None]:
    """Return a function that sets an event of the running loop from any thread, until the loop ends."""
    loop = asyncio.get_running_loop()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(changed.set)

    return wake


async def stream(
    next_chunk: Callable[[], Awaitable[bytes | None]], life_seconds: float = float("inf")
) -> AsyncIterator[bytes]:
    """Yield the chunks of `next_chunk` and heartbeats, until it returns None or `life_seconds` pass."""
    now = asyncio.get_running_loop().time
    until = now() + life_seconds
    while now() < until:
        try:
            chunk = await asyncio.wait_for(next_chunk(), HEARTBEAT_SECONDS)
        except TimeoutError:
            chunk = b":\n\n"
        if chunk is None:
            return
        yield chunk
