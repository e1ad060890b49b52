"""The API for authors: submitted programs, their inspections, logs of own matches.

Pages and `arbiter submit` show these figures. While results are held back an author sees that a version
plays, but not since which round, which would reveal how many were played.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Self, cast

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import PlainTextResponse
from fastapi.security import HTTPBearer

from arbiter.contest.submissions.archive_storage import remove
from arbiter.contest.submissions.match_log import log_of
from arbiter.season.config.settings_diff import VERSION_MARK, rated_name
from arbiter.season.order_effects import effective_orders, first_round
from arbiter.season.snapshot.rejudgings import run_counted, run_in_name, run_of
from arbiter.season.snapshot.season_figures import progress
from arbiter.store import OrderKind
from arbiter.store.submission_files import VersionInUse
from arbiter.store.submissions import ACTIVATE, INSPECT, NO_LIMIT, SEND, RateLimited
from arbiter.store.versions import ACCEPTED, DROPPED, REFUSED
from arbiter.web.api import schema
from arbiter.web.api.schema import Failure, Sent, SubmissionList
from arbiter.web.http.authentication import Caller, require_caller
from arbiter.web.http.http_errors import PRIVATE, Refusal, not_found, too_many
from arbiter.web.http.request_bodies import length_of
from arbiter.web.http.request_guard import number_of, unescape_slashes
from arbiter.web.rendering.template_filters import match_of_part, match_part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arbiter.match.record import MatchRecord
    from arbiter.store import Order, SeasonStore
    from arbiter.store.versions import Submission
    from arbiter.web.api.schema import OrganiserAction, StepRow, SubmissionInShort

FAULTS = "its last matches ended by its own fault"
"""The reason for a suspension for faults while their number is held back."""
ARCHIVE = {
    "requestBody": {
        "required": True,
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }
}
REFUSALS: dict[int | str, dict[str, object]] = {
    401: {"description": "No token, or an invalid one.", "model": Failure},
    404: {"description": "Does not exist, or is not yours.", "model": Failure},
    422: {"description": "Invalid parameter or value.", "model": Failure},
}
AGAIN: dict[int | str, dict[str, object]] = {200: {"description": "It was sent before.", "model": Sent}}
PER_HOUR = 10
"""Activations per hour and author: each invalidates the plan of a round."""
BEARER = Depends(HTTPBearer(auto_error=False))
"""Documents the token in OpenAPI; `caller_of` checks it."""
router = APIRouter(responses=REFUSALS, dependencies=[BEARER])
BASE = "/seasons/{season}/submissions"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The decisions on an author's versions: the `active` one, and suspensions.

    `order` is the reason of an organiser's suspension of the author, `faults` that of a suspension of the
    active version for faults. `shown` is the last round that an author may see, None for all; `last` is the
    last round of a finished season, else None. `given` are all orders, the oldest first. `queue` are the ids
    of all waiting submissions in the order of inspection; `helped` is by version what organisers did for the
    author.
    """

    author: str
    active: int | None
    order: str | None
    faults: str | None
    shown: int | None
    last: int | None
    given: tuple[Order, ...]
    queue: tuple[int, ...]
    helped: Mapping[str, Sequence[OrganiserAction]]

    @classmethod
    def of(cls, caller: Caller, author: str) -> Self:
        """Read the current decisions, as far as the caller may see them."""
        state, stored = caller.state, caller.state.stored
        given = stored.orders.read().given
        known = stored.authors.find(author)
        active = None if known is None else known.active
        order = effective_orders(given).suspended.get(author)
        by_hand = None if order is None or order.verb is OrderKind.FAILED else order.because
        faults = None
        if active is not None and by_hand is None:
            faults = caller.suspended().get(rated_name(author, active))
        shown = None if caller.author.organiser else state.frozen
        held_back = faults if faults is None or shown is None else FAULTS
        last = len(state.rounds) if progress(state) == "over" else None
        queue = tuple(found.id for found in stored.submissions.queue())
        return cls(
            author, active, by_hand, held_back, shown, last, given, queue, _organiser_actions(stored, author)
        )

    def reason(self, found: Submission) -> str | None:
        """Return why the active version is suspended; None if it plays, and for other versions."""
        if found.state != ACCEPTED or found.version != self.active:
            return None
        return self.order or self.faults

    def joins_round(self, found: Submission) -> int | None:
        """Return the first round that is planned with a version; None if unknown or not to be shown."""
        if found.joins_round is None:
            return None
        number = first_round(self.given, self.author, found.joins_round)
        ends = [end for end in (self.shown, self.last) if end is not None]
        return None if any(number > end for end in ends) else number

    def state_text(self, found: Submission) -> str:
        """Return the state of a version as a predicate: what follows `it` or the version's name."""
        if found.state == DROPPED:
            return "was dropped: its files are gone"
        if found.state == REFUSED:
            return "does not play: fix what failed, and send it again"
        if found.state != ACCEPTED:
            return "is being inspected, or waits for its inspection"
        if found.version != self.active:
            return "does not play: another version does"
        if self.order is not None:
            whose = f"{self.author} is suspended by an organiser, who alone can end the suspension"
            return f"does not play: {whose}: {self.order}"
        if self.faults is not None:
            return f"does not play: {self.faults}; a new version that is accepted will"
        number = self.joins_round(found)
        if number is None and self.last is not None:
            return "does not play: the season is over"
        if number is None:
            return "plays; its first round is shown when the season is over"
        return f"plays from round {number} on"

    def in_short(self, found: Submission) -> SubmissionInShort:
        """Return a submission as JSON values, without the steps of its inspection."""
        return {
            "id": found.id,
            "version": found.version,
            "sha256": found.sha256,
            "received": found.received,
            "judged": found.judged if found.over else None,
            "state": found.state,
            "active": found.version == self.active,
            "joins_round": self.joins_round(found),
            "bytes": found.bytes,
            "suspended": self.reason(found),
            "say": self.state_text(found),
            "place": self.queue.index(found.id) + 1 if found.id in self.queue else None,
            "waiting": len(self.queue) if found.id in self.queue else None,
            "by_organiser": self.helped.get(f"{found.author}@{found.version}", ()),
        }


def _organiser_actions(stored: SeasonStore, author: str) -> dict[str, list[OrganiserAction]]:
    """Load by version what organisers did for an author, the oldest first."""
    found: dict[str, list[OrganiserAction]] = {}
    for entry in reversed(stored.audit.of_versions(author, SEND, ACTIVATE, INSPECT)):
        if entry.who.partition("/")[0] != author:
            found.setdefault(entry.subject, []).append({"what": entry.verb, "moment": entry.moment})
    return found


def submission_json(found: Submission, caller: Caller) -> schema.SubmissionInFull:
    """Load the decisions on a submission; return it as JSON values, as far as the caller may see it."""
    steps = [cast("StepRow", step) for step in found.steps]
    return {**Verdicts.of(caller, found.author).in_short(found), "steps": steps}


def author(season: str, request: Request, response: Response) -> Caller:
    """Return the caller if they are an author of the season, and set no-store; else Refusal."""
    response.headers.update(PRIVATE)
    return require_caller(request.app.state.seasons, request, unescape_slashes(season))


Author = Annotated[Caller, Depends(author)]


@router.put(BASE, openapi_extra=ARCHIVE, status_code=202, responses=AGAIN)
async def send_archive(request: Request, response: Response, caller: Author, season: str) -> Sent:
    """Send a program as a ZIP archive; one sent before remains its version, with 200, or, if its terms have
    changed, is inspected again, with 202.
    """
    return await take_archive(caller, request, response, partial(author, season, request, response))


async def take_archive(
    caller: Caller, request: Request, response: Response, again: Callable[[], Caller]
) -> Sent:
    """Store the archive in a request's body; `again` authenticates once it is complete."""
    made, new = await request.app.state.uploads.take(caller, request.stream(), again, length_of(request))
    response.status_code = 202 if new else 200
    sent: Sent = {"id": made.id, "version": made.version, "state": made.state}
    return {**sent, "judged": made.judged} if made.over and made.judged else sent


@router.get(BASE)
def list_submissions(caller: Author) -> SubmissionList:
    """Return your submissions, the newest first, without the steps of inspections."""
    verdicts = Verdicts.of(caller, caller.author.name)
    found = caller.state.stored.submissions.of(caller.author.name)
    return {"submissions": [verdicts.in_short(one) for one in found]}


@router.get(f"{BASE}/{{number}}")
def read_submission(number: str, caller: Author) -> schema.SubmissionInFull:
    """Return one of your versions, with every step of its inspection."""
    return submission_json(submission_of(caller, number), caller)


@router.post(f"{BASE}/{{number}}/activate")
def activate(number: str, caller: Author) -> schema.SubmissionInFull:
    """Make an accepted version of yours play from the next round on; for organisers, of any author."""
    found = submission_of(caller, number, anybody=caller.author.organiser)
    limit = PER_HOUR if found.author == caller.author.name else NO_LIMIT
    try:
        made = caller.state.stored.submissions.activate(found.id, found.author, limit, caller.who)
    except RateLimited as error:
        message = f"the limit of {PER_HOUR} activations an hour is reached"
        raise too_many(message, PER_HOUR, error.seconds) from None
    if made is None:
        raise Refusal(409, "not_accepted", f"version {found.version} is not accepted", "activate one that is")
    return submission_json(made, caller)


@router.delete(f"{BASE}/{{number}}")
def drop(number: str, caller: Author) -> schema.SubmissionInFull:
    """Delete the files of a version of yours that never played, permanently."""
    found = submission_of(caller, number)
    if (why := why_not_droppable(caller, found)) is not None:
        raise why
    try:
        caller.state.stored.submission_files.drop(found.id, caller.author.name, caller.author.who)
    except VersionInUse as stays:
        raise _in_use_refusal(found, stays.active) from None
    remove(caller.state.config, found.file)
    return submission_json(submission_of(caller, number), caller)


@router.get("/seasons/{season}/matches/{match}/log", response_class=PlainTextResponse)
def read_log(match: str, caller: Author, run: int | None = None) -> Response:
    """Return the commands, replies, times and errors of your program in a match of a complete round.

    `run` is an earlier run of a replayed match, the first being 1.
    """
    record, mine = own_seats(caller, match, run)
    return log_response(record, mine, run_in_name(caller.state, record.id, run))


def own_seats(caller: Caller, match: str, run: int | None) -> tuple[MatchRecord, list[int]]:
    """Load a run of a match of a complete round and return it with the seats of the caller's programs.

    For organisers with all seats; Refusal if there is no such run, or no such seat. `match` is as in a path.
    """
    match_id = match_of_part(unescape_slashes(match))
    counts = run == run_counted(caller.state, match_id)
    record = run_of(caller.state, match_id, None if counts else run)
    if record is None or not caller.state.is_complete(record.round):
        raise not_found()
    whose = caller.author
    mine = [
        seat for seat, name in enumerate(record.players) if whose.organiser or owner_of(name) == whose.name
    ]
    if not mine:
        raise not_found()
    return record, mine


def log_response(record: MatchRecord | None, seats: Sequence[int], of_run: str = "") -> Response:
    """Return the log of some seats of a match as a file, whose name has `of_run`; Refusal if there are no
    seats or no record.
    """
    if record is None or not seats:
        raise not_found()
    disposition = f'attachment; filename="{match_part(record.id)}{of_run}.log.txt"'
    return PlainTextResponse(log_of(record, seats), headers={**PRIVATE, "content-disposition": disposition})


def submission_of(caller: Caller, number: str, anybody: bool = False) -> Submission:
    """Load a submission of the caller, with `anybody` of any author; Refusal if it does not exist."""
    known, whose = number_of(number), None if anybody else caller.author.name
    found = None if known is None else caller.state.stored.submissions.one(known, whose)
    if found is None:
        raise not_found()
    return found


def why_not_droppable(caller: Caller, found: Submission) -> Refusal | None:
    """Look up why a version of the caller cannot be dropped; None if it can."""
    state = caller.state
    if found.state == ACCEPTED and state.held is not None:
        # Whether it has played would reveal the progress of the season.
        message = "accepted versions cannot be dropped while results are held back"
        return Refusal(409, "held_back", message, "other versions can be dropped")
    author = state.stored.authors.find(caller.author.name)
    if author is not None and author.active == found.version:
        return _in_use_refusal(found, active=True)
    has_played = state.stored.submission_files.has_played(found.author, found.version)
    return _in_use_refusal(found, active=False) if has_played else None


def _in_use_refusal(found: Submission, active: bool) -> Refusal:
    """Return the refusal to drop a version that is `active`, or else has played."""
    if active:
        return Refusal(409, "active", f"version {found.version} plays", "activate another version first")
    message = f"version {found.version} has played, and its files are needed to verify rounds"
    return Refusal(409, "has_played", message, "only versions that never played can be dropped")


def owner_of(rated: str) -> str | None:
    """Return the author of the version with a rated name; None for a program that is no submission."""
    name, mark, _ = rated.partition(VERSION_MARK)
    return name if mark else None
