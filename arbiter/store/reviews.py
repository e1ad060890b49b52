"""The reviews of matches: at most one each, replaced by a new one, deleted when the match is replaced."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.store import db_schema
from arbiter.store.database import SeasonRows
from arbiter.store.event_log import EventKind, log_event
from arbiter.store.row_values import explain_unreadable
from arbiter.store.seats import key_of, name_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from arbiter.replay.match_review import Review


class ReviewBrief(NamedTuple):
    """The sums of a match's review by a program, in JSON values."""

    round: int
    match: str
    by: str
    budget_ms: int
    shape: Mapping[str, Any]


class ReviewStore(SeasonRows):
    """The stored reviews of one season: each method reads or writes the database."""

    def keep(
        self, round_number: int, review: Review, brief: Mapping[str, Any], record: bytes, digest: str
    ) -> bool:
        """Replace the review of a match by this one, and log it.

        If the match's record is not `record` now, only delete the earlier review and return False.
        """
        match_id = review["match"]
        row = {"season_id": self._id, "round": round_number, "match_id": match_id}
        row |= {"program": key_of(review["by"]), "digest": digest, "budget_ms": review["budget"]}
        row |= {"brief": json.dumps(dict(brief)), "review": pack_review(review)}
        with self._store.transaction() as connection:
            drop_review(connection, self._id, match_id)
            now = self._own(db_schema.matches.c.record, id=match_id)
            if connection.execute(now).scalar() != record:
                return False
            connection.execute(sa.insert(db_schema.reviews).values(row))
            log_event(connection, self._id, EventKind.REVIEW, round_number, match_id)
        return True

    def one(self, match_id: str) -> Review | None:
        """Return the review of a match, or None."""
        packed = self._scalar(self._own(db_schema.reviews.c.review, match_id=match_id))
        return None if packed is None else unpack_review(packed, match_id)

    def reviewed(self, round_number: int, digest: str, budget_ms: int) -> set[str]:
        """Return the matches of a round that a program, by its digest, has reviewed with this budget."""
        mine = self._own(db_schema.reviews.c.match_id, round=round_number, digest=digest, budget_ms=budget_ms)
        return {row.match_id for row in self._all(mine)}

    def briefs(self, matches: Collection[str]) -> Iterator[ReviewBrief]:
        """Yield the sums of the reviews of some matches, in no particular order."""
        table = db_schema.reviews.c
        query = self._own(table.round, table.match_id, table.program, table.budget_ms, table.brief)
        for row in self._among(query, table.match_id, matches):
            with explain_unreadable(f"the review of match {row.match_id}"):
                shape = json.loads(row.brief)
            yield ReviewBrief(row.round, row.match_id, name_of(row.program), row.budget_ms, shape)


def drop_review(connection: sa.Connection, season: int, match_id: str) -> None:
    """Delete the review of a match, if there is one."""
    connection.execute(sa.delete(db_schema.reviews).filter_by(season_id=season, match_id=match_id))


def pack_review(review: Review) -> bytes:
    return zlib.compress(json.dumps(review, separators=(",", ":")).encode())


def unpack_review(packed: bytes, match_id: str) -> Review:
    """Unpack a review; StoreError if it cannot be read."""
    try:
        return cast("Review", json.loads(zlib.decompress(packed)))
    except (zlib.error, ValueError) as error:
        raise StoreError(f"the review of match {match_id} cannot be read: {error}") from None
