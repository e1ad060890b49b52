"""Bodies of requests: read for whom it is, as far as it may be, and no longer than it may take.

Whatever reads a body reads it through here. What programs send is read once their token is known to be alive,
so that nothing of anybody else's is parsed or kept; pages ask for the session before they read a form. An
archive has its season's own bound.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from arbiter.web.callers import by_token, token_in
from arbiter.web.refusals import Refusal, no_token
from arbiter.web.security import number_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arbiter.web.seasons import Seasons

MOST_BYTES = 64_000
"""Of every body but an archive."""
SECONDS, BYTES_A_SECOND = 30.0, 16_000
"""A body has so long, and a second more for each so many bytes that have come."""
ARCHIVES = re.compile(r"/api/v1/seasons/[^/]+/submissions|/me/submissions")
API = "/api/"
LENGTH_DIGITS = 19
CLOSE = {"connection": "close"}


class Bodies:
    """Bounds the bodies of requests."""

    def __init__(self, app: ASGIApp, seasons: Seasons) -> None:
        self._app, self._seasons = app, seasons

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and has_body(scope):
            receive = _Body(scope, receive, self._seasons).receive
        await self._app(scope, receive, send)


class _Body:
    """The body of one request, as it comes."""

    def __init__(self, scope: Scope, receive: Receive, seasons: Seasons) -> None:
        self._request, self._receive, self._seasons = Request(scope), receive, seasons
        self._most = None if ARCHIVES.fullmatch(scope["path"]) else MOST_BYTES
        self._began = asyncio.get_running_loop().time()
        self._size, self._admitted, self._whole = 0, False, False

    async def receive(self) -> Message:
        """The next piece; Refusal where there is to be none."""
        if self._whole:
            return await self._receive()
        if not self._admitted:
            await self._admit()
        until = self._began + SECONDS + self._size / BYTES_A_SECOND
        try:
            async with asyncio.timeout_at(until):
                piece = await self._receive()
        except TimeoutError:
            message = f"the body did not come within {SECONDS:.0f} s"
            raise Refusal(408, "too_slow", message, headers=CLOSE) from None
        if piece["type"] == "http.disconnect":
            raise Refusal(400, "no_request", "the body did not come whole")
        self._add(len(piece.get("body", b"")))
        self._whole = not piece.get("more_body", False)
        return piece

    async def _admit(self) -> None:
        """Judge what is known before the body; the token first."""
        if self._request.scope["path"].startswith(API):
            token = token_in(self._request)
            if token is None or await run_in_threadpool(by_token, self._seasons, token) is None:
                raise no_token()
        self._add(length_of(self._request))
        self._size, self._admitted = 0, True

    def _add(self, size: int) -> None:
        self._size += size
        if self._most is not None and self._size > self._most:
            message, more = f"a request has at most {self._most} bytes", {"limit": self._most}
            raise Refusal(413, "too_large", message, headers=CLOSE, more=more)


def has_body(scope: Scope) -> bool:
    """True for a request that says that it has a body."""
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"


def length_of(request: Request) -> int:
    """How long a body says that it is; 0 where it does not say."""
    return number_of(request.headers.get("content-length", ""), LENGTH_DIGITS) or 0
