"""Answers to calls that concern only the bot: its timers, its scheduler, the size of its file system.

A timer may send any signal, and SIGCONT would continue a bot that the referee has stopped. The signal is in
the bot's memory, which another thread could change after the decision, also one of a process that has the
memory in common (`vfork`). So timers that signal are for a bot with one thread and no other process, which
waits for the answer; if a signal handler interrupts it, the answer is void.
"""

from __future__ import annotations

import errno
import os
import signal
import struct
from typing import TYPE_CHECKING

from arbiter.sandbox.forkserver import SCRATCH_BYTES
from arbiter.sandbox.forkserver.bot import children_of
from arbiter.sandbox.forkserver.root import PLACE

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.sandbox.forkserver.questions import Question
    from arbiter.sandbox.forkserver.supervised import Supervised

MOST_ALARMS = 16
"""Timers of a bot in a match: the kernel serves them while others compute."""
MOST_WATCHES = 256
"""Files that a bot adds to its epolls in a match: a timer that fires wakes each of its watchers."""
MOST_CLOCK = 11
"""The last clock of the machine; negative numbers are clocks of processes, perhaps of others."""
EVENT = struct.Struct("=Qi")
"""The beginning of struct sigevent: a value, and the number of the signal."""
STATFS = struct.Struct("=7Q2i7Q")
TMPFS, PAGE, FILES, LONGEST_NAME = 0x0102_1994, 4096, 1024, 255
SCHED_OTHER = 0
OWN_PROGRAM = b"/proc/self/exe\0"
PATH = struct.Struct(f"={len(OWN_PROGRAM)}B")


def count_threads(pid: int) -> int:
    """Return the number of a bot's threads; OSError if it has ended."""
    return os.stat(f"/proc/{pid}/task").st_nlink - 2


def _count_alarm(bot: Supervised, _: Question) -> int:
    bot.alarms += 1
    return errno.EMFILE if bot.alarms > MOST_ALARMS else 0


def _count_watch(bot: Supervised, _: Question) -> int:
    bot.watches += 1
    return errno.ENOSPC if bot.watches > MOST_WATCHES else 0


def _create_timer(bot: Supervised, question: Question) -> int:
    """Allow a timer that does not continue the bot; return 0, or an errno."""
    clock, event, *_ = question.arguments
    if clock & 0xFFFF_FFFF > MOST_CLOCK or question.thread != bot.pid or count_threads(bot.pid) != 1:
        return bot.refuse(question.number)
    if bot.has_started_processes and children_of(bot.pid):
        return bot.refuse(question.number)
    if event and question.read(event, EVENT)[1] == signal.SIGCONT:
        return bot.refuse(question.number)
    return _count_alarm(bot, question)


def _keep_scheduler(bot: Supervised, question: Question) -> int | None:
    """Answer as if a thread had got the usual scheduler, which it has."""
    thread, policy = (argument & 0xFFFF_FFFF for argument in question.arguments[:2])
    if policy != SCHED_OTHER:
        return bot.refuse(question.number)
    if thread and not bot.has_thread(thread & 0x7FFF_FFFF):
        return errno.ESRCH
    question.pretend()
    return None


def _answer_file_system(_: Supervised, question: Question) -> int | None:
    """Answer with an empty temporary folder, for any file: how full a disk is stays hidden."""
    pages = SCRATCH_BYTES // PAGE
    # struct statfs: type, block size, blocks (total, free, available), files (total, free), id, ...
    amounts = TMPFS, PAGE, pages, pages, pages, FILES, FILES, 0, 0, LONGEST_NAME, PAGE, 0, 0, 0, 0, 0
    question.write(question.arguments[1], STATFS.pack(*amounts))
    question.pretend()
    return None


def _answer_own_program(bot: Supervised, question: Question) -> int | None:
    """Answer which program a process executes; the link in its root is that of the bot's first process."""
    path, buffer, size = question.arguments[bot.names[question.number] == "readlinkat" :][:3]
    # Only until its first reply, since each look-up uses up a number that bots can see.
    if not (bot.has_started_processes and bot.is_starting):
        return 0
    try:
        if question.read(path, PATH) != tuple(OWN_PROGRAM):
            return 0
    except (OSError, OverflowError):
        return 0  # the path is shorter than ours, or invalid
    program = os.fsencode(os.readlink(f"/proc/{question.thread}/exe").removeprefix(PLACE))[:size]  # noqa: PTH115
    question.write(buffer, program)
    question.pretend(len(program))
    return None


OWN_CALLS: dict[str, Callable[[Supervised, Question], int | None]] = {
    "timerfd_create": _count_alarm,
    "timer_create": _create_timer,
    "sched_setscheduler": _keep_scheduler,
    "epoll_ctl": _count_watch,
    **dict.fromkeys(("readlink", "readlinkat"), _answer_own_program),
    **dict.fromkeys(("statfs", "fstatfs"), _answer_file_system),
}
"""Handlers of these calls, as `supervisor.HANDLERS`."""
