"""An archive unpacked: its names judged before the first file is written, its sizes counted while reading.

Only regular files and folders are made. Modes but "may be executed" are dropped, a folder that holds all is
left out, and so is what macOS adds to archives.
"""

from __future__ import annotations

import os
import re
import unicodedata
import zlib
from typing import TYPE_CHECKING, NamedTuple

from arbiter.submissions.layout import DEFLATED, SHOWN, entries_of
from arbiter.submissions.steps import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from arbiter.submissions.layout import Entry

MOST_FILES = 1_000
MOST_ENTRIES = 2 * MOST_FILES
"""Files and folders."""
MOST_GROWTH = 10
"""How many times the largest archive its files may take."""
DEEPEST = 16
LONGEST_PART, LONGEST_NAME = 255, 1024
"""Bytes of UTF-8: of what stands between two slashes, and of the whole."""
CHUNK = 64 << 10
FOR_ALL, PROGRAM = 0o644, 0o755
DRIVE = re.compile(r"[A-Za-z]:")
OF_MACOS = ("__MACOSX", ".DS_Store")
RENAME = "rename it and pack again"


class Named(NamedTuple):
    """An entry, and where it goes: the parts of its name."""

    parts: tuple[str, ...]
    entry: Entry


def unpack(archive: Path, folder: Path, max_size: int, room: int | None = None) -> int:
    """Write the files of an archive into a new folder, and return how many; Refused if it is at fault.

    `max_size` is of the archive, in bytes, `room` what its author's files may take beyond those that are
    there. What was written before a fault stays.
    """
    with open(archive, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > max_size:
            raise Refused(f"it has {size:,} bytes; at most {max_size:,} are taken", "leave files out")
        entries = entries_of(file, MOST_ENTRIES)
        named = _without_top([Named(_parts(entry), entry) for entry in entries])
        _refuse_twins(named)
        files = [one for one in named if not one.entry.is_folder]
        if not files:
            raise Refused("it holds no files", "pack the folder with the bot in it")
        if len(files) > MOST_FILES:
            raise Refused(f"it holds {len(files)} files; at most {MOST_FILES} are taken", "leave some out")
        folders = {
            one.parts[:length] for one in named for length in range(1, len(one.parts) + one.entry.is_folder)
        }
        if len(folders) > MOST_FILES:
            raise Refused(
                f"it holds {len(folders)} folders; at most {MOST_FILES} are taken", "leave some out"
            )
        most = MOST_GROWTH * max_size
        if (whole := sum(one.entry.size for one in files)) > most:
            raise Refused(f"unpacked it has {whole:,} bytes; at most {most:,} are taken", "leave files out")
        if room is not None and whole > room:
            raise no_room(whole, room)
        folder.mkdir()
        for one in named:
            parents = one.parts if one.entry.is_folder else one.parts[:-1]
            folder.joinpath(*parents).mkdir(parents=True, exist_ok=True)
        for one in files:
            _write(file, one.entry, folder.joinpath(*one.parts))
    return len(files)


def no_room(size: int, room: int) -> Refused:
    """The refusal of files that take more than the author has left."""
    what = (
        f"its files have {size:,} bytes, and of what all of yours may take together {max(room, 0):,} are left"
    )
    return Refused(what, "drop versions that never played, on the page of each; or leave files out")


def _parts(entry: Entry) -> tuple[str, ...]:
    """The parts of a name; Refused for one that leads out of the folder, or could not be written as it is."""
    name = entry.name
    shown = repr(name[:SHOWN])
    if "\0" in name or "\\" in name or not name.isprintable():
        raise Refused(
            f"{shown}: a name of a file has a backslash or a character that cannot be shown", RENAME
        )
    if name.startswith("/") or DRIVE.match(name):
        raise Refused(f"{shown}: a name of a file is absolute", "pack with names from the folder on")
    parts = tuple(name.removesuffix("/").split("/"))
    if any(part in ("", ".", "..") for part in parts):
        raise Refused(f"{shown}: a name of a file leads elsewhere", "pack with names from the folder on")
    if max(len(part.encode()) for part in parts) > LONGEST_PART or len(name.encode()) > LONGEST_NAME:
        raise Refused(
            f"{shown}: a name of a file is too long: {LONGEST_PART} bytes a part, {LONGEST_NAME} in all",
            RENAME,
        )
    if len(parts) - (not entry.is_folder) > DEEPEST:
        raise Refused(f"{shown}: it lies in more than {DEEPEST} folders", "pack fewer folders in folders")
    return parts


def _without_top(named: list[Named]) -> list[Named]:
    """Without what macOS adds, and without the folder that holds all the rest, if there is one."""
    kept = [one for one in named if not any(part in OF_MACOS for part in one.parts)]
    tops = {one.parts[0] for one in kept}
    if len(tops) != 1 or any(len(one.parts) == 1 and not one.entry.is_folder for one in kept):
        return kept
    return [one._replace(parts=one.parts[1:]) for one in kept if one.parts[1:]]


def _refuse_twins(named: Iterable[Named]) -> None:
    """Refused where two names are one on some system: alike but for case or Unicode's forms, or the same."""
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    files: set[tuple[str, ...]] = set()
    folders: set[tuple[str, ...]] = set()
    for one in named:
        for length in range(1, len(one.parts) + 1):
            parts = one.parts[:length]
            key, shown = tuple(map(_folded, parts)), "/".join(parts)
            if known.setdefault(key, parts) != parts:
                raise Refused(f"{shown!r} and {'/'.join(known[key])!r} are one name on some systems", RENAME)
            is_file = length == len(one.parts) and not one.entry.is_folder
            if key in (folders if is_file else files):
                raise Refused(f"{shown!r} is a file and a folder", RENAME)
            if is_file and key in files:
                raise Refused(f"{shown!r} stands in it twice", "pack it once")
            (files if is_file else folders).add(key)


def _folded(part: str) -> str:
    """A part of a name as the least exact file system sees it."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", part).casefold())


def _write(file: BinaryIO, entry: Entry, path: Path) -> None:
    """Write a file, whose size and checksum are counted as it is read."""
    mode = PROGRAM if entry.mode & 0o111 else FOR_ALL
    count, crc = 0, 0
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with open(descriptor, "wb") as target:
        # Whatever the process's own mask is.
        os.fchmod(descriptor, mode)
        for chunk in _unpacked(file, entry):
            count += len(chunk)
            if count > entry.size:
                raise Refused(f"{entry.name}: it is longer than it says")
            crc = zlib.crc32(chunk, crc)
            target.write(chunk)
    if count != entry.size:
        raise Refused(f"{entry.name}: it is shorter than it says")
    if crc != entry.crc:
        raise Refused(f"{entry.name}: its checksum is wrong")


def _unpacked(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    """The content in pieces of bounded size; Refused if it is damaged."""
    file.seek(entry.start)
    left = entry.packed
    if entry.method != DEFLATED:
        while left and (chunk := file.read(min(left, CHUNK))):
            left -= len(chunk)
            yield chunk
        return
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    waiting = b""
    try:
        while not inflate.eof:
            if not waiting:
                waiting = file.read(min(left, CHUNK))
                left -= len(waiting)
            before = len(waiting)
            chunk = inflate.decompress(waiting, CHUNK)
            waiting = inflate.unconsumed_tail
            if not chunk and not before:
                raise Refused(f"{entry.name}: its compressed data are not whole")
            yield chunk
    except zlib.error:
        raise Refused(f"{entry.name}: its compressed data are damaged") from None
    if left or waiting or inflate.unused_data:
        raise Refused(f"{entry.name}: something follows its compressed data")
