"""The applet's addresses: the page, what it reads, and the verbs that it posts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, StreamingResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from arbiter import __version__
from arbiter.applet import forms, macros, shapes
from arbiter.applet.door import Door
from arbiter.byhand.session import Busy
from arbiter.errors import ArbiterError, ConfigError, Problem, RulesError
from arbiter.web.pages import STATIC, render
from arbiter.web.security import Guard

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

    from arbiter.applet.news import News
    from arbiter.byhand.occupants import Occupant
    from arbiter.byhand.session import Seen, Session
    from arbiter.match import Limits

MOST = 1000
"""Exchanges in one answer."""
Answer = dict[str, Any]


def make_app(
    session: Session, news: News, occupant: Callable[[str, Limits], Occupant], port: int
) -> tuple[ASGIApp, Door]:
    """The whole applet over a table, and its door; `occupant` reads who
    sits down under which limits."""
    app = FastAPI(title="arbiter applet", version=__version__, docs_url=None, redoc_url=None)
    door = Door(app, port)
    _answer_errors(app)
    _add_reading(app, session, news, door)
    _add_verbs(app, session, occupant)
    app.mount("/static", StaticFiles(directory=STATIC))
    return Guard(door), door


def _add_reading(app: FastAPI, session: Session, news: News, door: Door) -> None:
    """The page, and what it reads."""

    @app.get("/", response_class=HTMLResponse)
    def page() -> Response:
        """The page."""
        body = render("applet.html", token=door.token, static="/static")
        return HTMLResponse(body, headers={"cache-control": "no-store"})

    @app.get("/state")
    def read_state() -> Answer:
        """How the table stands now."""
        return shapes.state(session)

    @app.get("/replay")
    def read_replay(seat: Annotated[int | None, Query(ge=0, le=100)] = None) -> Answer:
        """The match up to now for the viewer, with the eyes of all or of one seat."""
        seen = _seen(session)
        if seat is not None and seat >= seen.setup.game.seats:
            raise ConfigError([Problem(("seat",), f"there is no seat {seat}")])
        return shapes.replay(seen, seat)

    @app.get("/exchanges")
    def read_exchanges(
        after: Annotated[int, Query(ge=0, le=10**15)] = 0, limit: Annotated[int, Query(ge=1, le=MOST)] = MOST
    ) -> Answer:
        """What passed between the table and its seats, after the exchange with a number."""
        found = session.exchanges.after(after, limit)
        return {
            "exchanges": [exchange.to_json() for exchange in found],
            "next": found[-1].number if found else max(after, session.exchanges.number),
            "from": session.exchanges.oldest,
        }

    @app.get("/traffic", response_class=PlainTextResponse)
    def read_traffic() -> Response:
        """Every exchange that is kept, as a text file."""
        lines = [line for exchange in session.exchanges.after(0) for line in exchange.lines()]
        return PlainTextResponse("".join(f"{line}\n" for line in lines), headers=_file("traffic.txt"))

    @app.get("/record")
    def read_record() -> Response:
        """The match up to now as a match record."""
        return JSONResponse(shapes.record(_seen(session)).to_json(), headers=_file("match.json"))

    @app.get(
        "/events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}}, 429: {"description": "Too many listen."}},
    )
    async def listen() -> Response:
        """Word of every change, as server-sent events with the table's revision."""
        if news.full:
            return JSONResponse(forms.mistakes([Problem((), "too many pages listen already")]), 429)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(news.listen(), media_type="text/event-stream", headers=headers)


def _add_verbs(app: FastAPI, session: Session, occupant: Callable[[str, Limits], Occupant]) -> None:
    """What moves the table; each answers with its new state."""

    @app.post("/step")
    def step() -> Answer:
        """Tell the news and have the next decision made, where no person makes it."""
        session.step()
        return shapes.state(session)

    @app.post("/play")
    def play(form: forms.Play) -> Answer:
        """Go on, up to a person's turn, trouble, or the end; answers at once."""
        session.play(form.until)
        return shapes.state(session)

    @app.post("/stop")
    def stop() -> Answer:
        """End what is under way; a bot that does not answer is interrupted."""
        session.stop()
        return shapes.state(session)

    @app.post("/undo")
    def undo(form: forms.Undo) -> Answer:
        """Take decisions back, or a deal."""
        session.undo(form.decisions, form.deal)
        return shapes.state(session)

    @app.post("/redo")
    def redo(form: forms.Redo) -> Answer:
        """Make decisions again that were taken back."""
        session.redo(form.decisions)
        return shapes.state(session)

    @app.post("/again")
    def again() -> Answer:
        """After a bad reply: ask once more."""
        session.again()
        return shapes.state(session)

    @app.post("/skip")
    def skip() -> Answer:
        """After a bad reply to news: go on as if it had been a good one."""
        session.skip()
        return shapes.state(session)

    @app.post("/decide")
    def decide(form: forms.Decide) -> Answer:
        """Decide for the seat to act, whoever sits there."""
        session.decide(form.word)
        return shapes.state(session)

    @app.post("/send")
    def send(form: forms.Send) -> Answer:
        """Send a seat any lines, up to the first bad reply."""
        session.send(form.seat, macros.lines_of(form.line))
        return shapes.state(session)

    @app.post("/macro")
    def run_macro(form: forms.Macro) -> Answer:
        """Send a seat the lines that have a name."""
        session.send(form.seat, macros.lines(form.name, form.seat, _seen(session)))
        return shapes.state(session)

    @app.post("/seat")
    def sit(form: forms.Sit) -> Answer:
        """Put somebody else into a seat, who hears what was heard there."""
        try:
            new = occupant(form.who, _seen(session).setup.limits)
        except ConfigError as error:
            raise ConfigError([Problem(("who",), p.message, p.hint) for p in error.problems]) from None
        session.sit(form.seat, new)
        return shapes.state(session)

    @app.post("/quit")
    def end() -> Answer:
        """Tell the bots ``quit``; the applet ends soon after."""
        session.close()
        return shapes.state(session)


def _seen(session: Session) -> Seen:
    if session.seen is None:
        raise ConfigError("no table is set yet")
    return session.seen


def _file(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


def _answer_errors(app: FastAPI) -> None:
    """A message for every error, at the field that it is about."""

    def tell(status: int, *problems: Problem) -> JSONResponse:
        return JSONResponse(forms.mistakes(problems), status)

    def wrong_form(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        found = (Problem(tuple(wrong["loc"][1:]), str(wrong["msg"])) for wrong in error.errors())
        return tell(422, *found)

    def ours(_: Request, error: Exception) -> JSONResponse:
        if isinstance(error, ConfigError):
            return tell(422, *error.problems)
        if isinstance(error, RulesError):
            return tell(422, Problem(("word",), str(error)))
        return tell(409 if isinstance(error, Busy) else 503, Problem((), str(error)))

    def http(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return tell(error.status_code, Problem((), str(error.detail)))

    def failed(_: Request, error: Exception) -> JSONResponse:
        return tell(500, Problem((), f"something went wrong: {type(error).__name__}"))

    app.add_exception_handler(RequestValidationError, wrong_form)
    app.add_exception_handler(ArbiterError, ours)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(500, failed)
