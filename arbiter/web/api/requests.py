"""The API for requests: authors have matches of their versions played out of competition.

Pages and `arbiter request` show these figures. Results are visible to the author and to organisers alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field, StrictInt

from arbiter.contest.requests.outcomes import RequestOutcome, score_text
from arbiter.contest.requests.request import REGRESS, Kind, RequestForm, check_request, possible_opponents
from arbiter.errors import ConfigError
from arbiter.match.spec import original
from arbiter.replay.schema import Replay
from arbiter.season.config.settings_diff import VERSION_MARK
from arbiter.season.snapshot import listings
from arbiter.season.snapshot.season_state import SeasonState, with_changes
from arbiter.store.request_queue import OPEN, WAITING
from arbiter.store.submissions import RateLimited
from arbiter.trials.regression.program_identity import BASE as OLD
from arbiter.trials.regression.program_identity import CANDIDATE
from arbiter.web.api import schema
from arbiter.web.api.authors import BEARER, REFUSALS, Author, log_response, owner_of
from arbiter.web.http.http_errors import Refusal, not_found, to_refusal, too_many
from arbiter.web.http.request_bodies import check_open
from arbiter.web.http.request_guard import number_of, unescape_slashes
from arbiter.web.rendering.template_filters import duration, match_of_part

if TYPE_CHECKING:
    from arbiter.match.record import MatchRecord
    from arbiter.store.request_queue import Request as Stored
    from arbiter.web.http.authentication import Caller

BASE = "/seasons/{season}/requests"
ONE = f"{BASE}/{{number}}"
SHOWN, SHOWN_OWN = 100, 10
"""Requests in a list, and on the author's page."""
SHOWN_NAMES = 3
"""Possible opponents that are named as examples."""
MOST_MATCHES = 1000
"""Matches of a request that are listed."""
USUAL_PACE = 3.0
"""The assumed seconds per match before the first was played."""
Text = Annotated[str, Field(min_length=1, max_length=200)]
router = APIRouter(responses=REFUSALS, dependencies=[BEARER])


class Ask(BaseModel):
    """A request of an author: `against` names players, or versions as NAME@VERSION.

    `match` is a table in all seatings on the same cards, or on given `deals`; `gauntlet` meets all `against`
    in turn, by default all possible opponents; `regress` tests whether the version is better than the one in
    `against`. `matches` is the largest number of matches, in whole boards.
    """

    model_config = ConfigDict(extra="forbid")

    kind: Kind
    version: Annotated[StrictInt, Field(gt=0)]
    against: Annotated[list[Text], Field(max_length=64)] = []
    deals: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=1000)] | None = None
    matches: Annotated[StrictInt, Field(gt=0)] | None = None


@router.post(BASE, status_code=202)
def ask(what: Ask, caller: Author) -> schema.RequestInShort:
    """Queue a match, a gauntlet, or a regression test."""
    return request_summary(add_request(caller, RequestForm(**what.model_dump())), caller)


@router.get(BASE)
def list_requests(caller: Author) -> schema.RequestList:
    """Return your latest requests, the newest first."""
    author, terms = caller.author.name, caller.state.config.requests
    found = caller.state.stored.requests.last(SHOWN, author)
    left = 0 if terms is None else caller.state.stored.requests.left(author, terms.per_day, terms.per_hour)[0]
    return {"requests": [request_summary(one, caller) for one in found], "left": left}


@router.get(ONE)
def read_request(number: str, caller: Author, request: Request) -> schema.RequestInFull:
    """Return a request of yours: its progress, its outcome, its matches."""
    return request_details(find_request(caller, number), caller, request)


@router.delete(ONE)
def cancel(number: str, caller: Author) -> schema.RequestInShort:
    """Cancel a request of yours; matches in flight end."""
    found = find_request(caller, number, anybody=False)
    if not caller.state.stored.requests.cancel(found.id, caller.author.name):
        raise Refusal(409, "conflict", f"request {found.id} is already {found.state}")
    return request_summary(find_request(caller, number), caller)


@router.get(f"{ONE}/matches/{{match}}/replay")
def read_replay(number: str, match: str, caller: Author, request: Request, reader: str = "public") -> Replay:
    """Return the replay of a match of a request of yours."""
    found, match_id = find_request(caller, number), match_of_part(unescape_slashes(match))
    state = state_of(found, caller, request)
    own = own_seats(found, state.record(match_id))
    replay = listings.replay(state, match_id, reader, alone=own)
    if replay is None:
        raise not_found()
    return replay


@router.get(f"{ONE}/matches/{{match}}/log", response_class=PlainTextResponse)
def read_log(number: str, match: str, caller: Author, request: Request) -> Response:
    """Return the commands, replies, times and errors of your program in a match."""
    found = find_request(caller, number)
    record = state_of(found, caller, request).record(match_of_part(unescape_slashes(match)))
    return log_response(record, own_seats(found, record))


def add_request(caller: Caller, asked: RequestForm) -> Stored:
    """Store a request of an author in the queue; Refusal gives the reason for rejecting it."""
    config, season, author = caller.state.config, caller.state.stored, caller.author.name
    terms = check_open(caller, config.requests, "requests")
    try:
        wish = check_request(config, season, caller.state.roster, author, asked)
    except ConfigError as error:
        raise to_refusal(error, 422, "invalid") from None
    try:
        return season.requests.add(author, asked.kind, wish.kept(), wish.most, terms.per_day, terms.per_hour)
    except RateLimited as error:
        message = f"at most {terms.per_day} requests in 24 hours and {terms.per_hour} in one hour"
        message += f": the next one in {duration(error.seconds)}"
        raise too_many(message, terms.per_hour, error.seconds) from None


def requests_on_page(caller: Caller) -> dict[str, object] | None:
    """Load the values of the author's page about requests; None if the season accepts none."""
    terms = caller.state.config.requests
    if terms is None:
        return None
    book, author = caller.state.stored.requests, caller.author.name
    left, seconds = book.left(author, terms.per_day, terms.per_hour)
    made = [request_summary(one, caller) for one in book.last(SHOWN_OWN, author)]
    names = possible_opponents(terms, caller.state.roster, author)[:SHOWN_NAMES]
    return {"terms": terms, "left": left, "seconds": seconds, "made": made, "names": names}


def find_request(caller: Caller, number: str, anybody: bool = True) -> Stored:
    """Load a request of the caller, with `anybody` for organisers of all; Refusal if it does not exist."""
    known = number_of(number)
    whose = None if anybody and caller.author.organiser else caller.author.name
    found = None if known is None else caller.state.stored.requests.one(known, whose)
    if found is None:
        raise not_found()
    return found


def request_summary(found: Stored, caller: Caller) -> schema.RequestInShort:
    """Return a request as JSON values; while it is open, with its place, read from the queue."""
    outcome = found.outcome or {}
    place, waiting, eta = _queue_forecast(found, caller) if found.state in OPEN else (None, None, None)
    return {
        "id": found.id,
        "kind": found.kind,
        "version": int(found.wish["player"].rpartition(VERSION_MARK)[2]),
        "player": found.wish["player"],
        "against": list(found.wish["against"]),
        "state": found.state,
        "place": place,
        "waiting": waiting,
        "eta_s": eta,
        "received": found.received,
        "ended": found.ended,
        "played": found.played,
        "most": found.most,
        "score": outcome.get("score"),
        "interval": outcome.get("interval"),
        "problem": found.problem,
        "say": _state_text(found),
    }


def request_details(found: Stored, caller: Caller, request: Request) -> schema.RequestInFull:
    """Load a request's matches; return it as JSON values with these and its outcome."""
    state = _find_state(found, caller, request)
    matches = () if state is None else state.matches[:MOST_MATCHES]
    return {
        **request_summary(found, caller),
        # Stored outcomes of earlier versions have no evidence.
        "outcome": cast("RequestOutcome | None", found.outcome and {"e": None, **found.outcome}),
        "matches": [] if state is None else [listings.match_in_short(state, match) for match in matches],
    }


def _queue_forecast(found: Stored, caller: Caller) -> tuple[int, int, float]:
    """Read the place in the queue, 1 for the next, its length, and the estimated seconds until the end."""
    book = caller.state.stored.requests
    before, matches = book.ahead(found)
    return before + 1, max(book.number_open(), before + 1), round(matches * (book.pace() or USUAL_PACE), 1)


def _state_text(found: Stored) -> str:
    """Return the state of a request as a predicate."""
    if found.problem is not None:
        return f"was not played: {found.problem}"
    if found.state == WAITING:
        return "waits for its turn"
    text = "" if found.outcome is None else score_text(cast("RequestOutcome", found.outcome))
    return text or ("is being played" if found.state in OPEN else "was cancelled before a board was complete")


def state_of(found: Stored, caller: Caller, request: Request) -> SeasonState:
    """Open the store of a request's matches; return them as a season's state, Refusal before the first."""
    state = _find_state(found, caller, request)
    if state is None:
        raise not_found()
    return state


def _find_state(found: Stored, caller: Caller, request: Request) -> SeasonState | None:
    """As `state_of`, but None before the first match."""
    stored = request.app.state.seasons.watched[caller.state.name].request_store(found.place)
    if stored is None:
        return None
    state = SeasonState.of(replace(caller.state.config, freeze=0), stored)
    # Nothing is held back from the author.
    return with_changes(state, rounds=tuple(known._replace(complete=True) for known in state.rounds))


def own_seats(found: Stored, record: MatchRecord | None) -> list[int]:
    """Return the seats of the author's versions in a match, also under the names of a regression test."""
    if record is None:
        return []
    roles = {CANDIDATE: found.wish["player"], OLD: found.wish["against"][0]} if found.kind == REGRESS else {}
    names = [original(name) for name in record.players]
    return [seat for seat, name in enumerate(names) if owner_of(roles.get(name, name)) == found.author]
