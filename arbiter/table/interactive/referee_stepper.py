"""The referee of an interactive match, advanced reply by reply, and marks after each decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import IllegalAction, MalformedReply
from arbiter.match.clock import SECOND, time_left
from arbiter.match.exchange import Reply, drive_by_step
from arbiter.match.protocol import Answer
from arbiter.match.record import Fault
from arbiter.match.referee import judge, referee

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.games.game import Command, Seat
    from arbiter.match.exchange import Send
    from arbiter.match.position import Position
    from arbiter.match.record import Move
    from arbiter.table.interactive.setup import Setup, TranscriptEntry

LEAST_NS = SECOND
"""Time allowed in ns to a bot whose clock has run out: interactive matches continue."""


class RefereeStepper:
    """One match conducted with the replies `given` so far.

    `owed` is by seat the time used since its last exchange with the referee, `charged` the cost of the
    last decision with the seat's exchanges before it; in ns.
    """

    def __init__(self, setup: Setup, given: Sequence[Reply | int] = ()) -> None:
        seats, self._time = setup.game.seats, setup.limits.time
        self._steps = drive_by_step(referee(setup.game, setup.spec), (), every=True)
        self.given: list[Reply | int] = []
        self.owed = [0] * seats
        self.charged = 0
        self._used = [0] * seats
        self._left: Sequence[int] = (self._time.granted_ns(0),) * seats
        self._next: tuple[Seat, Send] | None = None
        self._store_next(*next(self._steps))
        for reply in given:
            self.pass_reply(reply)

    @property
    def left(self) -> list[int]:
        """The time that each seat may still use, in ns."""
        return list(map(self._time.left_after, self._left, self.owed))

    def time_left_command(self, seat: Seat) -> Command:
        """Return the command with a seat's remaining time."""
        return time_left(self.left[seat])

    @property
    def next(self) -> tuple[Seat, Send]:
        """The exchange that the referee waits for."""
        assert self._next is not None
        return self._next

    def pass_reply(self, reply: Reply | int) -> None:
        """Pass on a reply to the exchange that the referee waits for."""
        seat, send = self.next
        if not send.starting:
            self._used[seat] += reply if isinstance(reply, int) else reply.charged_ns
        if send.asks:
            self.charged, self._used[seat] = self._used[seat], 0
        self.given.append(reply)
        try:
            self._store_next(*self._steps.send(reply))
        except StopIteration:
            self._next = None

    def pass_good_reply(self, word: str | None = None) -> None:
        """Pass on a good reply: a decision's word, or None to news.

        It costs the time that the seat owes, at most what is left: time ends no interactive match.
        """
        seat, send = self.next
        cost = 0
        if not send.starting:
            cost, self.owed[seat] = min(self.owed[seat], send.allowed_ns[seat]), 0
        if word is None:
            self.pass_reply(cost)
            return
        raw = word.encode()
        self.pass_reply(Reply(Answer(True, raw, b"= %s\n\n" % raw), cost, cost))

    def _store_next(self, seat: Seat, send: Send) -> None:
        """Store the exchange that the referee waits for, and the time left."""
        self._next = seat, send
        if not send.starting:
            self._left = send.allowed_ns


def judge_answer(position: Position, entry: TranscriptEntry, reply: Reply) -> TranscriptEntry:
    """Return the entry of an answer to the request in a position, with its word or its fault."""
    game, state = position.game, position.state
    try:
        action, _, _ = judge(game, state, entry.seat, entry.command, reply.answer)
    except MalformedReply as error:
        return entry._replace(kind=error.kind, problem=error.detail)
    except IllegalAction as error:
        return entry._replace(kind=Fault.ILLEGAL.value, problem=str(error), fix=error.fix)
    return entry._replace(word=game.action_text(state, entry.seat, action))


class Mark(NamedTuple):
    """The state after a decision, before its news; `move` is None before the first.

    `heard` is the length of the log, `given` the number of replies to the referee, `hands` the number of
    things done by hand that a referee would not do.
    """

    position: Position
    heard: int
    given: int
    hands: int = 0
    move: Move | None = None


class Whole(NamedTuple):
    """The whole match as it was before the first undo."""

    marks: list[Mark]
    log: list[tuple[Seat, Command]]
    given: list[Reply | int]
    told: int
    hands: int
    trouble: TranscriptEntry | None

    def begins(
        self, marks: Sequence[Mark], log: list[tuple[Seat, Command]], given: list[Reply | int]
    ) -> bool:
        """Return True if the match begins with exactly these."""
        return (
            len(marks) <= len(self.marks)
            and marks[-1] is self.marks[len(marks) - 1]
            and log == self.log[: len(log)]
            and given == self.given[: len(given)]
        )

    def up_to(self, marks: int) -> Whole:
        """Return the match up to `marks` marks, before news of the last one; all of it for all marks."""
        if marks == len(self.marks):
            return self._replace(marks=self.marks[:])
        last = self.marks[marks - 1]
        log, given = self.log[: last.heard], self.given[: last.given]
        return Whole(self.marks[:marks], log, given, 0, last.hands, None)


def replay_marks(opening: Position, marks: Sequence[Mark]) -> list[Mark]:
    """Replay the decisions from another opening. Return new marks; IllegalAction."""
    found = [marks[0]._replace(position=opening)]
    for mark in marks[1:]:
        assert mark.move is not None
        before = found[-1].position
        found.append(mark._replace(position=before.apply(before.parse(mark.move.action))))
    return found
