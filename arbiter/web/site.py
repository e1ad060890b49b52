"""The site: views, and beside them the other pages, the API below ``/api/v1``, static files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from arbiter.errors import ArbiterError
from arbiter.picture import figures
from arbiter.web.api import make_api
from arbiter.web.author_pages import author_routes
from arbiter.web.bodies import Bodies
from arbiter.web.failures import as_page
from arbiter.web.hosts import Named
from arbiter.web.live import Live
from arbiter.web.metrics import metrics
from arbiter.web.organiser_pages import organiser_routes
from arbiter.web.pages import STATIC, render
from arbiter.web.places import Places
from arbiter.web.security import Guard
from arbiter.web.showing import Showing
from arbiter.web.table_pages import table_routes
from arbiter.web.traffic import Account, Traffic
from arbiter.web.uploads import Uploads

READ = ["GET", "HEAD"]

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from arbiter.web.hosts import Hosts
    from arbiter.web.seasons import Seasons
    from arbiter.web.tables import Tables
    from arbiter.web.traffic import Log

NOBODY: Mapping[str, int] = {}


def make_site(
    seasons: Seasons,
    live: Live | None = None,
    log: Log | None = None,
    ended: Mapping[str, int] = NOBODY,
    tables: Tables | None = None,
    hosts: Hosts | None = None,
    behind_proxy: bool = False,
) -> ASGIApp:
    """The whole site over some seasons: pages, the API below ``/api/v1``, static files.

    Requests are logged in `log`; `ended` is by season the exit code of its last coordinator that has ended;
    at `tables` visitors sit down; `hosts` are the site's names, None for any. Without `behind_proxy`
    the log has it when there is a proxy nevertheless.
    """
    live, traffic, uploads = live or Live(seasons), Traffic(), Uploads()
    seasons.visited = () if tables is None else tables.offers

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
        found = [figures.season(state) for state in seasons.states()]
        return HTMLResponse(render("seasons", seasons=found))

    async def show_seasons(_: Request) -> Response:
        return list_seasons() if seasons.are_ready() else await run_in_threadpool(list_seasons)

    routes = [
        Route("/", lambda _: RedirectResponse("/seasons")),
        Route("/healthz", tell_health, methods=READ),
        Route("/metrics", tell_metrics, methods=READ),
        Route("/seasons", show_seasons, methods=READ),
        *author_routes(seasons, uploads),
        *organiser_routes(seasons),
        *([] if tables is None else table_routes(seasons, tables)),
        Mount("/api/v1", make_api(seasons, live, uploads)),
        Mount("/static", GZipMiddleware(StaticFiles(directory=STATIC))),
    ]
    handlers: dict[Any, Any] = dict.fromkeys((HTTPException, ArbiterError, 500), _failure)
    site = Starlette(routes=routes, exception_handlers=handlers)
    site.router.redirect_slashes = False
    guarded: ASGIApp = Guard(Showing(Places(Bodies(site, seasons), seasons), seasons))
    return Account(guarded if hosts is None else Named(guarded, hosts), traffic, log, behind_proxy)


async def _failure(_: Request, error: Exception) -> Response:
    return as_page(error)
