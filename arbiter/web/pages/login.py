"""What pages behind the login, and before it, have in common: who may see them, that nobody keeps them."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

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
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from arbiter.web.http.authentication import Caller

POST = ["POST"]
OWN = {**PRIVATE, "referrer-policy": "same-origin"}
"""Browsers tell where a form was sent from only where they may tell it to the site itself."""


def shows(show: Callable[..., Response], organiser: bool = False) -> Callable[[Request], Response]:
    """Make a handler of a page that is behind the login."""

    def answer(request: Request) -> Response:
        caller = _caller_in(request)
        if organiser and not caller.author.organiser:
            raise nothing_here()
        return show(caller, request)

    return answer


def does(act: Callable[..., Response]) -> Callable[[Request], Awaitable[Response]]:
    """Make a handler of a form, which is read within a session alone; which may end while it comes."""

    async def answer(request: Request) -> Response:
        await run_in_threadpool(_caller_in, request)
        fields = await read_fields(request)
        check_form(request, SESSION, fields.get("proof"))
        caller = await run_in_threadpool(_caller_in, request)
        return await run_in_threadpool(act, caller, request, fields)

    return answer


def takes(
    act: Callable[[Request, Mapping[str, str]], Response],
) -> Callable[[Request], Awaitable[Response]]:
    """Make a handler of a form that comes before the login."""

    async def answer(request: Request) -> Response:
        fields = await read_fields(request)
        check_form(request, LOGIN, fields.get("proof"))
        return await run_in_threadpool(act, request, fields)

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


def lead_to(path: str, caller: Caller, request: Request) -> Response:
    """Redirect to an own page."""
    return RedirectResponse(own_address(caller, request, path), 303, OWN)


def own_page(template: str, caller: Caller, request: Request, **values: object) -> Response:
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


def _caller_in(request: Request) -> Caller:
    """The caller in the season that the address names, if it names one; NotLoggedIn where there is none."""
    named = request.path_params.get("season")
    return logged_in(caller_in(request.app.state.seasons, request, named and given(named)))
