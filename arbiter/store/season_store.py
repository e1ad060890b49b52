"""A store and its seasons: rounds, standings, run state; each change is one transaction."""

from __future__ import annotations

import json
from datetime import UTC
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.store import db_schema
from arbiter.store.announcements import AnnouncementStore
from arbiter.store.audit import CONSOLE, AuditLog, timestamp
from arbiter.store.authors import AuthorStore
from arbiter.store.clarifications import ClarificationStore
from arbiter.store.controls import ControlStore
from arbiter.store.database import Database
from arbiter.store.deliveries import DeliveryStore
from arbiter.store.event_log import FROZEN, EventKind, LoggedEvent, event_of, log_event, since_freeze
from arbiter.store.integrity_reports import IntegrityReportStore
from arbiter.store.invitations import InvitationStore
from arbiter.store.matches import Matches
from arbiter.store.members import MemberStore
from arbiter.store.orders import OrderStore, RatedRound, raise_revision, store_standings
from arbiter.store.rating_briefs import Brief, read_brief
from arbiter.store.request_queue import RequestStore
from arbiter.store.reviews import ReviewStore
from arbiter.store.row_values import (
    PlannedRound,
    StoredRound,
    read_json,
    read_planned,
    read_standings,
    read_tables,
)
from arbiter.store.submission_files import SubmissionFiles
from arbiter.store.submissions import SubmissionStore
from arbiter.store.unstored_plays import OutageStore, UnstoredTokenStore, VoidPlayStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime


class SeasonStore(Matches):
    """One season in the database; each method is a query or a transaction."""

    def __init__(
        self, store: Database, number: int, name: str, game: str, seed: str, who: str = CONSOLE
    ) -> None:
        super().__init__(store, number)
        self.name, self.game, self.seed = name, game, seed
        self.orders = OrderStore(store, number, who)
        self.running = ControlStore(store, number, name)
        self.authors = AuthorStore(store, number)
        self.members = MemberStore(store, number)
        self.invitations = InvitationStore(store, number)
        self.submissions = SubmissionStore(store, number)
        self.submission_files = SubmissionFiles(store, number)
        self.requests = RequestStore(store, number)
        self.audit = AuditLog(store, number)
        self.deliveries = DeliveryStore(store, number)
        self.reviews = ReviewStore(store, number)
        self.unstored_tokens = UnstoredTokenStore(store, number)
        self.voids = VoidPlayStore(store, number)
        self.outages = OutageStore(store, number)
        self.questions = IntegrityReportStore(store, number)
        self.announcements = AnnouncementStore(store, number)
        self.clarifications = ClarificationStore(store, number)

    def by(self, who: str) -> SeasonStore:
        """Return the same season with its orders given by this person."""
        return SeasonStore(self._store, self._id, self.name, self.game, self.seed, who)

    def others(self) -> list[SeasonStore]:
        """Return the other seasons of the store, in order of creation."""
        table = db_schema.seasons
        query = sa.select(table).where(table.c.id != self._id).order_by(table.c.id)
        return [SeasonStore(self._store, row.id, row.name, row.game, row.seed) for row in self._all(query)]

    def holder(self) -> str | None:
        """Return the coordinator that plays the season now, or None."""
        return self._store.holder(self.name)

    def last_event(self) -> int:
        """Return the number of the last public event, 0 before the first."""
        return self._scalar(sa.select(db_schema.seasons.c.events).filter_by(id=self._id)) or 0

    def last_change(self) -> tuple[int, int]:
        """Return the numbers of the last public event and of the revision; every change raises one."""
        table = db_schema.seasons.c
        rows = self._all(sa.select(table.events, table.revision).filter_by(id=self._id))
        return (rows[0].events or 0, rows[0].revision or 0) if rows else (0, 0)

    def events(self, after: int, limit: int) -> list[LoggedEvent]:
        """Return the first `limit` public events with numbers above `after`, in order."""
        table = db_schema.events.c
        # The second condition suffices; the first one uses the key.
        query = self._own(db_schema.events).where(table.number > after, table.shown > after)
        query = query.order_by(table.number).limit(limit)
        return [event_of(row)._replace(number=row.shown) for row in self._rows(query)]

    def events_frozen(self, last_round: int) -> tuple[int, list[LoggedEvent]]:
        """Return the number of the event that froze results after a round, and the public events since."""
        with self._store.reading() as connection:
            return since_freeze(connection, self._id, last_round)

    @property
    def complete(self) -> int:
        """The number of complete rounds."""
        return sum(known.complete for known in self.plan())

    def rounds(self) -> list[StoredRound]:
        """Return all planned rounds, in order."""
        return [
            StoredRound(
                row.number,
                row.digest,
                read_tables(row.tables, row.number),
                row.complete,
                read_planned(row.planned, row.number),
            )
            for row in self._rows(self._own(db_schema.rounds).order_by(db_schema.rounds.c.number))
        ]

    def plan(self) -> list[PlannedRound]:
        """Return all planned rounds without their tables, in order."""
        table = db_schema.rounds.c
        query = self._own(table.number, table.digest, table.complete, table.planned).order_by(table.number)
        return [
            PlannedRound(row.number, row.digest, row.complete, read_planned(row.planned, row.number))
            for row in self._all(query)
        ]

    def tables(self, number: int) -> tuple[tuple[str, ...], ...]:
        """Return the players of each table of a round; empty if it is not planned."""
        found = self._scalar(self._own(db_schema.rounds.c.tables, number=number))
        return () if found is None else read_tables(found, number)

    def add_round(
        self,
        number: int,
        digest: str,
        tables: Sequence[Sequence[str]],
        settings: Mapping[str, Any],
        revision: int | None = None,
        planned_at: datetime | None = None,
    ) -> StoredRound:
        """Store a planned round and its config's settings, before its first match is played.

        Outdated if the season's revision is no longer the one at which it was planned.
        """
        row = {
            "season_id": self._id,
            "number": number,
            "digest": digest,
            "tables": json.dumps([list(names) for names in tables]),
            "complete": False,
            "planned": None if planned_at is None else planned_at.astimezone(UTC).isoformat(),
        }
        with self._store.transaction() as connection:
            raise_revision(connection, self._id, revision)
            self._insert_settings(connection, digest, settings)
            connection.execute(sa.insert(db_schema.rounds).values(row))
            log_event(connection, self._id, EventKind.ROUND, number)
        return StoredRound(number, digest, tuple(map(tuple, tables)), False, planned_at)

    def drop_round(self, number: int) -> None:
        """Delete the plan of a round; the caller has checked that it has no matches."""
        self._write(sa.delete(db_schema.rounds).filter_by(season_id=self._id, number=number))

    def programs(self) -> dict[int, dict[str, dict[str, str | None]]]:
        """Return by round, player and file the file's SHA-256, None if unread; only rounds that have them."""
        table = db_schema.rounds.c
        rows = self._rows(
            self._own(table.number, table.programs).where(table.programs.is_not(None)).order_by(table.number)
        )
        return {
            row.number: read_json(row.programs, f"the programs of round {row.number}") or {} for row in rows
        }

    def keep_programs(self, number: int, programs: Mapping[str, Mapping[str, str | None]]) -> None:
        """Store the programs that a round is played with, before its first match."""
        planned = sa.update(db_schema.rounds).filter_by(season_id=self._id, number=number)
        self._write(planned.values(programs=json.dumps(programs)))

    def keep_settings(self, digest: str, settings: Mapping[str, Any]) -> None:
        """Store the settings of a config that plans matches without rounds, unless they are stored."""
        with self._store.transaction() as connection:
            self._insert_settings(connection, digest, settings)

    def _insert_settings(self, connection: sa.Connection, digest: str, settings: Mapping[str, Any]) -> None:
        """Store a config's settings by its digest, within a transaction, unless they are stored."""
        row = {"season_id": self._id, "digest": digest, "settings": json.dumps(dict(settings))}
        self._store.insert_once(connection, db_schema.configs, row)

    def digests(self) -> list[str]:
        """Return the digests of all stored configs of the season."""
        return [row.digest for row in self._rows(self._own(db_schema.configs.c.digest))]

    def settings(self, digest: str) -> dict[str, Any] | None:
        """Return the settings of the config with this digest, None if not stored."""
        return read_json(self._scalar(self._own(db_schema.configs.c.settings, digest=digest)), "a config")

    def last_settings(self) -> dict[str, Any] | None:
        """Return the settings of the last round's config, None if they are not stored."""
        rounds, kept = db_schema.rounds, db_schema.configs
        query = (
            sa.select(kept.c.settings)
            .join(rounds, sa.and_(rounds.c.season_id == kept.c.season_id, rounds.c.digest == kept.c.digest))
            .where(kept.c.season_id == self._id)
            .order_by(rounds.c.number.desc())
            .limit(1)
        )
        return read_json(self._scalar(query), "a config")

    def complete_round(
        self,
        number: int,
        standings: dict[str, Any],
        revision: int | None = None,
        ranking: bytes | None = None,
    ) -> None:
        """Mark a round whose matches are all stored as complete, and store the standings after it.

        `ranking` is their packed uncertainty. Outdated if the season's revision is no longer theirs.
        """
        with self._store.transaction() as connection:
            raise_revision(connection, self._id, revision)
            mine = sa.update(db_schema.rounds).filter_by(season_id=self._id, number=number)
            connection.execute(mine.values(complete=True))
            store_standings(connection, self._id, RatedRound(number, standings, ranking))
        self._store.checkpoint()

    def standings(self, number: int) -> dict[str, Any] | None:
        """Return the stored standings after a round, None if there are none."""
        return read_standings(self._scalar(self._own(db_schema.ratings.c.standings, round=number)), number)

    def ranking(self, number: int) -> bytes | None:
        """Return the packed uncertainty of the ratings after a round, None if not stored."""
        found: bytes | None = self._scalar(self._own(db_schema.rankings.c.ranking, round=number))
        return found

    def briefs(self, rounds: Sequence[int]) -> Iterator[tuple[int, Brief]]:
        """Yield rounds with their packed ratings, in order, for those of `rounds` that have them."""
        table = db_schema.ratings.c
        query = self._own(table.round, table.brief).where(table.round.in_(rounds), table.brief.is_not(None))
        for row in self._rows(query.order_by(table.round)):
            yield row.round, read_brief(row.brief, f"the ratings of round {row.round}")

    def ask_to_stop(self, asked: bool = True) -> None:
        """Store a request that the coordinator stops, or withdraw it."""
        table = db_schema.seasons
        changes = table.c.stop_asked.is_(None) if asked else table.c.stop_asked.is_not(None)
        update = (
            sa.update(table)
            .where(table.c.id == self._id, changes)
            .values(stop_asked=timestamp() if asked else None)
        )
        with self._store.transaction() as connection:
            if connection.execute(update).rowcount:
                log_event(connection, self._id, EventKind.STATE, 0, "stopping" if asked else "playing")

    def is_asked_to_stop(self) -> bool:
        """Return True if a stop was requested, or the season is paused."""
        wishes = sa.func.coalesce(db_schema.seasons.c.stop_asked, db_schema.seasons.c.paused)
        return self._scalar(sa.select(wishes).filter_by(id=self._id)) is not None

    def record_file(self, file: str) -> None:
        """Record the season file that the season is played from."""
        if self._scalar(sa.select(db_schema.seasons.c.file).filter_by(id=self._id)) != file:
            self._write(sa.update(db_schema.seasons).filter_by(id=self._id).values(file=file))

    def seed_told(self) -> int | None:
        """Return how many rounds may be played despite the published seed; None while it is secret."""
        told: int | None = self._scalar(sa.select(db_schema.seasons.c.seed_told).filter_by(id=self._id))
        return told

    def publish_seed(self, rounds: int) -> None:
        """Record the publication of the seed, and how many rounds may still be played; never fewer."""
        table = db_schema.seasons.c
        secret = sa.or_(table.seed_told.is_(None), table.seed_told < rounds)
        update = sa.update(db_schema.seasons).where(table.id == self._id, secret).values(seed_told=rounds)
        with self._store.transaction() as connection:
            if connection.execute(update).rowcount:
                log_event(connection, self._id, EventKind.STATE, rounds, "over")

    def freeze(self, round_number: int) -> None:
        """Store that the public does not see results after this round until the seed is published."""
        with self._store.transaction() as connection:
            log_event(connection, self._id, EventKind.STATE, round_number, FROZEN)

    def frozen_after(self) -> int | None:
        """Return the round after which results are held back; None if they are not."""
        if self.seed_told() is not None:
            return None
        found: int | None = self._scalar(self._own(sa.func.min(db_schema.events.c.round), subject=FROZEN))
        return found


class Store(Database):
    """A database and the seasons in it; each method is a query or a transaction."""

    def season(self, name: str) -> SeasonStore | None:
        """Return the season of this name, or None."""
        with self.reading() as connection:
            row = connection.execute(sa.select(db_schema.seasons).filter_by(name=name)).one_or_none()
        return None if row is None else SeasonStore(self, row.id, row.name, row.game, row.seed)

    def seasons(self) -> list[str]:
        """Return the names of all seasons, in order of creation."""
        with self.reading() as connection:
            query = sa.select(db_schema.seasons.c.name).order_by(db_schema.seasons.c.id)
            return list(connection.execute(query).scalars())

    def changes(self) -> dict[str, tuple[int, int]]:
        """Return `last_change` of each season by name, in order of creation."""
        table = db_schema.seasons.c
        query = sa.select(table.name, table.events, table.revision).order_by(table.id)
        with self.reading() as connection:
            return {row.name: (row.events, row.revision) for row in connection.execute(query)}

    def drop_season(self, name: str) -> None:
        """Delete a season with all its rows, if it exists."""
        found = self.season(name)
        if found is None:
            return
        with self.transaction() as connection:
            for table in reversed(db_schema.metadata.sorted_tables):
                if "season_id" in table.c:
                    connection.execute(sa.delete(table).filter_by(season_id=found._id))
            connection.execute(sa.delete(db_schema.seasons).filter_by(id=found._id))

    def begun_from(self, file: str) -> list[str]:
        """Return the seasons with rounds that were last played from a file, in order of creation."""
        table = db_schema.seasons.c
        query = sa.select(table.name).where(
            table.file == file, table.id.in_(sa.select(db_schema.rounds.c.season_id))
        )
        with self.reading() as connection:
            return list(connection.execute(query.order_by(table.id)).scalars())

    def make_season(self, name: str, game: str, seed: str) -> SeasonStore:
        """Create a season; StoreError if the name is taken."""
        values = {"name": name, "game": game, "seed": seed, "created": timestamp()}
        with self.transaction() as connection:
            if not self.insert_once(connection, db_schema.seasons, values):
                raise StoreError(f"{self.name} holds a season {name} already")
        self.checkpoint()
        made = self.season(name)
        assert made is not None
        return made
