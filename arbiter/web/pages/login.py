"""What pages behind the login, and before it, have in common: who may see them, that nobody keeps them."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from arbiter.web.http.authentication import (
    COOKIE_BYTES,
    FORM_SECONDS,
    LOGIN,
    SESSION,
    caller_in,
    check_form,
    cookie_in,
    own_address,
    proof_of,
    set_cookie,
)
from arbiter.web.http.http_errors import PRIVATE, nothing_here
from arbiter.web.http.request_bodies import read_fields
from arbiter.web.http.request_guard import given
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from arbiter.web.http.authentication import Caller
    from arbiter.web.http.watched_seasons import Seasons

POST = ["POST"]
OWN = {**PRIVATE, "referrer-policy": "same-origin"}
"""Browsers tell where a form was sent from only where they may tell it to the site itself."""


def shows(
    seasons: Seasons, show: Callable[..., Response], organiser: bool = False
) -> Callable[[Request], Response]:
    """Make a handler of a page that is behind the login."""

    def answer(request: Request) -> Response:
        caller = logged_in(caller_in(seasons, request, _season(request)))
        if organiser and not caller.author.organiser:
            raise nothing_here()
        return show(caller, request)

    return answer


def does(seasons: Seasons, act: Callable[..., Response]) -> Callable[[Request], Awaitable[Response]]:
    """Make a handler of a form, which is read within a session alone; which may end while it comes."""

    async def answer(request: Request) -> Response:
        season = _season(request)
        logged_in(await run_in_threadpool(caller_in, seasons, request, season))
        fields = await read_fields(request)
        check_form(request, SESSION, fields.get("proof"))
        caller = logged_in(await run_in_threadpool(caller_in, seasons, request, season))
        return await run_in_threadpool(act, caller, request, fields)

    return answer


class NotLoggedIn(HTTPException):
    """Nobody is logged in: leads to the login."""

    def __init__(self) -> None:
        super().__init__(303, headers={**OWN, "location": "/login"})


def logged_in(caller: Caller | None) -> Caller:
    """Return the caller; NotLoggedIn where there is none."""
    if caller is None:
        raise NotLoggedIn
    return caller


def own_page(template: str, caller: Caller, request: Request, **values: object) -> Response:
    """A page behind the login, which nobody keeps."""
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


def form_page(request: Request, template: str, status: int, **values: object) -> Response:
    """A page with a form that is not of a session, and the cookie that the form's proof is made of."""
    cookie = cookie_in(request, LOGIN) or secrets.token_urlsafe(COOKIE_BYTES)
    answer = HTMLResponse(render(template, None, proof=proof_of(cookie), **values), status, OWN)
    set_cookie(request, answer, LOGIN, cookie, FORM_SECONDS, "strict")
    return answer


def _season(request: Request) -> str | None:
    """The season that an address names; None for one that is of any."""
    named = request.path_params.get("season")
    return None if named is None else given(named)
