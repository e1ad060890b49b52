"""Copies in memory of players' folders, each mounted over the folder itself for the bots of this worker.

A file that has been read once is read faster the second time, by anybody. So a bot could leave word to itself
in the next match, which has the same cards. A copy in memory is equally fast from the start; it is read-only
and keeps no times of reading, so one copy serves all matches until the files change. Each match finds it as
if it had been made just then.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.sandbox.forkserver.kernel import MS_NODEV, MS_NOSUID, mount, set_read_only, set_writable, unmount

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

LARGEST, LARGEST_TOGETHER = 128 << 20, 256 << 20
"""Bytes of one player's folders, and of all copies of a worker that are kept for later matches: they are in
memory.
"""
MOST_FILES = 10_000
DEEPEST = 32
"""Levels of folders, each of which takes a descriptor while it is copied; what is below is left out."""
BLOCK = 4096
CHUNK = 1 << 20
FOLDER = os.O_RDONLY | os.O_DIRECTORY


class FolderEntry(NamedTuple):
    """A file, folder or link below a folder: what shows whether it has changed."""

    name: str
    mode: int
    size: int
    changed_ns: int
    number: int


class Copy(NamedTuple):
    """A copy: the folder that it covers (open), what was in it, and the copy's size and device."""

    original: int
    entries: tuple[FolderEntry, ...]
    size: int
    device: int


class FolderTooLarge(Exception):
    """A folder is too large to be copied."""


class Copies:
    """The copies of one process."""

    def __init__(self) -> None:
        self._copies: dict[str, Copy] = {}
        """By folder, the one used last at the end."""
        self._too_large: set[str] = set()

    def cover(self, players: Sequence[Sequence[str]]) -> list[str]:
        """Cover the folders of a match's players with copies of their present files; those that could not be.

        Each player has a share of its own, which its first folders get. What lies within a covered folder is
        covered with it.
        """
        wanted = {folder for folders in players for folder in folders}
        # What lies around would be copied, and what lies within would be counted, in place of the files.
        for folder in [one for one in self._copies if one not in wanted and _touches(one, wanted)]:
            _uncover(folder, self._copies.pop(folder))
        found: dict[str, tuple[FolderEntry, ...]] = {}
        chosen = {folder for folders in players for folder in self._choose(folders, found)}
        tops = sorted(folder for folder in chosen if not _is_within(folder, chosen))
        covered = {folder for folder in tops if self._cover(folder, found[folder], chosen)}
        return sorted(one for one in wanted - covered if not _is_within(one, covered))

    def _choose(self, folders: Sequence[str], found: dict[str, tuple[FolderEntry, ...]]) -> Iterable[str]:
        """Those of a player's folders that fit into its share; what is in each is added to `found`."""
        left, sizes = LARGEST, dict[str, int]()
        for folder in folders:
            if folder in self._too_large or folder in sizes or _is_within(folder, sizes):
                continue
            try:
                if folder not in found:
                    found[folder] = self._look(folder)
            except FolderTooLarge:
                self._too_large.add(folder)
                continue
            except OSError:
                continue
            size = _size_of(found[folder])
            more = size - sum(sizes[one] for one in sizes if _is_within(one, (folder,)))
            if more <= left:
                left -= more
                sizes[folder] = size
        return sizes

    def _look(self, folder: str) -> tuple[FolderEntry, ...]:
        """Return the entries of a folder now, covered or not."""
        copy = self._copies.get(folder)
        # A folder that is gone may come back with its copy on it.
        if copy is not None and os.stat(folder).st_dev == copy.device:
            return entries_of(copy.original)
        with opened(folder, FOLDER) as original:
            return entries_of(original)

    def _cover(self, folder: str, entries: tuple[FolderEntry, ...], kept: Collection[str]) -> bool:
        """Cover a folder, at no cost to the folders `kept`; False if that cannot be."""
        with suppress(OSError, FolderTooLarge):
            copy = self._copies.pop(folder, None)
            if copy is not None:
                if os.stat(folder).st_dev == copy.device and entries == copy.entries:
                    self._copies[folder] = copy
                    _renew(folder, copy)
                    return True
                _uncover(folder, copy)
            for other in [other for other in self._copies if _is_within(other, (folder,))]:
                _uncover(other, self._copies.pop(other))
            self._copies[folder] = self._mount_copy(folder, kept)
        return folder in self._copies

    def _mount_copy(self, folder: str, kept: Collection[str]) -> Copy:
        with ExitStack() as undo:
            original = os.open(folder, FOLDER | os.O_CLOEXEC)
            undo.callback(os.close, original)
            entries = entries_of(original)
            size = _size_of(entries)
            self._make_room(size, kept)
            options = f"size={size + CHUNK},mode=0755,nr_inodes={len(entries) + 9}"
            mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options)
            undo.callback(unmount, folder)
            with opened(folder, FOLDER) as target:
                copy_folder(original, target)
                _set_time(target, os.fstat(original))
                device = os.fstat(target).st_dev
            set_read_only(folder, beneath=False)
            undo.pop_all()
        return Copy(original, entries, size, device)

    def _make_room(self, size: int, kept: Collection[str]) -> None:
        """Remove the copies used longest ago, but none of `kept`."""
        for folder in [folder for folder in self._copies if folder not in kept]:
            if size + sum(copy.size for copy in self._copies.values()) <= LARGEST_TOGETHER:
                break
            _uncover(folder, self._copies.pop(folder))


def _size_of(entries: Iterable[FolderEntry]) -> int:
    """The bytes that a copy takes: whole blocks of each file and link, and one for itself."""
    return sum(
        BLOCK + (0 if stat.S_ISDIR(entry.mode) else -(-entry.size // BLOCK) * BLOCK) for entry in entries
    )


def _is_within(folder: str, others: Iterable[str]) -> bool:
    return any(folder.startswith(f"{other}/") for other in others)


def _touches(folder: str, others: Iterable[str]) -> bool:
    return any(_is_within(folder, (other,)) or _is_within(other, (folder,)) for other in others)


def _renew(folder: str, copy: Copy) -> None:
    """Make now the time at which each part of a copy was last changed, which nobody can set."""
    set_writable(folder)
    try:
        for path in (folder, *(f"{folder}/{entry.name}" for entry in copy.entries)):
            # What nobody may read was not copied.
            with suppress(FileNotFoundError):
                os.lchown(path, -1, -1)
    finally:
        set_read_only(folder, beneath=False)


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


def entries_of(folder: int) -> tuple[FolderEntry, ...]:
    """Everything below an open folder, in a fixed order; FolderTooLarge if that is too much."""
    found: list[FolderEntry] = []
    left = LARGEST

    def look(folder: int, prefix: str, depth: int) -> None:
        nonlocal left
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            status, path = entry.stat(follow_symlinks=False), prefix + entry.name
            found.append(FolderEntry(path, status.st_mode, status.st_size, status.st_ctime_ns, status.st_ino))
            left -= status.st_size if stat.S_ISREG(status.st_mode) else 0
            if left < 0 or len(found) > MOST_FILES:
                raise FolderTooLarge
            if stat.S_ISDIR(status.st_mode) and depth < DEEPEST:
                with suppress(PermissionError), opened(entry.name, FOLDER | os.O_NOFOLLOW, folder) as below:
                    look(below, f"{path}/", depth + 1)

    look(folder, "", 0)
    return tuple(found)


def copy_folder(source: int, target: int, depth: int = 0) -> None:
    """Copy the files, links and folders below an open folder to another, but for those it may not read."""
    with os.scandir(source) as listing:
        entries = list(listing)
    for entry in entries:
        name = entry.name
        with suppress(PermissionError):
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
                times = status.st_mtime_ns, status.st_mtime_ns
                os.utime(name, ns=times, dir_fd=target, follow_symlinks=False)
            elif stat.S_ISDIR(status.st_mode):
                with opened(name, FOLDER | os.O_NOFOLLOW, source) as below:
                    os.mkdir(name, 0o700, dir_fd=target)
                    with opened(name, FOLDER | os.O_NOFOLLOW, target) as made:
                        if depth < DEEPEST:
                            copy_folder(below, made, depth + 1)
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
    _set_time(made, status)


def _set_time(made: int, status: os.stat_result) -> None:
    os.utime(made, ns=(status.st_mtime_ns, status.st_mtime_ns))
