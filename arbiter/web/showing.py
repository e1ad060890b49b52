"""Views shown: to each reader the season as it may see it, each answer made once for all who may have it.

While a new state is read, and until what was asked for lately is made of it too, the one before is shown:
nobody waits for either. Each answer gets a tag made of its bytes; whoever has it already is told so.
Organisers see all of a season whose results are held back; nobody keeps what is made for them.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request

from arbiter.errors import ArbiterError
from arbiter.web.answers import answer_of, find, make_answer, read_address
from arbiter.web.failures import as_json, as_page
from arbiter.web.keeping import Kept
from arbiter.web.refusals import PRIVATE, Refusal, early_answer
from arbiter.web.sessions import organiser_in, says_who

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from starlette.types import Receive, Scope, Send

    from arbiter.picture.state import State
    from arbiter.web.answers import Answer, Asked, Found
    from arbiter.web.places import Places
    from arbiter.web.seasons import Seasons

    Headers: TypeAlias = Sequence[tuple[bytes, bytes]]

MOST_ASKED = 20
"""Requests of whom it is looked up at once who they are: it takes no place, but threads that all need."""
OWN = [(name.lower().encode(), value.encode()) for name, value in PRIVATE.items()]


class Showing:
    """Answers what the table of views has; everything else is handed on."""

    def __init__(self, places: Places, seasons: Seasons) -> None:
        self._places, self._seasons = places, seasons
        self._kept: WeakKeyDictionary[State, Kept] = WeakKeyDictionary()
        self._asking = asyncio.Semaphore(MOST_ASKED)
        for watched in seasons.watched.values():
            watched.prepare = self._make_again

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = find(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._places(scope, receive, send)
            return
        try:
            answer, headers = await self._answer(scope, found)
        except (ArbiterError, HTTPException) as error:
            if isinstance(error, Refusal) and not found.is_json:
                response = early_answer(scope, error)
            else:
                response = (as_json if found.is_json else as_page)(error)
            answer, headers = answer_of(response), ()
        await _send(scope, answer, headers, send)

    async def _answer(self, scope: Scope, found: Found) -> tuple[Answer, Headers]:
        """The answer for whoever asks, with what it carries beside its own headers."""
        if scope["method"] != "GET":
            raise HTTPException(405, "this can only be read", {"allow": "GET, HEAD"})
        state, is_public = await self._picture(scope, found.season)
        query = scope["query_string"]
        if query and "names" not in vars(state):
            # The first to ask for names waits for the store.
            await run_in_threadpool(getattr, state, "names")
        asked, has_answers = read_address(found, query, state)
        if not is_public:
            return await run_in_threadpool(make_answer, asked, state, self._has_visitors(state)), OWN
        if not has_answers:
            answer = await self._make(scope, asked, state)
        else:
            answer = await self._keep(scope, asked, state)
        tag = [(b"etag", answer.tag), (b"cache-control", b"no-cache")]
        return answer, tag if answer.status == 200 else ()

    async def _picture(self, scope: Scope, season: str) -> tuple[State, bool]:
        """The season as far as it is for the eyes of whoever asks, and whether all others see the same."""
        watched = self._seasons.watched.get(season)
        if watched is None:
            raise HTTPException(404, "no such season")
        state = watched.show() if watched.is_ready() else await run_in_threadpool(watched.show)
        if state is None:
            raise HTTPException(404, "no such season")
        if state.frozen is not None and says_who(scope):
            async with self._asking:
                caller = await run_in_threadpool(organiser_in, self._seasons, Request(scope), season)
            if caller is not None:
                return caller.state, False
        return state, True

    async def _keep(self, scope: Scope, asked: Asked, state: State) -> Answer:
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

    async def _make(self, scope: Scope, asked: Asked, state: State) -> Answer:
        async with self._places.place(scope):
            return await run_in_threadpool(make_answer, asked, state, self._has_visitors(state))

    def _make_again(self, state: State, before: State) -> None:
        """Make of a new state what was asked of the one before, in the thread that has read it."""
        old = self._kept.get(before)
        if old is not None:
            self._kept[state] = old.made_again(state, self._has_visitors(state))

    def _has_visitors(self, state: State) -> bool:
        return state.name in self._seasons.visited


def _put(kept: Kept, asked: Asked, making: asyncio.Future[Answer]) -> None:
    """Keep what was made, if it was."""
    del kept.making[asked]
    if not making.cancelled() and making.exception() is None:
        kept.shelf(asked).keep(asked, making.result())


async def _send(scope: Scope, answer: Answer, headers: Headers, send: Send) -> None:
    status, body, own = answer.status, answer.body, answer.headers
    if (b"if-none-match", answer.tag) in scope["headers"] and (b"etag", answer.tag) in headers:
        status, body = 304, b""
        own = tuple(pair for pair in own if pair[0] not in (b"content-length", b"content-type"))
    await send({"type": "http.response.start", "status": status, "headers": [*own, *headers]})
    await send({"type": "http.response.body", "body": body})
