"""Who won, in words, for people: of a match and of a deal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.frame import said_names, signed
from arbiter.text import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.match import MatchSummary
    from arbiter.rules import Seat


def winners(points: Sequence[int] | None) -> tuple[Seat, ...]:
    """The seats with the most points; none where there are no points, or all have the same."""
    if points is None or min(points) == max(points):
        return ()
    return tuple(seat for seat, won in enumerate(points) if won == max(points))


def say_match(match: MatchSummary) -> str:
    """Who won a match, and by how much: ``pimc wins with 91 points, 12 ahead of greedy``.

    Of a match that a fault ended, who made it, and which.
    """
    names, points = said_names(match.players), match.points
    if points is None:
        return "no result" if match.faulty is None else f"{names[match.faulty]} forfeits: {match.fault}"
    first = winners(points)
    if not first:
        return f"all draw with {_points(points, 0)}"
    who, behind = [names[seat] for seat in first], [won for won in points if won != max(points)]
    ahead = max(points) - max(behind)
    then = joined([name for name, won in zip(names, points, strict=True) if won == max(behind)])
    if len(who) == 1:
        return f"{who[0]} wins with {_points(points, first[0])}, {ahead} ahead of {then}"
    sides = match.sides
    if sides is not None and len({sides[seat] for seat in first}) == 1:
        return f"{joined(who)} win together with {_points(points, first[0])}, {ahead} ahead of {then}"
    return f"{joined(who)} share the win with {_points(points, first[0])}, {ahead} ahead of {then}"


def _points(points: Sequence[int], seat: Seat) -> str:
    return f"{signed(points)[seat]} point{'' if abs(points[seat]) == 1 else 's'}"
