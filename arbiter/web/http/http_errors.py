"""Refusals and errors: one shape for all of them, as JSON for programs or as a page.

What is our own affair stays in the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from arbiter.errors import ArbiterError, ConfigError, RulesError
from arbiter.table.interactive.session import Busy
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.requests import Request
    from starlette.types import Scope

    from arbiter.errors import Problem
    from arbiter.season.snapshot.season_state import SeasonState

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
NOTHING = "there is nothing here"
SAID = {
    404: (
        "There is nothing here",
        "The address may be mistyped. A match is here when it is played, a board when its round is complete.",
    ),
    405: ("That is not possible here", "This page can only be read."),
    503: ("The season cannot be read now", "Try again in a moment. The organiser's log says why."),
}


def status_of(error: ArbiterError) -> int:
    """Return the status for what went wrong at a table: a mistake, a verb come too early, our failure."""
    if isinstance(error, ConfigError | RulesError):
        return 422
    return 409 if isinstance(error, Busy) else 503


def error_shape(code: str, message: str, hint: str = "", **more: int | str) -> dict[str, int | str]:
    """Return the error: a word for programs, a sentence, what mends it, and what else is known."""
    return {"code": code, "message": message, "hint": hint, **more}


class Refusal(HTTPException):
    """A refusal: its status, a word for programs, a sentence, and what mends it."""

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
        self.code, self.hint, self.more = code, hint, more or {}

    def answer(self) -> JSONResponse:
        shape = error_shape(self.code, self.detail, self.hint, **self.more)
        return JSONResponse({"error": shape}, self.status_code, self.headers)

    def say(self) -> str:
        return "; ".join(filter(None, (self.detail, self.hint)))


def too_many(message: str, limit: int, seconds: int, hint: str = "") -> Refusal:
    """The refusal of what exceeds a limit, until `seconds` have passed."""
    headers, more = {"retry-after": str(seconds)}, {"limit": limit, "seconds": seconds}
    return Refusal(429, "too_many", message, hint, headers, more)


def refusal_of(error: ConfigError, status: int, code: str) -> Refusal:
    """Return a mistake as a refusal: its first problem, and what mends it."""
    problem = error.problems[0]
    return Refusal(status, code, problem.message, problem.hint)


def nothing_here() -> Refusal:
    """Return the refusal of what does not exist, or is not the caller's: nobody can tell which."""
    return Refusal(404, "not_found", NOTHING)


def no_token() -> Refusal:
    message, hint = "this needs a token that is alive", "send Authorization: Bearer TOKEN"
    return Refusal(401, "no_token", message, hint, {"www-authenticate": "Bearer"})


def mistakes_answer(status: int, problems: Iterable[Problem]) -> JSONResponse:
    """Return the mistakes of a form, each with its field: the first as ``error``, all as ``errors``."""
    code = CODES.get(status, "error")
    found = [
        error_shape(code, problem.message, problem.hint, field=".".join(map(str, problem.path)))
        for problem in problems
    ]
    return JSONResponse({"error": found[0], "errors": found}, status)


def early_answer(scope: Scope, error: Exception) -> Response:
    """A failure before there is an endpoint; of a refusal a sentence for browsers, JSON for programs."""
    if is_of_api(scope) or not isinstance(error, Refusal):
        return answer_failure(error, is_of_api(scope))
    if any(b"text/html" in text for name, text in scope["headers"] if name == b"accept"):
        return PlainTextResponse(f"{error.say()}\n", error.status_code, error.headers)
    return error.answer()


def answer_failure(error: Exception, is_json: bool, state: SeasonState | None = None) -> Response:
    """A failure as JSON or as a page, which keeps the menu of the season that it is of."""
    refusal = _refusal_of(error)
    if is_json:
        return refusal.answer()
    status = refusal.status_code
    if status < 400:
        # Somebody is led elsewhere.
        return Response(None, status, refusal.headers)
    title, text = SAID.get(status, ("Something went wrong", "The organiser's log says what."))
    if refusal is error and refusal.detail != NOTHING:
        title, text = "That was not done", refusal.say()
    page = render("error", state, status=status, title=title, text=text)
    return HTMLResponse(page, status, refusal.headers)


async def tell_failure(request: Request, error: Exception) -> Response:
    return answer_failure(error, is_of_api(request.scope))


def is_of_api(scope: Scope) -> bool:
    """True for a request that programs make."""
    return bool(scope["path"].startswith("/api/"))


def _refusal_of(error: Exception) -> Refusal:
    match error:
        case Refusal():
            return error
        case HTTPException(status_code=status):
            refusal = Refusal(status, CODES.get(status, "error"), error.detail)
            refusal.headers = error.headers
            return refusal
        case RequestValidationError():
            first = error.errors()[0]
            if first["type"] == "json_invalid" or first["loc"] == ("body",):
                hint = "send one with Content-Type: application/json"
                return Refusal(422, "invalid", "the body is no JSON object", hint)
            where = ".".join(str(place) for place in first["loc"][1:])
            return Refusal(422, "invalid", f"{where}: {first['msg']}")
        case ArbiterError():
            return Refusal(503, "unavailable", "the season cannot be read now", "try again in a moment")
    return Refusal(500, "failed", "something went wrong", "the organiser's log says what")
