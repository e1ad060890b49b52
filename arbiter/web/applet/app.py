"""The applet as an ASGI application: its routes behind the access guard, and its error messages."""

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
from arbiter.web.applet.access_guard import TOKEN, AccessGuard
from arbiter.web.applet.get_routes import add_get_routes
from arbiter.web.applet.post_routes import Readers, add_post_routes
from arbiter.web.http.http_errors import errors_response, status_of
from arbiter.web.http.request_bodies import BodyLimits
from arbiter.web.http.request_guard import Guard
from arbiter.web.rendering.compression import STATIC as FILES

if TYPE_CHECKING:
    from fastapi.responses import JSONResponse
    from starlette.types import ASGIApp

    from arbiter.table.interactive.session import Session
    from arbiter.web.applet.get_routes import ChangeEvents
    from arbiter.web.applet.saved_tables import SavedTables

MOST_BYTES = 4_000_000
"""Of a posted body."""


def make_app(
    session: Session, events: ChangeEvents, readers: Readers, saved: SavedTables, port: int, extra: str = ""
) -> tuple[ASGIApp, AccessGuard]:
    """Return the applet for a table, and its guard; `extra` is a further address it listens at."""
    # The guard checks the key; this documents it in OpenAPI.
    stated = Depends(APIKeyHeader(name=TOKEN, auto_error=False, description="The key of the link."))
    app = FastAPI(
        title="arbiter applet", version=__version__, docs_url=None, redoc_url=None, dependencies=[stated]
    )
    guard = AccessGuard(BodyLimits(app, None, MOST_BYTES), port, extra)
    for kind in (RequestValidationError, ArbiterError, HTTPException, 500):
        app.add_exception_handler(kind, _answer_error)
    add_get_routes(app, session, events, guard, saved)
    add_post_routes(app, session, readers, saved)
    app.mount(guard.static, GZipMiddleware(StaticFiles(directory=FILES)))
    return Guard(guard, redirects=False), guard


def _answer_error(_: Request, error: Exception) -> JSONResponse:
    """A message for every error, at the field that it is about."""
    match error:
        case RequestValidationError():
            return errors_response(422, table_forms.config_error(error.errors(), 1).problems)
        case ConfigError():
            return errors_response(422, error.problems)
        case StoreError():
            # The user named it.
            return errors_response(422, [Problem((), str(error))])
        case ArbiterError():
            place = ("word",) if isinstance(error, RulesError) else ()
            return errors_response(status_of(error), [Problem(place, str(error))])
        case HTTPException():
            return errors_response(error.status_code, [Problem((), str(error.detail))])
    return errors_response(500, [Problem((), f"something went wrong: {type(error).__name__}")])
