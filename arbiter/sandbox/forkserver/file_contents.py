"""Inspect and copy a file or folder of the machine for the system in memory."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.sandbox.forkserver.libraries import Looks, files_for, needs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

BLOCK = 4096
CHUNK = 1 << 20
UNITS = ("site-packages", "dist-packages", "node_modules")
"""Folders that may be large: they are then read in place, although the folders around are copied."""
LARGEST_UNIT = 128 << 20
MOST_LOOKS = 30_000
"""Budget to find the libraries of programs of one folder or player: files, names and places checked."""
OF_NO_USE = {
    "python": ("test", "idlelib", "turtledemo", "ensurepip", "tkinter"),
    "zoneinfo": ("posix", "right"),
    "jdk": ("jmods", "demo", "man", "src.zip", "include"),
}
"""By a part of a folder's name: the entries that no bot needs."""
FOR_ALL = ("/usr/", "/etc/")
"""Folders in which only world-readable files are copied."""
DEEPEST = 40
"""Levels of folders."""
ENDINGS_OF_NO_USE = (".a", ".opt-1.pyc", ".opt-2.pyc")


class CopyTooLarge(Exception):
    """There is no room for a source."""


class BeyondShare(CopyTooLarge):
    """It exceeds what is left of the player's share."""


class Source(NamedTuple):
    """A file, or a folder with its entries.

    `entries`: all paths, the source first; `size`: the bytes of a copy; `units`: folders within that are
    separate sources; `outside`: targets of links outside of it; `libraries`: the libraries of its programs.
    """

    entries: Mapping[str, os.stat_result]
    size: int
    units: tuple[str, ...]
    outside: tuple[str, ...]
    libraries: tuple[str, ...]


def inspect_source(path: str, most: int) -> Source:
    """Return the source at a real path; BeyondShare above `most` bytes, CopyTooLarge for a unit above
    `LARGEST_UNIT`, OSError if it is missing.
    """
    whole = os.lstat(path)
    entries, units, outside = {path: whole}, list[str](), list[str]()
    size = _size_on_disk(whole)
    for here, status in _entries_below(path, units):
        size += _size_on_disk(status)
        if size > most:
            raise BeyondShare
        if size > LARGEST_UNIT and path.endswith(UNITS):
            raise CopyTooLarge
        entries[here] = status
        if stat.S_ISLNK(status.st_mode):
            real = os.path.realpath(here)
            outside += [] if real.startswith(f"{path}/") else [real]
    if size > most:
        raise BeyondShare
    programs = (one for one, status in entries.items() if _is_program(one, status))
    libraries = dict.fromkeys(libraries_of(programs, Looks(MOST_LOOKS)))
    return Source(entries, size, tuple(units), tuple(outside), tuple(libraries))


def libraries_of(programs: Iterable[str], looks: Looks) -> Iterator[str]:
    """Yield the system libraries that programs load, within the budget of looks."""
    for path in programs:
        if (needs := needs_of(path)) is not None:
            yield from files_for(needs, looks)


def programs_in(place: str, looks: Looks, depth: int = 0) -> Iterator[str]:
    """Yield the files below a folder whose names are of programs or libraries; or a file itself."""
    if not os.path.isdir(place):
        if looks.spend():
            yield place
        return
    with suppress(OSError), os.scandir(place) as listing:
        for entry in sorted(listing, key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST:
                    yield from programs_in(entry.path, looks, depth + 1)
            elif (".so" in entry.name or "." not in entry.name) and entry.is_file(follow_symlinks=False):
                if not looks.spend():
                    return
                yield entry.path


def copy(source: Source, target: str) -> None:
    """Copy a file or folder to a path, without unreadable entries."""
    whole = next(iter(source.entries))
    for path, status in source.entries.items():
        made = target + path[len(whole) :]
        with suppress(FileExistsError, PermissionError):
            if stat.S_ISDIR(status.st_mode):
                os.mkdir(made)
            elif stat.S_ISLNK(status.st_mode):
                os.symlink(os.readlink(path), made)
            elif stat.S_ISREG(status.st_mode) and _is_readable(path, status):
                _copy_file(path, made, status)
    for unit in source.units:
        os.makedirs(target + unit[len(whole) :], exist_ok=True)


def _copy_file(path: str, target: str, status: os.stat_result) -> None:
    # All users may read the copies.
    mode = 0o555 if status.st_mode & 0o111 else 0o444
    source = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        made = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            while os.sendfile(made, source, None, CHUNK):
                pass
            # Python compares a file's time with that in its compiled file.
            os.utime(made, ns=(status.st_mtime_ns, status.st_mtime_ns))
        finally:
            os.close(made)
    finally:
        os.close(source)


def _is_readable(path: str, status: os.stat_result) -> bool:
    return not path.startswith(FOR_ALL) or bool(status.st_mode & 0o004)


def _is_program(path: str, status: os.stat_result) -> bool:
    is_program = status.st_mode & 0o111 or ".so" in path
    return stat.S_ISREG(status.st_mode) and bool(is_program) and _is_readable(path, status)


def _size_on_disk(status: os.stat_result) -> int:
    """Return the bytes of a file or folder: whole blocks, and one for the entry."""
    return BLOCK + (-(-status.st_size // BLOCK) * BLOCK if stat.S_ISREG(status.st_mode) else 0)


def _entries_below(folder: str, units: list[str], depth: int = 0) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the entries below a folder, without useless ones; append `UNITS` to `units` instead."""
    name = folder.rpartition("/")[2]
    useless = {one for part, names in OF_NO_USE.items() if part in name for one in names}
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return
    if depth > DEEPEST:
        raise CopyTooLarge
    for entry in entries:
        if entry.name in useless or entry.name.endswith(ENDINGS_OF_NO_USE):
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and entry.name in UNITS:
            units.append(entry.path)
            continue
        yield entry.path, entry.stat(follow_symlinks=False)
        if is_folder:
            yield from _entries_below(entry.path, units, depth + 1)
