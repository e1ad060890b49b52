"""The API for organisers: orders, audit log, integrity reports."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from arbiter.contest.integrity.integrity_report import connected_groups
from arbiter.contest.integrity.schema import FORMAT, Integrity, SourceComparison
from arbiter.errors import ConfigError
from arbiter.season import administration
from arbiter.season.results import SeasonResults
from arbiter.web.api import schema
from arbiter.web.api.authors import (
    AGAIN,
    ARCHIVE,
    BEARER,
    REFUSALS,
    submission_json,
    submission_of,
    take_archive,
)
from arbiter.web.http.authentication import Caller, require_caller
from arbiter.web.http.http_errors import PRIVATE, Refusal, not_found, to_refusal
from arbiter.web.http.request_guard import unescape_slashes
from arbiter.web.rendering.template_filters import match_of_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.season.administration import OrderOutcome

MOST_NUMBER = 2**31 - 1
"""The largest number of an entry of the log."""
router = APIRouter(responses=REFUSALS, dependencies=[BEARER])
BASE = "/seasons/{season}"


class Because(BaseModel):
    """A reason, which the players can read."""

    because: str


class Annulment(Because):
    """A reason; with `replay` the match is played again, with `preview` nothing is changed."""

    replay: bool = False
    preview: bool = False


class Wanted(BaseModel):
    """A filter of the audit log, and the page."""

    limit: int = Field(100, ge=1, le=1000, description="The largest number of entries.")
    cursor: int | None = Field(None, ge=0, le=MOST_NUMBER, description="`next` of the previous page.")
    who: str | None = Field(None, max_length=200)
    what: str | None = Field(None, max_length=200)


def any_organiser(request: Request, response: Response) -> Caller:
    """Return the caller if they are an organiser of any season, and set no-store; else Refusal."""
    response.headers.update(PRIVATE)
    return require_caller(request.app.state.seasons, request, organiser=True)


def organiser(season: str, request: Request, response: Response) -> Caller:
    """Return the caller if they are an organiser of the season, and set no-store; else Refusal."""
    response.headers.update(PRIVATE)
    return require_caller(request.app.state.seasons, request, unescape_slashes(season), organiser=True)


Organiser = Annotated[Caller, Depends(organiser)]
Asked = Annotated[Wanted, Query()]


@router.post(f"{BASE}/pause")
def pause(caller: Organiser) -> schema.PauseState:
    """Pause a season: matches in flight end, and no others start until it is resumed."""
    return control(caller, "pause")


@router.post(f"{BASE}/resume")
def resume(caller: Organiser) -> schema.PauseState:
    """Resume a season that was paused or stopped, or that ended with an error."""
    return control(caller, "resume")


@router.post(f"{BASE}/accept")
def accept(caller: Organiser) -> schema.Accepted:
    """Accept what a season waits for, such as a change of its file, and resume it."""
    what = caller.state.stored.running.accept(caller.author.name)
    if what is None:
        raise Refusal(409, "conflict", "there is nothing to accept")
    return {"accepted": what}


@router.post(f"{BASE}/close")
def close(caller: Organiser) -> schema.PauseState:
    """Close a season permanently: the round under way is the last, and no more archives are accepted."""
    return control(caller, "close")


@router.post(f"{BASE}/players/{{player}}/suspend")
def suspend(player: str, why: Because, caller: Organiser) -> schema.Ordered:
    """Suspend a player from the next round on."""
    name = unescape_slashes(player)
    return _carry_out(lambda: administration.suspend(_season(caller, name), name, why.because))


@router.post(f"{BASE}/players/{{player}}/reinstate")
def reinstate(player: str, caller: Organiser) -> schema.Ordered:
    """End the suspension of a player from the next round on."""
    name = unescape_slashes(player)
    return _carry_out(lambda: administration.reinstate(_season(caller, name), name))


@router.post(f"{BASE}/matches/{{match}}/annul")
def annul(match: str, what: Annulment, caller: Organiser) -> schema.Ordered:
    """Annul a match; return the players whose rank or rating changes."""
    match_id = match_of_part(unescape_slashes(match))
    if caller.state.match(match_id) is None:
        every = caller.state.matches if caller.state.number_of_matches <= administration.FEW else ()
        raise to_refusal(administration.unknown_match(match_id, every), 404, "not_found")
    arguments = _season(caller), [match_id], what.because, what.replay, not what.preview
    return _carry_out(lambda: administration.annul(*arguments))


def undo(match: str, because: str, caller: Caller) -> schema.Ordered:
    """Let an annulled match count again, or take back a replay, for a reason; Refusal for other matches."""
    reason = administration.check_reason
    return _carry_out(lambda: administration.undo_annulment(_season(caller), [match], reason(because)))


@router.post(f"{BASE}/submissions/{{number}}/inspect")
def inspect(number: str, caller: Organiser) -> schema.SubmissionInFull:
    """Queue a refused submission of any author for another inspection."""
    found = submission_of(caller, number, anybody=True)
    if not caller.state.stored.submissions.inspect_again(found.id, caller.author.name):
        gone = found.bytes == 0
        why = "has no archive any more" if gone else f"is {found.state}"
        hint = "its author has to send it again" if gone else "only refused versions are inspected again"
        raise Refusal(409, "conflict", f"{found.author}@{found.version} {why}", hint)
    return submission_json(submission_of(caller, number, anybody=True), caller)


@router.put(f"{BASE}/authors/{{author}}/submissions", openapi_extra=ARCHIVE, status_code=202, responses=AGAIN)
async def send_for_author(
    request: Request, response: Response, caller: Organiser, author: str
) -> schema.Sent:
    """Send a program for an author, also after `until`, as `PUT /submissions` does for its sender."""
    sender = await run_in_threadpool(act_for, caller, unescape_slashes(author))
    again = partial(organiser, caller.state.name, request, response)
    return await take_archive(sender, request, response, again)


@router.get(f"{BASE}/copies/{{one}}/{{other}}")
def read_copies(one: str, other: str, caller: Organiser) -> SourceComparison:
    """Return two programs, named by their keys in a report on copies, with their matching passages."""
    return compare_sources(caller, unescape_slashes(one), unescape_slashes(other))


@router.get(f"{BASE}/audit")
def read_audit(caller: Organiser, asked: Asked) -> schema.Audit:
    """Return a page of a season's audit log, the newest first, optionally of one person or one verb."""
    return audit_page(caller, asked)


@router.get("/audit")
def read_own_audit(caller: Annotated[Caller, Depends(any_organiser)], asked: Asked) -> schema.Audit:
    """Return a page of the audit log of the token's season."""
    return audit_page(caller, asked)


@router.get(f"{BASE}/integrity")
def read_integrity(caller: Organiser) -> Integrity:
    """Return the last report of `arbiter integrity`."""
    report = last_report(caller)
    if report is None:
        hint = "run arbiter integrity on the machine with the season's file"
        raise Refusal(404, "not_found", "there is no integrity report yet", hint)
    return report


def act_for(caller: Caller, author: str) -> Caller:
    """Load an author, and return the organiser as acting for it; Refusal for others and unknown authors."""
    found = caller.state.stored.authors.find(author) if author.isprintable() else None
    if not caller.author.organiser or found is None or found.organiser:
        raise not_found()
    return caller._replace(author=found, by=caller.author)


def last_report(caller: Caller) -> Integrity | None:
    """Load the last integrity report; None without one in the current format."""
    found = caller.state.stored.questions.last()
    if not found or found.get("format") != FORMAT:
        return None
    report = cast("Integrity", found)
    # Reports of earlier versions have no groups.
    report.setdefault("groups", connected_groups(report["twins"], report["copies"]))
    return report


def audit_page(caller: Caller, asked: Wanted) -> schema.Audit:
    """Load a page of the audit log, and the cursor of the next one."""
    limit, who, what = asked.limit, asked.who, asked.what
    if not f"{who}{what}".isprintable():
        # PostgreSQL rejects some such characters.
        return {"audit": [], "next": None}
    found = caller.state.stored.audit.last(limit + 1, asked.cursor, who, what)
    entries = [cast("schema.AuditEntry", entry._asdict()) for entry in found[:limit]]
    return {"audit": entries, "next": found[limit - 1].number if len(found) > limit else None}


def compare_sources(caller: Caller, one: str, other: str) -> SourceComparison:
    """Read two programs and return them side by side; Refusal if one does not exist."""
    # Imported on use: it loads numerical packages.
    from arbiter.contest.integrity.side_by_side import side_by_side

    found = side_by_side(caller.state.config, caller.state.stored, one, other)
    if found is None:
        raise not_found()
    return found


def control(caller: Caller, verb: str) -> schema.PauseState:
    """Store that a season is paused, resumed or closed; return since when."""
    stored, who = caller.state.stored, caller.author.name
    running = stored.running
    if verb == "close":
        administration.close(stored, who)
    else:
        getattr(running, verb)(who)
    now = running.read()
    return {"paused": now.paused, "closed": now.closed}


def _season(caller: Caller, player: str | None = None) -> SeasonResults:
    """Return the season, with the caller as author of orders; Refusal if it has no such player."""
    state = caller.state
    season = SeasonResults(state.config, state.stored.by(caller.author.name))
    if player is not None:
        try:
            administration.find_registered(season, player)
        except ConfigError as error:
            raise to_refusal(error, 404, "not_found") from None
    return season


def _carry_out(order: Callable[[], OrderOutcome]) -> schema.Ordered:
    """Call `order` and return its effect on ranks; Refusal: 422 for a bad reason, else 409."""
    try:
        done = order()
    except administration.BadReason as error:
        raise Refusal(422, "invalid", error.problems[0].message) from None
    except ConfigError as error:
        raise Refusal(409, "conflict", error.problems[0].message) from None
    return {"subjects": done.subjects, "standings": list(administration.rank_changes(done))}
