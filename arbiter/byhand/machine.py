"""A match by hand: stepped, undone, fed from a record, decided by its user.

Theory of operation. The referee conducts the match; the machine stops before each of its exchanges,
has it with the seat's occupant, and passes on the reply. A bad one is kept from the referee and is
`trouble`; the user then asks again, skips the command, or decides in the bot's place. The machine also
holds the `Position`, and a log of every command that each seat has heard.

Undo conducts the match anew with the replies up to an earlier decision, cuts the log there, starts every
occupant anew and sends it its part of the log; so is whoever sits down later. Replies to the log are ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from arbiter.byhand.occupants import Line, Occupant
from arbiter.byhand.setup import Stop, TranscriptEntry
from arbiter.clock import MS, SECOND
from arbiter.course import Position
from arbiter.errors import IllegalAction, MalformedReply, VoidMatch
from arbiter.exchange import Reply
from arbiter.match import Fault
from arbiter.protocol import Answer
from arbiter.referee import drive_by_step, judge, referee

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from arbiter.byhand.setup import Setup
    from arbiter.exchange import Send
    from arbiter.match import Move
    from arbiter.rules import Command, Seat

LEAST_NS = SECOND
"""Time allowed in ns to a bot whose clock has run out: its user may want to see more."""
IN_STEP = frozenset({Fault.ILLEGAL.value, Fault.REFUSED.value})
"""Kinds of faults after which the same process can be asked again."""


class _Mark(NamedTuple):
    """Where everything stood after a decision, before its news."""

    position: Position
    heard: int
    given: int


class ByHand:
    """One match; `listen` is called with every entry. Call `close` at the end.

    VoidMatch from whatever starts a process, where our machine fails.
    """

    def __init__(
        self, setup: Setup, occupants: list[Occupant], listen: Callable[[TranscriptEntry], None]
    ) -> None:
        self.setup, self.occupants, self.listen = setup, occupants, listen
        self.position = Position.opening(setup.game, setup.seed, setup.round_number)
        self.transcript: list[TranscriptEntry] = []
        self.trouble: TranscriptEntry | None = None
        self._told = 0
        self._log: list[tuple[Seat, Command]] = []
        self._fresh: set[Seat] = set()
        self._free = False
        self._marks = [_Mark(self.position, 0, 0)]
        self._conduct([])
        self._begin_all()

    def close(self) -> list[tuple[Seat, str]]:
        """End every occupant; how each one ended."""
        return [(seat, occupant.end()) for seat, occupant in enumerate(self.occupants)]

    @property
    def left(self) -> list[int]:
        """What each seat may still use, in ns."""
        if self.setup.limits.time.per_request:
            return list(self._left)
        return [left - owed for left, owed in zip(self._left, self._owed, strict=True)]

    @property
    def untold(self) -> int:
        """Number of commands to tell before the next decision."""
        return len(self.position.news) - self._told

    def tell(self, most: int | None = None) -> Stop | None:
        """Tell the seats what they have yet to hear, at most `most` commands; TROUBLE at a bad reply."""
        for _ in range(self.untold if most is None else min(self.untold, most)):
            if self._exchange().problem:
                return Stop.TROUBLE
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
        if self.trouble is not None and self.untold:
            self._give()
            self.trouble = None

    def raw(self, seat: Seat, command: Command) -> TranscriptEntry:
        """Send any line to one seat; it counts as heard there."""
        return self._note(self._say(seat, command)[0])

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
        self._conduct(self._given[: mark.given])
        del self._log[mark.heard :]
        self._begin_all()
        return taken

    def feed(self, moves: Iterable[Move]) -> Iterable[str]:
        """Play recorded decisions: the bots answer, but the record decides, what was charged included.

        Yields a line for every answer that is not the record's; ends early at trouble.
        """
        self._free = True
        try:
            yield from self._feed(moves)
        finally:
            self._free = False

    def _feed(self, moves: Iterable[Move]) -> Iterable[str]:
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
            self._owed[move.seat] = move.charged_ns
            try:
                self._decide(move.action)
            except IllegalAction as error:
                yield f"move {number}: {move.action} of seat {seat}: {error}"
                return

    @property
    def _out_of_step(self) -> bool:
        """True when the bot in trouble must be started anew before it can be asked again."""
        return self.trouble is not None and self.trouble.kind not in IN_STEP

    def _conduct(self, given: Sequence[Reply | int]) -> None:
        """Have the referee conduct the match from its start, with the replies given up to now."""
        setup = self.setup
        self._steps = drive_by_step(referee(setup.game, setup.spec), (), every=True)
        self._given: list[Reply | int] = []
        self._owed = [0] * setup.game.seats
        self._left: Sequence[int] = (setup.limits.time.budget_ns,) * setup.game.seats
        self._wait_for(*next(self._steps))
        for reply in given:
            self._tell_referee(reply)

    def _wait_for(self, seat: Seat, send: Send) -> None:
        """Note which exchange the referee waits for, and what it says is left."""
        self._next: tuple[Seat, Send] | None = (seat, send)
        if not send.starting:
            self._left = send.allowed_ns

    def _tell_referee(self, reply: Reply | int) -> None:
        self._given.append(reply)
        try:
            self._wait_for(*self._steps.send(reply))
        except StopIteration:
            self._next = None

    def _give(self, answer: Answer | None = None) -> None:
        """Pass on a good reply to the exchange that the referee waits for.

        It costs what the seat has used since the one before: more than is left ends no match by hand.
        """
        assert self._next is not None
        seat, send = self._next
        cost = 0
        if not send.starting:
            cost, self._owed[seat] = min(self._owed[seat], send.allowed_ns[seat]), 0
        if answer is None and self.untold:
            self._told += 1
        self._tell_referee(cost if answer is None else Reply(answer, cost, cost))

    def _exchange(self) -> TranscriptEntry:
        """Have the exchange that the referee waits for, which is no request."""
        assert self._next is not None
        seat, send = self._next
        entry = self._note(self._say(seat, send.command)[0])
        if not entry.problem:
            self._give()
        return entry

    def _ask(self, seat: Seat) -> str:
        """Send ``time_left`` and the request; the legal word answered, "" at trouble."""
        assert self._next is not None
        if self._next[1].asks:  # not for the first time
            told = self._note(self._say(seat, self._time_left(seat))[0])
        else:
            told = self._exchange()
        if told.problem:
            return ""
        entry, reply = self._say(seat, self.position.request)
        if reply is not None and not entry.problem:
            entry = self._judge(entry, reply)
        return self._note(entry).word

    def _decide(self, word: str) -> None:
        """Answer the request, which may not have been sent, by a word; IllegalAction with the reason."""
        action = self.position.parse(word)
        assert self._next is not None
        if not self._next[1].asks:
            self._give()
        raw = word.encode()
        self._give(Answer(True, raw, b"= %s\n\n" % raw))
        self.position = self.position.apply(action)
        self._told = 0
        self._marks.append(_Mark(self.position, len(self._log), len(self._given)))

    def _time_left(self, seat: Seat) -> Command:
        return f"time_left {max(0, self.left[seat]) // MS}"

    def _note(self, entry: TranscriptEntry) -> TranscriptEntry:
        """Log what was said, what it cost and any trouble."""
        self.transcript.append(entry)
        self.listen(entry)
        if entry.problem:
            self.trouble = entry
        if not entry.problem or entry.kind in IN_STEP:
            self._log.append((entry.seat, entry.command))
        if not self._free:
            self._owed[entry.seat] += entry.charged_ns
        return entry

    def _say(self, seat: Seat, command: Command) -> tuple[TranscriptEntry, Reply | None]:
        """Send a line to a seat; the reply, or None where nothing can be said of the bot."""
        start_ns = self.setup.limits.start_ns
        starting = seat in self._fresh and start_ns is not None
        self._fresh.discard(seat)
        allowed = start_ns if starting else max(self.left[seat], LEAST_NS)
        assert allowed is not None
        try:
            raw, reply = self.occupants[seat].hear(Line(seat, command, allowed, self.position))
        except VoidMatch as void:
            return TranscriptEntry(seat, command, b"", 0, kind="void", problem=str(void)), None
        except KeyboardInterrupt:
            return TranscriptEntry(seat, command, b"", 0, kind="interrupted", problem="interrupted"), None
        entry = TranscriptEntry(seat, command, raw, reply.wall_ns, 0 if starting else reply.charged_ns)
        if reply.fault is not None:
            entry = entry._replace(kind=reply.fault.kind, problem=reply.fault.detail)
        return entry, reply

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
            entry, _ = self._say(seat, command)
            if entry.problem:
                self.trouble = entry
                self.listen(entry)
                return
