"""What moves the table: the verbs that the page posts, each answered with the table's new state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.applet import forms, macros, shapes

if TYPE_CHECKING:
    from fastapi import FastAPI

    from arbiter.byhand.session import Session

Answer = dict[str, Any]


def add_verbs(app: FastAPI, session: Session) -> None:
    """The verbs that need no reading of commands and files."""

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
        session.send(form.seat, macros.lines(form.name, form.seat, shapes.seen(session)))
        return shapes.state(session)

    @app.post("/quit")
    def end() -> Answer:
        """Tell the bots ``quit``; the applet ends soon after."""
        session.close()
        return shapes.state(session)
