"""What went wrong, told to who asked: as a page, or as JSON. What is our own affair stays in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from arbiter.errors import ArbiterError
from arbiter.web.pages import render
from arbiter.web.refusals import CODES, NOTHING, Refusal, error_answer

if TYPE_CHECKING:
    from starlette.responses import Response

SAID = {
    404: ("There is nothing here", "The address may be mistyped, or the match is not played yet."),
    405: ("That is not possible here", "This page can only be read."),
    503: ("The season cannot be read now", "Try again in a moment. The organiser's log says why."),
}


def as_page(error: Exception) -> Response:
    """A failure as a page."""
    status = _status(error)
    headers = error.headers if isinstance(error, HTTPException) else None
    title, text = SAID.get(status, ("Something went wrong", "The organiser's log says what."))
    if isinstance(error, Refusal) and error.detail != NOTHING:
        title, text = "That was not done", "; ".join(filter(None, (error.detail, error.hint)))
    return HTMLResponse(render("error", status=status, title=title, text=text), status, headers)


def as_json(error: Exception) -> Response:
    """A failure as the API tells it."""
    status = _status(error)
    if isinstance(error, Refusal):
        return error.answer()
    if isinstance(error, HTTPException):
        return error_answer(status, CODES.get(status, "error"), error.detail, headers=error.headers)
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, ArbiterError):
        return error_answer(status, "unavailable", "the season cannot be read now", "try again in a moment")
    return error_answer(status, "failed", "something went wrong", "the organiser's log says what")


def _status(error: Exception) -> int:
    if isinstance(error, HTTPException):
        return error.status_code
    return 503 if isinstance(error, ArbiterError) else 500


def _invalid(error: RequestValidationError) -> Response:
    first = error.errors()[0]
    if first["type"] == "json_invalid" or first["loc"] == ("body",):
        hint = "send one with Content-Type: application/json"
        return error_answer(422, "invalid", "the body is no JSON object", hint)
    where = ".".join(str(place) for place in first["loc"][1:])
    return error_answer(422, "invalid", f"{where}: {first['msg']}")
