"""The client of a forkserver, the slim process that starts bots."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, VoidMatch
from arbiter.sandbox import forkserver
from arbiter.sandbox.forkserver.board import Board, new_file
from arbiter.sandbox.forkserver.dialogue import receive, send

if TYPE_CHECKING:
    from collections.abc import Sequence

GRACE_SECONDS = 15.0
"""The time limit for a forkserver to end its bots and itself; it waits 10 s for their descendants."""
KEEPER_SECONDS = 120.0
"""The time limit for the keeper of the system in memory to copy what a match needs."""
FILES = 256
"""The number of files that each process must be able to open; a match of four bots needs 72."""
MOST_DESCRIPTORS = 252
"""The kernel passes at most 253 descriptors in a message, and the message may take one."""


def check_system() -> None:
    """Raise ConfigError on a system that cannot start bots, or allows too few open files."""
    if not hasattr(os, "pidfd_open"):
        where = "docs/howto/macos-and-windows.md lists what works elsewhere"
        raise ConfigError("bots can be started only on Linux", hint=where)
    # Not on all systems.
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FILES:
        hint = f"raise the limit: `ulimit -n {FILES}`"
        raise ConfigError(f"open files: expected a limit of at least {FILES}, got {hard}", hint=hint)
    if soft != resource.RLIM_INFINITY and soft < FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))


class ForkserverClient:
    """A forkserver process, and requests to it."""

    def __init__(self, *words: str) -> None:
        """Start it as "staged" (bots in new namespaces if possible), "here" (none), or "keeper"."""
        check_system()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        board = new_file()
        self.board = Board(board)
        """The memory shared with it."""
        script = str(Path(forkserver.__file__).with_name("__main__.py"))
        try:
            # A new session, so that a Ctrl-C in the terminal does not end it.
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", script, str(theirs.fileno()), str(board), *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno(), board],
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise VoidMatch(f"cannot start the process that starts bots: {error.strerror}") from None
        finally:
            theirs.close()
            os.close(board)
        if words[0] == "keeper":
            ours.settimeout(KEEPER_SECONDS)
        self._set_up(ours, process)

    @classmethod
    def connected_to(cls, end: socket.socket) -> ForkserverClient:
        """Return a client of a keeper that another process has started, on this end of its socket."""
        end.settimeout(KEEPER_SECONDS)
        made = cls.__new__(cls)
        made._set_up(end, None)
        return made

    def _set_up(self, ours: socket.socket, process: subprocess.Popen[bytes] | None) -> None:
        self._socket, self._process = ours, process
        self._gone = False
        self.furnished = False
        """True once it has the data that is the same for all bots."""
        self.views: list[int] = []
        """The numbers of its views of the system in memory, the most recently used last."""
        self.staged = False
        """True once it has reported that it runs on a stage."""

    @property
    def pid(self) -> int:
        return 0 if self._process is None else self._process.pid

    @property
    def alive(self) -> bool:
        return not self._gone and (self._process is None or self._process.poll() is None)

    def ask(self, do: str, sent: Sequence[int] = (), **arguments: Any) -> tuple[Any, list[int]]:
        """Send a request; return the answer's value, in which it reports errors, and descriptors.

        VoidMatch if the process is gone, or a keeper silent for too long; `alive` is False from then on.
        """
        try:
            send(self._socket, {"do": do, "with": arguments}, sent)
            answer = receive(self._socket, MOST_DESCRIPTORS)
        except OSError as error:
            self._gone = True
            raise VoidMatch(f"the process that starts bots is gone: {error.strerror}") from None
        if answer is None:
            self._gone = True
            raise VoidMatch("the process that starts bots has died")
        return answer

    def hang_up(self) -> None:
        """Close the connection, from any thread: the process ends with its bots; `ask` raises VoidMatch."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the process, and with it every bot."""
        self._socket.close()
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE_SECONDS)
