"""Replay of a recorded match: the referee asks, the record answers, differences are reported.

Theory of operation. The referee decides the order of requests, the legality of each action and the
points. Every answer comes from the record's moves; every cost is 0, since time cannot be replayed.
After the last move, a recorded forfeit is given at the first exchange with its seat that sends its
command. A fault in a reply is judged again where the reply was kept in full; any other fault (a
timeout, a crash) is accepted as recorded, and only its place is checked.

A match that was played to its end is always replayed in batched delivery: the requests are the
same, with a sixth of the exchanges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import MalformedReply
from arbiter.match.exchange import Reply, Send, drive
from arbiter.match.protocol import NONE, Answer, Connection
from arbiter.match.record import Fault
from arbiter.match.referee import SHOWN_REPLY, referee

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.games.game import AnyGame, Seat
    from arbiter.match.record import Forfeit, MatchRecord, Move
    from arbiter.match.spec import MatchSpec

JUDGED = frozenset({Fault.ILLEGAL, Fault.REFUSED, Fault.MALFORMED})
"""Faults of the reply's content."""
ANSWERS = frozenset({Fault.ILLEGAL, Fault.REFUSED, Fault.UNPARSABLE, Fault.TRUNCATED, Fault.TOKENS})
"""Faults that only an answer to a request can have."""


@dataclass(frozen=True, slots=True)
class ReplayedRecord:
    """The record of the replay, without times, or the `problem` that prevented it.

    `starting` is True when the forfeit was at a program's start, `judged` when its reply was judged again.
    """

    record: MatchRecord | None
    problem: str = ""
    starting: bool = False
    judged: bool = False


class _Divergence(Exception):
    """The record differs from the course of the match; the text has where and how."""


def replay(game: AnyGame, spec: MatchSpec, record: MatchRecord) -> ReplayedRecord:
    """Conduct the match of `spec` in memory with the answers of `record`; a difference is in `problem`."""
    delivery = record.delivery if record.forfeit else "batched"
    match = _RecordedAnswers(record.moves, record.forfeit)
    seats = [_ReplaySeat(match, seat) for seat in range(game.seats)]
    try:
        result = drive(referee(game, replace(spec, limits=replace(spec.limits, delivery=delivery))), seats)
    except _Divergence as stray:
        return ReplayedRecord(None, str(stray))
    if problem := match.unused_part(result):
        return ReplayedRecord(None, problem)
    return ReplayedRecord(result, starting=match.starting, judged=match.judged)


class _ReplaySeat(NamedTuple):
    match: _RecordedAnswers
    seat: Seat

    def exchange(self, send: Send) -> Reply | int:
        return self.match.replay_reply(self.seat, send)


class _RecordedAnswers:
    """The record's answers to the exchanges of a replay."""

    def __init__(self, moves: Sequence[Move], forfeit: Forfeit | None) -> None:
        self._moves, self._forfeit = moves, forfeit
        self._done = 0
        self._faulted = False
        self.starting = self.judged = False

    def replay_reply(self, seat: Seat, send: Send) -> Reply | int:
        """Take the seat's next recorded reply, at no cost; _Divergence if another request is due."""
        forfeit = self._forfeit
        if self._faulted and forfeit is not None:
            raise _Divergence(f"forfeit: the reply {forfeit.reply[:60]!r} is not a fault there")
        if self._done == len(self._moves):
            if forfeit is not None and _may_be_fault_at(forfeit, seat, send):
                self._faulted, self.starting = True, send.starting
                return self._faulty_reply(forfeit, send)
            if send.asks:
                raise _Divergence(self._early_end_text(send))
        if not send.asks:
            return 0
        move = self._moves[self._done]
        if move.seat != seat or move.request != send.command:
            raise _Divergence(
                f"move {self._done + 1}: stored {move.request} of seat {move.seat},"
                f" replayed {send.command} of seat {seat}"
            )
        self._done += 1
        word = move.action.encode(errors="replace")
        return Reply(Answer(True, word, word), 0, 0)

    def unused_part(self, result: MatchRecord) -> str:
        """Return which part of the record did not occur in the replayed match, "" for none."""
        if result.forfeit is not None and not self._faulted:
            move = self._moves[self._done - 1]
            fault = result.forfeit
            return f"move {self._done} ({move.request} of seat {move.seat}): {fault.fault}: {fault.detail}"
        if self._done < len(self._moves):
            return f"moves: stored {len(self._moves)}, but the match is over after {self._done}"
        if self._forfeit is not None and not self._faulted:
            return f"forfeit: the match is over, and {self._forfeit.command!r} was not sent"
        return ""

    def _early_end_text(self, send: Send) -> str:
        """Return the difference that a seat must answer `send`, but the record has no further move."""
        place = f"after move {self._done} seat {send.seats[0]} must answer {send.command}"
        if self._forfeit is None:
            return f"moves: stored {self._done}, but {place}"
        forfeit = self._forfeit
        return f"forfeit: stored for {forfeit.command!r} to seat {forfeit.seat}, but {place}"

    def _faulty_reply(self, forfeit: Forfeit, send: Send) -> Reply:
        """Return the faulty reply, judged again if kept in full; _Divergence if it cannot occur there."""
        if forfeit.fault in ANSWERS and not send.asks:
            raise _Divergence(f"forfeit: {forfeit.fault}, but {send.command!r} asks for no answer")
        raw = forfeit.reply.encode(errors="replace")
        # An escaped byte cannot be distinguished from a backslash, and a long reply was cut.
        whole = "\\" not in forfeit.reply and 0 < len(raw) < SHOWN_REPLY
        if forfeit.fault in JUDGED and whole:
            self.judged = True
            connection = Connection()
            try:
                connection.feed(raw)
                answer = connection.reply()
            except MalformedReply as fault:
                return Reply(NONE, 0, 0, fault=fault)
            if answer is None or not send.asks:
                raise _Divergence(f"forfeit: the reply {forfeit.reply[:60]!r} is not a fault there")
            return Reply(answer, 0, 0)
        recorded = MalformedReply(forfeit.fault, forfeit.reason, raw, forfeit.seat, forfeit.private)
        return Reply(NONE, 0, 0, fault=recorded)


def _may_be_fault_at(forfeit: Forfeit, seat: Seat, send: Send) -> bool:
    """True if a fault may have occurred at this exchange: its own, or a request to another seat."""
    if forfeit.command:
        return forfeit.seat == seat and _is_same_command(forfeit.command, send.command)
    return forfeit.seat != seat and send.asks


def _is_same_command(stored: str, sent: str) -> bool:
    """True when a stored command equals the one sent; `time_left` equals any other, as times differ."""
    return stored == sent or stored.split(" ")[0] == sent.split(" ")[0] == "time_left"
