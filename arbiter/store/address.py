"""Addresses of stores: ``sqlite:///season.sqlite``, ``postgresql+psycopg://user@host/database``.

Only SQLite's have files; this module reads them without SQLAlchemy. All after ``sqlite:///`` is the name of
the file, whatever characters it has.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.store import sqlite
from arbiter.store.sqlite import MEMORY

if TYPE_CHECKING:
    from arbiter.store.backend import StoreKind

SCHEME = "sqlite:///"
SCHEMES = ("sqlite", "postgresql", "postgres", "postgresql+psycopg")
"""The schemes of a store's address."""
A_FILE = re.compile(r"\w[\w.-]*")
"""Names of seasons that are names of files, too."""
QUERY = re.compile(r"\?\w+=")


def kind_of(name: str) -> StoreKind | None:
    """The kind of database that the name of a driver is of; None if it is unknown."""
    name = name.partition("+")[0]
    if name == "sqlite":
        return sqlite
    if name in ("postgresql", "postgres"):
        # Imported only where it is used: it imports SQLAlchemy.
        from arbiter.store import postgres

        return postgres
    return None


def absolute(url: str, folder: Path) -> str:
    """The address with a relative path taken from a folder; one without a path as it is."""
    path = url.removeprefix(SCHEME)
    if path in (url, "", MEMORY) or path.startswith("/"):
        return url
    return address_of((folder / path).resolve())


def usual_store(season: str, file: Path) -> str:
    """The address of the store of a season whose `file` names none: beside it, under the season's name.

    A store under the file's name, as earlier versions made it, is gone on with.
    """
    names = [file.stem] if A_FILE.fullmatch(season) is None else [season, file.stem]
    places = [file.with_name(f"{name}.sqlite") for name in names]
    return address_of(next((place for place in places if place.exists()), places[0]).resolve())


def file_of(url: str) -> Path | None:
    """The file on this machine that a store lies in, None if there is none."""
    path = url.removeprefix(SCHEME)
    return Path(path) if path not in (url, "") else None


def missing_folder(url: str) -> Path | None:
    """The folder in which the store's file is to lie and that is not there."""
    file = file_of(url)
    return None if file is None or os.path.isdir(file.parent) else file.parent


def refuse_query(url: str) -> None:
    """ConfigError for an address of a file with parameters after it, as those of a server may have."""
    if url.startswith("sqlite") and QUERY.search(url):
        raise ConfigError(f"not a store: {url!r} has parameters", hint="name a file alone")


def lasts(url: str) -> bool:
    """False for a store in memory, which is lost when the program ends."""
    name = url.partition(":")[0].partition("+")[0]
    return name != "sqlite" or url.rpartition("/")[2] not in ("", MEMORY)


def address_of(place: str | Path) -> str:
    """An address as it is; of a file's name the address."""
    return str(place) if "://" in str(place) else f"{SCHEME}{place}"
