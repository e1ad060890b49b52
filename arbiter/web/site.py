"""The site: views, other pages, the API below ``/api/v1``, static files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.routing import Mount, Route

from arbiter import __version__
from arbiter.errors import ArbiterError
from arbiter.season.snapshot import schema as picture
from arbiter.season.snapshot import season_figures
from arbiter.season.snapshot.front_page import card
from arbiter.web.api import authors, messages, organisers, requests
from arbiter.web.api.schema import Failure
from arbiter.web.http.concurrency_limits import ConcurrencyLimits, address_of
from arbiter.web.http.http_errors import handle_error, not_found, too_many
from arbiter.web.http.live_events import RETRY_SECONDS, LiveEvents
from arbiter.web.http.query_params import Parameter, check_names
from arbiter.web.http.request_bodies import BodyLimits, Uploads
from arbiter.web.http.request_guard import Guard, unescape_slashes
from arbiter.web.http.sse import stream_answer
from arbiter.web.http.traffic import RequestLog, Traffic, metrics
from arbiter.web.pages import join, own_pages, site_pages, source_compare
from arbiter.web.pages import requests as request_pages
from arbiter.web.pages.visitor_table_routes import table_routes
from arbiter.web.rendering.compression import Compression, send_asset
from arbiter.web.rendering.templates import prepare, render
from arbiter.web.views.cached_views import CachedViews
from arbiter.web.views.registry import ANSWERS
from arbiter.web.views.rules import manuals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp

    from arbiter.season.snapshot.page_schema import SeasonCard
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.trials.sandboxcheck.attack_record import AttackRecord
    from arbiter.web.http.request_guard import Hosts
    from arbiter.web.http.traffic import Log
    from arbiter.web.http.watched_seasons import Seasons
    from arbiter.web.pages.regression_watch import Trials
    from arbiter.web.pages.visitor_tables import Tables
    from arbiter.web.views.registry import View

SEASON = Parameter("season", ".*")
ERRORS: dict[int | str, dict[str, object]] = {
    404: {"description": "Does not exist, or cannot be shown yet.", "model": Failure},
    422: {"description": "Invalid parameter or value.", "model": Failure},
}
MANY: dict[int | str, dict[str, object]] = {
    **ERRORS,
    200: {"content": {"text/event-stream": {}}},
    429: {"description": "Too many listeners.", "model": Failure},
}
FIRST_SHOWN = ("playing", "stopping", "paused", "waiting", "new", "over")
"""The order of seasons in their list, by condition."""
READ = ["GET", "HEAD"]
NO_EXIT_CODES: Mapping[str, int] = {}


async def _refuse_unknown(request: Request) -> None:
    """Raise Refusal for a query parameter that the OpenAPI document does not list."""
    if not request.query_params:
        return
    # Building the document is slow; requests without a query do not wait for it.
    described = request.app.openapi()["paths"][request.scope["route"].path_format][request.method.lower()]
    known = [one["name"] for one in described.get("parameters", ()) if one["in"] == "query"]
    check_names(request.query_params, known)


router = APIRouter(dependencies=[Depends(_refuse_unknown)])
"""Shared by all sites of a process: building its response models is slow."""


@router.get("/seasons", responses={422: ERRORS[422]})
def list_seasons(request: Request) -> picture.SeasonList:
    """Return all seasons that have begun."""
    return {"seasons": [season_figures.season(state) for state in request.app.state.seasons.states()]}


def _raise_not_found() -> None:
    raise not_found()


def _add_to_openapi(view: View) -> None:
    """Add a view to the OpenAPI document; `CachedViews` answers it before the router does."""
    named = [one.describe("path") for one in (SEASON, *view.in_path)]
    asked = [one.describe("query") for one in view.in_query]
    router.add_api_route(
        f"/seasons/{{season}}{view.path}",
        _raise_not_found,
        name=f"read_season{view.path}".replace("/", "_"),
        description=view.description,
        openapi_extra={"parameters": named + asked},
        response_model=view.shape,
        responses=ERRORS,
    )


for _view in ANSWERS.values():
    _add_to_openapi(_view)


@router.get("/seasons/{season}/events", response_class=StreamingResponse, responses=MANY)
def listen(season: str, request: Request) -> Response:
    """Stream the events of a season as server-sent events, from now or from `Last-Event-ID`."""
    live: LiveEvents = request.app.state.live
    state = request.app.state.seasons.state(unescape_slashes(season))
    if state is None:
        raise HTTPException(404, "no such season")
    address = address_of(request.scope["client"])
    limit = live.limit_for(address)
    if limit is not None:
        raise too_many("too many listeners already", limit, RETRY_SECONDS)
    news = live.listen(state, address, request.headers.get("last-event-id"))
    return stream_answer(news)


router.include_router(authors.router)
router.include_router(requests.router)
router.include_router(organisers.router)
router.include_router(messages.router)
router.include_router(site_pages.router, responses=ERRORS)


class _Api(FastAPI):
    """An application whose OpenAPI document is built once per process."""

    document: ClassVar[dict[str, Any]] = {}

    def openapi(self) -> dict[str, Any]:
        if not self.document:
            self.document.update(super().openapi())
        return self.document


def make_site(
    seasons: Seasons,
    live: LiveEvents | None = None,
    log: Log | None = None,
    ended: Mapping[str, int] = NO_EXIT_CODES,
    tables: Tables | None = None,
    hosts: Hosts | None = None,
    behind_proxy: bool = False,
    trials: Trials | None = None,
    attacks: AttackRecord | None = None,
) -> ASGIApp:
    """Return the ASGI application for some seasons: pages, the API below ``/api/v1``, static files.

    `log` receives requests; `ended` maps a season to the exit code of its last coordinator; `tables` are for
    visitors; `trials` are regression tests, `attacks` the results of attacks on this machine; `hosts` are the
    names that the site answers to, None for any. Without `behind_proxy` a proxy is reported in the log.
    """
    live, traffic = live or LiveEvents(seasons), Traffic()
    api = _Api(title="arbiter", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False)
    for kind in (HTTPException, RequestValidationError, ArbiterError, 500):
        api.add_exception_handler(kind, handle_error)
    api.state.seasons, api.state.live, api.state.uploads = seasons, live, Uploads()
    api.state.trials, api.state.attacks = trials, attacks
    api.router.routes.extend(router.routes)
    games = {watched.config.game.name: watched.config.game for watched in seasons.watched.values()}
    read = map(manuals, games.values())
    prepare(text for found in read for text in (found["manual"], found["protocol"]))
    seasons.with_tables, seasons.has_attacks = () if tables is None else tables.offers, attacks is not None
    alone = site_pages.TESTS if trials is not None else "/seasons" if attacks is None else site_pages.ATTACKS
    front = "/seasons" if seasons.watched else alone

    def show_metrics(_: Request) -> Response:
        return PlainTextResponse(
            metrics(seasons, traffic, live, ended), media_type="text/plain; version=0.0.4"
        )

    async def show_health(_: Request) -> Response:
        # Reading the store blocks, so it runs in a thread.
        if not seasons.are_ready():
            await run_in_threadpool(lambda: list(seasons.states()))
        return PlainTextResponse("ok\n")

    cards: WeakKeyDictionary[SeasonState, SeasonCard] = WeakKeyDictionary()

    def list_seasons() -> Response:
        states = list(seasons.states())
        for state in states:
            if state not in cards:
                cards[state] = card(state)
        shown = [cards[state] for state in states]
        return HTMLResponse(
            render(
                "seasons",
                seasons=sorted(shown, key=lambda one: FIRST_SHOWN.index(one["state"])),
                tables=seasons.with_tables,
                tests=trials is not None,
                attacks=attacks is not None,
            )
        )

    async def show_seasons(_: Request) -> Response:
        # A new state may have to be rated.
        is_fast = seasons.are_ready() and all(state in cards for state in seasons.states())
        return list_seasons() if is_fast else await run_in_threadpool(list_seasons)

    routes = [
        Route("/", lambda _: RedirectResponse(front)),
        Route("/healthz", show_health, methods=READ),
        Route("/metrics", show_metrics, methods=READ),
        Route("/seasons", show_seasons, methods=READ),
        *own_pages.ROUTES,
        *source_compare.ROUTES,
        *join.ROUTES,
        *request_pages.ROUTES,
        *site_pages.ROUTES,
        *([] if tables is None else table_routes(seasons, tables)),
        Mount("/api/v1", api),
        Route("/static/{name:path}", send_asset, methods=READ),
    ]
    handlers: dict[Any, Any] = dict.fromkeys((HTTPException, ArbiterError, 500), handle_error)
    site = Starlette(routes=routes, exception_handlers=handlers)
    site.router.redirect_slashes, site.state = False, api.state
    guarded = Guard(
        CachedViews(ConcurrencyLimits(BodyLimits(Compression(site), seasons), seasons), seasons), hosts
    )
    return RequestLog(guarded, traffic, log, behind_proxy)
