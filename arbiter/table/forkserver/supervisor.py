"""System calls of bots that wait for an answer (seccomp's user notifications).

A filter sees numbers; what they mean for a process it cannot know. So some calls stop until this process has
looked: whose thread a number names, how many threads there are, whose end a thread waits for. What a bot may
not do is refused here, too, and kept for the record, so that its author learns why it failed.

The answer may let the call go on where it is a number that was judged: a bot cannot change it any more. What
stands in its memory it could change meanwhile, so nothing that is read there decides what is allowed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import socket
import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

RECEIVE, SEND, IS_VALID = 0xC050_2100, 0xC018_2101, 0x4008_2102
QUESTION = struct.Struct("=QIIiIQ6Q")
"""id, thread, flags, number, machine, place in the program, arguments."""
ANSWER = struct.Struct("=QqiI")
"""id, result, error, flags."""
GO_ON = 1
WORD, TIME = struct.Struct("=I"), struct.Struct("=qq")
SYSINFO = struct.Struct("=q3Q6QHHI2QII")
MOST_THREADS = 256
MOST_CHANNELS = 64
"""Pipes and pairs of sockets that a bot makes in a match."""
AF_UNIX = 1
# CLONE_VM, FS, FILES, SIGHAND, THREAD: a thread shares all of these, or each would have limits of its own.
OF_A_THREAD = 0x1_0F00
# CLONE_DETACHED, SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID, CHILD_SETTID.
ALSO_OF_A_THREAD = 0x17C_0000
FUTEX_CLOCK_REALTIME, FUTEX_COMMAND, FUTEX_WAIT, FUTEX_WAIT_BITSET = 0x100, 0x7F, 0, 9
PIDFD_THREAD = os.O_EXCL
LOOK_AGAIN_SECONDS, SELDOM_SECONDS = 0.002, 0.05
"""So often the word is read that a thread waits for, at first and after a while, where no descriptor tells
the end of another thread.
"""
LONGEST_SECONDS = 3600.0
BURST, A_SECOND = 4000, 4000
"""So many questions of one bot are answered at once, and so many a second after that."""


class Bot:
    """One bot that is supervised."""

    def __init__(
        self, pid: int, calls: dict[str, int], errors: list[tuple[int, int]], memory_bytes: int
    ) -> None:
        self.pid = pid
        self.names = {number: name for name, number in calls.items()}
        self.errors = dict(errors)
        self.memory_bytes = memory_bytes
        self.refused: dict[int, None] = {}
        self.channels = 0
        self.credit, self.credited = float(BURST), time.monotonic()


class Question(NamedTuple):
    """A call that waits: where to answer, its id, whose it is, its number and arguments."""

    listener: int
    id: int
    thread: int
    number: int
    arguments: tuple[int, ...]


class Wait(NamedTuple):
    """A thread that waits for a word to change: until when, and what ends it earlier, a descriptor if there
    is one; else the word is read, at `looked` the next time, and after `seldom` seconds again.
    """

    question: Question
    until: float | None
    descriptor: int
    looked: float
    seldom: float


class Supervisor:
    """Answers all bots of one match, between the requests of the worker."""

    def __init__(self, worker: int) -> None:
        self._worker = worker
        self._poll = select.poll()
        self._poll.register(worker, select.POLLIN)
        self._coming: dict[int, tuple[socket.socket, Bot]] = {}
        self._bots: dict[int, Bot] = {}
        """By the descriptor on which a bot's questions are heard."""
        self._waits: dict[tuple[int, int], Wait] = {}
        """By listener and thread, which can wait for one thing at a time."""
        self._paused: dict[int, float] = {}

    def expect(self, connection: socket.socket, bot: Bot) -> None:
        """A bot will send its listener on this connection before it turns into its program."""
        self._coming[connection.fileno()] = connection, bot
        self._poll.register(connection, select.POLLIN)

    def forget(self) -> None:
        """After the end of all bots."""
        for connection, _ in self._coming.values():
            self._poll.unregister(connection)
            connection.close()
        for wait in self._waits.values():
            self._close(wait)
        for listener in self._bots:
            if listener not in self._paused:
                self._poll.unregister(listener)
            os.close(listener)
        self._coming, self._bots, self._waits, self._paused = {}, {}, {}, {}

    def serve(self, seconds: float | None = None) -> bool:
        """Answer until the worker has something to say, or so long at most; whether it has."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            events = dict(self._poll.poll(self._milliseconds(until)))
            for descriptor, event in events.items():
                self._hear(descriptor, event)
            self._hear_again()
            self._look_at_waits(events)
            if self._worker in events:
                return True
            if until is not None and time.monotonic() >= until:
                return False

    def _milliseconds(self, until: float | None) -> float | None:
        """How long nothing has to be done unless something comes."""
        now = time.monotonic()
        dues = [until, *self._paused.values(), *(wait.until for wait in self._waits.values())]
        dues += [wait.looked for wait in self._waits.values() if wait.descriptor < 0]
        left = [min(max(0.0, due - now), LONGEST_SECONDS) * 1000 for due in dues if due is not None]
        return min(left, default=None)

    def _hear(self, descriptor: int, event: int) -> None:
        if descriptor in self._coming:
            self._take_listener(descriptor)
        elif descriptor in self._bots:
            if event & select.POLLIN:
                self._answer(descriptor)
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
        if not self._may_ask(listener, bot):
            return
        asked = bytearray(QUESTION.size)
        try:
            fcntl.ioctl(listener, RECEIVE, asked)
        except OSError:  # it was killed meanwhile
            return
        id, thread, _, number, _, _, *arguments = QUESTION.unpack(asked)
        if (given_up := self._waits.pop((listener, thread), None)) is not None:
            # A signal has ended that wait.
            self._close(given_up)
        question = Question(listener, id, thread, number, tuple(arguments))
        handle = HANDLERS.get(bot.names.get(number, ""))
        try:
            error = handle(self, bot, question) if handle else self._refusal(bot, number)
        except (OSError, ValueError, OverflowError, struct.error):
            # Whatever a bot has put into its memory must not end what supervises the others.
            error = errno.EFAULT
        if error is not None:
            _send(question, error)

    def _may_ask(self, listener: int, bot: Bot) -> bool:
        """Whether its credit is not used up; else it is heard again later."""
        now = time.monotonic()
        bot.credit = min(BURST, bot.credit + (now - bot.credited) * A_SECOND)
        bot.credited = now
        if bot.credit >= 1:
            bot.credit -= 1
            return True
        self._poll.unregister(listener)
        self._paused[listener] = now + 1 / A_SECOND
        return False

    def _refusal(self, bot: Bot, number: int) -> int:
        bot.refused[number] = None
        return bot.errors.get(number, errno.EPERM)

    def _start_of_a_thread(self, bot: Bot, question: Question) -> int:
        flags = question.arguments[0]
        if flags & OF_A_THREAD != OF_A_THREAD or flags & ~(OF_A_THREAD | ALSO_OF_A_THREAD):
            return self._refusal(bot, question.number)
        try:
            threads = os.stat(f"/proc/{bot.pid}/task").st_nlink - 2
        except OSError:
            threads = MOST_THREADS
        return errno.EAGAIN if threads >= MOST_THREADS else 0

    def _channel_to_itself(self, bot: Bot, question: Question) -> int:
        if bot.names[question.number] == "socketpair" and question.arguments[0] & 0xFFFF_FFFF != AF_UNIX:
            return self._refusal(bot, question.number)
        bot.channels += 1
        return errno.EMFILE if bot.channels > MOST_CHANNELS else 0

    def _question_of_a_thread(self, bot: Bot, question: Question) -> int:
        place = 1 if bot.names[question.number] == "getpriority" else 0
        return 0 if _is_thread(bot.pid, question.arguments[place] & 0x7FFF_FFFF) else errno.ESRCH

    def _memory_of_the_machine(self, bot: Bot, question: Question) -> int | None:
        """As much as the bot may use: what sizes itself by it then starts, and others' use shows nowhere."""
        told = SYSINFO.pack(
            int(time.monotonic()),
            0,
            0,
            0,
            bot.memory_bytes,
            bot.memory_bytes,
            0,
            0,
            0,
            0,
            1,
            0,
            0,
            0,
            0,
            1,
            0,
        )
        try:
            with open(f"/proc/{question.thread}/mem", "r+b", buffering=0) as memory:
                fcntl.ioctl(question.listener, IS_VALID, struct.pack("=Q", question.id))
                os.pwrite(memory.fileno(), told, question.arguments[0])
        except (OSError, OverflowError):
            return errno.EFAULT
        _send_result(question)
        return None

    def _wait_for_a_thread(self, bot: Bot, question: Question) -> int | None:
        """Only the end of an own thread, or a word of its own memory, ends a wait: no other process is
        heard by it.
        """
        address, operation, value, timeout, *_ = question.arguments
        command = operation & FUTEX_COMMAND
        if command not in (FUTEX_WAIT, FUTEX_WAIT_BITSET):
            return self._refusal(bot, question.number)
        try:
            if _memory(question.thread, address, WORD) != (value & 0xFFFF_FFFF,):
                return errno.EAGAIN
            until = _due(question.thread, operation, timeout) if timeout else None
        except ValueError:
            return errno.EINVAL
        except (OSError, OverflowError, struct.error):
            return errno.EFAULT
        descriptor = -1
        # The word is the number of the thread that is waited for, where it is one.
        if _is_thread(bot.pid, value & 0x7FFF_FFFF):
            with suppress(OSError):  # Linux < 6.9, or it has just ended
                descriptor = os.pidfd_open(value & 0x7FFF_FFFF, PIDFD_THREAD)
                self._poll.register(descriptor, select.POLLIN)
        again = time.monotonic() + LOOK_AGAIN_SECONDS
        wait = Wait(question, until, descriptor, again, LOOK_AGAIN_SECONDS)
        self._waits[question.listener, question.thread] = wait
        return None

    def _hear_again(self) -> None:
        now = time.monotonic()
        for listener in [listener for listener, due in self._paused.items() if due <= now]:
            del self._paused[listener]
            self._poll.register(listener, select.POLLIN)

    def _look_at_waits(self, events: dict[int, int]) -> None:
        now = time.monotonic()
        for key, wait in list(self._waits.items()):
            due = wait.descriptor < 0 and wait.looked <= now
            if wait.descriptor in events or (due and _has_changed(wait.question)):
                _send_result(wait.question)
            elif wait.until is not None and wait.until <= now:
                _send(wait.question, errno.ETIMEDOUT)
            elif wait.question.listener in self._bots:
                if due:
                    seldom = min(2 * wait.seldom, SELDOM_SECONDS)
                    self._waits[key] = wait._replace(looked=now + seldom, seldom=seldom)
                continue
            self._close(self._waits.pop(key))

    def _close(self, wait: Wait) -> None:
        if wait.descriptor >= 0:
            self._poll.unregister(wait.descriptor)
            os.close(wait.descriptor)


HANDLERS: dict[str, Callable[[Supervisor, Bot, Question], int | None]] = {
    "clone": Supervisor._start_of_a_thread,
    "futex": Supervisor._wait_for_a_thread,
    **dict.fromkeys(("pipe", "pipe2", "socketpair"), Supervisor._channel_to_itself),
    "sysinfo": Supervisor._memory_of_the_machine,
    **dict.fromkeys((
        "sched_getaffinity", "sched_getscheduler", "sched_getparam", "sched_getattr",
        "sched_rr_get_interval", "getpriority", "tkill",
    ), Supervisor._question_of_a_thread),
}  # fmt: skip
"""Calls that are not simply refused: the number of an error, 0 to let the call go on, None if it is
answered.
"""


def _send(question: Question, error: int) -> None:
    """Fail a call, or let it go on where the error is 0; nothing happens where the bot is gone."""
    with suppress(OSError):
        fcntl.ioctl(question.listener, SEND, ANSWER.pack(question.id, 0, -error, 0 if error else GO_ON))


def _send_result(question: Question) -> None:
    """Let a call return 0 without being made."""
    with suppress(OSError):
        fcntl.ioctl(question.listener, SEND, ANSWER.pack(question.id, 0, 0, 0))


def _is_thread(pid: int, thread: int) -> bool:
    return os.access(f"/proc/{pid}/task/{thread}", os.F_OK)


def _memory(thread: int, address: int, form: struct.Struct) -> tuple[int, ...]:
    """Numbers in the memory of a thread, which may outlive the main one; OSError where there is none."""
    with open(f"/proc/{thread}/mem", "rb", buffering=0) as memory:
        return form.unpack(os.pread(memory.fileno(), form.size, address))


def _has_changed(question: Question) -> bool:
    address, _, value, *_ = question.arguments
    try:
        return _memory(question.thread, address, WORD) != (value & 0xFFFF_FFFF,)
    except (OSError, OverflowError, struct.error):
        return True


def _due(thread: int, operation: int, timeout: int) -> float:
    """When a wait is over, on our clock; a time since now, or (with a bit set) a moment of one of two
    clocks.
    """
    whole, ns = _memory(thread, timeout, TIME)
    if whole < 0 or not 0 <= ns < 1_000_000_000:
        raise ValueError("no time")
    seconds = whole + ns / 1e9
    if operation & FUTEX_COMMAND == FUTEX_WAIT:
        return time.monotonic() + seconds
    return seconds + (time.monotonic() - time.time() if operation & FUTEX_CLOCK_REALTIME else 0.0)
