"""The addresses of visitors' tables: a page, and what it posts with the key of its table."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from arbiter.errors import ArbiterError
from arbiter.web.http.concurrency_limits import address_of
from arbiter.web.http.http_errors import CODES, PRIVATE, Refusal, status_of
from arbiter.web.http.request_guard import given
from arbiter.web.http.sse import waker
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from arbiter.replay.schema import Replay
    from arbiter.web.http.watched_seasons import Seasons
    from arbiter.web.pages.visitor_tables import Begun, Tables, Visit, VisitState

KEY = "x-table"
"""The header with a table's key; to begin one it is empty. No page of another site may send it."""
SAID = {409: "the bots are still to act", 503: "the bots cannot be started now"}
"""What a visitor is told in place of what is our own affair."""
WAIT_SECONDS = 20.0
"""For a change, until the present state is sent all the same."""


def table_routes(seasons: Seasons, tables: Tables) -> list[Route]:
    """The page of a visitor's table, in seasons that have house bots, and what it posts."""

    def show(request: Request) -> Response:
        state = seasons.state(given(request.path_params["season"]))
        if state is None or state.name not in tables.offers:
            raise HTTPException(404)
        offer = tables.offers[state.name]
        house = [player.name for player in offer.house]
        return HTMLResponse(render("table", state, visitors=True, house=house, seats=offer.game.seats))

    async def begin(request: Request) -> Begun:
        address = address_of(request.scope["client"])
        against = (await _body(request)).get("against", [])
        if not isinstance(against, list) or not all(isinstance(name, str) for name in against):
            raise Refusal(422, "invalid", "against: not a list of names")
        season = given(request.path_params["season"])
        visit = await run_in_threadpool(tables.begin, season, address, against)
        state = await run_in_threadpool(visit.state)
        return {"key": visit.key, **state}

    async def tell(request: Request) -> VisitState:
        visit = _visit(tables, request)
        after = (await _body(request)).get("after")
        if type(after) is int:
            await _news(visit, after, request)
        return await run_in_threadpool(visit.state)

    async def replay(request: Request) -> Replay:
        return await run_in_threadpool(_visit(tables, request).replay)

    async def decide(request: Request) -> VisitState:
        visit = _visit(tables, request)
        word = (await _body(request)).get("word")
        if not isinstance(word, str):
            raise Refusal(422, "invalid", "word: a text is missing")
        return await run_in_threadpool(visit.decide, word)

    async def luck(request: Request) -> VisitState:
        return await run_in_threadpool(_visit(tables, request).weigh)

    async def leave(request: Request) -> dict[str, bool]:
        tables.leave(_visit(tables, request))
        return {"left": True}

    verbs: dict[str, Callable[[Request], Awaitable[Mapping[str, object]]]]
    verbs = {"new": begin, "state": tell, "replay": replay, "decide": decide, "luck": luck, "leave": leave}
    below = "/seasons/{season}/table"
    posts = [Route(f"{below}/{name}", _answering(verb), methods=["POST"]) for name, verb in verbs.items()]
    return [Route(below, show), *posts]


def _answering(
    verb: Callable[[Request], Awaitable[Mapping[str, object]]],
) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of a verb: JSON in, JSON out, errors too."""

    async def answer(request: Request) -> Response:
        try:
            if KEY not in request.headers:
                raise Refusal(403, "no_request", "this is not a request of a table's page")
            return JSONResponse(await verb(request), headers=PRIVATE)
        except Refusal as error:
            refusal = error
        except ArbiterError as error:
            status = status_of(error)
            refusal = Refusal(status, CODES[status], SAID.get(status, str(error)))
        return refusal.answer()

    return answer


async def _body(request: Request) -> dict[str, Any]:
    """Return the object that is posted; Refusal for anything else."""
    try:
        found = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refusal(400, "no_request", "this is no JSON object")
    return found


def _visit(tables: Tables, request: Request) -> Visit:
    return tables.find(given(request.path_params["season"]), request.headers[KEY])


async def _news(visit: Visit, after: int, request: Request) -> None:
    """Wait until the table has moved since a revision and stands still, but not for long.

    Of a table one request waits: a later one ends an earlier, and so does the end of its connection.
    """
    changed = asyncio.Event()
    wake = waker(changed)
    visit.wake()
    visit.wake = wake
    stop = visit.session.listen(wake)
    gone = asyncio.ensure_future(_end_of(request))
    gone.add_done_callback(lambda _: changed.set())
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while visit.wake is wake and not gone.done():
                changed.clear()
                if not visit.session.running and visit.session.revision > after:
                    break
                await changed.wait()
    except TimeoutError:
        pass
    finally:
        stop()
        gone.cancel()


async def _end_of(request: Request) -> None:
    """Wait until the client of a request, which has come whole, goes away."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
