"""The caller of a request: an author or organiser, known by a token or by a session; asked of the store each
time.

So a token that is revoked, or a session that is ended, is dead with the very next request. A cookie holds 32
random bytes that only the browser has for each season in which somebody is logged in; the store has their
SHA-256. A form carries a text made of the cookie, which no other site can know, and a browser says which site
it was sent from.
"""

from __future__ import annotations

import hmac
import secrets
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import quote

from arbiter.contest.submissions.author_accounts import hash_of
from arbiter.errors import ArbiterError
from arbiter.season.order_effects import suspended_now
from arbiter.season.snapshot.season_state import SeasonState
from arbiter.store.audit import timestamp
from arbiter.store.authors import Author
from arbiter.web.http.http_errors import Refusal, no_token, nothing_here

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Scope

    from arbiter.store.authors import AuthorStore
    from arbiter.web.http.watched_seasons import Seasons

SESSION, LOGIN = "arbiter_session", "arbiter_login"
"""Kinds of cookies: of a session, and of the form that begins one."""
LASTS = timedelta(days=14)
FORM_SECONDS = 3600
COOKIE_BYTES = 32
SEPARATOR = "."
"""Between the keys of a cookie."""
MOST_SEASONS = 16
"""In which one browser is logged in."""
CREDENTIALS = {b"authorization", b"cookie"}


class Caller(NamedTuple):
    """An author or organiser of a season, in its present state as far as that is for their eyes."""

    state: SeasonState
    author: Author

    def suspended(self) -> dict[str, str]:
        """Return who is suspended at this moment, and why: the state may be older than the last order."""
        stored = self.state.stored
        return suspended_now(stored, stored.standings(stored.complete))


def token_in(request: Request) -> str | None:
    """The token that a request carries as ``Authorization: Bearer TOKEN``."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def by_token(seasons: Seasons, token: str) -> Caller | None:
    """Return the owner of a token; None where it is nobody's."""
    digest = hash_of(token)
    return next(iter(_found(seasons, lambda book: book.by_token(digest), 1)), None)


def caller_of(
    seasons: Seasons, request: Request, season: str | None = None, organiser: bool = False
) -> Caller:
    """Return the owner of a request's token, in a season of the site or in any; Refusal for anybody else.

    Without a token that is alive nobody learns which seasons there are.
    """
    token = token_in(request)
    caller = None if token is None else by_token(seasons, token)
    if caller is None:
        raise no_token()
    if season not in (None, caller.state.name) or (organiser and not caller.author.organiser):
        raise nothing_here()
    return caller


def _found(seasons: Seasons, find: Callable[[AuthorStore], Author | None], most: int) -> list[Caller]:
    found: list[Caller] = []
    failure: ArbiterError | None = None
    for watched in seasons.watched.values():
        try:
            state = watched.show()
            author = None if state is None else find(state.stored.authors)
        except ArbiterError as error:
            # It may be somebody's of another season.
            failure = error
            continue
        if state is not None and author is not None:
            found.append(Caller((watched.whole() if author.organiser else None) or state, author))
        if len(found) == most:
            return found
    if failure is not None and not found:
        raise failure
    return found


def cookie_in(request: Request, kind: str) -> str:
    """The cookie of a kind that the browser has for this site; "" where it has none."""
    return request.cookies.get(_named(request, kind), "")


def callers_in(seasons: Seasons, request: Request) -> list[Caller]:
    """Return who is logged in, one in a season at most, in the site's order; kept with the request."""
    digests = [hash_of(key) for key in _keys_in(request)]
    found = _found(seasons, lambda book: book.by_session(*digests), len(digests)) if digests else []
    request.state.callers = found
    request.state.others = len(seasons.watched) > len(found)
    return found


def caller_in(seasons: Seasons, request: Request, season: str | None = None) -> Caller | None:
    """Return who is logged in for a season, by default that of the address or else any; None for nobody."""
    wanted = season or request.query_params.get("season")
    found = callers_in(seasons, request)
    return next((one for one in found if wanted in (None, one.state.name)), None)


def says_who(scope: Scope) -> bool:
    """True for a request that has a token or a cookie, dead ones too."""
    return any(name in CREDENTIALS for name, _ in scope["headers"])


def someone_in(seasons: Seasons, request: Request, season: str | None = None) -> Caller | None:
    """Return the caller that is an author, of `season` where it is named; None for all others."""
    token = token_in(request)
    try:
        caller = caller_in(seasons, request, season) if token is None else by_token(seasons, token)
    except ArbiterError:
        # Whatever the request is about says so.
        return None
    return caller if caller is not None and season in (None, caller.state.name) else None


def own_address(caller: Caller, request: Request, path: str) -> str:
    """An own page's address, with the season where the browser is logged in for several."""
    several = len(request.state.callers) > 1
    return f"{path}?season={quote(caller.state.name, safe='')}" if several else path


def begin_session(seasons: Seasons, caller: Caller, token: str, request: Request, response: Response) -> None:
    """Begin a session under a new cookie, which holds on to those of other seasons."""
    old = [hash_of(key) for key in _keys_in(request)]
    others = [one for one in callers_in(seasons, request) if one.state.name != caller.state.name]
    others = others[: MOST_SEASONS - 1]
    keys = [secrets.token_urlsafe(COOKIE_BYTES) for _ in (caller, *others)]
    for key, other in zip(keys[1:], others, strict=True):
        other.state.stored.authors.rename_session(old, hash_of(key))
    # What is left of them is of this season, or of too many.
    end_sessions(request)
    caller.state.stored.authors.begin_session(hash_of(keys[0]), hash_of(token), timestamp(LASTS))
    set_cookie(request, response, SESSION, SEPARATOR.join(keys), int(LASTS.total_seconds()))
    set_cookie(request, response, LOGIN)
    request.state.callers = [caller, *others]


def end_sessions(request: Request) -> None:
    """Let what the browser's cookie says be over, in each season of those who were found to be logged in."""
    digests = [hash_of(key) for key in _keys_in(request)]
    for caller in request.state.callers:
        caller.state.stored.authors.end_session(*digests)


def _keys_in(request: Request) -> list[str]:
    keys = cookie_in(request, SESSION).split(SEPARATOR, MOST_SEASONS)[:MOST_SEASONS]
    return [key for key in keys if key]


def proof_of(cookie: str) -> str:
    """Return the proof that a form carries of being one of ours."""
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


def set_cookie(
    request: Request,
    response: Response,
    kind: str,
    value: str = "",
    seconds: int = 0,
    same: Literal["lax", "strict"] = "lax",
) -> None:
    """Give the browser a cookie of a kind; without a value have it drop the one that it has."""
    name, secure = _named(request, kind), _is_secure(request)
    response.set_cookie(name, value, seconds, httponly=True, samesite=same, secure=secure)


def _named(request: Request, kind: str) -> str:
    """The cookie's name; where the site is encrypted, one that no other site of the domain can set."""
    return f"__Host-{kind}" if _is_secure(request) else kind


def _is_secure(request: Request) -> bool:
    return bool(request.scope["scheme"] == "https")
