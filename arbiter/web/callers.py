"""Who asks: an author or organiser, known by a token or by a session; asked of the store each time.

So a token that is revoked, or a session that is ended, is dead with the very next request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import ArbiterError
from arbiter.picture.state import State
from arbiter.season.orders import suspended_now
from arbiter.store.authors import Author
from arbiter.submissions.authors import hash_of
from arbiter.web.refusals import no_token, nothing_here
from arbiter.web.security import given

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.requests import Request

    from arbiter.store.authors import AuthorBook
    from arbiter.web.seasons import Seasons


class Caller(NamedTuple):
    """An author or organiser of a season, in its present state as far as that is for their eyes."""

    state: State
    author: Author

    def suspended(self) -> dict[str, str]:
        """Who is suspended at this very moment, and why; the state may be older than an order just given."""
        return suspended_now(self.state.stored, self.state.stored.complete)


def token_in(request: Request) -> str | None:
    """The token that a request carries as ``Authorization: Bearer TOKEN``."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def by_token(seasons: Seasons, token: str) -> Caller | None:
    """Whose token this is; None where it is nobody's."""
    digest = hash_of(token)
    return next(iter(_found(seasons, lambda book: book.of_token(digest), 1)), None)


def by_sessions(seasons: Seasons, keys: Sequence[str]) -> list[Caller]:
    """Whose sessions these are, one in a season at most, in the site's order, as far as they are alive."""
    digests = [hash_of(key) for key in keys]
    return _found(seasons, lambda book: book.of_session(*digests), len(digests))


def caller_of(seasons: Seasons, season: str, token: str | None, organiser: bool = False) -> Caller:
    """Whose token this is, in a season of the site; Refusal for anybody else.

    Without a token that is alive nobody learns which seasons there are.
    """
    caller = None if token is None else by_token(seasons, token)
    if caller is None:
        raise no_token()
    if caller.state.name != given(season) or (organiser and not caller.author.organiser):
        raise nothing_here()
    return caller


def _found(seasons: Seasons, find: Callable[[AuthorBook], Author | None], most: int) -> list[Caller]:
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
