"""How far each webhook has heard of a season's events, and what it is being told now.

What is told is written down whole before it is sent, and the webhook goes on in one transaction once the
receiver has it. So whatever is killed at whatever moment, no event is left out, and all tries of a delivery
have the same id and the same body. Ids are drawn, since a store that is put back from a backup numbers other
events alike.

While results are held back the events after that wait, but for those of the season as a whole: these are told
early, and not again when the others are told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.store import db_schema
from arbiter.store.audit import CONSOLE, moment, note
from arbiter.store.database import Book
from arbiter.store.event_log import Happened, Happening, happened, held_after, last_number

if TYPE_CHECKING:
    from collections.abc import Collection

STRIDE = 1000
"""Events that a webhook does not hear of until it is kept that they are done with."""
DROP, END = "drop", "end"
"""The verbs of the audit log for events that were given up, and for a receiver that is gone."""
STATE = Happening.STATE.value
LAST = 2**31 - 1
"""No event has a larger number."""


class Due(NamedTuple):
    """An event to be told; `early` where others before it are held back."""

    event: Happened
    early: bool


class Telling(NamedTuple):
    """A delivery under way: its id, the event's number and kind, its whole body.

    `tries` have failed, the first at the moment `since`; the next one is at the moment `again`.
    """

    delivery: str
    number: int
    early: bool
    kind: str
    body: str
    tries: int = 0
    since: str | None = None
    again: str | None = None


class Told(NamedTuple):
    """How far a webhook has heard: `done` and `ahead` are numbers of events, as in the schema.

    `told` and `dropped` count deliveries; `problem` is what went wrong last, None since something was told;
    `ended` is when the receiver said that it is gone.
    """

    done: int
    ahead: int
    telling: Telling | None
    problem: str | None
    told: int
    dropped: int
    ended: str | None


class DeliveryBook(Book):
    """The webhooks of one season; each is named by the SHA-256 of its address."""

    def begin(self, webhook: str) -> Told:
        """How far a webhook has heard. One that is new hears what happens from now on.

        Where no round is complete yet it hears of everything: it may be as old as the season.
        """
        known = self.read(webhook)
        if known is None:
            fresh: dict[str, Any] = {"season_id": self._id, "webhook": webhook, "done": 0}
            with self._store.transaction() as connection:
                rated = self._own(db_schema.events.c.number, kind=Happening.STANDINGS.value).limit(1)
                if connection.execute(rated).scalar() is not None:
                    fresh["done"] = last_number(connection, self._id)
                self._store.insert_once(connection, db_schema.deliveries, fresh)
            known = self.read(webhook)
            assert known is not None
        return known

    def read(self, webhook: str) -> Told | None:
        """The same; None for one that is new."""
        rows = self._all(self._own(db_schema.deliveries, webhook=webhook))
        if not rows:
            return None
        telling = None
        if rows[0].number is not None:
            telling = Telling._make(getattr(rows[0], name) for name in Telling._fields)
        shape = {name: getattr(rows[0], name) for name in Told._fields if name != "telling"}
        return Told(telling=telling, **shape)

    def forget_all_but(self, webhooks: Collection[str]) -> None:
        """Forget those that the season's file no longer has: if they come back they are new."""
        table = db_schema.deliveries
        gone = self._own(table.c.webhook).where(table.c.webhook.not_in(list(webhooks)))
        if self._all(gone):
            mine = sa.delete(table).filter_by(season_id=self._id)
            self._write(mine.where(table.c.webhook.not_in(list(webhooks))))

    def last_event(self) -> int:
        """The number of the last event, 0 before the first."""
        with self._store.reading() as connection:
            return last_number(connection, self._id)

    def due(self, webhook: str, kinds: Collection[str], freezes: bool, after: int) -> tuple[Due | None, int]:
        """Return what a webhook that hears of these kinds is told next, and up to where that was looked for.

        Events up to the number `after` were looked at before. With `freezes` results may be held back.
        """
        table = db_schema.events.c
        with self._store.snapshot() as connection:
            done, ahead = self._place(connection, webhook)
            last = last_number(connection, self._id)
            held = held_after(connection, self._id) if freezes else None
            seen = last if held is None else held
            early = False
            wanted = self._wanted(max(done, after), seen, kinds, ahead).order_by(table.number)
            found = connection.execute(wanted.limit(1)).one_or_none()
            if found is None and held is not None and STATE in kinds:
                state = self._wanted(max(held, ahead), last, [STATE]).order_by(table.number)
                found, early = connection.execute(state.limit(1)).one_or_none(), True
            if found is not None:
                return Due(happened(found), early), seen if early else found.number - 1
        if seen - done >= STRIDE:
            # Or they would be looked through again by the next process.
            self._write(self._mine(webhook).values(done=seen))
        return None, seen

    def prepare(self, webhook: str, telling: Telling) -> None:
        """Keep what is to be told, before it is sent for the first time."""
        free = self._mine(webhook).where(db_schema.deliveries.c.number.is_(None))
        self._write(free.values(**telling._asdict()))

    def is_told(self, webhook: str, telling: Telling) -> None:
        """Go on to the next event: the receiver has this one."""
        count = db_schema.deliveries.c.told + 1
        values = _past(telling, telling.number) | {"told": count, "problem": None}
        self._write(self._telling(webhook, telling).values(values))

    def put_off(self, webhook: str, telling: Telling, since: str, again: str, problem: str) -> None:
        """Keep that a try failed, when the first one was, and when the next one is."""
        tries = db_schema.deliveries.c.tries + 1
        values = {"tries": tries, "since": since, "again": again, "problem": problem}
        self._write(self._telling(webhook, telling).values(values))

    def hurry(self, webhook: str) -> None:
        """Try at once, as if for the first time, what waits for another try, also where one was gone."""
        self._write(self._mine(webhook).values(tries=0, since=None, again=None, ended=None))

    def end(self, webhook: str, telling: Telling, who: str, problem: str) -> None:
        """Send nothing more to a receiver that is gone for good; `who` names it in the audit log."""
        with self._store.transaction() as connection:
            ended = self._telling(webhook, telling).values(ended=moment(), problem=problem)
            if connection.execute(ended).rowcount == 1:
                note(connection, self._id, CONSOLE, END, who, problem)

    def give_up(
        self, webhook: str, telling: Telling, kinds: Collection[str], before: str, who: str, problem: str
    ) -> int:
        """Drop what cannot be told, and what happened before a moment; return how many events these are."""
        last, count = telling.number, 1
        with self._store.transaction() as connection:
            if not telling.early:
                _, ahead = self._place(connection, webhook)
                held = held_after(connection, self._id)
                old = self._wanted(telling.number, LAST if held is None else held, kinds, ahead)
                found = old.where(db_schema.events.c.moment < before).subquery().c.number
                more, latest = connection.execute(sa.select(sa.func.count(found), sa.func.max(found))).one()
                last, count = latest or last, 1 + more
            dropped = db_schema.deliveries.c.dropped + count
            values = _past(telling, last) | {"dropped": dropped, "problem": problem}
            if connection.execute(self._telling(webhook, telling).values(values)).rowcount != 1:
                return 0
            note(connection, self._id, CONSOLE, DROP, who, f"{count} given up: {problem}")
        return count

    def waiting(self, webhook: str, kinds: Collection[str], freezes: bool) -> int:
        """Return how many events a webhook is still to be told, but for those that are held back."""
        with self._store.snapshot() as connection:
            done, ahead = self._place(connection, webhook)
            held = held_after(connection, self._id) if freezes else None
            return self._count(connection, done, LAST if held is None else held, kinds, ahead)

    def _place(self, connection: sa.Connection, webhook: str) -> tuple[int, int]:
        table = db_schema.deliveries.c
        done, ahead = connection.execute(self._own(table.done, table.ahead, webhook=webhook)).one()
        return done, ahead

    def _wanted(self, after: int, until: int, kinds: Collection[str], ahead: int = 0) -> sa.Select[Any]:
        """The events of some kinds between two numbers, but for what was told early."""
        table = db_schema.events.c
        query = self._own(db_schema.events).where(table.number > after, table.number <= until)
        return query.where(table.kind.in_(list(kinds)), sa.or_(table.kind != STATE, table.number > ahead))

    def _count(
        self, connection: sa.Connection, after: int, until: int, kinds: Collection[str], ahead: int = 0
    ) -> int:
        found = self._wanted(after, until, kinds, ahead).subquery()
        count: int = connection.execute(sa.select(sa.func.count()).select_from(found)).scalar_one()
        return count

    def _mine(self, webhook: str) -> sa.Update:
        return sa.update(db_schema.deliveries).filter_by(season_id=self._id, webhook=webhook)

    def _telling(self, webhook: str, telling: Telling) -> sa.Update:
        """A change of what is being told, unless another process has gone on since."""
        return self._mine(webhook).where(db_schema.deliveries.c.delivery == telling.delivery)


_NOTHING: dict[str, Any] = {**dict.fromkeys(Telling._fields), "early": False, "tries": 0}


def _past(telling: Telling, number: int) -> dict[str, Any]:
    """A webhook's row once it is done with events up to a number."""
    return {**_NOTHING, "ahead" if telling.early else "done": number}
