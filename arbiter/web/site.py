"""The site: addresses of pages, each made of one state of one season."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from arbiter.config.limits import AT_HOME, options_of
from arbiter.errors import ArbiterError
from arbiter.picture import figures, played
from arbiter.picture.under_way import under_way
from arbiter.season.settings import config_of
from arbiter.view import fault_of
from arbiter.web.api import make_api
from arbiter.web.author_pages import author_routes
from arbiter.web.authors_api import owner_of
from arbiter.web.bodies import Bodies
from arbiter.web.hosts import Named
from arbiter.web.keeping import Keeper
from arbiter.web.live import Live
from arbiter.web.metrics import metrics
from arbiter.web.organiser_pages import organiser_routes
from arbiter.web.pages import STATIC, render
from arbiter.web.places import Places
from arbiter.web.refusals import NOTHING, Refusal
from arbiter.web.rules import rules, starter
from arbiter.web.security import Guard, given, number_of
from arbiter.web.table_pages import table_routes
from arbiter.web.traffic import Account, Traffic
from arbiter.web.unveiling import Unveiled
from arbiter.web.uploads import Uploads
from arbiter.web.words import match_of_part, match_part, part

READ = ["GET", "HEAD"]
MATCHES_A_PAGE = 200

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from arbiter.match import MatchRecord
    from arbiter.picture.shapes import Match, Season
    from arbiter.picture.state import State
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
    below = "/seasons/{season}"

    def tell_metrics(_: Request) -> Response:
        return PlainTextResponse(
            metrics(seasons, traffic, live, ended), media_type="text/plain; version=0.0.4"
        )

    async def tell_health(_: Request) -> Response:
        # A thread may have to be waited for.
        if not seasons.are_ready():
            await run_in_threadpool(lambda: list(seasons.states()))
        return PlainTextResponse("ok\n")

    routes = [
        Route("/", lambda _: RedirectResponse("/seasons")),
        Route("/healthz", tell_health, methods=READ),
        Route("/metrics", tell_metrics, methods=READ),
        Route("/seasons", _Seasons(seasons), methods=READ),
        Route(below, _Page(seasons, "standings", _standings), methods=READ),
        Route(f"{below}/crosstable", _Page(seasons, "crosstable", _crosstable), methods=READ),
        Route(f"{below}/history", _Page(seasons, "history", _history), methods=READ),
        Route(f"{below}/matches", _Page(seasons, "matches", _matches), methods=READ),
        Route(f"{below}/live", _Page(seasons, "live", _live), methods=READ),
        Route(f"{below}/rules", _Page(seasons, "rules", _rules), methods=READ),
        Route(f"{below}/rules/starter.zip", _starter(seasons), methods=READ),
        Route(f"{below}/rounds/{{number}}", _Page(seasons, "round", _round), methods=READ),
        Route(f"{below}/players/{{player}}", _Page(seasons, "player", _player), methods=READ),
        Route(f"{below}/matches/{{match}}", _Page(seasons, "match", _match), methods=READ),
        *author_routes(seasons, uploads),
        *organiser_routes(seasons),
        *([] if tables is None else _visitors_routes(seasons, tables)),
        Mount("/api/v1", make_api(seasons, live, uploads)),
        Mount("/static", GZipMiddleware(StaticFiles(directory=STATIC))),
    ]
    handlers: dict[Any, Any] = {HTTPException: _http_error, ArbiterError: _our_error, 500: _our_error}
    site = Starlette(routes=routes, exception_handlers=handlers)
    site.router.redirect_slashes = False
    bounded = Bodies(site, seasons)
    guarded: ASGIApp = Guard(Unveiled(Keeper(Places(bounded, seasons), seasons), bounded, seasons))
    return Account(guarded if hosts is None else Named(guarded, hosts), traffic, log, behind_proxy)


def _visitors_routes(seasons: Seasons, tables: Tables) -> list[Route]:
    """The page of a visitor's table, in seasons that have house bots, and what it posts."""

    def offered(state: State, _: Request) -> dict[str, Any] | None:
        return {} if state.name in tables.offers else None

    page = Route("/seasons/{season}/table", _Page(seasons, "table", offered), methods=READ)
    return [page, *table_routes(tables)]


def _starter(seasons: Seasons) -> Callable[[Request], Response]:
    """The archive that an author of a season begins with."""

    def answer(request: Request) -> Response:
        state = seasons.state(given(request.path_params["season"]))
        kit = None if state is None else starter(state)
        if state is None or kit is None:
            raise HTTPException(404)
        disposition = f'attachment; filename="starter-{state.config.game.name}.zip"'
        return Response(kit, media_type="application/zip", headers={"content-disposition": disposition})

    return answer


class _Page:
    """A page of one season: what `figures_of` makes of a state, in a template."""

    def __init__(
        self, seasons: Seasons, template: str, figures_of: Callable[[State, Request], dict[str, Any] | None]
    ) -> None:
        self._seasons, self._template, self._figures_of = seasons, template, figures_of

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        from starlette.requests import Request

        response = await run_in_threadpool(self._answer, Request(scope, receive))
        await response(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        state = self._seasons.state(given(request.path_params["season"]))
        values = None if state is None else self._figures_of(state, request)
        if state is None or values is None:
            raise HTTPException(404)
        page = render(
            f"{self._template}.html",
            page=self._template,
            season=figures.season(state),
            base=f"/seasons/{part(state.name)}",
            static="/static",
            visitors=state.name in self._seasons.visited,
            **values,
        )
        return HTMLResponse(page)


class _Seasons:
    """The list of all seasons."""

    def __init__(self, seasons: Seasons) -> None:
        self._seasons = seasons

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        ready = self._seasons.are_ready()
        found = self._figures() if ready else await run_in_threadpool(self._figures)
        page = render("seasons.html", page="seasons", season=None, base="", static="/static", seasons=found)
        await HTMLResponse(page)(scope, receive, send)

    def _figures(self) -> list[Season]:
        return [figures.season(state) for state in self._seasons.states()]


def _standings(state: State, request: Request) -> dict[str, Any] | None:
    after = _number(request.query_params.get("after_round"))
    if after is not None and after > state.complete:
        return None
    return {"standings": figures.standings(state, after)}


def _crosstable(state: State, request: Request) -> dict[str, Any]:
    return {"table": figures.crosstable(state), "show": request.query_params.get("show")}


def _history(state: State, request: Request) -> dict[str, Any]:
    return {"history": figures.history(state)["history"], "chosen": request.query_params.get("player")}


def _matches(state: State, request: Request) -> dict[str, Any] | None:
    wanted = {key: request.query_params.get(key) or None for key in ("player", "against")}
    number = _number(request.query_params.get("round"))
    found = played.matches(state, number, **wanted)
    pages = max(1, ceil(len(found) / MATCHES_A_PAGE))
    page = _number(request.query_params.get("page")) or pages
    if page > pages:
        return None
    shown = found[(page - 1) * MATCHES_A_PAGE : page * MATCHES_A_PAGE]
    return {
        "matches": [played.match_in_short(state, match) for match in shown],
        "total": len(found),
        "page_number": page,
        "pages": pages,
        "wanted": {**wanted, "round": number},
        "names": sorted(state.names, key=str.casefold),
        "rounds": len(state.rounds),
    }


def _live(state: State, request: Request) -> dict[str, Any]:
    return {
        "live": under_way(state),
        "standings": figures.standings(state),
        "table": figures.crosstable(state),
        "wall": request.query_params.get("wall") == "1",
    }


def _rules(state: State, _: Request) -> dict[str, Any]:
    return {"rules": rules(state)}


def _round(state: State, request: Request) -> dict[str, Any] | None:
    number = _number(request.path_params["number"])
    found = None if number is None else played.round_page(state, number)
    return None if found is None else {"round": found}


def _player(state: State, request: Request) -> dict[str, Any] | None:
    found = played.player_page(state, given(request.path_params["player"]))
    return None if found is None else {"player": found, "history": figures.history(state)["history"]}


def _match(state: State, request: Request) -> dict[str, Any] | None:
    match_id = match_of_part(given(request.path_params["match"]))
    match = played.match_page(state, match_id)
    record = None if match is None else state.record(match_id)
    if match is None or record is None:
        return None
    base = f"/seasons/{part(state.name)}"
    return {
        "match": _match_heading(state, match, record, base),
        "short": match,
        "replay_url": f"/api/v1{base}/matches/{match_part(match_id)}/replay",
        "replay_data": None,
        "limits": _limits(state, match["round"]),
        "log_url": _log_url(state, match),
        "config": state.config.file.name,
    }


def _log_url(state: State, match: Match) -> str | None:
    """Where an author finds the log of its own seat in a match; None where there is none, or not yet."""
    has_author = state.config.submissions is not None and any(map(owner_of, match["players"]))
    if not (has_author and state.is_complete(match["round"])):
        return None
    return f"/me/matches/{match_part(match['id'])}/log?season={part(state.name)}"


def _limits(state: State, number: int | None) -> str:
    """The options of `arbiter console` for the limits of a round that are not the usual ones."""
    then = next(
        (config_of(state.config, state.stored, known) for known in state.rounds if known.number == number),
        None,
    )
    return "".join(f" {word}" for word in options_of((then or state.config).limits, AT_HOME))


def _number(text: str | None) -> int | None:
    """A whole number above 0 of an address; 404 for anything else that is there."""
    if text is None or text == "":
        return None
    if not (found := number_of(text)):
        raise HTTPException(404)
    return found


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error, Refusal) and error.detail != NOTHING:
        return _error_page(error.status_code, error.headers, error.detail, error.hint)
    return _error_page(error.status_code, error.headers)


async def _our_error(_: Request, error: Exception) -> Response:
    # What went wrong with us is the organiser's to read, in the log: not a visitor's.
    return _error_page(503 if isinstance(error, ArbiterError) else 500)


SAID = {
    404: ("There is nothing here", "The address may be mistyped, or the match is not played yet."),
    405: ("That is not possible here", "This page can only be read."),
    503: ("The season cannot be read now", "Try again in a moment. The organiser's log says why."),
}


def _error_page(status: int, headers: Any = None, said: str = "", hint: str = "") -> Response:
    title, text = SAID.get(status, ("Something went wrong", "The organiser's log says what."))
    if said:
        title, text = "That was not done", f"{said}; {hint}" if hint else said
    page = render(
        "error.html",
        page="error",
        season=None,
        base="",
        static="/static",
        status=status,
        title=title,
        text=text,
    )
    return HTMLResponse(page, status, headers)


def _match_heading(state: State, match: Match, record: MatchRecord, base: str) -> dict[str, Any]:
    """What stands above a replay; players' pages are below `base`."""
    points = match["points"]
    return {
        "id": match["id"],
        "season": state.name,
        "round": match["round"],
        "game": state.config.game.title,
        "players": [
            {
                "name": name,
                "seat": seat,
                "points": None if points is None else points[seat],
                "href": f"{base}/players/{part(name)}",
                "substitute": seat == match["substitute"],
            }
            for seat, name in enumerate(match["players"])
        ],
        "complete": state.is_complete(match["round"]),
        "fault": fault_of(record, played.PUBLIC, state.is_complete(match["round"])),
    }
