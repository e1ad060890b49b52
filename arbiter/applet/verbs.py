"""What moves the table: the verbs that the page posts, each answered with the table's new state."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from arbiter.applet import forms, macros, shapes
from arbiter.applet.shapes import Answer
from arbiter.byhand import verbs
from arbiter.byhand.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI


def add_verbs(app: FastAPI, session: Session) -> None:
    """The verbs that need no reading of commands and files."""
    for verb in verbs.ON_A_PAGE:
        _add(app, session, verb.__name__, partial(session.do, verb), verb.__doc__)
    _add(app, session, "stop", session.stop, Session.stop.__doc__)
    _add(app, session, "quit", session.close, Session.close.__doc__)

    @app.post("/send")
    def send(form: forms.Send) -> Answer:
        """Send a seat any lines, up to the first bad reply."""
        session.do(verbs.send, seat=form.seat, lines=macros.lines_of(form.line))
        return shapes.state(session)

    @app.post("/macro")
    def run_macro(form: forms.Macro) -> Answer:
        """Send a seat the lines that have a name."""
        lines = macros.lines(form.name, form.seat, shapes.seen(session))
        session.do(verbs.send, seat=form.seat, lines=lines)
        return shapes.state(session)


def _add(app: FastAPI, session: Session, name: str, act: Callable[..., None], told: str | None) -> None:
    form = forms.OF_VERBS.get(name)

    def bare() -> Answer:
        act()
        return shapes.state(session)

    def with_form(given: forms.Form) -> Answer:
        act(**given.model_dump())
        return shapes.state(session)

    # The framework reads the body as the type that it finds here.
    with_form.__annotations__["given"] = form
    app.post(f"/{name}", name=name, description=told)(with_form if form else bare)
