"""Which seasons were begun, here or in a store beside it; a look that changes and makes nothing.

Theory of operation. SQLite makes files even to read a database in WAL mode, unless it is told that the
file does not change. So a store without a log beside it, which nobody has open, is read so; one with its log
and the log's index needs no file more. What cannot be read is passed over: only a hint is looked for.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 20
"""Stores looked at in a folder, the ones written last."""
_QUERY = (
    "SELECT seasons.name, {file}, rounds.digest FROM seasons JOIN rounds ON rounds.season_id = seasons.id"
    " WHERE rounds.number = (SELECT MAX(number) FROM rounds WHERE season_id = seasons.id) ORDER BY seasons.id"
)
QUERY = _QUERY.format(file="seasons.file")
_BEFORE_FILES = _QUERY.format(file="NULL")
"""Of stores of an earlier version, which did not keep the file."""


class Begun(NamedTuple):
    """A season with rounds: the file that it was last played from, if known, and its last round's digest."""

    name: str
    file: str | None
    digest: str


def begun_beside(folder: Path) -> Iterator[tuple[Path, Begun]]:
    """The seasons of the stores in a folder, each with its store's file."""
    for file in sorted(folder.glob("*.sqlite"), key=_written, reverse=True)[:MOST]:
        for query in (QUERY, _BEFORE_FILES):
            try:
                found = _rows(file, query)
            except (sqlite3.Error, OSError):
                continue
            yield from ((file, Begun(*row)) for row in found)
            break


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _rows(file: Path, query: str) -> list[tuple[str, str | None, str]]:
    log = all(Path(f"{file}{end}").exists() for end in ("-wal", "-shm"))
    address = f"{file.absolute().as_uri()}?{'mode=ro' if log else 'immutable=1'}"
    with closing(sqlite3.connect(address, uri=True, timeout=0)) as connection:
        return connection.execute(query).fetchall()
