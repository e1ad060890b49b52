"""The matches of a season in a store.

A complete match is written in one transaction and never changed. So a process may be killed at any time: what
is stored is whole, and what is not stored is still to be played.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arbiter.match.packing import PackedMatch, pack_match, unpack
from arbiter.store import db_schema
from arbiter.store.database import LostConnection
from arbiter.store.event_log import EventKind, log_event
from arbiter.store.match_lists import MatchQueries
from arbiter.store.row_values import (
    StoredMatch,
    plan_order,
    plan_order_key,
    read_summary,
    row_of,
    stored_match,
)
from arbiter.store.seats import store_seats
from arbiter.store.tags import store_tags

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from arbiter.match.record import MatchRecord, MatchSummary


class Matches(MatchQueries):
    """The stored matches of one season: each method reads or writes the database."""

    def add_match(self, record: MatchRecord) -> bool:
        """Store a match; False if its id exists, and the stored one stays."""
        return self.add_packed(pack_match(record))

    def add_packed(self, match: PackedMatch) -> bool:
        """Store a match packed by the process that played it, again after LostConnection; see `add_match`."""
        row = {"season_id": self._id, "id": match.summary.id, "round": match.summary.round, **row_of(match)}
        try:
            return self._insert_match(match, row)
        except LostConnection:
            # It may have been stored: then this changes nothing.
            return self._insert_match(match, row)

    def _insert_match(self, match: PackedMatch, row: Mapping[str, Any]) -> bool:
        """Insert a match with its seats, tags and event in one transaction; False if its id exists."""
        with self._store.transaction() as connection:
            kept = self._store.insert_once(connection, db_schema.matches, row)
            if kept:
                store_seats(connection, self._id, [match.summary])
                store_tags(connection, self._id, match)
            if kept and match.summary.table is not None:
                log_event(connection, self._id, EventKind.MATCH, match.summary.round or 0, match.summary.id)
        return kept

    def match_ids(self, round_number: int) -> set[str]:
        """Return the ids of a round's stored matches."""
        return {row.id for row in self._rows(self._own(db_schema.matches.c.id, round=round_number))}

    def match(self, match_id: str) -> MatchRecord | None:
        """Return a match, None if it is not stored; StoreError if it cannot be read."""
        found = self.packed(match_id)
        return None if found is None else unpack(found, match_id)

    def packed(self, match_id: str) -> bytes | None:
        """Return a match's packed record, None if it is not stored."""
        found: bytes | None = self._scalar(self._own(db_schema.matches.c.record, id=match_id))
        return found

    def summaries(self, last_round: int | None = None, first_round: int = 1) -> list[MatchSummary]:
        """Return the summaries of the matches from the first to the last round, in the plan's order.

        Both rounds are included; None means all later ones.
        """
        table = db_schema.matches.c
        query = self._matches(table.id, table.summary).where(table.round >= first_round)
        if last_round is not None:
            query = query.where(table.round <= last_round)
        return [read_summary(row.summary, f"the record of match {row.id}") for row in self._rows(query)]

    def summaries_of(self, ids: Collection[str]) -> list[MatchSummary]:
        """Return the stored matches among these ids, in the plan's order."""
        table = db_schema.matches.c
        rows = self._among(self._own(table.id, table.summary), table.id, ids)
        # Sorted here: asked to sort, a database may read the whole season in that order.
        found = [read_summary(row.summary, f"the record of match {row.id}") for row in rows]
        return sorted(found, key=plan_order_key)

    def records(self, round_number: int | None = None) -> Iterator[MatchRecord]:
        """Yield the matches, of a round if given, in the plan's order."""
        query = self._matches(db_schema.matches.c.id, db_schema.matches.c.record)
        if round_number is not None:
            query = query.filter_by(round=round_number)
        for row in self._rows(query):
            yield unpack(row.record, row.id)

    def chain(self, last_round: int) -> tuple[str, int]:
        """Return a digest of all matches up to a round as they are stored, and their number.

        Each link is the SHA-256, in hex, of the previous link, the match's id and the SHA-256 of its stored
        bytes, with a blank between them; the link before the first match is "".
        """
        link, number = "", 0
        query = self._matches(db_schema.matches.c.id, db_schema.matches.c.record)
        for row in self._rows(query.where(db_schema.matches.c.round <= last_round)):
            link = sha256(f"{link} {row.id} {sha256(row.record).hexdigest()}".encode()).hexdigest()
            number += 1
        return link, number

    def wall_ns(self, round_number: int) -> int:
        """Return the total time of a round's stored matches, in ns."""
        return int(self._scalar(self._own(sa.func.sum(db_schema.matches.c.wall_ns), round=round_number)) or 0)

    def match_rounds(self) -> list[int]:
        """Return the rounds with stored matches, planned or not, in order."""
        column = db_schema.matches.c.round
        return [row.round for row in self._rows(self._own(column).distinct().order_by(column))]

    def stored_matches(self, round_number: int) -> Iterator[StoredMatch]:
        """Yield a round's matches in the plan's order; unreadable parts are None, `problem` is why."""
        table = db_schema.matches.c
        for row in self._rows(
            self._matches(table.id, table.summary, table.record).filter_by(round=round_number)
        ):
            yield stored_match(row.id, row.summary, row.record)

    def _matches(self, *columns: sa.Column[Any]) -> sa.Select[Any]:
        """Return a query for columns of the season's matches in the plan's order."""
        return self._own(*columns).order_by(*plan_order())
