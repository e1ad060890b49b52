"""A database of seasons: open, create or migrate it; transactions; errors as one line each.

What differs between SQLite and PostgreSQL is in the modules of their names; all other SQL is the same.
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
"""How long a coordinator waits for a server that restarts or recovers."""
AGAIN_SECONDS = 0.2
FILLED = "0010"
"""The schema version since which seats and rating briefs are written with their matches and standings."""
FETCHED = 100
"""Rows fetched at a time: a match record takes about 3 kB, and a season may have a million matches."""
HINT = "write sqlite:///file.sqlite or postgresql+psycopg://user@host/database"

AT_ONCE = 500
"""Values in one query."""

for _library in ("sqlalchemy.pool", "psycopg"):
    # They log tracebacks of a lost connection; `explained` reports it in one line.
    logging.getLogger(_library).addHandler(logging.NullHandler())


class LostConnection(StoreError):
    """The connection was lost; whether the last statement was executed is unknown."""


class Database:
    """One database. Opening it creates or migrates the schema; StoreError if that fails.

    With `create` false nothing is created: NoStore if there is no store yet.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        self.url = url
        address = parse_url(url)
        kind = kind_of(address.drivername)
        if kind is None:
            raise StoreError(f"no driver for the store {address.drivername}://...: {HINT}")
        self.kind = kind
        self.name = self.kind.display_name(address)
        self._engine = self.kind.engine(address, create)
        self._only: sa.Connection | None = None
        self._take: Callable[[sa.Connection], None] | None = None
        self._inserts: dict[str, sa.Insert] = {}
        self._checks: list[Callable[[], None]] = []
        self.written = 0
        """Transactions of this process so far."""
        try:
            with self.explain_errors():
                self._prepare_schema(create)
        except BaseException:
            self.close()
            raise
        if staying := self.kind.replacement_check(self.name):
            self._checks.append(staying)

    @classmethod
    def reopen(cls, url: str, before: Self | None, *, create: bool = True) -> Self:
        """Return the store opened `before`; if its file has been replaced, close it and open the `url`."""
        if before is not None:
            with suppress(StoreError):
                before.check()
                return before
            before.close()
        return cls(url, create=create)

    @property
    def place(self) -> str:
        """The canonical path or address: two stores of one place are the same."""
        return self.kind.place(self.name)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def insert_once(self, connection: sa.Connection, table: sa.Table, values: Mapping[str, Any]) -> bool:
        """Add a row; False if its key exists, or another transaction has just added it."""
        insert = self._inserts.get(table.name)
        if insert is None:
            # Cached: building a statement takes longer than executing it.
            insert = self.kind.insert_once(table).execution_options(preserve_rowcount=True)
            self._inserts[table.name] = insert
        return connection.execute(insert, values).rowcount == 1

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """Run the checks, then a transaction; errors of the database become StoreErrors of one line."""
        self.check()
        with self.explain_errors():
            if self._take is None:
                with self._engine.begin() as connection:
                    yield connection
            else:
                with self._connection_holding(self._take).begin() as transaction:
                    yield transaction.connection
        self.written += 1

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Yield a connection for queries; its errors become StoreErrors of one line."""
        with self.explain_errors(), self._connect() as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        """Yield a connection whose queries all read one snapshot."""
        with self.reading() as connection:
            self.kind.begin_snapshot(connection)
            yield connection

    def check(self) -> None:
        """Run all checks of the context: StoreError if nothing may be written any more."""
        for check in self._checks:
            check()

    @contextmanager
    def checking(self, check: Callable[[], None]) -> Iterator[None]:
        """Call this check, too, before each transaction within the context."""
        self._checks.append(check)
        try:
            yield
        finally:
            self._checks.remove(check)

    @contextmanager
    def write_through(
        self, take: Callable[[sa.Connection], None], give_back: Callable[[sa.Connection], None]
    ) -> Iterator[None]:
        """Write only on one connection, on which `take` has succeeded; call `give_back` at the end.

        If it is lost, wait for another one on which `take` succeeds again.
        """
        with self.explain_errors():
            self._take = take
            try:
                self._connection_holding(take)
                yield
            finally:
                self._take, held, self._only = None, self._only, None
                if held is not None:
                    with suppress(DBAPIError), held:
                        give_back(held)

    def checkpoint(self) -> None:
        """Move what is stored into the SQLite file itself, as far as readers allow; never wait for them."""
        with self.reading() as connection:
            self.kind.checkpoint(connection)

    def hold(self, season: str = "") -> AbstractContextManager[None]:
        """Hold the coordinator lock of a season, or of the whole store; StoreError names the holder.

        It ends with the process, so after a crash no lease has to expire. A server has a lock for each
        season, a file one for all.
        """
        return self.kind.hold(self, season)

    def holder(self, season: str = "") -> str | None:
        """Return who holds the lock of a season, or of any season if none is named; None if it is free."""
        return self.kind.holder(self, season)

    def _connection_holding(self, take: Callable[[sa.Connection], None]) -> sa.Connection:
        """Return the connection on which `take` has succeeded, a new one if it was lost."""
        if self._only is not None and not self.kind.is_alive(self._only):
            self._only.close()
            self._only = None
        if self._only is None:
            connection = self._connect()
            try:
                connection.detach()
                take(connection)
            except BaseException:
                connection.close()
                raise
            self._only = connection
        return self._only

    def _connect(self) -> sa.Connection:
        """Connect; a coordinator waits up to `RETURN_SECONDS` for a server that is unreachable."""
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
    def explain_errors(self) -> Iterator[None]:
        """Turn database errors into StoreError, LostConnection if lost, of a signal KeyboardInterrupt."""
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

    def _prepare_schema(self, create: bool) -> None:
        """Create or migrate the tables; NoStore for a new database if `create` is false.

        StoreError if they are of a newer version or of another program.
        """
        with self._engine.connect() as connection:
            tables = set(sa.inspect(connection).get_table_names())
            if {db_schema.version.name, db_schema.seasons.name} <= tables:
                found = connection.execute(sa.select(db_schema.version.c.version_num)).scalar()
            elif tables:
                raise StoreError(f"{self.name} is another program's database: name another store")
            else:
                self.kind.check_not_hollow(connection, self.name)
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
                self.kind.apply_settings(connection)

    def _upgrade(self) -> None:
        """Migrate the tables of an older store; of two processes one does it."""
        with self._engine.begin() as connection:
            self.kind.lock_schema(connection)
            before = migrations.upgrade(connection)
            if before < FILLED:
                seats.fill(connection)
                rating_briefs.fill(connection)

    def _make_tables(self) -> None:
        """Create the tables, unless another process has done it meanwhile."""
        with self._engine.begin() as connection:
            self.kind.lock_schema(connection)
            if sa.inspect(connection).has_table(db_schema.version.name):
                return
            migrations.make(connection)


class SeasonRows:
    """Base of the classes that read and write one season's rows on one subject."""

    def __init__(self, store: Database, season: int) -> None:
        self._store, self._id = store, season

    def _own(self, *columns: Any, **wanted: object) -> sa.Select[Any]:
        """Return a query for columns of the season's rows that have the `wanted` values."""
        return sa.select(*columns).filter_by(season_id=self._id, **wanted)

    def _all(self, query: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        """Execute a query and return all rows."""
        with self._store.reading() as connection:
            return connection.execute(query).all()

    def _rows(self, query: sa.Select[Any]) -> Iterator[sa.Row[Any]]:
        """Yield rows, at most `FETCHED` of them in memory."""
        with (
            self._store.reading() as connection,
            connection.execution_options(yield_per=FETCHED).execute(query) as rows,
        ):
            yield from rows

    def _among(
        self, query: sa.Select[Any], column: sa.ColumnElement[Any], values: Iterable[str]
    ) -> Iterator[sa.Row[Any]]:
        """Yield the rows with one of these values in a column, `AT_ONCE` values per query."""
        asked = sorted(values)
        for start in range(0, len(asked), AT_ONCE):
            yield from self._all(query.where(column.in_(asked[start : start + AT_ONCE])))

    def _scalar(self, query: sa.Select[Any]) -> Any:
        """Return the first column of the first row, None if there is no row."""
        with self._store.reading() as connection:
            return connection.execute(query).scalar()

    def _write(self, statement: sa.Executable) -> None:
        """Execute a statement in a separate transaction."""
        with self._store.transaction() as connection:
            connection.execute(statement)


def parse_url(url: str) -> sa.URL:
    """Parse an address; StoreError if it is invalid."""
    if url.startswith(SCHEME):
        return sa.URL.create("sqlite", database=url.removeprefix(SCHEME) or None)
    try:
        return sa.make_url(url)
    except (ArgumentError, ValueError):
        # Without what precedes the host: it may contain a password.
        rest = url.rpartition("@")[2].partition("?")[0]
        raise StoreError(f"not a store: {rest!r} ({HINT})") from None
