"""The part of the API that is for organisers: their orders, and who gave which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from arbiter.errors import ConfigError
from arbiter.season import administration
from arbiter.season.administration import unknown_match
from arbiter.season.results import Results
from arbiter.web import shapes
from arbiter.web.authors_api import REFUSALS, Token, shape_of, submission_of
from arbiter.web.callers import Caller, by_token, caller_of
from arbiter.web.refusals import PRIVATE, Refusal, no_token, nothing_here
from arbiter.web.security import given
from arbiter.web.words import match_of_part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.season.administration import Given
    from arbiter.store.audit import Deed
    from arbiter.store.versions import Submission

MOST_NUMBER = 2**31 - 1
"""Of an entry of the log."""
router = APIRouter(responses=REFUSALS)
BASE = "/seasons/{season}"
Most = Annotated[int, Query(ge=1, le=1000, description="At most so many entries.")]
Cursor = Annotated[int | None, Query(ge=0, le=MOST_NUMBER, description="From `next` of the page before on.")]
Word = Annotated[str | None, Query(max_length=200)]


class Because(BaseModel):
    """Why; the players will read it."""

    because: str


class Annulment(Because):
    """Why, and whether the match is played again; with `preview` nothing is ordered."""

    replay: bool = False
    preview: bool = False


def organiser(season: str, token: Token, request: Request) -> Caller:
    """Who asks; Refusal for anybody but the season's organisers."""
    seasons = request.app.state.seasons
    return caller_of(seasons, season, None if token is None else token.credentials, organiser=True)


def any_organiser(token: Token, request: Request) -> Caller:
    """Who asks; Refusal for anybody but an organiser of some season."""
    caller = None if token is None else by_token(request.app.state.seasons, token.credentials)
    if caller is None:
        raise no_token()
    if not caller.author.organiser:
        raise nothing_here()
    return caller


Organiser = Annotated[Caller, Depends(organiser)]


@router.post(f"{BASE}/pause", response_model=shapes.Running)
def pause(caller: Organiser) -> Response:
    """Let matches in flight be the last ones until the season is resumed."""
    return _running(caller, "pause")


@router.post(f"{BASE}/resume", response_model=shapes.Running)
def resume(caller: Organiser) -> Response:
    """Let a season go on that was paused or stopped, or that ended because somebody had to look at it."""
    return _running(caller, "resume")


@router.post(f"{BASE}/accept", response_model=shapes.Accepted)
def accept(caller: Organiser) -> Response:
    """Accept what has to be before a season goes on, such as a change of its file; it then does."""
    return JSONResponse({"accepted": accepted(caller)}, headers=PRIVATE)


@router.post(f"{BASE}/close", response_model=shapes.Running)
def close(caller: Organiser) -> Response:
    """Let the round under way be the last one, and take no more archives, for good."""
    return _running(caller, "close")


@router.post(f"{BASE}/players/{{player}}/suspend", response_model=shapes.Ordered)
def suspend(player: str, why: Because, caller: Organiser) -> Response:
    """Let a player sit out from the next round on."""
    return _told(suspended(caller, given(player), why.because))


@router.post(f"{BASE}/players/{{player}}/reinstate", response_model=shapes.Ordered)
def reinstate(player: str, caller: Organiser) -> Response:
    """Let a suspended player play again from the next round on."""
    return _told(reinstated(caller, given(player)))


@router.post(f"{BASE}/matches/{{match}}/annul", response_model=shapes.Ordered)
def annul(match: str, what: Annulment, caller: Organiser) -> Response:
    """Let a match no longer count; the answer tells whom that moves."""
    ids = [match_of_part(given(match))]
    return _told(annulled(caller, ids, what.because, what.replay, keep=not what.preview))


@router.post(f"{BASE}/submissions/{{number}}/inspect", response_model=shapes.Submission)
def inspect(number: str, caller: Organiser) -> Response:
    """Have a refused submission of any author inspected again."""
    inspected(caller, number)
    return JSONResponse(shape_of(sent_by_anybody(caller, number), caller), headers=PRIVATE)


@router.get(f"{BASE}/audit", response_model=shapes.Audit)
def read_audit(
    caller: Organiser, limit: Most = 100, cursor: Cursor = None, who: Word = None, what: Word = None
) -> Response:
    """Who did what when in a season, the newest first, page by page: all, of somebody, or of a verb."""
    return _audit(caller, limit, cursor, who, what)


@router.get("/audit", response_model=shapes.Audit)
def read_own_audit(
    caller: Annotated[Caller, Depends(any_organiser)],
    limit: Most = 100,
    cursor: Cursor = None,
    who: Word = None,
    what: Word = None,
) -> Response:
    """The same of the season that the token is for."""
    return _audit(caller, limit, cursor, who, what)


def run(caller: Caller, verb: str) -> None:
    """Pause, resume or close a season."""
    getattr(caller.state.stored.running, verb)(caller.author.name)


def accepted(caller: Caller) -> str:
    """Accept what is asked; Refusal where nothing is."""
    what = caller.state.stored.running.accept(caller.author.name)
    if what is None:
        raise Refusal(409, "conflict", "nothing has to be accepted")
    return what


def suspended(caller: Caller, player: str, because: str) -> Given:
    """Suspend a player; Refusal where that cannot be."""
    return _ordered(lambda: administration.suspend(_season(caller, player), player, because))


def reinstated(caller: Caller, player: str) -> Given:
    """Reinstate a player; Refusal where that cannot be."""
    return _ordered(lambda: administration.reinstate(_season(caller, player), player))


def annulled(caller: Caller, ids: Sequence[str], because: str, replay: bool, keep: bool) -> Given:
    """Annul matches, or without `keep` only tell what would come of it; Refusal where that cannot be."""
    for match_id in ids:
        if match_id not in caller.state.by_id:
            raise _unknown(unknown_match(match_id, caller.state.by_id.values()))
    season = _season(caller)
    return _ordered(lambda: administration.annul(season, ids, because, replay, keep))


def sent_by_anybody(caller: Caller, number: str) -> Submission:
    """A submission of any author of the season; Refusal where there is none."""
    return submission_of(caller, number, anybody=True)


def inspected(caller: Caller, number: str) -> None:
    """Have a refused submission inspected again; Refusal for one that is not refused."""
    found = sent_by_anybody(caller, number)
    if not caller.state.stored.submissions.again(found.id, caller.author.name):
        gone = found.bytes == 0
        message = f"{found.author}@{found.version} " + (
            "has no archive any more" if gone else f"is {found.state}"
        )
        hint = "its author sends it once more" if gone else "only what was refused is inspected again"
        raise Refusal(409, "conflict", message, hint)


def _season(caller: Caller, player: str | None = None) -> Results:
    """The season, its orders given by the caller; Refusal where it has no such player."""
    state = caller.state
    season = Results(state.config, state.stored.by(caller.author.name))
    if player is not None:
        try:
            administration.registered(season, player)
        except ConfigError as error:
            raise _unknown(error) from None
    return season


def _unknown(error: ConfigError) -> Refusal:
    """What an organiser names and is not there; whoever asks may know all that is."""
    return Refusal(404, "not_found", error.problems[0].message, error.problems[0].hint)


def _ordered(order: Callable[[], Given]) -> Given:
    try:
        return order()
    except administration.BadReason as error:
        raise Refusal(422, "invalid", error.problems[0].message.removeprefix("--")) from None
    except ConfigError as error:
        raise Refusal(409, "conflict", error.problems[0].message) from None


def _running(caller: Caller, verb: str) -> Response:
    run(caller, verb)
    running = caller.state.stored.running.read()
    return JSONResponse({"paused": running.paused, "closed": running.closed}, headers=PRIVATE)


def _told(done: Given) -> Response:
    rows = [row._asdict() for row in administration.moved(done)]
    return JSONResponse({"subjects": list(done.subjects), "standings": rows}, headers=PRIVATE)


def deeds(
    caller: Caller, limit: int, cursor: int | None, who: str | None, what: str | None
) -> tuple[list[Deed], int | None]:
    """A page of the log, and where the next one begins; None where there is none."""
    if not f"{who}{what}".isprintable():
        # No database need take it.
        return [], None
    found = caller.state.stored.audit.last(limit + 1, cursor, who, what)
    return found[:limit], found[limit - 1].number if len(found) > limit else None


def _audit(caller: Caller, limit: int, cursor: int | None, who: str | None, what: str | None) -> Response:
    found, after = deeds(caller, limit, cursor, who, what)
    told = [{key: value for key, value in deed._asdict().items() if key != "number"} for deed in found]
    return JSONResponse({"audit": told, "next": after}, headers=PRIVATE)
