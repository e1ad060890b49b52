"""Access control of the applet: it starts programs, so it answers only its owner's page.

Theory of operation. The key is in the link, then in the page, which sends it as a header. A cookie would be
sent to every port of this machine, including another user's; a header is sent only where the page sends it,
and pages of other sites cannot set it. A foreign Host means DNS rebinding, a foreign Origin a page of another
site. Without the key only the page's frame and static files are available, without data of the table.

Another user's server may have used the port before, and a browser may have cached its scripts, even a service
worker. So static files get a new path each time, and the browser that the applet starts opens an unguessable
loopback address.
"""

from __future__ import annotations

import secrets
from hmac import compare_digest
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from arbiter.errors import Problem
from arbiter.web.http.http_errors import errors_response

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

READ = ("GET", "HEAD")
OWN = "same-origin"
STATIC = "/static"
LOOPBACK, LOOPBACK_SIZE = IPv4Address("127.0.0.0"), 1 << 24
TOKEN = "X-CSRF-Token"
"""The header with the key; reading requests may send it as a bearer token instead."""


def random_loopback_address() -> str:
    """Return a random address in 127.0.0.0/8 other than 127.0.0.1."""
    return str(LOOPBACK + 2 + secrets.randbelow(LOOPBACK_SIZE - 3))


class AccessGuard:
    """ASGI middleware that refuses requests without the `key`."""

    def __init__(self, app: ASGIApp, port: int, extra: str = "") -> None:
        """`extra` is a further address at which the applet listens."""
        self._app = app
        self.key = secrets.token_urlsafe(32)
        self.static = f"{STATIC}/{secrets.token_urlsafe(16)}"
        """The path of the static files."""
        names = {"127.0.0.1", "localhost", extra} - {""}
        self._hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())
        self._tickets: set[str] = set()

    def make_ticket(self) -> str:
        """Return a new key that opens the page once."""
        ticket = secrets.token_urlsafe(32)
        self._tickets.add(ticket)
        return ticket

    def accept(self, given: str) -> bool:
        """Return True for the key, and for an unused ticket, which is then used."""
        if given in self._tickets:
            self._tickets.remove(given)
            return True
        return _is_equal(given, self.key)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers)
        await (self._app if answer is None else answer)(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the answer to a refused request; None for a permitted one."""
        if headers.getlist("host") not in ([host] for host in self._hosts):
            return _error(421, "this is not the applet's address", "open the link that the applet printed")
        own = {f"http://{host}" for host in self._hosts}
        if not own.issuperset(headers.getlist("origin")):
            return _error(403, "requests of other sites are refused")
        is_page = scope["path"] == "/"
        if not is_page and headers.get("sec-fetch-site", OWN) not in (OWN, "none"):
            return _error(403, "requests of other sites are refused")
        is_open = is_page or scope["path"].startswith(f"{STATIC}/")
        is_read = scope["method"] in READ
        if not (is_open and is_read) and not self._has_key(headers, is_read):
            return _error(403, "the applet's key is missing", "open the link that the applet printed")
        if is_read:
            return None
        if scope["method"] != "POST":
            return _error(405, "expected GET or POST")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in ("application/json", ""):
            return _error(415, "expected JSON")
        return None

    def _has_key(self, headers: Headers, is_read: bool) -> bool:
        """Return True if the request's own header has the key or, for a read, its Authorization."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if is_read and scheme.lower() == "bearer" and _is_equal(given.strip(), self.key):
            return True
        return _is_equal(headers.get(TOKEN, ""), self.key)


def _is_equal(given: str, wanted: str) -> bool:
    return compare_digest(given.encode(errors="replace"), wanted.encode())


def _error(status: int, message: str, hint: str = "") -> Response:
    return errors_response(status, [Problem((), message, hint)])
