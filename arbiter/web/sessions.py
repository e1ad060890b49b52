"""Sessions of browsers: begun with a token, known by a cookie, every change of something proved to be wanted.

A cookie is 32 random bytes that only the browser has; the store has its SHA-256. A form carries a text made
of the cookie, which no other site can know, and a browser says which site a form was sent from.
"""

from __future__ import annotations

import hmac
import secrets
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from arbiter.submissions.authors import hash_of
from arbiter.web.callers import by_session
from arbiter.web.refusals import Refusal

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from arbiter.web.callers import Caller
    from arbiter.web.seasons import Seasons

SESSION, LOGIN = "arbiter_session", "arbiter_login"
"""Cookies: of a session, and of the form that begins one."""
LASTS = timedelta(days=14)
FORM_SECONDS = 3600
LOGIN_PATH = "/login"
COOKIE_BYTES = 32


def caller_in(seasons: Seasons, request: Request) -> Caller | None:
    """Who is logged in; None for a visitor."""
    cookie = request.cookies.get(SESSION)
    return by_session(seasons, cookie) if cookie else None


def begin_session(caller: Caller, token: str, request: Request, response: Response) -> None:
    """Begin a session under a new cookie, whatever the browser had before."""
    end_session(caller, request)
    cookie = secrets.token_urlsafe(COOKIE_BYTES)
    ends = (datetime.now(UTC) + LASTS).isoformat(timespec="seconds")
    caller.state.stored.authors.begin_session(hash_of(cookie), hash_of(token), ends)
    seconds = int(LASTS.total_seconds())
    response.set_cookie(SESSION, cookie, seconds, httponly=True, samesite="lax", secure=_is_secure(request))
    response.delete_cookie(LOGIN, path=LOGIN_PATH)


def end_session(caller: Caller, request: Request) -> None:
    """Let what the browser's cookie says be over."""
    if cookie := request.cookies.get(SESSION):
        caller.state.stored.authors.end_session(hash_of(cookie))


def login_cookie(request: Request) -> str:
    """The cookie that the login's form is made of: the browser's, or a new one."""
    return request.cookies.get(LOGIN) or secrets.token_urlsafe(COOKIE_BYTES)


def keep_login_cookie(request: Request, response: Response, cookie: str) -> None:
    """Give the browser the cookie of the login's form."""
    response.set_cookie(
        LOGIN,
        cookie,
        FORM_SECONDS,
        path=LOGIN_PATH,
        httponly=True,
        samesite="strict",
        secure=_is_secure(request),
    )


def proof_of(cookie: str) -> str:
    """What a form carries to show that it is one of ours."""
    return hmac.new(cookie.encode(errors="replace"), b"form", sha256).hexdigest()


def check_form(request: Request, cookie: str, proof: str | None) -> None:
    """Refusal for a form that is not one of ours, or that another site had sent."""
    given = request.cookies.get(cookie, "")
    if not given or not hmac.compare_digest(proof_of(given).encode(), (proof or "").encode(errors="replace")):
        raise Refusal(403, "foreign", "this form is too old, or not one of this site", "load the page again")
    check_origin(request)


def check_origin(request: Request) -> None:
    """Refusal for a request that a page of another site made."""
    origin, fetch = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
    own = request.headers.get("host", "")
    if origin is None:
        foreign = fetch not in ("same-origin", "none")
    else:
        foreign = origin == "null" or urlsplit(origin).netloc != own
    if foreign:
        raise Refusal(403, "foreign", "another site sent this form", "send it from this site's own page")


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"
