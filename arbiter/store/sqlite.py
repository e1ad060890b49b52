"""A store in an SQLite file: its address, how it is opened, who holds it, what its failures mean.

Whoever plays holds a lock of the operating system on a file beside the database, for the whole store.
It ends with the process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import platform
import sqlite3
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.errors import NoStore, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import sqlalchemy as sa
    from sqlalchemy.exc import DBAPIError

    from arbiter.store.kind import Opened

MEMORY = ":memory:"
LOCK_SECONDS = 5
"""A commit of somebody else takes milliseconds; whoever holds the lock this long does not let go."""
PAGE_BYTES = 16384
"""A match takes about 3 kB: on pages of SQLite's usual 4 kB a quarter of each would stay empty."""
LOOK_SECONDS = 0.2
"""How long the lock is waited for: `holder`, too, has it for a moment."""


def shown(url: sa.URL) -> str:
    """How messages name the store: by its file."""
    return url.database or MEMORY


def place(name: str) -> str:
    """The path without links."""
    return str(Path(name).resolve())


def engine(url: sa.URL, create: bool) -> sa.Engine:
    """Connections to the file; NoStore if it is only to be read and is not there."""
    import sqlalchemy as sa

    name = shown(url)
    if not create:
        if not Path(name).is_file():
            raise NoStore(f"there is no store {name} yet: play a round first")
        if not os.access(Path(name).parent, os.W_OK):
            # SQLite would make files beside the store even to read it.
            url = sa.make_url(f"sqlite:///file:{name}?immutable=1&uri=true")
    made = sa.create_engine(url, connect_args={"timeout": LOCK_SECONDS})
    sa.event.listen(made, "connect", _prepare)
    return made


def lock_schema(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def insert_once(table: sa.Table) -> sa.Insert:
    from sqlalchemy.dialects.sqlite import insert

    return insert(table).on_conflict_do_nothing()


def explain(error: DBAPIError) -> str:
    text = str(error.orig)
    if not isinstance(error.orig, sqlite3.OperationalError):
        return f"damaged or no store: {text}"
    if "locked" in text:
        return "locked by another program; wait for it or end it"
    if "readonly" in text or "read-only" in text:
        return "the store is read-only; make the file and its folder writable"
    if "unable to open" in text:
        return "the store cannot be opened; does its folder exist, and may you write there?"
    if "disk is full" in text:
        return "the disk is full; what was stored before stays"
    if "disk I/O error" in text:
        return "the disk failed (is it full, or the file too large?); what was stored before stays"
    return text.splitlines()[0]


@contextmanager
def held(store: Opened, _season: str) -> Iterator[None]:
    """Play alone on the whole store; StoreError names whoever does already."""
    path = _lock_file(store)
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


def holder(store: Opened, _season: str) -> str | None:
    path = _lock_file(store)
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


def _lock_file(store: Opened) -> Path | None:
    """The file whose lock is the hold; None for a database without a file."""
    return None if store.name == MEMORY else Path(store.name + "-lock")


def _locked(descriptor: int) -> bool:
    """Take the lock; False if somebody else has it."""
    until = time.monotonic() + LOOK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(LOOK_SECONDS / 20)
        else:
            return True


def _open(store: Opened, path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"{store.name} cannot be held: {error.strerror}: {path}") from None


def _read(descriptor: int) -> str:
    return os.pread(descriptor, 200, 0).decode(errors="replace") or "another process"


def _prepare(connection: Any, _: object) -> None:
    """Readers beside one writer, and a commit that survives a crash, of the machine too."""
    # Of a database that is there already this changes nothing.
    connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError as error:
            # A read-only store can still be read.
            if "readonly" in str(error) or "unable to open" in str(error):
                break
            # Two that open a new file both change it, and for this SQLite's own patience does not hold.
            if "locked" not in str(error) or time.monotonic() >= deadline:
                raise
            time.sleep(0.01)
    connection.execute("PRAGMA synchronous=FULL")
