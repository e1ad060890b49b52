"""An organiser's orders: matches annulled, players suspended. An append-only log.

What depends on orders is written only if none was given since it was computed: each such write increments the
season's revision and fails if another one did so first.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.match.packing import PackedMatch
from arbiter.store import db_schema
from arbiter.store.audit import CONSOLE, log_audit
from arbiter.store.database import SeasonRows
from arbiter.store.event_log import EventKind, log_event
from arbiter.store.rating_briefs import brief_of
from arbiter.store.reviews import drop_review
from arbiter.store.row_values import explain_unreadable, read_standings, read_summary, row_of
from arbiter.store.seats import store_seats
from arbiter.store.tags import store_tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match.record import MatchSummary
    from arbiter.store.database import Database


class OrderKind(StrEnum):
    """The kind of an order on a match or a player."""

    ANNUL = "annul"
    REPLAY = "replay"
    """Annul and play again."""
    UNDO = "undo"
    REPLAYED = "replayed"
    """The match was played again; the order keeps the replaced match."""
    RESTORED = "restored"
    """The match counts again as before its replay; the order keeps the replaced match."""
    SUSPEND = "suspend"
    FAILED = "failed"
    """Suspend a player who did not qualify, until a later qualification."""
    REINSTATE = "reinstate"
    TRIED = "tried"
    """A player took its qualification before its first round; the reason is the digest of its entry."""


OF_MATCHES = frozenset(
    {OrderKind.ANNUL, OrderKind.REPLAY, OrderKind.UNDO, OrderKind.REPLAYED, OrderKind.RESTORED}
)

SUSPENDING = frozenset({OrderKind.SUSPEND, OrderKind.FAILED})

OF_PLAY = frozenset({OrderKind.REPLAYED, OrderKind.TRIED})
"""Given by the coordinator, not by an organiser."""


class Order(NamedTuple):
    """One order: `subject` is a match's id or a player's registered name.

    `planned` and `complete` are the season's numbers of planned and complete rounds at the time; `programs`
    are those of a replayed match: by player and file the file's SHA-256, None if unread.
    """

    verb: OrderKind
    subject: str
    because: str
    moment: str
    planned: int
    complete: int
    before: MatchSummary | None = None
    programs: Mapping[str, Mapping[str, str | None]] | None = None


@dataclass(frozen=True, slots=True)
class Orders:
    """All orders up to a revision of the season, oldest first."""

    revision: int
    given: tuple[Order, ...]


class OrderStore(SeasonRows):
    """The stored orders of one season: each method reads or writes the database."""

    def __init__(self, store: Database, season: int, who: str = CONSOLE) -> None:
        super().__init__(store, season)
        self._who = who

    def read(self) -> Orders:
        """Return all orders. One given meanwhile may be included; the revision precedes it in any case."""
        with self._store.reading() as connection:
            mine = {"of_season": self._id}
            revision = connection.execute(_REVISION, mine).scalar() or 0
            found = []
            for (_, subject), query in zip(_SUBJECTS, _GIVEN, strict=True):
                for row in connection.execute(query, mine):
                    name = getattr(row, subject.name)
                    before, programs = getattr(row, "summary", None), getattr(row, "programs", None)
                    order = Order(
                        OrderKind(row.verb), name, row.because, row.moment, row.planned, row.complete
                    )
                    if before is not None:
                        order = order._replace(before=read_summary(before, _earlier_record_text(name)))
                    if programs is not None:
                        order = order._replace(programs=_read_programs(programs, name))
                    found.append(order)
        return Orders(revision, tuple(found))

    def give(self, orders: Sequence[Order], revision: int, rated: RatedRound | None) -> None:
        """Store orders and any standings they change; Outdated if the revision is no longer current."""
        with self._store.transaction() as connection:
            raise_revision(connection, self._id, revision)
            self._store_orders(connection, orders)
            if rated is not None:
                store_standings(connection, self._id, rated)

    def replace_match(
        self,
        match: PackedMatch,
        order: Order,
        revision: int,
        rated: RatedRound | None,
        effect: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Replace a match, keep the old one with `order`, delete its review; Outdated as for `give`.

        The event of the rejudging gets `effect`, what it changed, as JSON values.
        """
        table = db_schema.matches.c
        with self._store.transaction() as connection:
            raise_revision(connection, self._id, revision)
            query = self._own(table.wall_ns, table.summary, table.record, id=match.summary.id)
            self._store_orders(connection, [order], dict(connection.execute(query).mappings().one()))
            mine = sa.update(db_schema.matches).filter_by(season_id=self._id, id=match.summary.id)
            connection.execute(mine.values(row_of(match)))
            store_seats(connection, self._id, [match.summary])
            store_tags(connection, self._id, match, fresh=False)
            drop_review(connection, self._id, match.summary.id)
            kept = db_schema.annulments.c
            earlier = self._own(sa.func.count(kept.record), match_id=match.summary.id)
            run, number = connection.execute(earlier).scalar_one(), match.summary.round or 0
            log_event(connection, self._id, EventKind.MATCH, number, match.summary.id)
            log_event(connection, self._id, EventKind.REJUDGED, number, match.summary.id, run=run, **effect)
            if rated is not None:
                store_standings(connection, self._id, rated)

    def earlier(self, match_id: str) -> list[PackedMatch]:
        """Return the replaced versions of a match, oldest first."""
        table = db_schema.annulments.c
        query = self._own(table.summary, table.wall_ns, table.record, match_id=match_id)
        return [
            PackedMatch(read_summary(row.summary, _earlier_record_text(match_id)), row.wall_ns, row.record)
            for row in self._all(query.where(table.record.is_not(None)).order_by(table.number))
        ]

    def effects(self) -> dict[tuple[str, int], dict[str, Any]]:
        """Return by match and replaced run, from 1, the effects of rejudgings that have one."""
        table = db_schema.events.c
        found = {}
        for row in self._all(self._own(table.subject, table.detail, kind=EventKind.REJUDGED.value)):
            with explain_unreadable(f"what the rejudging of match {row.subject} changed"):
                detail = json.loads(row.detail)
                if "standings" in detail:
                    found[row.subject, int(detail.pop("run"))] = detail
        return found

    def _store_orders(
        self,
        connection: sa.Connection,
        orders: Sequence[Order],
        kept: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Store orders, and log suspensions and audit entries; `kept` are the columns of a replaced match."""
        for order in orders:
            table, subject = _SUBJECTS[order.verb not in OF_MATCHES]
            last = connection.execute(self._own(sa.func.max(table.c.number))).scalar()
            row = {
                "season_id": self._id,
                "number": (last or 0) + 1,
                "verb": order.verb.value,
                "because": order.because,
                "moment": order.moment,
                "planned": order.planned,
                "complete": order.complete,
                subject.name: order.subject,
                **kept,
            }
            if order.programs is not None:
                row["programs"] = json.dumps(order.programs)
            connection.execute(sa.insert(table).values(row))
            if order.verb in SUSPENDING:
                told = {"player": order.subject, "because": order.because}
                log_event(connection, self._id, EventKind.SUSPENDED, order.planned + 1, **told)
            if order.verb not in OF_PLAY:
                log_audit(connection, self._id, self._who, order.verb.value, order.subject, order.because)


_SUBJECTS = (
    (db_schema.annulments, db_schema.annulments.c.match_id),
    (db_schema.suspensions, db_schema.suspensions.c.player),
)
# Read before each match is stored: building a statement takes longer than executing it.
_REVISION = sa.select(db_schema.seasons.c.revision).where(db_schema.seasons.c.id == sa.bindparam("of_season"))
_GIVEN = [
    sa.select(*(c for c in table.c if c.name not in ("record", "wall_ns")))
    .where(table.c.season_id == sa.bindparam("of_season"))
    .order_by(table.c.number)
    for table, _ in _SUBJECTS
]


class Outdated(Exception):
    """Raised instead of a write that was computed before the latest order or round."""


def raise_revision(connection: sa.Connection, season: int, revision: int | None) -> None:
    """Increment a season's revision; Outdated if one is given and is no longer current."""
    column = db_schema.seasons.c.revision
    update = sa.update(db_schema.seasons).filter_by(id=season).values(revision=column + 1)
    if revision is not None:
        update = update.where(column == revision)
    if connection.execute(update).rowcount != 1:
        raise Outdated


class RatedRound(NamedTuple):
    """The standings after a round, and their uncertainty packed by `rating`, or None."""

    round: int
    standings: Mapping[str, Any]
    ranking: bytes | None = None


def store_standings(connection: sa.Connection, season: int, rated: RatedRound) -> None:
    """Store the standings after a round, replacing earlier ones; log them and new suspensions."""
    number, standings, ranking = rated
    table = db_schema.ratings
    for player, because in _new_suspensions(connection, season, rated).items():
        log_event(connection, season, EventKind.SUSPENDED, number + 1, player=player, because=because)
    connection.execute(sa.delete(table).filter_by(season_id=season, round=number))
    row = {"season_id": season, "round": number, "standings": json.dumps(standings)}
    connection.execute(sa.insert(table).values(row | {"brief": brief_of(standings)}))
    # Only for the last round: it is large, and earlier ones are hardly ever read.
    connection.execute(sa.delete(db_schema.rankings).filter_by(season_id=season))
    if ranking is not None:
        kept = {"season_id": season, "round": number, "ranking": ranking}
        connection.execute(sa.insert(db_schema.rankings).values(kept))
    log_event(connection, season, EventKind.STANDINGS, number)


def _new_suspensions(connection: sa.Connection, season: int, rated: RatedRound) -> dict[str, str]:
    """Return by player the reasons of new suspensions in these standings, without those by order."""
    if "suspended" not in rated.standings or not (now := rated.standings["suspended"]):
        return {}
    table = db_schema.ratings.c
    last = sa.select(table.standings).where(table.season_id == season, table.round <= rated.round)
    text = connection.execute(last.order_by(table.round.desc()).limit(1)).scalar()
    before: Mapping[str, str] = {}
    with suppress(StoreError):
        # Damaged standings may be the ones to replace.
        before = (read_standings(text, rated.round) or {}).get("suspended", {})
    known = {*before, *rated.standings.get("by_order", ())}
    return {player: because for player, because in now.items() if player not in known}


def _read_programs(text: str, match_id: str) -> dict[str, dict[str, str | None]]:
    """Return by player and file the file's SHA-256, None if unread, from JSON; StoreError if unreadable."""
    with explain_unreadable(f"the programs of match {match_id}"):
        return {player: dict(files) for player, files in json.loads(text).items()}


def _earlier_record_text(match_id: str) -> str:
    return f"the earlier record of match {match_id}"
