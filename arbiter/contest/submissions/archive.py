"""Unpacks an archive: all names are checked before the first file is written, sizes limit what is read.

Only `zipfile` reads it, so how other readers interpret it does not matter. Only regular files and folders are
created. Of modes only "executable" is kept; a single top folder and what macOS adds are left out.
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
"""The signature of a directory entry, and its most occurrences in an archive with nested ones: it limits the
entries in memory.
"""
MOST_GROWTH = 10
"""The largest total size of the files, as a multiple of the largest archive."""
DEEPEST = 16
LONGEST_PART, LONGEST_NAME = 255, 1024
"""Bytes of UTF-8, of a path component and of the whole name."""
CHUNK = 64 << 10
FOR_ALL, PROGRAM = 0o644, 0o755
DRIVE = re.compile(r"[A-Za-z]:")
OF_MACOS = ("__MACOSX", ".DS_Store")
SHOWN = 100
"""The most characters of a name in messages."""
ENCRYPTED = 1 << 0
HEADER = 30
"""Bytes of a local header before the name; the last four are the sizes of name and extra field."""
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
"""Exceptions of `zipfile` for unreadable archives."""


class NamedEntry(NamedTuple):
    """An entry, and the components of its target path."""

    parts: tuple[str, ...]
    entry: zipfile.ZipInfo

    @property
    def is_folder(self) -> bool:
        return self.entry.is_dir()


def unpack(archive: Path, folder: Path, max_size: int, room: int | None = None) -> int:
    """Write the files of an archive into a new folder and return their number; Refused if it is invalid.

    `max_size` limits the archive, `room` its files, the author's remaining disk space; both in bytes. Files
    written before an error stay.
    """
    size = archive.stat().st_size
    if size > max_size:
        raise Refused(f"the archive has {size:,} bytes; the limit is {max_size:,}", "leave files out")
    data = archive.read_bytes()
    with _open_zip(data) as opened:
        entries = opened.infolist()
        _check_count(len(entries), MOST_ENTRIES, "files and folders")
        _check_places(data, entries, opened.start_dir)
        named = _without_top_folder([NamedEntry(_path_components(entry), entry) for entry in entries])
        _check_duplicates(named)
        files = [one for one in named if not one.is_folder]
        if not files:
            raise Refused("the archive holds no files", "pack the folder with the bot in it")
        _check_count(len(files), MOST_FILES, "files")
        folders = {one.parts[:length] for one in named for length in range(1, len(one.parts) + one.is_folder)}
        _check_count(len(folders), MOST_FILES, "folders")
        most = MOST_GROWTH * max_size
        if (whole := sum(one.entry.file_size for one in files)) > most:
            raise Refused(
                f"the unpacked archive has {whole:,} bytes; the limit is {most:,}", "leave files out"
            )
        if room is not None and whole > room:
            raise quota_refusal(whole, room)
        folder.mkdir()
        for one in named:
            parents = one.parts if one.is_folder else one.parts[:-1]
            folder.joinpath(*parents).mkdir(parents=True, exist_ok=True)
        for one in files:
            _write_entry(opened, one.entry, folder.joinpath(*one.parts))
    return len(files)


def _check_count(number: int, limit: int, what: str) -> None:
    """Raise Refused if the archive has more than `limit` of `what`."""
    if number > limit:
        raise Refused(f"the archive holds {number:,} {what}; the limit is {limit:,}", "leave some out")


def quota_refusal(size: int, room: int) -> Refused:
    """Return the refusal of files that exceed the author's remaining space."""
    what = f"its files have {size:,} bytes; {max(room, 0):,} of the limit for all your versions are left"
    return Refused(what, "drop versions that never played, on the page of each; or leave files out")


def _open_zip(archive: bytes) -> zipfile.ZipFile:
    """Open an archive in memory; Refused if it is no ZIP archive, is damaged, or has too many entries."""
    if archive.count(ENTRY_MARK) > MOST_MARKS:
        raise Refused(f"the archive holds more than {MOST_ENTRIES:,} files and folders", "leave some out")
    try:
        return zipfile.ZipFile(io.BytesIO(archive))
    except UnicodeDecodeError:
        raise Refused("a file name is not UTF-8 text", PACK_AGAIN) from None
    except DAMAGES:
        raise Refused("the file is not a ZIP archive, or incomplete", PACK_AGAIN) from None


def _check_places(archive: bytes, entries: Iterable[zipfile.ZipInfo], directory: int) -> None:
    """Refuse entries whose data overlap or reach beyond the data section; old `zipfile` checks neither."""
    end = archive.rfind(END)
    locator = archive[max(end - LOCATOR.size, 0) : end]
    if locator.startswith(LOCATOR_MARK):
        stated = LOCATOR.unpack(locator)[2]
        if not archive.startswith(END_OF_64, stated) or stated + SIZE_OF_64 > end - LOCATOR.size:
            raise Refused("the archive's directory is not at the stated place", PACK_AGAIN)
    limit = directory
    for entry in sorted(entries, key=lambda one: one.header_offset, reverse=True):
        header = archive[entry.header_offset :][:HEADER]
        begin = entry.header_offset + HEADER + sum(SIZES.unpack_from(header.ljust(HEADER, b"\0"), HEADER - 4))
        if begin + entry.compress_size > limit:
            room = f"{max(limit - begin, 0):,} bytes, not the {entry.compress_size:,} that it states"
            raise Refused(f"{entry.orig_filename[:SHOWN]!r}: its data have {room}", PACK_AGAIN)
        limit = entry.header_offset


def _path_components(entry: zipfile.ZipInfo) -> tuple[str, ...]:
    """Return the components of an entry's name; Refused if it leads out of the folder, is too long, too deep
    or not portable, or if the entry is encrypted, or neither a file nor a folder.
    """
    # The original name: `zipfile` truncates `filename` at a NUL.
    name = entry.orig_filename
    shown = repr(name[:SHOWN])
    if "\0" in name or "\\" in name or not name.isprintable():
        raise Refused(f"{shown}: the file name has a backslash or an unprintable character", RENAME)
    if any(part.endswith((".", " ")) and part.strip(".") for part in name.split("/")):
        raise Refused(f"{shown}: the file name ends in a dot or a space, which some systems drop", RENAME)
    if name.startswith("/") or DRIVE.match(name):
        raise Refused(f"{shown}: the file name is absolute", "pack with names relative to the folder")
    parts = tuple(name.removesuffix("/").split("/"))
    if any(part in ("", ".", "..") for part in parts):
        raise Refused(f"{shown}: the file name leads out", "pack with names relative to the folder")
    if max(len(part.encode()) for part in parts) > LONGEST_PART or len(name.encode()) > LONGEST_NAME:
        limits = f"{LONGEST_PART} bytes between slashes, {LONGEST_NAME} in all"
        raise Refused(f"{shown}: the file name is too long; the limits are {limits}", RENAME)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Refused(f"{shown} is a link or a device", "pack the files themselves")
    if kind and (kind == stat.S_IFDIR) != entry.is_dir():
        raise Refused(f"{shown}: name and mode disagree on file or folder", PACK_AGAIN)
    if entry.flag_bits & ENCRYPTED:
        raise Refused(f"{shown} is encrypted", "pack it without a password")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(f"{shown}: unknown compression method {entry.compress_type}", PACK_AGAIN)
    if len(parts) - (not entry.is_dir()) > DEEPEST:
        raise Refused(f"{shown}: nested in more than {DEEPEST} folders", "nest fewer folders")
    return parts


def _without_top_folder(named: list[NamedEntry]) -> list[NamedEntry]:
    """Return the entries without what macOS adds, and with paths without a single top folder."""
    kept = [one for one in named if not any(part in OF_MACOS for part in one.parts)]
    tops = {one.parts[0] for one in kept}
    if len(tops) != 1 or any(len(one.parts) == 1 and not one.is_folder for one in kept):
        return kept
    return [one._replace(parts=one.parts[1:]) for one in kept if one.parts[1:]]


def _check_duplicates(named: Iterable[NamedEntry]) -> None:
    """Refuse names that are equal on some system: the same, or differing in case or Unicode form only."""
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    files: set[tuple[str, ...]] = set()
    folders: set[tuple[str, ...]] = set()
    for one in named:
        for length in range(1, len(one.parts) + 1):
            parts = one.parts[:length]
            key, shown = tuple(map(_folded, parts)), "/".join(parts)
            if known.setdefault(key, parts) != parts:
                both = f"{shown!r} and {'/'.join(known[key])!r}"
                raise Refused(f"{both} are the same name on some systems", RENAME)
            is_file = length == len(one.parts) and not one.is_folder
            if key in (folders if is_file else files):
                raise Refused(f"{shown!r} is a file and a folder", RENAME)
            if is_file and key in files:
                raise Refused(f"{shown!r} appears twice", "pack it once")
            (files if is_file else folders).add(key)


def _folded(part: str) -> str:
    """Return a path component as the least exact file system compares it."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", part).casefold())


def _write_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> None:
    write_new(path, _read_chunks(archive, entry), entry.external_attr >> 16)


def write_new(path: Path, pieces: Iterable[bytes], mode: int) -> None:
    """Write a new file; of its mode only the executable bits matter."""
    mode = PROGRAM if mode & 0o111 else FOR_ALL
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with open(descriptor, "wb") as target:
        # Independent of the process's umask.
        os.fchmod(descriptor, mode)
        target.writelines(pieces)


def _read_chunks(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield an entry's content in chunks; Refused if shorter than stated, or damaged by `zipfile`'s CRC."""
    left = entry.file_size
    try:
        with archive.open(entry) as source:
            while chunk := source.read(CHUNK):
                left -= len(chunk)
                yield chunk
    except DAMAGES:
        raise Refused(f"{entry.filename}: its data are damaged", PACK_AGAIN) from None
    if left:
        raise Refused(f"{entry.filename}: it is shorter than stated", PACK_AGAIN)
