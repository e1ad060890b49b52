"""The folder of archives: an upload is in it whole, or not at all.

It is written under a temporary name, synced, renamed, then recorded in the store. If the process is killed in
between, `sweep` deletes the file, since no submission names it. Files are removed in the store first, then
deleted.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import IO, TYPE_CHECKING

from arbiter.contest.submissions.languages import inspection_digest
from arbiter.errors import ConfigError, StoreError
from arbiter.season.config.keys import Submissions
from arbiter.season.roster import folder_of
from arbiter.store.audit import CONSOLE
from arbiter.store.submission_files import RemovedFiles
from arbiter.store.submissions import NO_LIMIT, QuotaExceeded
from arbiter.store.versions import DROPPED, REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.versions import Submission

ENDING, COMING = ".zip", ".part"
READ_BYTES = 1_000_000
LEFT_SECONDS = 3600.0
"""A temporary file of this age is abandoned."""
LEFT_BYTES = 200_000_000
"""Disk space reserved for matches: uploads leave this much free."""


NOTHING = RemovedFiles(set(), set())


class ArchiveTooLarge(Exception):
    """An upload exceeds the limit."""


def archive_of(config: Config, file: str) -> Path:
    """Return the path of a submission's archive."""
    return folder_of(config) / f"{file}{ENDING}"


def program_folder(config: Config, file: str) -> Path:
    """Return the folder of an archive's unpacked program."""
    return folder_of(config) / file


def prepare_folder(folder: Path, wanted: int) -> bool:
    """Create the folder; True if `wanted` bytes and `LEFT_BYTES` are free; StoreError if not created."""
    with _raise_store_errors(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
        return shutil.disk_usage(folder).free >= wanted + LEFT_BYTES


class Upload:
    """Upload of up to `most` bytes to a temporary file; `keep` or `drop` it. StoreError if the disk fails."""

    def __init__(self, folder: Path, most: int) -> None:
        self.name = secrets.token_hex(16)
        self.size, self._most, self._hash = 0, most, sha256()
        self._folder, self._place = folder, folder / f"{self.name}{COMING}"
        with _raise_store_errors(folder):
            folder.mkdir(mode=0o700, exist_ok=True)
            self._file = self._place.open("xb", buffering=0)

    @property
    def sha256(self) -> str:
        """The digest of what was received so far."""
        return self._hash.hexdigest()

    def write(self, data: bytes) -> None:
        """Append received data; ArchiveTooLarge beyond the limit."""
        self.size += len(data)
        if self.size > self._most:
            raise ArchiveTooLarge
        self._hash.update(data)
        with _raise_store_errors(self._folder):
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]

    def keep(self) -> None:
        """Sync and close the file, and rename it to its final name."""
        with _raise_store_errors(self._folder):
            os.fsync(self._file.fileno())
            self._file.close()
            self._place.replace(self._folder / f"{self.name}{ENDING}")
            sync_to_disk(self._folder)

    def drop(self) -> None:
        """Delete the file, temporary or final."""
        self._file.close()
        self._place.unlink(missing_ok=True)
        (self._folder / f"{self.name}{ENDING}").unlink(missing_ok=True)


def store_archive(
    arriving: Upload, config: Config, season: SeasonStore, author: str, who: str, per_day: int
) -> tuple[Submission, bool]:
    """Store a complete upload as the author's next version, sent by `who`.

    Return it, and True if it needs an inspection: not if it was sent before, unless it was refused under
    other terms. RateLimited and QuotaExceeded as for `SubmissionStore.add`.
    """
    arriving.keep()
    book, total = season.submissions, (config.submissions or Submissions()).total
    made, kept = book.add(author, arriving.sha256, arriving.name, per_day, arriving.size, total, who)
    if made.state != REFUSED or made.under == inspection_digest(config):
        return made, kept
    renewed = book.resubmit(made, arriving.name, arriving.size, per_day, total, who)
    if renewed is None:
        return made, False
    remove(config, made.file)
    return renewed, True


def send_for(config: Config, season: SeasonStore, author: str, archive: IO[bytes]) -> tuple[Submission, bool]:
    """Store an archive for an author by a command on this machine, also after `until` and beyond `per_day`.

    Return as `store_archive`; ConfigError if the archive is not accepted, StoreError if the disk is full.
    """
    terms = config.submissions
    if terms is None or season.running.read().closed is not None or season.seed_told() is not None:
        why = "accepts no programs: it has no `submissions:`" if terms is None else "the season is closed"
        raise ConfigError(why, str(config.file))
    if not prepare_folder(folder_of(config), terms.max_bytes):
        raise StoreError(f"{folder_of(config)}: the disk has no room for an archive: free space")
    arriving, kept = Upload(folder_of(config), terms.max_bytes), False
    try:
        while data := archive.read(READ_BYTES):
            arriving.write(data)
        made, kept = store_archive(arriving, config, season, author, CONSOLE, NO_LIMIT)
    except ArchiveTooLarge:
        hint = "raise submissions: max_size in the season's file"
        raise ConfigError(f"the archive has more than {terms.max_bytes} bytes", hint=hint) from None
    except QuotaExceeded as error:
        message = f"the versions of {author} take {error.taken:,} of {terms.total:,} bytes"
        raise ConfigError(
            f"{message}, and this one does not fit", hint="raise submissions: max_total"
        ) from None
    finally:
        if not kept:
            arriving.drop()
    if made.state == DROPPED:
        message = f"this archive was version {made.version}, which was dropped"
        raise ConfigError(message, hint="change the archive to send it as a new version")
    return made, kept


def remove(config: Config, file: str) -> None:
    """Delete the files of a submission that the store no longer has; `sweep` retries what fails."""
    with suppress(OSError):
        archive_of(config, file).unlink(missing_ok=True)
    shutil.rmtree(program_folder(config, file), ignore_errors=True)


def size_of(config: Config, file: str) -> int:
    """Read how many bytes a submission's files have."""
    files = (archive_of(config, file), *program_folder(config, file).rglob("*"))
    return sum(found.stat().st_size for found in files if found.is_file())


def sweep(folder: Path, known: Iterable[str], gone: RemovedFiles = NOTHING) -> None:
    """Delete what is `gone`, and temporary files and unknown archives older than `LEFT_SECONDS`.

    `known` are the names of archives without their ending.
    """
    names = set(known)
    before = time.time() - LEFT_SECONDS
    for file in folder.glob("*"):
        ours = file.suffix == COMING or (file.suffix == ENDING and file.stem not in names)
        if (ours and file.stat().st_mtime < before) or (file.suffix == ENDING and file.stem in gone.archives):
            file.unlink(missing_ok=True)
        elif file.name in gone.programs:
            shutil.rmtree(file, ignore_errors=True)


def sync_to_disk(path: Path) -> None:
    """Sync a file or folder to disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _raise_store_errors(folder: Path) -> Iterator[None]:
    """Turn an OSError in the block into a StoreError that names the folder."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror}; the upload is discarded") from None
