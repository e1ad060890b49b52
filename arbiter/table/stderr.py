"""A bot's standard error: read so that it never blocks the bot, and kept for the record."""

from __future__ import annotations

import os

CHUNK = 65536
STDERR_LIMIT = 16 << 20
"""Bytes read in a match; after that the bot blocks when it writes more, on its own clock."""
STDERR_TAIL = 4096
"""Bytes kept for the record."""
MEMORY_SIGNS = (b"MemoryError", b"bad_alloc", b"ut of memory", b"OutOfMemory", b"Cannot allocate")
"""What runtimes write when they cannot get memory."""


class StandardError:
    """The reading end of one bot's standard error."""

    def __init__(self, descriptor: int) -> None:
        """`descriptor` is not blocking, and the caller's to close."""
        self.descriptor = descriptor
        self.tail = b""
        self._seen = self._at_start = 0

    def drain(self) -> bool:
        """Read what there is; False if nothing more will be read."""
        while self._seen < STDERR_LIMIT:
            try:
                chunk = os.read(self.descriptor, CHUNK)
            except BlockingIOError:
                return True
            if not chunk:
                break
            self._seen += len(chunk)
            self.tail = (self.tail + chunk)[-STDERR_TAIL:]
        return False

    def end_start(self) -> None:
        """The program has started: what it wrote until now explains no later end."""
        self.drain()
        self._at_start = self._seen

    @property
    def tells_of_memory(self) -> bool:
        """True if the program wrote, after its start, that it could get no memory."""
        since = self._seen - self._at_start
        return since > 0 and any(sign in self.tail[-since:] for sign in MEMORY_SIGNS)

    @property
    def last_line(self) -> str:
        """The end of the last line that is not empty."""
        return self.tail.strip().rpartition(b"\n")[2][-200:].decode(errors="backslashreplace")
