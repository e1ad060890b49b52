"""Read a bot's standard error without blocking the bot, and keep its beginning and end for the record."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from arbiter.sandbox.failure_hints import reports_no_memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHUNK = 65536
STDERR_LIMIT = 16 << 20
"""Bytes read in a match; after that the bot blocks."""
FULL = f"it has written {STDERR_LIMIT} bytes to standard error, and no more is read in a match"
STDERR_HEAD, STDERR_TAIL = 2048, 4096
"""Bytes kept for the record, from its beginning and from its end."""
DURING, SINCE = "during", "since"
"""The times of writing: before the answer to a request; after it and before the next request."""
LOOKED_AT = 64 << 10
"""Last bytes that are searched for the reason of an end: some runtimes write long reports after it."""
NOTICE = b"Picked up "
"""The beginning of a Java virtual machine's notice of options from the environment."""
FATAL = b"Fatal Python error: "
TRACE = re.compile(
    rb"\s|\}|Error: (?:Could not create the Java|A fatal exception has occurred)"
    rb"|Node\.js v|Bun v|\(Use `node|note: |exit status |goroutine |created by |\[signal |#\d"
    rb"|[Ss]tack (?:traceback|trace|backtrace):|(?:Has)?CallStack|[\w./*()-]+\([^ ]*\)\s*$"
)
"""Beginnings of lines that are no error: indented, or of a runtime's trace, the last those of calls in Go."""
LOOKED_INTO = 300
"""Bytes of a line that are compared: a longer one could make that slow."""
PANIC = re.compile(rb"thread .* panicked at .*:$")
"""Rust writes the message on the next line."""
NO_LIBRARY = (
    "; its Python finds no library: name its interpreter in command, or the interpreter's folder in read"
)


class StandardError:
    """The reading end of one bot's standard error."""

    def __init__(self, descriptor: int) -> None:
        """`descriptor` must be non-blocking; the caller closes it."""
        self.descriptor = descriptor
        self.tail = b""
        self._first = b""
        self._recent = bytearray()
        self.talks = False
        """True once it wrote something after its first request."""
        self.requests = 0
        """Number of requests for a decision so far."""
        self.seen = 0
        """Bytes read so far."""
        self._at_start = self._at_request = self._marked = self._told = 0
        self._marks: list[tuple[int, str, int]] = []

    def drain(self) -> bool:
        """Read the available bytes; False at the end or at the limit."""
        while not self.is_full:
            try:
                chunk = os.read(self.descriptor, CHUNK)
            except BlockingIOError:
                return True
            if not chunk:
                break
            if len(self._first) < STDERR_HEAD:
                self._first = (self._first + chunk)[:STDERR_HEAD]
            self.seen += len(chunk)
            self.tail = (self.tail + chunk)[-STDERR_TAIL:]
            self._recent += chunk
            if len(self._recent) > 2 * LOOKED_AT:
                del self._recent[:-LOOKED_AT]
        return False

    @property
    def head(self) -> bytes:
        """The first bytes that are not in the tail, and a line that counts those between the two."""
        first = self._first[: self.seen - len(self.tail)]
        left_out = self.seen - len(self.tail) - len(first)
        return first + (b"\n[%d bytes left out]\n" % left_out if left_out else b"")

    @property
    def ending(self) -> bytes:
        """The text that explains an end: the line of the error, which may precede the tail, and the tail."""
        return self.error_line.encode() + b"\n" + self.tail

    @property
    def is_full(self) -> bool:
        """True once the limit of a match is reached."""
        return self.seen >= STDERR_LIMIT

    def new_output(self) -> bytes:
        """Return the bytes written since the last call that are in the tail."""
        self.drain()
        new, self._told = self.seen - self._told, self.seen
        return self.tail[-new:] if new else b""

    def end_start(self) -> None:
        """Mark the program as started: earlier output explains no later end."""
        self.drain()
        self._at_start = self._marked = self.seen

    def begin_request(self) -> None:
        """Count a request: output that is marked already explains no fault in it."""
        self.requests += 1
        self._at_request = self._marked

    def mark_output(self, when: str) -> bool:
        """Read the available bytes, written `DURING` or `SINCE` the last request; False at the end.

        Output before the first request has no mark.
        """
        more = self.drain()
        if self.seen > self._marked:
            if self.requests:
                self.talks = True
                # One mark for many writes, or they would fill the memory.
                if not self._marks or self._marks[-1][1:] != (when, self.requests):
                    self._marks.append((self._marked, when, self.requests))
            self._marked = self.seen
        return more

    def marks(self, moves: Sequence[int], beyond: int) -> Iterator[tuple[int, str, int]]:
        """Yield the marks within the tail, as in `BotReport`; `moves` are the numbers of its moves.

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
    def reports_no_memory(self) -> bool:
        """True if the program reported, after its start, that it got no memory."""
        since = self.seen - self._at_start
        return since > 0 and reports_no_memory(self._recent[-since:])

    @property
    def explanation(self) -> str:
        """What explains an end: the `error_line`; one from before the last request is named as such."""
        line, is_old = self.error_line, 0 < self.seen <= self._at_request
        return f"last line of standard error, from before this request: {line}" if line and is_old else line

    @property
    def error_line(self) -> str:
        """The line with the last error, without its trace, else the end of the last line; for a Python that
        failed to start, its error and a hint.
        """
        recent = bytes(self._recent)
        lines = _filled_lines(recent if self.seen == len(recent) else recent.partition(b"\n")[2] or recent)
        errors = _numbers_of_errors(lines)
        if not errors and self.seen > len(recent):
            # An error only if its trace follows; the last line is cut.
            first = _filled_lines(self._first.rpartition(b"\n")[0])
            if (found := _numbers_of_errors(first)) and found[-1] < len(first) - 1:
                lines, errors = first, found
        last, hint = lines[-1].strip() if lines else b"", ""
        if errors:
            last = lines[errors[-1]]
            if errors[-1] and PANIC.match(before := lines[errors[-1] - 1][:LOOKED_INTO]):
                last = before + b" " + last
        if lines and lines[-1].strip() == b"<no Python frame>":
            last = next((line for line in reversed(lines) if line.startswith(FATAL)), last)
            hint = NO_LIBRARY if last.startswith(FATAL + b"init_") else ""
        return last[-200:].decode(errors="backslashreplace") + hint


def _filled_lines(text: bytes) -> list[bytes]:
    lines = (line.rstrip() for line in text.split(b"\n"))
    return [line for line in lines if line and not line.startswith(NOTICE)]


def _numbers_of_errors(lines: Sequence[bytes]) -> list[int]:
    """Return the indices of the lines that are no part of a trace."""
    return [number for number, line in enumerate(lines) if not TRACE.match(line[:LOOKED_INTO])]
