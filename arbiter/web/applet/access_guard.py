"""The door of the applet: it starts programs, so it answers its owner's page alone.

Theory of operation. The key stands in the link, then in the page, which sends it as a header. A cookie
would go to every port of this machine, another user's too; a header goes where the page sends it, and no
other site's page may set it. A Host that is not ours is a name that was rebound to loopback; an Origin
that is not ours another site's page. Without the key there are the page's frame and its files, which hold
nothing of the table.

Another user's server may have had the port before, and a browser keeps what it was given there: scripts, even
a worker that sees each request. So the files have another address each time, and the browser that we start
is led to an address of loopback that nobody can have had.
"""

from __future__ import annotations

import secrets
from hmac import compare_digest
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from arbiter.errors import Problem
from arbiter.web.http.http_errors import mistakes_answer

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

READ = ("GET", "HEAD")
OWN = "same-origin"
STATIC = "/static"
LOOPBACK, LOOPBACK_SIZE = IPv4Address("127.0.0.0"), 1 << 24
TOKEN = "X-CSRF-Token"
"""The header that has the key, as the page's token; what only reads may have it as a bearer's instead."""


def address_apart() -> str:
    """An address of loopback that nobody can guess."""
    return str(LOOPBACK + 2 + secrets.randbelow(LOOPBACK_SIZE - 3))


class Door:
    """Lets in who has the `key`."""

    def __init__(self, app: ASGIApp, port: int, apart: str = "") -> None:
        """`apart` is a further address at which the applet listens."""
        self._app = app
        self.key = secrets.token_urlsafe(32)
        self.static = f"{STATIC}/{secrets.token_urlsafe(16)}"
        """The address of the page's files."""
        names = {"127.0.0.1", "localhost", apart} - {""}
        self._hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())
        self._tickets: set[str] = set()

    def ticket(self) -> str:
        """A key that opens the page once."""
        ticket = secrets.token_urlsafe(32)
        self._tickets.add(ticket)
        return ticket

    def opens(self, given: str) -> bool:
        """True for the key, and for a ticket that has not been used."""
        if given in self._tickets:
            self._tickets.remove(given)
            return True
        return _same(given, self.key)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers)
        await (self._app if answer is None else answer)(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer at the door to a request that may not come in; None for one that may."""
        if headers.getlist("host") not in ([host] for host in self._hosts):
            return _error(421, "this is not the applet's address", "open the link that it printed")
        own = {f"http://{host}" for host in self._hosts}
        if not own.issuperset(headers.getlist("origin")):
            return _error(403, "requests of other sites are refused")
        is_page = scope["path"] == "/"
        if not is_page and headers.get("sec-fetch-site", OWN) not in (OWN, "none"):
            return _error(403, "requests of other sites are refused")
        is_open = is_page or scope["path"].startswith(f"{STATIC}/")
        is_read = scope["method"] in READ
        if not (is_open and is_read) and not self._has_key(headers, is_read):
            return _error(403, "no entry without the applet's key", "open the link that it printed")
        if is_read:
            return None
        if scope["method"] != "POST":
            return _error(405, "only GET and POST are answered")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in ("application/json", ""):
            return _error(415, "what is posted has to be JSON")
        return None

    def _has_key(self, headers: Headers, is_read: bool) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if is_read and scheme.lower() == "bearer" and _same(given.strip(), self.key):
            return True
        return _same(headers.get(TOKEN, ""), self.key)


def _same(given: str, wanted: str) -> bool:
    return compare_digest(given.encode(errors="replace"), wanted.encode())


def _error(status: int, message: str, hint: str = "") -> Response:
    return mistakes_answer(status, [Problem((), message, hint)])
