"""Who gets in: the applet starts programs, so it answers its owner's browser alone.

Theory of operation. The key in the link becomes a cookie at once, which no other site's request carries. A
Host that is not ours is a name that was rebound to loopback; an Origin that is not ours another site's page.
What changes something is posted, as JSON, with the token that stands in the page.
"""

from __future__ import annotations

import secrets
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 4_000_000
"""Of what is posted."""
READ = ("GET", "HEAD")
OWN = "same-origin"
CLOSED = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>arbiter: no entry</title>
<h1>No entry</h1>
<p>Open the link that <code>arbiter applet</code> printed in its terminal: it has the key.</p>
</html>
"""


class Door:
    """Lets the owner in; `key` opens it, `token` stands in the page and comes back with what is posted."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self.key, self.token, self._owner = (secrets.token_urlsafe(32) for _ in range(3))
        self._cookie = f"arbiter_{port}"
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._tickets: set[str] = set()
        if port == 80:
            self._hosts |= {"127.0.0.1", "localhost"}

    def ticket(self) -> str:
        """A key that opens the door once."""
        ticket = secrets.token_urlsafe(32)
        self._tickets.add(ticket)
        return ticket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers)
        if answer is not None:
            await answer(scope, receive, send)
        elif scope["method"] == "POST":
            await _Bounded(self._app)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """What is answered at the door; None for the owner."""
        if headers.getlist("host") not in ([host] for host in self._hosts):
            return _error(421, "this is not the applet's address", "open the link that it printed")
        own = {f"http://{host}" for host in self._hosts}
        if not own.issuperset(headers.getlist("origin")):
            return _error(403, "requests of other sites are refused")
        if scope["path"] != "/" and headers.get("sec-fetch-site", OWN) not in (OWN, "none"):
            # Sent by a page of another port, too, whose requests carry the cookie.
            return _error(403, "requests of other sites are refused")
        if scope["method"] in READ and scope["path"] == "/" and (given := _key(scope)) is not None:
            return self._entry(given)
        if not self._is_owner(headers):
            if scope["method"] in READ and scope["path"] == "/":
                return HTMLResponse(CLOSED, 403)
            return _error(403, "no entry without the applet's key", "open the link that it printed")
        if scope["method"] in READ:
            return None
        if scope["method"] != "POST":
            return _error(405, "only GET and POST are answered")
        if not _same(headers.get("x-csrf-token", ""), self.token):
            return _error(403, "the page's token is missing or old", "load the page again")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in ("application/json", ""):
            return _error(415, "what is posted has to be JSON")
        if (length := headers.get("content-length", "0")).isdecimal() and int(length[:20]) > MOST_BYTES:
            return _error(413, f"more than {MOST_BYTES} bytes")
        return None

    def _entry(self, given: str) -> Response:
        """The cookie for whoever has the key, and the page's address without it."""
        if given in self._tickets:
            self._tickets.remove(given)
        elif not _same(given, self.key):
            return HTMLResponse(CLOSED, 403)
        answer = RedirectResponse("/", 303, headers={"cache-control": "no-store"})
        answer.set_cookie(self._cookie, self._owner, path="/", httponly=True, samesite="strict")
        return answer

    def _is_owner(self, headers: Headers) -> bool:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return False
        return self._cookie in cookies and _same(cookies[self._cookie].value, self._owner)


class _Bounded:
    """Hands on a body up to `MOST_BYTES`; one that says no length and is longer is refused."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            if len(body) > MOST_BYTES:
                await _error(413, f"more than {MOST_BYTES} bytes")(scope, receive, send)
                return
            if not message.get("more_body"):
                break
        whole: Message | None = {"type": "http.request", "body": bytes(body), "more_body": False}

        async def again() -> Message:
            nonlocal whole
            given, whole = whole, None
            return await receive() if given is None else given

        await self._app(scope, again, send)


def _key(scope: Scope) -> str | None:
    """The key in the address, if there is one."""
    given = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True).get("key")
    return given[0] if given else None


def _same(given: str, wanted: str) -> bool:
    return compare_digest(given.encode(errors="replace"), wanted.encode())


def _error(status: int, message: str, hint: str = "") -> Response:
    return JSONResponse({"error": {"message": message, "hint": hint, "field": ""}}, status)
