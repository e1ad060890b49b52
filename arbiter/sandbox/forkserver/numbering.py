"""A separate process namespace for each bot of a match, with separate process and thread ids.

Theory of operation. The kernel numbers the threads of a namespace in turn, and some calls reveal whether a
thread has a given id. Bots in one namespace could count and find each other's threads. So each bot starts
in a namespace within that of the stage, which has only its threads and processes, and a waiting first
process, with which a namespace ends. That process stays for all matches of a worker: it resets the ids, and
kills the processes that a bot leaves behind.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.sandbox.forkserver.kernel import CLONE_NEWPID, join, unshare

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_PID = 100
"""The process ids of a bot start here in every match."""
RESET, KILL = b"r", b"k"
LAST_PID = "/proc/sys/kernel/ns_last_pid"
GET_PID_FROM_PIDNS = 0x8004_B706
"""ioctl: the id in our namespace of a thread of another one (Linux >= 6.11)."""


class Numbered(NamedTuple):
    """A namespace (open), its first process, and a socket for requests to that process."""

    namespace: int
    first: int
    socket: socket.socket


class Numbers:
    """The process namespaces of a forkserver's bots, created when first needed."""

    def __init__(self) -> None:
        self._made: list[Numbered] = []
        self._own = -1
        self._possible = True

    @property
    def first_processes(self) -> set[int]:
        """The processes that stay from match to match."""
        return {one.first for one in self._made}

    def namespaces_for(self, bots: int) -> list[int]:
        """Return descriptors of this many process namespaces, with reset ids; empty if impossible."""
        try:
            while self._possible and len(self._made) < bots:
                if self._own < 0:
                    self._own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
                self._made.append(self._new_namespace())
            self._ask(RESET, bots)
        except OSError:
            self._possible = False
        return [one.namespace for one in self._made] if self._possible else []

    def kill_processes(self) -> None:
        """Kill all processes of all namespaces but the first ones, and wait until they are gone."""
        self._ask(KILL, len(self._made))

    def _ask(self, request: bytes, namespaces: int) -> None:
        """Ask the first processes of this many namespaces, and wait until they have done it."""
        for one in self._made[:namespaces]:
            one.socket.send(request)
        for one in self._made[:namespaces]:
            if one.socket.recv(1) != request:
                raise OSError("the first process of a namespace is gone")

    @contextmanager
    def forking_into(self, namespace: int | None) -> Iterator[None]:
        """Let children that are forked in this block start in a namespace; None for ours."""
        if namespace is None:
            yield
            return
        join(namespace, CLONE_NEWPID)
        try:
            yield
        finally:
            join(self._own, CLONE_NEWPID)

    def _new_namespace(self) -> Numbered:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            unshare(CLONE_NEWPID)
            try:
                first = os.fork()
                if first == 0:
                    with suppress(BaseException):
                        _serve(theirs)
                    os._exit(0)
                # Not by the entry of the first process, which is closed to an ordinary user.
                namespace = os.open("/proc/self/ns/pid_for_children", os.O_RDONLY | os.O_CLOEXEC)
            finally:
                join(self._own, CLONE_NEWPID)
                theirs.close()
        except OSError:
            ours.close()
            raise
        return Numbered(namespace, first, ours)


def _serve(asked: socket.socket) -> None:
    """Reset the ids of this process's namespace, or kill its processes, until the socket is closed."""
    mine = os.dup2(asked.fileno(), 3, inheritable=False)
    asked.detach()
    os.closerange(0, mine)
    os.closerange(mine + 1, os.sysconf("SC_OPEN_MAX"))
    asked = socket.socket(fileno=mine)
    while request := asked.recv(1):
        if request == KILL:
            with suppress(ChildProcessError):
                while True:
                    with suppress(ProcessLookupError):
                        os.kill(-1, signal.SIGKILL)
                    # Orphans are this process's children.
                    os.waitpid(-1, 0)
        else:
            # A kernel may have no such file.
            with suppress(OSError), open(LAST_PID, "wb", buffering=0) as last:
                last.write(str(FIRST_PID - 1).encode())
        asked.send(request)


def thread_from(namespace: int, thread: int) -> int:
    """Return the id here of a thread of another namespace; OSError if it has none, or on Linux < 6.11."""
    return fcntl.ioctl(namespace, GET_PID_FROM_PIDNS, thread)
