"""A real `arbiter serve` in a process of its own, on loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 60.0


class Served:
    """The process, where it answers, and what it says."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process, self._log = process, log
        assert process.stdout is not None
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
    start = f"{code}\nfrom arbiter.cli import main\nmain()"
    words = [sys.executable, "-c", start, command, *map(str, arguments), "--port", "0"]
    log = folder / f"{command}.log"
    with log.open("w") as errors:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        yield Served(process, log)
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGTERM)
        process.wait(PATIENCE)
        assert process.stdout is not None
        process.stdout.close()
