"""The applet as an application: its addresses behind its door, and a message for every error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.security import APIKeyHeader
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from arbiter import __version__
from arbiter.errors import ArbiterError, ConfigError, Problem, RulesError, StoreError
from arbiter.web.applet import table_forms
from arbiter.web.applet.access_guard import TOKEN, Door
from arbiter.web.applet.get_routes import add_reading
from arbiter.web.applet.post_routes import Readers, add_posting
from arbiter.web.http.http_errors import mistakes_answer, status_of
from arbiter.web.http.request_guard import Guard
from arbiter.web.rendering.compression import STATIC as FILES

if TYPE_CHECKING:
    from fastapi.responses import JSONResponse
    from starlette.types import ASGIApp

    from arbiter.table.interactive.session import Session
    from arbiter.web.applet.get_routes import News
    from arbiter.web.applet.saved_tables import Remembered


def make_app(
    session: Session, news: News, readers: Readers, remembered: Remembered, port: int, apart: str = ""
) -> tuple[ASGIApp, Door]:
    """The whole applet over a table, and its door; it listens at `apart`, too, if that is an address."""
    # The door looks at the key; this tells readers of the document that it does.
    stated = Depends(APIKeyHeader(name=TOKEN, auto_error=False, description="The key of the link."))
    app = FastAPI(
        title="arbiter applet", version=__version__, docs_url=None, redoc_url=None, dependencies=[stated]
    )
    door = Door(app, port, apart)
    _answer_errors(app)
    add_reading(app, session, news, door, remembered)
    add_posting(app, session, readers, remembered)
    app.mount(door.static, GZipMiddleware(StaticFiles(directory=FILES)))
    return Guard(door, redirects=False), door


def _answer_errors(app: FastAPI) -> None:
    """A message for every error, at the field that it is about."""

    def tell(status: int, *problems: Problem) -> JSONResponse:
        return mistakes_answer(status, problems)

    def wrong_form(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return tell(422, *table_forms.wrong(error.errors(), 1).problems)

    def ours(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, ArbiterError)
        if isinstance(error, ConfigError):
            return tell(422, *error.problems)
        place = ("word",) if isinstance(error, RulesError) else ()
        # A store is one that the user named.
        status = 422 if isinstance(error, StoreError) else status_of(error)
        return tell(status, Problem(place, str(error)))

    def http(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return tell(error.status_code, Problem((), str(error.detail)))

    def failed(_: Request, error: Exception) -> JSONResponse:
        return tell(500, Problem((), f"something went wrong: {type(error).__name__}"))

    app.add_exception_handler(RequestValidationError, wrong_form)
    app.add_exception_handler(ArbiterError, ours)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(500, failed)
