"""The state of a match by hand: stepped, undone, fed from a record, decided by its user.

Theory of operation. The machine holds a `Position`, how many of its news have been told, and a log
of every command that each seat has heard. Undo returns to an earlier position, cuts the log there,
starts every occupant anew and sends it its part of the log; so is whoever sits down later. Replies
to the log are ignored.

A bad reply stops the machine with `trouble`; its user then asks again, skips the command, or
decides in the bot's place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from arbiter.byhand.occupants import Line, Occupant
from arbiter.clock import MS, SECOND, TimeControl
from arbiter.course import Position
from arbiter.errors import IllegalAction, MalformedReply, VoidMatch
from arbiter.match import Fault
from arbiter.referee import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arbiter.exchange import Reply
    from arbiter.match import Move
    from arbiter.rules import AnyGame, Command, Deal, Seat

LEAST_NS = SECOND
"""Time allowed in ns to a bot whose clock has run out: its user may want to see more."""
IN_STEP = frozenset({Fault.ILLEGAL.value, Fault.REFUSED.value})
"""Kinds of faults after which the same process can be asked again."""


class Stop(StrEnum):
    """Why a step ended."""

    DECIDED = "decided"
    PERSON = "person"
    TROUBLE = "trouble"
    OVER = "over"


class TranscriptEntry(NamedTuple):
    """One command and the raw reply; `kind` is the kind of fault, "" for none, `problem` the reason.

    `word` is the legal answer to a request, in canonical form.
    """

    seat: Seat
    command: Command
    raw: bytes
    wall_ns: int
    charged_ns: int = 0
    kind: str = ""
    problem: str = ""
    word: str = ""


@dataclass(frozen=True, slots=True)
class Setup:
    """What is played: the game, the deals' seed and round, deals that are given, and the time."""

    game: AnyGame
    seed: str
    time: TimeControl
    start_ns: int | None
    round_number: int = 1
    known: tuple[Deal, ...] = ()


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where everything stood after a decision, before its news."""

    position: Position
    heard: int
    left: tuple[int, ...]


class ByHand:
    """One match; `listen` is called with every entry. Call `close` at the end.

    `left` is what each seat may still use, in ns. VoidMatch from whatever starts a process, where
    our machine fails.
    """

    def __init__(
        self, setup: Setup, occupants: list[Occupant], listen: Callable[[TranscriptEntry], None]
    ) -> None:
        self.setup, self.occupants, self.listen = setup, occupants, listen
        self.position = Position.opening(setup.game, setup.seed, setup.round_number, setup.known)
        self.left = [setup.time.budget_ns] * setup.game.seats
        self.transcript: list[TranscriptEntry] = []
        self.trouble: TranscriptEntry | None = None
        self._told = 0
        self._log: list[tuple[Seat, Command]] = []
        self._fresh: set[Seat] = set()
        self._marks = [_Mark(self.position, 0, tuple(self.left))]
        self._begin_all()

    def close(self) -> list[tuple[Seat, str]]:
        """End every occupant; how each one ended."""
        return [(seat, occupant.end()) for seat, occupant in enumerate(self.occupants)]

    @property
    def untold(self) -> int:
        """Number of commands to tell before the next decision."""
        return len(self.position.news) - self._told

    def tell(self, most: int | None = None) -> Stop | None:
        """Tell the seats what they have yet to hear, at most `most` commands; TROUBLE at a bad reply."""
        end = len(self.position.news) if most is None else min(len(self.position.news), self._told + most)
        while self._told < end:
            seat, command = self.position.news[self._told]
            if self._exchange(seat, command).problem:
                return Stop.TROUBLE
            self._told += 1
        return None

    def step(self) -> Stop:
        """Tell the news, then ask for the next decision."""
        self.trouble = None
        if self.tell() is not None:
            return Stop.TROUBLE
        seat = self.position.to_act
        if seat is None:
            return Stop.OVER
        if self.occupants[seat].person:
            return Stop.PERSON
        word = self._ask(seat)
        if not word:
            return Stop.TROUBLE
        self._decide(word)
        return Stop.DECIDED

    def decide(self, word: str) -> Stop:
        """Decide for the seat to act, whoever sits there; IllegalAction with the reason."""
        if self.tell() is not None:
            return Stop.TROUBLE
        seat = self.position.to_act
        if seat is None:
            return Stop.OVER
        self.position.parse(word)
        # Whoever sits down here later is to hear what a bot hears that is asked.
        request = self.position.request
        asked = self.trouble is not None and (self.trouble.seat, self.trouble.command) == (seat, request)
        if self.trouble is None or self.trouble.kind not in IN_STEP:
            self._log += [(seat, self._time_left(seat))] * (not asked) + [(seat, request)]
        self.trouble = None
        self._decide(word)
        return Stop.DECIDED

    def again(self) -> Stop:
        """After trouble: try again, with a new process that has heard the same if need be."""
        if self.trouble is not None and self._out_of_step:
            self._begin(self.trouble.seat)
        return self.step()

    def skip(self) -> None:
        """After trouble with news: go on as if it had been answered well."""
        if self.trouble is not None and self._told < len(self.position.news):
            self._told += 1
            self.trouble = None

    def raw(self, seat: Seat, command: Command) -> TranscriptEntry:
        """Send any line to one seat; it counts as heard there."""
        return self._exchange(seat, command)

    def seat(self, seat: Seat, occupant: Occupant) -> str:
        """Replace an occupant, tell the new one what was heard there; how the old one ended."""
        said = self.occupants[seat].end()
        self.occupants[seat] = occupant
        self.trouble = None
        self._begin(seat)
        return said

    def undo(self, decisions: int) -> int:
        """Take `decisions` back, or as many as there are; their number."""
        taken = min(decisions, len(self._marks) - 1)
        del self._marks[len(self._marks) - taken :]
        mark = self._marks[-1]
        self.position, self._told, self.trouble = mark.position, 0, None
        self.left[:] = mark.left
        del self._log[mark.heard :]
        self._begin_all()
        return taken

    def feed(self, moves: Iterable[Move]) -> Iterable[str]:
        """Play recorded decisions: the bots answer, but the record decides.

        Yields a line for every answer that is not the record's; ends early at trouble.
        """
        for number, move in enumerate(moves, 1):
            self.trouble = None
            seat = self.position.to_act
            if self.tell() is not None:
                return
            if seat != move.seat or self.position.request != move.request:
                yield f"move {number}: the record has {move.request} of seat {move.seat}, which is not to act"
                return
            if not self.occupants[seat].person:
                word = self._ask(seat)
                # Trouble with an answer that the record does not need: the bot goes on.
                if self._out_of_step:
                    return
                if word != move.action:
                    now = word or "nothing good"
                    yield f"move {number}: seat {seat} now answers {now}, not {move.action}"
                self.trouble = None
            try:
                self._decide(move.action)
            except IllegalAction as error:
                yield f"move {number}: {move.action} of seat {seat}: {error}"
                return
            self.left[seat] = move.left_ns
            self._marks[-1] = replace(self._marks[-1], left=tuple(self.left))

    @property
    def _out_of_step(self) -> bool:
        """True when the bot in trouble must be started anew before it can be asked again."""
        return self.trouble is not None and self.trouble.kind not in IN_STEP

    def _ask(self, seat: Seat) -> str:
        """Send ``time_left`` and the request; the legal word answered, "" at trouble."""
        if self._exchange(seat, self._time_left(seat)).problem:
            return ""
        return self._exchange(seat, self.position.request, asks=True).word

    def _decide(self, word: str) -> None:
        seat = self.position.to_act
        assert seat is not None
        self.position = self.position.apply(self.position.parse(word))
        self._told = 0
        self.left[seat] += self.setup.time.increment_ns
        self._marks.append(_Mark(self.position, len(self._log), tuple(self.left)))

    def _time_left(self, seat: Seat) -> Command:
        return f"time_left {max(0, self.left[seat]) // MS}"

    def _exchange(self, seat: Seat, command: Command, asks: bool = False) -> TranscriptEntry:
        """Send a line to a seat; log it, and any trouble."""
        entry = self._send(seat, command, asks)
        self.transcript.append(entry)
        self.listen(entry)
        if entry.problem:
            self.trouble = entry
        if not entry.problem or entry.kind in IN_STEP:
            self._log.append((seat, command))
        if not self.setup.time.per_request:
            self.left[seat] -= entry.charged_ns
        return entry

    def _send(self, seat: Seat, command: Command, asks: bool) -> TranscriptEntry:
        """Send a line and judge the reply."""
        starting = seat in self._fresh and self.setup.start_ns is not None
        self._fresh.discard(seat)
        allowed = self.setup.start_ns if starting else max(self.left[seat], LEAST_NS)
        assert allowed is not None
        try:
            raw, reply = self.occupants[seat].hear(Line(seat, command, allowed, self.position))
        except VoidMatch as void:
            return TranscriptEntry(seat, command, b"", 0, kind="void", problem=str(void))
        except KeyboardInterrupt:
            return TranscriptEntry(seat, command, b"", 0, kind="interrupted", problem="interrupted")
        charged = 0 if starting else reply.charged_ns
        entry = TranscriptEntry(seat, command, raw, reply.wall_ns, charged)
        if reply.fault is not None:
            return entry._replace(kind=reply.fault.kind, problem=reply.fault.detail)
        return self._judge(entry, reply) if asks else entry

    def _judge(self, entry: TranscriptEntry, reply: Reply) -> TranscriptEntry:
        """Judge an answer to the request in this position."""
        state = self.position.state
        try:
            action, _, _ = judge(self.setup.game, state, entry.seat, entry.command, reply.answer)
        except MalformedReply as error:
            return entry._replace(kind=error.kind, problem=error.detail)
        except IllegalAction as error:
            return entry._replace(kind=Fault.ILLEGAL.value, problem=str(error))
        return entry._replace(word=self.setup.game.action_text(state, entry.seat, action))

    def _begin_all(self) -> None:
        for seat in range(self.setup.game.seats):
            self._begin(seat)

    def _begin(self, seat: Seat) -> None:
        """Start an occupant anew and send it what was heard in its seat."""
        self.occupants[seat].begin(seat)
        self._fresh.add(seat)
        for hearer, command in self._log:
            if hearer != seat:
                continue
            entry = self._send(seat, command, asks=False)
            if entry.problem:
                self.trouble = entry
                self.listen(entry)
                return
