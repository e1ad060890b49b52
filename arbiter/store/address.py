"""Addresses of stores: ``sqlite:///season.sqlite``, ``postgresql+psycopg://user@host/database``.

Only SQLite stores are files. Everything after ``sqlite:///`` is the file name, whichever characters it has.
This module does not import SQLAlchemy.
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
A_FILE = re.compile(r"\w[\w.-]*")
"""Season names that are valid file names."""
QUERY = re.compile(r"\?\w+=")


def kind_of(name: str) -> StoreKind | None:
    """Return the database kind of a driver name; None if unknown."""
    name = name.partition("+")[0]
    if name == "sqlite":
        return sqlite
    if name in ("postgresql", "postgres"):
        # Imported here because it imports SQLAlchemy.
        from arbiter.store import postgres

        return postgres
    return None


def resolve_address(url: str, folder: Path) -> str:
    """Resolve a relative path in an address against a folder; other addresses are returned unchanged."""
    path = url.removeprefix(SCHEME)
    if path in (url, "", MEMORY) or path.startswith("/"):
        return url
    return address_of((folder / path).resolve())


def default_store(season: str, file: Path) -> str:
    """Return the default store address: beside the season's `file`, under the season's name.

    An existing store under the file's name, as earlier versions created it, is used instead.
    """
    names = [file.stem] if A_FILE.fullmatch(season) is None else [season, file.stem]
    places = [file.with_name(f"{name}.sqlite") for name in names]
    return address_of(next((place for place in places if place.exists()), places[0]).resolve())


def file_of(url: str) -> Path | None:
    """Return the local file of a store; None for a server or a store in memory."""
    path = url.removeprefix(SCHEME)
    return Path(path) if path not in (url, "") else None


def missing_folder(url: str) -> Path | None:
    """Return the folder of the store's file if it does not exist, else None."""
    file = file_of(url)
    return None if file is None or os.path.isdir(file.parent) else file.parent


def check_no_query(url: str) -> None:
    """Raise ConfigError for a file address with query parameters, which only servers accept."""
    if url.startswith("sqlite") and QUERY.search(url):
        raise ConfigError(
            f"not a store: {url!r} has parameters", hint="only servers accept them; write the file alone"
        )


def is_persistent(url: str) -> bool:
    """Return False for a store in memory, which is lost when the program ends."""
    name = url.partition(":")[0].partition("+")[0]
    return name != "sqlite" or url.rpartition("/")[2] not in ("", MEMORY)


def address_of(place: str | Path) -> str:
    """Return the address of a file path; an address is returned unchanged."""
    return str(place) if "://" in str(place) else f"{SCHEME}{place}"
