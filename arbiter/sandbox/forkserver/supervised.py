"""One bot of the supervisor: its threads, its limits, the calls that were refused."""

from __future__ import annotations

import errno
import time

from arbiter.sandbox.forkserver.numbering import thread_from
from arbiter.sandbox.forkserver.questions import is_thread

BURST = 4000
"""Calls of one bot that are answered at once."""


class Supervised:
    """One bot: its process, and what its calls have used up."""

    def __init__(
        self,
        pid: int,
        place: int,
        calls: dict[str, int],
        errors: list[tuple[int, int]],
        memory_bytes: int,
        namespace: int | None = None,
    ) -> None:
        """`namespace`: its separate process namespace (open), if it has one."""
        self.pid, self.place = pid, place
        self.names = {number: name for name, number in calls.items()}
        self.errors = dict(errors)
        self.memory_bytes = memory_bytes
        self.namespace = namespace
        self.refused: dict[int, None] = {}
        self.channels = self.alarms = 0
        self.credit, self.credited = float(BURST), time.monotonic()

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
