"""Answers system calls of bots that a filter cannot decide.

A filter sees only numbers. So some calls wait until this process has checked whose thread a number names, how
many threads a bot has, or whose end a thread waits for. Refused calls come here, too, and are kept for the
record, so that a bot's author learns why it failed.

A bot's calls are answered while it is to move, and their time counts as the bot's. A bot that calls while
another one is to move is stopped: it has no claim to the core or this process then.

A call continues only by a decision on its arguments, which the bot can no longer change. It can change its
memory at any time, so a decision never depends on memory.
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
from arbiter.sandbox.forkserver.own_calls import OWN_CALLS
from arbiter.sandbox.forkserver.questions import receive
from arbiter.sandbox.forkserver.supervised import (
    BURST,
    PER_SECOND,
    check_clone,
    check_own_process,
    check_process_start,
)
from arbiter.sandbox.forkserver.waits import FUTEX_COMMAND, FUTEX_WAIT, FUTEX_WAIT_BITSET, Waits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.sandbox.forkserver.board import Board
    from arbiter.sandbox.forkserver.questions import Question
    from arbiter.sandbox.forkserver.supervised import Supervised

FIRST_CORE = struct.Struct("=Q")
"""A set of cores."""
SYSINFO = struct.Struct("=q3Q6QHHI2QII")
MOST_CHANNELS = 64
"""Pipes and socket pairs of a bot in a match: the kernel numbers them globally."""
AF_UNIX = 1
PRIO_PROCESS, NOT_NICE = 0, 20
"""The kernel returns 20 minus the nice value."""
LONGEST_SECONDS = 3600.0
PAUSE_SECONDS = 0.001


class Supervisor:
    """Answers calls of all bots of one match, between requests of the worker."""

    def __init__(self, worker: int, board: Board) -> None:
        self._worker = worker
        self._cells = board.cells
        self._poll = select.poll()
        self._poll.register(worker, select.POLLIN)
        self._coming: dict[int, tuple[socket.socket, Supervised]] = {}
        self._bots: dict[int, Supervised] = {}
        """By listener, the descriptor on which a bot's calls arrive."""
        self._paused: dict[int, float] = {}
        """Listeners that are not polled, and until when."""
        self._waits = Waits(self._poll)

    def expect_listener(self, connection: socket.socket, bot: Supervised) -> None:
        """Expect a bot's listener on this connection, sent before it executes its program."""
        bot.cells = self._cells
        self._coming[connection.fileno()] = connection, bot
        self._poll.register(connection, select.POLLIN)

    def drop_bots(self) -> None:
        """Drop all bots, after their end."""
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
        """Answer calls until the worker sends a request (True) or the time is over (False)."""
        until = None if seconds is None else time.monotonic() + seconds
        self._billed_ns = time.thread_time_ns()
        while True:
            events = dict(self._poll.poll(self._poll_timeout_ms(until)))
            for descriptor, event in events.items():
                self._handle_event(descriptor, event)
            self._end_pauses()
            self._end_waits(events)
            if self._worker in events:
                return True
            if until is not None and time.monotonic() >= until:
                return False

    def _end_waits(self, events: Mapping[int, int]) -> None:
        """End the waits that are over, except those of bots out of turn."""
        if self._waits.check_due(events, self._served_listeners(), self._bots) and self._cells[0] != ANYBODY:
            self._charge_cpu(self._cells[0] - 1)

    def _served_listeners(self) -> set[int]:
        """Return the listeners whose calls are answered now."""
        return {listener for listener, bot in self._bots.items() if self._has_turn(bot.place)}

    def _poll_timeout_ms(self, until: float | None) -> float | None:
        """Return the time-out for the next event; None for no limit."""
        waits = self._waits.due_times(self._served_listeners(), self._bots)
        dues = [*self._paused.values(), *waits, *(() if until is None else (until,))]
        left = min(dues) - time.monotonic() if dues else None
        return None if left is None else min(max(0.0, left), LONGEST_SECONDS) * 1000

    def _handle_event(self, descriptor: int, event: int) -> None:
        """Receive a bot's listener, answer its call, or drop it at its end."""
        if descriptor in self._coming:
            self._receive_listener(descriptor)
        elif descriptor in self._bots:
            if event & select.POLLIN:
                self._answer_call(descriptor)
                self._charge_cpu(self._bots[descriptor].place)
            else:
                # The bot has ended.
                self._poll.unregister(descriptor)
                del self._bots[descriptor]
                os.close(descriptor)

    def _receive_listener(self, descriptor: int) -> None:
        connection, bot = self._coming.pop(descriptor)
        self._poll.unregister(descriptor)
        with connection, suppress(OSError):
            _, received, _, _ = socket.recv_fds(connection, 1, 1)
            for listener in received:
                self._bots[listener] = bot
                self._poll.register(listener, select.POLLIN)

    def _answer_call(self, listener: int) -> None:
        bot = self._bots[listener]
        if not self._has_turn(bot.place):
            self._stop_bot(listener, bot)
            return
        if not self._take_credit(listener, bot):
            return
        try:
            question = receive(listener)
        except OSError:
            return
        self._waits.abandon(question)
        try:
            if bot.names.get(question.number) == "futex":
                error = self._begin_wait(bot, question)
            elif handle := HANDLERS.get(bot.names.get(question.number, "")):
                error = handle(bot, question)
            else:
                error = bot.refuse(question.number)
        except (OSError, ValueError, OverflowError, struct.error):
            # No content of a bot's memory may end the supervisor of the others.
            error = errno.EFAULT
        if error is not None:
            question.answer(error)

    def _charge_cpu(self, place: int) -> None:
        """Charge a bot for this process's CPU time since the last charge."""
        before, self._billed_ns = self._billed_ns, time.thread_time_ns()
        self._cells[spent_cell(place)] += self._billed_ns - before

    def _has_turn(self, place: int) -> bool:
        """True if it is the turn of the bot at a place, or of all bots."""
        return self._cells[0] in (ANYBODY, place + 1)

    def _stop_bot(self, listener: int, bot: Supervised) -> None:
        """Stop a bot that calls out of turn; its call is repeated when it continues."""
        self._cells[stopped_cell(bot.place)] = 1
        signal_group(bot.pid, signal.SIGSTOP)
        if self._cells[0] == bot.place + 1:
            # Its turn began just now, perhaps before the worker could see that it is stopped.
            self._cells[stopped_cell(bot.place)] = 0
            signal_group(bot.pid, signal.SIGCONT)
        # The call stays queued until each of its threads has had the core.
        self._pause_calls(listener)

    def _pause_calls(self, listener: int) -> None:
        self._poll.unregister(listener)
        self._paused[listener] = time.monotonic() + PAUSE_SECONDS

    def _take_credit(self, listener: int, bot: Supervised) -> bool:
        """Take one call from a bot's rate limit; False if exceeded: the bot is then paused."""
        now = time.monotonic()
        bot.credit = min(BURST, bot.credit + (now - bot.credited) * PER_SECOND)
        bot.credited = now
        if bot.credit >= 1:
            bot.credit -= 1
            return True
        self._pause_calls(listener)
        return False

    def _end_pauses(self) -> None:
        now = time.monotonic()
        for listener in [listener for listener, due in self._paused.items() if due <= now]:
            del self._paused[listener]
            self._poll.register(listener, select.POLLIN)

    def _begin_wait(self, bot: Supervised, question: Question) -> int | None:
        """Begin a futex wait, or refuse another operation; return None while it lasts, else an errno."""
        if question.arguments[1] & FUTEX_COMMAND not in (FUTEX_WAIT, FUTEX_WAIT_BITSET):
            return bot.refuse(question.number)
        thread = 0
        with suppress(OSError):
            # The word is the id of the awaited thread, if it is one.
            thread = bot.thread_here(question.arguments[2] & 0x7FFF_FFFF)
        return self._waits.begin(thread, question)


def signal_group(leader: int, number: int) -> None:
    """Send a signal to a bot's process and its descendants, which cannot leave its group, if it exists."""
    with suppress(ProcessLookupError):
        os.killpg(leader, number)


def _count_channel(bot: Supervised, question: Question) -> int:
    """Count a new pipe or local socket pair; return 0 to allow it, else an errno."""
    if bot.names[question.number] == "socketpair" and question.arguments[0] & 0xFFFF_FFFF != AF_UNIX:
        return bot.refuse(question.number)
    bot.channels += 1
    return errno.EMFILE if bot.channels > MOST_CHANNELS else 0


def _check_own_thread(bot: Supervised, question: Question) -> int:
    return 0 if bot.has_thread(question.arguments[0] & 0x7FFF_FFFF) else errno.ESRCH


def _answer_core(bot: Supervised, question: Question) -> int | None:
    """Answer with the first core, as a bot has one, whichever it is."""
    thread, size, address, *_ = question.arguments
    if thread & 0xFFFF_FFFF and not bot.has_thread(thread & 0x7FFF_FFFF):
        return errno.ESRCH
    if size & 0xFFFF_FFFF < FIRST_CORE.size or size % FIRST_CORE.size:
        return errno.EINVAL
    question.write(address, FIRST_CORE.pack(1))
    question.pretend(FIRST_CORE.size)
    return None


def _answer_priority(bot: Supervised, question: Question) -> int | None:
    """Answer with the priority of a season's match, in any match."""
    kind, thread = (argument & 0xFFFF_FFFF for argument in question.arguments[:2])
    if kind != PRIO_PROCESS:
        return bot.refuse(question.number)
    if thread and not bot.has_thread(thread & 0x7FFF_FFFF):
        return errno.ESRCH
    question.pretend(NOT_NICE)
    return None


def _answer_memory(bot: Supervised, question: Question) -> int | None:
    """Answer with the bot's limit as the machine's memory: programs adapt to it, others' use is hidden."""
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
    "clone": check_clone,
    **dict.fromkeys(("fork", "vfork"), check_process_start),
    **dict.fromkeys(("kill", "tgkill"), check_own_process),
    "sysinfo": _answer_memory,
    **dict.fromkeys(("pipe", "pipe2", "socketpair"), _count_channel),
    **OWN_CALLS,
    **dict.fromkeys(("sched_getscheduler", "sched_getparam", "tkill"), _check_own_thread),
    "sched_getaffinity": _answer_core,
    "getpriority": _answer_priority,
}
"""Handlers of calls that are not simply refused; they return an errno, 0 to continue, None if answered."""
