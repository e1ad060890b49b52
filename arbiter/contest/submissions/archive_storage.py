"""Archives as they come in: whole in the folder of all of them, or not there at all.

What comes is written under a name of its own, and gets its name for good when it is whole and on the
disk; then the store is updated. Killed in between, it leaves a file that no submission names, which `sweep`
removes. What goes is gone for the store first, then removed.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from arbiter.errors import StoreError
from arbiter.season.roster import folder_of
from arbiter.store.submission_files import Gone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from arbiter.season.config import Config

ENDING, COMING = ".zip", ".part"
LEFT_SECONDS = 3600.0
"""After so long nobody is writing a file any more."""
LEFT_BYTES = 200_000_000
"""Of the disk, for matches: uploads leave as much free."""


NOTHING = Gone(set(), set())


class ArchiveTooLarge(Exception):
    """More bytes than an archive may have."""


def archive_of(config: Config, file: str) -> Path:
    return folder_of(config) / f"{file}{ENDING}"


def program_of(config: Config, file: str) -> Path:
    """Return the folder of the program that was made of an archive."""
    return folder_of(config) / file


def has_room(folder: Path, wanted: int) -> bool:
    """True where so many bytes fit on the folder's disk beside what matches may need.

    StoreError where the folder is not there and cannot be made.
    """
    with _ours(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
        return shutil.disk_usage(folder).free >= wanted + LEFT_BYTES


class Arriving:
    """One archive on its way; `keep` or `drop` ends it. StoreError where the disk does not take it."""

    def __init__(self, folder: Path, most: int) -> None:
        """`most` is how many bytes it may have."""
        self.name = secrets.token_hex(16)
        self.size, self._most, self._hash = 0, most, sha256()
        self._folder, self._place = folder, folder / f"{self.name}{COMING}"
        with _ours(folder):
            folder.mkdir(mode=0o700, exist_ok=True)
            self._file = self._place.open("xb", buffering=0)

    @property
    def sha256(self) -> str:
        """Of what came so far."""
        return self._hash.hexdigest()

    def write(self, data: bytes) -> None:
        """Add what came; ArchiveTooLarge beyond the limit."""
        self.size += len(data)
        if self.size > self._most:
            raise ArchiveTooLarge
        self._hash.update(data)
        with _ours(self._folder):
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]

    def keep(self) -> None:
        """Put it in its place, where a crash of the machine leaves it, too."""
        with _ours(self._folder):
            os.fsync(self._file.fileno())
            self._file.close()
            self._place.replace(self._folder / f"{self.name}{ENDING}")
            bring_to_disk(self._folder)

    def drop(self) -> None:
        """Remove it, wherever it has come to."""
        self._file.close()
        self._place.unlink(missing_ok=True)
        (self._folder / f"{self.name}{ENDING}").unlink(missing_ok=True)


def remove(config: Config, file: str) -> None:
    """Remove the files of a submission that are gone for the store; what cannot be removed is swept later."""
    with suppress(OSError):
        archive_of(config, file).unlink(missing_ok=True)
    shutil.rmtree(program_of(config, file), ignore_errors=True)


def size_of(config: Config, file: str) -> int:
    """Return how many bytes the files of a submission take."""
    files = (archive_of(config, file), *program_of(config, file).rglob("*"))
    return sum(found.stat().st_size for found in files if found.is_file())


def sweep(folder: Path, known: Iterable[str], gone: Gone = NOTHING) -> None:
    """Remove what is `gone`, and archives that never became submissions, as `known` ones did."""
    names = set(known)
    before = time.time() - LEFT_SECONDS
    for file in folder.glob("*"):
        ours = file.suffix == COMING or (file.suffix == ENDING and file.stem not in names)
        if (ours and file.stat().st_mtime < before) or (file.suffix == ENDING and file.stem in gone.archives):
            file.unlink(missing_ok=True)
        elif file.name in gone.programs:
            shutil.rmtree(file, ignore_errors=True)


def bring_to_disk(path: Path) -> None:
    """See to it that a file or folder outlasts a crash of the machine."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _ours(folder: Path) -> Iterator[None]:
    """StoreError for what the disk does not take."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror}; what came is dropped") from None
