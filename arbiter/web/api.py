"""The API: the figures of pages as JSON, with an OpenAPI document at ``/openapi.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from starlette.exceptions import HTTPException

from arbiter import __version__
from arbiter.errors import ArbiterError
from arbiter.picture import figures
from arbiter.picture import shapes as picture
from arbiter.web import authors_api, organisers_api
from arbiter.web.failures import as_json
from arbiter.web.live import RETRY_SECONDS
from arbiter.web.places import address_of
from arbiter.web.queries import Parameter, Wrong, check_names
from arbiter.web.refusals import Refusal, error_answer, nothing_here
from arbiter.web.security import given
from arbiter.web.shapes import Failure
from arbiter.web.stream import stream_answer
from arbiter.web.views import ANSWERS

if TYPE_CHECKING:
    from arbiter.web.live import Live
    from arbiter.web.seasons import Seasons
    from arbiter.web.uploads import Uploads
    from arbiter.web.views import View

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


def make_api(seasons: Seasons, live: Live, uploads: Uploads) -> FastAPI:
    """The API over some seasons: the public part only reads."""
    api = FastAPI(
        title="arbiter",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(_refuse_unknown)],
    )
    for kind in (HTTPException, RequestValidationError, ArbiterError, 500):
        api.add_exception_handler(kind, _failure)

    @api.get("/seasons", responses={422: ERRORS[422]})
    def list_seasons() -> picture.Seasons:
        """All seasons that are begun."""
        return {"seasons": [figures.season(state) for state in seasons.states()]}

    for view in ANSWERS.values():
        _describe(api, view)

    @api.get("/seasons/{season}/events", response_class=StreamingResponse, responses=MANY)
    def listen(season: str, request: Request) -> Response:
        """What happens in a season, as server-sent events, from now on or from `Last-Event-ID` on."""
        state = seasons.state(given(season))
        if state is None:
            raise HTTPException(404, "no such season")
        address = address_of(request.scope["client"])
        limit = live.limit_for(address)
        if limit is not None:
            more = {"limit": limit, "seconds": RETRY_SECONDS}
            headers = {"retry-after": str(RETRY_SECONDS)}
            return error_answer(429, "too_many", "too many listen already", headers=headers, more=more)
        news = live.listen(state, address, request.headers.get("last-event-id"))
        return stream_answer(news)

    api.state.seasons, api.state.uploads = seasons, uploads
    api.include_router(authors_api.router)
    api.include_router(organisers_api.router)
    return api


def _describe(api: FastAPI, view: View) -> None:
    """Put a view into the document; it is answered before a request comes here."""
    named = [one.describe("path") for one in (SEASON, view.of) if one is not None]
    asked = [one.describe("query") for one in view.asks]
    api.add_api_route(
        f"/seasons/{{season}}{view.path}",
        _nothing_here,
        name=f"read_season{view.path}".replace("/", "_"),
        description=view.says,
        openapi_extra={"parameters": named + asked},
        response_model=view.shape,
        responses=ERRORS,
    )


def _nothing_here() -> None:
    raise nothing_here()


async def _refuse_unknown(request: Request) -> None:
    """Refusal of a query with a name that the document does not have."""
    described = request.app.openapi()["paths"][request.scope["route"].path_format][request.method.lower()]
    known = [one["name"] for one in described.get("parameters", ()) if one["in"] == "query"]
    try:
        check_names(request.query_params, known)
    except Wrong as error:
        raise Refusal(422, "invalid", str(error)) from None


async def _failure(_: Request, error: Exception) -> Response:
    return as_json(error)
