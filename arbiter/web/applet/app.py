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
from arbiter.web.http.request_bodies import Bodies
from arbiter.web.http.request_guard import Guard
from arbiter.web.rendering.compression import STATIC as FILES

if TYPE_CHECKING:
    from fastapi.responses import JSONResponse
    from starlette.types import ASGIApp

    from arbiter.table.interactive.session import Session
    from arbiter.web.applet.get_routes import News
    from arbiter.web.applet.saved_tables import Remembered

MOST_BYTES = 4_000_000
"""Of a body that is posted."""


def make_app(
    session: Session, news: News, readers: Readers, remembered: Remembered, port: int, apart: str = ""
) -> tuple[ASGIApp, Door]:
    """The whole applet over a table, and its door; it listens at `apart`, too, if that is an address."""
    # The door looks at the key; this tells readers of the document that it does.
    stated = Depends(APIKeyHeader(name=TOKEN, auto_error=False, description="The key of the link."))
    app = FastAPI(
        title="arbiter applet", version=__version__, docs_url=None, redoc_url=None, dependencies=[stated]
    )
    door = Door(Bodies(app, None, MOST_BYTES), port, apart)
    for kind in (RequestValidationError, ArbiterError, HTTPException, 500):
        app.add_exception_handler(kind, _answer_error)
    add_reading(app, session, news, door, remembered)
    add_posting(app, session, readers, remembered)
    app.mount(door.static, GZipMiddleware(StaticFiles(directory=FILES)))
    return Guard(door, redirects=False), door


def _answer_error(_: Request, error: Exception) -> JSONResponse:
    """A message for every error, at the field that it is about."""
    match error:
        case RequestValidationError():
            return mistakes_answer(422, table_forms.wrong(error.errors(), 1).problems)
        case ConfigError():
            return mistakes_answer(422, error.problems)
        case StoreError():
            # The user named it.
            return mistakes_answer(422, [Problem((), str(error))])
        case ArbiterError():
            place = ("word",) if isinstance(error, RulesError) else ()
            return mistakes_answer(status_of(error), [Problem(place, str(error))])
        case HTTPException():
            return mistakes_answer(error.status_code, [Problem((), str(error.detail))])
    return mistakes_answer(500, [Problem((), f"something went wrong: {type(error).__name__}")])
