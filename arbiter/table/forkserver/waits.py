"""Threads that wait for another thread's end, by a futex that processes could share.

Only the end of an own thread, or a word of own memory, ends such a wait: it must hear of no other process.
"""

from __future__ import annotations

import errno
import math
import os
import select
import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.table.forkserver.questions import Question, is_thread

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

WORD, TIME = struct.Struct("=I"), struct.Struct("=qq")
FUTEX_CLOCK_REALTIME, FUTEX_COMMAND, FUTEX_WAIT, FUTEX_WAIT_BITSET = 0x100, 0x7F, 0, 9
PIDFD_THREAD = os.O_EXCL
FIRST_LOOK_SECONDS, LONGEST_LOOK_SECONDS = 0.002, 0.05
"""Between two looks at a word, at first and at most, where no descriptor tells of the thread's end."""


class Wait(NamedTuple):
    """One wait: its end, a pidfd that ends it or -1, when to do something next, the time between looks."""

    question: Question
    until: float
    descriptor: int
    due: float
    interval: float

    def looked(self, now: float) -> Wait:
        """The same after a look: only where no descriptor tells of the thread's end there will be another."""
        if self.descriptor >= 0:
            return self
        interval = min(2 * self.interval, LONGEST_LOOK_SECONDS)
        return self._replace(due=min(self.until, now + interval), interval=interval)


class Waits:
    """The waits of all bots. A thread has one at a time."""

    def __init__(self, poll: select.poll) -> None:
        self._poll = poll
        self._waits: dict[tuple[int, int], Wait] = {}
        """By listener and thread."""

    def begin(self, pid: int, question: Question) -> int | None:
        """Begin the wait that a thread of a process asks for: None, or the number of an error."""
        address, operation, value, timeout, *_ = question.arguments
        try:
            if question.read(address, WORD) != (value & 0xFFFF_FFFF,):
                return errno.EAGAIN
            until = _end(question, operation, timeout) if timeout else math.inf
        except ValueError:
            return errno.EINVAL
        except (OSError, OverflowError, struct.error):
            return errno.EFAULT
        descriptor = -1
        # The word is the number of the thread that is waited for, if it is one.
        if is_thread(pid, value & 0x7FFF_FFFF):
            with suppress(OSError):  # Linux < 6.9, or it has just ended
                descriptor = os.pidfd_open(value & 0x7FFF_FFFF, PIDFD_THREAD)
                self._poll.register(descriptor, select.POLLIN)
        wait = Wait(question, until, descriptor, until, FIRST_LOOK_SECONDS / 2)
        self._waits[question.listener, question.thread] = wait.looked(time.monotonic())
        return None

    def abandon(self, question: Question) -> None:
        """End the earlier wait of a thread that asks something new: a signal has ended it."""
        if (wait := self._waits.pop((question.listener, question.thread), None)) is not None:
            self._close(wait)

    def dues(self) -> Iterator[float]:
        """When something has to be done, in seconds of the monotonic clock."""
        for wait in self._waits.values():
            if wait.due < math.inf:
                yield wait.due

    def look(self, ready: Container[int], asking: Container[int], living: Container[int]) -> bool:
        """End the waits that are over; True if any was looked at.

        `ready` are the descriptors that the poll has returned. Of listeners that are not `asking` only the
        ends of threads are told, of those that are not `living` nothing.
        """
        now = time.monotonic()
        busy = False
        for key, wait in list(self._waits.items()):
            listener = wait.question.listener
            if listener in living and wait.descriptor in ready:
                wait.question.pretend()
            elif listener in asking and wait.due <= now:
                busy = True
                if wait.descriptor < 0 and _has_changed(wait.question):
                    wait.question.pretend()
                elif wait.until <= now:
                    wait.question.answer(errno.ETIMEDOUT)
                else:
                    self._waits[key] = wait.looked(now)
                    continue
            elif listener in living:
                if wait.due <= now:
                    # All at one moment.
                    due = (now // LONGEST_LOOK_SECONDS + 1) * LONGEST_LOOK_SECONDS
                    self._waits[key] = wait._replace(due=due)
                continue
            self._close(self._waits.pop(key))
        return busy

    def clear(self) -> None:
        """Drop all waits."""
        for wait in self._waits.values():
            self._close(wait)
        self._waits.clear()

    def _close(self, wait: Wait) -> None:
        if wait.descriptor >= 0:
            self._poll.unregister(wait.descriptor)
            os.close(wait.descriptor)


def _has_changed(question: Question) -> bool:
    address, _, value, *_ = question.arguments
    try:
        return question.read(address, WORD) != (value & 0xFFFF_FFFF,)
    except (OSError, OverflowError, struct.error):
        return True


def _end(question: Question, operation: int, timeout: int) -> float:
    """When a wait ends, by our clock; ValueError for a time that is none.

    A futex is given a time from now on or, with FUTEX_WAIT_BITSET, a moment of one of two clocks.
    """
    whole, ns = question.read(timeout, TIME)
    if whole < 0 or not 0 <= ns < 1_000_000_000:
        raise ValueError("no time")
    seconds = whole + ns / 1e9
    if operation & FUTEX_COMMAND == FUTEX_WAIT:
        return time.monotonic() + seconds
    return seconds + (time.monotonic() - time.time() if operation & FUTEX_CLOCK_REALTIME else 0.0)
