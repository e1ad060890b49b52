"""An organiser's orders in a store: matches annulled, players suspended. A log; nothing in it changes.

What depends on orders is written only if none was given since it was computed: each write that matters
counts the season's revision up, and fails where somebody else did so before.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.match import MatchSummary
from arbiter.packing import PackedMatch
from arbiter.store import schema
from arbiter.store.audit import CONSOLE, note
from arbiter.store.happenings import Happening, log

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.store.database import Database


class Verb(StrEnum):
    """What an order says of a match, or of a player."""

    ANNUL = "annul"
    REPLAY = "replay"
    """Annul, and play again."""
    UNDO = "undo"
    REPLAYED = "replayed"
    """The match was played again; the order keeps what it was before."""
    RESTORED = "restored"
    """It counts again as it was before it was played again; the order keeps what it was last."""
    SUSPEND = "suspend"
    FAILED = "failed"
    """Suspend who did not qualify, until a later qualification."""
    REINSTATE = "reinstate"
    TRIED = "tried"
    """A player was tried before its first round; the reason is the digest of its entry."""


OF_MATCHES = frozenset({Verb.ANNUL, Verb.REPLAY, Verb.UNDO, Verb.REPLAYED, Verb.RESTORED})

OF_PLAY = frozenset({Verb.REPLAYED, Verb.TRIED})
"""Given by whoever plays, not by an organiser."""


class Order(NamedTuple):
    """One order: `subject` is a match's id or a player's name as registered.

    `planned` and `complete` are the season's numbers of planned and of complete rounds at that moment;
    `programs` are those of the players of a match that was played again, None where they are not known.
    """

    verb: Verb
    subject: str
    because: str
    moment: str
    planned: int
    complete: int
    before: MatchSummary | None = None
    programs: Mapping[str, Mapping[str, str | None]] | None = None


@dataclass(frozen=True, slots=True)
class Orders:
    """All orders up to a revision of the season, the oldest first."""

    revision: int
    given: tuple[Order, ...]


class OrderBook:
    """The orders of one season in a store."""

    def __init__(self, store: Database, season: int, who: str = CONSOLE) -> None:
        self._store, self._id, self._who = store, season, who

    def read(self) -> Orders:
        """All orders. One given meanwhile is there or not, but the revision is older than it."""
        with self._store.reading() as connection:
            query = sa.select(schema.seasons.c.revision).filter_by(id=self._id)
            revision = connection.execute(query).scalar() or 0
            found = []
            for table, subject in _SUBJECTS:
                columns = [c for c in table.c if c.name not in ("record", "wall_ns")]
                query = sa.select(*columns).filter_by(season_id=self._id).order_by(table.c.number)
                for row in connection.execute(query):
                    before, programs = getattr(row, "summary", None), getattr(row, "programs", None)
                    found.append(
                        Order(
                            Verb(row.verb),
                            getattr(row, subject.name),
                            row.because,
                            row.moment,
                            row.planned,
                            row.complete,
                            None if before is None else _summary(before, row.match_id),
                            None if programs is None else _programs(programs, row.match_id),
                        )
                    )
        return Orders(revision, tuple(found))

    def give(
        self, orders: Sequence[Order], revision: int, standings: tuple[int, Mapping[str, Any]] | None
    ) -> None:
        """Keep orders and the standings that they change, after a round; Outdated if there is a newer one."""
        with self._store.transaction() as connection:
            count_up(connection, self._id, revision)
            self._keep(connection, orders)
            if standings is not None:
                keep_standings(connection, self._id, *standings)
                log(connection, self._id, Happening.STANDINGS, standings[0])

    def replace_match(
        self,
        match: PackedMatch,
        order: Order,
        revision: int,
        standings: tuple[int, Mapping[str, Any]] | None,
    ) -> None:
        """Keep a match played again, and with `order` the one that it replaces; Outdated as `give`."""
        table = schema.matches
        key = {"season_id": self._id, "id": match.summary.id}
        with self._store.transaction() as connection:
            count_up(connection, self._id, revision)
            old = connection.execute(sa.select(table).filter_by(**key)).one()
            kept = {"wall_ns": old.wall_ns, "summary": old.summary, "record": old.record}
            self._keep(connection, [order], kept)
            fresh = {
                "wall_ns": match.wall_ns,
                "summary": json.dumps(match.summary.to_json()),
                "record": match.record,
            }
            connection.execute(sa.update(table).filter_by(**key).values(fresh))
            log(connection, self._id, Happening.MATCH, match.summary.round or 0, match.summary.id)
            if standings is not None:
                keep_standings(connection, self._id, *standings)
                log(connection, self._id, Happening.STANDINGS, standings[0])

    def earlier_records(self, match_id: str) -> list[bytes]:
        """The packed records of a match as it was each time before another took its place."""
        return [match.record for match in self._earlier(match_id)]

    def earlier(self, match_id: str) -> PackedMatch | None:
        """A match as it was before it was last played again; None if it never was."""
        found = self._earlier(match_id)
        return found[-1] if found else None

    def _earlier(self, match_id: str) -> list[PackedMatch]:
        table = schema.annulments
        query = (
            sa.select(table.c.wall_ns, table.c.summary, table.c.record)
            .filter_by(season_id=self._id, match_id=match_id)
            .where(table.c.record.is_not(None))
            .order_by(table.c.number)
        )
        with self._store.reading() as connection:
            return [
                PackedMatch(_summary(row.summary, match_id), row.wall_ns, row.record)
                for row in connection.execute(query)
            ]

    def _keep(
        self, connection: sa.Connection, orders: Sequence[Order], kept: Mapping[str, Any] | None = None
    ) -> None:
        for order in orders:
            table, subject = _SUBJECTS[order.verb not in OF_MATCHES]
            last = sa.select(sa.func.max(table.c.number)).filter_by(season_id=self._id)
            row = {
                "season_id": self._id,
                "number": (connection.execute(last).scalar() or 0) + 1,
                "verb": order.verb.value,
                "because": order.because,
                "moment": order.moment,
                "planned": order.planned,
                "complete": order.complete,
                subject.name: order.subject,
                **(kept or {}),
            }
            if order.programs is not None:
                row["programs"] = json.dumps(order.programs)
            connection.execute(sa.insert(table).values(row))
            if order.verb not in OF_PLAY:
                note(connection, self._id, self._who, order.verb.value, order.subject, order.because)


_SUBJECTS = (
    (schema.annulments, schema.annulments.c.match_id),
    (schema.suspensions, schema.suspensions.c.player),
)


class Outdated(Exception):
    """Raised instead of a write that was computed before the last order or round."""


def count_up(connection: sa.Connection, season: int, revision: int | None) -> None:
    """Count a season's revision up; Outdated if one is given and it is no longer that."""
    column = schema.seasons.c.revision
    update = sa.update(schema.seasons).filter_by(id=season).values(revision=column + 1)
    if revision is not None:
        update = update.where(column == revision)
    if connection.execute(update).rowcount != 1:
        raise Outdated


def keep_standings(connection: sa.Connection, season: int, number: int, standings: Mapping[str, Any]) -> None:
    """Keep the standings after a round, in the place of earlier ones."""
    table = schema.ratings
    connection.execute(sa.delete(table).filter_by(season_id=season, round=number))
    row = {"season_id": season, "round": number, "standings": json.dumps(standings)}
    connection.execute(sa.insert(table).values(row))


def _programs(text: str, match_id: str) -> dict[str, dict[str, str | None]]:
    try:
        return {player: dict(files) for player, files in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise StoreError(f"the programs of match {match_id} cannot be read: {error}") from None


def _summary(text: str, match_id: str) -> MatchSummary:
    try:
        return MatchSummary.from_json(json.loads(text))
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"the earlier record of match {match_id} cannot be read: {error}") from None
