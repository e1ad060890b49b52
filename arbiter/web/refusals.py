"""What is refused and what went wrong: one shape for all of it, as JSON for programs or as a page.

What is our own affair stays in the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from arbiter.errors import ArbiterError
from arbiter.web.pages import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.types import Scope

    from arbiter.errors import Problem

PRIVATE = {"cache-control": "no-store"}
"""Of what one author alone may see, refusals included: nobody keeps it."""
CODES = {
    403: "foreign",
    404: "not_found",
    405: "not_possible",
    409: "busy",
    413: "too_large",
    415: "not_json",
    421: "other_site",
    422: "invalid",
    429: "too_many",
    500: "failed",
    503: "unavailable",
}
"""The word for programs, where a status says all that there is to say."""
SAID = {
    404: ("There is nothing here", "The address may be mistyped, or the match is not played yet."),
    405: ("That is not possible here", "This page can only be read."),
    503: ("The season cannot be read now", "Try again in a moment. The organiser's log says why."),
}


def error_shape(code: str, message: str, hint: str = "", **more: int | str) -> dict[str, int | str]:
    """What is wrong: a word for programs, a sentence, what mends it, and what else is known."""
    return {"code": code, "message": message, "hint": hint, **more}


class Refusal(HTTPException):
    """What an answer refuses: its status, a word for programs, a sentence, and what mends it."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        hint: str = "",
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(status, message, {**PRIVATE, **(headers or {})})
        self.code, self.hint, self.more = code, hint, more

    def answer(self) -> JSONResponse:
        """It as programs are told."""
        told = self.code, self.detail, self.hint, self.headers, self.more
        return error_answer(self.status_code, *told)


def too_many(message: str, limit: int, seconds: int, hint: str = "") -> Refusal:
    """The refusal of what exceeds a limit, until `seconds` have passed."""
    headers, more = {"retry-after": str(seconds)}, {"limit": limit, "seconds": seconds}
    return Refusal(429, "too_many", message, hint, headers, more)


NOTHING = "there is nothing here"


def nothing_here() -> Refusal:
    """What does not exist, or is not the caller's: nobody can tell which."""
    return Refusal(404, "not_found", NOTHING)


def no_token() -> Refusal:
    """Whose token is missing or dead."""
    message, hint = "this needs a token that is alive", "send Authorization: Bearer TOKEN"
    return Refusal(401, "no_token", message, hint, {"www-authenticate": "Bearer"})


def early_answer(scope: Scope, refusal: Refusal) -> Response:
    """A refusal before there is a page: a sentence for browsers, JSON for programs."""
    if any(name == b"accept" and b"text/html" in value for name, value in scope["headers"]):
        said = f"{refusal.detail}; {refusal.hint}" if refusal.hint else refusal.detail
        return PlainTextResponse(f"{said}\n", refusal.status_code, refusal.headers)
    return refusal.answer()


def error_answer(
    status: int,
    code: str,
    message: str,
    hint: str = "",
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, int] | None = None,
) -> JSONResponse:
    """An error as the API tells it."""
    return JSONResponse({"error": error_shape(code, message, hint, **(more or {}))}, status, headers)


def mistakes_answer(status: int, problems: Iterable[Problem]) -> JSONResponse:
    """What is wrong with a form, each mistake with its field: the first as ``error``, all as ``errors``."""
    code = CODES.get(status, "error")
    found = [
        error_shape(code, problem.message, problem.hint, field=".".join(map(str, problem.path)))
        for problem in problems
    ]
    return JSONResponse({"error": found[0], "errors": found}, status)


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
