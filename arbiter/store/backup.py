"""A copy of a store in one file, as it is at one moment, while somebody plays on it.

SQLite writes the copy from what it reads in one transaction, which delays nobody who writes. The copy gets
its name when it is whole, and never that of a file that is there.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError, StoreError
from arbiter.store.address import kind_of
from arbiter.store.database import Database, parsed
from arbiter.store.sqlite import code_of

if TYPE_CHECKING:
    import sqlalchemy as sa

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
    from sqlalchemy.exc import OperationalError

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
