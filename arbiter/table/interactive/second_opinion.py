"""What another occupant would have answered in a seat of a finished match."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from arbiter.errors import VoidMatch
from arbiter.match.clock import SECOND
from arbiter.table.interactive.occupants import SeatCommand
from arbiter.table.interactive.referee_stepper import judge_answer
from arbiter.table.interactive.setup import TranscriptEntry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.games.game import Seat
    from arbiter.table.interactive.interactive_match import InteractiveMatch
    from arbiter.table.interactive.occupants import Occupant

ANSWER_NS = 5 * SECOND
"""The time allowed for one command."""


def second_opinion(machine: InteractiveMatch, seat: Seat, other: Occupant, seconds: float) -> list[str]:
    """Send `other` what the seat received. Return its legal answers to the seat's requests, in order.

    Its answers do not change the match. An illegal one is "". The list is shorter after
    a reply that ends the dialogue, or after `seconds`.
    """
    until = time.monotonic() + seconds
    found: list[str] = []
    try:
        other.begin(seat)
        for word in _answers(machine, seat, other):
            found.append(word)
            if time.monotonic() > until:
                break
    except VoidMatch:
        pass
    finally:
        other.end()
    return found


def _answers(machine: InteractiveMatch, seat: Seat, other: Occupant) -> Iterator[str]:
    """Yield the answer to each request of the seat, up to the first bad reply to another command."""
    for command, position in machine.received(seat):
        raw, reply = other.reply_to(SeatCommand(seat, command, ANSWER_NS, position))
        if reply.fault is not None:
            return
        if position.to_act != seat or command != position.request:
            continue
        entry = judge_answer(position, TranscriptEntry(seat, command, raw, reply.wall_ns), reply)
        if not entry.in_step:
            return
        yield entry.word
