"""Sessions of browsers: begun with a token, known by a cookie, every change of something proved to be wanted.

A cookie is 32 random bytes that only the browser has; the store has its SHA-256. A form carries a text made
of the cookie, which no other site can know, and a browser says which site a form was sent from.
"""

from __future__ import annotations

import hmac
import secrets
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from arbiter.submissions.authors import hash_of
from arbiter.web.callers import by_session, by_token, token_in
from arbiter.web.refusals import Refusal

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Scope

    from arbiter.web.callers import Caller
    from arbiter.web.seasons import Seasons

SESSION, LOGIN = "arbiter_session", "arbiter_login"
"""Kinds of cookies: of a session, and of the form that begins one."""
LASTS = timedelta(days=14)
FORM_SECONDS = 3600
COOKIE_BYTES = 32
CREDENTIALS = {b"authorization", b"cookie"}


def cookie_in(request: Request, kind: str) -> str:
    """The cookie of a kind that the browser has for this site; "" where it has none."""
    return request.cookies.get(_named(request, kind), "")


def caller_in(seasons: Seasons, request: Request) -> Caller | None:
    """Who is logged in; None for a visitor."""
    cookie = cookie_in(request, SESSION)
    return by_session(seasons, cookie) if cookie else None


def says_who(scope: Scope) -> bool:
    """True for a request that has a token or a cookie, dead ones too."""
    return any(name in CREDENTIALS for name, _ in scope["headers"])


def anybody_in(seasons: Seasons, request: Request) -> Caller | None:
    """Who asks, known by a token or else by a session; None for a visitor."""
    token = token_in(request)
    return caller_in(seasons, request) if token is None else by_token(seasons, token)


def begin_session(caller: Caller, token: str, request: Request, response: Response) -> None:
    """Begin a session under a new cookie, whatever the browser had before."""
    end_session(caller, request)
    cookie = secrets.token_urlsafe(COOKIE_BYTES)
    ends = (datetime.now(UTC) + LASTS).isoformat(timespec="seconds")
    caller.state.stored.authors.begin_session(hash_of(cookie), hash_of(token), ends)
    _set_cookie(request, response, SESSION, cookie, int(LASTS.total_seconds()), "lax")
    forget_cookie(request, response, LOGIN)


def end_session(caller: Caller, request: Request) -> None:
    """Let what the browser's cookie says be over."""
    if cookie := cookie_in(request, SESSION):
        caller.state.stored.authors.end_session(hash_of(cookie))


def login_cookie(request: Request) -> str:
    """The cookie that the login's form is made of: the browser's, or a new one."""
    return cookie_in(request, LOGIN) or secrets.token_urlsafe(COOKIE_BYTES)


def keep_login_cookie(request: Request, response: Response, cookie: str) -> None:
    """Give the browser the cookie of the login's form."""
    _set_cookie(request, response, LOGIN, cookie, FORM_SECONDS, "strict")


def forget_cookie(request: Request, response: Response, kind: str) -> None:
    """Have the browser drop a cookie."""
    _set_cookie(request, response, kind, "", 0, "lax")


def proof_of(cookie: str) -> str:
    """What a form carries to show that it is one of ours."""
    return hmac.new(cookie.encode(errors="replace"), b"form", sha256).hexdigest()


def check_form(request: Request, kind: str, proof: str | None) -> None:
    """Refusal for a form that is not one of ours, or that another site had sent."""
    given = cookie_in(request, kind)
    if not given or not hmac.compare_digest(proof_of(given).encode(), (proof or "").encode(errors="replace")):
        raise Refusal(403, "foreign", "this form is too old, or not one of this site", "load the page again")
    check_origin(request)


def check_origin(request: Request) -> None:
    """Refusal for a request that a page of another site made, or one of this site without its encryption."""
    origin, fetch = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
    if origin is None:
        foreign = fetch not in ("same-origin", "none")
    else:
        foreign = origin != f"{request.scope['scheme']}://{request.headers.get('host', '')}"
    if foreign:
        raise Refusal(403, "foreign", "another site sent this form", "send it from this site's own page")


def _set_cookie(
    request: Request, response: Response, kind: str, value: str, seconds: int, same: Literal["lax", "strict"]
) -> None:
    name, secure = _named(request, kind), _is_secure(request)
    response.set_cookie(name, value, seconds, httponly=True, samesite=same, secure=secure)


def _named(request: Request, kind: str) -> str:
    """The cookie's name; where the site is encrypted, one that no other site of the domain can set."""
    return f"__Host-{kind}" if _is_secure(request) else kind


def _is_secure(request: Request) -> bool:
    return bool(request.scope["scheme"] == "https")
