"""A store in an SQLite file: address, connections, coordinator lock, errors."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from arbiter.errors import NoStore, StoreError
from arbiter.store import coordinator_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import sqlalchemy as sa
    from sqlalchemy.exc import DBAPIError

    from arbiter.store.backend import Opened

MEMORY = ":memory:"
LOCK_SECONDS = 5
"""Another process commits within milliseconds; a lock held this long will not be released."""
APPLICATION_ID = 0x41726274
""""Arbt", in the header of the file: it identifies a store even if its tables are lost."""
PAGE_BYTES = 16384
"""A match takes about 3 kB: SQLite's default pages of 4 kB would stay a quarter empty."""

LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
MEANINGS = {
    **dict.fromkeys(LOCKED, "locked by another program; wait for it or end it"),
    sqlite3.SQLITE_READONLY: "the store is read-only; make the file and its folder writable",
    sqlite3.SQLITE_CANTOPEN: "the store cannot be opened; does its folder exist, and is it writable?",
    sqlite3.SQLITE_FULL: "the disk is full; what was stored before stays",
    sqlite3.SQLITE_IOERR: "the disk failed (is it full, or the file too large?);"
    " what was stored before stays",
}
"""Messages by SQLite's primary error codes."""


def display_name(url: sa.URL) -> str:
    """Return the store's name for messages: its file."""
    return url.database or MEMORY


def place(name: str) -> str:
    """Return the path with links resolved."""
    return str(Path(name).resolve())


def engine(url: sa.URL, create: bool) -> sa.Engine:
    """Create an engine for the file; NoStore if `create` is false and it does not exist."""
    import sqlalchemy as sa

    from arbiter.store.dialect import COMPILED

    name = display_name(url)
    if name != MEMORY:
        _refuse_remains(Path(name))
    if not create:
        if not os.path.isfile(name):
            raise NoStore(f"there is no store {name} yet: play a round first")
        if not os.access(Path(name).parent, os.W_OK):
            # Without a coordinator's files SQLite would create them beside the store even to read it.
            mode = {"mode": "ro"} if _size(_wal(Path(name))) else {"immutable": "1"}
        else:
            # A later connection must not create an empty file if the store was removed meanwhile.
            mode = {"mode": "rw"}
        url = sa.URL.create("sqlite", database=f"file:{quote(name)}", query={**mode, "uri": "true"})
    sa.dialects.registry.register("sqlite.arbiter", "arbiter.store.dialect", "Dialect")
    made = sa.create_engine(
        url.set(drivername="sqlite+arbiter"),
        connect_args={"timeout": LOCK_SECONDS},
        execution_options={"compiled_cache": COMPILED},
    )
    sa.event.listen(made, "connect", _configure_connection)
    return made


def is_store(file: Path) -> bool:
    """Return True for a store file, by the id in its header, without opening the database."""
    try:
        if not file.is_file():
            return False
        with file.open("rb") as store:
            header = store.read(72)
    except OSError:
        return False
    return header.startswith(b"SQLite format 3\0") and header[68:] == APPLICATION_ID.to_bytes(4)


def companions(name: str) -> list[str]:
    """Return the files that SQLite and `coordinator_lock` keep beside a store."""
    return [f"{name}{ending}" for ending in ("-wal", "-shm", "-journal", "-lock")]


def _wal(file: Path) -> Path:
    """Return the path of SQLite's write-ahead log."""
    return file.with_name(file.name + "-wal")


def _size(file: Path) -> int | None:
    """Return the size in bytes; None if the file does not exist or is not accessible."""
    try:
        return file.stat().st_size
    except OSError:
        return None


def _refuse_remains(file: Path) -> None:
    """Raise StoreError if only the -wal has contents: SQLite would delete it when it creates the file."""
    # In this order: a process that creates a store creates the file before its -wal.
    if _size(_wal(file)) and not (size := _size(file)):
        what = "missing" if size is None else "empty"
        raise StoreError(
            f"{file} is {what}, but {_wal(file)} has contents of a store:"
            " restore the file, or remove that one too"
        )


def clear_remains(file: Path) -> None:
    """Remove the companions of a store file that is missing or empty; its contents must be expendable."""
    if not _size(file):
        for name in companions(str(file)):
            Path(name).unlink(missing_ok=True)


def check_not_hollow(connection: sa.Connection, name: str) -> None:
    """Raise StoreError for a file without tables that was copied from a store without its -wal."""
    marked = connection.exec_driver_sql("PRAGMA application_id").scalar() == APPLICATION_ID
    # The files of early versions had neither id nor tables before their first checkpoint.
    hollow = marked or connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    # Another process may have created the tables in the meantime.
    if hollow and connection.exec_driver_sql("SELECT 1 FROM sqlite_master").first() is None:
        raise StoreError(
            f"{name} is a store whose contents are in the missing file {_wal(Path(name)).name}:"
            " copy both while the season is stopped, or use `arbiter backup`"
        )


def lock_schema(connection: sa.Connection) -> None:
    """Begin a transaction that holds the file's write lock."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def begin_snapshot(connection: sa.Connection) -> None:
    """Begin a transaction whose queries all see one snapshot."""
    connection.exec_driver_sql("BEGIN")


def apply_settings(connection: sa.Connection) -> None:
    """Set WAL mode (readers beside one writer) and the application id, also in older stores.

    Called once the tables exist: before that everything must be in the file itself.
    """
    from sqlalchemy.exc import OperationalError

    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            break
        except OperationalError as error:
            # A read-only store can still be read.
            if code_of(error) in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
                return
            # Two processes may open a new file at once; SQLite's own timeout does not cover this pragma.
            if code_of(error) not in LOCKED or time.monotonic() >= deadline:
                raise
            time.sleep(0.01)
    if connection.exec_driver_sql("PRAGMA application_id").scalar() != APPLICATION_ID:
        connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
        checkpoint(connection)


def checkpoint(connection: sa.Connection) -> None:
    """Move what is stored into the file itself, as far as readers allow; never wait for them."""
    connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")


def backup_command(_url: sa.URL, _target: Path) -> str:
    """Return "": `back_up` copies it."""
    return ""


def insert_once(table: sa.Table) -> sa.Insert:
    """Return a statement that adds a row unless its key exists."""
    from sqlalchemy.dialects.sqlite import insert

    return insert(table).on_conflict_do_nothing()


def explain(error: DBAPIError) -> str:
    """Return one line: the meaning of the error's code and the remedy, else SQLite's own text."""
    text = str(error.orig)
    if not isinstance(error.orig, sqlite3.OperationalError):
        return f"damaged or no store: {text}"
    return MEANINGS.get(code_of(error)) or text.splitlines()[0]


def code_of(error: DBAPIError) -> int:
    """Return SQLite's primary error code; 0 if the driver gives none."""
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF


def is_alive(_connection: sa.Connection) -> bool:
    """Return True: a file has no connection to lose."""
    return True


def is_away(_error: DBAPIError) -> bool:
    """Return False: a file is not temporarily unreachable."""
    return False


@contextmanager
def hold(store: Opened, _season: str) -> Iterator[None]:
    """Hold the lock of the whole store; StoreError names the holder."""
    if store.name == MEMORY:
        yield
        return
    with coordinator_lock.hold(store.name) as check, store.checking(check):
        yield
        # Checked once more, so that a loss of the last writes is reported.
        store.check()


def replacement_check(name: str) -> Callable[[], None] | None:
    """Return a check that the file was not removed or replaced; None for a store in memory."""
    return None if name == MEMORY else coordinator_lock.replacement_check(name)


def holder(store: Opened, _season: str) -> str | None:
    """Return who holds the lock of the store; None if it is free."""
    return None if store.name == MEMORY else coordinator_lock.holder(store.name)


def _configure_connection(connection: Any, _: object) -> None:
    """Make commits durable against a crash of the machine; set the page size."""
    # No effect on an existing database.
    connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
    connection.execute("PRAGMA synchronous=FULL")
