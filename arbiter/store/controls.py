"""The controls of a season: pause, resume, close, and acceptance of changes.

The coordinator, and what starts it, polls them. The commands are entries of the audit log.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import CONSOLE, AuditLog, log_audit, timestamp
from arbiter.store.database import SeasonRows
from arbiter.store.event_log import EventKind, log_event
from arbiter.store.orders import OrderKind
from arbiter.store.row_values import read_moment, read_planned

if TYPE_CHECKING:
    from arbiter.store.audit import AuditLogEntry
    from arbiter.store.database import Database

PAUSE, STOP, RESUME, ASK, ACCEPT = "pause", "stop", "resume", "ask", "accept"
REPLAY = OrderKind.REPLAY.value
MOMENT = timedelta(seconds=1)
"""The resolution of the log."""


class RunState(NamedTuple):
    """When a season was paused and closed; None if it is not."""

    paused: str | None
    closed: str | None


class RunOrder(NamedTuple):
    """The last command to stop or continue a season; numbers increase with time."""

    number: int = 0
    goes_on: bool = False


NO_ORDER = RunOrder()


class ControlStore(SeasonRows):
    """The stored controls of one season, which its coordinator polls: each method uses the database."""

    def __init__(self, store: Database, season: int, name: str) -> None:
        super().__init__(store, season)
        self._name, self._log = name, AuditLog(store, season)

    def read(self) -> RunState:
        """Return when the season was paused and when closed."""
        table = db_schema.seasons.c
        (row,) = self._all(sa.select(table.paused, table.closed).filter_by(id=self._id))
        return RunState._make(row)

    def last_order(self) -> RunOrder:
        """Return the latest order to pause, stop, resume, accept or replay, from the audit log.

        An order to replay a match does not end a pause or a stop.
        """
        found = self._log.last_of(PAUSE, STOP, RESUME, ACCEPT)
        goes_on = found is None or found.verb in (RESUME, ACCEPT)
        replay = self._log.last_of(REPLAY) if goes_on else None
        numbers = [order.number for order in (found, replay) if order is not None]
        return RunOrder(max(numbers), goes_on) if numbers else NO_ORDER

    def pause(self, who: str) -> None:
        """Store a pause: the coordinator finishes the matches in progress and starts no others."""
        self._set_time(who, PAUSE, "stopping", paused=timestamp())

    def resume(self, who: str) -> None:
        """End a pause with an event, which starts it; log the event too if not paused and no one plays."""
        if self._set_time(who, RESUME, "playing", paused=None) or self._store.holder(self._name) is not None:
            return
        self._log_playing(who, RESUME)

    def close(self, who: str) -> None:
        """Store that the season closes for good after the current round; end a pause."""
        self._set_time(who, RESUME, "playing", paused=None)
        self._set_time(who, "close", "closing", closed=timestamp())

    def ask(self, mark: str, what: str) -> None:
        """Add a question about a change to the audit log, unless the open one has the same `mark`."""
        known = self.question()
        if known is None or known.subject != mark:
            self._log.add(CONSOLE, ASK, mark, what)

    def question(self) -> AuditLogEntry | None:
        """Return the open question, its text in `because`; None if accepted, or a round is planned since."""
        found = self._log.last_of(ASK, ACCEPT)
        if found is None or found.verb != ASK:
            return None
        table = db_schema.rounds.c
        rows = self._all(self._own(table.number, table.planned).order_by(table.number.desc()).limit(1))
        planned = read_planned(rows[0].planned, rows[0].number) if rows else None
        asked = read_moment(found.moment, "the moment of a question")
        return None if planned is not None and planned > asked + MOMENT else found

    def accept(self, who: str) -> str | None:
        """Accept the open question, and log that the season plays; return its text, None if there is none."""
        asked = self.question()
        if asked is None:
            return None
        self._log_playing(who, ACCEPT, asked.subject, asked.because)
        return asked.because

    def was_accepted(self, mark: str) -> bool:
        """Return True if the last question accepted in the audit log has this mark."""
        found = self._log.last_of(ACCEPT)
        return found is not None and found.subject == mark

    def _log_playing(self, who: str, verb: str, subject: str = "", because: str = "") -> None:
        """Log the event that the season plays, and an audit entry, in one transaction."""
        with self._store.transaction() as connection:
            log_event(connection, self._id, EventKind.STATE, 0, "playing")
            log_audit(connection, self._id, who, verb, subject, because)

    def _set_time(self, who: str, verb: str, word: str, **values: str | None) -> bool:
        """Set or clear one time of the season, with an event and an audit entry; False if it already is."""
        ((name, value),) = values.items()
        column = db_schema.seasons.c[name]
        changes = column.is_not(None) if value is None else column.is_(None)
        update = sa.update(db_schema.seasons).where(db_schema.seasons.c.id == self._id, changes)
        with self._store.transaction() as connection:
            if not connection.execute(update.values(values)).rowcount:
                return False
            log_event(connection, self._id, EventKind.STATE, 0, word)
            log_audit(connection, self._id, who, verb, "")
        return True
