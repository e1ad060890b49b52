"""The part of the API that is for organisers: their orders, and who gave which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from arbiter.contest.integrity.integrity_report import connected_groups
from arbiter.contest.integrity.schema import FORMAT, Beside, Integrity
from arbiter.errors import ConfigError
from arbiter.season import administration
from arbiter.season.results import SeasonResults
from arbiter.web.api import schema
from arbiter.web.api.authors import REFUSALS, STATED, shape_of, submission_of
from arbiter.web.http.authentication import Caller, caller_of
from arbiter.web.http.http_errors import PRIVATE, Refusal, nothing_here, refusal_of
from arbiter.web.http.request_guard import given
from arbiter.web.rendering.template_filters import match_of_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.season.administration import OrderOutcome

MOST_NUMBER = 2**31 - 1
"""Of an entry of the log."""
router = APIRouter(responses=REFUSALS, dependencies=[STATED])
BASE = "/seasons/{season}"


class Because(BaseModel):
    """A reason; the players will read it."""

    because: str


class Annulment(Because):
    """The reason; `replay` has the match played again, with `preview` nothing is ordered."""

    replay: bool = False
    preview: bool = False


class Wanted(BaseModel):
    """The part of the log that is wanted."""

    limit: int = Field(100, ge=1, le=1000, description="At most so many entries.")
    cursor: int | None = Field(None, ge=0, le=MOST_NUMBER, description="From `next` of the page before on.")
    who: str | None = Field(None, max_length=200)
    what: str | None = Field(None, max_length=200)


def any_organiser(request: Request, response: Response) -> Caller:
    """Return the caller; Refusal for anybody but an organiser of some season."""
    response.headers.update(PRIVATE)
    return caller_of(request.app.state.seasons, request, organiser=True)


def organiser(season: str, request: Request, response: Response) -> Caller:
    """Return the caller; Refusal for anybody but the season's organisers."""
    response.headers.update(PRIVATE)
    return caller_of(request.app.state.seasons, request, given(season), organiser=True)


Organiser = Annotated[Caller, Depends(organiser)]
Asked = Annotated[Wanted, Query()]


@router.post(f"{BASE}/pause")
def pause(caller: Organiser) -> schema.PauseState:
    """Let matches in flight be the last ones until the season is resumed."""
    return run(caller, "pause")


@router.post(f"{BASE}/resume")
def resume(caller: Organiser) -> schema.PauseState:
    """Let a season go on that was paused or stopped, or that ended because somebody had to look at it."""
    return run(caller, "resume")


@router.post(f"{BASE}/accept")
def accept(caller: Organiser) -> schema.Accepted:
    """Accept what has to be before a season goes on, such as a change of its file; it then does."""
    what = caller.state.stored.running.accept(caller.author.name)
    if what is None:
        raise Refusal(409, "conflict", "nothing has to be accepted")
    return {"accepted": what}


@router.post(f"{BASE}/close")
def close(caller: Organiser) -> schema.PauseState:
    """Let the round under way be the last one, and take no more archives, for good."""
    return run(caller, "close")


@router.post(f"{BASE}/players/{{player}}/suspend")
def suspend(player: str, why: Because, caller: Organiser) -> schema.Ordered:
    """Let a player sit out from the next round on."""
    name = given(player)
    return _order(lambda: administration.suspend(_season(caller, name), name, why.because))


@router.post(f"{BASE}/players/{{player}}/reinstate")
def reinstate(player: str, caller: Organiser) -> schema.Ordered:
    """Let a suspended player play again from the next round on."""
    name = given(player)
    return _order(lambda: administration.reinstate(_season(caller, name), name))


@router.post(f"{BASE}/matches/{{match}}/annul")
def annul(match: str, what: Annulment, caller: Organiser) -> schema.Ordered:
    """Let a match no longer count; the answer tells whom that moves."""
    match_id = match_of_part(given(match))
    if caller.state.match(match_id) is None:
        every = caller.state.matches if caller.state.number_of_matches <= administration.FEW else ()
        raise refusal_of(administration.unknown_match(match_id, every), 404, "not_found")
    arguments = _season(caller), [match_id], what.because, what.replay, not what.preview
    return _order(lambda: administration.annul(*arguments))


@router.post(f"{BASE}/submissions/{{number}}/inspect")
def inspect(number: str, caller: Organiser) -> schema.SubmissionInFull:
    """Have a refused submission of any author inspected again."""
    found = submission_of(caller, number, anybody=True)
    if not caller.state.stored.submissions.inspect_again(found.id, caller.author.name):
        gone = found.bytes == 0
        why = "has no archive any more" if gone else f"is {found.state}"
        hint = "its author sends it once more" if gone else "only what was refused is inspected again"
        raise Refusal(409, "conflict", f"{found.author}@{found.version} {why}", hint)
    return shape_of(submission_of(caller, number, anybody=True), caller)


@router.get(f"{BASE}/copies/{{one}}/{{other}}")
def read_copies(one: str, other: str, caller: Organiser) -> Beside:
    """Two programs side by side, each by its key in a report on copies, and what of them corresponds."""
    return beside_each_other(caller, given(one), given(other))


@router.get(f"{BASE}/audit")
def read_audit(caller: Organiser, asked: Asked) -> schema.Audit:
    """Return the log of a season, the newest first, page by page: all, of somebody, or of a verb."""
    return deeds(caller, asked)


@router.get("/audit")
def read_own_audit(caller: Annotated[Caller, Depends(any_organiser)], asked: Asked) -> schema.Audit:
    """The same of the season that the token is for."""
    return deeds(caller, asked)


@router.get(f"{BASE}/integrity")
def read_integrity(caller: Organiser) -> Integrity:
    """Return the questions that were found when `arbiter integrity` was last called."""
    report = report_of(caller)
    if report is None:
        hint = "arbiter integrity, on the machine that has the season's file, asks"
        raise Refusal(404, "not_found", "nobody has asked who plays with whom", hint)
    return report


def report_of(caller: Caller) -> Integrity | None:
    """The last report of who plays with whom; None where there is none in the form of this version."""
    found = caller.state.stored.questions.last()
    if not found or found.get("format") != FORMAT:
        return None
    report = cast("Integrity", found)
    # Reports of earlier versions have none.
    report.setdefault("groups", connected_groups(report["twins"], report["copies"]))
    return report


def deeds(caller: Caller, asked: Wanted) -> schema.Audit:
    """A page of the log, and where the next one begins."""
    limit, who, what = asked.limit, asked.who, asked.what
    if not f"{who}{what}".isprintable():
        # No database need take it.
        return {"audit": [], "next": None}
    found = caller.state.stored.audit.last(limit + 1, asked.cursor, who, what)
    entries = [cast("schema.AuditEntry", deed._asdict()) for deed in found[:limit]]
    return {"audit": entries, "next": found[limit - 1].number if len(found) > limit else None}


def beside_each_other(caller: Caller, one: str, other: str) -> Beside:
    """Two programs side by side; Refusal where one of them is not there."""
    # A site that is not asked for this loads neither numbers nor checks for it.
    from arbiter.contest.integrity.side_by_side import side_by_side

    found = side_by_side(caller.state.config, caller.state.stored, one, other)
    if found is None:
        raise nothing_here()
    return found


def run(caller: Caller, verb: str) -> schema.PauseState:
    """Pause, resume or close a season."""
    stored, who = caller.state.stored, caller.author.name
    running = stored.running
    if verb == "close":
        administration.close(stored, who)
    else:
        getattr(running, verb)(who)
    now = running.read()
    return {"paused": now.paused, "closed": now.closed}


def _season(caller: Caller, player: str | None = None) -> SeasonResults:
    """The season, its orders given by the caller; Refusal where it has no such player."""
    state = caller.state
    season = SeasonResults(state.config, state.stored.by(caller.author.name))
    if player is not None:
        try:
            administration.find_registered(season, player)
        except ConfigError as error:
            raise refusal_of(error, 404, "not_found") from None
    return season


def _order(order: Callable[[], OrderOutcome]) -> schema.Ordered:
    try:
        done = order()
    except administration.BadReason as error:
        raise Refusal(422, "invalid", error.problems[0].message) from None
    except ConfigError as error:
        raise Refusal(409, "conflict", error.problems[0].message) from None
    return {"subjects": done.subjects, "standings": list(administration.rank_changes(done))}
