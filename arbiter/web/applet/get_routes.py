"""The GET routes of the applet: the page, the table, the replay, exchanges, games, bots, saved tables."""

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
from arbiter.web.http.http_errors import errors_response
from arbiter.web.http.sse import stream, stream_answer, waker
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from arbiter.table.interactive.session import Session
    from arbiter.web.applet.access_guard import AccessGuard
    from arbiter.web.applet.saved_tables import SavedTables

MOST = 1000
"""Exchanges in one answer."""
MOST_PAGES = 20
"""Pages that listen at once."""


class GameChoices(TypedDict):
    """The available games."""

    games: list[saved_tables.GameChoice]


class Bots(TypedDict):
    """The available bots."""

    bots: list[saved_tables.ShippedBot]


class Cards(TypedDict):
    """The cards of the game."""

    faces: dict[str, CardFace]


class Saved(TypedDict):
    """Saved tables, and why they are missing."""

    saved: list[TableForm]
    note: str


Passed = TypedDict("Passed", {"exchanges": list[LoggedExchange], "next": int, "from": int})
"""Exchanges, the `after` of the next request, and the oldest number that is kept."""


class ChangeEvents:
    """Streams of the table's revisions for listening pages, and the time since the last page left."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: set[asyncio.Event] = set()
        self._closed = False
        self._left: float | None = None

    @property
    def full(self) -> bool:
        """True if no further page may listen."""
        return len(self._waiting) >= MOST_PAGES

    @property
    def alone_seconds(self) -> float:
        """The seconds since the last page left; 0 while one listens, and before the first."""
        return 0.0 if self._left is None or self._waiting else time.monotonic() - self._left

    def close(self) -> None:
        """End all streams; call it in the server's thread."""
        self._closed = True
        for changed in self._waiting:
            changed.set()

    async def listen(self) -> AsyncIterator[bytes]:
        """Yield the events for one page until it disconnects: the current revision, then each change."""
        changed, sent = asyncio.Event(), -1

        async def next_change() -> bytes | None:
            """Wait for another revision than that sent last; return its event, None once closed."""
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
            async for chunk in stream(next_change):
                yield chunk
        finally:
            stop()
            self._waiting.discard(changed)
            self._left = time.monotonic()


def add_get_routes(
    app: FastAPI, session: Session, events: ChangeEvents, guard: AccessGuard, saved: SavedTables
) -> None:
    @app.get("/", response_class=HTMLResponse, responses={403: {"description": "Without the key."}})
    def page(key: str = "") -> Response:
        """Return the page; its `meta` element `csrf` has the key if the query has it."""
        is_open = guard.accept(key)
        body = render("applet", token=guard.key if is_open else "", static=guard.static)
        # A reloaded page has kept the key, and no longer has it in its URL.
        return HTMLResponse(body, 200 if is_open else 403, headers={"cache-control": "no-store"})

    @app.get("/state")
    def read_state() -> Answer:
        """Return the state of the table."""
        return schema.state(session)

    @app.get("/replay", response_model=Replay)
    def read_replay(reader: Annotated[str, Query(max_length=100)] = "full") -> Response:
        """Return the replay of the match so far for a reader: `full`, `seat:K` or `public` (no cards)."""
        return JSONResponse(schema.replay(schema.view_of(session), reader))

    @app.get("/exchanges")
    def read_exchanges(
        after: Annotated[int, Query(ge=0, le=10**15)] = 0, limit: Annotated[int, Query(ge=1, le=MOST)] = MOST
    ) -> Passed:
        """Return exchanges between the table and its seats, after the one with the number `after`."""
        found = session.exchanges.after(after, limit)
        return {
            "exchanges": found,
            "next": found[-1].n if found else max(after, session.exchanges.number),
            "from": session.exchanges.oldest,
        }

    @app.get("/traffic", response_class=PlainTextResponse)
    def read_traffic() -> Response:
        """Return all kept exchanges as a text file."""
        lines = [line for exchange in session.exchanges.after(0) for line in exchange.lines()]
        return PlainTextResponse("".join(f"{line}\n" for line in lines), headers=_file("traffic.txt"))

    @app.get("/record")
    def read_record() -> Response:
        """Return the match so far as a match record."""
        return JSONResponse(schema.record(schema.view_of(session)).to_json(), headers=_file("match.json"))

    @app.get(
        "/events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}}, 429: {"description": "Too many listeners."}},
    )
    async def listen() -> Response:
        """Stream the table's revision at every change, as server-sent events."""
        if events.full:
            return errors_response(429, [Problem((), "too many pages are listening")])
        return stream_answer(events.listen())

    @app.get("/games")
    def list_games() -> GameChoices:
        """Return the games with their options."""
        return {"games": saved_tables.games()}

    @app.get("/cards")
    def list_cards() -> Cards:
        """Return the faces of all cards of the game."""
        game = schema.view_of(session).setup.game
        return {"faces": {name: cast("CardFace", game.face(name)._asdict()) for name in game.card_names()}}

    @app.get("/bots")
    def list_bots() -> Bots:
        """Return the bots of the package."""
        return {"bots": saved_tables.bots()}

    @app.get("/saved")
    def list_saved() -> Saved:
        """Return the saved tables, newest first, each in the form in which it can be posted."""
        return {"saved": saved.tables, "note": saved.note}


def _file(name: str) -> dict[str, str]:
    """Return the headers of a download."""
    return {"content-disposition": f'attachment; filename="{name}"'}
