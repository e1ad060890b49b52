"""The site: views, and beside them the other pages, the API below ``/api/v1``, static files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

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
from arbiter.web.api import authors, organisers, requests
from arbiter.web.api.schema import Failure
from arbiter.web.http.concurrency_limits import Places, address_of
from arbiter.web.http.http_errors import nothing_here, tell_failure, too_many
from arbiter.web.http.live_events import RETRY_SECONDS, Live
from arbiter.web.http.query_params import Parameter, check_names
from arbiter.web.http.request_bodies import Bodies, Uploads
from arbiter.web.http.request_guard import Guard, given
from arbiter.web.http.sse import stream_answer
from arbiter.web.http.traffic import RequestLog, Traffic, metrics
from arbiter.web.pages import join, own_pages, site_pages, source_compare
from arbiter.web.pages import requests as request_pages
from arbiter.web.pages.visitor_table_routes import table_routes
from arbiter.web.rendering.compression import Packing, send_asset
from arbiter.web.rendering.templates import prepare, render
from arbiter.web.views.cached_views import Showing
from arbiter.web.views.registry import ANSWERS
from arbiter.web.views.rules import manuals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp

    from arbiter.trials.sandboxcheck.attack_record import AttackRecord
    from arbiter.web.http.request_guard import Hosts
    from arbiter.web.http.traffic import Log
    from arbiter.web.http.watched_seasons import Seasons
    from arbiter.web.pages.regression_watch import Trials
    from arbiter.web.pages.visitor_tables import Tables
    from arbiter.web.views.registry import View

SEASON = Parameter("season", ".*")
ERRORS: dict[int | str, dict[str, object]] = {
    404: {"description": "What does not exist, or cannot be seen yet.", "model": Failure},
    422: {"description": "What cannot be asked here.", "model": Failure},
}
MANY: dict[int | str, dict[str, object]] = {
    **ERRORS,
    200: {"content": {"text/event-stream": {}}},
    429: {"description": "Too many listen.", "model": Failure},
}
READ = ["GET", "HEAD"]
NOBODY: Mapping[str, int] = {}


async def _refuse_unknown(request: Request) -> None:
    """Refusal of a query with a name that the document does not have."""
    if not request.query_params:
        return
    # The document takes long to make: not for who asks for nothing in particular.
    described = request.app.openapi()["paths"][request.scope["route"].path_format][request.method.lower()]
    known = [one["name"] for one in described.get("parameters", ()) if one["in"] == "query"]
    check_names(request.query_params, known)


router = APIRouter(dependencies=[Depends(_refuse_unknown)])
"""The same for all sites of a process: the models of its answers take long to make."""


@router.get("/seasons", responses={422: ERRORS[422]})
def list_seasons(request: Request) -> picture.SeasonList:
    """All seasons that are begun."""
    return {"seasons": [season_figures.season(state) for state in request.app.state.seasons.states()]}


def _nothing_here() -> None:
    raise nothing_here()


def _describe(view: View) -> None:
    """Put a view into the document; it is answered before a request comes here."""
    named = [one.describe("path") for one in (SEASON, *view.of)]
    asked = [one.describe("query") for one in view.asks]
    router.add_api_route(
        f"/seasons/{{season}}{view.path}",
        _nothing_here,
        name=f"read_season{view.path}".replace("/", "_"),
        description=view.says,
        openapi_extra={"parameters": named + asked},
        response_model=view.shape,
        responses=ERRORS,
    )


for _view in ANSWERS.values():
    _describe(_view)


@router.get("/seasons/{season}/events", response_class=StreamingResponse, responses=MANY)
def listen(season: str, request: Request) -> Response:
    """Stream the events of a season, as server-sent events, from now on or from `Last-Event-ID` on."""
    live: Live = request.app.state.live
    state = request.app.state.seasons.state(given(season))
    if state is None:
        raise HTTPException(404, "no such season")
    address = address_of(request.scope["client"])
    limit = live.limit_for(address)
    if limit is not None:
        raise too_many("too many listen already", limit, RETRY_SECONDS)
    news = live.listen(state, address, request.headers.get("last-event-id"))
    return stream_answer(news)


router.include_router(authors.router)
router.include_router(requests.router)
router.include_router(organisers.router)
router.include_router(site_pages.router, responses=ERRORS)


class _Api(FastAPI):
    """An application whose document is made once in a process."""

    document: ClassVar[dict[str, Any]] = {}

    def openapi(self) -> dict[str, Any]:
        if not self.document:
            self.document.update(super().openapi())
        return self.document


def make_site(
    seasons: Seasons,
    live: Live | None = None,
    log: Log | None = None,
    ended: Mapping[str, int] = NOBODY,
    tables: Tables | None = None,
    hosts: Hosts | None = None,
    behind_proxy: bool = False,
    trials: Trials | None = None,
    attacks: AttackRecord | None = None,
) -> ASGIApp:
    """The whole site over some seasons: pages, the API below ``/api/v1``, static files.

    Requests are logged in `log`; `ended` is by season the exit code of its last coordinator that has ended;
    at `tables` visitors sit down; `trials` are regression tests, `attacks` what came of attacks on this
    machine; `hosts` are the site's names, None for any.
    Without `behind_proxy` the log has it when there is a proxy nevertheless.
    """
    live, traffic = live or Live(seasons), Traffic()
    api = _Api(title="arbiter", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False)
    for kind in (HTTPException, RequestValidationError, ArbiterError, 500):
        api.add_exception_handler(kind, tell_failure)
    api.state.seasons, api.state.live, api.state.uploads = seasons, live, Uploads()
    api.state.trials, api.state.attacks = trials, attacks
    api.router.routes.extend(router.routes)
    games = {watched.config.game.name: watched.config.game for watched in seasons.watched.values()}
    read = map(manuals, games.values())
    prepare(text for found in read for text in (found["manual"], found["protocol"]))
    seasons.visited, seasons.attacked = () if tables is None else tables.offers, attacks is not None
    alone = site_pages.TESTS if trials is not None else "/seasons" if attacks is None else site_pages.ATTACKS
    front = "/seasons" if seasons.watched else alone

    def tell_metrics(_: Request) -> Response:
        return PlainTextResponse(
            metrics(seasons, traffic, live, ended), media_type="text/plain; version=0.0.4"
        )

    async def tell_health(_: Request) -> Response:
        # A thread may have to be waited for.
        if not seasons.are_ready():
            await run_in_threadpool(lambda: list(seasons.states()))
        return PlainTextResponse("ok\n")

    def list_seasons() -> Response:
        found = [season_figures.season(state) for state in seasons.states()]
        return HTMLResponse(
            render("seasons", seasons=found, tests=trials is not None, attacks=attacks is not None)
        )

    async def show_seasons(_: Request) -> Response:
        return list_seasons() if seasons.are_ready() else await run_in_threadpool(list_seasons)

    routes = [
        Route("/", lambda _: RedirectResponse(front)),
        Route("/healthz", tell_health, methods=READ),
        Route("/metrics", tell_metrics, methods=READ),
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
    handlers: dict[Any, Any] = dict.fromkeys((HTTPException, ArbiterError, 500), tell_failure)
    site = Starlette(routes=routes, exception_handlers=handlers)
    site.router.redirect_slashes, site.state = False, api.state
    guarded = Guard(Showing(Places(Bodies(Packing(site), seasons), seasons), seasons), hosts)
    return RequestLog(guarded, traffic, log, behind_proxy)
