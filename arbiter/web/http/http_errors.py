"""Errors in one form, as JSON for programs or as a page; internal details stay in the log."""

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
"""For answers to one author, refusals included: no cache stores them."""
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
"""The error code where the status has a single meaning."""
NOTHING = "there is nothing here"
EXPLANATIONS = {
    404: (
        "This page does not exist",
        "Check the address. A match has a page once it is played, a board once its round is complete.",
    ),
    405: ("This page can only be read", "Go back, and try again from the page with the form."),
    503: ("The season cannot be read now", "Try again in a moment. The organiser's log has the reason."),
}
"""The title and the text of an error page, by status."""


def status_of(error: ArbiterError) -> int:
    """Return the status for an error at a table: 422 for invalid input, 409 while busy, else 503."""
    if isinstance(error, ConfigError | RulesError):
        return 422
    return 409 if isinstance(error, Busy) else 503


def error_json(code: str, message: str, hint: str = "", **more: int | str) -> dict[str, int | str]:
    """Return an error as JSON values: its code, a message, a hint how to fix it, and `more`."""
    return {"code": code, "message": message, "hint": hint, **more}


class Refusal(HTTPException):
    """A refused request: status, error code, message and a hint how to fix it."""

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

    def response(self) -> JSONResponse:
        shape = error_json(self.code, self.detail, self.hint, **self.more)
        return JSONResponse({"error": shape}, self.status_code, self.headers)

    def text(self) -> str:
        return "; ".join(filter(None, (self.detail, self.hint)))


def too_many(message: str, limit: int, seconds: int, hint: str = "") -> Refusal:
    """Return the refusal of a request that exceeds `limit`; it may be retried after `seconds`."""
    headers, more = {"retry-after": str(seconds)}, {"limit": limit, "seconds": seconds}
    return Refusal(429, "too_many", message, hint, headers, more)


def to_refusal(error: ConfigError, status: int, code: str) -> Refusal:
    """Return the first problem of an error as a refusal."""
    problem = error.problems[0]
    return Refusal(status, code, problem.message, problem.hint)


def not_found() -> Refusal:
    """Return the refusal for what does not exist or belongs to another caller: both look the same."""
    return Refusal(404, "not_found", NOTHING)


def token_required() -> Refusal:
    message, hint = "a valid token is required", "send Authorization: Bearer TOKEN"
    return Refusal(401, "no_token", message, hint, {"www-authenticate": "Bearer"})


def errors_response(status: int, problems: Iterable[Problem]) -> JSONResponse:
    """Return the problems of a form, each with its field: the first as ``error``, all as ``errors``."""
    code = CODES.get(status, "error")
    found = [
        error_json(code, problem.message, problem.hint, field=".".join(map(str, problem.path)))
        for problem in problems
    ]
    return JSONResponse({"error": found[0], "errors": found}, status)


def early_error_response(scope: Scope, error: Exception) -> Response:
    """Return the response to an error before routing; a refusal is text for browsers, JSON for programs."""
    if is_api_request(scope) or not isinstance(error, Refusal):
        return error_response(error, is_api_request(scope))
    if any(b"text/html" in text for name, text in scope["headers"] if name == b"accept"):
        return PlainTextResponse(f"{error.text()}\n", error.status_code, error.headers)
    return error.response()


def error_response(error: Exception, is_json: bool, state: SeasonState | None = None) -> Response:
    """Return an error as JSON or a page, with the menu of the season `state`; a redirect stays one."""
    refusal = _any_to_refusal(error)
    if is_json:
        return refusal.response()
    status = refusal.status_code
    if status < 400:
        # A redirect.
        return Response(None, status, refusal.headers)
    title, text = EXPLANATIONS.get(status, ("Something went wrong", "The organiser's log has the details."))
    if refusal is error and refusal.detail != NOTHING:
        title, text = "The request was refused", refusal.text()
    page = render("error", state, status=status, title=title, text=text)
    return HTMLResponse(page, status, refusal.headers)


async def handle_error(request: Request, error: Exception) -> Response:
    return error_response(error, is_api_request(request.scope))


def is_api_request(scope: Scope) -> bool:
    return bool(scope["path"].startswith("/api/"))


def _any_to_refusal(error: Exception) -> Refusal:
    """Return an error as a refusal: itself, by its HTTP status, 422 if invalid, 503 of arbiter, else 500."""
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
                return Refusal(422, "invalid", "expected a JSON object as the body", hint)
            where = ".".join(str(place) for place in first["loc"][1:])
            return Refusal(422, "invalid", f"{where}: {first['msg']}")
        case ArbiterError():
            return Refusal(503, "unavailable", "the season cannot be read now", "try again in a moment")
    return Refusal(500, "failed", "something went wrong", "the organiser's log has the details")
