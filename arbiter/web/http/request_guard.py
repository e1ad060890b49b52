"""The headers of every answer, the names under which a site answers, and addresses taken apart.

The policy lets pages load nothing but their own scripts and styles, and run nothing that stands in a page:
what a bot, a name or a file says is text, wherever it appears.

A page of another site can have its own name lead to this machine, and then read here as if it were the same
site. It cannot do so with an address in figures, so these are answered, and so are this machine's own names.
"""

from __future__ import annotations

import asyncio
import re
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response

from arbiter.errors import ArbiterError, ConfigError
from arbiter.web.http.http_errors import Refusal, early_answer, nothing_here

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]\\?#]+)(:[0-9]{1,5})?")
USUAL_PORTS = {"http": ":80", "https": ":443"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
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
_ID = re.compile(r"/matches/(r\d+)/(t\d+)/(m\d+\+?)(?=/|$)")
"""A match's id as JSON has it, its slashes not escaped."""
ENDLESS = "/events"
"""Ends the address of news, which have no end."""
LONGEST = 2000
"""Bytes of an address, its query included."""


class Hosts:
    """The names of a site, and under which of them it is encrypted."""

    def __init__(self, listens_at: str = "", public: Iterable[str] = ()) -> None:
        """`listens_at` is a name or an address of this machine; `public` are addresses such as
        ``https://cards.example.org``, ConfigError for one that is none.
        """
        self._schemes = dict(map(_parts, public))
        own = socket.gethostname()
        names = {"localhost", own, f"{own}.local", listens_at}
        self._names = {name.lower() for name in names if name} | set(map(name_of, self._schemes))

    def answers(self, host: str) -> bool:
        """True for the value of a header ``Host`` that asks for this site."""
        name = name_of(host)
        return name in self._names or _is_address(name)

    def scheme_of(self, host: str) -> str | None:
        """``http`` or ``https`` where a public address says so; None where none does."""
        return self._schemes.get(host.lower())


def name_of(host: str) -> str:
    """The name in the value of a header ``Host``; "" for what is none."""
    found = HOST.fullmatch(host)
    return found[1].lower().rstrip(".") if found else ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _parts(address: str) -> tuple[str, str]:
    try:
        found = urlsplit(address)
        host = found.netloc.encode("idna").decode().lower()
    except ValueError:
        found, host = urlsplit(""), ""
    if (
        found.scheme not in ("http", "https")
        or not name_of(host)
        or found.path not in ("", "/")
        or found.query
    ):
        message = f"--public-url: {address} is not an address of a whole site"
        raise ConfigError(message, hint="give scheme and name, as in https://cards.example.org")
    return host.removesuffix(USUAL_PORTS[found.scheme]), found.scheme


def given(text: str) -> str:
    """A parameter of an address as it was meant."""
    return text.replace(SLASH, "/")


def number_of(text: str, digits: int = 9) -> int | None:
    """A whole number that a request names; None for any other text, and one of more digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


class Guard:
    """Adds the headers, and takes addresses apart before anything else sees them.

    A part of an address may hold an escaped slash. What is no UTF-8, or has control characters, exists
    nowhere. HEAD is GET without the body, and neither has one itself. With `hosts` requests for other sites
    are refused. Whatever refuses a request before there is a page raises the refusal. Where it `redirects`, a
    slash at the end leads to the address without it. What is under way when the server ends is answered, too.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts | None = None, redirects: bool = True) -> None:
        self._app, self._hosts, self._redirects = app, hosts, redirects

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        heads = scope["method"] == "HEAD" and not scope["path"].endswith(ENDLESS)

        begun = False

        async def with_headers(message: Message) -> None:
            nonlocal begun
            begun = True
            if heads and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            if message["type"] == "http.response.start":
                there = {name for name, _ in message["headers"]}
                more = (pair for pair in HEADERS if pair[0] not in there)
                message["headers"] = [*message["headers"], *more]
            await send(message)

        try:
            method = "GET" if heads else scope["method"]
            path, scheme = _path_of(scope), self._scheme_of(scope)
            if method in ("GET", "HEAD") and has_body(scope):
                close = {"connection": "close"}
                raise Refusal(400, "no_request", "a request to read has no body", headers=close)
            if self._redirects and method == "GET" and path[1:2].isalnum() and path[0] == path[-1] == "/":
                await _lead_on(scope)(scope, receive, with_headers)
                return
            own = {**scope, "path": path, "method": method, "scheme": scheme}
            await self._app(own, receive, with_headers)
        except (ArbiterError, HTTPException) as error:
            await early_answer(scope, error)(scope, receive, with_headers)
        except asyncio.CancelledError:
            if begun:
                raise
            close = {"connection": "close"}
            stops = Refusal(
                503, "unavailable", "the site is being stopped", "try again when it is back", close
            )
            await early_answer(scope, stops)(scope, receive, with_headers)

    def _scheme_of(self, scope: Scope) -> str:
        """Return the scheme of the request, as far as is known; Refusal for one to another site."""
        host, scheme = Headers(scope=scope).get("host"), str(scope["scheme"])
        if self._hosts is None or host is None:
            # Every browser names one.
            return scheme
        if not self._hosts.answers(host):
            hint = "its organiser names it with serve --public-url"
            raise Refusal(421, "other_site", "this site has another name", hint)
        return self._hosts.scheme_of(host) or scheme


def has_body(scope: Scope) -> bool:
    """True for a request that says that it has a body."""
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"


def raw_path(scope: Scope) -> bytes:
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    return path.partition(b"?")[0]


def _path_of(scope: Scope) -> str:
    """The decoded path, escaped slashes kept apart; Refusal for one that can lead nowhere."""
    raw = raw_path(scope)
    if len(raw) + len(scope["query_string"]) > LONGEST:
        raise Refusal(414, "too_long", "the address is too long")
    parts = []
    for piece in raw.split(b"/"):
        try:
            text = unquote_to_bytes(piece).decode()
        except UnicodeDecodeError:
            raise nothing_here() from None
        if text in (".", "..") or any(ord(mark) < 32 or ord(mark) == 127 for mark in text):
            raise nothing_here()
        parts.append(text.replace("/", SLASH))
    return _ID.sub(r"/matches/\1-\2-\3", "/".join(parts))


def _lead_on(scope: Scope) -> Response:
    """Lead from an address with a slash at its end to that without, on whatever host this is.

    The address begins with a slash and a letter: one that began with two slashes would be another host's.
    """
    path, query = raw_path(scope).rstrip(b"/"), scope["query_string"]
    found = path + b"?" + query if query else path
    return Response(status_code=307, headers={"location": found.decode("latin-1")})
