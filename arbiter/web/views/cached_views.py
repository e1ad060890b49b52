"""Views with a cache: each public answer is computed once per state of a season.

While a new state is read, and until recently requested answers are computed of it, the previous state is
shown, so no request waits. Each answer has an ETag made of its bytes; a client that has it gets 304.
Organisers see results that are held back, and authors the notes of their bots; such answers are not cached.
"""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request

from arbiter.season.snapshot.viewer import Viewer
from arbiter.web.http.authentication import find_caller, has_credentials
from arbiter.web.http.http_errors import PRIVATE, Refusal
from arbiter.web.http.query_params import check_names
from arbiter.web.http.request_guard import unescape_slashes
from arbiter.web.rendering.compression import VARY, accepts_gzip, has_etag
from arbiter.web.views.registry import ANSWERS, PAGES
from arbiter.web.views.responses import API, AnswerKey, SentAnswer, is_personal, make_answer

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store.authors import Author
    from arbiter.web.http.concurrency_limits import ConcurrencyLimits
    from arbiter.web.http.watched_seasons import Seasons
    from arbiter.web.views.registry import View
    from arbiter.web.views.responses import Offers

MOST_BYTES = 8_000_000
"""Of cached answers per state: once without a query, once with one."""
MOST_WARMED, WARM_SECONDS = 20, 0.5
"""Answers that are computed of a new state before it is shown, without and with a query each, and the time
limit for all."""
MOST_LOOKUPS = 20
"""Concurrent look-ups of callers: these hold no slot, but threads that all requests share."""
OWN = [(name.lower().encode(), value.encode()) for name, value in PRIVATE.items()]


class Found(NamedTuple):
    """The target of a path: a view of a season, and the path's parameters."""

    season: str
    view: View
    is_json: bool
    named: tuple[str, ...]


def find(path: str) -> Found | None:
    """Return the view at a path; None if it does not exist."""
    is_json = path.startswith(API)
    parts = path.removeprefix(API).split("/")
    if parts[:2] != ["", "seasons"] or len(parts) == 2:
        return None
    views, below = ANSWERS if is_json else PAGES, tuple(parts[3:])
    view = views.get(below) or next((view for parts, view in views.items() if _matches(parts, below)), None)
    if view is None:
        return None
    named = tuple(unescape_slashes(word) for word, part in zip(below, view.parts, strict=True) if part == "*")
    return Found(unescape_slashes(parts[2]), view, is_json, named)


def _matches(parts: tuple[str, ...], below: tuple[str, ...]) -> bool:
    """Return True if `below`, the segments of a path, fit a view's `parts`, in which "*" fits anything."""
    if len(parts) != len(below):
        return False
    return all(part in ("*", word) for part, word in zip(parts, below, strict=True))


def read_address(found: Found, query: bytes, state: SeasonState) -> tuple[AnswerKey, bool]:
    """Return the key of the answer, and True if the season knows the values, so that caching is worthwhile.

    The API refuses unknown parameters with Refusal; pages ignore these and blank ones.
    """
    view, is_json = found.view, found.is_json
    texts = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=is_json))
    try:
        if is_json:
            check_names(texts, [one.name for one in view.in_query])
        asked = [one.read(texts[one.name]) if one.name in texts else one.default for one in view.in_query]
        named = [one.read(text) for one, text in zip(view.in_path, found.named, strict=True)]
    except Refusal as error:
        raise (error if is_json else HTTPException(404)) from None
    has_answers = all(one.has_answer(value, state) for one, value in zip(view.in_query, asked, strict=True))
    choices = [(one, None if is_json else texts.get(one.name)) for one in view.page_only]
    shown = tuple(text if one.has_answer(text, state) else None for one, text in choices)
    is_plain = not any(shown) and asked == [one.default for one in view.in_query]
    return AnswerKey(view, is_json, is_plain, (*named, *asked), shown), has_answers


class _LruCache:
    """Answers, and the keys that were `asked` for, the most recent last."""

    def __init__(self) -> None:
        self.answers: dict[AnswerKey, SentAnswer] = {}
        self.asked: dict[AnswerKey, None] = {}
        self._size = 0

    def find(self, key: AnswerKey) -> SentAnswer | None:
        """Return the cached answer and make it the most recent; None if missing."""
        answer = self.answers.pop(key, None)
        if answer is not None:
            self.answers[key] = answer
        return answer

    def note(self, key: AnswerKey) -> None:
        """Record a request for a key, and drop the oldest one beyond `MOST_WARMED`."""
        self.asked.pop(key, None)
        self.asked[key] = None
        if len(self.asked) > MOST_WARMED:
            del self.asked[next(iter(self.asked))]

    def keep(self, key: AnswerKey, answer: SentAnswer) -> None:
        """Cache an answer with status 200; evict the least recently used ones beyond `MOST_BYTES`."""
        if answer.status != 200:
            return
        self.answers[key] = answer
        self._size += answer.size
        while self._size > MOST_BYTES:
            oldest = next(iter(self.answers))
            self._size -= self.answers.pop(oldest).size


class AnswerCache:
    """The cached answers of one state of a season; those with a query never evict those without."""

    def __init__(self) -> None:
        self._plain, self._queried = _LruCache(), _LruCache()
        self.making: dict[AnswerKey, asyncio.Future[SentAnswer]] = {}

    def part_of(self, key: AnswerKey) -> _LruCache:
        """Return the part for the key: that of answers without a query, or with one."""
        return self._plain if key.is_plain else self._queried

    def renew(self, state: SeasonState, offers: Offers) -> AnswerCache:
        """Return a cache of a new state with the answers requested here, as many as `WARM_SECONDS` allow."""
        cache, until = AnswerCache(), time.monotonic() + WARM_SECONDS
        for key in [*self._plain.asked, *self._queried.asked]:
            if time.monotonic() < until:
                cache.part_of(key).keep(key, make_answer(key, state, offers))
        return cache


class CachedViews:
    """ASGI middleware that answers requests for `VIEWS` and passes others on."""

    def __init__(self, limits: ConcurrencyLimits, seasons: Seasons) -> None:
        self._limits, self._seasons = limits, seasons
        self._caches: WeakKeyDictionary[SeasonState, AnswerCache] = WeakKeyDictionary()
        self._lookups = asyncio.Semaphore(MOST_LOOKUPS)
        for watched in seasons.watched.values():
            watched.prepare = self._warm

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = find(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._limits(scope, receive, send)
            return
        answer, is_public = await self._answer(scope, found)
        await _send(scope, answer, is_public, send)

    async def _answer(self, scope: Scope, found: Found) -> tuple[SentAnswer, bool]:
        """Return the answer for a request, and whether it is public; HTTPException 404 or 405."""
        if scope["method"] != "GET":
            raise HTTPException(405, "this can only be read", {"allow": "GET, HEAD"})
        state, caller = await self._state(scope, found.season, found.view.personal is not None)
        query = scope["query_string"]
        if query and "names" not in vars(state):
            # Names are read from the store once per state.
            await run_in_threadpool(getattr, state, "names")
        asked, has_answers = read_address(found, query, state)
        if caller is not None:
            own = asked._replace(viewer=Viewer(caller.name, caller.organiser))
            if state.frozen is not None and caller.organiser:
                return await run_in_threadpool(make_answer, own, state, self._offers(state)), False
            if await run_in_threadpool(is_personal, own, state):
                return await self._compute(scope, own, state), False
        if not has_answers:
            return await self._compute(scope, asked, state), True
        return await self._cached(scope, asked, state), True

    async def _state(
        self, scope: Scope, season: str, is_personal: bool = False
    ) -> tuple[SeasonState, Author | None]:
        """Return the season as the caller may see it, and the caller if the public may see less; or 404.

        If `is_personal`, any author is such a caller, else only an organiser while results are held back.
        """
        watched = self._seasons.watched.get(season)
        if watched is None:
            raise HTTPException(404, "no such season")
        state = watched.show() if watched.is_ready() else await run_in_threadpool(watched.show)
        if state is None:
            raise HTTPException(404, "no such season")
        if (state.frozen is not None or is_personal) and has_credentials(scope):
            async with self._lookups:
                caller = await run_in_threadpool(find_caller, self._seasons, Request(scope), season)
            if caller is not None and (is_personal or caller.author.organiser):
                return caller.state, caller.author
        return state, None

    async def _cached(self, scope: Scope, asked: AnswerKey, state: SeasonState) -> SentAnswer:
        """Return the cached answer, else compute it once for all concurrent requests."""
        cache = self._caches.setdefault(state, AnswerCache())
        answer = cache.part_of(asked).find(asked)
        if answer is None:
            making = cache.making.get(asked)
            if making is None:
                making = cache.making[asked] = asyncio.ensure_future(self._compute(scope, asked, state))
                making.add_done_callback(partial(_finish_making, cache, asked))
            # The answer is computed even if the first client disconnects.
            answer = await asyncio.shield(making)
        if answer.status == 200:
            cache.part_of(asked).note(asked)
        return answer

    async def _compute(self, scope: Scope, asked: AnswerKey, state: SeasonState) -> SentAnswer:
        """Compute an answer in a thread, in one of the slots; Refusal if all are taken."""
        async with self._limits.slot(scope):
            return await run_in_threadpool(make_answer, asked, state, self._offers(state))

    def _warm(self, state: SeasonState, before: SeasonState) -> None:
        """Fill the cache of a new state with the answers requested of the one before."""
        old = self._caches.get(before)
        if old is not None:
            self._caches[state] = old.renew(state, self._offers(state))

    def _offers(self, state: SeasonState) -> Offers:
        return {"visitors": state.name in self._seasons.with_tables, "attacks": self._seasons.has_attacks}


def _finish_making(cache: AnswerCache, asked: AnswerKey, making: asyncio.Future[SentAnswer]) -> None:
    """Cache an answer once it is computed, unless that failed."""
    del cache.making[asked]
    if not making.cancelled() and making.exception() is None:
        cache.part_of(asked).keep(asked, making.result())


async def _send(scope: Scope, answer: SentAnswer, is_public: bool, send: Send) -> None:
    """Send an answer: a public one compressed if the client accepts gzip, or 304 if it has the ETag."""
    status, headers, body = answer.status, list(answer.headers), answer.body
    if not is_public:
        headers += OWN
    elif status == 200:
        is_compressed = answer.compressed is not None and accepts_gzip(scope)
        tag = b'"%s%s"' % (answer.tag, b"-gzip" if is_compressed else b"")
        headers += [(b"etag", tag), (b"cache-control", b"no-cache")]
        if answer.compressed is not None:
            headers.append(VARY)
        if is_compressed:
            body = answer.compressed or b""
            headers.append((b"content-encoding", b"gzip"))
        if has_etag(scope, tag):
            status, body = 304, b""
        left = (b"content-length", *((b"content-type", b"content-encoding") if status == 304 else ()))
        headers = [pair for pair in headers if pair[0] not in left]
        if status == 200:
            headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
