"""Connections of the server, with limits on number, duration and size.

uvicorn limits only idle connections. Here headers must arrive within `HEADER_SECONDS`, neither a body nor the
client's reading of an answer may stall for `STALL_SECONDS`, chunks may not be tiny, and there are at most
`MOST` connections, `MOST_OF_ADDRESS` of one address. `poll`, called once a second, ends late connections, so
none needs a timer.
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
"""Without a byte of a body received, or of an answer read by the client."""
HEADER_BYTES = 16_384
"""Of a request's line and headers."""
UNREAD_BYTES = 1_000_000
"""Of a body that arrives after its answer and is discarded."""
BUFFERED_BYTES = 65_536
"""Of an answer, in the kernel and again here, before its writer waits for the client."""
FREE_CHUNKS, CHUNK_BYTES = 200, 256
"""Chunks of a body that may be small; the mean size in bytes that the others need."""
MOST, MOST_OF_ADDRESS = 2000, 500
"""Concurrent connections, in total and from one address. A school may have a single address."""
RETRY_SECONDS = 5
LOOPBACK = ("127.0.0.1", "::1")
"""The address of a proxy on this machine."""


class TinyChunks(h11.RemoteProtocolError):
    """A body in chunks too small to be worth parsing."""


class ChunkCheckedInput(h11.Connection):
    """The HTTP parser of a connection; it raises TinyChunks."""

    _chunks = _bytes = 0

    def next_event(self) -> Any:
        """Return h11's next event; TinyChunks once the chunks of a body are too many for its size."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._chunks += event.chunk_start
            self._bytes += len(event.data)
            if self._chunks > FREE_CHUNKS + self._bytes / CHUNK_BYTES:
                raise TinyChunks("the chunks of the body are too small")
        return event


class BoundedConnection(H11Protocol):
    """An HTTP/1.1 connection that ends when its client is too slow, sends too much, or exceeds a limit."""

    _full = False
    _since: float | None = None
    """The start of the wait for the rest of the headers, or of a discarded body."""
    _received_at = 0.0
    _unread = 0
    _polled: object = None
    """The last request that `poll` has seen."""
    _left = 0
    """Bytes that the client had not read when it last read some."""
    _read_at = 0.0

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.conn = ChunkCheckedInput(h11.SERVER, HEADER_BYTES)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Refuse a connection beyond the limits; buffer little for a client that does not read."""
        super().connection_made(transport)
        self._address = address_of(self.client)
        transport.set_write_buffer_limits(high=BUFFERED_BYTES)
        self._received_at = self._read_at = self.loop.time()
        self._since = self._received_at
        if (limit := self._limit()) is not None:
            self._full = True
            self._refuse(too_many("there are too many connections", limit, RETRY_SECONDS))

    def _limit(self) -> int | None:
        """Return the limit that this connection exceeds, or None."""
        if len(self.connections) > MOST:
            return MOST
        if self.config.proxy_headers and self.client is not None and self.client[0] in LOOPBACK:
            # The proxy knows its clients.
            return None
        own = sum(
            isinstance(one, BoundedConnection) and one._address == self._address for one in self.connections
        )
        return MOST_OF_ADDRESS if own > MOST_OF_ADDRESS else None

    def data_received(self, data: bytes) -> None:
        """Process data; ignore it on a refused connection, and abort after too much of a discarded body."""
        self._received_at = self.loop.time()
        if self._full or self.transport.is_closing():
            return
        if self.cycle is not None and self.cycle.response_complete and self._in_body():
            self._unread += len(data)
            if self._unread > UNREAD_BYTES:
                self.transport.abort()
                return
        super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Answer an invalid request; abort the connection if an answer is under way or sent."""
        error = sys.exc_info()[1]
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            status = getattr(error, "error_status_hint", 400)
            message = str(error) if isinstance(error, TinyChunks) else msg.rstrip(".")
            self._refuse(Refusal(status, "no_request", message))
        else:
            self.transport.abort()

    def poll(self, now: float) -> None:
        """End the connection if it is late; `now` is the loop's time in seconds."""
        if self.transport.is_closing() and not self.transport.get_write_buffer_size():
            return
        self._check_reader(now)
        if self._full or self.transport.is_closing():
            return
        if self.cycle is not self._polled:
            self._polled, self._since, self._unread = self.cycle, None, 0
        if self._waits_for_rest():
            self._since = now if self._since is None else self._since
            if now - self._since > HEADER_SECONDS:
                self._end_late()
        else:
            self._since = None
            if self._in_body() and not self.flow.read_paused and now - self._received_at > STALL_SECONDS:
                self._end_late()

    def _waits_for_rest(self) -> bool:
        """Return True within headers, and within a body whose answer is sent."""
        if self.conn.their_state is h11.IDLE:
            return self.cycle is None or bool(self.conn.trailing_data[0])
        return self.cycle is not None and self.cycle.response_complete and self._in_body()

    def _in_body(self) -> bool:
        return self.conn.their_state is h11.SEND_BODY

    def _check_reader(self, now: float) -> None:
        """Abort a connection whose client has read nothing of its answer for `STALL_SECONDS`."""
        left = self.transport.get_write_buffer_size()
        if not left or left < self._left:
            self._left, self._read_at = left, now
        elif now - self._read_at > STALL_SECONDS:
            self.transport.abort()
        else:
            self._left = self._left or left

    def _end_late(self) -> None:
        """Answer 408, or close a connection whose answer has begun, at once if it is incomplete."""
        if self.cycle is not None and self.cycle.response_started:
            self.transport.abort() if not self.cycle.response_complete else self.transport.close()
        else:
            message = f"the request did not arrive within {HEADER_SECONDS:.0f} s"
            self._refuse(Refusal(408, "too_slow", message))

    def _refuse(self, refusal: Refusal) -> None:
        """Send an error, bypassing h11, whose state may not permit an answer, and close."""
        status, answer = refusal.status_code, refusal.response()
        headers = [*answer.raw_headers, (b"connection", b"close"), (b"x-content-type-options", b"nosniff")]
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode(), *map(b": ".join, headers)]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        self.transport.close()
