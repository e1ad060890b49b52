"""Copies in memory of players' folders, each mounted over the folder itself for the bots of this worker.

A file that is brought from a disk when it is first read remembers that it was: the second time is quicker, by
whom ever. So a bot could leave word to itself in the next match, which has the same cards. A copy in memory
is equally quick from the start; it is read-only and remembers no times of reading, so one copy serves all
matches until the files change.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import NamedTuple

from arbiter.table.forkserver.kernel import MS_NODEV, MS_NOSUID, mount, set_read_only, unmount

LARGEST, LARGEST_TOGETHER = 128 << 20, 256 << 20
"""Bytes of one folder, and of all copies of a worker: they are in memory."""
MOST_FILES = 10_000
DEEPEST = 32
BLOCK = 4096
CHUNK = 1 << 20


class Entry(NamedTuple):
    """A file, folder or link below a folder, as `changed` compares them."""

    name: str
    mode: int
    size: int
    changed_ns: int
    number: int


class Laid(NamedTuple):
    """A copy: the folder that it covers (open), what was there when it was made, its size, its device."""

    original: int
    entries: tuple[Entry, ...]
    size: int
    device: int


class TooLarge(Exception):
    """A folder that is not copied."""


class Copies:
    """The copies of one process; `cover` before the bots of a match start."""

    def __init__(self) -> None:
        self._laid: dict[str, Laid] = {}
        self._too_large: set[str] = set()

    def cover(self, folders: list[str]) -> list[str]:
        """Cover each folder with a copy of what is in it now; the folders that are used as they are."""
        # A folder before what lies in it: a mount hides what is mounted below.
        return [folder for folder in sorted(set(folders)) if not self._covered(folder)]

    def _covered(self, folder: str) -> bool:
        if folder in self._too_large:
            return False
        try:
            laid = self._laid.pop(folder, None)
            if laid is not None:
                if os.stat(folder).st_dev == laid.device and entries_of(laid.original) == laid.entries:
                    # The one used last stands last.
                    self._laid[folder] = laid
                    return True
                self._take_away(folder, laid)
            for other in [other for other in self._laid if other.startswith(folder + "/")]:
                self._take_away(other, self._laid.pop(other))
            self._laid[folder] = self._lay(folder)
        except TooLarge:
            self._too_large.add(folder)
        except OSError:
            pass
        return folder in self._laid

    def _lay(self, folder: str) -> Laid:
        original = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            entries = entries_of(original)
            size = sum(-(-entry.size // BLOCK) * BLOCK + BLOCK for entry in entries) + CHUNK
            self._make_room(size)
            mount(
                "tmpfs",
                folder,
                "tmpfs",
                MS_NOSUID | MS_NODEV,
                f"size={size},mode=0755,nr_inodes={len(entries) + 9}",
            )
            try:
                copy = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                try:
                    copy_folder(original, copy)
                    device = os.fstat(copy).st_dev
                finally:
                    os.close(copy)
                set_read_only(folder, beneath=False)
            except BaseException:
                unmount(folder)
                raise
        except BaseException:
            os.close(original)
            raise
        return Laid(original, entries, size, device)

    def _make_room(self, size: int) -> None:
        while self._laid and size + sum(laid.size for laid in self._laid.values()) > LARGEST_TOGETHER:
            folder = next(iter(self._laid))
            self._take_away(folder, self._laid.pop(folder))

    @staticmethod
    def _take_away(folder: str, laid: Laid) -> None:
        os.close(laid.original)
        with suppress(OSError):
            if os.stat(folder).st_dev == laid.device:
                unmount(folder)


def entries_of(folder: int) -> tuple[Entry, ...]:
    """All that is below an open folder, in a fixed order; TooLarge for what is not copied."""
    found: list[Entry] = []
    left = LARGEST

    def look(folder: int, prefix: str, depth: int) -> None:
        nonlocal left
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            found.append(
                Entry(prefix + entry.name, status.st_mode, status.st_size, status.st_ctime_ns, status.st_ino)
            )
            left -= status.st_size if stat.S_ISREG(status.st_mode) else 0
            if left < 0 or len(found) > MOST_FILES or depth > DEEPEST:
                raise TooLarge
            if stat.S_ISDIR(status.st_mode):
                with suppress(PermissionError):
                    below = _open_folder(entry.name, folder)
                    try:
                        look(below, f"{prefix}{entry.name}/", depth + 1)
                    finally:
                        os.close(below)

    look(folder, "", 0)
    return tuple(found)


def copy_folder(source: int, target: int) -> None:
    """Copy all below one open folder to another; what cannot be read, and what is no file, is left out."""
    with os.scandir(source) as listing:
        entries = list(listing)
    for entry in entries:
        with suppress(PermissionError):
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                os.symlink(os.readlink(entry.name, dir_fd=source), entry.name, dir_fd=target)
            elif stat.S_ISDIR(status.st_mode):
                below = _open_folder(entry.name, source)
                try:
                    os.mkdir(entry.name, 0o700, dir_fd=target)
                    made = _open_folder(entry.name, target)
                    try:
                        copy_folder(below, made)
                        _finish(made, status)
                    finally:
                        os.close(made)
                finally:
                    os.close(below)
            elif stat.S_ISREG(status.st_mode):
                _copy_file(entry.name, source, target)


def _copy_file(name: str, source: int, target: int) -> None:
    # Not blocked by what has taken the file's place meanwhile.
    read = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=source)
    try:
        written = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=target)
        try:
            while os.sendfile(written, read, None, CHUNK):
                pass
            _finish(written, os.fstat(read))
        finally:
            os.close(written)
    finally:
        os.close(read)


def _finish(made: int, status: os.stat_result) -> None:
    """The mode and the time of the original; Python compares the time with that of what it compiled."""
    os.fchmod(made, stat.S_IMODE(status.st_mode) & 0o777)
    os.utime(made, ns=(status.st_mtime_ns, status.st_mtime_ns))


def _open_folder(name: str, folder: int) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
