"""A bot's standard error: read so that it never blocks the bot, and kept for the record."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

from arbiter.sandbox.failure_hints import tells_of_memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHUNK = 65536
STDERR_LIMIT = 16 << 20
"""Bytes in a match; no more is read, so the bot waits."""
FULL = f"it has written {STDERR_LIMIT} bytes to standard error, and no more is read in a match"
STDERR_TAIL = 4096
"""Bytes kept for the record."""
DURING, SINCE = "during", "since"
"""The two times of writing: before the answer to a request; from a request on, but before the next."""
LOOKED_AT = 64 << 10
"""Bytes in which to look for why a program ended: some write long reports after the reason."""
NOTICE = b"Picked up "
"""The beginning of a Java virtual machine's notice of options from the environment."""
FATAL = b"Fatal Python error: "
NO_LIBRARY = (
    "; its Python finds no library: name its interpreter in command, or the interpreter's folder in read"
)


class StandardError:
    """The reading end of one bot's standard error."""

    def __init__(self, descriptor: int) -> None:
        """`descriptor` is not blocking, and the caller's to close."""
        self.descriptor = descriptor
        self.tail = b""
        self._recent = bytearray()
        self.talks = False
        """True once it wrote something after its first request."""
        self.requests = 0
        """Requests for a decision that it was sent."""
        self.seen = 0
        """Bytes read so far."""
        self._at_start = self._marked = self._told = 0
        self._marks: list[tuple[int, str, int]] = []

    def drain(self) -> bool:
        """Read what there is; False if nothing more will be read."""
        while not self.is_full:
            try:
                chunk = os.read(self.descriptor, CHUNK)
            except BlockingIOError:
                return True
            if not chunk:
                break
            self.seen += len(chunk)
            self.tail = (self.tail + chunk)[-STDERR_TAIL:]
            self._recent += chunk
            if len(self._recent) > 2 * LOOKED_AT:
                del self._recent[:-LOOKED_AT]
        return False

    @property
    def is_full(self) -> bool:
        """True once the bot has written all that is read in a match."""
        return self.seen >= STDERR_LIMIT

    def news(self) -> bytes:
        """Return what was written since the last call, as far as the tail has it."""
        self.drain()
        new, self._told = self.seen - self._told, self.seen
        return self.tail[-new:] if new else b""

    def end_start(self) -> None:
        """The program has started: what it wrote until now explains no later end."""
        self.drain()
        self._at_start = self._marked = self.seen

    def mark(self, when: str) -> bool:
        """Read what there is, all of it written `DURING` or `SINCE` the last request; False at its end.

        What comes before the first request has no mark.
        """
        more = self.drain()
        if self.seen > self._marked:
            if self.requests:
                self.talks = True
                # Many writes in one place are one mark, or they would fill our memory.
                if not self._marks or self._marks[-1][1:] != (when, self.requests):
                    self._marks.append((self._marked, when, self.requests))
            self._marked = self.seen
        return more

    def marks(self, moves: Sequence[int], beyond: int) -> Iterator[tuple[int, str, int]]:
        """The marks within the tail, as in `BotReport`; `moves` are the numbers of its moves.

        A request that a fault ended has the number `beyond`.
        """
        begin = self.seen - len(self.tail)
        last = None
        for (start, when, request), (end, _, _) in pairwise([*self._marks, (self.seen, "", 0)]):
            mark = (when, moves[request - 1]) if request <= len(moves) else (DURING, beyond)
            if end > begin and mark != last:
                yield len(self.tail[: max(0, start - begin)].decode(errors="replace")), *mark
                last = mark

    @property
    def tells_of_memory(self) -> bool:
        """True if the program wrote, after its start, that it could get no memory."""
        since = self.seen - self._at_start
        return since > 0 and tells_of_memory(self._recent[-since:])

    @property
    def last_line(self) -> str:
        """The end of the last line that tells something; of a Python that died as it started, its error."""
        lines = [line.strip() for line in self.tail.split(b"\n")]
        lines = [line for line in lines if line and not line.startswith(NOTICE)]
        last, hint = lines[-1] if lines else b"", ""
        if last == b"<no Python frame>":
            last = next((line for line in reversed(lines) if line.startswith(FATAL)), last)
            hint = NO_LIBRARY if last.startswith(FATAL + b"init_") else ""
        return last[-200:].decode(errors="backslashreplace") + hint
