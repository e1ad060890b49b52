"""One bot's pipes: an exchange is a write and its replies, against one absolute deadline.

Theory of operation. Nearly every exchange is answered within microseconds, so there is a short
path: write, wait 0.2 ms, read. If no reply has come by then, the meters are read and the long
path begins; the bot's use before is the difference from their last reading. Arming so short a
timer costs more than the whole exchange, so for a bot that has answered in time several times running
the wait is up to 5 ms instead, until it is slow again; a reply after 0.2 ms is then also charged by
the meters, against their last reading.

The long path (`slow_exchange`) watches everything at once: the pipes, and the end of the process.

A bot that computes while another one is to move is stopped until its next command, and loses if it does so
for long (`background_cpu`). The forkserver knows whose turn it is, and serves no other bot.
"""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from arbiter.errors import MalformedReply
from arbiter.match.clock import MS, SECOND
from arbiter.match.exchange import Reply
from arbiter.match.protocol import NONE, PLAIN
from arbiter.match.record import Fault
from arbiter.sandbox.forkserver.board import replied_cell
from arbiter.sandbox.stderr import DURING, SINCE
from arbiter.table.background_cpu import stop_background_bots
from arbiter.table.exchange_cost import (
    BRISK_WAIT_NS,
    FIRST_WAIT_NS,
    answer_waited_ns,
    cost_of,
    first_wait_was_stopped,
)
from arbiter.table.slow_exchange import FILLING_NS, SlowPathChannel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.games.game import Seat
    from arbiter.match.exchange import Send
    from arbiter.match.spec import Limits
    from arbiter.sandbox.launcher import BotProcess, End, Launcher

FIRST_WAIT = FIRST_WAIT_NS / SECOND
BRISK = 8
"""Consecutive replies within `FIRST_WAIT_NS` after which a bot is brisk, with a longer first wait."""
BRISK_WAIT_MS = BRISK_WAIT_NS // MS
SMALL = 256
"""Bytes of the first read: replies are short, and Python allocates small objects without malloc."""
_now, _read, _write = time.monotonic_ns, os.read, os.write
_tuple = tuple.__new__


class Channel(SlowPathChannel):
    """The referee's end of one bot; used by one thread, closed by `close`."""

    # For speed: beyond 30 attributes Python's lookup is slower.
    __slots__ = ("_begun", "_brisk", "_is_closed", "_launcher", "_outputs", "_replied", "_turn", "answered",
                 "sent_ns", "start_cpu_ns")  # fmt: skip

    def __init__(
        self,
        seat: Seat,
        process: BotProcess,
        launcher: Launcher,
        limits: Limits,
        away_ns: Callable[[], int] = int,
    ) -> None:
        super().__init__(seat, process, launcher, limits, away_ns)
        self.start_cpu_ns = 0
        """CPU time of its start, up to the first reply."""
        self.answered = False
        """True once its first reply has come."""
        self.sent_ns = 0
        """When the last exchange began, on the monotonic clock; 0 if a fault came before that."""
        self._launcher = launcher
        self._turn, self._replied = process.place + 1, replied_cell(process.place)
        self._begun = self._is_closed = False
        self._outputs = select.poll()
        for descriptor in (self._stdout, self.stderr.descriptor):
            self._outputs.register(descriptor, select.POLLIN)
        # Consecutive quick replies, to news and to requests: a bot may be quick at only one of them.
        self._brisk = [0, 0]

    def exchange(self, send: Send) -> Reply | int:
        """Write and wait: a Reply, with any fault in it, or the cost of news; VoidMatch if not judgeable."""
        _, payload, wanted, _, asks, starting = send
        if not self._begun:
            return self._begin(send)
        connection, presence = self.connection, self.presence
        # Indexing by a bool is slow.
        answered_at_once = self._brisk[1] if asks else self._brisk[0]
        is_brisk = answered_at_once >= BRISK
        start = 0
        try:
            if asks:
                # One call for both: polling standard error separately would cost 1 % of a quick match.
                if unread := self._outputs.poll(0):
                    self._read_unasked(unread)
                self.stderr.begin_request()
            if connection.buffer and (stale := connection.unasked_output()):
                shown = "output that nothing asked for stood unread"
                raise MalformedReply(Fault.OUT_OF_TURN, shown, stale)
            if presence.wary:
                if fault := presence.defiance_fault:
                    raise fault
                self._base = self._meter.read()
            if not answered_at_once:
                # It has not answered at once the last time, so it may think now.
                stop_background_bots(self.others)
            self._cells[0] = self._turn
            self.sent_ns = start = _now()
            try:
                written = _write(self._stdin, payload)
            except BlockingIOError:
                written = 0
            if not is_brisk:
                # Not before its clock runs.
                self._resume_if_stopped()
            if written == len(payload):
                try:
                    # A brisk bot on this core has usually answered by now; a starting one has not.
                    ready = is_brisk or starting or self._answers_at_once(asks)
                    chunk = _read(self._stdout, SMALL) if ready else None
                except BlockingIOError:
                    # Not checked earlier, for speed: a stopped bot has not answered.
                    self._resume_if_stopped()
                    chunk = None
                    # Reported bytes may be gone, nevertheless: then the long path waits for others.
                    with suppress(BlockingIOError):
                        chunk = _read(self._stdout, SMALL) if self._poll_stdout(BRISK_WAIT_MS) else None
                if chunk is not None:
                    wall = cost = _now() - start
                    if wall > FIRST_WAIT_NS:
                        self._brisk[asks] = 0
                        before = self._base, self.stopped_ns
                        cost = self._slow_answer_cost(send, wall)
                    if chunk == PLAIN and wanted == 1 and not connection.buffer and not asks:
                        return cost
                    if answer := connection.receive(chunk, wanted):
                        if not asks:
                            return cost
                        if start >= self._next_look:
                            self._check_memory_now(start)
                        if self.stderr.talks:
                            self.stderr.mark_output(DURING)
                        if connection.notebook.open:
                            connection.notebook.seal(self.stderr.requests)
                        return _tuple(Reply, (answer, wall, cost, 0, wall - cost, None))
                    self._ended = not chunk
                    if wall > FIRST_WAIT_NS:
                        # The long path counts it all again.
                        self._base, self.stopped_ns = before
            self._brisk[asks] = 0
            return self._wait_for_replies(send, start, written)
        except MalformedReply as fault:
            self.sent_ns = start  # still 0 before anything was sent
            wall = _now() - start if start else 0
            return Reply(NONE, wall, wall, fault=self._output_fault(fault))
        except BrokenPipeError:
            wall = _now() - start
            return Reply(NONE, wall, wall, fault=self._crash("closed its standard input"))

    def _begin(self, send: Send) -> Reply | int:
        """Do the first exchange, after which the bot starts no process."""
        self._begun = True
        reply = self._start(send) if send.starting else self.exchange(send)
        self._cells[self._replied] = 1
        return reply

    def _start(self, send: Send) -> Reply | int:
        """Do the first exchange, and record the CPU time up to its end as the bot's start."""
        self._base = before = self._meter.read()
        reply = self.exchange(send)
        self.answered = not isinstance(reply, Reply) or reply.fault is None
        if self._base is before:
            # The meters are not read yet: it has answered at once, or not at all.
            self._base = self._meter.read()
        self.stderr.end_start()
        # Including finished children, such as those of a script that finds the interpreter.
        self.start_cpu_ns = self._base.cpu_ns + self._meter.children_ns
        self._image = self._meter.image
        self.presence.awake = True
        return reply

    def _answers_at_once(self, asks: bool) -> bool:
        """Wait `FIRST_WAIT` at most. Return True for output, and count that as a quick reply."""
        come = bool(select.select((self._stdout,), (), (), FIRST_WAIT)[0])
        self._brisk[asks] += come
        if self._brisk[asks] == BRISK:
            self._base = self._meter.read()
        return come

    def _slow_answer_cost(self, send: Send, wall: int) -> int:
        """Read the meters; return the cost of a brisk bot's answer that took longer than `FIRST_WAIT_NS`.

        The bot or the referee may have waited for the core, so the meters are compared with their last
        reading; all exchanges since then were answered at once, so the difference is mostly this one.
        """
        base, seen = self._base, _now()
        waited = 0 if base is None else answer_waited_ns(self._meter, self._meter.own_ns - base.own_ns, seen)
        self._base = self._meter.read()
        if base is None:
            return wall
        self.presence.ignore_until(self._base.cpu_ns)
        if self._base.cpu_ns - base.cpu_ns > FILLING_NS:
            self._check_memory_now(_now())
        own = self._base.own_ns - base.own_ns
        if first_wait_was_stopped(wall, own):
            # A bot can make us wait for a pipe's lock while it computes.
            used = min(wall, max(FIRST_WAIT_NS, self._base.cpu_ns - base.cpu_ns))
            self.stopped_ns += wall - used
            return used
        delay = self._base.delay_ns - base.delay_ns + waited
        spent = cost_of(self._kind, wall, self._base.cpu_ns - base.cpu_ns, delay)
        # An immediate answer is not a timeout: the referee was late.
        late = spent.charged_ns > send.allowed_ns[self.seat]
        return max(FIRST_WAIT_NS, spent.adjusted_ns if late else spent.charged_ns)

    def say_goodbye(self, grace_seconds: float) -> End | None:
        """Send ``quit`` and wait for the program to end. Return how it ended, None if it lives."""
        self._cells[0] = self._turn
        self._resume_bot()
        with suppress(OSError):
            os.write(self._stdin, b"quit\n")
        return self._launcher.wait(self.pid, grace_seconds)

    def close(self) -> None:
        """Read the rest of standard error, and close all descriptors; further calls do nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        self.stderr.mark_output(SINCE)
        self._meter.close()
        for descriptor in (self._stdin, self._stdout, self.stderr.descriptor):
            os.close(descriptor)

    def _read_unasked(self, unread: Sequence[tuple[int, int]]) -> None:
        """Read output since the last request; MalformedReply for any on standard output."""
        for descriptor, _ in unread:
            if descriptor == self._stdout:
                self._read_output()
            elif not self.stderr.mark_output(SINCE):
                self._outputs.unregister(descriptor)
