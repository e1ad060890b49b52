"""Copies in memory of players' folders, each mounted over the folder itself for the bots of this worker.

A file that has been read once is read faster the second time, by anybody. So a bot could leave word to itself
in the next match, which has the same cards. A copy in memory is equally fast from the start; it is read-only
and keeps no times of reading, so one copy serves all matches until the files change.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.table.forkserver.kernel import MS_NODEV, MS_NOSUID, mount, set_read_only, unmount

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST, LARGEST_TOGETHER = 128 << 20, 256 << 20
"""Bytes of one folder, and of all copies of a worker: they are in memory."""
MOST_FILES = 10_000
DEEPEST = 32
"""Levels of folders: each takes a descriptor while it is copied."""
BLOCK = 4096
CHUNK = 1 << 20
FOLDER = os.O_RDONLY | os.O_DIRECTORY


class Entry(NamedTuple):
    """A file, folder or link below a folder: what shows whether it has changed."""

    name: str
    mode: int
    size: int
    changed_ns: int
    number: int


class Copy(NamedTuple):
    """A copy: the folder that it covers (open), what was in it, and the copy's size and device."""

    original: int
    entries: tuple[Entry, ...]
    size: int
    device: int


class TooLarge(Exception):
    """A folder is too large to be copied."""


class NoRoom(Exception):
    """All that one match needs together is too large."""


class Copies:
    """The copies of one process."""

    def __init__(self) -> None:
        self._copies: dict[str, Copy] = {}
        """By folder, the one used last at the end."""
        self._too_large: set[str] = set()

    def cover(self, folders: list[str]) -> list[str]:
        """Cover each folder with a copy of its present files; the folders that could not be covered."""
        # A folder before its subfolders: a mount hides what is mounted below.
        covered: set[str] = set()
        for folder in sorted(set(folders)):
            if self._cover(folder, covered):
                covered.add(folder)
        return sorted(set(folders) - covered)

    def _cover(self, folder: str, kept: set[str]) -> bool:
        """Cover a folder, at no cost to the folders `kept`; False if that cannot be."""
        if folder in self._too_large:
            return False
        try:
            # A folder that is gone may come back with its copy on it.
            device = os.stat(folder).st_dev
            copy = self._copies.pop(folder, None)
            if copy is not None:
                if device == copy.device and entries_of(copy.original) == copy.entries:
                    self._copies[folder] = copy
                    return True
                _uncover(folder, copy)
            for other in [other for other in self._copies if other.startswith(folder + "/")]:
                _uncover(other, self._copies.pop(other))
            self._copies[folder] = self._mount_copy(folder, kept)
        except TooLarge:
            self._too_large.add(folder)
        except (NoRoom, OSError):
            pass
        return folder in self._copies

    def _mount_copy(self, folder: str, kept: set[str]) -> Copy:
        with ExitStack() as undo:
            original = os.open(folder, FOLDER | os.O_CLOEXEC)
            undo.callback(os.close, original)
            entries = entries_of(original)
            size = sum(-(-entry.size // BLOCK) * BLOCK + BLOCK for entry in entries) + CHUNK
            self._make_room(size, kept)
            options = f"size={size},mode=0755,nr_inodes={len(entries) + 9}"
            mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options)
            undo.callback(unmount, folder)
            with opened(folder, FOLDER) as target:
                copy_folder(original, target)
                device = os.fstat(target).st_dev
            set_read_only(folder, beneath=False)
            undo.pop_all()
        return Copy(original, entries, size, device)

    def _make_room(self, size: int, kept: set[str]) -> None:
        """Remove the copies used longest ago, but none of `kept`; NoRoom if that is not enough."""
        others = [folder for folder in self._copies if folder not in kept]
        while size + sum(copy.size for copy in self._copies.values()) > LARGEST_TOGETHER:
            if not others:
                raise NoRoom
            folder = others.pop(0)
            _uncover(folder, self._copies.pop(folder))


def _uncover(folder: str, copy: Copy) -> None:
    os.close(copy.original)
    with suppress(OSError):
        if os.stat(folder).st_dev == copy.device:
            unmount(folder)


@contextmanager
def opened(path: str, flags: int, folder: int | None = None) -> Iterator[int]:
    """A descriptor of a file in an open folder, closed at the end; a new file is the owner's alone."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def entries_of(folder: int) -> tuple[Entry, ...]:
    """Everything below an open folder, in a fixed order; TooLarge if that is too much."""
    found: list[Entry] = []
    left = LARGEST

    def look(folder: int, prefix: str, depth: int) -> None:
        nonlocal left
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            status, path = entry.stat(follow_symlinks=False), prefix + entry.name
            found.append(Entry(path, status.st_mode, status.st_size, status.st_ctime_ns, status.st_ino))
            left -= status.st_size if stat.S_ISREG(status.st_mode) else 0
            if left < 0 or len(found) > MOST_FILES or depth > DEEPEST:
                raise TooLarge
            if stat.S_ISDIR(status.st_mode):
                with suppress(PermissionError), opened(entry.name, FOLDER | os.O_NOFOLLOW, folder) as below:
                    look(below, f"{path}/", depth + 1)

    look(folder, "", 0)
    return tuple(found)


def copy_folder(source: int, target: int) -> None:
    """Copy the files, links and folders below an open folder to another, but for those it may not read."""
    with os.scandir(source) as listing:
        entries = list(listing)
    for entry in entries:
        name = entry.name
        with suppress(PermissionError):
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
            elif stat.S_ISDIR(status.st_mode):
                with opened(name, FOLDER | os.O_NOFOLLOW, source) as below:
                    os.mkdir(name, 0o700, dir_fd=target)
                    with opened(name, FOLDER | os.O_NOFOLLOW, target) as made:
                        copy_folder(below, made)
                        _set_mode_and_time(made, status)
            elif stat.S_ISREG(status.st_mode):
                _copy_file(name, source, target)


def _copy_file(name: str, source: int, target: int) -> None:
    # Without blocking: something else may have taken the file's place meanwhile.
    with (
        opened(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, source) as read,
        opened(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, target) as written,
    ):
        while os.sendfile(written, read, None, CHUNK):
            pass
        _set_mode_and_time(written, os.fstat(read))


def _set_mode_and_time(made: int, status: os.stat_result) -> None:
    """Those of the original: Python compares a file's time with that in its compiled file."""
    os.fchmod(made, stat.S_IMODE(status.st_mode) & 0o777)
    os.utime(made, ns=(status.st_mtime_ns, status.st_mtime_ns))
