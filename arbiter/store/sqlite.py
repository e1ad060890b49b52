"""A store in an SQLite file: its address, how it is opened, what its failures mean."""

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
"""A commit of somebody else takes milliseconds; a lock held this long is not let go."""
APPLICATION_ID = 0x41726274
"""Stands in the header of the file, "Arbt": a store is known by it even where its tables are lost."""
PAGE_BYTES = 16384
"""A match takes about 3 kB: on pages of SQLite's usual 4 kB a quarter of each would stay empty."""

LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
MEANINGS = {
    **dict.fromkeys(LOCKED, "locked by another program; wait for it or end it"),
    sqlite3.SQLITE_READONLY: "the store is read-only; make the file and its folder writable",
    sqlite3.SQLITE_CANTOPEN: "the store cannot be opened; does its folder exist, and may you write there?",
    sqlite3.SQLITE_FULL: "the disk is full; what was stored before stays",
    sqlite3.SQLITE_IOERR: "the disk failed (is it full, or the file too large?);"
    " what was stored before stays",
}
"""Of SQLite's primary codes, in words that tell what to do."""


def shown(url: sa.URL) -> str:
    """Return the name of the store in messages: its file."""
    return url.database or MEMORY


def place(name: str) -> str:
    """The path without links."""
    return str(Path(name).resolve())


def engine(url: sa.URL, create: bool) -> sa.Engine:
    """Connections to the file; NoStore if it is only to be read and is not there."""
    import sqlalchemy as sa

    from arbiter.store.dialect import COMPILED

    name = shown(url)
    if name != MEMORY:
        _refuse_remains(Path(name))
    if not create:
        if not os.path.isfile(name):
            raise NoStore(f"there is no store {name} yet: play a round first")
        if not os.access(Path(name).parent, os.W_OK):
            # SQLite would make files beside the store even to read it, if nobody who plays has made them.
            mode = {"mode": "ro"} if _size(_wal(Path(name))) else {"immutable": "1"}
        else:
            # A later connection makes no empty file in place of one that was removed meanwhile.
            mode = {"mode": "rw"}
        url = sa.URL.create("sqlite", database=f"file:{quote(name)}", query={**mode, "uri": "true"})
    sa.dialects.registry.register("sqlite.arbiter", "arbiter.store.dialect", "Dialect")
    made = sa.create_engine(
        url.set(drivername="sqlite+arbiter"),
        connect_args={"timeout": LOCK_SECONDS},
        execution_options={"compiled_cache": COMPILED},
    )
    sa.event.listen(made, "connect", _prepare)
    return made


def is_store(file: Path) -> bool:
    """True for the file of a store, by the mark in its header; it is not opened as a database."""
    try:
        if not file.is_file():
            return False
        with file.open("rb") as store:
            header = store.read(72)
    except OSError:
        return False
    return header.startswith(b"SQLite format 3\0") and header[68:] == APPLICATION_ID.to_bytes(4)


def companions(name: str) -> list[str]:
    """The files that SQLite and `coordinator_lock` keep beside the file of a store."""
    return [f"{name}{ending}" for ending in ("-wal", "-shm", "-journal", "-lock")]


def _wal(file: Path) -> Path:
    """Return the file in which SQLite keeps what it has not yet put into the database."""
    return file.with_name(file.name + "-wal")


def _size(file: Path) -> int | None:
    """None where there is none, or none to be seen."""
    try:
        return file.stat().st_size
    except OSError:
        return None


def _refuse_remains(file: Path) -> None:
    """StoreError where contents of a store lie in the -wal alone: SQLite would remove it for a new file."""
    # In this order: a process that makes a store at this moment has made the file before its -wal.
    if _size(_wal(file)) and not (size := _size(file)):
        what = "missing" if size is None else "empty"
        raise StoreError(
            f"{file} is {what}, but contents of a store lie in {_wal(file)}:"
            " put the file back, or remove that too"
        )


def clear_remains(file: Path) -> None:
    """Remove what is left beside the file of a store that was removed, where nobody misses what it held."""
    if not _size(file):
        for name in companions(str(file)):
            Path(name).unlink(missing_ok=True)


def refuse_hollow(connection: sa.Connection, name: str) -> None:
    """StoreError for a file without tables that is what a copy leaves of a store."""
    marked = connection.exec_driver_sql("PRAGMA application_id").scalar() == APPLICATION_ID
    # Stores used to have neither mark nor tables in the file until their first contents were moved there.
    hollow = marked or connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    # Somebody may have made the tables since it was seen that there are none.
    if hollow and connection.exec_driver_sql("SELECT 1 FROM sqlite_master").first() is None:
        raise StoreError(
            f"{name} is a store whose contents are in a file {_wal(Path(name)).name} that is missing:"
            " copy both while nobody plays, or use `arbiter backup`"
        )


def lock_schema(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def begin_snapshot(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def settle(connection: sa.Connection) -> None:
    """Readers beside one writer from now on, and our mark, in stores of earlier versions too.

    Only once the tables are there: until then nothing of a store is outside its file.
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
            # Two that open a new file both change it, and for this SQLite's own patience does not hold.
            if code_of(error) not in LOCKED or time.monotonic() >= deadline:
                raise
            time.sleep(0.01)
    if connection.exec_driver_sql("PRAGMA application_id").scalar() != APPLICATION_ID:
        connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
        checkpoint(connection)


def checkpoint(connection: sa.Connection) -> None:
    """Move what is stored into the file itself, as far as nobody reads what was there before; never wait."""
    connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")


def copying(_url: sa.URL, _target: Path) -> str:
    """We do it ourselves."""
    return ""


def insert_once(table: sa.Table) -> sa.Insert:
    from sqlalchemy.dialects.sqlite import insert

    return insert(table).on_conflict_do_nothing()


def explain(error: DBAPIError) -> str:
    text = str(error.orig)
    if not isinstance(error.orig, sqlite3.OperationalError):
        return f"damaged or no store: {text}"
    return MEANINGS.get(code_of(error)) or text.splitlines()[0]


def code_of(error: DBAPIError) -> int:
    """SQLite's primary code of an error, without what it adds to it; 0 where the driver has none."""
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF


def lives(_connection: sa.Connection) -> bool:
    """A file does not end."""
    return True


def is_away(_error: DBAPIError) -> bool:
    """Nor does it come back."""
    return False


@contextmanager
def held(store: Opened, _season: str) -> Iterator[None]:
    """Play alone on the whole store; StoreError names who already does."""
    if store.name == MEMORY:
        yield
        return
    with coordinator_lock.held(store.name) as check, store.checking(check):
        yield
        # Once more, or what was stored last would be lost without a word.
        store.check()


def staying(name: str) -> Callable[[], None] | None:
    """A check that the file is still there; None for a store in memory."""
    return None if name == MEMORY else coordinator_lock.staying(name)


def holder(store: Opened, _season: str) -> str | None:
    """Return who plays on the store now; None if nobody does."""
    return None if store.name == MEMORY else coordinator_lock.holder(store.name)


def _prepare(connection: Any, _: object) -> None:
    """A commit survives a crash, of the machine too."""
    # Of a database that is there already this changes nothing.
    connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
    connection.execute("PRAGMA synchronous=FULL")
