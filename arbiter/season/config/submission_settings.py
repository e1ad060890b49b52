"""The places of authors' programs and requested matches; sizes of the key ``submissions``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.match.limits import bytes_of
from arbiter.store.address import address_of, file_of

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = ".submissions"
"""The suffix of the folder of archives and programs."""
REQUESTS = ".requests.sqlite"
"""The suffix of the store of requested matches."""
SOURCE = "source"
"""The folder of a version with its sent and built files."""
LEAST_ARCHIVE, MOST_ARCHIVE, MOST_TOTAL = 10**3, 10**9, 10**13
ARCHIVES = 50
"""The default limit of an author's files, in archives of the largest size."""


def folder_beside(store: str, file: Path) -> Path:
    """Return the folder of archives and programs, beside the store or, for a server's, the season's file."""
    return _path_beside(store, file, FOLDER)


def store_beside(store: str, file: Path) -> str:
    """Return the address of the store of requests, in the same place."""
    return address_of(_path_beside(store, file, REQUESTS))


def _path_beside(store: str, file: Path, end: str) -> Path:
    """Return the path beside a store's file, or a server's season file, with suffix `end`."""
    place = file_of(store) or file
    return place.resolve().with_name(f"{place.stem}{end}")


def version_of(words: Iterable[str], folder: Path) -> Path | None:
    """Return the folder of the version that words of stored settings name first; None if they name none.

    Only the organiser knows the name of a version's folder.
    """
    for word in words:
        parts = Path(os.path.abspath(folder / word)).parts  # noqa: PTH100 -- links are not followed
        for at, (place, _, inner) in enumerate(zip(parts, parts[1:], parts[2:], strict=False)):
            if place.endswith(FOLDER) and inner == SOURCE:
                return Path(*parts[: at + 3])
    return None


def parse_size(text: str) -> int:
    """Bytes of an archive's limit such as ``10MB``; MB is 10^6 bytes. ConfigError for other texts."""
    return _parse_bytes(text, MOST_ARCHIVE, "write 10MB; at least 1KB, at most 1GB")


def parse_total(text: str) -> int:
    """Bytes of all of an author's files, such as ``500MB``; ConfigError for other texts."""
    return _parse_bytes(text, MOST_TOTAL, "write 500MB; at least 1KB, at most 10000GB")


def _parse_bytes(text: str, limit: int, hint: str) -> int:
    """Return the bytes of a text such as ``10MB``; ConfigError if not a size within the limits."""
    amount = bytes_of(text)
    if not LEAST_ARCHIVE <= amount <= limit:
        raise ConfigError(f"not a size: {text!r}", hint=hint)
    return amount
