"""A separate process namespace for each bot of a match, with separate process and thread ids.

Theory of operation. The kernel numbers the threads of a namespace in turn, and some calls reveal whether a
thread has a given id. Bots in one namespace could count and find each other's threads. So each bot starts
in a namespace within that of the stage, which has only its threads and a waiting first process, with which
a namespace ends. That process stays for all matches of a worker, and resets the ids.
"""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from arbiter.sandbox.forkserver.kernel import CLONE_NEWPID, join, unshare

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_PID = 100
"""The process ids of a bot start here in every match."""
LAST_PID = "/proc/sys/kernel/ns_last_pid"
GET_PID_FROM_PIDNS = 0x8004_B706
"""ioctl: the id in our namespace of a thread of another one (Linux >= 6.11)."""


class Numbered(NamedTuple):
    """A namespace (open), its first process, and a socket to ask that process to reset the ids."""

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
            for one in self._made[:bots]:
                one.socket.send(b".")
            for one in self._made[:bots]:
                if one.socket.recv(1) != b".":
                    raise OSError("process ids cannot be reset")
        except OSError:
            self._possible = False
        return [one.namespace for one in self._made] if self._possible else []

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
        unshare(CLONE_NEWPID)
        try:
            first = os.fork()
            if first == 0:
                with suppress(BaseException):
                    _serve_resets(theirs)
                os._exit(0)
        finally:
            join(self._own, CLONE_NEWPID)
            theirs.close()
        try:
            namespace = os.open(f"/proc/{first}/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            ours.close()
            raise
        return Numbered(namespace, first, ours)


def _serve_resets(asked: socket.socket) -> None:
    """Reset the ids of this process's namespace at each request, until the socket is closed."""
    mine = os.dup2(asked.fileno(), 3, inheritable=False)
    asked.detach()
    os.closerange(0, mine)
    os.closerange(mine + 1, os.sysconf("SC_OPEN_MAX"))
    asked = socket.socket(fileno=mine)
    while asked.recv(1):
        with suppress(OSError), open(LAST_PID, "wb", buffering=0) as last:  # a kernel may have no such file
            last.write(str(FIRST_PID - 1).encode())
        asked.send(b".")


def thread_from(namespace: int, thread: int) -> int:
    """Return the id here of a thread of another namespace; OSError if it has none, or on Linux < 6.11."""
    return fcntl.ioctl(namespace, GET_PID_FROM_PIDNS, thread)
