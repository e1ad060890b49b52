"""The slim process that starts bots, and the dialogue with it."""

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
"""For a slim process to end its bots and itself: it gives up on their descendants after 10 s."""
KEEPER_SECONDS = 120.0
"""For the keeper of the system in memory to copy what a match needs."""
FILES = 256
"""The number of files that each process must be able to open; a match of four bots needs 72."""
MOST_DESCRIPTORS = 252
"""The kernel passes no more in one message, beside that of the message itself."""


def check_system() -> None:
    """ConfigError on a system where no bots can be started, or where too few files may be open."""
    if not hasattr(os, "pidfd_open"):
        where = "docs/howto/macos-and-windows.md says what works elsewhere"
        raise ConfigError("bots are started on Linux alone", hint=where)
    # Not on all systems.
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FILES:
        hint = f"allow {FILES}, as by `ulimit -n {FILES}`"
        raise ConfigError(f"a process may have {hard} files open here, too few to play", hint=hint)
    if soft != resource.RLIM_INFINITY and soft < FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))


class SlimProcess:
    """One slim process and the dialogue with it."""

    def __init__(self, *words: str) -> None:
        """Start it: to start bots, "staged" in namespaces of its own if it can, or "here"; or as "keeper"."""
        check_system()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        board = new_file()
        self.board = Board(board)
        """Memory that it shares with us."""
        script = str(Path(forkserver.__file__).with_name("__main__.py"))
        try:
            # A session of its own, so that a Ctrl-C in the terminal does not end it.
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
        self._take(ours, process)

    @classmethod
    def at(cls, end: socket.socket) -> SlimProcess:
        """A keeper that another process has started, at the end of a connection to it."""
        end.settimeout(KEEPER_SECONDS)
        made = cls.__new__(cls)
        made._take(end, None)
        return made

    def _take(self, ours: socket.socket, process: subprocess.Popen[bytes] | None) -> None:
        self._socket, self._process = ours, process
        self._gone = False
        self.furnished = False
        """True once it knows how bots are confined."""
        self.views: list[int] = []
        """The numbers of the views of the system in memory that it has, the one used last at the end."""
        self.staged = False
        """True once it has said that it is on a stage."""

    @property
    def pid(self) -> int:
        return 0 if self._process is None else self._process.pid

    @property
    def alive(self) -> bool:
        return not self._gone and (self._process is None or self._process.poll() is None)

    def ask(self, do: str, sent: Sequence[int] = (), **arguments: Any) -> tuple[Any, list[int]]:
        """Send a request, and descriptors; the answer's value and descriptors. VoidMatch if it is gone."""
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
        """End the dialogue from any thread: the process ends with every bot, and who waits gets VoidMatch."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End it, and with it every bot."""
        self._socket.close()
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE_SECONDS)
