"""Security headers, the host names that a site answers to, and decoded paths.

The content security policy permits only the site's own scripts and styles and no inline scripts: text from a
bot, a name or a file is never run.

Against DNS rebinding a site answers only to its own names, to those of this machine, and to IP addresses,
which cannot be rebound.
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
from arbiter.web.http.http_errors import Refusal, early_error_response, not_found

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
"""Replaces an escaped slash within a path segment; no name has a control character."""
_ID = re.compile(r"/matches/(r\d+)/(t\d+)/(m\d+\+?)(?=/|$)")
"""A match's id as in JSON, with unescaped slashes."""
ENDLESS = "/events"
"""The suffix of the paths of event streams."""
LONGEST = 2000
"""Bytes of a path with its query."""


class Hosts:
    """The host names of a site, and which of them use https."""

    def __init__(self, listens_at: str = "", public: Iterable[str] = ()) -> None:
        """`listens_at` is a host of this machine; `public` are URLs such as ``https://cards.example.org``.

        ConfigError for an invalid URL.
        """
        self._schemes = dict(map(_parse_public_url, public))
        own = socket.gethostname()
        names = {"localhost", own, f"{own}.local", listens_at}
        self._names = {name.lower() for name in names if name} | set(map(name_of, self._schemes))

    def answers_to(self, host: str) -> bool:
        """Return True if a ``Host`` header names this site."""
        name = name_of(host)
        return name in self._names or _is_address(name)

    def scheme_of(self, host: str) -> str | None:
        """Return the scheme of the public URL with this host; None if there is no such URL."""
        return self._schemes.get(host.lower())


def name_of(host: str) -> str:
    """Return the name in a ``Host`` header; "" if it is invalid."""
    found = HOST.fullmatch(host)
    return found[1].lower().rstrip(".") if found else ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _parse_public_url(address: str) -> tuple[str, str]:
    """Return host and scheme of a public URL; ConfigError if it has more than these."""
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
        message = f"--public-url: expected a scheme and a name alone, got {address}"
        raise ConfigError(message, hint="for example https://cards.example.org")
    return host.removesuffix(USUAL_PORTS[found.scheme]), found.scheme


def unescape_slashes(text: str) -> str:
    """Return a path parameter with its escaped slashes restored."""
    return text.replace(SLASH, "/")


def number_of(text: str, digits: int = 9) -> int | None:
    """Return the whole number that a text is; None for other texts and for more than `digits`."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


class Guard:
    """ASGI middleware that adds the headers, decodes paths, and answers refusals raised further in.

    A path segment may hold an escaped slash; paths with invalid UTF-8 or control characters are not found.
    HEAD is GET without the answer's body; neither may have a request body. With `hosts`, requests for other
    sites are refused. With `redirects`, a trailing slash redirects to the path without it. Requests under way
    when the server ends are answered with 503.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts | None = None, redirects: bool = True) -> None:
        self._app, self._hosts, self._redirects = app, hosts, redirects

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        heads = scope["method"] == "HEAD" and not scope["path"].endswith(ENDLESS)

        begun = False

        async def send_with_headers(message: Message) -> None:
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
                raise Refusal(400, "no_request", "GET and HEAD requests must not have a body", headers=close)
            if self._redirects and method == "GET" and path[1:2].isalnum() and path[0] == path[-1] == "/":
                await _redirect(scope)(scope, receive, send_with_headers)
                return
            own = {**scope, "path": path, "method": method, "scheme": scheme}
            await self._app(own, receive, send_with_headers)
        except (ArbiterError, HTTPException) as error:
            await early_error_response(scope, error)(scope, receive, send_with_headers)
        except asyncio.CancelledError:
            if begun:
                raise
            close = {"connection": "close"}
            stops = Refusal(
                503, "unavailable", "the site is being stopped", "try again when it is back", close
            )
            await early_error_response(scope, stops)(scope, receive, send_with_headers)

    def _scheme_of(self, scope: Scope) -> str:
        """Return the scheme of the request; Refusal for a request to another site."""
        host, scheme = Headers(scope=scope).get("host"), str(scope["scheme"])
        if self._hosts is None or host is None:
            # Every browser sends one.
            return scheme
        if not self._hosts.answers_to(host):
            hint = "its organiser adds a name with serve --public-url"
            raise Refusal(421, "other_site", "this site does not answer to that name", hint)
        return self._hosts.scheme_of(host) or scheme


def has_body(scope: Scope) -> bool:
    """Return True if the headers of a request announce a body."""
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"


def raw_path(scope: Scope) -> bytes:
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    return path.partition(b"?")[0]


def _path_of(scope: Scope) -> str:
    """Return the decoded path, escaped slashes as `SLASH`; Refusal for an invalid one."""
    raw = raw_path(scope)
    if len(raw) + len(scope["query_string"]) > LONGEST:
        raise Refusal(414, "too_long", "the address is too long")
    parts = []
    for piece in raw.split(b"/"):
        try:
            text = unquote_to_bytes(piece).decode()
        except UnicodeDecodeError:
            raise not_found() from None
        if text in (".", "..") or any(ord(mark) < 32 or ord(mark) == 127 for mark in text):
            raise not_found()
        parts.append(text.replace("/", SLASH))
    return _ID.sub(r"/matches/\1-\2-\3", "/".join(parts))


def _redirect(scope: Scope) -> Response:
    """Return a redirect to the path without its trailing slash, on the same host.

    The path begins with a slash and a letter: two slashes would name another host.
    """
    path, query = raw_path(scope).rstrip(b"/"), scope["query_string"]
    found = path + b"?" + query if query else path
    return Response(status_code=307, headers={"location": found.decode("latin-1")})
