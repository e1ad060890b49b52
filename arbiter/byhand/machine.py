"""A match by hand, without a face: step by step, back again, by record or by its user's word.

Theory of operation. The machine holds a `Position`, how many of its news have been told, and a log
of every command that each seat has heard. To go back is to take an earlier position, cut the log
where it was then, start every occupant anew and feed it its part of the log; whoever sits down
later is fed in the same way. What a bot answers while it is fed counts for nothing.

A reply that is no good stops the machine with `trouble`; its user then says whether to ask again,
to pass over it, or to decide in the bot's place.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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

    from arbiter.match import Move
    from arbiter.referee import Reply
    from arbiter.rules import AnyGame, Command, Deal, Seat

LEAST_NS = SECOND
"""So long is waited for a bot although its clock has run out: its user may want to see more."""
IN_STEP = frozenset({Fault.ILLEGAL.value, Fault.REFUSED.value})
"""Faults after which the same process can be asked again."""


class Stop(StrEnum):
    """Why a step came to its end."""

    DECIDED = "decided"
    PERSON = "person"
    TROUBLE = "trouble"
    OVER = "over"


class Exchange(NamedTuple):
    """One command and the raw reply; `kind` is the fault it amounts to, "" if none, `problem` why.

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


@dataclass
class ByHand:
    """One match; `listen` is told every exchange. Close it with `close`.

    VoidMatch from whatever starts a process, where our machine fails.
    """

    setup: Setup
    occupants: list[Occupant]
    listen: Callable[[Exchange], None]
    position: Position = field(init=False)
    left: list[int] = field(init=False)
    """What each seat may still use, in ns."""
    transcript: list[Exchange] = field(init=False, default_factory=list)
    trouble: Exchange | None = field(init=False, default=None)
    _told: int = field(init=False, default=0)
    _log: list[tuple[Seat, Command]] = field(init=False, default_factory=list)
    _fresh: set[Seat] = field(init=False, default_factory=set)
    _marks: list[_Mark] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        setup = self.setup
        self.position = Position.opening(setup.game, setup.seed, setup.round_number, setup.known)
        self.left = [setup.time.budget_ns] * setup.game.seats
        self._marks.append(_Mark(self.position, 0, tuple(self.left)))
        for seat in range(setup.game.seats):
            self._begin(seat)

    def close(self) -> list[tuple[Seat, str]]:
        """``quit`` to every bot; how each one ended."""
        return [(seat, occupant.end()) for seat, occupant in enumerate(self.occupants)]

    @property
    def untold(self) -> int:
        """How many commands are to be told before the next decision."""
        return len(self.position.news) - self._told

    def tell(self, most: int | None = None) -> Stop | None:
        """Tell the seats what they have yet to hear, so many commands at most; TROUBLE stops it."""
        end = len(self.position.news) if most is None else min(len(self.position.news), self._told + most)
        while self._told < end:
            seat, command = self.position.news[self._told]
            if self._exchange(seat, command).problem:
                return Stop.TROUBLE
            self._told += 1
        return None

    def step(self) -> Stop:
        """Tell the news, then have the next decision made."""
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
        self._decided(word)
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
        self._decided(word)
        return Stop.DECIDED

    def again(self) -> Stop:
        """After trouble: the same once more, by a new process that has heard the same, if need be."""
        if self.trouble is not None and self._out_of_step:
            self._begin(self.trouble.seat)
        return self.step()

    def skip(self) -> None:
        """After trouble with news: go on as if it had been answered."""
        if self.trouble is not None and self._told < len(self.position.news):
            self._told += 1
            self.trouble = None

    def raw(self, seat: Seat, command: Command) -> Exchange:
        """Send any line to one seat; it becomes a part of what the seat has heard."""
        return self._exchange(seat, command)

    def seat(self, seat: Seat, occupant: Occupant) -> str:
        """Put somebody else into a seat, who is told what was heard there; how the old one ended."""
        said = self.occupants[seat].end()
        self.occupants[seat] = occupant
        self.trouble = None
        self._begin(seat)
        return said

    def undo(self, decisions: int) -> int:
        """Take so many decisions back; how many there were to take."""
        taken = min(decisions, len(self._marks) - 1)
        del self._marks[len(self._marks) - taken :]
        mark = self._marks[-1]
        self.position, self._told, self.trouble = mark.position, 0, None
        self.left[:] = mark.left
        del self._log[mark.heard :]
        for seat in range(len(self.occupants)):
            self._begin(seat)
        return taken

    def feed(self, moves: Iterable[Move]) -> Iterable[str]:
        """Play recorded decisions; the bots hear and answer, but the record decides.

        Yields a line for every answer that is not the record's, and ends early at trouble.
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
                self._decided(move.action)
            except IllegalAction as error:
                yield f"move {number}: {move.action} of seat {seat}: {error}"
                return
            self.left[seat] = move.left_ns
            self._marks[-1] = replace(self._marks[-1], left=tuple(self.left))

    @property
    def _out_of_step(self) -> bool:
        """Whether the bot in trouble has to be started anew before it can be asked again."""
        return self.trouble is not None and self.trouble.kind not in IN_STEP

    def _ask(self, seat: Seat) -> str:
        """``time_left`` and the request; the legal word it answers, "" in trouble."""
        if self._exchange(seat, self._time_left(seat)).problem:
            return ""
        return self._exchange(seat, self.position.request, asks=True).word

    def _decided(self, word: str) -> None:
        seat = self.position.to_act
        assert seat is not None
        self.position = self.position.decided(self.position.parse(word))
        self._told = 0
        self.left[seat] += self.setup.time.increment_ns
        self._marks.append(_Mark(self.position, len(self._log), tuple(self.left)))

    def _time_left(self, seat: Seat) -> Command:
        return f"time_left {max(0, self.left[seat]) // MS}"

    def _exchange(self, seat: Seat, command: Command, asks: bool = False) -> Exchange:
        """Say a line to a seat, take note of it, and of trouble."""
        exchange = self._heard(seat, command, asks)
        self.transcript.append(exchange)
        self.listen(exchange)
        if exchange.problem:
            self.trouble = exchange
        if not exchange.problem or exchange.kind in IN_STEP:
            self._log.append((seat, command))
        if not self.setup.time.per_request:
            self.left[seat] -= exchange.charged_ns
        return exchange

    def _heard(self, seat: Seat, command: Command, asks: bool) -> Exchange:
        """What comes of a line, judged."""
        starting = seat in self._fresh and self.setup.start_ns is not None
        self._fresh.discard(seat)
        allowed = self.setup.start_ns if starting else max(self.left[seat], LEAST_NS)
        assert allowed is not None
        try:
            raw, reply = self.occupants[seat].hear(Line(seat, command, allowed, self.position))
        except VoidMatch as void:
            return Exchange(seat, command, b"", 0, kind="void", problem=str(void))
        except KeyboardInterrupt:
            return Exchange(seat, command, b"", 0, kind="interrupted", problem="interrupted")
        charged = 0 if starting else reply.charged_ns
        exchange = Exchange(seat, command, raw, reply.wall_ns, charged)
        if reply.fault is not None:
            return exchange._replace(kind=reply.fault.kind, problem=reply.fault.detail)
        return self._judged(exchange, reply) if asks else exchange

    def _judged(self, exchange: Exchange, reply: Reply) -> Exchange:
        """An answer to the request in this position."""
        state = self.position.state
        try:
            action, _, _ = judge(self.setup.game, state, exchange.seat, exchange.command, reply.answer)
        except MalformedReply as error:
            return exchange._replace(kind=error.kind, problem=error.detail)
        except IllegalAction as error:
            return exchange._replace(kind=Fault.ILLEGAL.value, problem=str(error))
        return exchange._replace(word=self.setup.game.action_text(state, exchange.seat, action))

    def _begin(self, seat: Seat) -> None:
        """Start an occupant anew and feed it what was heard in its seat."""
        self.occupants[seat].begin(seat)
        self._fresh.add(seat)
        for hearer, command in self._log:
            if hearer != seat:
                continue
            exchange = self._heard(seat, command, asks=False)
            if exchange.problem:
                self.trouble = exchange
                self.listen(exchange)
                return
