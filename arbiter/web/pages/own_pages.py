"""Pages that need a login: an author's programs and matches; an organiser's orders, authors, audit log."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arbiter.contest.message_texts import LONGEST_ANNOUNCEMENT, LONGEST_QUESTION, MOST_OPEN, ids_in
from arbiter.replay.result_text import outcome_for
from arbiter.season.config.keys import Submissions
from arbiter.season.order_effects import undoable_orders
from arbiter.season.snapshot import listings
from arbiter.season.snapshot.freeze import public_state
from arbiter.season.snapshot.front_page import announcements
from arbiter.season.snapshot.pagination import MatchList
from arbiter.store.announcements import (
    ANNOUNCE,
    CORRECT,
    CORRECT_ANSWER,
    TEXTS_BEFORE,
    WITHDRAW,
    WITHDRAW_ANSWER,
)
from arbiter.store.clarifications import ANSWER, QUESTION
from arbiter.store.people import MOST_PEOPLE
from arbiter.store.versions import DROPPED
from arbiter.web.api import authors as authors_api
from arbiter.web.api import messages, organisers, requests
from arbiter.web.http.authentication import (
    SESSION,
    begin_session,
    caller_by_token,
    check_form,
    check_origin,
    end_sessions,
    own_address,
    session_caller,
    session_callers,
    set_cookie,
)
from arbiter.web.http.http_errors import PRIVATE, Refusal, not_found
from arbiter.web.http.request_bodies import FileForm, open_terms
from arbiter.web.http.request_guard import number_of
from arbiter.web.pages.login import (
    OWN,
    POST,
    NotLoggedIn,
    check_logged_in,
    form_page,
    own_page,
    private_form,
    private_page,
    public_form,
    redirect_to,
)
from arbiter.web.rendering.template_filters import match_of_part
from arbiter.web.views.evidence_file import PAGE, evidence_files, file_name
from arbiter.web.views.match import named_matches, substituted
from arbiter.web.views.void_plays import void_matches

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from arbiter.web.http.authentication import Caller

SHOWN_MATCHES, SHOWN_ANNOUNCEMENTS = 50, 3
SHOWN_DEEDS, SHOWN_SUBMISSIONS, SHOWN_DECISIONS = 100, 50, 50


def _log_in(request: Request, fields: Mapping[str, str]) -> Response:
    """Begin a session with the token of the form and redirect to the own page; 401 for an invalid token."""
    seasons, token = request.app.state.seasons, fields.get("token", "").strip()
    caller = caller_by_token(seasons, token)
    if caller is None:
        return _login_page(request, 401)
    answer = RedirectResponse("", 303, OWN)
    begin_session(seasons, caller, token, request, answer)
    page = "/admin" if caller.author.organiser else "/me"
    answer.headers["location"] = own_address(caller, request, page)
    return answer


def _login_page(request: Request, status: int = 200) -> Response:
    callers = session_callers(request.app.state.seasons, request)
    return form_page(request, "login", status, wrong=status == 401, callers=callers)


async def _log_out(request: Request) -> Response:
    """End the session of a valid form, delete the cookie, and redirect to the login."""
    answer: Response = RedirectResponse("/login", 303, OWN)
    with suppress(NotLoggedIn):
        answer = await private_form(_end_session)(request)
    set_cookie(request, answer, SESSION)
    return answer


def _end_session(_: Caller, request: Request, __: Mapping[str, str]) -> Response:
    end_sessions(request)
    return RedirectResponse("/login", 303, OWN)


async def _upload(request: Request, anybody: bool = False) -> Response:
    """Take an archive from a form: the caller's or, from an organiser, the one of the author in the form."""
    check_origin(request)
    ask_again = partial(session_caller, request.app.state.seasons, request)
    caller = check_logged_in(await run_in_threadpool(ask_again))
    form = FileForm(request)
    fields = await form.fields()
    check_form(request, SESSION, fields.get("proof"))
    sender = caller
    if anybody:
        sender = await run_in_threadpool(organisers.act_for, caller, fields.get("author", ""))
    made, _ = await request.app.state.uploads.take(sender, form.file(), ask_again)
    return redirect_to(f"/{'admin' if anybody else 'me'}/submissions/{made.id}", caller, request)


def _verdict_page(caller: Caller, request: Request, anybody: bool = False) -> Response:
    """Return the page of a submission of the caller, or of `anybody`, with its inspection."""
    found = authors_api.submission_of(caller, request.path_params["number"], anybody)
    one = {**authors_api.submission_json(found, caller), "author": found.author, "over": found.over}
    mine = found.author == caller.author.name and found.state != DROPPED
    one["droppable"] = mine and authors_api.why_not_droppable(caller, found) is None
    return own_page("submission", caller, request, one=one, here=request.url.path)


def _log_page(caller: Caller, request: Request) -> Response:
    """Return the log of the caller's bots in one match as a text file; Refusal without any."""
    return authors_api.read_log(request.path_params["match"], caller, _run_in(request))


def _evidence_page(caller: Caller, request: Request) -> Response:
    """Return the page of `arbiter evidence` for a seat of the caller in a match; Refusal for other seats."""
    run, seat = _run_in(request), request.query_params.get("seat")
    state = caller.state if caller.state.held is not None else public_state(caller.state)
    record, mine = authors_api.own_seats(caller._replace(state=state), request.path_params["match"], run)
    place = mine[0] if seat is None else number_of(seat)
    if place not in mine:
        raise not_found()
    page = evidence_files(state, record, place, run)[PAGE]
    name = file_name(state, record.id, place, run)
    attached = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(page, media_type="text/html", headers={**PRIVATE, **attached})


def _run_in(request: Request) -> int | None:
    """Return the run that the address names, None for the run that counts; Refusal for no number."""
    text = request.query_params.get("run")
    if text is not None and number_of(text) is None:
        raise not_found()
    return None if text is None else number_of(text)


def _act(
    act: Callable[[str, Caller], object], caller: Caller, request: Request, _: Mapping[str, str]
) -> Response:
    """Act on a version of the caller, and redirect to the author's page."""
    act(request.path_params["number"], caller)
    return redirect_to("/me", caller, request)


def _ask(caller: Caller, request: Request, fields: Mapping[str, str]) -> Response:
    """Store the question of the form, and redirect to the author's page."""
    messages.ask(messages.Message(text=fields.get("text", "")), caller)
    return redirect_to("/me", caller, request, "#questions")


def _me_page(caller: Caller, request: Request) -> Response:
    """Load the author's versions, limits, matches, requests and questions; return the page with them."""
    state, author = caller.state, caller.author
    verdicts = authors_api.Verdicts.of(caller, author.name)
    book = state.stored.submissions
    try:
        terms, closed = open_terms(caller), ""
        left, seconds = book.left_today(author.name, terms.per_day)
    except Refusal as refusal:
        terms, closed, left, seconds = None, refusal.detail, 0, 0
    own = [name for name in state.names if authors_api.owner_of(name) == author.name]
    every = MatchList(state, None, own)
    me = {
        "name": author.name,
        "submissions": [{**verdicts.in_short(one), "over": one.over} for one in book.of(author.name)],
        "terms": terms,
        "closed": closed,
        "left": left,
        "seconds": seconds,
        "verdicts": verdicts,
        "bytes": state.stored.submission_files.taken(author.name),
        "total": (state.config.submissions or Submissions()).total,
        "matches": [
            {
                **listings.match_in_short(state, match),
                "log": state.is_complete(match.round),
                "substituted": substituted(state, match),
                "outcome": outcome_for(match, own),
            }
            for match in reversed(every.part(max(0, len(every) - SHOWN_MATCHES), SHOWN_MATCHES))
        ],
        "matches_in_all": len(every),
        "standing": next((one for one in state.official if one[0]["player"] in own), None),
        "announcements": announcements(state, SHOWN_ANNOUNCEMENTS),
        "requests": requests.requests_on_page(caller),
        "questions": (questions := [] if author.organiser else messages.questions_of(caller)),
        "missing": {one.number: messages.missing_matches(state, one.text) for one in questions},
        "appealed": ids_in(request.query_params.get("match", ""))[:1],
        "longest": LONGEST_QUESTION,
        "most_open": MOST_OPEN,
        "people": [] if author.organiser else state.stored.members.of(author.name),
        "most_people": MOST_PEOPLE,
    }
    return own_page("me", caller, request, me=me)


def _order(caller: Caller, request: Request, fields: Mapping[str, str]) -> Response:
    """Carry out the order of a form; show the preview of an annulment that is not confirmed yet."""
    if not caller.author.organiser:
        raise not_found()
    because, player = fields.get("because", ""), fields.get("player", "")
    match request.path_params["order"]:
        case "pause" | "resume" as verb:
            organisers.control(caller, verb)
        case "close":
            if fields.get("season", "").strip() != caller.state.name:
                hint = "type the season's name to close it permanently"
                raise Refusal(422, "invalid", "this is not the season's name", hint)
            organisers.control(caller, "close")
        case "accept":
            organisers.accept(caller)
        case "suspend":
            organisers.suspend(player, organisers.Because(because=because), caller)
        case "reinstate":
            organisers.reinstate(player, caller)
        case "announce":
            said = messages.AnnouncementMessage(text=fields.get("text", ""), at=fields.get("at", "").strip())
            messages.announce(said, caller)
        case "answer":
            public = "public" in fields
            reply = messages.AnswerMessage(text=fields.get("text", ""), public=public)
            messages.answer(fields.get("question", ""), reply, caller)
        case "correct" | "withdraw" as verb:
            messages.change_text(caller, verb, fields)
        case "inspect":
            organisers.inspect(fields.get("submission", ""), caller)
        case "activate":
            authors_api.activate(fields.get("submission", ""), caller)
        case "annul":
            replay, confirmed = "replay" in fields, "confirmed" in fields
            match = fields.get("match", "").strip()
            what = organisers.Annulment(because=because, replay=replay, preview=not confirmed)
            rows = organisers.annul(match, what, caller)["standings"]
            if not confirmed:
                shown = {"match": match_of_part(match), "because": because, "replay": replay, "rows": rows}
                return _admin_page(caller, request, {**shown, "undone": False})
        case "undo":
            match = fields.get("match", "")
            rows = organisers.undo(match, because, caller)["standings"]
            shown = {"match": match, "because": because, "rows": rows, "undone": True}
            return _admin_page(caller, request, shown)
        case _:
            raise not_found()
    return redirect_to("/admin", caller, request)


def _admin_page(caller: Caller, request: Request, preview: Mapping[str, object] | None = None) -> Response:
    """Load the organiser's page: orders, authors, audit log.

    `preview` is an annulment that is not confirmed yet, or has just been taken back.
    """
    state = caller.state
    stored, running = state.stored, state.stored.running.read()
    authors = stored.authors.all()
    whose = request.query_params.get("author", "")
    shown = next((author.name for author in authors if author.name == whose), None)
    players = sorted({entry.registered_name for entry in state.config.entries}, key=str.casefold)
    admin = {
        "paused": running.paused,
        "closed": running.closed,
        "asked": stored.running.question() if state.holder is None else None,
        "suspended": caller.suspended(),
        "decided": undoable_orders(stored.orders.read().given, SHOWN_DECISIONS),
        "voids": stored.voids.count(),
        "void_matches": void_matches(state),
        "players": [*players, *(author.name for author in authors if not author.organiser)],
        "authors": authors,
        "people": stored.members.all(),
        "submissions": stored.submissions.last(SHOWN_SUBMISSIONS, shown),
        "questions": (questions := messages.questions_of(caller)),
        "annulled": ids_in(request.query_params.get("match", ""))[:1],
        "named": {one.number: named_matches(state, one.text, one.author) for one in questions},
        "longest": LONGEST_ANNOUNCEMENT,
        "announcements": (shown_texts := announcements(state)),
        "announced": {
            one["number"]: named_matches(state, f"{one['question'] or ''} {one['text']}", "")
            for one in shown_texts
        },
        "scheduled": stored.announcements.scheduled(),
        "queue": [found.id for found in stored.submissions.queue()],
        "author": shown,
        "active": {author.name: author.active for author in authors},
        "takes_programs": state.config.submissions is not None,
        "log": _audit_values(caller, request.query_params),
    }
    return own_page("admin", caller, request, admin=admin, preview=preview)


def _integrity_page(caller: Caller, request: Request) -> Response:
    report = organisers.last_report(caller)
    here = [season.name for season in caller.state.stored.others()]
    return own_page("integrity", caller, request, report=report, here=here)


def _audit_values(caller: Caller, query: Mapping[str, str]) -> dict[str, object]:
    """Load the template's values: a page of the log, by the query's person and verb, and their choices."""
    who, what, cursor = (query.get(key) or None for key in ("who", "what", "cursor"))
    number = number_of(cursor or "")
    asked = organisers.Wanted.model_construct(limit=SHOWN_DEEDS, cursor=number, who=who, what=what)
    found, (people, verbs) = organisers.audit_page(caller, asked), caller.state.stored.audit.known()
    return {
        "deeds": found["audit"],
        "numbered": {
            **dict.fromkeys((ANNOUNCE, CORRECT, WITHDRAW), "announcement"),
            **dict.fromkeys((QUESTION, ANSWER, CORRECT_ANSWER, WITHDRAW_ANSWER), "question"),
        },
        "texts_before": TEXTS_BEFORE,
        "next": found["next"],
        "is_later": number is not None,
        "wanted": {"who": who, "what": what},
        "choices": {"who": people, "what": verbs},
    }


ROUTES = [
    Route("/login", _login_page),
    Route("/login", public_form(_log_in), methods=POST),
    Route("/logout", _log_out, methods=POST),
    Route("/me", private_page(_me_page)),
    Route("/me/submissions", _upload, methods=POST),
    Route("/me/submissions/{number}", private_page(_verdict_page)),
    Route(
        "/me/submissions/{number}/activate",
        private_form(partial(_act, authors_api.activate)),
        methods=POST,
    ),
    Route("/me/submissions/{number}/drop", private_form(partial(_act, authors_api.drop)), methods=POST),
    Route("/me/questions", private_form(_ask), methods=POST),
    Route("/me/matches/{match}/log", private_page(_log_page)),
    Route("/me/matches/{match}/evidence", private_page(_evidence_page)),
    Route("/admin", private_page(_admin_page, organiser=True)),
    Route("/admin/submissions", partial(_upload, anybody=True), methods=POST),
    Route("/admin/integrity", private_page(_integrity_page, organiser=True)),
    Route("/admin/submissions/{number}", private_page(partial(_verdict_page, anybody=True), organiser=True)),
    Route("/admin/{order}", private_form(_order), methods=POST),
]
