"""A worker's side of the slim process that starts and ends its bots (`forkserver.py`)."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.errors import VoidMatch
from arbiter.table import forkserver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GRACE_SECONDS = 15.0


class Started(NamedTuple):
    """A bot's process: its id, and our ends of its pipes (not blocking)."""

    pid: int
    stdin: int
    stdout: int
    stderr: int


class End(NamedTuple):
    """How a bot's process ended. `exit` as in `BotReport`; `out_of_memory`: by its control group's limit."""

    exit: int | None
    cpu_ns: int
    peak_memory_bytes: int
    out_of_memory: bool = False


class Launcher:
    """Starts the bots of one match at a time; VoidMatch whenever our own machinery fails."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        script = str(Path(forkserver.__file__))
        # A session of its own: a Ctrl-C in the terminal is the referee's to handle.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", script, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        self._socket = ours
        self._bots: list[int] = []
        """Descriptors of the bots of the match in progress."""
        self.owner = os.getpid()

    @property
    def alive(self) -> bool:
        """Whether it can be used: running, and started by this very process."""
        return self.owner == os.getpid() and self._process.poll() is None

    def start(self, bots: Sequence[Mapping[str, Any]]) -> list[Started]:
        """Start all bots; each a mapping of argv, env, folder and memory_bytes."""
        answer, descriptors = self._ask("start", bots=list(bots))
        if "error" in answer:
            raise VoidMatch(answer["error"])
        for number in descriptors:
            os.set_blocking(number, False)
        for pid in answer["pids"]:
            with suppress(ProcessLookupError):
                self._bots.append(os.pidfd_open(pid))
        ends = zip(*[iter(descriptors)] * 3, strict=True)
        return [Started(pid, *three) for pid, three in zip(answer["pids"], ends, strict=True)]

    def ended(self, pid: int, seconds: float) -> End | None:
        """How a bot ended, waiting so long at most; None if it lives."""
        answer, _ = self._ask("ended", pid=pid, seconds=seconds)
        return None if answer is None else End(**answer)

    def stop(self) -> dict[int, End]:
        """Kill all bots and what descends from them; nothing is left when this returns."""
        answer, _ = self._ask("stop")
        self._forget()
        return {int(pid): End(**end) for pid, end in answer.items()}

    def close(self) -> None:
        """End the slim process and with it every bot."""
        self._socket.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_SECONDS)
        self._forget()

    def _ask(self, do: str, **arguments: Any) -> tuple[Any, list[int]]:
        try:
            self._socket.send(json.dumps({"do": do, "with": arguments}).encode())
            message, descriptors, _, _ = socket.recv_fds(self._socket, forkserver.MESSAGE_LIMIT, 3 * 64)
        except OSError as error:
            self._kill_bots()
            raise VoidMatch(f"the process that starts bots is gone: {error.strerror}") from None
        if not message:
            self._kill_bots()
            raise VoidMatch("the process that starts bots has died")
        return json.loads(message), descriptors

    def _kill_bots(self) -> None:
        """They die with the slim process, but for one that has thrown that off by starting a program anew."""
        for descriptor in self._bots:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        self._forget()

    def _forget(self) -> None:
        for descriptor in self._bots:
            os.close(descriptor)
        self._bots.clear()
