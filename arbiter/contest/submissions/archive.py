"""An archive unpacked: its names are judged before the first file is written, its sizes bound what is read.

`zipfile` reads it, and nobody else does, so what other readers would make of it does not matter. Only regular
files and folders are made. Modes but "may be executed" are dropped, a folder that holds all is left out, and
so is what macOS adds to archives.
"""

from __future__ import annotations

import io
import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from typing import TYPE_CHECKING, NamedTuple

from arbiter.contest.submissions.inspection_steps import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MOST_FILES = 1_000
MOST_ENTRIES = 2 * MOST_FILES
"""Files and folders."""
ENTRY_MARK, MOST_MARKS = b"PK\1\2", 10 * MOST_ENTRIES
"""The first bytes of each entry of an archive's directory, and how often they may stand in the archive and
those packed in it: so many entries are in memory at once.
"""
MOST_GROWTH = 10
"""The size of its files, at most, in times the largest archive."""
DEEPEST = 16
LONGEST_PART, LONGEST_NAME = 255, 1024
"""Bytes of UTF-8: of what stands between two slashes, and of the whole."""
CHUNK = 64 << 10
FOR_ALL, PROGRAM = 0o644, 0o755
DRIVE = re.compile(r"[A-Za-z]:")
OF_MACOS = ("__MACOSX", ".DS_Store")
SHOWN = 100
"""Characters of a name that are shown."""
ENCRYPTED = 1 << 0
HEADER = 30
"""Bytes of an entry's header before its name; the last four are the sizes of name and extra field."""
SIZES = struct.Struct("<HH")
END, END_OF_64, LOCATOR_MARK = b"PK\5\6", b"PK\6\6", b"PK\6\7"
LOCATOR, SIZE_OF_64 = struct.Struct("<4sIQI"), 56
RENAME = "rename it and pack again"
PACK_AGAIN = "pack the folder again, as in: zip -r bot.zip bot"
DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    ValueError,
)
"""The exceptions of `zipfile` for archives that it cannot read."""


class Named(NamedTuple):
    """An entry, and where it goes: the parts of its name."""

    parts: tuple[str, ...]
    entry: zipfile.ZipInfo

    @property
    def is_folder(self) -> bool:
        return self.entry.is_dir()


def unpack(archive: Path, folder: Path, max_size: int, room: int | None = None) -> int:
    """Write the files of an archive into a new folder, and return how many; Refused if it is at fault.

    `max_size` is of the archive, in bytes, `room` what its author's files may take beyond those that are
    there. What was written before a fault stays.
    """
    size = archive.stat().st_size
    if size > max_size:
        raise Refused(f"it has {size:,} bytes; at most {max_size:,} are taken", "leave files out")
    data = archive.read_bytes()
    with _opened(data) as opened:
        entries = opened.infolist()
        _refuse_more(len(entries), MOST_ENTRIES, "files and folders")
        _check_places(data, entries, opened.start_dir)
        named = _without_top([Named(_parts(entry), entry) for entry in entries])
        _refuse_twins(named)
        files = [one for one in named if not one.is_folder]
        if not files:
            raise Refused("it holds no files", "pack the folder with the bot in it")
        _refuse_more(len(files), MOST_FILES, "files")
        folders = {one.parts[:length] for one in named for length in range(1, len(one.parts) + one.is_folder)}
        _refuse_more(len(folders), MOST_FILES, "folders")
        most = MOST_GROWTH * max_size
        if (whole := sum(one.entry.file_size for one in files)) > most:
            raise Refused(f"unpacked it has {whole:,} bytes; at most {most:,} are taken", "leave files out")
        if room is not None and whole > room:
            raise no_room(whole, room)
        folder.mkdir()
        for one in named:
            parents = one.parts if one.is_folder else one.parts[:-1]
            folder.joinpath(*parents).mkdir(parents=True, exist_ok=True)
        for one in files:
            _write(opened, one.entry, folder.joinpath(*one.parts))
    return len(files)


def _refuse_more(number: int, most: int, what: str) -> None:
    if number > most:
        raise Refused(f"it holds {number} {what}; at most {most} are taken", "leave some out")


def no_room(size: int, room: int) -> Refused:
    """The refusal of files that take more than the author has left."""
    what = (
        f"its files have {size:,} bytes, and of what all of yours may take together {max(room, 0):,} are left"
    )
    return Refused(what, "drop versions that never played, on the page of each; or leave files out")


def _opened(archive: bytes) -> zipfile.ZipFile:
    if archive.count(ENTRY_MARK) > MOST_MARKS:
        raise Refused(f"it holds more than {MOST_ENTRIES} files and folders", "leave some out")
    try:
        return zipfile.ZipFile(io.BytesIO(archive))
    except UnicodeDecodeError:
        raise Refused("a name of a file is no UTF-8 text", PACK_AGAIN) from None
    except DAMAGES:
        raise Refused("it is not a ZIP archive, or not whole", PACK_AGAIN) from None


def _check_places(archive: bytes, entries: Iterable[zipfile.ZipInfo], directory: int) -> None:
    """Refuse data that overlap, or reach beyond the place that the archive has for them.

    The `zipfile` of the oldest Python that we support does not look for either.
    """
    end = archive.rfind(END)
    locator = archive[max(end - LOCATOR.size, 0) : end]
    if locator.startswith(LOCATOR_MARK):
        stated = LOCATOR.unpack(locator)[2]
        if not archive.startswith(END_OF_64, stated) or stated + SIZE_OF_64 > end - LOCATOR.size:
            raise Refused("its directory is not where it says", PACK_AGAIN)
    limit = directory
    for entry in sorted(entries, key=lambda one: one.header_offset, reverse=True):
        header = archive[entry.header_offset :][:HEADER]
        begin = entry.header_offset + HEADER + sum(SIZES.unpack_from(header.ljust(HEADER, b"\0"), HEADER - 4))
        if begin + entry.compress_size > limit:
            room = f"{max(limit - begin, 0):,} bytes, not the {entry.compress_size:,} that it states"
            raise Refused(f"{entry.orig_filename[:SHOWN]!r}: its data have {room}", PACK_AGAIN)
        limit = entry.header_offset


def _parts(entry: zipfile.ZipInfo) -> tuple[str, ...]:
    """The parts of an entry's name; Refused for one that leads out of the folder, could not be written as it
    is, or is neither a file nor a folder.
    """
    # As it was sent: `zipfile` cuts the other one at a NUL.
    name = entry.orig_filename
    shown = repr(name[:SHOWN])
    if "\0" in name or "\\" in name or not name.isprintable():
        raise Refused(
            f"{shown}: a name of a file has a backslash or a character that cannot be shown", RENAME
        )
    if any(part.endswith((".", " ")) and part.strip(".") for part in name.split("/")):
        raise Refused(
            f"{shown}: a name of a file ends in a dot or a blank, which some systems leave out", RENAME
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
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Refused(f"{shown} is a link or a device", "pack the files themselves")
    if kind and (kind == stat.S_IFDIR) != entry.is_dir():
        raise Refused(f"{shown} is a file by its name and a folder by its mode, or the other way", PACK_AGAIN)
    if entry.flag_bits & ENCRYPTED:
        raise Refused(f"{shown} is encrypted", "pack it without a password")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(f"{shown}: its method of compression ({entry.compress_type}) is not known", PACK_AGAIN)
    if len(parts) - (not entry.is_dir()) > DEEPEST:
        raise Refused(f"{shown}: it lies in more than {DEEPEST} folders", "pack fewer folders in folders")
    return parts


def _without_top(named: list[Named]) -> list[Named]:
    """Without what macOS adds, and without the folder that holds all the rest, if there is one."""
    kept = [one for one in named if not any(part in OF_MACOS for part in one.parts)]
    tops = {one.parts[0] for one in kept}
    if len(tops) != 1 or any(len(one.parts) == 1 and not one.is_folder for one in kept):
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
            is_file = length == len(one.parts) and not one.is_folder
            if key in (folders if is_file else files):
                raise Refused(f"{shown!r} is a file and a folder", RENAME)
            if is_file and key in files:
                raise Refused(f"{shown!r} stands in it twice", "pack it once")
            (files if is_file else folders).add(key)


def _folded(part: str) -> str:
    """A part of a name as the least exact file system sees it."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", part).casefold())


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> None:
    write_new(path, _pieces(archive, entry), entry.external_attr >> 16)


def write_new(path: Path, pieces: Iterable[bytes], mode: int) -> None:
    """Write a file that is not there yet; of its mode counts whether anybody may execute it."""
    mode = PROGRAM if mode & 0o111 else FOR_ALL
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with open(descriptor, "wb") as target:
        # Whatever the process's own mask is.
        os.fchmod(descriptor, mode)
        target.writelines(pieces)


def _pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """The content in pieces of bounded size, no more than it says; Refused if it is damaged.

    `zipfile` compares its checksum at the end.
    """
    left = entry.file_size
    try:
        with archive.open(entry) as source:
            while chunk := source.read(CHUNK):
                left -= len(chunk)
                yield chunk
    except DAMAGES:
        raise Refused(f"{entry.filename}: its data are damaged", PACK_AGAIN) from None
    if left:
        raise Refused(f"{entry.filename}: it is shorter than it says", PACK_AGAIN)
