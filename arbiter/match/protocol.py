"""The line protocol between referee and bot, seen from the referee: bytes in, replies out.

Theory of operation. A `Connection` holds the unconsumed bytes of one bot's standard output.
`feed` adds bytes, `reply` takes the next complete reply, `stale` returns unrequested output.
It uses no file descriptor and no clock, so any chunking of the same bytes gives the same
replies and the same faults.

    replies  := { blank line | comment line } reply ...
    reply    := ("=" | "?") rest-of-line { further line } empty-line
    comment  := "#" rest-of-line

A comment line that is a note (`arbiter.match.notes`) goes to the `notebook`, any other is dropped.

A line ends with ``\\n``; blanks, tabs and control characters at its end do not count, so an
empty line may hold some. The first character of a reply decides: anything but ``=``, ``?`` and
``#`` is malformed at once, so that a program that prints a prompt gets this message instead of a
timeout. Tolerated deviations from the protocol are collected in `notes`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from arbiter.errors import MalformedReply
from arbiter.match.notes import DROPPED, MARKS, Notebook

PLAIN = b"=\n\n"
"""The reply to nearly every command; recognised without parsing."""

REPLY_LIMIT = 64 * 1024
"""Bytes of a reply."""
BETWEEN_LIMIT = 4096
"""Bytes kept of an unfinished comment or blank line."""
OUTPUT_LIMIT = 1024 * 1024
"""Bytes of output in a match."""

_SIMPLE = re.compile(rb"= ?([!-~]{0,64})\n\n")
LONGEST_SIMPLE = 68
_BLANKS = bytes(range(1, 33)) + b"\x7f"


class Answer(NamedTuple):
    """One reply; `accepted` is True for ``=``, `text` is the rest of its first line."""

    accepted: bool
    text: bytes
    raw: bytes


DONE = Answer(True, b"", PLAIN)
NONE = Answer(False, b"", b"")
"""The placeholder for a missing answer."""
_tuple = tuple.__new__


class Connection:
    """The reading half of one bot's protocol."""

    __slots__ = ("_line", "_ready", "_seen", "buffer", "notebook", "notes", "received")

    def __init__(self) -> None:
        self.buffer = bytearray()
        """Bytes fed and not consumed, changed in place, so that feeding single bytes stays cheap."""
        self._line = self._seen = 0
        """The start of the first incomplete line of a reply, and the bytes already searched for line ends."""
        self._ready: tuple[Answer, ...] = ()
        self.received = 0
        """All bytes fed so far."""
        self.notes: dict[str, None] = {}
        """Tolerated deviations, in the order of their first appearance."""
        self.notebook = Notebook()

    def feed(self, chunk: bytes) -> None:
        """Add bytes; MalformedReply (``output``) once they exceed a match's limit."""
        self.received += len(chunk)
        self.buffer += chunk
        if self.received > OUTPUT_LIMIT:
            raise MalformedReply("output", f"more than {OUTPUT_LIMIT} bytes of output in a match")

    @property
    def unread(self) -> bytes:
        """A copy of the bytes fed and not consumed."""
        return bytes(self.buffer)

    def reply(self) -> Answer | None:
        """Take the next reply off the buffer; None while incomplete; MalformedReply if it cannot be one."""
        buffer = self.buffer
        if not self._seen and (simple := _SIMPLE.match(bytes(buffer[:LONGEST_SIMPLE]))):
            del buffer[: simple.end()]
            return _tuple(Answer, (True, simple[1], simple[0]))
        if not self._line:
            self._skip_lines_between()
            if not buffer.startswith((b"=", b"?")):
                if not buffer.startswith(b"#") and buffer[self._seen :].strip(_BLANKS):
                    shown = bytes(buffer[:60])
                    raise MalformedReply(
                        "malformed", f"a reply starts with = or ?, not {shown!r}", self.unread
                    )
                del buffer[BETWEEN_LIMIT:]
                self._seen = len(buffer)
                return None
        # Whole lines only; the part searched before has no empty line.
        start = self._line
        while (end := buffer.find(b"\n", max(start, self._seen))) >= 0:
            if start and not buffer[start:end].strip(_BLANKS):
                return self._take_reply(end + 1)
            start = end + 1
            if start > REPLY_LIMIT:
                break
        self._line = start
        self._check_reply_bytes(buffer, self._seen)
        self._seen = len(buffer)
        return None

    def take(self, wanted: int) -> tuple[Answer, ...]:
        """Take the next `wanted` replies off the buffer; empty while some of them are missing.

        MalformedReply as in `reply`, even if the replies before the bad one were good.
        """
        ready = self._ready
        # A batch of news and one request is mostly a run of plain replies.
        missing = wanted - len(ready)
        if missing > 1 and self.buffer[: 3 * missing - 3] == PLAIN * (missing - 1):
            self._drop_bytes(3 * missing - 3)
            ready += (DONE,) * (missing - 1)
        while len(ready) < wanted:
            answer = self.reply()
            if answer is None:
                self._ready = ready
                return ()
            ready += (answer,)
        self._ready = ()
        return ready

    def receive(self, chunk: bytes, wanted: int) -> Answer | None:
        """`feed`, `take` and return the last of the replies; None while some are missing."""
        if not self.buffer:
            # The fast path for the usual case: plain replies, then one of a word.
            plain = 3 * wanted - 3
            simple = _SIMPLE.fullmatch(chunk, plain)
            if simple and chunk.startswith(PLAIN * (wanted - 1)) and not self._ready:
                self.received += len(chunk)
                if self.received <= OUTPUT_LIMIT:
                    return _tuple(Answer, (True, simple[1], simple[0]))
                self.received -= len(chunk)
        if not chunk:
            return None
        self.feed(chunk)
        answers = self.take(wanted)
        return answers[-1] if answers else None

    def unasked_output(self) -> bytes:
        """Drop blank and comment lines, but keep notes; return the rest, b"" if it is blank or a comment."""
        if not self.buffer:
            return b""
        if not self._line:
            self._skip_lines_between()
        rest = self.unread
        return b"" if rest[:1] == b"#" or not rest.strip(_BLANKS) else rest

    def _take_reply(self, end: int) -> Answer:
        """Take the reply of `end` bytes off the buffer; add its irregularities to `notes`. MalformedReply."""
        raw = bytes(self.buffer[:end])
        self._drop_bytes(end)
        self._check_reply_bytes(raw)
        first, _, rest = raw.partition(b"\n")
        stripped = first.rstrip(_BLANKS)
        if first.endswith(b"\r"):
            self.notes["line ends of carriage return and newline"] = None
        elif stripped != first and stripped != b"=":
            self.notes["blanks or control characters at the end of a line"] = None
        if rest.strip(_BLANKS):
            self.notes["several lines in a reply"] = None
        accepted = stripped[:1] == b"="
        if not accepted:
            self.notes["refusals (?)"] = None
        return Answer(accepted, stripped[1:].strip(_BLANKS), raw)

    def _skip_lines_between(self) -> None:
        """Drop complete blank and comment lines in front of the next reply."""
        # One cut at the end: a flood of blank lines must not cost its length squared.
        buffer, start = self.buffer, 0
        while (end := buffer.find(b"\n", max(start, self._seen))) >= 0:
            line = bytes(buffer[start:end])
            if line[:1] == b"#":
                if not line.startswith(MARKS):
                    self.notes["comment lines"] = None
                elif not self.notebook.add(line):
                    self.notes[DROPPED] = None
            elif not line.strip(_BLANKS):
                self.notes["blank lines between replies"] = None
            else:
                break
            start = end + 1
        if start:
            self._drop_bytes(start)

    def _drop_bytes(self, end: int) -> None:
        """Drop the first `end` bytes of the buffer; search for line ends from the start again."""
        del self.buffer[:end]
        self._line = self._seen = 0

    def _check_reply_bytes(self, raw: bytes | bytearray, seen: int = 0) -> None:
        """MalformedReply for a NUL byte, from byte `seen` on, or more than `REPLY_LIMIT` bytes."""
        # Only within the limit, so that the fault does not depend on how the bytes were cut.
        if raw.find(b"\0", seen, REPLY_LIMIT) >= 0:
            raise MalformedReply("malformed", "a NUL byte in a reply", bytes(raw))
        if len(raw) > REPLY_LIMIT:
            raise MalformedReply("malformed", f"a reply longer than {REPLY_LIMIT} bytes", bytes(raw))


def words_of(answer: Answer, number: int = 1) -> str:
    """Return the words of an answer to a ``gen_`` command, with single blanks between.

    MalformedReply unless there are `number` of them. Bytes that are no UTF-8 are escaped, which is no
    action of any game.
    """
    text = answer.text
    words = text.split()
    if len(words) == number:
        return b" ".join(words).decode(errors="backslashreplace")
    if not words:
        raise MalformedReply("malformed", "an answer without a word", answer.raw)
    shown = text[:60].decode(errors="backslashreplace")
    what = "more than one word" if number == 1 else f"expected {number} words, got {len(words)}"
    raise MalformedReply("malformed", f"{what} in an answer: {shown}", answer.raw)
