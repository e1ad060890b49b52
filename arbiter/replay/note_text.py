"""A bot's note as a reader sees it: with no word that acts in a browser or a terminal, and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.match.notes import Note
    from arbiter.replay.schema import MoveNote


def shown_note(note: Note) -> MoveNote:
    """Return the parts of a note that say something, escaped."""
    tags, words = (tuple(map(printable, part)) for part in (note.tags, note.words))
    return cast("MoveNote", note._replace(tags=tags, words=words).to_json())


def note_lines(note: MoveNote | None) -> Iterator[str]:
    """Yield a shown note as the comment lines of a bot; none for no note."""
    note = note or {}
    if "value" in note:
        yield f"# value {note['value']:.6g}"
    yield from (f"# tag {tag}" for tag in note.get("tags", ()))
    yield from (f"# note {text}" for text in note.get("words", ()))


def note_in_one_line(note: MoveNote | None) -> str:
    """Return a shown note as ``0.62 #endgame the ten is safe``; "" for none."""
    note = note or {}
    value = [f"{note['value']:.6g}"] if "value" in note else []
    return " ".join([*value, *(f"#{tag}" for tag in note.get("tags", ())), *note.get("words", ())])
