"""What passed between the table and its seats, for people to read: the newest so many exchanges."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from arbiter.byhand.setup import TranscriptEntry
    from arbiter.rules import Command, Seat

MOST = 20_000
"""Exchanges that are kept."""
MOST_CHARACTERS = 16_000_000
"""Characters of replies and standard error that are kept."""
LONGEST = 4_000
"""Bytes of one reply, of one command and of one piece of standard error that are kept."""


class Exchange(NamedTuple):
    """One command, numbered from 1, and what came of it; times in ns, `made` decisions before it.

    `raw` has escapes for all that is no printable ASCII; `stderr` is what was written there meanwhile.
    """

    number: int
    seat: Seat
    command: Command
    raw: str
    wall_ns: int
    charged_ns: int
    kind: str
    problem: str
    explanation: str
    stderr: str
    made: int
    by_hand: bool

    def to_json(self) -> dict[str, Any]:
        """JSON values only, times in ms."""
        return {
            "n": self.number,
            "seat": self.seat,
            "command": self.command,
            "raw": self.raw,
            "wall_ms": self.wall_ns / 1e6,
            "charged_ms": self.charged_ns / 1e6,
            "kind": self.kind,
            "problem": self.problem,
            "explanation": self.explanation,
            "stderr": self.stderr,
            "at": self.made,
            "by_hand": self.by_hand,
        }

    def lines(self) -> Iterator[str]:
        """The exchange in a file of them: what was sent, what came back, standard error."""
        by_hand = "  by hand" if self.by_hand else ""
        yield f"{self.number}  seat {self.seat}  > {self.command}{by_hand}"
        if self.raw:
            wall, charged = self.wall_ns / 1e6, self.charged_ns / 1e6
            yield f"    < {self.raw}  {wall:.1f} ms, charged {charged:.1f} ms"
        if self.problem:
            yield f"    {self.kind}: {self.problem}"
        for line in self.stderr.splitlines():
            yield f"    stderr: {line}"


class Exchanges:
    """The newest exchanges; one thread adds, any thread reads."""

    def __init__(self) -> None:
        self._kept: deque[Exchange] = deque()
        self._size = 0
        self.number = 0
        """Of the last one."""

    def add(self, entry: TranscriptEntry, stderr: bytes, explanation: str, made: int, by_hand: bool) -> None:
        """Keep one more, and let the oldest go where there are too many."""
        self.number += 1
        exchange = Exchange(
            self.number,
            entry.seat,
            shown(entry.command.encode(errors="surrogateescape")),
            shown(entry.raw),
            entry.wall_ns,
            entry.charged_ns,
            entry.kind,
            entry.problem[:LONGEST],
            explanation,
            text(stderr),
            made,
            by_hand,
        )
        self._kept.append(exchange)
        self._size += _size(exchange)
        while len(self._kept) > MOST or self._size > MOST_CHARACTERS:
            self._size -= _size(self._kept.popleft())

    def forget(self, number: int) -> None:
        """Let all up to that with a number go."""
        while self._kept and self._kept[0].number <= number:
            self._size -= _size(self._kept.popleft())

    def after(self, number: int, most: int = MOST) -> list[Exchange]:
        """At most so many exchanges after that with a number, in order."""
        # A copy in one step, since another thread may add meanwhile.
        kept = list(self._kept)
        first = max(0, number + 1 - kept[0].number) if kept else 0
        return kept[first : first + most]

    @property
    def oldest(self) -> int:
        """The number of the oldest that is kept, of the next one where none is."""
        kept = list(self._kept)
        return kept[0].number if kept else self.number + 1


def shown(raw: bytes) -> str:
    r"""Bytes with escapes such as ``\n``, ``\x07`` and ``\xff``, as the console shows them."""
    return repr(raw[:LONGEST])[2:-1] + ("..." if len(raw) > LONGEST else "")


def text(said: bytes) -> str:
    """The end of some standard error as text; what could steer a terminal has escapes."""
    from arbiter.text import printable

    return printable(said[-LONGEST:].decode(errors="backslashreplace"))


def _size(exchange: Exchange) -> int:
    return len(exchange.raw) + len(exchange.stderr) + len(exchange.command) + len(exchange.problem)
