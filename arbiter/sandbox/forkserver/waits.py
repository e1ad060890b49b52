"""Waits of threads for another thread's end, by a shared futex.

Only the end of a thread of the same process, or a change of its memory, ends such a wait: it must not reveal
other processes.
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

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from arbiter.sandbox.forkserver.questions import Question

WORD, TIME = struct.Struct("=I"), struct.Struct("=qq")
FUTEX_CLOCK_REALTIME, FUTEX_COMMAND, FUTEX_WAIT, FUTEX_WAIT_BITSET = 0x100, 0x7F, 0, 9
PIDFD_THREAD = os.O_EXCL
FIRST_LOOK_SECONDS, LONGEST_LOOK_SECONDS = 0.002, 0.05
"""Interval of polling a word, first and longest, if no descriptor reports the thread's end."""
MOST_WAITS = 320
"""Waits of a bot: more than its maximum of threads."""


class Wait(NamedTuple):
    """One wait: its time-out, a pidfd that ends it or -1, when to check it next, the polling interval."""

    question: Question
    until: float
    descriptor: int
    due: float
    interval: float

    def after_check(self, now: float) -> Wait:
        """Return the wait after a check; without a descriptor, another check follows."""
        if self.descriptor >= 0:
            return self
        interval = min(2 * self.interval, LONGEST_LOOK_SECONDS)
        return self._replace(due=min(self.until, now + interval), interval=interval)


class _OfBot:
    """The waits of one bot by thread, and the earliest time at which one is due."""

    def __init__(self) -> None:
        self.by_thread: dict[int, Wait] = {}
        self.due = math.inf


class Waits:
    """The waits of all bots, at most one for each thread.

    A thread that a signal ends leaves its wait behind: these are dropped when a bot has many.
    """

    def __init__(self, poll: select.poll) -> None:
        self._poll = poll
        self._bots: dict[int, _OfBot] = {}
        """By listener."""
        self._ends: dict[int, tuple[int, int]] = {}
        """Listener and thread, by the descriptor that ends the wait."""

    def begin(self, awaited: int, question: Question) -> int | None:
        """Begin the wait that a thread requests; return None, or an errno.

        `awaited`: the thread of the same process whose end it waits for, 0 if unknown.
        """
        address, operation, value, timeout, *_ = question.arguments
        try:
            if question.read(address, WORD) != (value & 0xFFFF_FFFF,):
                return errno.EAGAIN
            until = _end_time(question, operation, timeout) if timeout else math.inf
        except ValueError:
            return errno.EINVAL
        except (OSError, OverflowError, struct.error):
            return errno.EFAULT
        mine = self._bots.setdefault(question.listener, _OfBot())
        if len(mine.by_thread) >= MOST_WAITS:
            for wait in list(mine.by_thread.values()):
                if not wait.question.is_open():
                    self._drop_wait(wait)
        descriptor = -1
        if awaited:
            with suppress(OSError):  # Linux < 6.9, or it has just ended
                descriptor = os.pidfd_open(awaited, PIDFD_THREAD)
                self._poll.register(descriptor, select.POLLIN)
                self._ends[descriptor] = question.listener, question.thread
        wait = Wait(question, until, descriptor, until, FIRST_LOOK_SECONDS / 2).after_check(time.monotonic())
        mine.by_thread[question.thread] = wait
        mine.due = min(mine.due, wait.due)
        return None

    def abandon(self, question: Question) -> None:
        """Drop the wait of a thread that makes a new call: a signal has interrupted it."""
        mine = self._bots.get(question.listener)
        if mine is not None and (wait := mine.by_thread.get(question.thread)) is not None:
            self._drop_wait(wait)

    def due_times(self, asking: Container[int], living: Iterable[int]) -> Iterator[float]:
        """Yield the times at which waits are due, in seconds of the monotonic clock.

        Those of listeners that are not `asking` are rounded up, to be checked together.
        """
        later = (time.monotonic() // LONGEST_LOOK_SECONDS + 1) * LONGEST_LOOK_SECONDS
        for listener in living:
            if listener in self._bots and (due := self._bots[listener].due) < math.inf:
                yield due if listener in asking else max(due, later)

    def check_due(self, ready: Iterable[int], asking: Iterable[int], living: Container[int]) -> bool:
        """End the waits that are over; return True if any was checked.

        `ready` are the descriptors that the poll returned. Waits of listeners that are not `asking` end only
        with their thread; waits of listeners that are not `living` are dropped.
        """
        for descriptor in ready:
            if descriptor in self._ends:
                listener, thread = self._ends[descriptor]
                wait = self._bots[listener].by_thread[thread]
                if listener in living:
                    wait.question.pretend()
                self._drop_wait(wait)
        now = time.monotonic()
        busy = False
        for listener in asking:
            mine = self._bots.get(listener)
            if mine is not None and mine.due <= now:
                busy = True
                for wait in [wait for wait in mine.by_thread.values() if wait.due <= now]:
                    self._check(mine, wait, now)
                mine.due = min((wait.due for wait in mine.by_thread.values()), default=math.inf)
        return busy

    def clear(self) -> None:
        """Drop all waits."""
        for mine in self._bots.values():
            for wait in list(mine.by_thread.values()):
                self._drop_wait(wait)
        self._bots.clear()

    def _check(self, mine: _OfBot, wait: Wait, now: float) -> None:
        """End a wait that is due, or schedule the next check."""
        if wait.descriptor < 0 and _has_word_changed(wait.question):
            wait.question.pretend()
        elif wait.until <= now:
            wait.question.answer(errno.ETIMEDOUT)
        else:
            mine.by_thread[wait.question.thread] = wait.after_check(now)
            return
        self._drop_wait(wait)

    def _drop_wait(self, wait: Wait) -> None:
        del self._bots[wait.question.listener].by_thread[wait.question.thread]
        if wait.descriptor >= 0:
            del self._ends[wait.descriptor]
            self._poll.unregister(wait.descriptor)
            os.close(wait.descriptor)


def _has_word_changed(question: Question) -> bool:
    address, _, value, *_ = question.arguments
    try:
        return question.read(address, WORD) != (value & 0xFFFF_FFFF,)
    except (OSError, OverflowError, struct.error):
        return True


def _end_time(question: Question, operation: int, timeout: int) -> float:
    """Return when a wait ends, by our clock; ValueError for an invalid time.

    A futex has a relative time or, with FUTEX_WAIT_BITSET, an absolute time of one of two clocks.
    """
    whole, ns = question.read(timeout, TIME)
    if whole < 0 or not 0 <= ns < 1_000_000_000:
        raise ValueError("invalid time")
    seconds = whole + ns / 1e9
    if operation & FUTEX_COMMAND == FUTEX_WAIT:
        return time.monotonic() + seconds
    return seconds + (time.monotonic() - time.time() if operation & FUTEX_CLOCK_REALTIME else 0.0)
