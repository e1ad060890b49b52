"""Answers kept with the state that they were made of, so that what many ask for is made once.

While a new state is read, and until what was asked for lately is made of it too, the one before is shown:
nobody waits for either. Each answer gets a tag made of its bytes; whoever has it already is told so.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool

from arbiter.errors import ArbiterError
from arbiter.web.queries import tidy
from arbiter.web.seasons import SHOWN
from arbiter.web.security import given

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arbiter.picture.state import State
    from arbiter.web.seasons import Seasons

LOG = logging.getLogger("arbiter.web")
MOST_BYTES = 8_000_000
"""Of answers kept with one state: so many without a query, and as many with one."""
OVERHEAD = 500
"""Bytes that keeping an answer takes beside it."""
MOST_AGAIN, AGAIN_SECONDS = 20, 0.5
"""Answers without a query that are made of a new state before it is shown, as many with one, and how long
all of that may take."""
OURS = (b"etag", b"cache-control")

API = "/api/v1"
Key: TypeAlias = tuple[str, bytes]
"""Path and query."""


class Answer(NamedTuple):
    """An answer to whoever may read; `tag` tells its bytes."""

    start: Message
    body: bytes
    tag: bytes


PUBLIC = ("standings", "crosstable", "history", "rounds", "players", "matches", "live", "rules")
"""Below a season: the same for everybody who asks."""


def _is_public(below: list[str]) -> bool:
    """True for what may be kept; anything that is not known to be so is not."""
    return not below or (below[0] in PUBLIC and not (below[0] == "matches" and below[-1] == "log"))


def season_of(scope: Scope) -> str | None:
    """The season that a request to read what everybody may read is about; None for any other request."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    parts = _parts_of(scope["path"])
    if len(parts) < 3 or parts[1] != "seasons" or not _is_public(parts[3:]):
        return None
    return given(parts[2])


def _parts_of(path: str) -> list[str]:
    return path.removeprefix(API).split("/")


async def _key_of(scope: Scope, state: State) -> Key | None:
    """What tells an answer from others, however its query is put; None for one that is not worth keeping."""
    path, query = scope["path"], scope["query_string"]
    if query and "names" not in vars(state):
        # The first to ask for names waits for the store; where it cannot be read, the page says so.
        with suppress(ArbiterError):
            await run_in_threadpool(getattr, state, "names")
        if "names" not in vars(state):
            return None
    tidied = tidy(query, _parts_of(path)[3:], path.startswith(API), state)
    return None if tidied is None else (path, tidied)


class _Shelf:
    """Answers, and what was `asked` for; the last come last."""

    def __init__(self) -> None:
        self.answers: dict[Key, Answer] = {}
        self.asked: dict[Key, None] = {}
        self._size = 0

    def find(self, key: Key) -> Answer | None:
        """The answer, if it is there."""
        answer = self.answers.pop(key, None)
        if answer is not None:
            self.answers[key] = answer
        return answer

    def note(self, key: Key) -> None:
        """Note that somebody has asked for it, and forget what was asked for longest ago."""
        self.asked.pop(key, None)
        self.asked[key] = None
        if len(self.asked) > MOST_AGAIN:
            del self.asked[next(iter(self.asked))]

    def keep(self, key: Key, answer: Answer) -> None:
        """Keep a good answer, in place of those not asked for longest where there is no room."""
        if answer.start["status"] != 200:
            return
        self.answers[key] = answer
        self._size += len(answer.body) + OVERHEAD
        while self._size > MOST_BYTES:
            oldest = next(iter(self.answers))
            self._size -= len(self.answers.pop(oldest).body) + OVERHEAD


class _Kept:
    """The answers made of one state; who asks with many queries moves none without."""

    def __init__(self) -> None:
        self._plain, self._queried = _Shelf(), _Shelf()
        self.making: dict[Key, asyncio.Future[Answer]] = {}

    def shelf(self, key: Key) -> _Shelf:
        """Where an answer has its place."""
        return self._queried if key[1] else self._plain

    def asked(self) -> list[Key]:
        """What was asked for, that without a query first."""
        return [*self._plain.asked, *self._queried.asked]


class Keeper:
    """Answers again what was asked before of the same state; everything else is handed on."""

    def __init__(self, app: ASGIApp, seasons: Seasons) -> None:
        self._app, self._seasons = app, seasons
        self._kept: WeakKeyDictionary[State, _Kept] = WeakKeyDictionary()
        for watched in seasons.watched.values():
            watched.prepare = self._make_again

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = await self._state(scope)
        if state is None:
            await self._app(scope, receive, send)
            return
        kept = self._kept.setdefault(state, _Kept())
        key = await _key_of(scope, state)
        if key is None:
            await _send(scope, await self._make(scope, state), send)
            return
        answer = kept.shelf(key).find(key)
        if answer is None:
            making = kept.making.get(key)
            if making is None:
                scope = {**scope, "query_string": key[1]}
                making = kept.making[key] = asyncio.ensure_future(self._make(scope, state))
                making.add_done_callback(partial(_keep, kept, key))
            # Who asked first may go away; the answer is made all the same.
            answer = await asyncio.shield(making)
        if answer.start["status"] == 200:
            kept.shelf(key).note(key)
        await _send(scope, answer, send)

    async def _state(self, scope: Scope) -> State | None:
        """The state to show of the season that a request to read is about; None for any other request."""
        watched = self._seasons.watched.get(season_of(scope) or "")
        if watched is None:
            return None
        try:
            return watched.show() if watched.is_ready() else await run_in_threadpool(watched.show)
        except ArbiterError:
            # The page says so.
            return None

    def _make_again(self, state: State, before: State) -> None:
        """Make of a new state what was asked of the one before, in the thread that has read it."""
        old = self._kept.get(before)
        if old is None:
            return
        kept, until = _Kept(), time.monotonic() + AGAIN_SECONDS

        async def make_all() -> None:
            for key in old.asked():
                path, query = key
                if time.monotonic() < until:
                    scope = {**BARE, "path": path, "raw_path": path.encode(), "query_string": query}
                    with suppress(Exception):
                        kept.shelf(key).keep(key, await self._make(scope, state))

        asyncio.run(make_all())
        self._kept[state] = kept

    async def _make(self, scope: Scope, state: State) -> Answer:
        start: Message = {}
        body = bytearray()

        async def take(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
            else:
                body.extend(message.get("body", b""))

        SHOWN.set(state)
        try:
            await self._app(scope, _nothing, take)
        except Exception:
            # An error page is sent before the error is raised once more, for the log.
            if not start:
                raise
            LOG.exception("an answer failed: %s", scope["path"])
        return Answer(start, bytes(body), b'"%s"' % hashlib.sha256(body).hexdigest()[:20].encode())


BARE: Scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http"} | {
    "method": "GET", "headers": [], "client": None, "server": None, "root_path": "",
}  # fmt: skip
"""A request of nobody."""


def _keep(kept: _Kept, key: Key, making: asyncio.Future[Answer]) -> None:
    """Keep what was made, if it was."""
    del kept.making[key]
    if not making.cancelled() and making.exception() is None:
        kept.shelf(key).keep(key, making.result())


async def _nothing() -> Message:
    """A request without a body."""
    return {"type": "http.request", "body": b"", "more_body": False}


async def _send(scope: Scope, answer: Answer, send: Send) -> None:
    headers = [pair for pair in answer.start["headers"] if pair[0] not in OURS]
    status, body = answer.start["status"], answer.body
    if status == 200:
        headers += [(b"etag", answer.tag), (b"cache-control", b"no-cache")]
        if dict(scope["headers"]).get(b"if-none-match") == answer.tag:
            status, body = 304, b""
            headers = [pair for pair in headers if pair[0] not in (b"content-length", b"content-type")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
