"""A store on a PostgreSQL server: address, connections, coordinator lock, errors.

The coordinator holds an advisory lock for one season on the connection that it writes on. If the connection
breaks, the lock is free for others; but nothing more is written here before it is taken again on a new
connection. A server notices the end of a process at once, that of a machine or network by TCP keepalives
within about a minute.
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
# Unless the address has them: a lost server or network is noticed within a minute.
DEFAULTS = {
    "application_name": "arbiter",
    "client_encoding": "utf8",
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
# By SQLSTATE: PostgreSQL's manual, appendix A.
MEANINGS = {
    "25006": "the store is read-only (a standby?); name a writable server",
    "53100": "the server's disk is full; what was stored before stays",
    "53300": "the server has no connections left; close some, or raise its max_connections",
    "55P03": "locked by another program; wait for it or end it",
}
AWAY = ("57P01", "57P02", "57P03")
"""SQLSTATEs: the server shuts down, has crashed, or is not ready yet."""
SECRETS = ("password", "sslpassword")
"""Parameters of an address that no message shows."""
SCHEMA_LOCK = 0x61726269736D
"""The advisory lock for creating or changing tables."""
LOCKS = 0x61726269
"""The first key of the coordinators' advisory locks: "arbi", as shown in pg_locks."""
PATIENCE_MS = 1000
"""How long to wait for a lock: a server takes an instant to notice that its holder has ended."""
SETTINGS = {
    # The server drops the connection, and its lock, a minute after a machine is lost.
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    # Hours may pass between two matches.
    "idle_session_timeout": "0",
}
LONGEST_NAME = 63
"""The server truncates the name of a connection to this many bytes."""
WHO = sa.text("""
    SELECT holder.application_name
    FROM pg_locks JOIN pg_stat_activity AS holder USING (pid)
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = :locks
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (objid = :one OR objid = :whole AND mode = 'ExclusiveLock')
    ORDER BY holder.backend_start LIMIT 1
""")


def display_name(url: sa.URL) -> str:
    """Return the store's name for messages: server and database, without user and password."""
    host = url.host or url.query.get("host", "")
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{host}{port}/{url.database or ''}"


def place(name: str) -> str:
    """Return the name, which is canonical."""
    return name


def engine(url: sa.URL, _create: bool) -> sa.Engine:
    """Create an engine; StoreError for another driver than psycopg, or if that is not installed."""
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername=DRIVER)
    if url.drivername != DRIVER:
        raise StoreError(
            f"no driver for the store {display_name(url)!r}: write {DRIVER}://user@host/database"
        )
    options = {name: value for name, value in DEFAULTS.items() if name not in url.query}
    try:
        return sa.create_engine(
            url,
            connect_args=options,
            # After waiting for the schema lock a connection must see the tables that the other created.
            isolation_level="READ COMMITTED",
            # The server may have restarted since a connection was last used.
            pool_pre_ping=True,
            use_native_hstore=False,
        )
    except ImportError:
        raise StoreError(
            f"the store {display_name(url)} needs another package: pip install 'arbiter-cards[postgres]'"
        ) from None


def replacement_check(_name: str) -> None:
    """Return no check: a server's database is not replaced while a connection is open."""


def lock_schema(connection: sa.Connection) -> None:
    """Wait for the schema lock and hold it until the transaction ends."""
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(SCHEMA_LOCK)))


def check_not_hollow(_connection: sa.Connection, _name: str) -> None:
    """Do nothing: a server's own backups include all contents."""


def begin_snapshot(connection: sa.Connection) -> None:
    """Let all queries of the transaction see one snapshot."""
    connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def apply_settings(connection: sa.Connection) -> None:
    """Do nothing: a server needs no settings."""


def checkpoint(connection: sa.Connection) -> None:
    """Do nothing: the server writes its own checkpoints."""


def backup_command(url: sa.URL, target: Path) -> str:
    """Return a pg_dump command, which asks for the password if it needs one."""
    address = sa.URL.create("postgresql", url.username, None, url.host, url.port, url.database, url.query)
    told = address.difference_update_query(SECRETS).render_as_string()
    words = ["pg_dump", "--format=custom", f"--file={target}", f"--dbname={told}"]
    return shlex.join(words)


def insert_once(table: sa.Table) -> sa.Insert:
    """Return a statement that adds a row unless its key exists."""
    return insert(table).on_conflict_do_nothing()


def explain(error: DBAPIError) -> str:
    """Return the server's error, or why it does not answer, with the remedy."""
    # The server's SQLSTATE; None if no server answered.
    code, said = getattr(error.orig, "sqlstate", None), _relevant_line(error)
    if code in MEANINGS:
        return MEANINGS[code]
    if code == "42501":
        return f"{said}; the database's owner can grant it"
    if code is None and "password" in said:
        return f"{said}; set PGPASSWORD or write it to ~/.pgpass"
    if code is None and 'database "' in said:
        return f"{said}; createdb creates it"
    if error.connection_invalidated:
        return f"the connection was lost: {said}; what was stored before stays"
    if code is None:
        return f"{said}; is the server running, and is this its address?"
    return f"damaged or no store: {said}"


def is_alive(connection: sa.Connection) -> bool:
    """Return False if the server has closed an idle connection."""
    if connection.closed or connection.invalidated:
        return False
    driver: Any = connection.connection.dbapi_connection
    try:
        # Reads only what the server has sent already: a query would take as long as storing a match.
        driver.pgconn.consume_input()
    except connection.dialect.loaded_dbapi.Error:
        return False
    return True


def is_away(error: DBAPIError) -> bool:
    """Return True if no server answers, or it is starting, shutting down or recovering."""
    code = getattr(error.orig, "sqlstate", None)
    return isinstance(error, OperationalError) and (code is None or code in AWAY)


@contextmanager
def hold(store: Opened, season: str) -> Iterator[None]:
    """Hold the lock of a season, of the whole store for ""; StoreError names the holder."""
    with store.write_through(lambda connection: _lock(store, connection, season), _unlock):
        yield


def holder(store: Opened, season: str) -> str | None:
    """Return who holds the lock of a season, of any season for ""; None if it is free."""
    with store.reading() as connection:
        keys = {"locks": LOCKS, "whole": _key(connection, ""), "one": _key(connection, season)}
        found = connection.execute(WHO, keys).scalar()
    return None if found is None else from_short(found)


def short(process: int, host: str, since: datetime) -> str:
    """Return the holder as a connection's name: at most 63 ASCII bytes, long host names cut in the middle."""
    start = f"arbiter {process} {since:%Y-%m-%dT%H:%M:%SZ} "
    room = LONGEST_NAME - len(start)
    host = host.encode("ascii", "replace").decode()
    if len(host) > room:
        host = host[: room // 2 - 1] + ".." + host[-(room - room // 2 - 1) :]
    return start + host


def from_short(name: str) -> str:
    """Return the name of a connection in the wording of a lock file."""
    match name.split(" ", 3):
        case ["arbiter", process, since, host]:
            return f"process {process} on {host} since {since.replace('Z', '+00:00')}"
    return name or "another process"


def _lock(store: Opened, connection: sa.Connection, season: str) -> None:
    """Apply `SETTINGS`; lock a season, or for "" the store against all; StoreError after `PATIENCE_MS`."""
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
            # The server itself waits, and grants the lock as soon as a dying holder's one ends.
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
    """Free the locks now; closing the connection frees them only once the server notices."""
    connection.execute(sa.select(sa.func.pg_advisory_unlock_all()))


def _key(connection: sa.Connection, season: str) -> int:
    """Return the second key of a season's lock; each schema of a database may contain a store."""
    text = f"{connection.dialect.default_schema_name}/{season}"
    return int.from_bytes(sha256(text.encode()).digest()[:4]) >> 1


def _relevant_line(error: DBAPIError) -> str:
    """Return the error's relevant line: the server's message, or the reason at the end of the driver's."""
    diagnosis = getattr(error.orig, "diag", None)
    primary: str | None = getattr(diagnosis, "message_primary", None)
    if primary:
        return primary.splitlines()[0]
    lines = str(error.orig).splitlines() or ["no answer"]
    # For a server with several addresses the second line has the first one's error.
    line = lines[1] if lines[0].startswith("Multiple connection attempts") and lines[1:] else lines[0]
    reason = line.rpartition(" failed: ")[2].removeprefix("FATAL:")
    return " ".join(reason.split())
