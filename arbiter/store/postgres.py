"""A store on a PostgreSQL server: its address, how it is reached, who holds it, what its failures mean.

The coordinator holds an advisory lock of the connection that it writes on, for one season. When the
connection breaks, the lock is gone and somebody else may play; but then nothing more can be written
here either, before the lock is taken again on a new connection. A server learns at once of a process that
ends; of a machine or a network that ends, through TCP keepalives, in about a minute.
"""

from __future__ import annotations

import os
import platform
import shlex
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError, OperationalError

from arbiter.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arbiter.store.backend import Opened

DRIVER = "postgresql+psycopg"
# What the address does not say: a server that is gone, or a network that is, is noticed in a minute.
DEFAULTS = {
    "application_name": "arbiter",
    "client_encoding": "utf8",
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
# By the SQLSTATE that a server gives: PostgreSQL's manual, appendix A.
MEANINGS = {
    "25006": "the store is read-only (a standby?); name a server that may be written to",
    "53100": "the server's disk is full; what was stored before stays",
    "53300": "the server takes no more connections; end some, or raise its max_connections",
    "55P03": "locked by another program; wait for it or end it",
}
AWAY = ("57P01", "57P02", "57P03")
"""The SQLSTATEs of a server that shuts down, has crashed, or is not ready yet."""
SECRETS = ("password", "sslpassword")
"""The parameters of an address that no message shows."""
SCHEMA_LOCK = 0x61726269736D
"""The advisory lock for making or changing the tables."""
LOCKS = 0x61726269
"""The first key of all our advisory locks: "arbi", to be seen in pg_locks."""
PATIENCE_MS = 1000
"""The wait for the lock: a server takes a moment to notice that its last holder has ended."""
SETTINGS = {
    # The server drops the connection, and the lock with it, a minute after a machine is gone.
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    # Hours may pass between two matches.
    "idle_session_timeout": "0",
}
LONGEST_NAME = 63
"""Bytes that a server keeps of the name of a connection."""
WHO = sa.text("""
    SELECT holder.application_name
    FROM pg_locks JOIN pg_stat_activity AS holder USING (pid)
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = :locks
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (objid = :one OR objid = :whole AND mode = 'ExclusiveLock')
    ORDER BY holder.backend_start LIMIT 1
""")


def shown(url: sa.URL) -> str:
    """Return the name of the store in messages: server and database, without user and password."""
    host = url.host or url.query.get("host", "")
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{host}{port}/{url.database or ''}"


def place(name: str) -> str:
    """The name says it."""
    return name


def engine(url: sa.URL, _create: bool) -> sa.Engine:
    """Connections to the server; StoreError for another driver than ours, or where ours is missing."""
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername=DRIVER)
    if url.drivername != DRIVER:
        raise StoreError(f"no driver for the store {shown(url)!r}: write {DRIVER}://user@host/database")
    options = {name: value for name, value in DEFAULTS.items() if name not in url.query}
    try:
        return sa.create_engine(
            url,
            connect_args=options,
            # A connection that waits for the lock on the schema must then see what the other made.
            isolation_level="READ COMMITTED",
            # A server may have been started anew since a connection was last used.
            pool_pre_ping=True,
            use_native_hstore=False,
        )
    except ImportError:
        raise StoreError(
            f"the store {shown(url)} needs another package: pip install 'arbiter-cards[postgres]'"
        ) from None


def staying(_name: str) -> None:
    """A server's database is not exchanged while a connection to it is open."""


def lock_schema(connection: sa.Connection) -> None:
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(SCHEMA_LOCK)))


def refuse_hollow(_connection: sa.Connection, _name: str) -> None:
    """A server copies databases whole."""


def begin_snapshot(connection: sa.Connection) -> None:
    connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def settle(connection: sa.Connection) -> None:
    """A server needs nothing set."""


def checkpoint(connection: sa.Connection) -> None:
    """A server sees to it."""


def copying(url: sa.URL, target: Path) -> str:
    """The server's own program, which asks for the password where it needs one."""
    address = sa.URL.create("postgresql", url.username, None, url.host, url.port, url.database, url.query)
    told = address.difference_update_query(SECRETS).render_as_string()
    words = ["pg_dump", "--format=custom", f"--file={target}", f"--dbname={told}"]
    return shlex.join(words)


def insert_once(table: sa.Table) -> sa.Insert:
    return insert(table).on_conflict_do_nothing()


def explain(error: DBAPIError) -> str:
    """Return what a server says, or why it says nothing, in words that tell what to do."""
    # The server's SQLSTATE; None where no server answered.
    code, said = getattr(error.orig, "sqlstate", None), _said(error)
    if code in MEANINGS:
        return MEANINGS[code]
    if code == "42501":
        return f"{said}; the database's owner can grant it to you"
    if code is None and "password" in said:
        return f"{said}; give it in PGPASSWORD or ~/.pgpass"
    if code is None and 'database "' in said:
        return f"{said}; createdb makes it"
    if error.connection_invalidated:
        return f"the connection is lost: {said}; what was stored before stays"
    if code is None:
        return f"{said}; is the server running, and is this its address?"
    return f"damaged or no store: {said}"


def lives(connection: sa.Connection) -> bool:
    """False if the server has ended an idle connection."""
    if connection.closed or connection.invalidated:
        return False
    driver: Any = connection.connection.dbapi_connection
    try:
        # What the server has said already, without asking it: that would take as long as to store a match.
        driver.pgconn.consume_input()
    except connection.dialect.loaded_dbapi.Error:
        return False
    return True


def is_away(error: DBAPIError) -> bool:
    """True where no server answers, and where it says that it starts, ends or recovers."""
    code = getattr(error.orig, "sqlstate", None)
    return isinstance(error, OperationalError) and (code is None or code in AWAY)


@contextmanager
def held(store: Opened, season: str) -> Iterator[None]:
    """Play alone on a season, on all where none is named; StoreError names who already does."""
    with store.only_through(lambda connection: _lock(store, connection, season), _unlock):
        yield


def holder(store: Opened, season: str) -> str | None:
    """Return who plays on a season now, or on any of the store where none is named; None if nobody does."""
    with store.reading() as connection:
        keys = {"locks": LOCKS, "whole": _key(connection, ""), "one": _key(connection, season)}
        found = connection.execute(WHO, keys).scalar()
    return None if found is None else from_short(found)


def short(process: int, host: str, since: datetime) -> str:
    """Return the holder as the name of a connection: 63 bytes of ASCII at most, long hosts cut within."""
    start = f"arbiter {process} {since:%Y-%m-%dT%H:%M:%SZ} "
    room = LONGEST_NAME - len(start)
    host = host.encode("ascii", "replace").decode()
    if len(host) > room:
        host = host[: room // 2 - 1] + ".." + host[-(room - room // 2 - 1) :]
    return start + host


def from_short(name: str) -> str:
    """The name of a connection in the words that a lock file has."""
    match name.split(" ", 3):
        case ["arbiter", process, since, host]:
            return f"process {process} on {host} since {since.replace('Z', '+00:00')}"
    return name or "another process"


def _lock(store: Opened, connection: sa.Connection, season: str) -> None:
    """Take the lock on a season, or on the whole store, which excludes every season's."""
    sql = sa.func
    settings = SETTINGS | {"application_name": short(os.getpid(), platform.node(), datetime.now(UTC))}
    whole, one = _key(connection, ""), _key(connection, season)
    if season:
        locks = [sql.pg_advisory_lock_shared(LOCKS, whole), sql.pg_advisory_lock(LOCKS, one)]
    else:
        locks = [sql.pg_advisory_lock(LOCKS, whole)]
    with connection.begin():
        known = sa.table("pg_settings", sa.column("name", sa.Text))
        for name, value in settings.items():
            # Older servers lack some of them.
            there = sa.select(sql.set_config(known.c.name, value, False)).where(known.c.name == name)
            connection.execute(there)
    try:
        with connection.begin():
            # The server itself waits, and wakes at the moment a dying holder's lock ends.
            connection.execute(sa.select(sql.set_config("lock_timeout", str(PATIENCE_MS), True)))
            for lock in locks:
                connection.execute(sa.select(lock))
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) != "55P03":
            raise
        what = f"season {season} of {store.name}" if season else store.name
        who = holder(store, season) or "another process"
        raise StoreError(f"{what} is being played on by {who}") from None


def _unlock(connection: sa.Connection) -> None:
    """Closing the connection alone would do, but only once the server has noticed."""
    connection.execute(sa.select(sa.func.pg_advisory_unlock_all()))


def _key(connection: sa.Connection, season: str) -> int:
    """The second key of a season's lock; a database may keep a store in each of its schemas."""
    text = f"{connection.dialect.default_schema_name}/{season}"
    return int.from_bytes(sha256(text.encode()).digest()[:4]) >> 1


def _said(error: DBAPIError) -> str:
    """The one line that matters: the server's own, or the reason at the end of the driver's."""
    diagnosis = getattr(error.orig, "diag", None)
    primary: str | None = getattr(diagnosis, "message_primary", None)
    if primary:
        return primary.splitlines()[0]
    lines = str(error.orig).splitlines() or ["no answer"]
    # Of several addresses of a server, the first one's failure stands in the second line.
    line = lines[1] if lines[0].startswith("Multiple connection attempts") and lines[1:] else lines[0]
    reason = line.rpartition(" failed: ")[2].removeprefix("FATAL:")
    return " ".join(reason.split())
