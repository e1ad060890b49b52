"""A store in an SQLite file: its address, how it is opened, what its failures mean; `hold` says who plays."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.errors import NoStore
from arbiter.store import hold

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import sqlalchemy as sa
    from sqlalchemy.exc import DBAPIError

    from arbiter.store.kind import Opened

MEMORY = ":memory:"
LOCK_SECONDS = 5
"""A commit of somebody else takes milliseconds; whoever holds the lock this long does not let go."""
PAGE_BYTES = 16384
"""A match takes about 3 kB: on pages of SQLite's usual 4 kB a quarter of each would stay empty."""


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


def held(store: Opened, _season: str) -> AbstractContextManager[None]:
    """Play alone on the whole store; StoreError names whoever does already."""
    return nullcontext() if store.name == MEMORY else hold.held(store.name)


def holder(store: Opened, _season: str) -> str | None:
    """Who plays on the store now; None if nobody does."""
    return None if store.name == MEMORY else hold.holder(store.name)


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
