"""The result of a match in words for people, and a bot's note as text that acts in no browser or terminal."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, cast

from arbiter.match.spec import original
from arbiter.replay.frame import said_names, signed
from arbiter.text import joined, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.games.game import Seat
    from arbiter.match.notes import Note
    from arbiter.match.record import MatchSummary
    from arbiter.replay.schema import MoveNote


def winners(points: Sequence[int] | None) -> tuple[Seat, ...]:
    """The seats with the most points; none where there are no points, or all have the same."""
    if points is None or min(points) == max(points):
        return ()
    return tuple(seat for seat, won in enumerate(points) if won == max(points))


def lead_of(match: MatchSummary, player: str) -> float | None:
    """A player's points less the mean of the other seats'; None after a fault, or without other seats."""
    own = [original(name) == player for name in match.players]
    if match.points is None or all(own) or not any(own):
        return None
    mine, others = (
        [p for p, is_own in zip(match.points, own, strict=True) if is_own is of] for of in (True, False)
    )
    return fmean(mine) - fmean(others)


def say_match(match: MatchSummary) -> str:
    """Return the winner of a match and the lead; of one that a fault ended, its player and the fault."""
    if match.points is not None:
        return say_points(match.players, match.points, match.sides)
    if match.faulty is None:
        return "no result"
    return f"{said_names(match.players)[match.faulty]} forfeits: {match.fault}"


def say_change(before: MatchSummary, after: MatchSummary) -> str:
    """Return the points that differ between two runs of a match, else both results in words.

    ``before ann 60, ben 12; after ann 73, ben 10``
    """
    one, other = before.points, after.points
    if one is not None and other is not None and before.players == after.players and one != other:
        names = said_names(after.players)
        differ = [seat for seat, points in enumerate(one) if points != other[seat]]
        runs = [
            ", ".join(f"{names[seat]} {signed(points)[seat]}" for seat in differ) for points in (one, other)
        ]
    else:
        runs = [say_match(before), say_match(after)]
    return "the result is the same" if runs[0] == runs[1] else f"before {runs[0]}; after {runs[1]}"


def say_points(players: Sequence[str], points: Sequence[int], sides: Sequence[int] | None = None) -> str:
    """Return who has most points, and the lead: ``pimc wins with 91 points, 12 ahead of greedy``."""
    names, first = said_names(players), winners(points)
    if not first:
        return f"all draw with {_points(points, 0)}"
    behind = max(won for won in points if won != max(points))
    then = joined([name for name, won in zip(names, points, strict=True) if won == behind])
    won = f"{_points(points, first[0])}, {max(points) - behind} ahead of {then}"
    who = joined([names[seat] for seat in first])
    if len(first) == 1:
        return f"{who} wins with {won}"
    together = sides is not None and len({sides[seat] for seat in first}) == 1
    return f"{who} {'win together' if together else 'share the win'} with {won}"


def _points(points: Sequence[int], seat: Seat) -> str:
    return f"{signed(points)[seat]} point{'' if abs(points[seat]) == 1 else 's'}"


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
