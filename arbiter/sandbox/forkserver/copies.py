"""Copies in memory of players' folders, each mounted over the folder for the bots of this worker.

A file is faster to read the second time, by any process. So a bot could leave a message to itself in the next
match, which has the same cards. A copy in memory is equally fast from the start; it is read-only and has no
access times, so one copy serves all matches until the files change. Each match sees it as newly made.
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
"""Bytes in memory of one player's folders, and of all copies that a worker keeps for later matches."""
MOST_FILES = 10_000
DEEPEST = 32
"""Levels of folders, each of which needs a descriptor while it is copied; deeper ones are left out."""
BLOCK = 4096
CHUNK = 1 << 20
FOLDER = os.O_RDONLY | os.O_DIRECTORY


class FolderEntry(NamedTuple):
    """A file, folder or link below a folder, with what shows a change."""

    name: str
    mode: int
    size: int
    changed_ns: int
    number: int


class Copy(NamedTuple):
    """A copy: the covered folder (open), its entries, and the copy's size and device."""

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
        """By folder, the most recently used last."""
        self._too_large: set[str] = set()

    def cover(self, players: Sequence[Sequence[str]]) -> list[str]:
        """Cover the folders of a match's players with copies of their current files; return the others.

        Each player has a share, which its first folders get. Folders within a covered one are covered with
        it.
        """
        wanted = {folder for folders in players for folder in folders}
        # An old copy above or below a wanted folder would hide its files.
        for folder in [one for one in self._copies if one not in wanted and _overlaps(one, wanted)]:
            _unmount_copy(folder, self._copies.pop(folder))
        found: dict[str, tuple[FolderEntry, ...]] = {}
        chosen = {folder for folders in players for folder in self._choose(folders, found)}
        tops = sorted(folder for folder in chosen if not _is_within(folder, chosen))
        covered = {folder for folder in tops if self._cover(folder, found[folder], chosen)}
        return sorted(one for one in wanted - covered if not _is_within(one, covered))

    def _choose(self, folders: Sequence[str], found: dict[str, tuple[FolderEntry, ...]]) -> Iterable[str]:
        """Return a player's readable folders that fit into its share; add their entries to `found`."""
        left, sizes = LARGEST, dict[str, int]()
        for folder in folders:
            if folder in self._too_large or folder in sizes or _is_within(folder, sizes):
                continue
            try:
                if folder not in found:
                    found[folder] = self._current_entries(folder)
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

    def _current_entries(self, folder: str) -> tuple[FolderEntry, ...]:
        """Return the current entries of a folder, covered or not."""
        copy = self._copies.get(folder)
        # A folder that was removed and created again has no copy on it.
        if copy is not None and os.stat(folder).st_dev == copy.device:
            return list_entries(copy.original)
        with open_in(folder, FOLDER) as original:
            return list_entries(original)

    def _cover(self, folder: str, entries: tuple[FolderEntry, ...], kept: Collection[str]) -> bool:
        """Cover a folder without uncovering the folders `kept`; False if that is impossible."""
        with suppress(OSError, FolderTooLarge):
            copy = self._copies.pop(folder, None)
            if copy is not None:
                if os.stat(folder).st_dev == copy.device and entries == copy.entries:
                    self._copies[folder] = copy
                    _renew_times(folder, copy)
                    return True
                _unmount_copy(folder, copy)
            for other in [other for other in self._copies if _is_within(other, (folder,))]:
                _unmount_copy(other, self._copies.pop(other))
            self._copies[folder] = self._mount_copy(folder, kept)
        return folder in self._copies

    def _mount_copy(self, folder: str, kept: Collection[str]) -> Copy:
        with ExitStack() as undo:
            original = os.open(folder, FOLDER | os.O_CLOEXEC)
            undo.callback(os.close, original)
            entries = list_entries(original)
            size = _size_of(entries)
            self._make_room(size, kept)
            options = f"size={size + CHUNK},mode=0755,nr_inodes={len(entries) + 9}"
            mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options)
            undo.callback(unmount, folder)
            with open_in(folder, FOLDER) as target:
                copy_folder(original, target)
                _set_time(target, os.fstat(original))
                device = os.fstat(target).st_dev
            set_read_only(folder, beneath=False)
            undo.pop_all()
        return Copy(original, entries, size, device)

    def _make_room(self, size: int, kept: Collection[str]) -> None:
        """Unmount the least recently used copies, except `kept`, until `size` more bytes fit."""
        for folder in [folder for folder in self._copies if folder not in kept]:
            if size + sum(copy.size for copy in self._copies.values()) <= LARGEST_TOGETHER:
                break
            _unmount_copy(folder, self._copies.pop(folder))


def _size_of(entries: Iterable[FolderEntry]) -> int:
    """Return the bytes of a copy: whole blocks for each file and link, and one for each entry."""
    return sum(
        BLOCK + (0 if stat.S_ISDIR(entry.mode) else -(-entry.size // BLOCK) * BLOCK) for entry in entries
    )


def _is_within(folder: str, others: Iterable[str]) -> bool:
    return any(folder.startswith(f"{other}/") for other in others)


def _overlaps(folder: str, others: Iterable[str]) -> bool:
    return any(_is_within(folder, (other,)) or _is_within(other, (folder,)) for other in others)


def _renew_times(folder: str, copy: Copy) -> None:
    """Set the change times in a copy to now; these times cannot be set to a value."""
    set_writable(folder)
    try:
        for path in (folder, *(f"{folder}/{entry.name}" for entry in copy.entries)):
            # Unreadable entries were not copied.
            with suppress(FileNotFoundError):
                os.lchown(path, -1, -1)
    finally:
        set_read_only(folder, beneath=False)


def _unmount_copy(folder: str, copy: Copy) -> None:
    """Close the covered folder and unmount its copy if it is still there; ignore errors of unmounting."""
    os.close(copy.original)
    with suppress(OSError):
        if os.stat(folder).st_dev == copy.device:
            unmount(folder)


@contextmanager
def open_in(path: str, flags: int, folder: int | None = None) -> Iterator[int]:
    """Open a file in an open folder, closed at the end; a new file is private to its owner."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def list_entries(folder: int) -> tuple[FolderEntry, ...]:
    """Return all entries below an open folder, in a fixed order; FolderTooLarge above the limits."""
    found: list[FolderEntry] = []
    left = LARGEST

    def scan(folder: int, prefix: str, depth: int) -> None:
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
                with suppress(PermissionError), open_in(entry.name, FOLDER | os.O_NOFOLLOW, folder) as below:
                    scan(below, f"{path}/", depth + 1)

    scan(folder, "", 0)
    return tuple(found)


def copy_folder(source: int, target: int, depth: int = 0) -> None:
    """Copy all readable files, links and folders below an open folder to another."""
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
                with open_in(name, FOLDER | os.O_NOFOLLOW, source) as below:
                    os.mkdir(name, 0o700, dir_fd=target)
                    with open_in(name, FOLDER | os.O_NOFOLLOW, target) as made:
                        if depth < DEEPEST:
                            copy_folder(below, made, depth + 1)
                        _set_mode_and_time(made, status)
            elif stat.S_ISREG(status.st_mode):
                _copy_file(name, source, target)


def _copy_file(name: str, source: int, target: int) -> None:
    # Without blocking: the file may have been replaced by a pipe meanwhile.
    with (
        open_in(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, source) as read,
        open_in(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, target) as written,
    ):
        while os.sendfile(written, read, None, CHUNK):
            pass
        _set_mode_and_time(written, os.fstat(read))


def _set_mode_and_time(made: int, status: os.stat_result) -> None:
    """Copy mode and time: Python compares a file's time with that in its compiled file."""
    os.fchmod(made, stat.S_IMODE(status.st_mode) & 0o777)
    _set_time(made, status)


def _set_time(made: int, status: os.stat_result) -> None:
    os.utime(made, ns=(status.st_mtime_ns, status.st_mtime_ns))
