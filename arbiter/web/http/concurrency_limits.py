"""Limits on concurrent requests, in total and per address; requests beyond them get 429.

A request holds a slot while it computes. While it waits for its client (for the rest of a body, for an answer
to be received, for events) it holds none, so slow clients exclude no others. Cached answers need no slot.
When all slots are taken, organisers and `/healthz` are still answered.
"""

from __future__ import annotations

from collections import Counter
from contextlib import asynccontextmanager, contextmanager
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from arbiter.web.http.authentication import find_caller, has_credentials
from arbiter.web.http.http_errors import too_many

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arbiter.web.http.watched_seasons import Seasons

MOST, MOST_OF_ADDRESS = 400, 300
"""Concurrent requests, in total and per address."""
MOST_APART, MOST_APART_OF_ADDRESS = 20, 5
"""Further requests with a token or a cookie, which may be an organiser's, when all slots are taken."""
RETRY_SECONDS = 1
HEALTH = "/healthz"
THIS_MACHINE = "127.0.0.1"
NETWORK_BITS = 64
"""The prefix of an IPv6 address that counts as one client."""


def address_of(client: tuple[str, int] | None) -> str:
    """Return the key that limits count: an IPv4 address, an IPv6 network, or this machine; "" for None."""
    host = client[0] if client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.is_loopback:
        # A local client can use any of 16 million loopback addresses.
        return THIS_MACHINE
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(IPv6Network((int(address), NETWORK_BITS), strict=False))


class ConcurrencyLimits:
    """ASGI middleware that gives each request a slot, or refuses it."""

    def __init__(self, app: ASGIApp, seasons: Seasons) -> None:
        self._app, self._seasons = app, seasons
        self._taken: Counter[str] = Counter()
        self._apart: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == HEALTH:
            await self._app(scope, receive, send)
            return
        async with self.slot(scope) as slot:

            async def receive_outside() -> Message:
                with slot.release():
                    return await receive()

            async def send_outside(message: Message) -> None:
                with slot.release():
                    await send(message)

            await self._app(scope, receive_outside, send_outside)

    @asynccontextmanager
    async def slot(self, scope: Scope) -> AsyncIterator[_Slot]:
        """Hold a slot for a request while it computes; if all are taken, Refusal except for organisers."""
        who = address_of(scope["client"])
        limit = limit_of(self._taken, who, MOST, MOST_OF_ADDRESS)
        taken = self._taken if limit is None else self._apart
        slot, refusal = _Slot(taken, who), None
        if limit is not None:
            hint = "try again in a moment"
            refusal = too_many("too many requests are under way", limit, RETRY_SECONDS, hint)
            apart = limit_of(taken, who, MOST_APART, MOST_APART_OF_ADDRESS)
            if apart is not None or not has_credentials(scope):
                raise refusal
        with slot.hold():
            if refusal is not None:
                caller = await run_in_threadpool(find_caller, self._seasons, Request(scope))
                if caller is None or not caller.author.organiser:
                    raise refusal
            yield slot


class _Slot:
    """The slot of one request, free while the request waits."""

    def __init__(self, taken: Counter[str], who: str) -> None:
        self._taken, self._who = taken, who
        self._waits, self._over = 0, False

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Occupy the slot within the block."""
        self._over = False
        self._change_count(1)
        try:
            yield
        finally:
            if not self._waits:
                self._change_count(-1)
            self._over = True

    @contextmanager
    def release(self) -> Iterator[None]:
        """Free the slot within the block, while the request waits."""
        if not self._waits:
            self._change_count(-1)
        self._waits += 1
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits and not self._over:
                self._change_count(1)

    def _change_count(self, change: int) -> None:
        """Change the number of the client's requests; a client without any is forgotten."""
        self._taken[self._who] += change
        if not self._taken[self._who]:
            del self._taken[self._who]


def limit_of(taken: Mapping[str, int], who: str, most: int, most_of_address: int) -> int | None:
    """Return the limit that another request would exceed; None if it may proceed."""
    if sum(taken.values()) >= most:
        return most
    return most_of_address if taken.get(who, 0) >= most_of_address else None
