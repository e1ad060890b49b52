"""Descriptions of a match: result, highlights, and bots' notes, escaped for browsers and terminals.

highlights(["ada", "grace"], [FinishedDeal(41, 0, (3, 1)), FinishedDeal(90, 1, (0, 4))])
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple, cast

from arbiter.match.spec import original
from arbiter.replay.frame import names_in_text, signed
from arbiter.text import joined, printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from arbiter.games.game import Seat
    from arbiter.match.notes import Note
    from arbiter.match.record import Forfeit, MatchSummary
    from arbiter.replay.schema import MoveNote, ReplayMark


def say_moments(forfeit: Forfeit) -> str:
    """Return when the faulty command was sent and the fault found, in UTC; "" in earlier records."""
    sent = [f"sent {forfeit.sent}"] if forfeit.sent else []
    return ", ".join([*sent, f"fault found {forfeit.ended}"] if forfeit.ended else [])


def winners(points: Sequence[int] | None) -> tuple[Seat, ...]:
    """Return the seats with the most points; empty without points, or if all are equal."""
    if points is None or min(points) == max(points):
        return ()
    return tuple(seat for seat, won in enumerate(points) if won == max(points))


def outcome_for(match: MatchSummary, own: Collection[str]) -> str:
    """Return ``won``, ``drawn`` or ``lost`` for the players `own`; "" without points or a fault of theirs."""
    seats = {seat for seat, name in enumerate(match.players) if name in own}
    if match.points is None:
        return "lost" if match.faulty in seats else ""
    first = winners(match.points)
    return ("won" if seats & set(first) else "lost") if first else "drawn"


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
    """Return the winner of a match and the lead; after a fault, the player and the fault."""
    if match.points is not None:
        return say_points(match.players, match.points, match.sides)
    if match.faulty is None:
        return "no result"
    return f"{names_in_text(match.players)[match.faulty]} forfeits: {match.fault}"


def say_change(before: MatchSummary, after: MatchSummary) -> str:
    """Return the points that differ between two runs of a match, else both results, or that they are equal.

    ``before ann 60, ben 12; after ann 73, ben 10``
    """
    one, other = before.points, after.points
    if one is not None and other is not None and before.players == after.players and one != other:
        names = names_in_text(after.players)
        differ = [seat for seat, points in enumerate(one) if points != other[seat]]
        runs = [
            ", ".join(f"{names[seat]} {signed(points)[seat]}" for seat in differ) for points in (one, other)
        ]
    else:
        runs = [say_match(before), say_match(after)]
    return "the result is the same" if runs[0] == runs[1] else f"before {runs[0]}; after {runs[1]}"


def say_points(players: Sequence[str], points: Sequence[int], sides: Sequence[int] | None = None) -> str:
    """Return who has most points, and the lead: ``pimc wins with 91 points, 12 ahead of greedy``."""
    names, first = names_in_text(players), winners(points)
    if not first:
        return f"all draw with {_points_text(points, 0)}"
    behind = max(won for won in points if won != max(points))
    then = joined([name for name, won in zip(names, points, strict=True) if won == behind])
    won = f"{_points_text(points, first[0])}, {max(points) - behind} ahead of {then}"
    who = joined([names[seat] for seat in first])
    if len(first) == 1:
        return f"{who} wins with {won}"
    together = sides is not None and len({sides[seat] for seat in first}) == 1
    return f"{who} {'win together' if together else 'share the win'} with {won}"


def say_own_place(
    players: Sequence[str], points: Sequence[int], seat: Seat, sides: Sequence[int] | None = None
) -> str:
    """Return the place of a losing `seat` for it: ``You come third with 7 points, 10 behind pimc``."""
    ahead = len({at if sides is None else sides[at] for at, won in enumerate(points) if won > points[seat]})
    names, most = names_in_text(players), max(points)
    first = joined([names[one] for one in winners(points)])
    place = ("first", "second", "third", "fourth")[ahead] if ahead < 4 else f"{ahead + 1}th"
    return f"You come {place} with {_points_text(points, seat)}, {most - points[seat]} behind {first}"


def _points_text(points: Sequence[int], seat: Seat) -> str:
    return f"{signed(points)[seat]} point{'' if abs(points[seat]) == 1 else 's'}"


def escaped_note(note: Note) -> MoveNote:
    """Return the non-empty parts of a note, escaped."""
    tags, words = (tuple(map(printable, part)) for part in (note.tags, note.words))
    return cast("MoveNote", note._replace(tags=tags, words=words).to_json())


def note_lines(note: MoveNote | None) -> Iterator[str]:
    """Yield an escaped note as the comment lines of a bot."""
    note = note or {}
    if "value" in note:
        yield f"# value {note['value']:.6g}"
    yield from (f"# tag {tag}" for tag in note.get("tags", ()))
    yield from (f"# note {text}" for text in note.get("words", ()))


def note_in_one_line(note: MoveNote | None) -> str:
    """Return an escaped note as ``0.62 #endgame the ten is safe``; "" for None."""
    note = note or {}
    value = [f"{note['value']:.6g}"] if "value" in note else []
    return " ".join([*value, *(f"#{tag}" for tag in note.get("tags", ())), *note.get("words", ())])


class FinishedDeal(NamedTuple):
    """A finished deal: the event, its number from 0, its points by seat."""

    i: int
    deal: int
    points: Sequence[int]


def highlights(players: Sequence[str], ended: Sequence[FinishedDeal]) -> list[ReplayMark]:
    """Return marks ``lead``, ``best``, ``worst`` and ``closest``; of equal deals none gets a mark."""
    names = names_in_text(players)
    found = _lead_changes(names, ended)

    def who(one: FinishedDeal, value: int) -> str:
        who = [name for name, won in zip(names, one.points, strict=True) if won == value]
        return (
            f"{' and '.join(who)} {signed(one.points)[list(one.points).index(value)]} in deal {one.deal + 1}"
        )

    # Above or below the mean of a deal, times the seats.
    best = _sole_best(ended, [len(one.points) * max(one.points) - sum(one.points) for one in ended])
    worst = _sole_best(ended, [sum(one.points) - len(one.points) * min(one.points) for one in ended])
    closest = _sole_best(ended, [min(one.points) - max(one.points) for one in ended])
    if best is not None:
        found.append({"i": best.i, "kind": "best", "text": f"best deal: {who(best, max(best.points))}"})
    if worst is not None:
        found.append({"i": worst.i, "kind": "worst", "text": f"worst deal: {who(worst, min(worst.points))}"})
    if closest is not None:
        text = f"closest deal: {' : '.join(signed(closest.points))} in deal {closest.deal + 1}"
        found.append({"i": closest.i, "kind": "closest", "text": text})
    return found


def _lead_changes(names: Sequence[str], ended: Sequence[FinishedDeal]) -> list[ReplayMark]:
    """Return the changes of the lead; neither a tie nor the first lead is one."""
    found: list[ReplayMark] = []
    totals = [0] * len(names)
    leading: list[int] = []
    for one in ended:
        totals = [total + won for total, won in zip(totals, one.points, strict=True)]
        now = [seat for seat, total in enumerate(totals) if total == max(totals)]
        if leading and not set(now) & set(leading):
            who = " and ".join(names[seat] for seat in now)
            text = f"{who} {'takes' if len(now) == 1 else 'take'} the lead in deal {one.deal + 1}"
            found.append({"i": one.i, "kind": "lead", "text": text})
            leading = now
        leading = leading or (now if len(now) < len(names) else [])
    return found


def _sole_best(ended: Sequence[FinishedDeal], values: Sequence[int]) -> FinishedDeal | None:
    """Return the deal that alone has the greatest value of several."""
    most = max(values, default=0)
    return ended[values.index(most)] if len(ended) > 1 and values.count(most) == 1 else None
