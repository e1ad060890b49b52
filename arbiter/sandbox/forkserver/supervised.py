"""One supervised bot: its threads and processes, and how many it may start.

Theory of operation. Start scripts of many runtimes start processes before their last `exec`, and some run the
program as a child. So a bot may start processes until its first reply, which is not on the clock. From then
on their number only falls: short-lived processes could use time that is not measured. They stay in the bot's
session and group, which are stopped and killed as one, and its descendants, whose time and memory count.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from typing import TYPE_CHECKING

from arbiter.sandbox.forkserver.board import replied_cell, started_cell
from arbiter.sandbox.forkserver.numbering import thread_from
from arbiter.sandbox.forkserver.questions import is_thread

if TYPE_CHECKING:
    from arbiter.sandbox.forkserver.questions import Question

MOST_THREADS = 256
"""Threads of a bot at once, so that all bots together stay below the limit of their user."""
# CLONE_VM, FS, FILES, SIGHAND, THREAD: threads must share all of these, or each would have separate limits.
OF_A_THREAD = 0x1_0F00
# CLONE_DETACHED, SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID, CHILD_SETTID.
ALSO_OF_A_THREAD = 0x17C_0000
# SIGCHLD at the end of the process; CLONE_PARENT_SETTID, CHILD_CLEARTID, CHILD_SETTID; CLONE_VM with VFORK.
OF_A_PROCESS, ALSO_OF_A_PROCESS, AS_VFORK = signal.SIGCHLD, 0x130_0000, 0x4100
MOST_PROCESSES = 64
"""Processes that a bot may start in a match."""
GROUPS = 1 << 31
"""From this number on an argument of `kill` is negative: a group, or all processes."""

BURST, PER_SECOND = 4000, 4000
"""Calls of one bot that are answered at once, and per second after that."""


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
        forks: bool = False,
    ) -> None:
        """`namespace`: its separate process namespace (open), if it has one.

        `forks`: it may start processes, since a separate namespace ends them and a separate user counts them.
        """
        self.pid, self.place = pid, place
        self.names = {number: name for name, number in calls.items()}
        self.errors = dict(errors)
        self.memory_bytes = memory_bytes
        self.namespace, self.forks = namespace, forks
        self.refused: dict[int, None] = {}
        self.channels = self.alarms = self.watches = 0
        self.cells: memoryview | None = None
        """Those of the board, once it is supervised."""
        self.credit, self.credited = float(BURST), time.monotonic()

    @property
    def is_starting(self) -> bool:
        """True until the referee has its first reply."""
        return self.cells is not None and not self.cells[replied_cell(self.place)]

    @property
    def has_started_processes(self) -> bool:
        return self.cells is not None and self.cells[started_cell(self.place)] > 0

    def refuse(self, number: int) -> int:
        """Record a refused call; return its errno."""
        self.refused[number] = None
        return self.errors.get(number, errno.EPERM)

    def thread_here(self, thread: int) -> int:
        """Return the id here of a thread that has the id `thread` for the bot; 0 if it has no such thread.

        OSError if it has a separate namespace and the kernel cannot translate (Linux < 6.11).
        """
        try:
            here = thread if self.namespace is None else thread_from(self.namespace, thread)
        except ProcessLookupError:
            return 0
        return here if is_thread(self.pid, here) else 0

    def has_thread(self, thread: int) -> bool:
        """True if it has a thread with this id."""
        try:
            return self.thread_here(thread) > 0
        except OSError:
            return True  # the kernel searches only its namespace


def check_clone(bot: Supervised, question: Question) -> int:
    """Return 0 to allow a clone that starts a thread or a process within the limits, else an errno."""
    flags = question.arguments[0]
    if flags & ~ALSO_OF_A_PROCESS in (OF_A_PROCESS, OF_A_PROCESS | AS_VFORK):
        return check_process_start(bot, question)
    if flags & OF_A_THREAD != OF_A_THREAD or flags & ~(OF_A_THREAD | ALSO_OF_A_THREAD):
        return bot.refuse(question.number)
    try:
        threads = os.stat(f"/proc/{bot.pid}/task").st_nlink - 2
    except OSError:
        threads = MOST_THREADS
    return errno.EAGAIN if threads >= MOST_THREADS else 0


def check_process_start(bot: Supervised, question: Question) -> int:
    """Return 0 to allow another process within the limits, else an errno."""
    started = started_cell(bot.place)
    if bot.cells is None or not (bot.forks and bot.is_starting and bot.cells[started] < MOST_PROCESSES):
        return bot.refuse(question.number)
    bot.cells[started] += 1
    return 0


def check_own_process(bot: Supervised, question: Question) -> int:
    """Return 0 to allow a signal to a process of the bot, else an errno."""
    process = question.arguments[0] & 0xFFFF_FFFF
    allowed = bot.namespace is not None and process < GROUPS and bot.has_thread(process)
    return 0 if allowed else errno.EPERM
