"""A database that seasons are kept in: opened, made or migrated, its failures in one line each.

What differs between SQLite and PostgreSQL stands in the modules of their names; everything else is
one SQL for both.
"""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from arbiter.errors import NoStore, StoreError, came_of_a_signal
from arbiter.store import db_schema, migrations, rating_briefs, seats
from arbiter.store.address import SCHEME, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

RETURN_SECONDS = 60.0
"""The seconds that a coordinator waits for a server that is started anew or recovers."""
AGAIN_SECONDS = 0.2
FILLED = "0010"
"""The version of the schema from which on seats and ratings in brief are written with what they are of."""
FETCHED = 100
"""Rows fetched at a time: a match's record has some 3 kB, and a season may have a million matches."""
HINT = "write sqlite:///file.sqlite or postgresql+psycopg://user@host/database"

AT_ONCE = 500
"""Values in one query."""

for _library in ("sqlalchemy.pool", "psycopg"):
    # What they say of a lost connection, with tracebacks, we say in one line.
    logging.getLogger(_library).addHandler(logging.NullHandler())


class LostConnection(StoreError):
    """The server went away; whether it has done what it was asked last is not known."""


class Database:
    """One database. Opening it makes or migrates the schema; StoreError with one line if it cannot.

    With `create` false nothing is made where there is no store yet; that is a NoStore.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        self.url = url
        address = parsed(url)
        kind = kind_of(address.drivername)
        if kind is None:
            raise StoreError(f"no driver for the store {address.drivername}://...: {HINT}")
        self.kind = kind
        self.name = self.kind.shown(address)
        self._engine = self.kind.engine(address, create)
        self._only: sa.Connection | None = None
        self._take: Callable[[sa.Connection], None] | None = None
        self._inserts: dict[str, sa.Insert] = {}
        self._checks: list[Callable[[], None]] = []
        try:
            with self.explained():
                self._settle_schema(create)
        except BaseException:
            self.close()
            raise
        if staying := self.kind.staying(self.name):
            self._checks.append(staying)

    @classmethod
    def reopened(cls, url: str, before: Self | None, *, create: bool = True) -> Self:
        """Return the store that was opened `before`, or a new one where its file is no longer the same."""
        if before is not None:
            with suppress(StoreError):
                before.check()
                return before
            before.close()
        return cls(url, create=create)

    @property
    def place(self) -> str:
        """The place, spelled in one way: two stores of one place are the same."""
        return self.kind.place(self.name)

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def insert_once(self, connection: sa.Connection, table: sa.Table, values: Mapping[str, Any]) -> bool:
        """Add a row; False if one with its key is there, or is just being added by somebody else."""
        insert = self._inserts.get(table.name)
        if insert is None:
            # To build a statement takes longer than to execute it.
            insert = self.kind.insert_once(table).execution_options(preserve_rowcount=True)
            self._inserts[table.name] = insert
        return connection.execute(insert, values).rowcount == 1

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """One transaction; its failures are StoreErrors of one line."""
        self.check()
        with self.explained():
            if self._take is None:
                with self._engine.begin() as connection:
                    yield connection
                return
            with self._holding(self._take).begin() as transaction:
                yield transaction.connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection for queries."""
        with self.explained(), self._connected() as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        """The same, and all that it reads is as it is at one moment."""
        with self.reading() as connection:
            self.kind.begin_snapshot(connection)
            yield connection

    def check(self) -> None:
        """StoreError where nothing may be written any more."""
        for check in self._checks:
            check()

    @contextmanager
    def checking(self, check: Callable[[], None]) -> Iterator[None]:
        """Call this before each write, too."""
        self._checks.append(check)
        try:
            yield
        finally:
            self._checks.remove(check)

    @contextmanager
    def only_through(
        self, take: Callable[[sa.Connection], None], give_back: Callable[[sa.Connection], None]
    ) -> Iterator[None]:
        """Write on one connection alone, on which `take` has succeeded, until `give_back` at the end.

        Once it is lost, another one is waited for, on which `take` succeeds again.
        """
        with self.explained():
            self._take = take
            try:
                self._holding(take)
                yield
            finally:
                self._take, held, self._only = None, self._only, None
                if held is not None:
                    with suppress(DBAPIError), held:
                        give_back(held)

    def checkpoint(self) -> None:
        """See to it that a copy of an SQLite file alone has all that is stored; readers delay nobody."""
        with self.reading() as connection:
            self.kind.checkpoint(connection)

    def held(self, season: str = "") -> AbstractContextManager[None]:
        """Play alone on a season, or on all of the store; StoreError names who already does.

        The hold ends with the process that has it, so that nobody waits for a lease to run out after a
        crash. On a server each season can be held apart; a file is always held whole.
        """
        return self.kind.held(self, season)

    def holder(self, season: str = "") -> str | None:
        """Return who plays on a season now, or on any of the store if none is named; None if nobody does."""
        return self.kind.holder(self, season)

    def _holding(self, take: Callable[[sa.Connection], None]) -> sa.Connection:
        """The connection on which `take` has succeeded, a new one where that is lost."""
        if self._only is not None and not self.kind.lives(self._only):
            self._only.close()
            self._only = None
        if self._only is None:
            connection = self._connected()
            try:
                connection.detach()
                take(connection)
            except BaseException:
                connection.close()
                raise
            self._only = connection
        return self._only

    def _connected(self) -> sa.Connection:
        """Return a connection; a coordinator waits for a server that is away for a moment."""
        until = time.monotonic() + (RETURN_SECONDS if self._take else 0)
        while True:
            try:
                return self._engine.connect()
            except DBAPIError as error:
                waiting = self.kind.is_away(error) and not came_of_a_signal(error)
                if time.monotonic() >= until or not waiting:
                    raise
            time.sleep(AGAIN_SECONDS)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Database errors as StoreErrors that say what to do; what an interrupt caused as an interrupt."""
        try:
            yield
        except SQLAlchemyError as error:
            if came_of_a_signal(error):
                raise KeyboardInterrupt from None
            if not isinstance(error, DBAPIError):
                raise
            lost = error.connection_invalidated or self.kind.is_away(error)
            said = f"{self.name}: {self.kind.explain(error)}"
            raise (LostConnection if lost else StoreError)(said) from None

    def _settle_schema(self, create: bool) -> None:
        """Make the tables in an empty database, migrate an older one, refuse a newer one."""
        with self._engine.connect() as connection:
            tables = set(sa.inspect(connection).get_table_names())
            if {db_schema.version.name, db_schema.seasons.name} <= tables:
                found = connection.execute(sa.select(db_schema.version.c.version_num)).scalar()
            elif tables:
                raise StoreError(f"{self.name} is a database of something else: name another store")
            else:
                self.kind.refuse_hollow(connection, self.name)
                found = None
        if found is None:
            if not create:
                raise NoStore(f"there is no store {self.name} yet: play a round first")
            self._make_tables()
        elif found > db_schema.HEAD:
            raise StoreError(
                f"{self.name} has schema {found}, newer than this program's {db_schema.HEAD}: upgrade arbiter"
            )
        elif found != db_schema.HEAD:
            self._upgrade()
        if create:
            with self._engine.connect() as connection:
                self.kind.settle(connection)

    def _upgrade(self) -> None:
        """Bring the tables of an older store up to date; of two programs one does it."""
        with self._engine.begin() as connection:
            self.kind.lock_schema(connection)
            before = migrations.upgrade(connection)
            if before < FILLED:
                seats.fill(connection)
                rating_briefs.fill(connection)

    def _make_tables(self) -> None:
        with self._engine.begin() as connection:
            self.kind.lock_schema(connection)
            if sa.inspect(connection).has_table(db_schema.version.name):
                return
            migrations.make(connection)


class Book:
    """The rows that a store keeps of one season under some head."""

    def __init__(self, store: Database, season: int) -> None:
        self._store, self._id = store, season

    def _own(self, *columns: Any, **wanted: object) -> sa.Select[Any]:
        """A query for columns of the season's rows, those that have the `wanted` values."""
        return sa.select(*columns).filter_by(season_id=self._id, **wanted)

    def _all(self, query: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        with self._store.reading() as connection:
            return connection.execute(query).all()

    def _rows(self, query: sa.Select[Any]) -> Iterator[sa.Row[Any]]:
        """Rows, at most `FETCHED` of them in memory."""
        with (
            self._store.reading() as connection,
            connection.execution_options(yield_per=FETCHED).execute(query) as rows,
        ):
            yield from rows

    def _among(
        self, query: sa.Select[Any], column: sa.ColumnElement[Any], values: Iterable[str]
    ) -> Iterator[sa.Row[Any]]:
        """The rows that have one of these values in a column, asked for `AT_ONCE` values at a time."""
        asked = sorted(values)
        for start in range(0, len(asked), AT_ONCE):
            yield from self._all(query.where(column.in_(asked[start : start + AT_ONCE])))

    def _scalar(self, query: sa.Select[Any]) -> Any:
        """The first row's first column, None if there is no row."""
        with self._store.reading() as connection:
            return connection.execute(query).scalar()

    def _write(self, statement: sa.Executable) -> None:
        """Execute a statement in a transaction of its own."""
        with self._store.transaction() as connection:
            connection.execute(statement)


def parsed(url: str) -> sa.URL:
    """An address in its parts; StoreError for what is none."""
    if url.startswith(SCHEME):
        return sa.URL.create("sqlite", database=url.removeprefix(SCHEME) or None)
    try:
        return sa.make_url(url)
    except (ArgumentError, ValueError):
        # Without what stands before the host, which may be a password.
        rest = url.rpartition("@")[2].partition("?")[0]
        raise StoreError(f"not a store: {rest!r} ({HINT})") from None
