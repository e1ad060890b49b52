"""The play of a deal as a text sheet, from the descriptions of moves that each game has for frames.

Answers without a play follow one another on a line; plays are in columns, one for each seat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.games.labels import PASS
from arbiter.match.position import Dealt, Moved, retrace
from arbiter.replay.frame import signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arbiter.games.game import Action, AnyGame, Command, Seat, State
    from arbiter.match.record import MatchRecord


class SheetStep(NamedTuple):
    """An answer of a seat to a request, with the states before and after it."""

    seat: Seat
    request: Command
    words: str
    action: Action
    before: Any
    after: Any


@dataclass(slots=True)
class _SheetLine:
    """Cells by seat, or with a `title` in order; `behind` ends the line.

    `is_by_seat` is True for a line with one value for each seat.
    """

    title: str = ""
    cells: list[tuple[Seat, str]] = field(default_factory=list)
    behind: str = ""
    is_by_seat: bool = False


def sheets_of(record: MatchRecord, game: AnyGame) -> list[tuple[Dealt, list[SheetStep]]]:
    """Return each deal of a record with its answers; StoreError where it breaks the game's rules."""
    found: list[tuple[Dealt, list[SheetStep]]] = []
    for event in retrace(record, game):
        if isinstance(event, Dealt):
            found.append((event, []))
        elif isinstance(event, Moved):
            move = event.move
            answer = move.seat, move.request, move.action
            found[-1][1].append(SheetStep(*answer, event.action, event.before, event.after))
    return found


def score_sheet(game: AnyGame, first: State, steps: Iterable[SheetStep]) -> Iterator[str]:
    """Yield a deal from its first state on, a line at a time, without the hands.

    ``>`` precedes a lead, ``-`` is a pass, and the seat that took the cards follows them.
    """
    lines, last = _gift_lines(game, None, first), first
    for step in steps:
        last = step.after
        laid = game.laid(step.before, step.seat, step.action, last)
        title = "" if laid else step.request.partition(" ")[0].removeprefix("gen_")
        line = lines[-1] if lines else None
        seats = () if line is None or title else [seat for seat, _ in line.cells]
        if line is None or line.title != title or line.behind or step.seat in seats:
            lines.append(line := _SheetLine(title))
        if laid:
            lead = "" if game.table(step.before) else ">"
            line.cells.append((step.seat, f"{lead:1}{'-' if laid == PASS else game.short(laid)}"))
        else:
            line.cells.append((step.seat, f"{step.seat}:{step.words}"))
        if (taker := game.taker(step.before, last)) is not None:
            line.behind = f"seat {taker} {game.takes}"
        lines += _gift_lines(game, step.before, last)
    begun, ended = _role_lines(game, first), _role_lines(game, last)
    head = [line for line in begun if line.is_by_seat or line in ended]
    tail = [line for line in ended if line not in begun]
    if not last.to_act:
        tail.append(_line_by_seat("points", signed(last.points())))
    yield from _draw_lines([*head, *lines, *tail], game.seats)
    if not last.to_act and (said := game.says_deal(last, [f"seat {seat}" for seat in range(game.seats)])):
        yield said


def _role_lines(game: AnyGame, state: State) -> list[_SheetLine]:
    """Return lines of the public values beside the cards, except those with only empty or 0 values."""
    lines = []
    for name, value in game.roles(state).items():
        values = value if isinstance(value, list) else [value]
        if not any(values):
            continue
        if len(values) == game.seats:
            lines.append(_line_by_seat(name, values))
        else:
            lines.append(_SheetLine(name, [(0, " : ".join(map(str, values)))]))
    return lines


def _line_by_seat(title: str, values: Iterable[object]) -> _SheetLine:
    cells = [(seat, f"{seat}:{value}") for seat, value in enumerate(values) if value not in (None, "")]
    return _SheetLine(title, cells, is_by_seat=True)


def _gift_lines(game: AnyGame, before: State | None, after: State) -> list[_SheetLine]:
    """Return a line for each gift between two states, with its cards."""
    return [
        _SheetLine("gift", [(giver, f"seat {giver} gives seat {taker} {' '.join(cards)}")])
        for giver, taker, cards in game.exchanged(before, after)
    ]


def _draw_lines(lines: Iterable[_SheetLine], seats: int) -> Iterator[str]:
    """Yield lines as text: columns are as wide as the widest cell, below the numbers of the seats."""
    lines = list(lines)
    margin = max(len(line.title or "seat") for line in lines) + 2 if lines else 0
    width = max((len(cell) for line in lines if not line.title for _, cell in line.cells), default=0) + 2
    heads: _SheetLine | None = _SheetLine("", [(seat, f" {seat}") for seat in range(seats)])
    for line in lines:
        if line.title:
            yield f"{line.title:<{margin}}{'  '.join(cell for _, cell in line.cells)}"
            continue
        for shown in (line,) if heads is None else (heads, line):
            laid = dict(shown.cells)
            cells = "".join(laid.get(seat, "").ljust(width) for seat in range(seats))
            yield f"{'seat' if shown is heads else '':<{margin}}{cells}{shown.behind}".rstrip()
        heads = None
