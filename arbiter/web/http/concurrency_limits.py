"""Places for requests that compute: so many in all, and so many of one address; the others come again.

A request has its place while it computes. While it waits for its client (for the rest of a body, for an
answer to be taken, for news) it has none, so that slow clients, however many, keep nobody out. What was made
before is answered without a place. Where all are taken, organisers and `/healthz` are answered all the same.
"""

from __future__ import annotations

from collections import Counter
from contextlib import asynccontextmanager, contextmanager
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from arbiter.web.http.authentication import says_who, someone_in
from arbiter.web.http.http_errors import too_many

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arbiter.web.http.watched_seasons import Seasons

MOST, MOST_OF_ADDRESS = 400, 300
"""Requests that compute at once, in all and of one address, of which as many may begin to listen at once."""
MOST_APART, MOST_APART_OF_ADDRESS = 20, 5
"""The requests that go on at once where all places are taken, and that say they are an organiser's."""
RETRY_SECONDS = 1
HEALTH = "/healthz"
THIS_MACHINE = "127.0.0.1"
NETWORK_BITS = 64
"""Of an IPv6 address: what one house has."""


def address_of(client: tuple[str, int] | None) -> str:
    """Return what counts as one address: an IPv4 address, a network of IPv6, this machine; "" for nobody."""
    host = client[0] if client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.is_loopback:
        # Who is on this machine may ask from any of 16 million such addresses.
        return THIS_MACHINE
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(IPv6Network((int(address), NETWORK_BITS), strict=False))


class Places:
    """Gives requests their places; refuses those for which there is none."""

    def __init__(self, app: ASGIApp, seasons: Seasons) -> None:
        self._app, self._seasons = app, seasons
        self._taken: Counter[str] = Counter()
        self._apart: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == HEALTH:
            await self._app(scope, receive, send)
            return
        async with self.place(scope) as place:

            async def heard() -> Message:
                with place.left():
                    return await receive()

            async def sent(message: Message) -> None:
                with place.left():
                    await send(message)

            await self._app(scope, heard, sent)

    @asynccontextmanager
    async def place(self, scope: Scope) -> AsyncIterator[_Place]:
        """A place for a request while it computes; Refusal where there is none."""
        who = address_of(scope["client"])
        limit = limit_of(self._taken, who, MOST, MOST_OF_ADDRESS)
        taken = self._taken if limit is None else self._apart
        place, refusal = _Place(taken, who), None
        if limit is not None:
            hint = "try again in a moment"
            refusal = too_many("too many requests are under way", limit, RETRY_SECONDS, hint)
            if not says_who(scope) or limit_of(taken, who, MOST_APART, MOST_APART_OF_ADDRESS) is not None:
                raise refusal
        with place.taken():
            if refusal is not None:
                caller = await run_in_threadpool(someone_in, self._seasons, Request(scope))
                if caller is None or not caller.author.organiser:
                    raise refusal
            yield place


class _Place:
    """A place of one request, which is free while the request waits."""

    def __init__(self, taken: Counter[str], who: str) -> None:
        self._taken, self._who = taken, who
        self._waits, self._over = 0, False

    @contextmanager
    def taken(self) -> Iterator[None]:
        self._over = False
        self._count(1)
        try:
            yield
        finally:
            if not self._waits:
                self._count(-1)
            self._over = True

    @contextmanager
    def left(self) -> Iterator[None]:
        if not self._waits:
            self._count(-1)
        self._waits += 1
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits and not self._over:
                self._count(1)

    def _count(self, change: int) -> None:
        self._taken[self._who] += change
        if not self._taken[self._who]:
            del self._taken[self._who]


def limit_of(taken: Mapping[str, int], who: str, most: int, most_of_address: int) -> int | None:
    """The limit that another request would exceed; None if there is none."""
    if sum(taken.values()) >= most:
        return most
    return most_of_address if taken.get(who, 0) >= most_of_address else None
