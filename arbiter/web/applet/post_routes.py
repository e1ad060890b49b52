"""The POST routes of the applet: verbs, lines to a seat, and table setups; all return the new state."""

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
    from arbiter.web.applet.saved_tables import SavedTables

MOST_LINES = 500


class Readers(NamedTuple):
    """Readers of user input: an occupant under some limits, a record, a match of a season's file.

    The last two take the occupants of seats, as for `arbiter console`, and the number of decisions to feed,
    None for all up to a fault.
    """

    occupant: Callable[[str, Limits], Occupant]
    record: Callable[[MatchRecord, Sequence[str], int | None], LaidTable]
    match: Callable[[str, str, Sequence[str], int | None], LaidTable]


def add_post_routes(app: FastAPI, session: Session, readers: Readers, saved: SavedTables) -> None:
    """Add the POST routes to an application; ConfigError names the invalid field."""

    def add_verb(
        name: str, act: Callable[..., object], description: str | None, form: type[table_forms.Form] | None
    ) -> None:
        """Add a route for a function that takes the values of a form."""

        def bare() -> Answer:
            act()
            return schema.state(session)

        def with_form(given: table_forms.Form) -> Answer:
            act(**given.model_dump())
            return schema.state(session)

        # The framework parses the body as this type.
        with_form.__annotations__["given"] = form
        app.post(f"/{name}", name=name, description=description)(with_form if form else bare)

    for verb in verbs.ON_A_PAGE:
        name = verb.__name__
        add_verb(name, partial(session.do, verb), verb.__doc__, table_forms.form_of(verb))
    add_verb("stop", session.stop, Session.stop.__doc__, None)
    add_verb("quit", session.close, Session.close.__doc__, None)

    def post_route(act: Callable[..., None]) -> Callable[..., None]:
        """Add a route for a function that takes a form, under the function's name."""

        @wraps(act)
        def handle(form: Any) -> Answer:
            act(form)
            return schema.state(session)

        app.post(f"/{act.__name__}", response_model=Answer)(handle)
        return act

    def begin_match(laid: LaidTable) -> None:
        session.begin(laid.setup, laid.occupants, laid.moves or ())

    @post_route
    def send(form: table_forms.SendForm) -> None:
        """Send a seat any lines, up to the first bad reply."""
        session.do(verbs.send, seat=form.seat, lines=lines_of(form.line))

    @post_route
    def macro(form: table_forms.MacroForm) -> None:
        """Send a seat the lines of a named macro."""
        session.do(verbs.macro, name=form.name, seat=form.seat)

    @post_route
    def table(form: table_forms.TableForm) -> None:
        """Set another table, and save it for next time."""
        setup, occupants, notes = table_forms.table_of(form, readers.occupant)
        session.begin(setup, occupants)
        session.notes.extend(notes)
        saved.add(form)

    @post_route
    def load(form: table_forms.PlayedForm) -> None:
        """Feed a match record or a site's replay, or set a saved table."""
        given = form.model_extra or {}
        if given.get("format") == FORMAT:
            return begin_match(readers.record(replayed(given), form.seats, form.until))
        try:
            if "moves" not in given:
                return table(table_forms.TableForm.model_validate({**given, "seats": form.seats}))
            table_forms.Record.model_validate(given)
        except ValidationError as error:
            raise table_forms.config_error(error.errors()) from None
        return begin_match(readers.record(MatchRecord.from_json(given), form.seats, form.until))

    @post_route
    def match(form: table_forms.AgainForm) -> None:
        """Feed a stored match of a season up to its fault, or `until` decisions."""
        begin_match(readers.match(form.config, form.id, form.seats, form.until))

    @post_route
    def seat(form: table_forms.SitForm) -> None:
        """Change the occupant of a seat; a bot receives the commands sent to that seat so far."""
        try:
            occupant = readers.occupant(form.who, schema.view_of(session).setup.limits)
        except ConfigError as error:
            raise ConfigError([replace(problem, path=("who",)) for problem in error.problems]) from None
        session.do(verbs.sit, seat=form.seat, occupant=occupant)

    @post_route
    def deal(form: table_forms.DealForm) -> None:
        """Give a deal other cards or roles, and continue from its beginning."""
        setup, decisions = table_forms.edit_deal(schema.view_of(session), form.deal, form.model_extra or {})
        try:
            session.do(lambda table: table.machine.branch(setup, decisions))
        except IllegalAction as error:
            reason = f"the earlier decisions are illegal with this deal: {error}"
            raise ConfigError([Problem(("deal",), reason)]) from None


def lines_of(text: str) -> list[Command]:
    """Return the lines of a text; ConfigError for none and for too many."""
    found = [line.removesuffix("\r") for line in text.split("\n")]
    if len(found) > 1 and not found[-1]:
        found.pop()
    if not any(found):
        raise ConfigError([Problem(("line",), "there is nothing to send", "write time_left 5000")])
    if len(found) > MOST_LINES:
        raise ConfigError([Problem(("line",), f"expected at most {MOST_LINES} lines, got {len(found)}")])
    return found
