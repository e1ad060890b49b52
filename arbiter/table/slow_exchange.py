"""The long path of an exchange that is not answered at once: wait for any event.

A delay is known only when it is over, so a bot does not lose by wall time alone: while it is runnable and its
CPU time is under the limit, the meters are read again. A hard limit on wall time ends that: beyond it the
exchange is a timeout if the adjusted time is over the limit, else the match is void.
"""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from arbiter.errors import MalformedReply, VoidMatch
from arbiter.match.clock import MS, SECOND, ClockKind
from arbiter.match.exchange import Reply, timeout_fault
from arbiter.match.protocol import NONE, REPLY_LIMIT, Answer, Connection
from arbiter.sandbox.forkserver.board import stopped_cell
from arbiter.sandbox.process_meter import Meter, MeterReading
from arbiter.sandbox.stderr import CHUNK, DURING, FULL, SINCE, StandardError
from arbiter.table.background_cpu import (
    Presence,
    check_background_bots,
    fault_of_stopped_bot,
    stop_background_bots,
)
from arbiter.table.crash_faults import Ending
from arbiter.table.exchange_cost import Account, Cost

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.games.game import Seat
    from arbiter.match.exchange import Send
    from arbiter.match.spec import Limits
    from arbiter.sandbox.launcher import BotProcess, Launcher

FIRST_LOOK_NS, LONGEST_LOOK_NS = MS, 100 * MS
"""While a bot thinks, the time of the first check whether others compute, and the longest interval."""
FIRST_LOOK_AT_FAMILIES_NS = 10 * MS
"""The first check of bots that may have children, which takes longer."""
FIRST_READING_NS = 50 * MS
"""From this time on each check also reads the meters."""
DISTURBED_NS = 5 * MS
"""A referee that had to wait this long for the core checks which bot had it."""
LOOK_AGAIN_NS = MS
LOOK_AT_MEMORY_NS, FILLING_NS = 20 * MS, MS
"""The interval of memory checks after answers; a bot that computed for longer than `FILLING_NS` is checked
after each."""
ERRORS_NS, HALF_FULL = MS, CHUNK // 2
"""The time for which a thinking bot's standard error is not read after less than half a pipe of output: each
read wakes the referee, which takes the core from the bot."""
LAST_WORDS_NS = 30 * MS
"""The wait for more malformed output: it may contain why the program failed."""
_now, _read = time.monotonic_ns, os.read


class SlowPathChannel:
    """One bot's pipes and meters, and the long path: the part of a channel that waits."""

    __slots__ = (
        "_base", "_cells", "_ended", "_ending", "_errors_at", "_first_look_ns", "_image", "_kind", "_meter",
        "_next_look", "_poll_stdout", "_process", "_stdin", "_stdout", "_stopped", "_watch", "_watching",
        "connection", "others", "pid", "presence", "seat", "stderr", "stopped_ns",
    )  # fmt: skip

    def __init__(
        self,
        seat: Seat,
        process: BotProcess,
        launcher: Launcher,
        limits: Limits,
        away_ns: Callable[[], int] = int,
    ) -> None:
        """`away_ns`: see `Meter`."""
        self.seat = seat
        self.pid, self._stdin, self._stdout, stderr, self._process, board, place = process
        self._cells, self._stopped = board.cells, stopped_cell(place)
        self.connection = Connection()
        self.stderr = StandardError(stderr)
        self.stopped_ns = 0
        """The time for which the referee was stopped while it waited for this bot."""
        self._kind = ClockKind(limits.clock)
        # Every other tier allows child processes.
        family = limits.isolation != "landlock"
        self._meter = Meter(self.pid, family, board, place, away_ns)
        self._first_look_ns = FIRST_LOOK_AT_FAMILIES_NS if family else FIRST_LOOK_NS
        self._ending = Ending(launcher, self.pid, self._meter, self.stderr, limits)
        self._base: MeterReading | None = None
        self._watching = self._ended = False
        self._errors_at = 0
        """When to watch standard error again, on the monotonic clock in ns; 0 while it is watched."""
        self._watch = select.poll()
        peek = select.poll()
        peek.register(self._stdout, select.POLLIN)
        self._poll_stdout = peek.poll
        self.presence = Presence(seat, self.pid, self._meter)
        self.others: Sequence[Presence] = ()
        """The other bots at the table."""
        self._image: tuple[bytes, ...] = ()
        self._next_look = 0
        """When to check its memory next, on the monotonic clock in ns."""

    def _wait_for_replies(self, send: Send, start: int, written: int) -> Reply | int:
        """Wait for all replies, the program's end, or the end of its time; VoidMatch if not judgeable."""
        self._resume_if_stopped()
        stop_background_bots(self.others)
        account = Account(self._meter, self._kind, start, self._base)
        if self._kind is ClockKind.WALL:
            # A delay decides between a timeout and a void match, so its cause must be known.
            account.watch_others()
        disturbed = 0
        allowed = send.allowed_ns[self.seat]
        look = allowed
        cap = at_most = 3 * allowed + 5 * SECOND
        glance = self._first_look_ns
        rest = send.payload[written:]
        if not self._watching:
            self._watching = True
            for descriptor in (self._process, self._stdout, self.stderr.descriptor):
                self._watch.register(descriptor, select.POLLIN)
        if rest:
            self._watch.register(self._stdin, select.POLLOUT)

        def measure_cost(answered: bool = False) -> Cost:
            """Read the meters; return the cost so far. Check the other bots if the referee looked late."""
            nonlocal disturbed
            spent = account.cost(answered)
            self.presence.awake |= bool(self.connection.received)
            self.presence.ignore_until(account.last.cpu_ns)
            if account.late_ns > DISTURBED_NS:
                disturbed += check_background_bots(self.others)
            self._base = account.last
            self.stopped_ns, account.stopped_ns = self.stopped_ns + account.stopped_ns, 0
            return spent

        def finish(spent: Cost, fault: MalformedReply | None, answer: Answer = NONE) -> Reply | int:
            """Return the reply, or the cost of news; or the fault of a stopped bot that caused the delay."""
            if spent.charged_ns > allowed >= spent.adjusted_ns:
                in_all = disturbed + check_background_bots(self.others)
                if defied := fault_of_stopped_bot(self.others):
                    fault = defied
                else:
                    spent = self._judged_cost(send, account, spent, in_all)
            times = spent.wall_ns, spent.charged_ns, spent.cpu_ns, spent.delay_ns
            return Reply(answer, *times, fault) if send.asks or fault else spent.charged_ns

        def finish_late(spent: Cost) -> Reply | int:
            """Return `finish` of a timeout, with what was missing, or of memory that it has filled since."""
            try:
                self._ending.check_memory()
            except MalformedReply as filled:
                return finish(spent, filled)
            unread = self.connection.unread
            fault = timeout_fault(self.seat, send, spent.charged_ns, unread, bool(rest))
            if self.stderr.is_full:
                fault = MalformedReply(fault.kind, f"{fault.reason}; {FULL}", fault.reply)
            return finish(spent, fault)

        while True:
            account.due = account.start + min(look, at_most, glance)
            if self._errors_at:
                account.due = min(account.due, self._errors_at)
            # Rounded up: waking early would only mean waiting again.
            events = self._watch.poll(max(0, -((_now() - account.due) // MS)))
            ready = {descriptor for descriptor, _ in events}
            errors = self._read_errors(ready, DURING if send.asks else SINCE)
            reads = bool(rest) and self._stdin in ready
            try:
                if reads:
                    rest = rest[os.write(self._stdin, rest) :]
                    if not rest:
                        self._watch.unregister(self._stdin)
                if ready & {self._stdout, self._process}:
                    more = self._read_output()
                    if answers := self.connection.take(send.replies):
                        spent = measure_cost(answered=True)
                        if spent.cpu_ns > FILLING_NS or start >= self._next_look:
                            self._check_memory_now(start)
                        if send.asks:
                            self.stderr.mark_output(DURING)
                            if self.connection.notebook.open:
                                self.connection.notebook.seal(self.stderr.requests)
                        return finish(spent, None, answers[-1])
                    if self._ended or (self._process in ready and not more):
                        # The cost first: determining how a process ended may take a while.
                        return finish(measure_cost(answered=True), self._crash("closed its standard output"))
                account.note_wake(output=bool(ready), held_up=reads or errors >= CHUNK)
                if _now() - account.start >= glance:
                    self._ending.check_memory()
            except MalformedReply as fault:
                return finish(measure_cost(answered=True), self._output_fault(fault))
            except BrokenPipeError:
                return finish(measure_cost(answered=True), self._crash("closed its standard input"))
            if (passed := _now() - account.start) >= glance:
                if passed >= FIRST_READING_NS:
                    account.watch_others()
                    passed = measure_cost().wall_ns
                glance = passed + min(max(passed, self._first_look_ns), LONGEST_LOOK_NS)
                disturbed += check_background_bots(self.others)
                if defied := fault_of_stopped_bot(self.others):
                    # It may have the core for long even when it is killed: no bot is judged by that time.
                    return finish(measure_cost(), defied)
            if _now() - account.start < look:
                continue
            spent = measure_cost()
            least = max(spent.cpu_ns, spent.adjusted_ns - account.unreported_ns)
            if spent.charged_ns > allowed and least > allowed:
                return finish_late(spent)
            if spent.wall_ns >= cap:
                judged, taken = account.cost_by_others(spent)
                if judged.adjusted_ns > allowed:
                    # Under `clock: cpu` a sleeping bot is ended here, by what it would have used.
                    return finish_late(judged._replace(charged_ns=judged.adjusted_ns))
                if account.ready or spent.wall_ns >= 2 * cap:
                    got = f"the bot in seat {self.seat} got too little of the machine"
                    others = "" if taken is None else f": others took {taken / 1e9:.1f} s of its cores"
                    raise VoidMatch(f"{got} in {spent.wall_ns / 1e9:.0f} s to be judged{others}")
                # It sleeps, which is charged, so its time will end soon.
                at_most = 2 * cap
            sure = least if spent.charged_ns > allowed else spent.charged_ns
            look = spent.wall_ns + max(LOOK_AGAIN_NS, allowed - sure)

    def _judged_cost(self, send: Send, account: Account, spent: Cost, disturbed_ns: int) -> Cost:
        """Return the cost of an exchange over its limit by the match's clock but not by adjusted time.

        `disturbed_ns`: the CPU time of other bots at the table. VoidMatch if other processes took more than
        the possible error of the accounts of cores; less is not charged, since a bot could cause it.
        """
        allowed = send.allowed_ns[self.seat]
        cleared, taken = account.cost_by_others(spent)
        if cleared.adjusted_ns > allowed:
            return cleared
        if self._image and self._meter.image != self._image:
            # It has executed another program, and so may have a main thread with other delays.
            return spent
        caused_here = send.starting or 2 * disturbed_ns > spent.wall_ns - spent.adjusted_ns
        if caused_here or taken is None or spent.charged_ns - allowed <= account.doubtful_ns:
            return spent._replace(charged_ns=spent.adjusted_ns)
        raise VoidMatch(f"a timeout of {spent.wall_ns / 1e6:.0f} ms was our machine's delay")

    def _read_errors(self, ready: set[int], when: str) -> int:
        """Read standard error if `ready`; after a small part ignore it for `ERRORS_NS`. Return the size."""
        if self._errors_at and _now() >= self._errors_at:
            self._errors_at = 0
            self._watch.modify(self.stderr.descriptor, select.POLLIN)
        if self.stderr.descriptor not in ready:
            return 0
        before = self.stderr.seen
        if not self.stderr.mark_output(when):
            self._errors_at = 0
            self._watch.unregister(self.stderr.descriptor)
        elif self.stderr.seen - before < HALF_FULL:
            self._errors_at = _now() + ERRORS_NS
            self._watch.modify(self.stderr.descriptor, 0)
        return self.stderr.seen - before

    def _check_memory_now(self, now: int) -> None:
        """Check its memory as `Ending.check_memory`; the next check is due after `LOOK_AT_MEMORY_NS`."""
        self._next_look = now + LOOK_AT_MEMORY_NS
        self._ending.check_memory()

    def _resume_if_stopped(self) -> None:
        if self.presence.stopped or self._cells[self._stopped]:
            self._resume_bot()

    def _resume_bot(self) -> None:
        """Clear the mark that it is stopped, and continue its processes."""
        self._cells[self._stopped] = 0
        self.presence.resume()

    def _read_output(self) -> bool:
        """Read at most 64 KiB of the bot's output; False if nothing came, or its end."""
        try:
            chunk = _read(self._stdout, CHUNK)
        except BlockingIOError:
            return False
        if chunk:
            self.connection.feed(chunk)
        else:
            self._ended = True
        return bool(chunk)

    def _crash(self, manner: str) -> MalformedReply:
        """Wait for its exit, and return the fault; see `Ending.crash_fault`."""
        return self._ending.crash_fault(manner, self.connection.unread)

    def _output_fault(self, fault: MalformedReply) -> MalformedReply:
        """Return the fault of malformed output, after reading the output that follows it."""
        until = _now() + LAST_WORDS_NS
        with suppress(MalformedReply):
            while (left := until - _now()) > 0 and len(self.connection.buffer) < REPLY_LIMIT:
                if not self._poll_stdout(-(-left // MS)) or not self._read_output():
                    break
        return self._ending.output_fault(fault, self.connection.unread[:REPLY_LIMIT])
