"""Notes of bots: comment lines of a known form before a reply, kept with the move that follows.

    # value NUMBER [WORDS]
    # tag WORD
    # note WORDS

Notes are hostile text: a `Notebook` bounds what is kept, notes are parsed once, when the match is over, and
code that shows a note escapes it.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOVE_BYTES, MATCH_BYTES = 200, 16 * 1024
"""Bytes of lines kept of one seat, before one move and in a match."""
LONGEST_TAG = 40
MARKS = (b"# value ", b"# tag ", b"# note ")
"""The prefixes of lines that are kept."""
DROPPED = f"notes beyond {MOVE_BYTES} bytes a move or {MATCH_BYTES} bytes a match, dropped"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class Note(NamedTuple):
    """The notes of a bot before a move: its last value of the position, tags, and lines of words."""

    value: float | None = None
    tags: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @classmethod
    def parse(cls, lines: Sequence[bytes]) -> Self:
        """Return the note in these lines; malformed lines are ignored."""
        value: float | None = None
        tags: dict[str, None] = {}
        words: list[str] = []
        for line in lines:
            _, kind, rest = (line.decode(errors="backslashreplace").rstrip() + "  ").split(" ", 2)
            rest = rest.strip()
            if kind == "value":
                number, _, rest = rest.partition(" ")
                if not (_NUMBER.fullmatch(number) and math.isfinite(float(number))):
                    continue
                value = float(number)
            elif kind == "tag":
                if is_tag(rest):
                    tags[rest] = None
                continue
            if rest:
                words.append(rest.strip())
        return cls(value, tuple(tags), tuple(words))

    def to_json(self) -> dict[str, Any]:
        """The non-empty parts, as JSON values."""
        parts = {"value": self.value, "tags": list(self.tags), "words": list(self.words)}
        return {name: part for name, part in parts.items() if part is not None and part != []}

    @classmethod
    def from_json(cls, shape: Mapping[str, Any]) -> Self:
        """Return the note that `to_json` wrote; KeyError, TypeError or ValueError for another shape."""
        value = shape.get("value")
        if value is not None and not math.isfinite(value):
            raise ValueError(f"a value of {value}")
        texts = [tuple(shape.get(name, ())) for name in ("tags", "words")]
        if not all(isinstance(text, str) for part in texts for text in part):
            raise TypeError("tags and words of a note are texts")
        return cls(value, *texts)


def is_tag(text: str) -> bool:
    """True for one printable word of at most `LONGEST_TAG` characters."""
    return 0 < len(text) <= LONGEST_TAG and " " not in text and text.isprintable() and printable(text) == text


class Notebook:
    """The lines of one bot in a match that are kept: `open` are those before its next answer."""

    __slots__ = ("_kept", "_left", "_left_of_match", "open")

    def __init__(self) -> None:
        self.open: list[bytes] = []
        self._kept: dict[int, list[bytes]] = {}
        self._left, self._left_of_match = MOVE_BYTES, MATCH_BYTES

    def add(self, line: bytes) -> bool:
        """Keep a line if the bytes left of the move and of the match suffice; return whether it was kept."""
        size = len(line)
        if size > self._left or size > self._left_of_match:
            return False
        self._left -= size
        self._left_of_match -= size
        self.open.append(line)
        return True

    def seal(self, request: int) -> None:
        """Assign the open lines to the answer to a request, counted from 1, and begin with none."""
        self._kept[request], self.open = self.open, []
        self._left = MOVE_BYTES

    def notes(self) -> Iterator[tuple[int, Note]]:
        """Yield the notes, each with the number of its request."""
        for request, lines in self._kept.items():
            note = Note.parse(lines)
            if note != _EMPTY:
                yield request, note


_EMPTY = Note()


def notes_by_move(notebooks: Mapping[int, Notebook], seats: Sequence[int]) -> dict[int, Note] | None:
    """Return the notes by number of the move, from 1, ascending; None without notes. `seats` are by move."""
    found: dict[int, Note] = {}
    for seat, notebook in notebooks.items():
        own = [number for number, by in enumerate(seats, 1) if by == seat]
        # A faulty answer made no move.
        found.update({own[k - 1]: note for k, note in notebook.notes() if k <= len(own)})
    return dict(sorted(found.items())) or None


def notes_to_json(notes: Mapping[int, Note] | None) -> dict[str, Any]:
    """Return a record's key with the notes by number of the move; empty without notes."""
    return {"move_notes": [{"move": n, **note.to_json()} for n, note in notes.items()]} if notes else {}


def notes_from_json(rows: Any) -> dict[int, Note] | None:
    """Return the notes that `notes_to_json` wrote; KeyError, TypeError or ValueError for other rows."""
    return None if rows is None else {int(row["move"]): Note.from_json(row) for row in rows}
