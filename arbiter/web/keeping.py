"""Answers kept with the state that they were made of, so that what many ask for is made once.

They go when the state does. Each gets a tag made of its bytes; whoever has it already is told so.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool

from arbiter.errors import ArbiterError
from arbiter.web.security import given

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arbiter.web.seasons import Seasons
    from arbiter.web.state import State

LOG = logging.getLogger("arbiter.web")
MOST_BYTES = 16_000_000
"""Of answers kept with one state."""
OVERHEAD = 500
"""Bytes that keeping an answer takes beside it."""


class _Kept:
    """The answers made of one state, the oldest first."""

    def __init__(self) -> None:
        self.answers: dict[object, asyncio.Future[tuple[Message, bytes]]] = {}
        self.sizes: dict[object, int] = {}
        self.size = 0

    def settle(self, key: object, done: asyncio.Future[tuple[Message, bytes]]) -> None:
        """Keep a good answer, in place of the oldest ones where there is no room."""
        if done.cancelled() or done.exception() is not None or done.result()[0]["status"] != 200:
            self.answers.pop(key, None)
            return
        self.sizes[key] = len(done.result()[1]) + OVERHEAD
        self.size += self.sizes[key]
        while self.size > MOST_BYTES:
            oldest = next(iter(self.sizes))
            self.size -= self.sizes.pop(oldest)
            del self.answers[oldest]


class Keeper:
    """Answers again what was asked before of the same state; everything else is handed on."""

    def __init__(self, app: ASGIApp, seasons: Seasons) -> None:
        self._app, self._seasons = app, seasons
        self._kept: WeakKeyDictionary[State, _Kept] = WeakKeyDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = await self._state(scope)
        if state is None:
            await self._app(scope, receive, send)
            return
        kept = self._kept.setdefault(state, _Kept())
        key = scope["path"], scope["query_string"]
        answer = kept.answers.get(key)
        if answer is None:
            answer = kept.answers[key] = asyncio.ensure_future(
                self._make({**scope, "method": "GET"}, receive)
            )
            answer.add_done_callback(lambda done: kept.settle(key, done))
        # Who asked first may go away; the answer is made all the same.
        start, body = await asyncio.shield(answer)
        await _send(scope, start, body, send)

    async def _state(self, scope: Scope) -> State | None:
        """The present state of the season that a request to read is about; None for any other request."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return None
        parts = scope["path"].removeprefix("/api/v1").split("/")
        if len(parts) < 3 or parts[1] != "seasons" or parts[-1] == "events":
            return None
        watched = self._seasons.watched.get(given(parts[2]))
        if watched is None:
            return None
        try:
            return watched.latest() if watched.is_fresh() else await run_in_threadpool(watched.state)
        except ArbiterError:
            # The page says so.
            return None

    async def _make(self, scope: Scope, receive: Receive) -> tuple[Message, bytes]:
        start: Message = {}
        body = bytearray()

        async def take(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
            else:
                body.extend(message.get("body", b""))

        try:
            await self._app(scope, receive, take)
        except Exception:
            # An error page is sent before the error is raised once more, for the log.
            if not start:
                raise
            LOG.exception("an answer failed: %s", scope["path"])
        return start, bytes(body)


async def _send(scope: Scope, start: Message, body: bytes, send: Send) -> None:
    headers = [pair for pair in start["headers"] if pair[0] not in (b"etag", b"cache-control")]
    status = start["status"]
    if status == 200:
        tag = b'"%s"' % hashlib.sha256(body).hexdigest()[:20].encode()
        headers += [(b"etag", tag), (b"cache-control", b"no-cache")]
        if dict(scope["headers"]).get(b"if-none-match") == tag:
            status, body = 304, b""
            headers = [pair for pair in headers if pair[0] not in (b"content-length", b"content-type")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
