"""Copies of a store: the whole store as one file, one season as a file, or all copied to another store.

SQLite copies a file from one read transaction, which delays no writer. The copy gets its name when it is
complete and never replaces a file. Of a season the rows of every table with a `season_id` are copied, so
tables added to the schema later are included.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from arbiter.errors import ConfigError, StoreError
from arbiter.store import db_schema
from arbiter.store.address import address_of, kind_of
from arbiter.store.database import Database, parse_url
from arbiter.store.sqlite import code_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.store import Store


PARTS = ("-wal", "-journal", "-shm", "-lock")
"""Suffixes of the files that SQLite and the coordinator keep beside a database."""
SPOILING = PARTS[:2]
"""SQLite would apply leftover files with these suffixes to a copy beside them."""


def back_up(url: str, target: Path) -> None:
    """Copy the store at an address into a new file.

    ConfigError if the file cannot be created, or for a server, with its own backup command as the hint.
    StoreError if there is no store, it cannot be read, or the copy cannot be completed.
    """
    address = parse_url(url)
    kind = kind_of(address.drivername)
    if kind is not None and (command := kind.backup_command(address, target)):
        raise ConfigError("cannot copy a store on a server: use the server's own program", hint=command)
    with closing(Database(url, create=False)) as store:
        try:
            _check_target(target, store.place)
            with TemporaryDirectory(prefix=".arbiter-backup-", dir=target.parent) as folder:
                whole = Path(folder) / "copy"
                with store.reading() as connection:
                    _copy_database(connection, whole, target)
                _rename_copy(whole, target)
        except OSError as error:
            raise ConfigError(f"cannot be written: {error.strerror}", str(target)) from None


def _check_target(target: Path, store: str) -> None:
    """Raise ConfigError if a copy cannot be named so: it exists, its folder does not, it is a file of the
    store itself, or a -wal or -journal is left beside it.
    """
    if os.path.lexists(target):
        what = "is a folder" if target.is_dir() else "exists already"
        raise ConfigError(f"{what}: name a new file", str(target))
    if not target.parent.is_dir():
        raise ConfigError(f"there is no folder {target.parent}: create it, or name another file", str(target))
    if str(target.resolve()) in [store + ending for ending in PARTS]:
        raise ConfigError("is a file of the store itself: name another one", str(target))
    for ending in SPOILING:
        if os.path.lexists(f"{target}{ending}"):
            raise ConfigError(f"{target}{ending} is left from another store: remove it, or name another file")


def _copy_database(connection: sa.Connection, whole: Path, target: Path) -> None:
    """Copy the database into the new file `whole` and sync it; StoreError if the disk is full or fails."""
    try:
        connection.exec_driver_sql("VACUUM INTO ?", (str(whole.absolute()),))
    except OperationalError as error:
        if code_of(error) not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise
        raise StoreError(f"{target}: the disk is full or failed; no copy was made") from None
    with whole.open("rb+") as file:
        os.fsync(file.fileno())


def _rename_copy(whole: Path, target: Path) -> None:
    """Name the copy `target` by a link, else a rename, and sync the folder; FileExistsError if it exists."""
    try:
        os.link(whole, target)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links: the name may become visible before the copy is complete.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC))
        whole.replace(target)
    descriptor = os.open(target.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


FETCHED = 100
"""Rows at a time: a match takes about 3 kB."""
Change: TypeAlias = "Callable[[str, dict[str, Any]], dict[str, Any] | None]"
OWN = [table for table in db_schema.metadata.sorted_tables if "season_id" in table.c]
"""The tables with rows of seasons, in the order of their foreign keys."""


def copy_seasons(source: Store, target: Store) -> None:
    """Copy a snapshot of all seasons of one store to another, in one transaction; without login sessions.

    The target's other seasons stay. StoreError if it has a season of the same name, or if a coordinator
    plays on the source.
    """
    there = target.seasons()
    for name in source.seasons():
        if name in there:
            message = f"{target.name} holds a season {name} already"
            raise StoreError(f"{message}: move that store away, or name an empty one")
    if (who := source.holder()) is not None:
        raise StoreError(f"{source.name} is being played on by {who}: arbiter stop ends that")
    with source.snapshot() as reading:
        _copy_rows(reading, target)
    target.checkpoint()


def copy_season(source: Store, name: str, target: Path, change: Change | None = None) -> None:
    """Copy a snapshot of one season into a new SQLite file, also while it is played; without login sessions.

    `change` gets each row with its table's name, and returns the row to write, or None to leave it out. No
    other byte of the source is in the file. ConfigError and StoreError as in `back_up`.
    """
    with TemporaryDirectory(prefix=".arbiter-copy-", dir=target.parent) as folder:
        url = address_of(Path(folder) / "store")
        with closing(Database(url)) as made, source.snapshot() as reading:
            _copy_rows(reading, made, name, change)
            made.checkpoint()
        # Once more: the first file has a write-ahead log beside it.
        back_up(url, target)


def _copy_rows(
    reading: sa.Connection, target: Database, only: str | None = None, change: Change | None = None
) -> None:
    """Copy the rows of all seasons, or of `only` one, in one transaction, as `change` returns them.

    A row for which it returns None is left out, but a season's row is then copied unchanged.
    """
    ids: dict[int, int] = {}
    seasons = sa.select(db_schema.seasons).order_by(db_schema.seasons.c.id)
    if only is not None:
        seasons = seasons.filter_by(name=only)
    with target.transaction() as writing:
        for row in reading.execute(seasons).mappings():
            values = {name: value for name, value in row.items() if name != "id"}
            values = values if change is None else change(db_schema.seasons.name, values) or values
            made = writing.execute(sa.insert(db_schema.seasons).values(values)).inserted_primary_key
            assert made is not None
            ids[row["id"]] = made.id
        for table in OWN:
            # Autoincrement keys may be in use in the target: it assigns new ones in the same order.
            columns = [column for column in table.c if column is not table.autoincrement_column]
            query = sa.select(*columns).where(table.c.season_id.in_(list(ids)))
            query = query.order_by(*table.primary_key).execution_options(yield_per=FETCHED)
            for rows in reading.execute(query).mappings().partitions():
                kept = (dict(row) if change is None else change(table.name, dict(row)) for row in rows)
                own = [{**row, "season_id": ids[row["season_id"]]} for row in kept if row is not None]
                if own:
                    writing.execute(sa.insert(table), own)
