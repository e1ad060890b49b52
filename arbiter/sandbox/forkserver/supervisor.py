"""Answers to system calls of bots that a filter cannot judge.

A filter sees numbers, and cannot know what they mean for a process. So some calls stop until this process has
looked: whose thread a number names, how many threads there are, whose end a thread waits for. Calls that are
refused come here, too, and are kept for the record, so that a bot's author learns why it failed.

A bot's questions are answered while it is spoken to, and their time counts as its own. One that asks while
another is to move is stopped: neither the core is its own then nor this process.

A call may go on only if what decided is a number in its arguments, which the bot can no longer change. It
can change its memory at any time, so nothing read there decides what is allowed.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from arbiter.sandbox.forkserver.board import ANYBODY, spent_cell, stopped_cell
from arbiter.sandbox.forkserver.numbering import thread_from
from arbiter.sandbox.forkserver.questions import is_thread, receive
from arbiter.sandbox.forkserver.waits import FUTEX_COMMAND, FUTEX_WAIT, FUTEX_WAIT_BITSET, Waits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.sandbox.forkserver.board import Board
    from arbiter.sandbox.forkserver.questions import Question

FIRST_CORE = struct.Struct("=Q")
"""A set of cores."""
SYSINFO = struct.Struct("=q3Q6QHHI2QII")
MOST_THREADS = 256
"""Of a bot at once, so that all bots together stay below the limit of their user."""
MOST_CHANNELS = 64
"""Pipes and socket pairs that a bot makes in a match: the kernel numbers them for all processes together."""
MOST_ALARMS = 16
"""Timers that a bot makes in a match: the kernel works for them while others compute."""
AF_UNIX = 1
# CLONE_VM, FS, FILES, SIGHAND, THREAD: a thread shares all of these, or each would have limits of its own.
OF_A_THREAD = 0x1_0F00
# CLONE_DETACHED, SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID, CHILD_SETTID.
ALSO_OF_A_THREAD = 0x17C_0000
PRIO_PROCESS, NOT_NICE = 0, 20
"""Of a nice value, the kernel tells how much it is less than 20."""
LONGEST_SECONDS = 3600.0
BURST, PER_SECOND = 4000, 4000
"""Questions of one bot that are answered at once, and per second after that."""
PAUSE_SECONDS = 0.001


class Supervised:
    """One bot that is supervised."""

    def __init__(
        self,
        pid: int,
        place: int,
        calls: dict[str, int],
        errors: list[tuple[int, int]],
        memory_bytes: int,
        namespace: int | None = None,
    ) -> None:
        """`namespace`: that of its threads' numbers (open), if it has one of its own."""
        self.pid, self.place = pid, place
        self.names = {number: name for name, number in calls.items()}
        self.errors = dict(errors)
        self.memory_bytes = memory_bytes
        self.namespace = namespace
        self.refused: dict[int, None] = {}
        self.channels = self.alarms = 0
        self.credit, self.credited = float(BURST), time.monotonic()

    def refuse(self, number: int) -> int:
        """Record that a call was refused; the number of its error."""
        self.refused[number] = None
        return self.errors.get(number, errno.EPERM)

    def thread_here(self, thread: int) -> int:
        """The number here of one of its threads, which it calls by this number; 0 if it has none such.

        OSError where it has a namespace of its own and the kernel does not tell (Linux < 6.11).
        """
        try:
            here = thread if self.namespace is None else thread_from(self.namespace, thread)
        except ProcessLookupError:
            return 0
        return here if is_thread(self.pid, here) else 0

    def has(self, thread: int) -> bool:
        """True if it has a thread of this number."""
        try:
            return self.thread_here(thread) > 0
        except OSError:
            return True  # the kernel looks in its namespace alone


class Supervisor:
    """Answers all bots of one match, between the requests of the worker."""

    def __init__(self, worker: int, board: Board) -> None:
        self._worker = worker
        self._cells = board.cells
        self._poll = select.poll()
        self._poll.register(worker, select.POLLIN)
        self._coming: dict[int, tuple[socket.socket, Supervised]] = {}
        self._bots: dict[int, Supervised] = {}
        """By listener: the descriptor on which a bot's questions arrive."""
        self._paused: dict[int, float] = {}
        """Listeners that are not heard until then."""
        self._waits = Waits(self._poll)

    def expect(self, connection: socket.socket, bot: Supervised) -> None:
        """A bot will send its listener on this connection before it executes its program."""
        self._coming[connection.fileno()] = connection, bot
        self._poll.register(connection, select.POLLIN)

    def forget(self) -> None:
        """Drop all bots, which have ended."""
        for connection, _ in self._coming.values():
            self._poll.unregister(connection)
            connection.close()
        self._waits.clear()
        for listener in self._bots:
            if listener not in self._paused:
                self._poll.unregister(listener)
            os.close(listener)
        self._coming, self._bots, self._paused = {}, {}, {}

    def serve(self, seconds: float | None = None) -> bool:
        """Answer until the worker sends something, which is True, or the time is over."""
        until = None if seconds is None else time.monotonic() + seconds
        self._billed_ns = time.thread_time_ns()
        while True:
            events = dict(self._poll.poll(self._milliseconds(until)))
            for descriptor, event in events.items():
                self._hear(descriptor, event)
            self._end_pauses()
            self._look_at_waits(events)
            if self._worker in events:
                return True
            if until is not None and time.monotonic() >= until:
                return False

    def _look_at_waits(self, events: Mapping[int, int]) -> None:
        """End the waits that are over; those of bots that may not ask wait on."""
        if self._waits.look(events, self._asking(), self._bots) and self._cells[0] != ANYBODY:
            self._bill(self._cells[0] - 1)

    def _asking(self) -> set[int]:
        """The listeners whose questions are answered now."""
        return {listener for listener, bot in self._bots.items() if self._may_ask(bot.place)}

    def _milliseconds(self, until: float | None) -> float | None:
        """Return the wait for an event; None for ever."""
        waits = self._waits.dues(self._asking(), self._bots)
        dues = [*self._paused.values(), *waits, *(() if until is None else (until,))]
        left = min(dues) - time.monotonic() if dues else None
        return None if left is None else min(max(0.0, left), LONGEST_SECONDS) * 1000

    def _hear(self, descriptor: int, event: int) -> None:
        if descriptor in self._coming:
            self._take_listener(descriptor)
        elif descriptor in self._bots:
            if event & select.POLLIN:
                self._answer(descriptor)
                self._bill(self._bots[descriptor].place)
            else:
                # Nobody is left who could ask.
                self._poll.unregister(descriptor)
                del self._bots[descriptor]
                os.close(descriptor)

    def _take_listener(self, descriptor: int) -> None:
        connection, bot = self._coming.pop(descriptor)
        self._poll.unregister(descriptor)
        with connection, suppress(OSError):
            _, received, _, _ = socket.recv_fds(connection, 1, 1)
            for listener in received:
                self._bots[listener] = bot
                self._poll.register(listener, select.POLLIN)

    def _answer(self, listener: int) -> None:
        bot = self._bots[listener]
        if not self._may_ask(bot.place):
            self._stop(listener, bot)
            return
        if not self._has_credit(listener, bot):
            return
        try:
            question = receive(listener)
        except OSError:
            return
        self._waits.abandon(question)
        try:
            if bot.names.get(question.number) == "futex":
                error = self._wait_for_thread(bot, question)
            elif handle := HANDLERS.get(bot.names.get(question.number, "")):
                error = handle(bot, question)
            else:
                error = bot.refuse(question.number)
        except (OSError, ValueError, OverflowError, struct.error):
            # Whatever a bot has put into its memory must not end the supervisor of the others.
            error = errno.EFAULT
        if error is not None:
            question.answer(error)

    def _bill(self, place: int) -> None:
        """Let a bot pay for this process's time since somebody paid."""
        before, self._billed_ns = self._billed_ns, time.thread_time_ns()
        self._cells[spent_cell(place)] += self._billed_ns - before

    def _may_ask(self, place: int) -> bool:
        """True if the bot at a place is spoken to, or nobody in particular is."""
        return self._cells[0] in (ANYBODY, place + 1)

    def _stop(self, listener: int, bot: Supervised) -> None:
        """Stop a bot that asks while another is spoken to; its call is made again when it goes on."""
        self._cells[stopped_cell(bot.place)] = 1
        send_signal(bot.pid, signal.SIGSTOP)
        if self._cells[0] == bot.place + 1:
            # It was spoken to just now, perhaps before the worker could see that it is stopped.
            self._cells[stopped_cell(bot.place)] = 0
            send_signal(bot.pid, signal.SIGCONT)
        # The question is there until each of its threads has had the core.
        self._pause(listener)

    def _pause(self, listener: int) -> None:
        self._poll.unregister(listener)
        self._paused[listener] = time.monotonic() + PAUSE_SECONDS

    def _has_credit(self, listener: int, bot: Supervised) -> bool:
        """Use up a bot's credit by one question; False if there is none, and the bot is heard later."""
        now = time.monotonic()
        bot.credit = min(BURST, bot.credit + (now - bot.credited) * PER_SECOND)
        bot.credited = now
        if bot.credit >= 1:
            bot.credit -= 1
            return True
        self._pause(listener)
        return False

    def _end_pauses(self) -> None:
        now = time.monotonic()
        for listener in [listener for listener, due in self._paused.items() if due <= now]:
            del self._paused[listener]
            self._poll.register(listener, select.POLLIN)

    def _wait_for_thread(self, bot: Supervised, question: Question) -> int | None:
        if question.arguments[1] & FUTEX_COMMAND not in (FUTEX_WAIT, FUTEX_WAIT_BITSET):
            return bot.refuse(question.number)
        thread = 0
        with suppress(OSError):
            # The word is the number of the thread that is waited for, if it is one.
            thread = bot.thread_here(question.arguments[2] & 0x7FFF_FFFF)
        return self._waits.begin(thread, question)


def send_signal(pid: int, number: int) -> None:
    """Send a signal to a process, if there is one."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _start_thread(bot: Supervised, question: Question) -> int:
    flags = question.arguments[0]
    if flags & OF_A_THREAD != OF_A_THREAD or flags & ~(OF_A_THREAD | ALSO_OF_A_THREAD):
        return bot.refuse(question.number)
    try:
        threads = os.stat(f"/proc/{bot.pid}/task").st_nlink - 2
    except OSError:
        threads = MOST_THREADS
    return errno.EAGAIN if threads >= MOST_THREADS else 0


def _make_channel(bot: Supervised, question: Question) -> int:
    if bot.names[question.number] == "socketpair" and question.arguments[0] & 0xFFFF_FFFF != AF_UNIX:
        return bot.refuse(question.number)
    bot.channels += 1
    return errno.EMFILE if bot.channels > MOST_CHANNELS else 0


def _make_alarm(bot: Supervised, _: Question) -> int:
    bot.alarms += 1
    return errno.EMFILE if bot.alarms > MOST_ALARMS else 0


def _use_thread(bot: Supervised, question: Question) -> int:
    return 0 if bot.has(question.arguments[0] & 0x7FFF_FFFF) else errno.ESRCH


def _tell_core(bot: Supervised, question: Question) -> int | None:
    """The first core, whichever it is: a bot has one."""
    thread, size, address, *_ = question.arguments
    if thread & 0xFFFF_FFFF and not bot.has(thread & 0x7FFF_FFFF):
        return errno.ESRCH
    if size & 0xFFFF_FFFF < FIRST_CORE.size or size % FIRST_CORE.size:
        return errno.EINVAL
    question.write(address, FIRST_CORE.pack(1))
    question.pretend(FIRST_CORE.size)
    return None


def _tell_priority(bot: Supervised, question: Question) -> int | None:
    """That of a season's match, whatever this one is."""
    kind, thread = (argument & 0xFFFF_FFFF for argument in question.arguments[:2])
    if kind != PRIO_PROCESS:
        return bot.refuse(question.number)
    if thread and not bot.has(thread & 0x7FFF_FFFF):
        return errno.ESRCH
    question.pretend(NOT_NICE)
    return None


def _tell_memory(bot: Supervised, question: Question) -> int | None:
    """The bot's limit as the machine's memory: programs adapt to it, and others' use stays hidden."""
    limit = bot.memory_bytes
    # struct sysinfo: uptime, loads, memory (total, free, shared, buffers), swap, processes, high memory.
    answer = SYSINFO.pack(int(time.monotonic()), 0, 0, 0, limit, limit, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)
    try:
        question.write(question.arguments[0], answer)
    except (OSError, OverflowError):
        return errno.EFAULT
    question.pretend()
    return None


HANDLERS: dict[str, Callable[[Supervised, Question], int | None]] = {
    "clone": _start_thread,
    "sysinfo": _tell_memory,
    **dict.fromkeys(("pipe", "pipe2", "socketpair"), _make_channel),
    "timerfd_create": _make_alarm,
    **dict.fromkeys(("sched_getscheduler", "sched_getparam", "tkill"), _use_thread),
    "sched_getaffinity": _tell_core,
    "getpriority": _tell_priority,
}
"""Calls that are not simply refused: the number of an error, 0 to let the call go on, None if answered."""
