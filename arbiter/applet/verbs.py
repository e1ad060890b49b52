"""What moves the table: the verbs that the page posts, each answered with the table's new state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.applet import forms, macros, shapes
from arbiter.byhand.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI

Answer = dict[str, Any]


VERBS: dict[str, tuple[Callable[..., None], type[forms.Form] | None]] = {
    "step": (Session.step, None),
    "play": (Session.play, forms.Play),
    "stop": (Session.stop, None),
    "undo": (Session.undo, forms.Undo),
    "redo": (Session.redo, forms.Redo),
    "again": (Session.again, None),
    "skip": (Session.skip, None),
    "decide": (Session.decide, forms.Decide),
    "quit": (Session.close, None),
}
"""Verbs that are the session's own, each with the form of its arguments if it has any."""


def add_verbs(app: FastAPI, session: Session) -> None:
    """The verbs that need no reading of commands and files."""
    for name, (do, form) in VERBS.items():
        app.post(f"/{name}", name=name, description=do.__doc__)(_answering(session, do, form))

    @app.post("/send")
    def send(form: forms.Send) -> Answer:
        """Send a seat any lines, up to the first bad reply."""
        session.send(form.seat, macros.lines_of(form.line))
        return shapes.state(session)

    @app.post("/macro")
    def run_macro(form: forms.Macro) -> Answer:
        """Send a seat the lines that have a name."""
        session.send(form.seat, macros.lines(form.name, form.seat, shapes.seen(session)))
        return shapes.state(session)


def _answering(
    session: Session, do: Callable[..., None], form: type[forms.Form] | None
) -> Callable[..., Answer]:
    def bare() -> Answer:
        do(session)
        return shapes.state(session)

    def with_form(given: forms.Form) -> Answer:
        do(session, **given.model_dump())
        return shapes.state(session)

    if form is None:
        return bare
    # The framework reads the body as the type that it finds here.
    with_form.__annotations__["given"] = form
    return with_form
