"""Find the shared libraries that a program loads at start, by reading its file; nothing is run."""

from __future__ import annotations

import os
import struct
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from arbiter.sandbox.forkserver.ways import opened_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAGIC = b"\x7fELF\x02\x01"
"""64-bit little-endian ELF, as on all machines with a seccomp filter."""
HEADER = struct.Struct("<16x2xH4x8xQ8x4x2xHH")
"""Of an ELF file: machine, offset of the segments, their size and number."""
SEGMENT = struct.Struct("<I4xQQ8xQ16x")
"""Type, offset in the file, address, size in the file."""
LOADED, DYNAMIC, INTERPRETER = 1, 2, 3
NEEDED, STRINGS, STRINGS_SIZE, OLD_PATH, PATH = 1, 5, 10, 15, 29
LONGEST_TABLE, LONGEST_NAME = 64 << 10, 4096
"""Bytes read of the dynamic table, and of a name."""
MOST_SEGMENTS, MOST_NAMES, MOST_FOLDERS = 200, 200, 16
SYSTEM = ("/usr/", "/lib/", "/lib32/", "/lib64/")
"""Folders in which libraries are searched; an author's own libraries are in the player's folder."""
CONFIGURED = "/etc/ld.so.conf"
BY_DEFAULT = ("/lib", "/usr/lib", "/lib64", "/usr/lib64")

_found: dict[tuple[str, tuple[str, ...]], tuple[str, int]] = {}
"""By name and first folders: the path, and the number of looks."""


class Looks:
    """A budget of files and names to check: authors control how many there are."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, many: int = 1) -> bool:
        """Subtract some from the budget; False if it is exceeded."""
        self.left -= many
        return self.left >= 0


class Linkage(NamedTuple):
    """The names in a program or library: its loader or "", its libraries, the folders to search first."""

    machine: int
    loader: str
    libraries: tuple[str, ...]
    folders: tuple[str, ...]


def needs_of(path: str) -> Linkage | None:
    """Return the linkage of a file; None if it is not a valid program or library."""
    try:
        with opened_file(path) as file:
            return _read_linkage(file, os.path.dirname(path))  # noqa: PTH120 -- nothing more is imported
    except (OSError, OverflowError, ValueError, struct.error):
        return None


def _read_linkage(file: int, folder: str) -> Linkage | None:
    """Read what an open ELF file needs, with `folder` for its $ORIGIN; None for other files."""
    header = os.pread(file, 64, 0)
    if not header.startswith(MAGIC):
        return None
    machine, at, size, count = HEADER.unpack(header[: HEADER.size])
    if size != SEGMENT.size:
        return None
    segments = list(SEGMENT.iter_unpack(os.pread(file, size * min(count, MOST_SEGMENTS), at)))

    def read_segment(kind: int, most: int) -> bytes:
        found = ((place, length) for what, place, _, length in segments if what == kind)
        return next((os.pread(file, min(length, most), place) for place, length in found), b"")

    loader = read_segment(INTERPRETER, LONGEST_NAME).partition(b"\0")[0]
    words = read_segment(DYNAMIC, LONGEST_TABLE)
    entries = list(struct.iter_unpack("<QQ", words[: len(words) // 16 * 16]))
    known = dict(entries)
    address, length = known.get(STRINGS, 0), known.get(STRINGS_SIZE, 0)
    strings = 0
    for what, place, start, size in segments:
        if what == LOADED and start <= address < start + size:
            strings = place + address - start

    def read_names(*tags: int) -> list[str]:
        places = [value for tag, value in entries if tag in tags and value < length][:MOST_NAMES]
        texts = (os.pread(file, min(LONGEST_NAME, length - value), strings + value) for value in places)
        return [os.fsdecode(text[: text.index(b"\0")]) for text in texts]

    folders = [part for text in read_names(OLD_PATH, PATH) for part in text.split(":") if part]
    here = [part.replace("${ORIGIN}", folder).replace("$ORIGIN", folder) for part in folders]
    places = dict.fromkeys(map(os.path.normpath, here))
    return Linkage(
        machine,
        os.fsdecode(loader),
        _distinct(read_names(NEEDED), MOST_NAMES),
        _distinct(places, MOST_FOLDERS),
    )


def _distinct(words: Iterable[str], most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))[:most]


def files_for(needs: Linkage, looks: Looks) -> Iterator[str]:
    """Yield the paths of a file's loader and system libraries that are found; none for a file of another
    machine.
    """
    if needs.machine != own_machine() or not looks.spend(len(needs.libraries)):
        return
    folders = tuple(folder for folder in needs.folders if is_of_the_system(f"{folder}/"))
    found = [
        needs.loader,
        *(find_library(name, folders, looks) for name in needs.libraries if "/" not in name),
    ]
    yield from (path for path in found if path and is_of_the_system(path))


@cache
def own_machine() -> int:
    """Return the machine number of this machine's ELF files, read from its shell; 0 if unknown."""
    shell = needs_of("/bin/sh")
    return 0 if shell is None else shell.machine


def is_of_the_system(path: str) -> bool:
    """True if a path is below the system's folders, also after resolving links."""
    return path.startswith(SYSTEM) and os.path.realpath(path).startswith(SYSTEM)


def find_library(name: str, first: tuple[str, ...], looks: Looks) -> str:
    """Return the path at which the loader finds a library, in the folders `first` before its usual ones.

    "" if it is not found, or beyond the budget.
    """
    if (name, first) in _found:
        path, took = _found[name, first]
        # As many as the first time, or the cost would reveal what others have searched.
        return path if looks.spend(took) else ""
    found, took = "", 0
    for folder in (*first, *search_folders()):
        path = f"{folder}/{name}"
        took += 1
        if not looks.spend():
            # Not cached: another player may have looks left.
            return ""
        if os.path.isfile(path) and (needs := needs_of(path)) is not None and needs.machine == own_machine():
            found = path
            break
    _found[name, first] = found, took
    return found


@cache
def search_folders() -> tuple[str, ...]:
    """Return the folders that the loader searches."""
    return tuple(dict.fromkeys([*_configured_folders(CONFIGURED), *BY_DEFAULT]))


def _configured_folders(file: str, depth: int = 0) -> Iterator[str]:
    """Yield the folders that a configuration file of the loader names; none if it cannot be read."""
    try:
        with open(file) as lines:
            words = [line.split("#")[0].split() for line in lines]
    except OSError:
        return
    for line in words:
        if line[:1] == ["include"] and depth == 0:
            for pattern in line[1:]:
                yield from _included_folders(pattern)
        elif line:
            yield line[0]


def _included_folders(pattern: str) -> Iterator[str]:
    """Yield the folders in the files of a pattern such as /etc/ld.so.conf.d/*.conf."""
    folder, _, ending = pattern.partition("/*")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if name.endswith(ending):
            yield from _configured_folders(f"{folder}/{name}", depth=1)
