"""A real `arbiter serve` in a process of its own, on loopback."""

from __future__ import annotations

import socket
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.fixtures.forked_server import Started

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 60.0


class Served:
    """The process, where it answers, and what it says."""

    def __init__(self, process: Started, log: Path) -> None:
        self.process, self._log = process, log
        self.said = process.stdout.readline()
        self.address = self.said.removeprefix("serving ").strip()
        self.port = urlsplit(self.address).port

    def connect(self) -> socket.socket:
        """A connection of which each step waits at most `PATIENCE` seconds."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def tell(self, request: bytes) -> bytes:
        """All that is answered to some bytes, until the server closes."""
        with self.connect() as client:
            client.sendall(request)
            return everything(client)

    def log(self) -> str:
        return self._log.read_text()

    def open_files(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))


def everything(client: socket.socket) -> bytes:
    """What comes until the other side closes, or breaks off."""
    found = bytearray()
    with suppress(ConnectionResetError):
        while chunk := client.recv(65536):
            found += chunk
    return bytes(found)


def pour(client: socket.socket, piece: bytes, most: int) -> int:
    """Send a piece over and over, so many bytes at most; how many were taken before the other side broke off."""
    sent = 0
    with suppress(BrokenPipeError, ConnectionResetError):
        while sent < most:
            client.sendall(piece)
            sent += len(piece)
    return sent


@contextmanager
def serving(*arguments: str | Path, folder: Path, code: str = "", command: str = "serve") -> Iterator[Served]:
    """`serve`, or another command, with some arguments on a free port; `code` is run in its process before, to shorten
    what it waits."""
    log = folder / f"{command}.log"
    process = Started(command, *arguments, "--port", "0", log=log, code=code)
    try:
        yield Served(process, log)
    finally:
        process.end(PATIENCE)
