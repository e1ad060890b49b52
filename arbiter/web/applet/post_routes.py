"""The posts of the page: verbs, lines to a seat, and what sets the table; the answer is its new state."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from arbiter.errors import ConfigError, IllegalAction, Problem
from arbiter.match.record import MatchRecord
from arbiter.replay.visibility import FORMAT
from arbiter.table.interactive import verbs
from arbiter.table.interactive.replay_import import record_of as replayed
from arbiter.table.interactive.session import Session
from arbiter.web.applet import schema, table_forms
from arbiter.web.applet.schema import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapi import FastAPI

    from arbiter.games.game import Command
    from arbiter.match.spec import Limits
    from arbiter.table.interactive.occupants import Occupant
    from arbiter.table.interactive.setup import LaidTable
    from arbiter.web.applet.saved_tables import Remembered

MOST_LINES = 500


class Readers(NamedTuple):
    """Readers of what the user gives: an occupant under some limits, a record, a match of a season's file.

    The last two are given who sits where, as for `arbiter console`, and how many decisions to feed, None for
    all up to a fault.
    """

    occupant: Callable[[str, Limits], Occupant]
    record: Callable[[MatchRecord, Sequence[str], int | None], LaidTable]
    match: Callable[[str, str, Sequence[str], int | None], LaidTable]


def add_posting(app: FastAPI, session: Session, readers: Readers, remembered: Remembered) -> None:
    """All that the page posts; ConfigError, with the field, for what cannot be."""

    def add(
        name: str, act: Callable[..., object], description: str | None, form: type[table_forms.Form] | None
    ) -> None:
        """A verb that takes a form's values."""

        def bare() -> Answer:
            act()
            return schema.state(session)

        def with_form(given: table_forms.Form) -> Answer:
            act(**given.model_dump())
            return schema.state(session)

        # The framework reads the body as the type that it finds here.
        with_form.__annotations__["given"] = form
        app.post(f"/{name}", name=name, description=description)(with_form if form else bare)

    for verb in verbs.ON_A_PAGE:
        name = verb.__name__
        add(name, partial(session.do, verb), verb.__doc__, table_forms.form_of(verb))
    add("stop", session.stop, Session.stop.__doc__, None)
    add("quit", session.close, Session.close.__doc__, None)

    def posted(act: Callable[..., None]) -> Callable[..., None]:
        """A verb that takes a form as it is, under its own name."""

        @wraps(act)
        def answered(form: Any) -> Answer:
            act(form)
            return schema.state(session)

        app.post(f"/{act.__name__}", response_model=Answer)(answered)
        return act

    def feed(laid: LaidTable) -> None:
        session.begin(laid.setup, laid.occupants, laid.moves or ())

    @posted
    def send(form: table_forms.SendForm) -> None:
        """Send a seat any lines, up to the first bad reply."""
        session.do(verbs.send, seat=form.seat, lines=lines_of(form.line))

    @posted
    def macro(form: table_forms.MacroForm) -> None:
        """Send a seat the lines that have a name."""
        session.do(verbs.macro, name=form.name, seat=form.seat)

    @posted
    def table(form: table_forms.TableForm) -> None:
        """Set another table; it is remembered for next time."""
        setup, occupants, notes = table_forms.table_of(form, readers.occupant)
        session.begin(setup, occupants)
        session.notes.extend(notes)
        remembered.add(form)

    @posted
    def load(form: table_forms.PlayedForm) -> None:
        """Feed a match record or a replay of a site's, or set a saved table."""
        given = form.model_extra or {}
        if given.get("format") == FORMAT:
            return feed(readers.record(replayed(given), form.seats, form.until))
        try:
            if "moves" not in given:
                return table(table_forms.TableForm.model_validate({**given, "seats": form.seats}))
            table_forms.Record.model_validate(given)
        except ValidationError as error:
            raise table_forms.wrong(error.errors()) from None
        return feed(readers.record(MatchRecord.from_json(given), form.seats, form.until))

    @posted
    def match(form: table_forms.AgainForm) -> None:
        """Feed a stored match of a season up to its fault, or so many decisions."""
        feed(readers.match(form.config, form.id, form.seats, form.until))

    @posted
    def seat(form: table_forms.SitForm) -> None:
        """Put somebody else into a seat, who hears what was heard there."""
        try:
            occupant = readers.occupant(form.who, schema.seen(session).setup.limits)
        except ConfigError as error:
            raise ConfigError([replace(problem, path=("who",)) for problem in error.problems]) from None
        session.do(verbs.sit, seat=form.seat, occupant=occupant)

    @posted
    def deal(form: table_forms.DealForm) -> None:
        """Give a deal other cards or roles, and go on from its beginning."""
        setup, decisions = table_forms.dealt_otherwise(
            schema.seen(session), form.deal, form.model_extra or {}
        )
        try:
            session.do(lambda table: table.machine.branch(setup, decisions))
        except IllegalAction as error:
            reason = f"the play before it was impossible then: {error}"
            raise ConfigError([Problem(("deal",), reason)]) from None


def lines_of(text: str) -> list[Command]:
    """The lines of a text; ConfigError for none and for too many."""
    found = [line.removesuffix("\r") for line in text.split("\n")]
    if len(found) > 1 and not found[-1]:
        found.pop()
    if not any(found):
        raise ConfigError([Problem(("line",), "there is nothing to send", "write time_left 5000")])
    if len(found) > MOST_LINES:
        raise ConfigError([Problem(("line",), f"{len(found)} lines at once: {MOST_LINES} at most")])
    return found
