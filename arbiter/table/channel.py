"""One bot's pipes: an exchange is a write and its replies, against one absolute deadline.

Theory of operation. Nearly every exchange is answered within microseconds, so there is a short
path: write, wait 0.2 ms, read. If no reply has come by then, the meters are read and the long
path begins; what the bot used before is the difference from their last reading. Arming so short a
timer costs more than the whole exchange, so a bot that has answered in time several times running
is waited for up to 5 ms instead, until it is slow again; a reply after 0.2 ms is then charged by
the meters, too, against their last reading.

The long path watches everything at once: the pipes, and the end of the process. A delay is known
only when it is over, so nobody loses by wall time alone: while a bot is runnable and its CPU time
is under the limit, the meters are read again. A hard limit on wall time ends that: beyond it the
exchange is a timeout if the adjusted time is over the limit, else the match is void.

A bot that computes while another one is to move is stopped until its next command, and loses if it does so
for long (`presence`). The slim process learns who is spoken to, and answers no other bot's questions.
"""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from arbiter.clock import MS, SECOND, ClockKind
from arbiter.errors import MalformedReply, VoidMatch
from arbiter.exchange import Reply, timeout
from arbiter.match import Fault
from arbiter.protocol import NONE, PLAIN, REPLY_LIMIT, Answer, Connection
from arbiter.table.account import (
    BRISK_WAIT_NS,
    FIRST_WAIT_NS,
    Account,
    Cost,
    cost_of,
    first_wait_was_stopped,
)
from arbiter.table.ending import Ending
from arbiter.table.forkserver.board import stopped_cell
from arbiter.table.meter import Meter, MeterReading
from arbiter.table.presence import Presence, defiance_of, hush, look_at
from arbiter.table.stderr import CHUNK, DURING, SINCE, StandardError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.exchange import Send
    from arbiter.match import Limits
    from arbiter.rules import Seat
    from arbiter.table.launcher import BotProcess, End, Launcher

FIRST_WAIT = FIRST_WAIT_NS / SECOND
BRISK = 8
"""Replies within `FIRST_WAIT_NS`, one after another, that make a bot brisk: it is waited for longer."""
BRISK_WAIT_MS = BRISK_WAIT_NS // MS
FIRST_LOOK_NS, LONGEST_LOOK_NS = MS, 100 * MS
"""While a bot thinks, when to look first whether others compute, and how often at least."""
FIRST_LOOK_AT_FAMILIES_NS = 10 * MS
"""The first where they may have children, which takes longer to see."""
FIRST_READING_NS = 50 * MS
"""From when on the meters are read, too, whenever it looks."""
DISTURBED_NS = 5 * MS
"""A referee that had to wait so long for the core looks who had it."""
LOOK_AGAIN_NS = MS
LOOK_AT_MEMORY_NS, FILLING_NS = 20 * MS, MS
"""From look to look at a bot's memory, after an answer; one that has computed for so long is looked at after
each."""
LAST_WORDS_NS = 30 * MS
"""For more of a text that is no reply: it may tell why the program failed."""
SMALL = 256
"""Bytes of the first read: a reply is short, and Python makes so small an object without malloc."""
_now, _read, _write = time.monotonic_ns, os.read, os.write
_tuple = tuple.__new__


class Channel:
    """The referee's end of one bot; used by one thread, closed by `close`."""

    # Not only to say what there is: beyond 30 attributes Python finds each more slowly.
    __slots__ = (
        "_base", "_brisk", "_cells", "_ended", "_ending", "_first_look_ns", "_image", "_is_closed", "_kind",
        "_launcher", "_meter", "_next_look", "_outputs", "_poll_stdout", "_process", "_starting", "_stdin",
        "_stdout", "_stopped", "_turn", "_watch", "_watching", "answered", "connection", "others", "pid",
        "presence", "seat", "start_cpu_ns", "stderr", "stopped_ns",
    )  # fmt: skip

    def __init__(self, seat: Seat, process: BotProcess, launcher: Launcher, limits: Limits) -> None:
        self.seat = seat
        self.pid, self._stdin, self._stdout, stderr, self._process, board, place = process
        self._cells, self._turn, self._stopped = board.cells, place + 1, stopped_cell(place)
        self.connection = Connection()
        self.stderr = StandardError(stderr)
        self.start_cpu_ns = 0
        """CPU time of its start, up to the first reply."""
        self.answered = False
        """True once its first reply has come."""
        self.stopped_ns = 0
        """The time for which the referee was stopped while it waited for this bot."""
        self._launcher = launcher
        self._kind = ClockKind(limits.clock)
        # Every other tier allows child processes.
        family = limits.isolation != "landlock"
        self._meter = Meter(self.pid, family, board, place)
        self._first_look_ns = FIRST_LOOK_AT_FAMILIES_NS if family else FIRST_LOOK_NS
        self._ending = Ending(launcher, self.pid, self._meter, self.stderr, limits.memory_bytes)
        self._base: MeterReading | None = None
        self._watching = self._starting = self._ended = False
        self._watch = select.poll()
        peek = select.poll()
        peek.register(self._stdout, select.POLLIN)
        self._poll_stdout = peek.poll
        self._outputs = select.poll()
        for descriptor in (self._stdout, stderr):
            self._outputs.register(descriptor, select.POLLIN)
        # Quick replies in a row, to news and to requests: a bot may be quick at one of them only.
        self._brisk = [0, 0]
        self.presence = Presence(seat, self.pid, self._meter)
        self.others: Sequence[Presence] = ()
        """The other bots at the table."""
        self._image: tuple[bytes, ...] = ()
        self._next_look = 0
        """The moment of the next look at its memory, on the monotonic clock in ns."""
        self._is_closed = False

    def exchange(self, send: Send) -> Reply | int:
        """Write, and wait for the replies; the cost alone for news. VoidMatch if it cannot be judged."""
        _, payload, wanted, _, asks, starting = send
        if starting and not self._starting:
            return self._start(send)
        connection, presence = self.connection, self.presence
        # Not by the truth value itself, as an index of which Python is slow.
        answered_at_once = self._brisk[1] if asks else self._brisk[0]
        is_brisk = answered_at_once >= BRISK
        start = 0
        try:
            if asks:
                # One call for both: a look at standard error alone would cost 1 % of a quick match.
                if unread := self._outputs.poll(0):
                    self._read_unasked(unread)
                self.stderr.requests += 1
            if connection.buffer and (stale := connection.stale()):
                shown = "output that nothing asked for stood unread"
                raise MalformedReply(Fault.OUT_OF_TURN, shown, stale)
            if presence.wary:
                if fault := presence.defiance:
                    raise fault
                self._base = self._meter.read()
            if not answered_at_once:
                # It has not answered at once the last time: now it may think, too.
                hush(self.others)
            self._cells[0] = self._turn
            start = _now()
            try:
                written = _write(self._stdin, payload)
            except BlockingIOError:
                written = 0
            if not is_brisk:
                # Only now that its clock runs.
                self._resume_if_stopped()
            if written == len(payload):
                try:
                    # A brisk bot on our own core has mostly answered before we get here; who starts has not.
                    ready = is_brisk or starting or self._answers_at_once(asks)
                    chunk = _read(self._stdout, SMALL) if ready else None
                except BlockingIOError:
                    # Looked at no earlier where that is quick: one that is stopped has answered nothing.
                    self._resume_if_stopped()
                    chunk = None
                    # Bytes that were announced may be gone all the same: then the long path waits for others.
                    with suppress(BlockingIOError):
                        chunk = _read(self._stdout, SMALL) if self._poll_stdout(BRISK_WAIT_MS) else None
                if chunk is not None:
                    wall = cost = _now() - start
                    if wall > FIRST_WAIT_NS:
                        self._brisk[asks] = 0
                        cost = self._late_cost(send, wall)
                    if chunk == PLAIN and wanted == 1 and not connection.buffer and not asks:
                        return cost
                    if answer := connection.receive(chunk, wanted):
                        if not asks:
                            return cost
                        if start >= self._next_look:
                            self._look_at_memory(start, tables=False)
                        if self.stderr.talks:
                            self.stderr.mark(DURING)
                        return _tuple(Reply, (answer, wall, cost, 0, wall - cost, None))
                    self._ended = not chunk
            self._brisk[asks] = 0
            return self._wait(send, start, written)
        except MalformedReply as fault:
            wall = _now() - start if start else 0
            return Reply(NONE, wall, wall, fault=self._explained(fault))
        except BrokenPipeError:
            wall = _now() - start
            return Reply(NONE, wall, wall, fault=self._crash("closed its standard input"))

    def _start(self, send: Send) -> Reply | int:
        """The first exchange: what the program has used by its end was its start."""
        self._starting = True
        self._base = before = self._meter.read()
        reply = self.exchange(send)
        self.answered = not isinstance(reply, Reply) or reply.fault is None
        if self._base is before:
            # It has answered at once, or not at all: else the exchange has read them at its end.
            self._base = self._meter.read()
        self.stderr.end_start()
        # With the children that it has waited for, such as those of a script that finds the interpreter.
        self.start_cpu_ns = self._base.cpu_ns + self._meter.children_ns
        self._image = self._meter.image
        self.presence.awake = True
        return reply

    def _answers_at_once(self, asks: bool) -> bool:
        """True if something came within the first wait, which is counted as a quick reply."""
        come = bool(select.select((self._stdout,), (), (), FIRST_WAIT)[0])
        self._brisk[asks] += come
        if self._brisk[asks] == BRISK:
            self._base = self._meter.read()
        return come

    def _late_cost(self, send: Send, wall: int) -> int:
        """The cost of a brisk bot's answer that took longer than `FIRST_WAIT_NS`.

        The bot or the referee may have waited for the core, so the meters are compared with their last
        reading; everything since then was answered at once, so they hold hardly anything else.
        """
        base, self._base = self._base, self._meter.read()
        if base is None:
            return wall
        self.presence.note(self._base.cpu_ns)
        if self._base.cpu_ns - base.cpu_ns > FILLING_NS:
            self._look_at_memory(_now(), tables=True)
        own = self._base.own_ns - base.own_ns
        if first_wait_was_stopped(wall, own):
            self.stopped_ns += wall - FIRST_WAIT_NS
            return FIRST_WAIT_NS
        delay = self._base.delay_ns - base.delay_ns + own
        spent = cost_of(self._kind, wall, self._base.cpu_ns - base.cpu_ns, delay)
        if spent.charged_ns > send.allowed_ns[self.seat] >= spent.adjusted_ns:
            # They may have taken some of it before this exchange, which then is in the bot's favour.
            spent = self._judged(send, spent, min(hush(self.others), wall))
        return max(FIRST_WAIT_NS, spent.charged_ns)

    def say_goodbye(self, grace_seconds: float) -> End | None:
        """Send ``quit`` and wait for the program to end; how it ended, None if it lives."""
        self._cells[0] = self._turn
        self._resume()
        with suppress(OSError):
            os.write(self._stdin, b"quit\n")
        return self._launcher.wait(self.pid, grace_seconds)

    def _look_at_memory(self, now: int, tables: bool) -> None:
        self._next_look = now + LOOK_AT_MEMORY_NS
        self._ending.check_memory(tables)

    def _resume_if_stopped(self) -> None:
        if self.presence.stopped or self._cells[self._stopped]:
            self._resume()

    def _resume(self) -> None:
        self._cells[self._stopped] = 0
        self.presence.resume()

    def close(self) -> None:
        """Read the rest of standard error, and close all descriptors; further calls do nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        self.stderr.mark(SINCE)
        self._meter.close()
        for descriptor in (self._stdin, self._stdout, self.stderr.descriptor):
            os.close(descriptor)

    def _wait(self, send: Send, start: int, written: int) -> Reply | int:
        """The long path, until the replies are there, the program ends, or its time is over."""
        self._resume_if_stopped()
        hush(self.others)
        account = Account(self._meter, self._kind, start, self._base)
        taken = 0
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

        def cost(answered: bool = False) -> Cost:
            nonlocal taken
            spent = account.cost(answered)
            self.presence.awake |= bool(self.connection.received)
            self.presence.note(account.last.cpu_ns)
            if account.late_ns > DISTURBED_NS:
                taken += look_at(self.others)
            self._base = account.last
            self.stopped_ns, account.stopped_ns = self.stopped_ns + account.stopped_ns, 0
            return spent

        def reply(spent: Cost, fault: MalformedReply | None, answer: Answer = NONE) -> Reply | int:
            if spent.charged_ns > allowed >= spent.adjusted_ns:
                disturbed = taken + look_at(self.others)
                if defied := defiance_of(self.others):
                    fault = defied
                else:
                    spent = self._judged(send, spent, disturbed)
            times = spent.wall_ns, spent.charged_ns, spent.cpu_ns, spent.delay_ns
            return Reply(answer, *times, fault) if send.asks or fault else spent.charged_ns

        def late(spent: Cost) -> Reply | int:
            unread = self.connection.buffer
            return reply(spent, timeout(self.seat, send, spent.charged_ns, unread, bool(rest)))

        while True:
            account.due = account.start + min(look, at_most, glance)
            # Rounded up: waking early would only mean waiting again.
            events = self._watch.poll(max(0, -((_now() - account.due) // MS)))
            ready = {descriptor for descriptor, _ in events}
            if self.stderr.descriptor in ready and not self.stderr.mark(DURING if send.asks else SINCE):
                self._watch.unregister(self.stderr.descriptor)
            try:
                if rest and self._stdin in ready:
                    rest = rest[os.write(self._stdin, rest) :]
                    if not rest:
                        self._watch.unregister(self._stdin)
                if ready & {self._stdout, self._process}:
                    more = self._read()
                    if answers := self.connection.take(send.replies):
                        spent = cost(answered=True)
                        if spent.cpu_ns > FILLING_NS or start >= self._next_look:
                            self._look_at_memory(start, tables=spent.cpu_ns > FILLING_NS)
                        if send.asks:
                            self.stderr.mark(DURING)
                        return reply(spent, None, answers[-1])
                    if self._ended or (self._process in ready and not more):
                        # The cost first: finding out how a process ended may take a while.
                        return reply(cost(answered=True), self._crash("closed its standard output"))
                if _now() - account.start >= glance:
                    self._ending.check_memory()
            except MalformedReply as fault:
                return reply(cost(answered=True), self._explained(fault))
            except BrokenPipeError:
                return reply(cost(answered=True), self._crash("closed its standard input"))
            if (passed := _now() - account.start) >= glance:
                if passed >= FIRST_READING_NS:
                    passed = cost().wall_ns
                glance = passed + min(max(passed, self._first_look_ns), LONGEST_LOOK_NS)
                taken += look_at(self.others)
                if defied := defiance_of(self.others):
                    # It may have the core for long even when it is killed: nobody is to be judged by that.
                    return reply(cost(), defied)
            if _now() - account.start < look:
                continue
            spent = cost()
            over = spent.charged_ns > allowed
            if over and (spent.cpu_ns > allowed or not self._meter.runnable):
                return late(spent)
            if spent.wall_ns >= cap:
                if spent.adjusted_ns > allowed:
                    # Under `clock: cpu` a sleeping bot is ended here, by what it would have used.
                    spent = spent._replace(charged_ns=spent.adjusted_ns)
                    return late(spent)
                if self._meter.runnable or spent.wall_ns >= 2 * cap:
                    got = f"the bot in seat {self.seat} got too little of the machine"
                    raise VoidMatch(f"{got} in {spent.wall_ns / 1e9:.0f} s to be judged")
                # It sleeps, which is charged: its time will soon be over.
                at_most = 2 * cap
            look = spent.wall_ns + max(LOOK_AGAIN_NS, allowed - spent.charged_ns)

    def _judged(self, send: Send, spent: Cost, disturbed_ns: int) -> Cost:
        """The cost of an exchange that is over its limit by the match's clock but not by adjusted time.

        VoidMatch if our machine took the time, `disturbed_ns` being what other bots took.
        """
        if self._image and self._meter.image != self._image:
            # It has executed another program, and so may have another main thread, with delays of its own.
            return spent
        if send.starting or 2 * disturbed_ns > spent.wall_ns - spent.adjusted_ns:
            return spent._replace(charged_ns=spent.adjusted_ns)
        raise VoidMatch(f"a timeout of {spent.wall_ns / 1e6:.0f} ms was our machine's delay")

    def _read_unasked(self, unread: Sequence[tuple[int, int]]) -> None:
        """Read what came since the last request; a fault, if it is a reply."""
        for descriptor, _ in unread:
            if descriptor == self._stdout:
                self._read()
            elif not self.stderr.mark(SINCE):
                self._outputs.unregister(descriptor)

    def _read(self) -> bool:
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
        return self._ending.crash(manner, self.connection.buffer)

    def _explained(self, fault: MalformedReply) -> MalformedReply:
        """The fault of output that is no reply, by that and by what has come since."""
        until = _now() + LAST_WORDS_NS
        with suppress(MalformedReply):
            while (left := until - _now()) > 0 and len(self.connection.buffer) < REPLY_LIMIT:
                if not self._poll_stdout(-(-left // MS)) or not self._read():
                    break
        return self._ending.of_output(fault, self.connection.buffer[:REPLY_LIMIT])
