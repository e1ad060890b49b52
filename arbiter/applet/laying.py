"""What sets the table: another one, another occupant, other cards, a recorded match."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from arbiter.applet import forms, shapes
from arbiter.applet.setting import dealt_otherwise, table_of
from arbiter.applet.shapes import Answer
from arbiter.byhand import verbs
from arbiter.byhand.downloaded import record_of as replayed
from arbiter.errors import ConfigError, IllegalAction, Problem
from arbiter.match import MatchRecord
from arbiter.view import FORMAT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapi import FastAPI

    from arbiter.applet.remembered import Remembered
    from arbiter.byhand.occupants import Occupant
    from arbiter.byhand.session import Session
    from arbiter.byhand.setup import Laid
    from arbiter.match import Limits


class Readers(NamedTuple):
    """What reads what the user gives: an occupant under some limits, a record, a match of a season's file.

    The last two are given who sits where, as for `arbiter console`, and how many decisions to feed, None for
    all up to a fault.
    """

    occupant: Callable[[str, Limits], Occupant]
    record: Callable[[MatchRecord, Sequence[str], int | None], Laid]
    match: Callable[[str, str, Sequence[str], int | None], Laid]


def add_laying(app: FastAPI, session: Session, readers: Readers, remembered: Remembered) -> None:
    """The verbs that set the table; ConfigError, with the field, for what cannot be."""

    def set_table(form: forms.Table) -> Answer:
        setup, occupants, notes = table_of(form, readers.occupant)
        session.begin(setup, occupants)
        session.notes.extend(notes)
        remembered.add(form)
        return shapes.state(session)

    def feed(record: MatchRecord, form: forms.Played) -> Answer:
        laid = readers.record(record, form.seats, form.until)
        session.begin(laid.setup, laid.occupants, laid.moves or ())
        return shapes.state(session)

    @app.post("/table")
    def post_table(form: forms.Table) -> Answer:
        """Set another table; it is remembered for next time."""
        return set_table(form)

    @app.post("/load")
    def load(form: forms.Played) -> Answer:
        """Feed a match record or a replay of a site's, or set a saved table."""
        given = form.model_extra or {}
        if given.get("format") == FORMAT:
            return feed(replayed(given), form)
        try:
            if "moves" not in given:
                return set_table(forms.Table.model_validate({**given, "seats": form.seats}))
            forms.Record.model_validate(given)
        except ValidationError as error:
            raise forms.wrong(error.errors()) from None
        return feed(MatchRecord.from_json(given), form)

    @app.post("/match")
    def open_match(form: forms.Again) -> Answer:
        """Feed a stored match of a season up to its fault, or so many decisions."""
        laid = readers.match(form.config, form.id, form.seats, form.until)
        session.begin(laid.setup, laid.occupants, laid.moves or ())
        return shapes.state(session)

    @app.post("/seat")
    def sit(form: forms.Sit) -> Answer:
        """Put somebody else into a seat, who hears what was heard there."""
        try:
            occupant = readers.occupant(form.who, shapes.seen(session).setup.limits)
        except ConfigError as error:
            raise ConfigError([replace(problem, path=("who",)) for problem in error.problems]) from None
        session.do(verbs.sit, seat=form.seat, occupant=occupant)
        return shapes.state(session)

    @app.post("/deal")
    def deal(form: forms.Deal) -> Answer:
        """Give a deal other cards or roles, and go on from its beginning."""
        setup, decisions = dealt_otherwise(shapes.seen(session), form.deal, form.model_extra or {})
        try:
            session.do(lambda table: table.machine.branch(setup, decisions))
        except IllegalAction as error:
            reason = f"the play before it was impossible then: {error}"
            raise ConfigError([Problem(("deal",), reason)]) from None
        return shapes.state(session)
