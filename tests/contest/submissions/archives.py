"""ZIP archives made in memory: good ones, and every kind that contradicts itself.

Each number of a header can be told otherwise than it is, so that a test names its lie and nothing else.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import Any

MODE = 0o100644


def packed(files: dict[str, str | bytes]) -> bytes:
    """A good archive as Python's own library writes it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


@dataclass
class Made:
    """One file of an archive; `central` and `local` say numbers otherwise, by the names of `_NUMBERS`."""

    name: str | bytes = "bot.py"
    content: bytes = b"print()\n"
    method: int = 8
    flags: int = 0x800
    mode: int = MODE
    needs: int = 20
    extra: bytes = b""
    local_extra: bytes = b""
    local_name: bytes | None = None
    tail: bytes = b""
    data: bytes | None = None
    central: dict[str, int] = field(default_factory=dict)
    local: dict[str, int] = field(default_factory=dict)

    @property
    def raw_name(self) -> bytes:
        return self.name if isinstance(self.name, bytes) else self.name.encode(errors="surrogatepass")

    def numbers(self) -> dict[str, int]:
        """What its headers say: flags, method, crc, packed, size."""
        crc = zlib.crc32(self.content)
        return {
            "flags": self.flags,
            "method": self.method,
            "crc": crc,
            "packed": len(self.packed()),
            "size": len(self.content),
        }

    def packed(self) -> bytes:
        if self.data is not None:
            return self.data
        if self.method != 8:
            return self.content
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        return deflate.compress(self.content) + deflate.flush()

    def local_part(self) -> bytes:
        told = self.numbers() | self.local
        name = self.raw_name if self.local_name is None else self.local_name
        head = struct.pack(
            "<4s5H3L2H", b"PK\3\4", 20, told["flags"], told["method"], 0, 33, told["crc"], told["packed"],
            told["size"], len(name), len(self.local_extra),
        )  # fmt: skip
        return head + name + self.local_extra + self.packed() + self.tail

    def central_part(self, offset: int) -> bytes:
        told = self.numbers() | {"offset": offset} | self.central
        head = struct.pack(
            "<4s6H3L5H2L", b"PK\1\2", 3 << 8 | 20, self.needs, told["flags"], told["method"], 0, 33, told["crc"],
            told["packed"], told["size"], len(self.raw_name), len(self.extra), 0, 0, 0, self.mode << 16,
            told["offset"],
        )  # fmt: skip
        return head + self.raw_name + self.extra


def archive_of(*files: Made, before: bytes = b"", comment: bytes = b"", **end: Any) -> bytes:
    """An archive of these files; `end` says numbers of the end record otherwise: count, length, begin."""
    whole, directory = bytearray(before), bytearray()
    for one in files:
        directory += one.central_part(len(whole))
        whole += one.local_part()
    told = {"count": len(files), "length": len(directory), "begin": len(whole)} | end
    whole += directory + told.get("wide", b"")
    count = told["count"]
    whole += struct.pack(
        "<4s4H2LH", b"PK\5\6", 0, 0, count, count, told["length"], told["begin"], len(comment)
    )
    return bytes(whole) + comment


def wide_end(count: int, length: int, begin: int, at: int) -> bytes:
    """The zip64 end record, which stands `at`, and its locator."""
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, length, begin)
    return record + struct.pack("<4sLQL", b"PK\6\7", 0, at, 1)
