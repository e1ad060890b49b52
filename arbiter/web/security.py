"""What every answer carries, and what of an address and of an error reaches whom.

The policy lets pages load nothing but their own scripts and styles, and run nothing that stands in a page:
what a bot, a name or a file says is text, wherever it appears.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from arbiter.web.refusals import error_shape

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
SLASH = "\x1f"
"""Stands for a slash within a part of an address; no name has a control character."""
ENDLESS = "/events"
"""Ends the address of news, which have no end."""
LONGEST = 2000
"""Bytes of an address, its query included."""


def given(text: str) -> str:
    """A parameter of an address as it was meant."""
    return text.replace(SLASH, "/")


def number_of(text: str, digits: int = 9) -> int | None:
    """A whole number that a request names; None for any other text, and one of more digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


class Guard:
    """Adds the headers, and takes addresses apart before anything else sees them.

    A part of an address may hold an escaped slash. What is no UTF-8, or has
    control characters, exists nowhere. HEAD is GET without the body.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        heads = scope["method"] == "HEAD" and not scope["path"].endswith(ENDLESS)

        async def with_headers(message: Message) -> None:
            if heads and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            if message["type"] == "http.response.start":
                there = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in HEADERS if name not in there),
                ]
            await send(message)

        path = _path(scope)
        if path is None:
            await _refuse(scope, 404 if len(_raw(scope)) <= LONGEST else 414, with_headers)
            return
        method = "GET" if heads else scope["method"]
        if method == "GET" and path.endswith("/") and path[0] == "/" and path[1:2].isalnum():
            await _lead_on(scope, with_headers)
            return
        await self._app({**scope, "path": path, "method": method}, receive, with_headers)


def _raw(scope: Scope) -> bytes:
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope.get("query_string", b"")
    return path + query


def _path(scope: Scope) -> str | None:
    """The decoded path, escaped slashes kept apart; None for one that can lead nowhere."""
    if len(_raw(scope)) > LONGEST:
        return None
    raw = (scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0]
    parts = []
    for piece in raw.split(b"/"):
        try:
            text = unquote_to_bytes(piece).decode()
        except UnicodeDecodeError:
            return None
        if text in (".", "..") or any(ord(mark) < 32 or ord(mark) == 127 for mark in text):
            return None
        parts.append(text.replace("/", SLASH))
    return "/".join(parts)


async def _lead_on(scope: Scope, send: Send) -> None:
    """Lead from an address with a slash at its end to that without, on whatever host this is.

    The address begins with a slash and a letter: one that began with two slashes would be another host's.
    """
    path = (scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0].rstrip(b"/")
    query = scope["query_string"]
    headers = [(b"location", path + b"?" + query if query else path), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 307, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _refuse(scope: Scope, status: int, send: Send) -> None:
    """A plain sentence, for the API as the JSON of its errors."""
    code, said = {404: ("not_found", "there is nothing here")}.get(
        status, ("too_long", "the address is too long")
    )
    kind, text = b"text/plain; charset=utf-8", f"{said}\n".encode()
    if _raw(scope).startswith(b"/api/"):
        kind = b"application/json"
        text = json.dumps({"error": error_shape(code, said)}).encode()
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(text))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})
