"""What passes: each request counted and logged, too many at once refused."""

from __future__ import annotations

import json
import queue
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from arbiter.text import printable

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_AT_ONCE = 200
"""Requests that are being answered, listeners aside; more are asked to come again."""
RETRY_SECONDS = 1
WAITING_LINES = 10_000
"""Lines of the log that wait to be written; where its reader is slower, further ones are lost."""
LONGEST = 300
"""Characters of an address in the log."""


class Log:
    """Writes lines to standard error from a thread of its own: a slow reader of the log delays no answer."""

    def __init__(self) -> None:
        self._lines: queue.Queue[str] = queue.Queue(WAITING_LINES)
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._writer.start()

    def write(self, line: str) -> None:
        """Write a line with its moment, some time soon."""
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        with suppress(queue.Full):
            self._lines.put_nowait(f"{moment} {printable(line)}\n")

    def close(self, seconds: float = 0.5) -> None:
        """Write what waits, if that is quick."""
        with suppress(queue.Full):
            self._lines.put_nowait("")
            self._writer.join(seconds)

    def _write(self) -> None:
        while line := self._lines.get():
            with suppress(OSError, ValueError):
                sys.stderr.write(line)
                sys.stderr.flush()


class Traffic:
    """How many requests ended with which status, how many are under way, how many bytes went out."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.under_way = 0
        self.sent = 0
        self.seconds = 0.0


class Account:
    """Counts requests, logs each without its query, refuses those that are too many or have odd bodies."""

    def __init__(self, app: ASGIApp, traffic: Traffic, log: Log | None = None) -> None:
        self._app, self._traffic, self._log = app, traffic, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        traffic, began, status = self._traffic, time.monotonic(), 500

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                traffic.sent += len(message.get("body", b""))
            await send(message)

        refusal = self._refusal(scope)
        listens = scope["path"].endswith("/events")
        traffic.under_way += not listens
        try:
            if refusal is not None:
                await _refuse(refusal, counted)
            else:
                await self._app(scope, receive, counted)
        finally:
            took = time.monotonic() - began
            traffic.under_way -= not listens
            traffic.statuses[status] += 1
            traffic.seconds += 0 if listens else took
            if self._log is not None:
                self._log.write(_line(scope, status, took))

    def _refusal(self, scope: Scope) -> int | None:
        """The status of a request that is not to be answered, None for any other."""
        if self._traffic.under_way >= MOST_AT_ONCE:
            return 429
        headers = dict(scope["headers"])
        has_body = b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
        return 400 if has_body and scope["method"] in ("GET", "HEAD") else None


async def _refuse(status: int, send: Send) -> None:
    error: dict[str, object] = {"code": "no_request", "message": "a request to read has no body", "hint": ""}
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    if status == 429:
        error = {
            "code": "too_many",
            "message": "too many requests are under way",
            "hint": "try again in a moment",
            "limit": MOST_AT_ONCE,
            "seconds": RETRY_SECONDS,
        }
        headers.append((b"retry-after", b"%d" % RETRY_SECONDS))
    body = json.dumps({"error": error}).encode()
    headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _line(scope: Scope, status: int, seconds: float) -> str:
    """``127.0.0.1 GET /seasons/demo 200 3 ms``: an address's query may hold what is nobody's business."""
    who = scope["client"][0] if scope.get("client") else "-"
    path = scope.get("raw_path") or scope["path"].encode()
    address = path.partition(b"?")[0].decode("ascii", "replace")[:LONGEST]
    return f"{who} {scope['method']} {address} {status} {1000 * seconds:.0f} ms"
