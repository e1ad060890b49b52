"""One coordinator a season: whoever plays holds it, and whoever comes second is told who that is.

Theory of operation. For SQLite the hold is a lock of the operating system on a file beside the
database, for the whole store. On a PostgreSQL server it is an advisory lock of a connection, for
one season. Either ends with the process that has it, however that ends, so nobody waits for a
lease to run out after a crash. A server learns at once of a process that ends; of a machine or a
network that ends, through TCP keepalives, in about a minute.

On a server the connection that holds is also the one that writes. When it breaks, the lock is
gone and somebody else may play; but then nothing more can be written here either.
"""

from __future__ import annotations

import fcntl
import os
import platform
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, OperationalError

from arbiter.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.store.store import Store

LOCKS = 0x61726269
"""The first key of all our advisory locks: "arbi", for whoever looks into pg_locks."""
LOOKED_AT_SECONDS = 0.2
PATIENCE_MS = 1000
"""How long a server is given to notice that whoever held before has ended."""
SETTINGS = {
    # The server drops the connection, and the lock with it, a minute after a machine is gone.
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    # Hours may pass between two matches.
    "idle_session_timeout": "0",
}
LONGEST_NAME = 63
WHO = sa.text("""
    SELECT holder.application_name
    FROM pg_locks JOIN pg_stat_activity AS holder USING (pid)
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = :locks
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (objid = :one OR objid = :whole AND mode = 'ExclusiveLock')
    ORDER BY holder.backend_start LIMIT 1
""")


@contextmanager
def held(store: Store, season: str = "") -> Iterator[None]:
    """Play alone on a season, or on all of a store; StoreError names whoever does already.

    On a server each season can be held apart; no name means all of them. A file is always held whole.
    """
    if store.on_server:
        with store.apart() as connection:
            _lock(store, connection, season)
            with store.only_through(connection):
                yield
            # Closing alone would do, but only once the server has noticed.
            with suppress(DBAPIError):
                connection.execute(sa.select(sa.func.pg_advisory_unlock_all()))
        return
    path = lock_file(store)
    if path is None:
        yield
        return
    descriptor = _open(store, path, os.O_RDWR | os.O_CREAT)
    try:
        if not _locked(descriptor):
            raise StoreError(f"{store.name} is being played on by {_read(descriptor)}")
        since = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            os.truncate(descriptor, 0)
            os.write(descriptor, f"process {os.getpid()} on {platform.node()} since {since}".encode())
        except OSError as error:
            raise StoreError(f"{store.name} cannot be held: {error.strerror}: {path}") from None
        yield
        os.truncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Whether the lock is ours now. Who only looks has it for a moment: that is waited for."""
    until = time.monotonic() + LOOKED_AT_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(LOOKED_AT_SECONDS / 20)
        else:
            return True


def holder(store: Store, season: str = "") -> str | None:
    """Who plays on a season now, or on any of the store where none is named; None if nobody does."""
    if store.on_server:
        with store.reading() as connection:
            keys = {"locks": LOCKS, "whole": _key(connection, ""), "one": _key(connection, season)}
            found = connection.execute(WHO, keys).scalar()
        return None if found is None else from_short(found)
    path = lock_file(store)
    if path is None or not path.exists():
        return None
    descriptor = _open(store, path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    finally:
        os.close(descriptor)
    return None


def lock_file(store: Store) -> Path | None:
    """The file whose lock is the hold; None for a database without a file."""
    if store.on_server or store.name == ":memory:":
        return None
    return Path(store.name + "-lock")


def short(process: int, host: str, since: datetime) -> str:
    """Who holds, as the name of a connection: 63 bytes of ASCII at most, long hosts cut in the middle."""
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


def _lock(store: Store, connection: sa.Connection, season: str) -> None:
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


def _key(connection: sa.Connection, season: str) -> int:
    """The second key of a season's lock; a database may keep a store in each of its schemas."""
    text = f"{connection.dialect.default_schema_name}/{season}"
    return int.from_bytes(sha256(text.encode()).digest()[:4]) >> 1


def _open(store: Store, path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"{store.name} cannot be held: {error.strerror}: {path}") from None


def _read(descriptor: int) -> str:
    return os.pread(descriptor, 200, 0).decode(errors="replace") or "another process"
