"""What is special to a store in an SQLite file: how it is opened, and what its failures mean."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DBAPIError, OperationalError

from arbiter.errors import NoStore

LOCK_SECONDS = 5
PAGE_BYTES = 16384
"""A match has some 3 kB: on pages of SQLite's usual 4 kB a quarter of each would stay empty."""


def shown(url: sa.URL) -> str:
    """How messages name the store: by its file."""
    return url.database or ":memory:"


def engine(url: sa.URL, create: bool) -> sa.Engine:
    """Connections to the file; NoStore if it is only to be read and is not there."""
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


def insert_once(table: sa.Table) -> sa.Insert:
    """Adds a row unless one with its key is there."""
    return insert(table).on_conflict_do_nothing()


def explain(error: DBAPIError) -> str:
    """What a database says, in words that tell what to do."""
    text = str(error.orig)
    if not isinstance(error, OperationalError):
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
