"""Copies of what a store holds: the whole of it in one file, or its seasons in another store of either kind.

SQLite writes a file's copy from what it reads in one transaction, which delays nobody who writes. The copy
gets its name when it is whole, and never that of a file that is there. Of seasons every table that has rows
of theirs is carried, so one that is added to the schema is, too.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from arbiter.errors import ConfigError, StoreError
from arbiter.store import db_schema
from arbiter.store.address import kind_of
from arbiter.store.database import Database, parsed
from arbiter.store.sqlite import code_of

if TYPE_CHECKING:
    from arbiter.store import Store


PARTS = ("-wal", "-journal", "-shm", "-lock")
"""Endings of what SQLite and we keep beside a database."""
SPOILING = PARTS[:2]
"""SQLite would put what these hold into a copy that they lie beside."""


def back_up(url: str, target: Path) -> None:
    """Copy the store at an address into a new file.

    ConfigError for a file that cannot be made, and for a server, whose own program it names. StoreError where
    there is no store, and where it cannot be read or the copy not written to its end.
    """
    address = parsed(url)
    kind = kind_of(address.drivername)
    if kind is not None and (command := kind.copying(address, target)):
        raise ConfigError("a store on a server is copied by the server's own program", hint=command)
    with closing(Database(url, create=False)) as store:
        try:
            _check(target, store.place)
            with TemporaryDirectory(prefix=".arbiter-backup-", dir=target.parent) as folder:
                whole = Path(folder) / "copy"
                with store.reading() as connection:
                    _copy(connection, whole, target)
                _name(whole, target)
        except OSError as error:
            raise ConfigError(f"cannot be written: {error.strerror}", str(target)) from None


def _check(target: Path, store: str) -> None:
    """ConfigError for a name that must not be taken."""
    if os.path.lexists(target):
        what = "is a folder" if target.is_dir() else "is there already"
        raise ConfigError(f"{what}: name a new file", str(target))
    if not target.parent.is_dir():
        raise ConfigError(f"there is no folder {target.parent}", str(target))
    if str(target.resolve()) in [store + ending for ending in PARTS]:
        raise ConfigError("is a file of the store itself: name another one", str(target))
    for ending in SPOILING:
        if os.path.lexists(f"{target}{ending}"):
            raise ConfigError(f"{target}{ending} is left from another store: remove it, or name another file")


def _copy(connection: sa.Connection, whole: Path, target: Path) -> None:
    try:
        connection.exec_driver_sql("VACUUM INTO ?", (str(whole.absolute()),))
    except OperationalError as error:
        if code_of(error) not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise
        raise StoreError(f"{target}: the disk is full or fails; there is no copy") from None
    with whole.open("rb+") as file:
        os.fsync(file.fileno())


def _name(whole: Path, target: Path) -> None:
    """Give the copy its name, unless a file of that name has come in the meantime."""
    try:
        os.link(whole, target)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links: it may then show the name before the copy.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC))
        whole.replace(target)
    descriptor = os.open(target.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


FETCHED = 100
"""Rows at a time: a match has some 3 kB."""
OWN = [table for table in db_schema.metadata.sorted_tables if "season_id" in table.c]
"""The tables of seasons' parts, each after those that it refers to."""


def carry(source: Store, target: Store) -> None:
    """Put all seasons of one store into another, as they are at one moment, in one transaction; no sessions.

    Seasons that the target holds stay. StoreError where one has the name of a season of the source, and
    where somebody plays on the source.
    """
    there = target.seasons()
    for name in source.seasons():
        if name in there:
            message = f"{target.name} holds a season {name} already"
            raise StoreError(f"{message}: move that store away, or name an empty one")
    if (who := source.holder()) is not None:
        raise StoreError(f"{source.name} is being played on by {who}: arbiter stop ends that")
    with source.snapshot() as reading, target.transaction() as writing:
        ids: dict[int, int] = {}
        for row in reading.execute(sa.select(db_schema.seasons).order_by(db_schema.seasons.c.id)).mappings():
            values = {name: value for name, value in row.items() if name != "id"}
            made = writing.execute(sa.insert(db_schema.seasons).values(values)).inserted_primary_key
            assert made is not None
            ids[row["id"]] = made.id
        for table in OWN:
            # Numbers of rows that other seasons may have, too, are counted anew, in the same order.
            columns = [column for column in table.c if column is not table.autoincrement_column]
            query = sa.select(*columns).order_by(*table.primary_key).execution_options(yield_per=FETCHED)
            for rows in reading.execute(query).mappings().partitions():
                own = [{**row, "season_id": ids[row["season_id"]]} for row in rows]
                writing.execute(sa.insert(table), own)
    target.checkpoint()
