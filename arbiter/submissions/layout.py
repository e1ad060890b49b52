"""Where the files of a ZIP archive lie in it: the central directory, held against every local header.

Readers of ZIP archives differ in what they believe where an archive contradicts itself, so one that does is
refused: every byte belongs to one entry, to the directory or to the end record, and all of them agree. The
format is that of PKWARE's APPNOTE 6.3.
"""

from __future__ import annotations

import os
import stat
import struct
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from arbiter.submissions.steps import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

END, WIDE_END, LOCATOR = (struct.Struct(f) for f in ("<4s4H2LH", "<4sQ2H2L4Q", "<4sLQL"))
CENTRAL, LOCAL = struct.Struct("<4s6H3L5H2L"), struct.Struct("<4s5H3L2H")
END_MARK = b"PK\5\6"
NEWEST = 63
"""Ten times the version of the format that a file may need."""
MOST_OF_DIRECTORY = 4_000_000
"""Bytes, which are in memory at once: twice what the longest names need."""
LONGEST_COMMENT = 0xFFFF
FULL_16, FULL_32 = 0xFFFF, 0xFFFF_FFFF
"""A number that stands in a zip64 record instead."""
ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13
DESCRIBED, UTF8 = 1 << 3, 1 << 11
"""Sizes follow the data; the name is UTF-8."""
STORED, DEFLATED = 0, 8
WIDE, OF_UNIX, OF_ASI = 0x0001, 0x000D, 0x756E
"""Extra fields: sizes of 64 bits; two that can tell of links and devices."""
PLAIN_UNIX, PLAIN_ASI = 12, 14
"""Bytes of these two without what a link leads to, or a device's numbers."""
SHOWN = 100
"""Characters of a name that are shown."""
PACK_AGAIN = "pack the folder again, as in: zip -r bot.zip bot"


class Entry(NamedTuple):
    """A file or a folder: its name as sent, its mode if the archive has one, and where its data lie."""

    name: str
    mode: int
    method: int
    crc: int
    packed: int
    size: int
    start: int

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")


class _Header(NamedTuple):
    """An entry of the central directory."""

    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int
    mode: int


def entries_of(file: BinaryIO, most: int) -> list[Entry]:
    """All entries of an archive; Refused if it contradicts itself or holds more than `most`."""
    size = os.fstat(file.fileno()).st_size
    count, begin, end = _directory(file, size, most)
    file.seek(begin)
    headers = list(_headers(file.read(end - begin), count))
    headers.sort(key=lambda header: header.offset)
    if begin and (not headers or headers[0].offset):
        raise Refused("there is something before its first file", PACK_AGAIN)
    if not headers:
        raise Refused("it holds no files", PACK_AGAIN)
    ends = [header.offset for header in headers[1:]] + [begin]
    return [_entry(file, header, end) for header, end in zip(headers, ends, strict=True)]


def _directory(file: BinaryIO, size: int, most: int) -> tuple[int, int, int]:
    """How many entries the central directory has, and where it begins and ends."""
    place = max(0, size - END.size - LONGEST_COMMENT)
    file.seek(place)
    tail = file.read()
    at = [
        found
        for found in _all_of(tail, END_MARK)
        if found + END.size <= len(tail) and found + END.size + END.unpack_from(tail, found)[-1] == len(tail)
    ]
    if not at:
        raise Refused("it is no ZIP archive, or not whole: it does not end as one", PACK_AGAIN)
    if tail.find(END_MARK, at[0] + 1) >= 0:
        # Some readers take the last mark there is.
        raise Refused("it can be read as two archives", PACK_AGAIN)
    _, *written, _ = END.unpack_from(tail, at[0])
    end = place + at[0]
    record = _wide_end(file, end)
    if record is not None:
        end, wide = record
        limits = (FULL_16,) * 4 + (FULL_32,) * 2
        if any(one not in (other, full) for one, other, full in zip(written, wide, limits, strict=True)):
            raise Refused("its zip64 record contradicts its end record", PACK_AGAIN)
        written = wide
    disk, first_disk, here, count, length, begin = written
    if disk or first_disk or here != count:
        raise Refused("it is a part of an archive in several parts", PACK_AGAIN)
    if count > most:
        raise Refused(f"it holds {count} files and folders; at most {most} are taken", "leave some out")
    if length > MOST_OF_DIRECTORY:
        raise Refused(
            f"its directory has {length:,} bytes; at most {MOST_OF_DIRECTORY:,} are read", PACK_AGAIN
        )
    if begin + length != end:
        raise Refused("there is something before, between or behind its parts", PACK_AGAIN)
    return count, begin, end


def _all_of(text: bytes, mark: bytes) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)


def _wide_end(file: BinaryIO, end: int) -> tuple[int, list[int]] | None:
    """Where the zip64 end record begins, and what it says; None if there is none."""
    if end < LOCATOR.size + WIDE_END.size:
        return None
    begin = end - LOCATOR.size - WIDE_END.size
    file.seek(begin)
    record = WIDE_END.unpack(file.read(WIDE_END.size))
    mark, disk, offset, disks = LOCATOR.unpack(file.read(LOCATOR.size))
    if mark != b"PK\6\7":
        return None
    length = WIDE_END.size - 12
    if record[:2] != (b"PK\6\6", length) or (disk, offset) != (0, begin) or disks > 1:
        raise Refused("its zip64 record is not where it says", PACK_AGAIN)
    return begin, list(record[4:])


def _headers(directory: bytes, count: int) -> Iterator[_Header]:
    at = 0
    for _ in range(count):
        if at + CENTRAL.size > len(directory):
            raise Refused("its directory is shorter than it says", PACK_AGAIN)
        mark, _, needs, flags, method, _, _, crc, packed, size, *lengths, disk, _, attributes, offset = (
            CENTRAL.unpack_from(directory, at)
        )
        at += CENTRAL.size
        cuts = [at]
        for length in lengths:
            cuts.append(cuts[-1] + length)
        at = cuts[-1]
        if mark != b"PK\1\2" or at > len(directory):
            raise Refused("its directory is damaged", PACK_AGAIN)
        raw_name, extra, _ = (directory[one:other] for one, other in pairwise(cuts))
        size, packed, offset = _wide_numbers(_extras(extra), (size, packed, offset))
        if needs & 0xFF > NEWEST:
            raise Refused("it needs a newer version of the format", PACK_AGAIN)
        if disk not in (0, FULL_16):
            raise Refused("it is a part of an archive in several parts", PACK_AGAIN)
        yield _Header(raw_name, flags, method, crc, packed, size, offset, attributes >> 16)
    if at != len(directory):
        raise Refused("its directory is longer than it says", PACK_AGAIN)


def _extras(raw: bytes) -> dict[int, bytes]:
    """The extra fields of a header, by number; Refused for those of links and devices."""
    found: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(raw):
        number, length = struct.unpack_from("<2H", raw, at)
        if at + 4 + length > len(raw) or number in found:
            raise Refused("an extra field of a header is damaged", PACK_AGAIN)
        found[number] = raw[at + 4 : at + 4 + length]
        at += 4 + length
    if raw[at:].strip(b"\0"):
        raise Refused("an extra field of a header is damaged", PACK_AGAIN)
    asi = found.get(OF_ASI, b"")
    kind = stat.S_IFMT(int.from_bytes(asi[4:6], "little"))
    special = kind not in (0, stat.S_IFREG, stat.S_IFDIR) or len(asi) > PLAIN_ASI
    if special or len(found.get(OF_UNIX, b"")) > PLAIN_UNIX:
        raise Refused("it holds a link or a device", "pack the files themselves")
    return found


def _wide_numbers(extras: dict[int, bytes], numbers: Sequence[int]) -> list[int]:
    """The numbers of a header, those that are full taken from its zip64 field in their order."""
    wide = extras.get(WIDE)
    if wide is None:
        return list(numbers)
    found = []
    at = 0
    for number in numbers:
        if number == FULL_32:
            if at + 8 > len(wide):
                raise Refused("a zip64 field lacks a number", PACK_AGAIN)
            (number,) = struct.unpack_from("<Q", wide, at)
            at += 8
        found.append(number)
    if len(wide) - at not in (0, 4):
        raise Refused("a zip64 field says what its header says otherwise", PACK_AGAIN)
    return found


def _entry(file: BinaryIO, header: _Header, end: int) -> Entry:
    """An entry whose local header and data take all up to `end`."""
    name = _decoded(header)
    shown = repr(name[:SHOWN])
    if header.offset + LOCAL.size > end:
        raise Refused(f"{shown} overlaps with what follows, or goes beyond the end", PACK_AGAIN)
    file.seek(header.offset)
    raw = file.read(LOCAL.size)
    if not raw.startswith(b"PK\3\4"):
        raise Refused(f"{shown} is not where the directory says", PACK_AGAIN)
    _, _, flags, method, _, _, crc, packed, size, name_length, extra_length = LOCAL.unpack(raw)
    start = header.offset + LOCAL.size + name_length + extra_length
    rest = end - start - header.packed
    if rest < 0:
        raise Refused(f"{shown} overlaps with what follows, or goes beyond the end", PACK_AGAIN)
    if flags & ENCRYPTED or header.flags & ENCRYPTED:
        raise Refused(f"{shown} is encrypted", "pack it without a password")
    if header.method not in (STORED, DEFLATED):
        raise Refused(f"{shown}: its method of compression ({header.method}) is not known", PACK_AGAIN)
    raw_name = file.read(name_length)
    size, packed = _wide_numbers(_extras(file.read(extra_length)), (size, packed))
    told, local = (header.crc, header.packed, header.size), (crc, packed, size)
    if flags & DESCRIBED:
        # The local header may leave to the descriptor what it did not know yet.
        local = tuple(one or other for one, other in zip(local, told, strict=True))  # type: ignore[assignment]
    if (raw_name, flags, method, local) != (header.raw_name, header.flags, header.method, told):
        raise Refused(f"{shown}: its header and the directory differ", PACK_AGAIN)
    file.seek(end - rest)
    if file.read(rest) not in (_descriptors(told) if flags & DESCRIBED else (b"",)):
        raise Refused(f"{shown}: something follows that belongs to no file", PACK_AGAIN)
    if header.method == STORED and header.packed != header.size:
        raise Refused(f"{shown} is stored, and its two sizes differ", PACK_AGAIN)
    kind = stat.S_IFMT(header.mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Refused(f"{shown} is a link or a device", "pack the files themselves")
    if kind and (kind == stat.S_IFDIR) != name.endswith("/"):
        raise Refused(f"{shown} is a file by its name and a folder by its mode, or the other way", PACK_AGAIN)
    return Entry(name, header.mode, header.method, *told, start)


def _descriptors(told: tuple[int, int, int]) -> list[bytes]:
    """The forms of a data descriptor: sizes of 32 or 64 bits, with and without its mark."""
    wide = struct.pack("<L2Q", *told)
    plain = struct.pack("<3L", *told) if max(told) <= FULL_32 else wide
    return [mark + form for form in (plain, wide) for mark in (b"PK\7\10", b"")]


def _decoded(header: _Header) -> str:
    """A name as text: UTF-8 where its flag says so, else the code page 437."""
    try:
        return header.raw_name.decode("utf-8" if header.flags & UTF8 else "cp437")
    except UnicodeDecodeError:
        raise Refused("a name of a file is no UTF-8 text", PACK_AGAIN) from None
