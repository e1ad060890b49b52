"""Addresses of stores: ``sqlite:///season.sqlite``, ``postgresql+psycopg://user@host/database``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.store import sqlite

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.store.kind import Kind


def kind_of(url: str) -> Kind | None:
    """The kind of database that an address, or the name of its driver, is of; None if it is unknown."""
    name = url.partition("://")[0].partition("+")[0]
    if name == "sqlite":
        return sqlite
    if name in ("postgresql", "postgres"):
        # Loaded only where it is wanted.
        from arbiter.store import postgres

        return postgres
    return None


def absolute(url: str, folder: Path) -> str:
    """The address with a relative path taken from a folder; one of no known kind as it is."""
    kind = kind_of(url)
    return url if kind is None else kind.absolute(url, folder)


def file_of(url: str) -> Path | None:
    """The file of this machine that a store lies in, None if there is none."""
    kind = kind_of(url)
    return None if kind is None else kind.file(url)


def lasts(url: str) -> bool:
    """False for a store that is lost when the program ends."""
    kind = kind_of(url)
    return kind is None or kind.lasts(url)


def address_of(place: str | Path) -> str:
    """An address as it is; of a file's name the address."""
    return str(place) if "://" in str(place) else sqlite.address(place)
