"""Pages to join by an invitation code, to renew a token, and to invite or leave the people of a player.

A token and a code are each shown once, in the answer that creates them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from arbiter.contest.submissions.author_accounts import LASTS, hash_of_code, invite_to, remove, renew
from arbiter.contest.submissions.author_accounts import join as become_one
from arbiter.errors import ConfigError
from arbiter.store.invitations import InvalidInvitation
from arbiter.store.people import MOST_PEOPLE
from arbiter.store.submissions import RateLimited
from arbiter.web.http.authentication import SESSION, begin_session, caller_by_token, set_cookie
from arbiter.web.http.http_errors import Refusal, to_refusal, too_many
from arbiter.web.pages.login import OWN, POST, NotLoggedIn, form_page, own_page, private_form, public_form
from arbiter.web.rendering.template_filters import duration
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from arbiter.web.http.authentication import Caller

PER_DAY = 20
"""Invitations that the people of a player may create in 24 hours."""


def _join(request: Request, fields: Mapping[str, str]) -> Response:
    """Exchange a code for a token; show the form again with the error if that fails."""
    seasons = request.app.state.seasons
    code, name = fields.get("code", "").strip(), fields.get("name", "").strip()
    digest = hash_of_code(code)
    try:
        state = next((one for one in seasons.states() if one.stored.invitations.find(digest)), None)
        if state is None:
            raise InvalidInvitation
        token = become_one(state.config, state.stored, code, name)
    except ConfigError as error:
        return _join_page(request, error, code, name)
    return _token_page(request, token)


def _join_page(
    request: Request, wrong: ConfigError | None = None, code: str = "", name: str = ""
) -> Response:
    """Return the form for a code, with the error of the last attempt and 422; sets the form's cookie."""
    return form_page(request, "join", 200 if wrong is None else 422, wrong=wrong, code=code, name=name)


def _renew(caller: Caller, request: Request, _: Mapping[str, str]) -> Response:
    """Replace the caller's token; all other sessions with the old one end."""
    author = caller.author
    token = renew(caller.state.stored, author.name, author.who, author.member, living=True)
    return _token_page(request, token)


def _token_page(request: Request, token: str) -> Response:
    """Show a new token once, and begin a session with it; NotLoggedIn if its owner is gone."""
    seasons = request.app.state.seasons
    caller = caller_by_token(seasons, token)
    if caller is None:
        # The caller was removed in the meantime.
        raise NotLoggedIn
    page = render("token", caller.state, page="me", token=token, author=caller.author)
    answer = HTMLResponse(page, headers=OWN)
    begin_session(seasons, caller, token, request, answer)
    return answer


def _invite(caller: Caller, request: Request, _: Mapping[str, str]) -> Response:
    """Create a code to join the people of the player, and show it once; Refusal beyond the limits."""
    author = caller.author
    try:
        code = invite_to(caller.state.stored, author.name, 1, author.who, PER_DAY)
    except RateLimited as error:
        message = f"at most {PER_DAY} invitations in 24 hours: the next one in {duration(error.seconds)}"
        raise too_many(message, PER_DAY, error.seconds) from None
    except ConfigError as error:
        raise to_refusal(error, 409, "conflict") from None
    return own_page("invited", caller, request, code=code, days=LASTS.days, most=MOST_PEOPLE)


def _leave(caller: Caller, request: Request, fields: Mapping[str, str]) -> Response:
    """Remove the caller from the people of the player; Refusal unless confirmed."""
    author = caller.author
    if "sure" not in fields:
        raise Refusal(422, "invalid", f"you still act for {author.name}", "tick the box to confirm")
    try:
        remove(caller.state.stored, author.name, author.member or author.name, author.who, "leave")
    except ConfigError as error:
        raise to_refusal(error, 409, "conflict") from None
    answer = RedirectResponse("/login", 303, OWN)
    if len(request.state.callers) == 1:
        set_cookie(request, answer, SESSION)
    return answer


ROUTES = [
    Route("/join", _join_page),
    Route("/join", public_form(_join), methods=POST),
    Route("/me/token", private_form(_renew), methods=POST),
    Route("/me/invite", private_form(_invite), methods=POST),
    Route("/me/leave", private_form(_leave), methods=POST),
]
