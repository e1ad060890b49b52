"""A worker's side of the slim processes that start and end its bots (`forkserver`)."""

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
from arbiter.table.sandbox.landlock import ground

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

GRACE_SECONDS = 15.0
MOST_DESCRIPTORS = 253
"""The kernel passes no more in one message."""


class Started(NamedTuple):
    """A bot's process: its id, our ends of its pipes (not blocking), a descriptor of the process itself.

    The last is the launcher's to close.
    """

    pid: int
    stdin: int
    stdout: int
    stderr: int
    process: int


class End(NamedTuple):
    """How a bot's process ended. `exit` as in `BotReport`; `out_of_memory`: by its control group's limit;
    `refused`: numbers of the system calls that it was refused, each once.
    """

    exit: int | None
    cpu_ns: int
    peak_memory_bytes: int
    out_of_memory: bool = False
    refused: Sequence[int] = ()


class Launcher:
    """Starts the bots of one match at a time; VoidMatch whenever our own machinery fails.

    Bots that are to be confined come from another slim process than others, each started when it is first
    needed.
    """

    def __init__(self) -> None:
        self._processes: dict[bool, SlimProcess] = {}
        self._bots: dict[int, tuple[int, int]] = {}
        """Process id of each bot of the match in progress to its descriptor and to its id for the slim
        process.
        """
        self._in_use: SlimProcess | None = None
        self.owner = os.getpid()
        self.staged = False
        """Whether the bots of the last match were on a stage."""
        self.in_place: tuple[str, ...] = ()
        """Folders of its players that were no copies there."""

    @property
    def alive(self) -> bool:
        """Whether it can be used: all that it has started is running, and started by this very process."""
        return self.owner == os.getpid() and all(slim.alive for slim in self._processes.values())

    @property
    def pids(self) -> list[int]:
        """The slim processes that there are."""
        return [slim.pid for slim in self._processes.values()]

    def start(self, bots: Sequence[Mapping[str, Any]]) -> list[Started]:
        """Start all bots; each a mapping of what `become_bot` needs."""
        staged = any(bot["stage"] for bot in bots)
        self._in_use = self._processes.get(staged) or self._processes.setdefault(staged, SlimProcess(staged))
        if not self._in_use.furnished and any(bot["confine"] is not None for bot in bots):
            self._in_use.furnished = True
            self._ask("furnish", **ground())
        answer, descriptors = self._ask("start", bots=list(bots))
        if "error" in answer:
            raise VoidMatch(answer["error"])
        self.staged, self.in_place = answer["staged"], tuple(answer["in_place"])
        started = []
        for inner, (*pipes, process) in zip(answer["pids"], _by_bot(descriptors), strict=True):
            for number in pipes:
                os.set_blocking(number, False)
            pid = process_id(process)
            self._bots[pid] = process, inner
            started.append(Started(pid, pipes[0], pipes[1], pipes[2], process))
        return started

    def ended(self, pid: int, seconds: float) -> End | None:
        """How a bot ended, waiting so long at most; None if it lives."""
        answer, _ = self._ask("ended", pid=self._bots[pid][1], seconds=seconds)
        return None if answer is None else End(**answer)

    def stop(self) -> dict[int, End]:
        """Kill all bots and what descends from them; nothing is left when this returns."""
        answer, _ = self._ask("stop")
        ends = {pid: End(**answer[str(inner)]) for pid, (_, inner) in self._bots.items()}
        self._forget()
        return ends

    def close(self) -> None:
        """End the slim processes and with them every bot."""
        for slim in self._processes.values():
            slim.close()
        self._forget()

    def _ask(self, do: str, **arguments: Any) -> tuple[Any, list[int]]:
        assert self._in_use is not None
        try:
            return self._in_use.ask(do, **arguments)
        except VoidMatch:
            self._kill_bots()
            raise

    def _kill_bots(self) -> None:
        """They die with the slim process, but for one that has thrown that off by starting a program anew."""
        for descriptor, _ in self._bots.values():
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        self._forget()

    def _forget(self) -> None:
        for descriptor, _ in self._bots.values():
            os.close(descriptor)
        self._bots.clear()


class SlimProcess:
    """One slim process and the dialogue with it. `staged`: it moves to namespaces of its own if it can."""

    def __init__(self, staged: bool) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        script = str(Path(forkserver.__file__).with_name("__main__.py"))
        where = "staged" if staged else "here"
        try:
            # A session of its own: a Ctrl-C in the terminal is the referee's to handle.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", script, str(theirs.fileno()), where],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise VoidMatch(f"cannot start the process that starts bots: {error.strerror}") from None
        finally:
            theirs.close()
        self._socket = ours
        self._gone = False
        self.furnished = False
        """Whether it knows how bots are confined."""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it is running."""
        return not self._gone and self._process.poll() is None

    def ask(self, do: str, **arguments: Any) -> tuple[Any, list[int]]:
        """One request, answered with a value and descriptors; VoidMatch if it is gone."""
        try:
            self._socket.send(json.dumps({"do": do, "with": arguments}).encode())
            message, descriptors, _, _ = socket.recv_fds(
                self._socket, forkserver.MESSAGE_LIMIT, MOST_DESCRIPTORS
            )
        except OSError as error:
            self._gone = True
            raise VoidMatch(f"the process that starts bots is gone: {error.strerror}") from None
        if not message:
            self._gone = True
            raise VoidMatch("the process that starts bots has died")
        return json.loads(message), descriptors

    def close(self) -> None:
        """End it, and with it every bot."""
        self._socket.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_SECONDS)


def _by_bot(descriptors: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return zip(*[iter(descriptors)] * forkserver.DESCRIPTORS_A_BOT, strict=True)


def process_id(descriptor: int) -> int:
    """The number that a process has for us, whatever it is in its own namespace."""
    with open(f"/proc/self/fdinfo/{descriptor}") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))
