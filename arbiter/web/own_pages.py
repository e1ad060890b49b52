"""Pages for whoever is logged in: an author's programs and matches; an organiser's orders, authors, log."""

from __future__ import annotations

import secrets
from functools import partial
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from arbiter.config.submissions import Submissions
from arbiter.picture import played
from arbiter.store.versions import DROPPED
from arbiter.web.authors_api import (
    Verdicts,
    activate,
    drop,
    owner_of,
    read_log,
    shape_of,
    submission_of,
    why_it_stays,
)
from arbiter.web.bodies import FileForm, open_terms, read_fields
from arbiter.web.callers import (
    COOKIE_BYTES,
    FORM_SECONDS,
    LOGIN,
    SESSION,
    begin_session,
    by_token,
    caller_in,
    callers_in,
    check_form,
    check_origin,
    cookie_in,
    end_sessions,
    own_address,
    proof_of,
    set_cookie,
)
from arbiter.web.organisers_api import (
    Annulment,
    Because,
    Wanted,
    accept,
    annul,
    deeds,
    inspect,
    reinstate,
    run,
    suspend,
)
from arbiter.web.pages import render
from arbiter.web.refusals import PRIVATE, Refusal, nothing_here
from arbiter.web.security import number_of
from arbiter.web.words import match_of_part

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from arbiter.store.versions import Submission
    from arbiter.web.bodies import Uploads
    from arbiter.web.callers import Caller
    from arbiter.web.seasons import Seasons

SHOWN_MATCHES = 50
OWN = {**PRIVATE, "referrer-policy": "same-origin"}
"""Browsers tell where a form was sent from only where they may tell it to the site itself."""
SHOWN_DEEDS, SHOWN_SUBMISSIONS = 100, 50


def author_routes(seasons: Seasons, uploads: Uploads) -> list[Route]:
    """The pages of authors."""

    def show_login(request: Request) -> Response:
        return _login_page(seasons, request)

    async def log_in(request: Request) -> Response:
        fields = await read_fields(request)
        check_form(request, LOGIN, fields.get("proof"))
        return await run_in_threadpool(_log_in, seasons, request, fields.get("token", "").strip())

    async def log_out(request: Request) -> Response:
        sent = await sent_form(seasons, request)
        answer = RedirectResponse("/login", 303, OWN)
        if sent is not None:
            await run_in_threadpool(end_sessions, request)
        set_cookie(request, answer, SESSION)
        return answer

    def show_me(caller: Caller, request: Request) -> Response:
        return own_page("me", caller, request, me=_me(caller))

    def show_submission(caller: Caller, request: Request) -> Response:
        return verdict_page(submission_of(caller, request.path_params["number"]), caller, request)

    def show_log(caller: Caller, request: Request) -> Response:
        return read_log(request.path_params["match"], caller)

    async def send(request: Request) -> Response:
        check_origin(request)
        caller = await run_in_threadpool(caller_in, seasons, request)
        if caller is None:
            return RedirectResponse("/login", 303, OWN)
        form = FileForm(request)
        check_form(request, SESSION, (await form.fields()).get("proof"))
        made, _ = await uploads.take(caller, form.file(), partial(caller_in, seasons, request))
        return RedirectResponse(own_address(caller, request, f"/me/submissions/{made.id}"), 303, OWN)

    def changing(change: Callable[[str, Caller], object]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            sent = await sent_form(seasons, request)
            if sent is None:
                return RedirectResponse("/login", 303, OWN)
            await run_in_threadpool(change, request.path_params["number"], sent[0])
            return RedirectResponse(own_address(sent[0], request, "/me"), 303, OWN)

        return answer

    return [
        Route("/login", show_login),
        Route("/login", log_in, methods=["POST"]),
        Route("/logout", log_out, methods=["POST"]),
        Route("/me", for_author(seasons, show_me)),
        Route("/me/submissions", send, methods=["POST"]),
        Route("/me/submissions/{number}", for_author(seasons, show_submission)),
        Route("/me/submissions/{number}/activate", changing(activate), methods=["POST"]),
        Route("/me/submissions/{number}/drop", changing(drop), methods=["POST"]),
        Route("/me/matches/{match}/log", for_author(seasons, show_log)),
    ]


def for_author(
    seasons: Seasons, show: Callable[[Caller, Request], Response]
) -> Callable[[Request], Response]:
    """A page for whoever is logged in; others are led to the login."""

    def answer(request: Request) -> Response:
        caller = caller_in(seasons, request)
        return RedirectResponse("/login", 303, OWN) if caller is None else show(caller, request)

    return answer


def own_page(template: str, caller: Caller, request: Request, **values: object) -> Response:
    """A page that whoever is logged in sees, and nobody keeps."""
    page = render(
        template,
        caller.state,
        page="me",
        author=caller.author,
        callers=request.state.callers,
        others=request.state.others,
        own=own_address(caller, request, ""),
        proof=proof_of(cookie_in(request, SESSION)),
        **values,
    )
    return HTMLResponse(page, headers=OWN)


def verdict_page(found: Submission, caller: Caller, request: Request) -> Response:
    """What was found of a submission."""
    one = {**shape_of(found, caller), "author": found.author, "over": found.over}
    mine = found.author == caller.author.name and found.state != DROPPED
    one["droppable"] = mine and why_it_stays(caller, found) is None
    return own_page("submission", caller, request, one=one, here=request.url.path)


async def sent_form(seasons: Seasons, request: Request) -> tuple[Caller, Mapping[str, str]] | None:
    """Who sends a form that changes something, and its fields; None where the session is over.

    It is read for who has a session alone, and the session may end while it comes.
    """
    if await run_in_threadpool(caller_in, seasons, request) is None:
        return None
    fields = await read_fields(request)
    check_form(request, SESSION, fields.get("proof"))
    caller = await run_in_threadpool(caller_in, seasons, request)
    return None if caller is None else (caller, fields)


def _log_in(seasons: Seasons, request: Request, token: str) -> Response:
    caller = by_token(seasons, token)
    if caller is None:
        return _login_page(seasons, request, 401)
    answer = RedirectResponse("", 303, OWN)
    begin_session(seasons, caller, token, request, answer)
    page = "/admin" if caller.author.organiser else "/me"
    answer.headers["location"] = own_address(caller, request, page)
    return answer


def _login_page(seasons: Seasons, request: Request, status: int = 200) -> Response:
    cookie = cookie_in(request, LOGIN) or secrets.token_urlsafe(COOKIE_BYTES)
    page = render("login", proof=proof_of(cookie), wrong=status == 401, callers=callers_in(seasons, request))
    answer = HTMLResponse(page, status, OWN)
    set_cookie(request, answer, LOGIN, cookie, FORM_SECONDS, "strict")
    return answer


def _me(caller: Caller) -> dict[str, object]:
    """What an author's own page shows."""
    state, author = caller
    verdicts = Verdicts.of(caller, author.name)
    book = state.stored.submissions
    try:
        terms, closed = open_terms(caller), ""
        left, seconds = book.left_today(author.name, terms.per_day)
    except Refusal as refusal:
        terms, closed, left, seconds = None, refusal.detail, 0, 0
    matches = [
        match for match in state.matches if any(owner_of(name) == author.name for name in match.players)
    ]
    return {
        "name": author.name,
        "submissions": [{**verdicts.in_short(one), "over": one.over} for one in book.of(author.name)],
        "terms": terms,
        "closed": closed,
        "left": left,
        "seconds": seconds,
        "verdicts": verdicts,
        "bytes": state.stored.shelf.taken(author.name),
        "total": (state.config.submissions or Submissions()).total,
        "matches": [
            {**played.match_in_short(state, match), "log": state.is_complete(match.round)}
            for match in matches[: -SHOWN_MATCHES - 1 : -1]
        ],
        "matches_in_all": len(matches),
    }


def organiser_routes(seasons: Seasons) -> list[Route]:
    """The page of organisers, and what its forms order."""

    def show(caller: Caller, request: Request) -> Response:
        _refuse_others(caller)
        return own_page("admin", caller, request, admin=_admin(caller, request), preview=None)

    def show_submission(caller: Caller, request: Request) -> Response:
        _refuse_others(caller)
        return verdict_page(
            submission_of(caller, request.path_params["number"], anybody=True), caller, request
        )

    async def order(request: Request) -> Response:
        sent = await sent_form(seasons, request)
        if sent is None:
            return RedirectResponse("/login", 303, OWN)
        caller, fields = sent
        return await run_in_threadpool(_order, caller, request, fields)

    return [
        Route("/admin", for_author(seasons, show)),
        Route("/admin/submissions/{number}", for_author(seasons, show_submission)),
        Route("/admin/{order}", order, methods=["POST"]),
    ]


def _order(caller: Caller, request: Request, fields: Mapping[str, str]) -> Response:
    """Do what a form orders; an annulment is shown before it is confirmed."""
    _refuse_others(caller)
    because, player = fields.get("because", ""), fields.get("player", "")
    match request.path_params["order"]:
        case "pause" | "resume" | "close" as verb:
            run(caller, verb)
        case "accept":
            accept(caller)
        case "suspend":
            suspend(player, Because(because=because), caller)
        case "reinstate":
            reinstate(player, caller)
        case "inspect":
            inspect(fields.get("submission", ""), caller)
        case "annul":
            replay, confirmed, match = (
                "replay" in fields,
                "confirmed" in fields,
                fields.get("match", "").strip(),
            )
            what = Annulment(because=because, replay=replay, preview=not confirmed)
            rows = annul(match, what, caller)["standings"]
            if not confirmed:
                shown = {"match": match_of_part(match), "because": because, "replay": replay, "rows": rows}
                return own_page("admin", caller, request, admin=_admin(caller, request), preview=shown)
        case _:
            raise nothing_here()
    return RedirectResponse(own_address(caller, request, "/admin"), 303, OWN)


def _refuse_others(caller: Caller) -> None:
    if not caller.author.organiser:
        raise nothing_here()


def _admin(caller: Caller, request: Request) -> dict[str, object]:
    """What the page shows."""
    state = caller.state
    stored, running = state.stored, state.stored.running.read()
    authors = stored.authors.all()
    players = sorted({entry.registered_name for entry in state.config.entries}, key=str.casefold)
    return {
        "paused": running.paused,
        "closed": running.closed,
        "asked": stored.running.question() if state.holder is None else None,
        "suspended": caller.suspended(),
        "players": [*players, *(author.name for author in authors if not author.organiser)],
        "authors": authors,
        "submissions": stored.submissions.last(SHOWN_SUBMISSIONS),
        "log": _log(caller, request.query_params),
    }


def _log(caller: Caller, query: Mapping[str, str]) -> dict[str, object]:
    """A page of the log, as the form above it has it filtered."""
    who, what, cursor = (query.get(key) or None for key in ("who", "what", "cursor"))
    number = number_of(cursor or "")
    asked = Wanted.model_construct(limit=SHOWN_DEEDS, cursor=number, who=who, what=what)
    found, (people, verbs) = deeds(caller, asked), caller.state.stored.audit.known()
    return {
        "deeds": found["audit"],
        "next": found["next"],
        "is_later": number is not None,
        "wanted": {"who": who, "what": what},
        "choices": {"who": people, "what": verbs},
    }
