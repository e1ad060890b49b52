"""The state of a season: paused or stopped by an organiser, closed for good, its changes accepted.

The coordinator looks at this, and so does what starts it. Orders stand in the log of who did what.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import CONSOLE, AuditLog, moment, note
from arbiter.store.database import Book
from arbiter.store.event_log import Happening, log
from arbiter.store.row_values import read_moment, read_planned

if TYPE_CHECKING:
    from arbiter.store.audit import Deed
    from arbiter.store.database import Database

PAUSE, STOP, RESUME, ASK, ACCEPT = "pause", "stop", "resume", "ask", "accept"
MOMENT = timedelta(seconds=1)
"""The log has whole seconds."""


class Running(NamedTuple):
    """Since when a season is paused, and since when it is closed; None where it is not."""

    paused: str | None
    closed: str | None


class Wish(NamedTuple):
    """The last order that a season stop or go on; later ones have larger numbers."""

    number: int = 0
    goes_on: bool = False


NO_WISH = Wish()


class RunningBook(Book):
    """The wishes of organisers for one season, and who wished them."""

    def __init__(self, store: Database, season: int, name: str) -> None:
        super().__init__(store, season)
        self._name, self._log = name, AuditLog(store, season)

    def read(self) -> Running:
        table = db_schema.seasons.c
        (row,) = self._all(sa.select(table.paused, table.closed).filter_by(id=self._id))
        return Running._make(row)

    def wish(self) -> Wish:
        found = self._log.last_of(PAUSE, STOP, RESUME, ACCEPT)
        return NO_WISH if found is None else Wish(found.number, found.verb in (RESUME, ACCEPT))

    def pause(self, who: str) -> None:
        """Let matches in flight be the last ones until it is resumed."""
        self._set(who, PAUSE, "stopping", paused=moment())

    def resume(self, who: str) -> None:
        """Let it go on: a pause ends, and where nobody plays it a site that does so begins again."""
        if self._set(who, RESUME, "playing", paused=None) or self._store.holder(self._name) is not None:
            return
        self._go_on(who, RESUME)

    def close(self, who: str) -> None:
        """Let the round under way be the last one, and take nothing more, for good; a pause ends with it."""
        self._set(who, RESUME, "playing", paused=None)
        self._set(who, "close", "closing", closed=moment())

    def ask(self, mark: str, what: str) -> None:
        """Ask an organiser to accept something, once; the mark tells it from everything else."""
        known = self.question()
        if known is None or known.subject != mark:
            self._log.add(CONSOLE, ASK, mark, what)

    def question(self) -> Deed | None:
        """Return what was asked last and not accepted, its reason what it is; None where there is nothing.

        Once a further round is planned nothing is: the change was taken back.
        """
        found = self._log.last_of(ASK, ACCEPT)
        if found is None or found.verb != ASK:
            return None
        table = db_schema.rounds.c
        rows = self._all(self._own(table.number, table.planned).order_by(table.number.desc()).limit(1))
        planned = read_planned(rows[0].planned, rows[0].number) if rows else None
        asked = read_moment(found.moment, "the moment of a question")
        return None if planned is not None and planned > asked + MOMENT else found

    def accept(self, who: str) -> str | None:
        """Accept what was asked last, and let it go on; return that, None where nothing is asked."""
        asked = self.question()
        if asked is None:
            return None
        self._go_on(who, ACCEPT, asked.subject, asked.because)
        return asked.because

    def accepts(self, mark: str) -> bool:
        """True where what was accepted last has this mark."""
        found = self._log.last_of(ACCEPT)
        return found is not None and found.subject == mark

    def _go_on(self, who: str, verb: str, subject: str = "", because: str = "") -> None:
        with self._store.transaction() as connection:
            log(connection, self._id, Happening.STATE, 0, "playing")
            note(connection, self._id, who, verb, subject, because)

    def _set(self, who: str, verb: str, word: str, **values: str | None) -> bool:
        """Change one moment; False, and nothing is changed, where it is so already."""
        ((name, value),) = values.items()
        column = db_schema.seasons.c[name]
        changes = column.is_not(None) if value is None else column.is_(None)
        update = sa.update(db_schema.seasons).where(db_schema.seasons.c.id == self._id, changes)
        with self._store.transaction() as connection:
            if not connection.execute(update.values(values)).rowcount:
                return False
            log(connection, self._id, Happening.STATE, 0, word)
            note(connection, self._id, who, verb, "")
        return True
