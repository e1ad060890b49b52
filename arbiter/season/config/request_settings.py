"""Matches that authors ask for: where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.store.address import address_of, file_of

if TYPE_CHECKING:
    from pathlib import Path

STORE = ".requests.sqlite"
"""The end of the name of the store in which the matches lie."""


def store_beside(store: str, file: Path) -> str:
    """Return the address of the store of requests, beside the season's own or, for a server's, its file."""
    place = file_of(store) or file
    return address_of(place.resolve().with_name(f"{place.stem}{STORE}"))
