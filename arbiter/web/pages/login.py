"""Shared by pages that need a login and by forms before it: access checks, and headers against caching."""

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
    check_form,
    cookie_in,
    csrf_token,
    own_address,
    session_caller,
    set_cookie,
)
from arbiter.web.http.http_errors import PRIVATE, not_found
from arbiter.web.http.request_bodies import read_fields
from arbiter.web.http.request_guard import unescape_slashes
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from arbiter.web.http.authentication import Caller

POST = ["POST"]
OWN = {**PRIVATE, "referrer-policy": "same-origin"}
"""Browsers send the origin of a form only if the policy permits a referrer to the same site."""


def private_page(show: Callable[..., Response], organiser: bool = False) -> Callable[[Request], Response]:
    """Return the handler of a page for callers with a session; with `organiser` 404 for authors."""

    def answer(request: Request) -> Response:
        caller = _caller_in(request)
        if organiser and not caller.author.organiser:
            raise not_found()
        return show(caller, request)

    return answer


def private_form(act: Callable[..., Response]) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of a form that needs a login, checked before and after the body is read."""

    async def answer(request: Request) -> Response:
        await run_in_threadpool(_caller_in, request)
        fields = await read_fields(request)
        check_form(request, SESSION, fields.get("proof"))
        caller = await run_in_threadpool(_caller_in, request)
        return await run_in_threadpool(act, caller, request, fields)

    return answer


def public_form(
    act: Callable[[Request, Mapping[str, str]], Response],
) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of a form without login: it checks the form's CSRF token, and calls `act`."""

    async def answer(request: Request) -> Response:
        fields = await read_fields(request)
        check_form(request, LOGIN, fields.get("proof"))
        return await run_in_threadpool(act, request, fields)

    return answer


class NotLoggedIn(HTTPException):
    """There is no session: redirects to the login."""

    def __init__(self) -> None:
        super().__init__(303, headers={**OWN, "location": "/login"})


def check_logged_in(caller: Caller | None) -> Caller:
    """Return the caller; NotLoggedIn if it is None."""
    if caller is None:
        raise NotLoggedIn
    return caller


def redirect_to(path: str, caller: Caller, request: Request, part: str = "") -> Response:
    """Return a redirect to an own page of the caller, at a `part` such as ``#questions``."""
    return RedirectResponse(own_address(caller, request, path) + part, 303, OWN)


def own_page(template: str, caller: Caller, request: Request, **values: object) -> Response:
    """Return a page for the caller alone, with the form token of the session."""
    page = render(
        template,
        caller.state,
        page="me",
        author=caller.author,
        callers=request.state.callers,
        others=request.state.others,
        own=own_address(caller, request, ""),
        proof=csrf_token(cookie_in(request, SESSION)),
        **values,
    )
    return HTMLResponse(page, headers=OWN)


def form_page(request: Request, template: str, status: int, **values: object) -> Response:
    """Return a page with a form that needs no login; it sets the cookie for its CSRF token."""
    cookie = cookie_in(request, LOGIN) or secrets.token_urlsafe(COOKIE_BYTES)
    answer = HTMLResponse(render(template, None, proof=csrf_token(cookie), **values), status, OWN)
    set_cookie(request, answer, LOGIN, cookie, FORM_SECONDS, "strict")
    return answer


def _caller_in(request: Request) -> Caller:
    """Return the caller with a session in the season of the path, if it names one; else NotLoggedIn."""
    named = request.path_params.get("season")
    season = named and unescape_slashes(named)
    return check_logged_in(session_caller(request.app.state.seasons, request, season))
