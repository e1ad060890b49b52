"""The routes of visitors' tables: a page, and its posts with the key of the table."""

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
from arbiter.web.http.request_guard import unescape_slashes
from arbiter.web.http.sse import waker
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from arbiter.replay.schema import Replay
    from arbiter.web.http.watched_seasons import Seasons
    from arbiter.web.pages.visitor_tables import NewVisit, Tables, Visit, VisitState

KEY = "x-table"
"""The header with a table's key, empty to begin a table. Pages of other sites cannot send it."""
MESSAGES = {409: "the bots are still playing", 503: "The machine is busy. Try again in a minute."}
"""Messages for visitors in place of internal details."""
WAIT_SECONDS = 20.0
"""Of waiting for a change before the current state is sent."""


def table_routes(seasons: Seasons, tables: Tables) -> list[Route]:
    """Return the routes of visitors' tables, for seasons with house bots."""

    def show(request: Request) -> Response:
        state = seasons.state(unescape_slashes(request.path_params["season"]))
        if state is None or state.name not in tables.offers:
            raise HTTPException(404)
        offer = tables.offers[state.name]
        house = [player.name for player in offer.house]
        return HTMLResponse(render("table", state, visitors=True, house=house, seats=offer.game.seats))

    async def begin(request: Request) -> NewVisit:
        address = address_of(request.scope["client"])
        body = await _read_json(request)
        against, again = body.get("against", []), body.get("again", "")
        if not isinstance(against, list) or not all(isinstance(name, str) for name in against):
            raise Refusal(422, "invalid", "against: expected a list of names")
        if not isinstance(again, str):
            raise Refusal(422, "invalid", "again: expected the key of a finished table")
        season = unescape_slashes(request.path_params["season"])
        visit = await run_in_threadpool(tables.begin, season, address, against, again)
        state = await run_in_threadpool(visit.state)
        return {"key": visit.key, **state}

    async def state(request: Request) -> VisitState:
        """Return the table's state; with `after` in the body wait for a later revision before."""
        visit = _find_visit(tables, request)
        after = (await _read_json(request)).get("after")
        if type(after) is int:
            await _wait_for_change(visit, after, request)
        return await run_in_threadpool(visit.state)

    async def replay(request: Request) -> Replay:
        visit = _find_visit(tables, request)
        is_open = (await _read_json(request)).get("open") is True
        return await run_in_threadpool(visit.replay, is_open)

    async def decide(request: Request) -> VisitState:
        visit = _find_visit(tables, request)
        word = (await _read_json(request)).get("word")
        if not isinstance(word, str):
            raise Refusal(422, "invalid", "word: expected a text")
        return await run_in_threadpool(visit.decide, word)

    async def luck(request: Request) -> VisitState:
        return await run_in_threadpool(_find_visit(tables, request).estimate_luck)

    async def leave(request: Request) -> dict[str, bool]:
        tables.leave(_find_visit(tables, request))
        return {"left": True}

    verbs: dict[str, Callable[[Request], Awaitable[Mapping[str, object]]]]
    verbs = {"new": begin, "state": state, "replay": replay, "decide": decide, "luck": luck, "leave": leave}
    below = "/seasons/{season}/table"
    posts = [Route(f"{below}/{name}", _json_endpoint(verb), methods=["POST"]) for name, verb in verbs.items()]
    return [Route(below, show), *posts]


def _json_endpoint(
    verb: Callable[[Request], Awaitable[Mapping[str, object]]],
) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a verb: it takes and returns JSON, also for errors."""

    async def answer(request: Request) -> Response:
        try:
            if KEY not in request.headers:
                raise Refusal(403, "no_request", f"expected a request from a table's page, with {KEY}")
            return JSONResponse(await verb(request), headers=PRIVATE)
        except Refusal as error:
            refusal = error
        except ArbiterError as error:
            status = status_of(error)
            refusal = Refusal(status, CODES[status], MESSAGES.get(status, str(error)))
        return refusal.response()

    return answer


async def _read_json(request: Request) -> dict[str, Any]:
    """Return the posted JSON object; Refusal for anything else."""
    try:
        found = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refusal(400, "no_request", "expected a JSON object")
    return found


def _find_visit(tables: Tables, request: Request) -> Visit:
    """Return the table of the path's season with the header's key; Refusal without one."""
    return tables.find(unescape_slashes(request.path_params["season"]), request.headers[KEY])


async def _wait_for_change(visit: Visit, after: int, request: Request) -> None:
    """Wait until the table is idle at a later revision than `after`, at most `WAIT_SECONDS`.

    One request waits per table: a later one ends the wait, and so does the end of its connection.
    """
    changed = asyncio.Event()
    wake = waker(changed)
    visit.wake()
    visit.wake = wake
    stop = visit.session.listen(wake)
    gone = asyncio.ensure_future(_wait_for_disconnect(request))
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


async def _wait_for_disconnect(request: Request) -> None:
    """Wait until the client of a completely received request disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
