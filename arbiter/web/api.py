"""The API: the figures of pages as JSON, with an OpenAPI document at ``/openapi.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from starlette.exceptions import HTTPException

from arbiter import __version__
from arbiter.errors import ArbiterError
from arbiter.picture import figures, played
from arbiter.web import authors_api, organisers_api
from arbiter.web.live import RETRY_SECONDS
from arbiter.web.places import address_of
from arbiter.web.queries import EYES
from arbiter.web.refusals import CODES, Refusal, error_answer
from arbiter.web.rules import rules
from arbiter.web.security import given
from arbiter.web.stream import stream_answer
from arbiter.web.words import match_of_part

if TYPE_CHECKING:
    from starlette.responses import JSONResponse

    from arbiter.picture.state import State
    from arbiter.web.live import Live
    from arbiter.web.seasons import Seasons
    from arbiter.web.uploads import Uploads

MOST = 1000
"""Matches in one answer."""
Limit = Annotated[int, Query(ge=1, le=MOST, description="At most so many matches.")]
Number = Annotated[int | None, Query(ge=1, le=10**6)]
Eyes = Annotated[str, Query(pattern=EYES, description="public, or seat:K")]
Name = Annotated[str | None, Query(max_length=200)]


def make_api(seasons: Seasons, live: Live, uploads: Uploads) -> FastAPI:
    """The API over some seasons: the public part only reads."""
    api = FastAPI(title="arbiter", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False)
    api.add_exception_handler(HTTPException, _http_error)
    api.add_exception_handler(RequestValidationError, _wrong)
    api.add_exception_handler(ArbiterError, _ours)
    api.add_exception_handler(500, _ours)

    def found(name: str) -> State:
        state = seasons.state(given(name))
        if state is None:
            raise HTTPException(404, "no such season")
        return state

    @api.get("/seasons")
    def list_seasons() -> dict[str, Any]:
        """All seasons that are begun."""
        return {"seasons": [figures.season(state) for state in seasons.states()]}

    @api.get("/seasons/{season}")
    def read_season(season: str) -> dict[str, Any]:
        """One season: how far it is, and its standings."""
        state = found(season)
        return {**figures.season(state), "standings": figures.standings(state)}

    @api.get("/seasons/{season}/standings")
    def read_standings(season: str, after_round: Number = None) -> Any:
        """The standings after a round, by default the last complete one."""
        state = found(season)
        if after_round is not None and after_round > state.complete:
            raise HTTPException(404, "that round is not complete")
        return figures.standings(state, after_round)

    @api.get("/seasons/{season}/crosstable")
    def read_crosstable(season: str) -> Any:
        """Results of each player against each other, and how sure it is who is better."""
        return figures.crosstable(found(season))

    @api.get("/seasons/{season}/history")
    def read_history(season: str) -> Any:
        """Ratings after each round."""
        return figures.history(found(season))

    @api.get("/seasons/{season}/rules")
    def read_rules(season: str) -> dict[str, Any]:
        """What is asked of a bot: the game, limits, what is sent; `manual` and `protocol` are Markdown."""
        return rules(found(season))

    @api.get("/seasons/{season}/rounds/{number}")
    def read_round(season: str, number: int) -> dict[str, Any]:
        """A round's tables and matches."""
        return _there(played.round_page(found(season), number))

    @api.get("/seasons/{season}/players/{player}")
    def read_player(season: str, player: str) -> dict[str, Any]:
        """All about a player."""
        return _there(played.player_page(found(season), given(player)))

    @api.get("/seasons/{season}/matches")
    def list_matches(
        season: str,
        round: Number = None,
        player: Name = None,
        against: Name = None,
        limit: Limit = 100,
        cursor: Annotated[int, Query(ge=0, le=10**9)] = 0,
    ) -> dict[str, Any]:
        """Stored matches in the order of the plan, page by page."""
        state = found(season)
        every = played.matches(state, round, player, against)
        shown = [played.match_in_short(state, match) for match in every[cursor : cursor + limit]]
        return {"matches": shown, "next": cursor + limit if cursor + limit < len(every) else None}

    @api.get("/seasons/{season}/matches/{match}")
    def read_match(season: str, match: str) -> dict[str, Any]:
        """A match in short."""
        return _there(played.match_page(found(season), match_of_part(given(match))))

    @api.get("/seasons/{season}/matches/{match}/replay")
    def read_replay(season: str, match: str, reader: Eyes = "public") -> dict[str, Any]:
        """A match as the public may see it now; through a seat's eyes once its round is complete."""
        return _there(played.replay(found(season), match_of_part(given(match)), reader))

    @api.get(
        "/seasons/{season}/events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}}, 429: {"description": "Too many listen."}},
    )
    def listen(season: str, request: Request) -> Response:
        """What happens in a season, as server-sent events, from now on or from `Last-Event-ID` on."""
        state = found(season)
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


def _there(value: Any) -> dict[str, Any]:
    if value is None:
        raise HTTPException(404, "there is nothing here")
    return dict(value)


async def _http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error, Refusal):
        return error.answer()
    code = CODES.get(error.status_code, "error")
    return error_answer(error.status_code, code, error.detail, headers=error.headers)


async def _wrong(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid" or first["loc"] == ("body",):
        hint = "send one with Content-Type: application/json"
        return error_answer(422, "invalid", "the body is no JSON object", hint)
    where = ".".join(str(place) for place in first["loc"][1:])
    return error_answer(422, "invalid", f"{where}: {first['msg']}")


async def _ours(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, ArbiterError):
        return error_answer(503, "unavailable", "the season cannot be read now", "try again in a moment")
    return error_answer(500, "failed", "something went wrong", "the organiser's log says what")
