"""Connections of the server: how long and how much each may take before it is ended.

uvicorn bounds how long an idle connection is kept, and nothing else. Here a request's headers must come whole
within `HEADER_SECONDS`, a body goes on within `STALL_SECONDS` and not in crumbs, an answer is taken within as
much, and there are at most `MOST` connections, `MOST_OF_ADDRESS` of one address. `look`, called once a
second, ends what is late; no connection needs a timer.
"""

from __future__ import annotations

import sys
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from arbiter.web.http.concurrency_limits import address_of
from arbiter.web.http.http_errors import Refusal, too_many

if TYPE_CHECKING:
    import asyncio

HEADER_SECONDS = 10.0
"""From the connection, or from the first byte of a later request, to the end of the headers."""
STALL_SECONDS = 10.0
"""Without a byte of a body, or without a byte of an answer that the client takes."""
HEADER_BYTES = 16_384
"""Of a request's line and headers."""
UNREAD_BYTES = 1_000_000
"""Of a body that comes after its answer, and that nobody reads."""
BUFFERED_BYTES = 65_536
"""Of an answer, in the kernel and again here, before its writer waits for the reader."""
FREE_CHUNKS, CHUNK_BYTES = 200, 256
"""Of a body in chunks: so many may be small, the others have so many bytes on average."""
MOST, MOST_OF_ADDRESS = 2000, 500
"""Connections at once, in all and of one address. A school may have a single address."""
RETRY_SECONDS = 5
LOOPBACK = ("127.0.0.1", "::1")
"""The address of a proxy on this machine."""


class Crumbs(h11.RemoteProtocolError):
    """A body of which each byte costs more than it is worth."""


class Conversation(h11.Connection):
    """The input of a connection; to send it in crumbs is an error."""

    _chunks = _bytes = 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._chunks += event.chunk_start
            self._bytes += len(event.data)
            if self._chunks > FREE_CHUNKS + self._bytes / CHUNK_BYTES:
                raise Crumbs("the body comes in chunks that are too small")
        return event


class BoundedConnection(H11Protocol):
    """An HTTP/1.1 connection that is ended when its client is too slow, too long or one too many."""

    _full = False
    _since: float | None = None
    """The beginning of the wait for the rest of headers, or of a body that nobody reads."""
    _heard = 0.0
    _unread = 0
    _seen: object = None
    """The last request that a look has seen."""
    _left = 0
    """Bytes that the client had not taken when it last took some."""
    _taken = 0.0

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.conn = Conversation(h11.SERVER, HEADER_BYTES)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Refuse one too many; keep little for a client that does not read."""
        super().connection_made(transport)
        self._address = address_of(self.client)
        transport.set_write_buffer_limits(high=BUFFERED_BYTES)
        self._heard = self._taken = self.loop.time()
        self._since = self._heard
        if (limit := self._limit()) is not None:
            self._full = True
            self._refuse(too_many("there are too many connections", limit, RETRY_SECONDS))

    def _limit(self) -> int | None:
        """The limit that this connection exceeds; None if there is none."""
        if len(self.connections) > MOST:
            return MOST
        if self.config.proxy_headers and self.client is not None and self.client[0] in LOOPBACK:
            # Who stands behind the proxy, it knows.
            return None
        own = sum(
            isinstance(one, BoundedConnection) and one._address == self._address for one in self.connections
        )
        return MOST_OF_ADDRESS if own > MOST_OF_ADDRESS else None

    def data_received(self, data: bytes) -> None:
        """Hand data on, unless the connection was refused or sends what nobody reads."""
        self._heard = self.loop.time()
        if self._full or self.transport.is_closing():
            return
        if self.cycle is not None and self.cycle.response_complete and self._in_body():
            self._unread += len(data)
            if self._unread > UNREAD_BYTES:
                self.transport.abort()
                return
        super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Say what is wrong with a request that is none; not in the middle of an answer, nor behind it."""
        error = sys.exc_info()[1]
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            status = getattr(error, "error_status_hint", 400)
            said = str(error) if isinstance(error, Crumbs) else msg.rstrip(".")
            self._refuse(Refusal(status, "no_request", said))
        else:
            self.transport.abort()

    def look(self, now: float) -> None:
        """End the connection if it is late; `now` is the loop's time in seconds."""
        if self.transport.is_closing() and not self.transport.get_write_buffer_size():
            return
        self._look_at_reader(now)
        if self._full or self.transport.is_closing():
            return
        if self.cycle is not self._seen:
            self._seen, self._since, self._unread = self.cycle, None, 0
        if self._waits_for_rest():
            self._since = now if self._since is None else self._since
            if now - self._since > HEADER_SECONDS:
                self._end_late()
        else:
            self._since = None
            if self._in_body() and not self.flow.read_paused and now - self._heard > STALL_SECONDS:
                self._end_late()

    def _waits_for_rest(self) -> bool:
        """True within headers, and within a body whose answer is sent."""
        if self.conn.their_state is h11.IDLE:
            return self.cycle is None or bool(self.conn.trailing_data[0])
        return self.cycle is not None and self.cycle.response_complete and self._in_body()

    def _in_body(self) -> bool:
        return self.conn.their_state is h11.SEND_BODY

    def _look_at_reader(self, now: float) -> None:
        """End a connection whose client has taken nothing of its answer for a while."""
        left = self.transport.get_write_buffer_size()
        if not left or left < self._left:
            self._left, self._taken = left, now
        elif now - self._taken > STALL_SECONDS:
            self.transport.abort()
        else:
            self._left = self._left or left

    def _end_late(self) -> None:
        if self.cycle is not None and self.cycle.response_started:
            self.transport.abort() if not self.cycle.response_complete else self.transport.close()
        else:
            said = f"the request did not come within {HEADER_SECONDS:.0f} s"
            self._refuse(Refusal(408, "too_slow", said))

    def _refuse(self, refusal: Refusal) -> None:
        """Send an error past h11, whose state may allow no answer, and close."""
        status, answer = refusal.status_code, refusal.answer()
        headers = [*answer.raw_headers, (b"connection", b"close"), (b"x-content-type-options", b"nosniff")]
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode(), *map(b": ".join, headers)]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        self.transport.close()
