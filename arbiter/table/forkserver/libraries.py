"""Which shared libraries a program loads when it starts, read from its file: nothing is run to find out."""

from __future__ import annotations

import os
import struct
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from arbiter.table.forkserver.ways import opened_file

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"\x7fELF\x02\x01"
"""64 bits, the low byte first: what all machines that we know a filter for have."""
HEADER = struct.Struct("<16x2xH4x8xQ8x4x2xHH")
"""Of a file: machine, place of the segments, size and number of them."""
SEGMENT = struct.Struct("<I4xQQ8xQ16x")
"""Kind, place in the file, address, size in the file."""
LOADED, DYNAMIC, INTERPRETER = 1, 2, 3
NEEDED, STRINGS, STRINGS_SIZE, OLD_PATH, PATH = 1, 5, 10, 15, 29
MOST_BYTES = 16 << 20
"""Of a part of a file that is read."""
MOST_SEGMENTS, MOST_NAMES = 200, 200
SYSTEM = ("/usr/", "/lib/", "/lib32/", "/lib64/")
"""Where what a program loads is looked for: an author's own libraries lie in his own folder."""
CONFIGURED = "/etc/ld.so.conf"
BY_DEFAULT = ("/lib", "/usr/lib", "/lib64", "/usr/lib64")


class Needs(NamedTuple):
    """What a program or library names: its loader ("" for none), libraries, and folders to look in first."""

    machine: int
    loader: str
    libraries: tuple[str, ...]
    folders: tuple[str, ...]


def needs_of(path: str) -> Needs | None:
    """What a file names; None for one that is no program or library, or that is not as it should be."""
    try:
        with opened_file(path) as file:
            return _read(file, os.path.dirname(path))  # noqa: PTH120 -- nothing more is imported
    except (OSError, OverflowError, ValueError, struct.error):
        return None


def _read(file: int, folder: str) -> Needs | None:
    header = os.pread(file, 64, 0)
    if not header.startswith(MAGIC):
        return None
    machine, at, size, count = HEADER.unpack(header[: HEADER.size])
    count = min(count, MOST_SEGMENTS)
    table = os.pread(file, size * count, at)
    segments = [SEGMENT.unpack_from(table, number * size) for number in range(count)]

    def text_of(kind: int) -> bytes:
        return next((_part(file, place, length) for what, place, _, length in segments if what == kind), b"")

    loader = text_of(INTERPRETER).partition(b"\0")[0]
    words = text_of(DYNAMIC)
    entries = list(struct.iter_unpack("<QQ", words[: len(words) // 16 * 16]))
    known = dict(entries)
    address, length = known.get(STRINGS, 0), known.get(STRINGS_SIZE, 0)
    strings = b""
    for what, place, start, size in segments:
        if what == LOADED and start <= address < start + size:
            strings = _part(file, place + address - start, length)

    def said(*tags: int) -> list[str]:
        found = (value for tag, value in entries if tag in tags)
        return [os.fsdecode(strings[value : strings.index(b"\0", value)]) for value in found]

    folders = [part for text in said(OLD_PATH, PATH) for part in text.split(":") if part]
    here = [part.replace("${ORIGIN}", folder).replace("$ORIGIN", folder) for part in folders]
    names = said(NEEDED)[:MOST_NAMES]
    return Needs(machine, os.fsdecode(loader), tuple(names), tuple(here[:MOST_NAMES]))


def _part(file: int, place: int, length: int) -> bytes:
    return os.pread(file, min(length, MOST_BYTES), place)


def files_for(needs: Needs) -> Iterator[str]:
    """The paths of the loader and the libraries of the system that a file names, as far as they are found."""
    folders = tuple(folder for folder in needs.folders if is_of_the_system(f"{folder}/"))
    found = [
        needs.loader,
        *(find(name, needs.machine, folders) for name in needs.libraries if "/" not in name),
    ]
    yield from (path for path in found if path and is_of_the_system(path))


def is_of_the_system(path: str) -> bool:
    """True for a path below the system's folders, whatever links lead there."""
    return path.startswith(SYSTEM) and os.path.realpath(path).startswith(SYSTEM)


@cache
def find(name: str, machine: int, first: tuple[str, ...] = ()) -> str:
    """Where the loader finds a library for this kind of machine; "" if nowhere."""
    for folder in (*first, *searched()):
        path = f"{folder}/{name}"
        found = needs_of(path)
        if found is not None and found.machine == machine:
            return path
    return ""


@cache
def searched() -> tuple[str, ...]:
    """The folders in which the loader looks for libraries."""
    return tuple(dict.fromkeys([*_configured(CONFIGURED), *BY_DEFAULT]))


def _configured(file: str, depth: int = 0) -> Iterator[str]:
    try:
        with open(file) as lines:
            words = [line.split("#")[0].split() for line in lines]
    except OSError:
        return
    for line in words:
        if line[:1] == ["include"] and depth == 0:
            for pattern in line[1:]:
                yield from _included(pattern)
        elif line:
            yield line[0]


def _included(pattern: str) -> Iterator[str]:
    """The folders of the files that a pattern such as /etc/ld.so.conf.d/*.conf names."""
    folder, _, ending = pattern.partition("/*")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if name.endswith(ending):
            yield from _configured(f"{folder}/{name}", depth=1)
