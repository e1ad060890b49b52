"""The delivery state of each webhook: which events of a season were sent, and the delivery in progress.

A delivery is stored whole before it is sent, and the webhook advances in one transaction once the receiver
has it. So a process may be killed at any time: no event is lost, and all attempts of a delivery have the same
id and body. Ids are random, because a store restored from a backup reuses event numbers.

While results are held back, later events wait, except those of the season as a whole: these are sent early,
and not again with the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import CONSOLE, log_audit, timestamp
from arbiter.store.database import SeasonRows
from arbiter.store.event_log import (
    NEVER_HELD,
    EventKind,
    LoggedEvent,
    event_of,
    freeze_number,
    last_number,
)

if TYPE_CHECKING:
    from collections.abc import Collection

STRIDE = 1000
"""Store progress after this many events that a webhook does not subscribe to."""
DROP, END = "drop", "end"
"""Audit verbs: events were dropped; the receiver is gone."""
LAST = 2**31 - 1
"""The largest event number."""


class NextDelivery(NamedTuple):
    """The next event to deliver; `early` if others before it are held back."""

    event: LoggedEvent
    early: bool


class Delivery(NamedTuple):
    """A delivery in progress: its id, the event's number and kind, its whole body.

    `tries` attempts have failed, the first at `since`; the next one is at `again`.
    """

    delivery: str
    number: int
    early: bool
    kind: str
    body: str
    tries: int = 0
    since: str | None = None
    again: str | None = None


class DeliveryState(NamedTuple):
    """The state of a webhook: `done` and `ahead` are event numbers, as in the schema.

    `told` and `dropped` count deliveries; `problem` is the last error, None after a success; `ended` is when
    the receiver answered that it is gone.
    """

    done: int
    ahead: int
    telling: Delivery | None
    problem: str | None
    told: int
    dropped: int
    ended: str | None


class DeliveryStore(SeasonRows):
    """The stored webhooks of one season, by the SHA-256 of their addresses: each method uses the database."""

    def begin(self, webhook: str) -> DeliveryState:
        """Return the state of a webhook; register a new one, which receives events from now on.

        While no round is complete it receives all events: it may be as old as the season.
        """
        known = self.read(webhook)
        if known is None:
            fresh: dict[str, Any] = {"season_id": self._id, "webhook": webhook, "done": 0}
            with self._store.transaction() as connection:
                rated = self._own(db_schema.events.c.number, kind=EventKind.STANDINGS.value).limit(1)
                if connection.execute(rated).scalar() is not None:
                    fresh["done"] = last_number(connection, self._id)
                self._store.insert_once(connection, db_schema.deliveries, fresh)
            known = self.read(webhook)
            assert known is not None
        return known

    def read(self, webhook: str) -> DeliveryState | None:
        """Return the state of a webhook; None if it is not registered."""
        rows = self._all(self._own(db_schema.deliveries, webhook=webhook))
        if not rows:
            return None
        telling = None
        if rows[0].number is not None:
            telling = Delivery._make(getattr(rows[0], name) for name in Delivery._fields)
        shape = {name: getattr(rows[0], name) for name in DeliveryState._fields if name != "telling"}
        return DeliveryState(telling=telling, **shape)

    def forget_all_but(self, webhooks: Collection[str]) -> None:
        """Delete the state of the season's webhooks other than these."""
        table = db_schema.deliveries
        gone = self._own(table.c.webhook).where(table.c.webhook.not_in(list(webhooks)))
        if self._all(gone):
            mine = sa.delete(table).filter_by(season_id=self._id)
            self._write(mine.where(table.c.webhook.not_in(list(webhooks))))

    def last_event(self) -> int:
        """Return the number of the last event, 0 before the first."""
        with self._store.reading() as connection:
            return last_number(connection, self._id)

    def next_delivery(
        self, webhook: str, kinds: Collection[str], freezes: bool, after: int
    ) -> tuple[NextDelivery | None, int]:
        """Return the next event of these kinds to deliver, or None, and the last number checked.

        Events up to `after` were checked before; a long stretch without any is stored as checked. With
        `freezes` results may be held back.
        """
        table = db_schema.events.c
        with self._store.snapshot() as connection:
            done, ahead = self._progress(connection, webhook)
            last = last_number(connection, self._id)
            held = freeze_number(connection, self._id) if freezes else None
            seen = last if held is None else held
            early = False
            wanted = self._events(max(done, after), seen, kinds, ahead).order_by(table.number)
            found = connection.execute(wanted.limit(1)).one_or_none()
            if found is None and held is not None and (free := set(NEVER_HELD).intersection(kinds)):
                state = self._events(max(held, ahead), last, free).order_by(table.number)
                found, early = connection.execute(state.limit(1)).one_or_none(), True
            if found is not None:
                return NextDelivery(event_of(found), early), seen if early else found.number - 1
        if seen - done >= STRIDE:
            # Else the next process would check them again.
            self._write(self._webhook_update(webhook).values(done=seen))
        return None, seen

    def prepare(self, webhook: str, delivery: Delivery) -> None:
        """Store a delivery before its first attempt, unless one is in progress."""
        free = self._webhook_update(webhook).where(db_schema.deliveries.c.number.is_(None))
        self._write(free.values(**delivery._asdict()))

    def record_delivery(self, webhook: str, delivery: Delivery) -> None:
        """Record a delivery as received, unless another process has, and advance to the next event."""
        count = db_schema.deliveries.c.told + 1
        values = _values_after(delivery, delivery.number) | {"told": count, "problem": None}
        self._write(self._delivery_update(webhook, delivery).values(values))

    def postpone(self, webhook: str, delivery: Delivery, since: str, again: str, problem: str) -> None:
        """Record a failed attempt, with the times of the first and the next one."""
        tries = db_schema.deliveries.c.tries + 1
        values = {"tries": tries, "since": since, "again": again, "problem": problem}
        self._write(self._delivery_update(webhook, delivery).values(values))

    def retry_now(self, webhook: str) -> None:
        """Make the delivery in progress due now with a new attempt count, even if the receiver was gone."""
        self._write(self._webhook_update(webhook).values(tries=0, since=None, again=None, ended=None))

    def end(self, webhook: str, delivery: Delivery, who: str, problem: str) -> None:
        """Record that a receiver is gone, which ends its deliveries; `who` names it in the audit log."""
        with self._store.transaction() as connection:
            ended = self._delivery_update(webhook, delivery).values(ended=timestamp(), problem=problem)
            if connection.execute(ended).rowcount == 1:
                log_audit(connection, self._id, CONSOLE, END, who, problem)

    def give_up(
        self, webhook: str, delivery: Delivery, kinds: Collection[str], before: str, who: str, problem: str
    ) -> int:
        """Mark a failing delivery as dropped, and unless it is early later events from `before` a time.

        Return how many; 0 if another process has advanced meanwhile.
        """
        last, count = delivery.number, 1
        with self._store.transaction() as connection:
            if not delivery.early:
                _, ahead = self._progress(connection, webhook)
                held = freeze_number(connection, self._id)
                old = self._events(delivery.number, LAST if held is None else held, kinds, ahead)
                found = old.where(db_schema.events.c.moment < before).subquery().c.number
                more, latest = connection.execute(sa.select(sa.func.count(found), sa.func.max(found))).one()
                last, count = latest or last, 1 + more
            dropped = db_schema.deliveries.c.dropped + count
            values = _values_after(delivery, last) | {"dropped": dropped, "problem": problem}
            if connection.execute(self._delivery_update(webhook, delivery).values(values)).rowcount != 1:
                return 0
            log_audit(connection, self._id, CONSOLE, DROP, who, f"{count} given up: {problem}")
        return count

    def count_waiting(self, webhook: str, kinds: Collection[str], freezes: bool) -> int:
        """Return how many events are still to be delivered, without those held back if `freezes`."""
        with self._store.snapshot() as connection:
            done, ahead = self._progress(connection, webhook)
            held = freeze_number(connection, self._id) if freezes else None
            return self._count_events(connection, done, LAST if held is None else held, kinds, ahead)

    def _progress(self, connection: sa.Connection, webhook: str) -> tuple[int, int]:
        """Read the number of the last event processed for a webhook, and of the last one sent early."""
        table = db_schema.deliveries.c
        done, ahead = connection.execute(self._own(table.done, table.ahead, webhook=webhook)).one()
        return done, ahead

    def _events(self, after: int, until: int, kinds: Collection[str], ahead: int = 0) -> sa.Select[Any]:
        """Return a query for events of some kinds numbered above `after`, up to `until`, that is included.

        Events that are never held back are left out up to the number `ahead`: they were sent early.
        """
        table = db_schema.events.c
        query = self._own(db_schema.events).where(table.number > after, table.number <= until)
        return query.where(
            table.kind.in_(list(kinds)), sa.or_(table.kind.not_in(NEVER_HELD), table.number > ahead)
        )

    def _count_events(
        self, connection: sa.Connection, after: int, until: int, kinds: Collection[str], ahead: int = 0
    ) -> int:
        """Return the number of events that `_events` finds."""
        found = self._events(after, until, kinds, ahead).subquery()
        count: int = connection.execute(sa.select(sa.func.count()).select_from(found)).scalar_one()
        return count

    def _webhook_update(self, webhook: str) -> sa.Update:
        return sa.update(db_schema.deliveries).filter_by(season_id=self._id, webhook=webhook)

    def _delivery_update(self, webhook: str, delivery: Delivery) -> sa.Update:
        """Return an SQL update of the delivery in progress, unless another process has advanced since."""
        return self._webhook_update(webhook).where(db_schema.deliveries.c.delivery == delivery.delivery)


_NOTHING: dict[str, Any] = {**dict.fromkeys(Delivery._fields), "early": False, "tries": 0}


def _values_after(delivery: Delivery, number: int) -> dict[str, Any]:
    """Return the columns of a webhook with no delivery in progress and events up to a number processed."""
    return {**_NOTHING, "ahead" if delivery.early else "done": number}
