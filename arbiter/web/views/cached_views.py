"""Views shown: to each reader the season as it may see it, each answer made once for all who may have it.

While a new state is read, and until what was asked for lately is made of it too, the one before is shown:
nobody waits for either. Each answer gets a tag made of its bytes; a client that has it already gets 304.
Organisers see all of a season whose results are held back, and authors what their bots noted; nobody keeps
what is made for them.
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
from arbiter.web.http.authentication import says_who, someone_in
from arbiter.web.http.http_errors import PRIVATE, Refusal
from arbiter.web.http.query_params import check_names
from arbiter.web.http.request_guard import given
from arbiter.web.rendering.compression import VARY, has_it, takes_packed
from arbiter.web.views.registry import ANSWERS, PAGES
from arbiter.web.views.responses import API, AnswerKey, SentAnswer, is_personal, make_answer

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store.authors import Author
    from arbiter.web.http.concurrency_limits import Places
    from arbiter.web.http.watched_seasons import Seasons
    from arbiter.web.views.registry import View
    from arbiter.web.views.responses import Offers

MOST_BYTES = 8_000_000
"""Of answers kept with one state: so many without a query, and as many with one."""
MOST_AGAIN, AGAIN_SECONDS = 20, 0.5
"""Answers without a query that are made of a new state before it is shown, as many with one, and how long
all of that may take."""
MOST_ASKED = 20
"""Requests of whom it is looked up at once who they are: it takes no place, but threads that all need."""
OWN = [(name.lower().encode(), value.encode()) for name, value in PRIVATE.items()]


class Found(NamedTuple):
    """The target of an address: a view of a season, and what the path names below it."""

    season: str
    view: View
    is_json: bool
    named: tuple[str, ...]


def find(path: str) -> Found | None:
    """The view at an address; None where there is none."""
    is_json = path.startswith(API)
    parts = path.removeprefix(API).split("/")
    if parts[:2] != ["", "seasons"] or len(parts) == 2:
        return None
    views, below = ANSWERS if is_json else PAGES, tuple(parts[3:])
    view = views.get(below) or next((view for parts, view in views.items() if _is_of(parts, below)), None)
    if view is None:
        return None
    named = tuple(given(word) for word, part in zip(below, view.parts, strict=True) if part == "*")
    return Found(given(parts[2]), view, is_json, named)


def _is_of(parts: tuple[str, ...], below: tuple[str, ...]) -> bool:
    """True where an address has the parts of a view's path, in which "*" is anything."""
    if len(parts) != len(below):
        return False
    return all(part in ("*", word) for part, word in zip(parts, below, strict=True))


def read_address(found: Found, query: bytes, state: SeasonState) -> tuple[AnswerKey, bool]:
    """Return the key of the answer, and True when the season has something to it, so that it is worth
    keeping.

    What the API does not know, it refuses; to a page it is as good as nothing, and so is a blank.
    """
    view, is_json = found.view, found.is_json
    texts = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=is_json))
    try:
        if is_json:
            check_names(texts, [one.name for one in view.asks])
        asked = [one.read(texts[one.name]) if one.name in texts else one.default for one in view.asks]
        named = [one.read(text) for one, text in zip(view.of, found.named, strict=True)]
    except Refusal as error:
        raise (error if is_json else HTTPException(404)) from None
    has_answers = all(one.has_answer(value, state) for one, value in zip(view.asks, asked, strict=True))
    choices = [(one, None if is_json else texts.get(one.name)) for one in view.shows]
    shown = tuple(text if one.has_answer(text, state) else None for one, text in choices)
    is_plain = not any(shown) and asked == [one.default for one in view.asks]
    return AnswerKey(view, is_json, is_plain, (*named, *asked), shown), has_answers


class _Shelf:
    """Answers, and what was `asked` for; the last come last."""

    def __init__(self) -> None:
        self.answers: dict[AnswerKey, SentAnswer] = {}
        self.asked: dict[AnswerKey, None] = {}
        self._size = 0

    def find(self, key: AnswerKey) -> SentAnswer | None:
        answer = self.answers.pop(key, None)
        if answer is not None:
            self.answers[key] = answer
        return answer

    def note(self, key: AnswerKey) -> None:
        """Note that somebody has asked for it, and forget what was asked for longest ago."""
        self.asked.pop(key, None)
        self.asked[key] = None
        if len(self.asked) > MOST_AGAIN:
            del self.asked[next(iter(self.asked))]

    def keep(self, key: AnswerKey, answer: SentAnswer) -> None:
        """Keep a good answer, in place of those not asked for longest where there is no room."""
        if answer.status != 200:
            return
        self.answers[key] = answer
        self._size += answer.size
        while self._size > MOST_BYTES:
            oldest = next(iter(self.answers))
            self._size -= self.answers.pop(oldest).size


class Kept:
    """The answers made of one state; who asks with many queries moves none without."""

    def __init__(self) -> None:
        self._plain, self._queried = _Shelf(), _Shelf()
        self.making: dict[AnswerKey, asyncio.Future[SentAnswer]] = {}

    def shelf(self, key: AnswerKey) -> _Shelf:
        return self._plain if key.is_plain else self._queried

    def made_again(self, state: SeasonState, offers: Offers) -> Kept:
        """Return the answers asked of this state, that without a query first, made of a new one."""
        kept, until = Kept(), time.monotonic() + AGAIN_SECONDS
        for key in [*self._plain.asked, *self._queried.asked]:
            if time.monotonic() < until:
                kept.shelf(key).keep(key, make_answer(key, state, offers))
        return kept


class Showing:
    """Answers what the table of views has; everything else is handed on."""

    def __init__(self, places: Places, seasons: Seasons) -> None:
        self._places, self._seasons = places, seasons
        self._kept: WeakKeyDictionary[SeasonState, Kept] = WeakKeyDictionary()
        self._asking = asyncio.Semaphore(MOST_ASKED)
        for watched in seasons.watched.values():
            watched.prepare = self._make_again

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = find(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._places(scope, receive, send)
            return
        answer, is_public = await self._answer(scope, found)
        await _send(scope, answer, is_public, send)

    async def _answer(self, scope: Scope, found: Found) -> tuple[SentAnswer, bool]:
        """The answer for whoever asks, and whether everybody gets the same."""
        if scope["method"] != "GET":
            raise HTTPException(405, "this can only be read", {"allow": "GET, HEAD"})
        state, caller = await self._picture(scope, found.season, found.view.personal is not None)
        query = scope["query_string"]
        if query and "names" not in vars(state):
            # The first to ask for names waits for the store.
            await run_in_threadpool(getattr, state, "names")
        asked, has_answers = read_address(found, query, state)
        if caller is not None:
            own = asked._replace(viewer=Viewer(caller.name, caller.organiser))
            if state.frozen is not None and caller.organiser:
                return await run_in_threadpool(make_answer, own, state, self._offers(state)), False
            if await run_in_threadpool(is_personal, own, state):
                return await self._make(scope, own, state), False
        if not has_answers:
            return await self._make(scope, asked, state), True
        return await self._keep(scope, asked, state), True

    async def _picture(
        self, scope: Scope, season: str, is_personal: bool = False
    ) -> tuple[SeasonState, Author | None]:
        """Return the season as the caller may see it, and the caller if others may see less."""
        watched = self._seasons.watched.get(season)
        if watched is None:
            raise HTTPException(404, "no such season")
        state = watched.show() if watched.is_ready() else await run_in_threadpool(watched.show)
        if state is None:
            raise HTTPException(404, "no such season")
        if (state.frozen is not None or is_personal) and says_who(scope):
            async with self._asking:
                caller = await run_in_threadpool(someone_in, self._seasons, Request(scope), season)
            if caller is not None and (is_personal or caller.author.organiser):
                return caller.state, caller.author
        return state, None

    async def _keep(self, scope: Scope, asked: AnswerKey, state: SeasonState) -> SentAnswer:
        """The answer that is kept, else one that is made, for all who ask meanwhile."""
        kept = self._kept.setdefault(state, Kept())
        answer = kept.shelf(asked).find(asked)
        if answer is None:
            making = kept.making.get(asked)
            if making is None:
                making = kept.making[asked] = asyncio.ensure_future(self._make(scope, asked, state))
                making.add_done_callback(partial(_put, kept, asked))
            # Who asked first may go away; the answer is made all the same.
            answer = await asyncio.shield(making)
        if answer.status == 200:
            kept.shelf(asked).note(asked)
        return answer

    async def _make(self, scope: Scope, asked: AnswerKey, state: SeasonState) -> SentAnswer:
        async with self._places.place(scope):
            return await run_in_threadpool(make_answer, asked, state, self._offers(state))

    def _make_again(self, state: SeasonState, before: SeasonState) -> None:
        """Make of a new state what was asked of the one before, in the thread that has read it."""
        old = self._kept.get(before)
        if old is not None:
            self._kept[state] = old.made_again(state, self._offers(state))

    def _offers(self, state: SeasonState) -> Offers:
        return {"visitors": state.name in self._seasons.visited, "attacks": self._seasons.attacked}


def _put(kept: Kept, asked: AnswerKey, making: asyncio.Future[SentAnswer]) -> None:
    del kept.making[asked]
    if not making.cancelled() and making.exception() is None:
        kept.shelf(asked).keep(asked, making.result())


async def _send(scope: Scope, answer: SentAnswer, is_public: bool, send: Send) -> None:
    """Send it, to everybody compressed where that is taken; who has it already is told so."""
    status, headers, body = answer.status, list(answer.headers), answer.body
    if not is_public:
        headers += OWN
    elif status == 200:
        is_packed = answer.packed is not None and takes_packed(scope)
        tag = b'"%s%s"' % (answer.tag, b"-gzip" if is_packed else b"")
        headers += [(b"etag", tag), (b"cache-control", b"no-cache")]
        if answer.packed is not None:
            headers.append(VARY)
        if is_packed:
            body = answer.packed or b""
            headers.append((b"content-encoding", b"gzip"))
        if has_it(scope, tag):
            status, body = 304, b""
        left = (b"content-length", *((b"content-type", b"content-encoding") if status == 304 else ()))
        headers = [pair for pair in headers if pair[0] not in left]
        if status == 200:
            headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
