"""The page's questions: the table, the match as a replay, what passed, what a table can be set with."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import FastAPI, Query, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, StreamingResponse
from typing_extensions import TypedDict

from arbiter.errors import Problem
from arbiter.replay.schema import CardFace, Replay
from arbiter.table.interactive.exchange_log import LoggedExchange
from arbiter.web.applet import saved_tables, schema
from arbiter.web.applet.schema import Answer
from arbiter.web.applet.table_forms import TableForm
from arbiter.web.http.http_errors import mistakes_answer
from arbiter.web.http.sse import stream, stream_answer, waker
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from arbiter.table.interactive.session import Session
    from arbiter.web.applet.access_guard import Door
    from arbiter.web.applet.saved_tables import Remembered

MOST = 1000
"""Exchanges in one answer."""
MOST_PAGES = 20
"""Pages that listen at once."""


class GameChoices(TypedDict):
    """The games that can be played."""

    games: list[saved_tables.GameChoice]


class Bots(TypedDict):
    """The bots that can be seated."""

    bots: list[saved_tables.ShippedBot]


class Cards(TypedDict):
    """The cards that a deal may have."""

    faces: dict[str, CardFace]


class Saved(TypedDict):
    """Tables that were set before, and why there are none."""

    saved: list[TableForm]
    note: str


Passed = TypedDict("Passed", {"exchanges": list[LoggedExchange], "next": int, "from": int})
"""Exchanges, the number after which the next ones come, and the oldest number that is kept."""


class News:
    """Word of every change for the pages that listen: who they are, and since when there is none."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: set[asyncio.Event] = set()
        self._closed = False
        self._left: float | None = None

    @property
    def full(self) -> bool:
        """True when no further page may listen."""
        return len(self._waiting) >= MOST_PAGES

    @property
    def alone_seconds(self) -> float:
        """For how long nobody has listened, after somebody did; 0 while one does, and before the first."""
        return 0.0 if self._left is None or self._waiting else time.monotonic() - self._left

    def close(self) -> None:
        """Let all go; called in the server's thread."""
        self._closed = True
        for changed in self._waiting:
            changed.set()

    async def listen(self) -> AsyncIterator[bytes]:
        """Yield what one page is sent until it goes away: the present revision, then the newest each time."""
        changed, sent = asyncio.Event(), -1

        async def newest() -> bytes | None:
            nonlocal sent
            while sent == self._session.revision and not self._closed:
                await changed.wait()
                changed.clear()
            sent = self._session.revision
            return None if self._closed else f"data: {json.dumps({'revision': sent})}\n\n".encode()

        stop = self._session.listen(waker(changed))
        self._waiting.add(changed)
        try:
            yield b"retry: 1000\n\n"
            async for chunk in stream(newest):
                yield chunk
        finally:
            stop()
            self._waiting.discard(changed)
            self._left = time.monotonic()


def add_reading(app: FastAPI, session: Session, news: News, door: Door, remembered: Remembered) -> None:

    @app.get("/", response_class=HTMLResponse, responses={403: {"description": "Without the key."}})
    def page(key: str = "") -> Response:
        """The page; its `meta` element `csrf` has the key where the address has it."""
        is_open = door.opens(key)
        body = render("applet", token=door.key if is_open else "", static=door.static)
        # A page that is loaded again has the key, and no longer in its address.
        return HTMLResponse(body, 200 if is_open else 403, headers={"cache-control": "no-store"})

    @app.get("/state")
    def read_state() -> Answer:
        """Return the state of the table."""
        return schema.state(session)

    @app.get("/replay", response_model=Replay)
    def read_replay(reader: Annotated[str, Query(max_length=100)] = "full") -> Response:
        """The match up to now for the viewer: `full`, `seat:K` or, with nobody's cards, `public`."""
        return JSONResponse(schema.replay(schema.seen(session), reader))

    @app.get("/exchanges")
    def read_exchanges(
        after: Annotated[int, Query(ge=0, le=10**15)] = 0, limit: Annotated[int, Query(ge=1, le=MOST)] = MOST
    ) -> Passed:
        """Return what passed between the table and its seats, after the exchange with a number."""
        found = session.exchanges.after(after, limit)
        return {
            "exchanges": found,
            "next": found[-1].n if found else max(after, session.exchanges.number),
            "from": session.exchanges.oldest,
        }

    @app.get("/traffic", response_class=PlainTextResponse)
    def read_traffic() -> Response:
        """Every exchange that is kept, as a text file."""
        lines = [line for exchange in session.exchanges.after(0) for line in exchange.lines()]
        return PlainTextResponse("".join(f"{line}\n" for line in lines), headers=_file("traffic.txt"))

    @app.get("/record")
    def read_record() -> Response:
        """The match up to now as a match record."""
        return JSONResponse(schema.record(schema.seen(session)).to_json(), headers=_file("match.json"))

    @app.get(
        "/events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}}, 429: {"description": "Too many listen."}},
    )
    async def listen() -> Response:
        """Word of every change, as server-sent events with the table's revision."""
        if news.full:
            return mistakes_answer(429, [Problem((), "too many pages listen already")])
        return stream_answer(news.listen())

    @app.get("/games")
    def list_games() -> GameChoices:
        """The games with their options."""
        return {"games": saved_tables.games()}

    @app.get("/cards")
    def list_cards() -> Cards:
        """The faces of all cards, where a deal leaves some of them out."""
        game = schema.seen(session).setup.game
        return {"faces": {name: cast("CardFace", game.face(name)._asdict()) for name in game.card_names()}}

    @app.get("/bots")
    def list_bots() -> Bots:
        """The bots that come with the package."""
        return {"bots": saved_tables.bots()}

    @app.get("/saved")
    def list_saved() -> Saved:
        """Tables that were set before, newest first, each as it can be posted again."""
        return {"saved": remembered.tables, "note": remembered.note}


def _file(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
