"""The page of organisers: how the season runs, orders, authors, who did what when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from arbiter.season import administration
from arbiter.web.author_pages import OWN, for_author, own_page, sent_form, verdict_page
from arbiter.web.organisers_api import (
    accepted,
    annulled,
    deeds,
    inspected,
    reinstated,
    run,
    sent_by_anybody,
    suspended,
)
from arbiter.web.refusals import nothing_here
from arbiter.web.security import number_of
from arbiter.web.sessions import own_address
from arbiter.web.words import match_of_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from arbiter.web.callers import Caller
    from arbiter.web.seasons import Seasons

SHOWN_DEEDS, SHOWN_SUBMISSIONS = 100, 50


def organiser_routes(seasons: Seasons) -> list[Route]:
    """The page of organisers, and what its forms order."""

    def show(caller: Caller, request: Request) -> Response:
        _refuse_others(caller)
        return own_page("admin", caller, request, admin=_admin(caller, request), preview=None)

    def show_submission(caller: Caller, request: Request) -> Response:
        _refuse_others(caller)
        return verdict_page(sent_by_anybody(caller, request.path_params["number"]), caller, request)

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
            accepted(caller)
        case "suspend":
            suspended(caller, player, because)
        case "reinstate":
            reinstated(caller, player)
        case "inspect":
            inspected(caller, fields.get("submission", ""))
        case "annul":
            replay, confirmed = "replay" in fields, "confirmed" in fields
            ids = [match_of_part(fields.get("match", "").strip())]
            done = annulled(caller, ids, because, replay, keep=confirmed)
            if not confirmed:
                rows = list(administration.moved(done))
                preview = {"match": ids[0], "because": because, "replay": replay, "rows": rows}
                return own_page("admin", caller, request, admin=_admin(caller, request), preview=preview)
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
    found, after = deeds(caller, SHOWN_DEEDS, number, who, what)
    people, verbs = caller.state.stored.audit.known()
    return {
        "deeds": found,
        "next": after,
        "is_later": number is not None,
        "wanted": {"who": who, "what": what},
        "choices": {"who": people, "what": verbs},
    }
