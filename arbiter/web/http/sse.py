"""Server-sent events: the loop that sends a listener what there is, and shows that the connection lives."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

HEARTBEAT_SECONDS = 15.0
"""Without news, until a comment shows whether the other end is still there."""
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}
"""Nobody on the way keeps the stream, or waits for more of it."""


def stream_answer(chunks: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(chunks, media_type="text/event-stream", headers=_HEADERS)


def waker(changed: asyncio.Event) -> Callable[[], None]:
    """Return what sets an event of this loop from any thread, as long as the loop lasts."""
    loop = asyncio.get_running_loop()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(changed.set)

    return wake


async def stream(
    next_chunk: Callable[[], Awaitable[bytes | None]], life_seconds: float = float("inf")
) -> AsyncIterator[bytes]:
    """Yield what `next_chunk` gives, each at once, and a comment now and then; end with None, or its life."""
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
