"""A process that plays attacks at a table and measures what they did; run by ``python -m``.

It reads one job a line on standard input and writes its report as a line on standard output, both JSON. One
worker plays all jobs, as in a season, the first one twice to warm up; a job with a `core` gets a launcher
there. It needs only the standard library and `arbiter`, so that another user can run it.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.errors import VoidMatch
from arbiter.match.clock import TimeControl
from arbiter.match.spec import Limits, MatchSpec
from arbiter.sandbox.core_accounts import idle_ns
from arbiter.sandbox.cpu_affinity import take_core
from arbiter.sandbox.forkserver.bot import descendants_of
from arbiter.sandbox.forkserver.kernel import PR_SET_PDEATHSIG, prctl
from arbiter.sandbox.launcher import End, Launcher
from arbiter.sandbox.player_command import register
from arbiter.sandbox.process_meter import read_schedstat
from arbiter.sandbox.rootfs_client import SYSTEM
from arbiter.table.channel import Channel
from arbiter.table.conductor import Conductor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.match.exchange import Reply, Send

GONE_WITHIN_MS = 20_000
NICE = 15


class TimedLauncher(Launcher):
    """Measures the time until the bots' ends are known and no process is left, less the run delays."""

    def __init__(self) -> None:
        super().__init__()
        self.stop_ns = self.ended_ns = 0
        self.watched: list[int] = []

    def stop(self) -> dict[int, End]:
        """Stop the bots and store the time in `stop_ns`; `watched` are open pidfds of all that must end."""
        start, delay = time.monotonic_ns(), self._run_delay_ns()
        for pidfd in self.watched:
            os.close(pidfd)
        self.watched = []
        for slim in self.pids:
            # On the stage the init process stays; the others must end.
            for pid in set(descendants_of(slim)) - set(init_processes(slim)):
                with suppress(ProcessLookupError):
                    self.watched.append(os.pidfd_open(pid))
        ends = super().stop()
        self.stop_ns = time.monotonic_ns() - start - (self._run_delay_ns() - delay)
        return ends

    def wait(self, pid: int, seconds: float) -> End | None:
        """Wait for a bot's end, and add the time to `ended_ns`."""
        start, delay = time.monotonic_ns(), self._run_delay_ns()
        end = super().wait(pid, seconds)
        self.ended_ns += time.monotonic_ns() - start - (self._run_delay_ns() - delay)
        return end

    def _run_delay_ns(self) -> int:
        """Read the run delay of this thread and of the forkservers, in ns."""
        total = 0
        for place in ["thread-self", *(one for slim in self.pids for one in (slim, *init_processes(slim)))]:
            with open(f"/proc/{place}/schedstat", "rb", buffering=0) as schedstat:
                total += read_schedstat(schedstat.fileno())[1]
        return total


def main() -> None:
    """Play each job of stdin, a line of JSON, and write its report to stdout."""
    everywhere = TimedLauncher()
    cores, nice = os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0)
    for number, line in enumerate(sys.stdin):
        job = json.loads(line)
        try:
            if number == 0:
                play(job, everywhere)
            if job.get("tried"):
                outcome = play_as_trial(job)
            elif job.get("core") is None:
                outcome = play(job, everywhere)
            else:
                take_core(job["core"])
                pinned = TimedLauncher()
                outcome = play(job, pinned)
                pinned.close()
                # Undo `take_core`, for the other launcher.
                os.sched_setaffinity(0, cores)
                os.setpriority(os.PRIO_PROCESS, 0, nice)
        except Exception as error:
            outcome = {"error": "".join(traceback.format_exception(error))}
        print(json.dumps(outcome), flush=True)
    everywhere.close()


def play_as_trial(job: dict[str, Any]) -> dict[str, Any]:
    """Play a job's match with a new launcher at low priority, as in a trial."""
    SYSTEM.close()
    launcher = TimedLauncher()
    try:
        play(job, launcher)
        for pid in (*launcher.pids, *(one for slim in launcher.pids for one in init_processes(slim))):
            os.setpriority(os.PRIO_PROCESS, pid, NICE)
        return play(job, launcher)
    finally:
        launcher.close()
        SYSTEM.close()


def play(job: dict[str, Any], launcher: TimedLauncher) -> dict[str, Any]:
    """Play the match of a job beside an idle new process, kill that, and return the report."""
    table = Conductor(launcher)
    bystander = os.fork()
    if bystander == 0:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        while True:
            signal.pause()
    unhurt = state_of(bystander)
    try:
        some_launcher = str((launcher.pids or [os.getpid()])[-1])
        names = {"{rival}": str(bystander), "{referee}": str(os.getpid()), "{launcher}": some_launcher}
        void = record = None
        gc.collect()
        launcher.ended_ns = 0
        before = reset_peak_memory()
        idle, busy = idle_ns(os.sched_getaffinity(0)), time.thread_time_ns()
        try:
            with measure_cpu_of_others(launcher) as beside:
                record = table.play(spec_of(job, names))
        except VoidMatch as error:
            void = str(error)
        held = time.thread_time_ns() - busy + (idle_ns(os.sched_getaffinity(0)) or 0) - (idle or 0)
        growth = status_of("self", "VmHWM") - before
        left = [
            pid for slim in launcher.pids for pid in set(descendants_of(slim)) - set(init_processes(slim))
        ]
        left += [pidfd for pidfd in launcher.watched if not wait_for_end(pidfd)]
        launcher.watched = []
        return {
            "void": void,
            "record": record and record.to_json(),
            "growth_bytes": growth,
            "held_ns": held,
            "kill_ns": launcher.ended_ns + launcher.stop_ns,
            "left": left,
            "bystander_before": unhurt,
            "bystander": state_of(bystander),
            "beside": beside,
        }
    finally:
        os.kill(bystander, signal.SIGKILL)
        os.waitpid(bystander, 0)


@contextmanager
def measure_cpu_of_others(launcher: TimedLauncher) -> Iterator[dict[str, int]]:
    """Measure CPU time in ns while other seats decide: of seat 1 and forkservers, and of the seat asked."""
    found = {"taken": 0, "thought": 0}
    seats: dict[int, int] = {}
    made, exchange = Channel.__init__, Channel.exchange

    def note_pid(channel: Channel, *arguments: Any) -> None:
        """Create the channel as usual; note its bot's pid by seat."""
        made(channel, *arguments)
        seats[channel.seat] = channel.pid

    def exchange_watched(channel: Channel, send: Send) -> Reply | int:
        """Exchange as usual; add the CPU time of the others and of the seat meanwhile."""
        if channel.seat == 1 or not send.asks or 1 not in seats:
            return exchange(channel, send)
        beside = [seats[1], *(pid for slim in launcher.pids for pid in (slim, *init_processes(slim)))]
        taken, thought = cpu_ns(beside), cpu_ns([channel.pid])
        reply = exchange(channel, send)
        found["taken"] += cpu_ns(beside) - taken
        found["thought"] += cpu_ns([channel.pid]) - thought
        return reply

    Channel.__init__, Channel.exchange = note_pid, exchange_watched  # type: ignore[method-assign, assignment]
    try:
        yield found
    finally:
        Channel.__init__, Channel.exchange = made, exchange  # type: ignore[method-assign]


def cpu_ns(pids: list[int]) -> int:
    """Read the CPU time of these processes in ns; ended ones count as 0."""
    total = 0
    for pid in pids:
        with suppress(OSError):
            total += time.clock_gettime_ns(~pid << 3 | 2)
    return total


def spec_of(job: dict[str, Any], names: dict[str, str]) -> MatchSpec:
    """Return the match that a job describes, with `names` replaced in the commands."""
    made = []
    for player in job["players"]:
        words = player["command"]
        for name, value in names.items():
            words = [word.replace(name, value) for word in words]
        made.append(register(player["name"], tuple(words), Path(player["folder"])))
    return MatchSpec(
        id="match", season="attacks", round=1, table=1, rotation=0, game="planning",
        options={"deals": job["deals"]}, seed="1", players=tuple(made),
        limits=Limits(
            time=TimeControl.parse(job["time"]), start_ns=job.get("start_ns", 20_000_000_000),
            memory_bytes=job["memory_bytes"], isolation=job["tier"], end=job.get("end", "kill"),
        ),
    )  # fmt: skip


def reset_peak_memory() -> int:
    """Reset this process's peak memory and return its current memory in bytes."""
    Path("/proc/self/clear_refs").write_text("5")
    return status_of("self", "VmRSS")


def status_of(pid: int | str, field: str) -> int:
    """Read a kB field of a process's status, in bytes; KeyError without that."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


def state_of(pid: int) -> dict[str, Any]:
    """Read a process's state, nice value, scheduling, cores and descriptor limit, which others can change."""
    return {
        "state": Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0],
        "nice": os.getpriority(os.PRIO_PROCESS, pid),
        "policy": os.sched_getscheduler(pid),
        "cores": len(os.sched_getaffinity(pid)),
        "descriptors": resource.prlimit(pid, resource.RLIMIT_NOFILE)[0],
    }


def init_processes(slim: int) -> list[int]:
    """Return the init process of each namespace of a forkserver; these stay from match to match."""
    return [pid for pid in descendants_of(slim) if namespace_pids(pid)[1:][-1:] == ["1"]]


def namespace_pids(pid: int) -> list[str]:
    """Read the pid of a process in each of its namespaces, from ours inwards."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1:] for line in lines if line.startswith("NSpid:"))


def wait_for_end(pidfd: int) -> bool:
    """Wait for a process to end; return whether it did, and close its pidfd."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    gone = bool(poll.poll(GONE_WITHIN_MS))
    os.close(pidfd)
    return gone


if __name__ == "__main__":
    main()
