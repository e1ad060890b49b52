"""The caller of a request: an author or organiser, identified by a token or a session.

The store is asked each time, so a revoked token or an ended session fails at the next request. A cookie holds
32 random bytes for each season with a login, whose SHA-256 is stored. A form carries a token derived from the
cookie, which no other site can know, and its origin is checked.
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
from arbiter.web.http.http_errors import Refusal, not_found, token_required

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Scope

    from arbiter.store.authors import AuthorStore
    from arbiter.web.http.watched_seasons import Seasons

SESSION, LOGIN = "arbiter_session", "arbiter_login"
"""Kinds of cookies: for a session, and for the form that begins one."""
LASTS = timedelta(days=14)
FORM_SECONDS = 3600
COOKIE_BYTES = 32
SEPARATOR = "."
"""Between the keys of a cookie."""
MOST_SEASONS = 16
"""Seasons with a login in one browser."""
CREDENTIALS = {b"authorization", b"cookie"}


class Caller(NamedTuple):
    """An author or organiser, and the state of the season as they may see it.

    `by` is the organiser who acts for the author, None if the author does.
    """

    state: SeasonState
    author: Author
    by: Author | None = None

    @property
    def who(self) -> str:
        """The name of the person who acts, in the audit log."""
        return (self.by or self.author).who

    def suspended(self) -> dict[str, str]:
        """Load the players suspended now, with the reasons: `state` may be older than the last order."""
        stored = self.state.stored
        return suspended_now(stored, stored.standings(stored.complete))


def token_in(request: Request) -> str | None:
    """Return the token of ``Authorization: Bearer TOKEN``, or None."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def caller_by_token(seasons: Seasons, token: str) -> Caller | None:
    """Look up the owner of a token in all seasons; None for an invalid one."""
    digest = hash_of(token)
    return next(iter(_find_callers(seasons, lambda book: book.by_token(digest), 1)), None)


def require_caller(
    seasons: Seasons, request: Request, season: str | None = None, organiser: bool = False
) -> Caller:
    """Return the owner of a request's token, in `season` or in any; Refusal for anybody else.

    With `organiser` an author who is not an organiser is refused, too.

    Requests without a valid token do not learn which seasons exist.
    """
    token = token_in(request)
    caller = None if token is None else caller_by_token(seasons, token)
    if caller is None:
        raise token_required()
    if season not in (None, caller.state.name) or (organiser and not caller.author.organiser):
        raise not_found()
    return caller


def _find_callers(seasons: Seasons, find: Callable[[AuthorStore], Author | None], most: int) -> list[Caller]:
    """Look up to `most` callers in all stores; if none is found, raise the error of an unreadable store."""
    found: list[Caller] = []
    failure: ArbiterError | None = None
    for watched in seasons.watched.values():
        try:
            state = watched.show()
            author = None if state is None else find(state.stored.authors)
        except ArbiterError as error:
            # Another season may know the caller.
            failure = error
            continue
        if state is not None and author is not None:
            found.append(Caller((watched.organiser_state() if author.organiser else None) or state, author))
        if len(found) == most:
            return found
    if failure is not None and not found:
        raise failure
    return found


def cookie_in(request: Request, kind: str) -> str:
    """Return the browser's cookie of a kind; "" if it has none."""
    return request.cookies.get(_cookie_name(request, kind), "")


def session_callers(seasons: Seasons, request: Request) -> list[Caller]:
    """Return the callers with a session, at most one per season, in the site's order; set `request.state`."""
    digests = [hash_of(key) for key in _session_keys(request)]
    found = _find_callers(seasons, lambda book: book.by_session(*digests), len(digests)) if digests else []
    request.state.callers = found
    request.state.others = len(seasons.watched) > len(found)
    return found


def session_caller(seasons: Seasons, request: Request, season: str | None = None) -> Caller | None:
    """Look up the caller with a session in `season`, by default in that of the query or in any; else None."""
    wanted = season or request.query_params.get("season")
    found = session_callers(seasons, request)
    return next((one for one in found if wanted in (None, one.state.name)), None)


def has_credentials(scope: Scope) -> bool:
    """Return True if a request has a token or a cookie, valid or not."""
    return any(name in CREDENTIALS for name, _ in scope["headers"])


def find_caller(seasons: Seasons, request: Request, season: str | None = None) -> Caller | None:
    """Look up the caller by token or session, in `season` if it is given; None for anybody else."""
    token = token_in(request)
    try:
        caller = (
            session_caller(seasons, request, season) if token is None else caller_by_token(seasons, token)
        )
    except ArbiterError:
        # The handler of the request reports it.
        return None
    return caller if caller is not None and season in (None, caller.state.name) else None


def own_address(caller: Caller, request: Request, path: str) -> str:
    """Return the path of a caller's own page, with the season if the browser has several logins."""
    several = len(request.state.callers) > 1
    return f"{path}?season={quote(caller.state.name, safe='')}" if several else path


def begin_session(seasons: Seasons, caller: Caller, token: str, request: Request, response: Response) -> None:
    """Begin a session under a new cookie, which keeps the sessions of other seasons."""
    old = [hash_of(key) for key in _session_keys(request)]
    others = [one for one in session_callers(seasons, request) if one.state.name != caller.state.name]
    others = others[: MOST_SEASONS - 1]
    keys = [secrets.token_urlsafe(COOKIE_BYTES) for _ in (caller, *others)]
    for key, other in zip(keys[1:], others, strict=True):
        other.state.stored.authors.rename_session(old, hash_of(key))
    # The remaining ones are of this season, or exceed the maximum.
    end_sessions(request)
    caller.state.stored.authors.begin_session(hash_of(keys[0]), hash_of(token), timestamp(LASTS))
    set_cookie(request, response, SESSION, SEPARATOR.join(keys), int(LASTS.total_seconds()))
    set_cookie(request, response, LOGIN)
    request.state.callers = [caller, *others]


def end_sessions(request: Request) -> None:
    """End the sessions of the browser's cookie in the seasons of `request.state.callers`."""
    digests = [hash_of(key) for key in _session_keys(request)]
    for caller in request.state.callers:
        caller.state.stored.authors.end_session(*digests)


def _session_keys(request: Request) -> list[str]:
    """Return the keys in the session cookie, at most `MOST_SEASONS`, [] without the cookie."""
    keys = cookie_in(request, SESSION).split(SEPARATOR, MOST_SEASONS)[:MOST_SEASONS]
    return [key for key in keys if key]


def csrf_token(cookie: str) -> str:
    """Return the CSRF token of a form for a cookie."""
    return hmac.new(cookie.encode(errors="replace"), b"form", sha256).hexdigest()


def check_form(request: Request, kind: str, proof: str | None) -> None:
    """Raise Refusal for a form without a valid CSRF token, or sent from another site."""
    given = cookie_in(request, kind)
    if not given or not hmac.compare_digest(
        csrf_token(given).encode(), (proof or "").encode(errors="replace")
    ):
        raise Refusal(403, "foreign", "this form has expired", "load the page again")
    check_origin(request)


def check_origin(request: Request) -> None:
    """Raise Refusal for a request from a page of another site, or of this one under another scheme."""
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
    """Set a cookie of a kind for these seconds; without `value` and `seconds` delete it."""
    name, secure = _cookie_name(request, kind), _is_secure(request)
    response.set_cookie(name, value, seconds, httponly=True, samesite=same, secure=secure)


def _cookie_name(request: Request, kind: str) -> str:
    """Return the cookie's name; over https with a prefix that protects it from other sites of the domain."""
    return f"__Host-{kind}" if _is_secure(request) else kind


def _is_secure(request: Request) -> bool:
    return bool(request.scope["scheme"] == "https")
