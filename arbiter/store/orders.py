"""An organiser's orders in a store: matches annulled, players suspended. A log; nothing in it changes.

What depends on orders is written only if none was given since it was computed: each write that matters
counts the season's revision up, and fails where somebody else did so before.
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
from arbiter.store.audit import CONSOLE, note
from arbiter.store.database import Book
from arbiter.store.event_log import Happening, log
from arbiter.store.rating_briefs import brief_of
from arbiter.store.reviews import drop_review
from arbiter.store.row_values import legible, read_standings, read_summary, row_of
from arbiter.store.seats import seat
from arbiter.store.tags import keep_tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match.record import MatchSummary
    from arbiter.store.database import Database


class OrderKind(StrEnum):
    """The kind of an order on a match, or on a player."""

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


OF_MATCHES = frozenset(
    {OrderKind.ANNUL, OrderKind.REPLAY, OrderKind.UNDO, OrderKind.REPLAYED, OrderKind.RESTORED}
)

SUSPENDING = frozenset({OrderKind.SUSPEND, OrderKind.FAILED})

OF_PLAY = frozenset({OrderKind.REPLAYED, OrderKind.TRIED})
"""Given by the coordinator, not by an organiser."""


class Order(NamedTuple):
    """One order: `subject` is a match's id or a player's name as registered.

    `planned` and `complete` are the season's numbers of planned and of complete rounds at that moment;
    `programs` are those of the players of a match that was played again, None where they are not known.
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
    """All orders up to a revision of the season, the oldest first."""

    revision: int
    given: tuple[Order, ...]


class OrderBook(Book):
    """The orders of one season in a store."""

    def __init__(self, store: Database, season: int, who: str = CONSOLE) -> None:
        super().__init__(store, season)
        self._who = who

    def read(self) -> Orders:
        """All orders. One given meanwhile is there or not, but the revision is older than it."""
        with self._store.reading() as connection:
            query = sa.select(db_schema.seasons.c.revision).filter_by(id=self._id)
            revision = connection.execute(query).scalar() or 0
            found = []
            for table, subject in _SUBJECTS:
                columns = [c for c in table.c if c.name not in ("record", "wall_ns")]
                for row in connection.execute(self._own(*columns).order_by(table.c.number)):
                    name = getattr(row, subject.name)
                    before, programs = getattr(row, "summary", None), getattr(row, "programs", None)
                    order = Order(
                        OrderKind(row.verb), name, row.because, row.moment, row.planned, row.complete
                    )
                    if before is not None:
                        order = order._replace(before=read_summary(before, _earlier_record(name)))
                    if programs is not None:
                        order = order._replace(programs=_programs(programs, name))
                    found.append(order)
        return Orders(revision, tuple(found))

    def give(self, orders: Sequence[Order], revision: int, rated: RatedRound | None) -> None:
        """Keep orders and the standings that they change, after a round; Outdated if there is a newer one."""
        with self._store.transaction() as connection:
            count_up(connection, self._id, revision)
            self._keep(connection, orders)
            if rated is not None:
                keep_standings(connection, self._id, rated)

    def replace_match(
        self, match: PackedMatch, order: Order, revision: int, rated: RatedRound | None
    ) -> None:
        """Keep a match played again, and with `order` the one that it replaces; Outdated as `give`."""
        table = db_schema.matches.c
        with self._store.transaction() as connection:
            count_up(connection, self._id, revision)
            query = self._own(table.wall_ns, table.summary, table.record, id=match.summary.id)
            self._keep(connection, [order], dict(connection.execute(query).mappings().one()))
            mine = sa.update(db_schema.matches).filter_by(season_id=self._id, id=match.summary.id)
            connection.execute(mine.values(row_of(match)))
            seat(connection, self._id, [match.summary])
            keep_tags(connection, self._id, match, fresh=False)
            drop_review(connection, self._id, match.summary.id)
            kept = db_schema.annulments.c
            earlier = self._own(sa.func.count(kept.record), match_id=match.summary.id)
            run, number = connection.execute(earlier).scalar_one(), match.summary.round or 0
            log(connection, self._id, Happening.MATCH, number, match.summary.id)
            log(connection, self._id, Happening.REJUDGED, number, match.summary.id, run=run)
            if rated is not None:
                keep_standings(connection, self._id, rated)

    def earlier(self, match_id: str) -> list[PackedMatch]:
        """A match as it was each time before another took its place, the oldest first."""
        table = db_schema.annulments.c
        query = self._own(table.summary, table.wall_ns, table.record, match_id=match_id)
        return [
            PackedMatch(read_summary(row.summary, _earlier_record(match_id)), row.wall_ns, row.record)
            for row in self._all(query.where(table.record.is_not(None)).order_by(table.number))
        ]

    def _keep(
        self,
        connection: sa.Connection,
        orders: Sequence[Order],
        kept: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
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
                log(connection, self._id, Happening.SUSPENDED, order.planned + 1, **told)
            if order.verb not in OF_PLAY:
                note(connection, self._id, self._who, order.verb.value, order.subject, order.because)


_SUBJECTS = (
    (db_schema.annulments, db_schema.annulments.c.match_id),
    (db_schema.suspensions, db_schema.suspensions.c.player),
)


class Outdated(Exception):
    """Raised instead of a write that was computed before the last order or round."""


def count_up(connection: sa.Connection, season: int, revision: int | None) -> None:
    """Count a season's revision up; Outdated if one is given and it is no longer that."""
    column = db_schema.seasons.c.revision
    update = sa.update(db_schema.seasons).filter_by(id=season).values(revision=column + 1)
    if revision is not None:
        update = update.where(column == revision)
    if connection.execute(update).rowcount != 1:
        raise Outdated


class RatedRound(NamedTuple):
    """The standings after a round, and how sure they are, as `rating` packs it; None where it does not."""

    round: int
    standings: Mapping[str, Any]
    ranking: bytes | None = None


def keep_standings(connection: sa.Connection, season: int, rated: RatedRound) -> None:
    """Keep the standings after a round, in the place of earlier ones, and tell of it and who is suspended."""
    number, standings, ranking = rated
    table = db_schema.ratings
    for player, because in _suspended_newly(connection, season, rated).items():
        log(connection, season, Happening.SUSPENDED, number + 1, player=player, because=because)
    connection.execute(sa.delete(table).filter_by(season_id=season, round=number))
    row = {"season_id": season, "round": number, "standings": json.dumps(standings)}
    connection.execute(sa.insert(table).values(row | {"brief": brief_of(standings)}))
    # Of the last round alone: it is large, and what stood before is hardly ever asked for.
    connection.execute(sa.delete(db_schema.rankings).filter_by(season_id=season))
    if ranking is not None:
        kept = {"season_id": season, "round": number, "ranking": ranking}
        connection.execute(sa.insert(db_schema.rankings).values(kept))
    log(connection, season, Happening.STANDINGS, number)


def _suspended_newly(connection: sa.Connection, season: int, rated: RatedRound) -> dict[str, str]:
    """Return who is suspended by these standings and was not before, but for whom an order has suspended."""
    if "suspended" not in rated.standings or not (now := rated.standings["suspended"]):
        return {}
    table = db_schema.ratings.c
    last = sa.select(table.standings).where(table.season_id == season, table.round <= rated.round)
    text = connection.execute(last.order_by(table.round.desc()).limit(1)).scalar()
    before: Mapping[str, str] = {}
    with suppress(StoreError):
        # Those that are damaged may be the ones to be replaced.
        before = (read_standings(text, rated.round) or {}).get("suspended", {})
    known = {*before, *rated.standings.get("by_order", ())}
    return {player: because for player, because in now.items() if player not in known}


def _programs(text: str, match_id: str) -> dict[str, dict[str, str | None]]:
    with legible(f"the programs of match {match_id}"):
        return {player: dict(files) for player, files in json.loads(text).items()}


def _earlier_record(match_id: str) -> str:
    return f"the earlier record of match {match_id}"
