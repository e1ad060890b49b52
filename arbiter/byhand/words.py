"""A match by hand in words: hands by suit, the cards on the table, answers, clocks."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from arbiter.frame import frame_at, hand_line, roles_line, table_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.byhand.machine import ByHand
    from arbiter.byhand.setup import TranscriptEntry
    from arbiter.course import Decision, Position

SHOWN = 400
"""Bytes of a reply that are shown."""
SHOWN_WORDS = 80
"""Legal answers that are listed."""


def entry_line(entry: TranscriptEntry) -> str:
    """``seat 0  gen_move  ->  '= TD\\n\\n'  0.4 ms``, and what is wrong with it."""
    if not entry.raw and not entry.problem:
        return f"seat {entry.seat}  {entry.command}"
    raw = repr(entry.raw[:SHOWN])[2:-1] + ("..." if len(entry.raw) > SHOWN else "")
    line = f"seat {entry.seat}  {entry.command}  ->  '{raw}'  {entry.wall_ns / 1e6:.1f} ms"
    return line + (f"\n  {entry.kind}: {entry.problem}" if entry.problem else "")


def turn_lines(position: Position) -> list[str]:
    """What a person needs to decide: the request, the hand, the table, the legal answers."""
    frame = frame_at(position)
    seat, words = frame.to_act, frame.legal
    if seat is None:
        return []
    more = f" ... ({len(words)} in all)" if len(words) > SHOWN_WORDS else ""
    lines = [
        f"seat {seat} is to answer {frame.request}",
        f"  hand   {hand_line(position.game, frame.hands[seat])}",
    ]
    if table := table_line(frame):
        lines.append(f"  table  {table}")
    between = ", " if position.answer_words > 1 else " "
    return [*lines, f"  may    {between.join(words[:SHOWN_WORDS])}{more}"]


def decision_lines(decisions: Sequence[Decision], seats: int) -> Iterator[str]:
    """The answers in order, one line for each turn of the table."""
    for (deal, request), asked in groupby(decisions, key=lambda d: (d.deal, d.request)):
        answers = [f"{decision.seat}:{decision.word}" for decision in asked]
        for start in range(0, len(answers), seats):
            yield f"  deal {deal + 1}  {request:<12} {'  '.join(answers[start : start + seats])}"


def state_lines(position: Position) -> Iterator[str]:
    """The deal, its roles, what was answered in it, points so far, and who is to act."""
    number = len(position.deals) - 1
    roles = roles_line(position.game.deal_record(position.deals[number], position.state))
    yield f"deal {number + 1} ({roles}), after {position.made} decisions"
    yield from decision_lines([d for d in position.decisions if d.deal == number], position.game.seats)
    yield f"points of the deals that are over: {' '.join(map(str, position.totals))}"
    seat = position.to_act
    yield "the match is over" if seat is None else f"seat {seat} is to answer {position.request}"


def clock_lines(machine: ByHand) -> Iterator[str]:
    """What each seat has left of its time."""
    match_ns = machine.setup.limits.time.match_ns
    what = "a request" if match_ns is None else f"left of {match_ns / 1e9:g} s"
    for seat, left in enumerate(machine.left):
        yield f"  {seat}  {left / 1e6:.1f} ms {what}"
