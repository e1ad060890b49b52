"""Build sources in isolation: no network, only the system's files, and nothing persists.

    with built(launcher, source, ["make"], Bounds(disk_bytes=300_000_000)) as done:
        done.why or done.exit, done.output
        os.open("bot", os.O_RDONLY | os.O_NOFOLLOW, dir_fd=done.folder)

Theory of operation. The launcher starts bubblewrap like a bot, so that limits, seccomp filter, control groups
and the killing of all descendants are the same. A script runs before the build's command: it reports that it
runs, and waits. Then the referee opens the build's `tmpfs`, to read it when all its processes are dead.

What bubblewrap does not limit (files, total memory without control groups) is checked 20 times a second, as
is the time. The kernel counts processes, too: of the control group and, unless it is root, of the user in the
build's namespace.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.errors import VoidMatch
from arbiter.match.spec import Player
from arbiter.sandbox import bubblewrap
from arbiter.sandbox.awake_time import Awake
from arbiter.sandbox.cgroup import MOST_PROCESSES, group_settings
from arbiter.sandbox.forkserver.bot import children_of
from arbiter.sandbox.landlock import own_places, search_path
from arbiter.sandbox.program_files import SYSTEM_PATH
from arbiter.sandbox.runtimes import settings
from arbiter.sandbox.stderr import CHUNK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.sandbox.launcher import BotProcess, Launcher

READY = b"ready\n"
SCRIPT = f"""exec 2>&1 {bubblewrap.STATUS}>&-
echo ready
read go && cp -R {bubblewrap.SOURCE}/. {bubblewrap.WORK} && chmod -R u+w {bubblewrap.WORK} &&
cd {bubblewrap.WORK} && exec "$@" </dev/null"""
"""Waits until its `tmpfs` has been opened from outside, then runs the build."""
START_SECONDS = 60.0
"""The time limit for bubblewrap to start, on a machine busy with matches."""
LOOK_MS = 50
MOST_READ = 10 << 20
"""Bytes of output after which a build is ended."""
ASK_SECONDS = 10
COMPILERS = ("etc/fpc*.cfg", "etc/nim", "var/lib/ghc")
"""What the system's compilers read outside of the system's folders; none is secret."""


class Bounds(NamedTuple):
    """The limits of a build: `disk_bytes` of files in memory, `memory_bytes` a process, the others in all.

    The first and the last bytes of its output are kept, `output_bytes` in all.
    """

    disk_bytes: int
    seconds: float = 60.0
    memory_bytes: int = 1 << 30
    files: int = 50_000
    processes: int = MOST_PROCESSES
    output_bytes: int = 50_000


class Built(NamedTuple):
    """The result of a build: its exit code, or `why` it was ended; its output; the folder it wrote to.

    `exit` is negative for a signal, None if it was ended. `folder` is a descriptor, open within `built`; no
    process uses it any more, but its files are untrusted.
    """

    exit: int | None
    why: str
    output: bytes
    folder: int


def problem() -> str:
    """Return why this machine cannot build; "" if it can."""
    return bubblewrap.problem()


def tool(word: str) -> str:
    """Return the system's program for a word or path; "" if not found.

    For a version manager it is the real program, which the manager could not find within the build.
    """
    found = shutil.which(word, path=SYSTEM_PATH) or ""
    if Path(os.path.realpath(found)).name == "rustup":
        with suppress(OSError, subprocess.SubprocessError):
            answer = subprocess.run(
                [found, "--print", "sysroot"],
                capture_output=True,
                text=True,
                check=True,
                timeout=ASK_SECONDS,
                cwd="/",
            )
            return shutil.which(Path(word).name, path=f"{answer.stdout.strip()}/bin") or ""
    return found


@contextmanager
def built(
    launcher: Launcher,
    source: Path,
    command: Sequence[str],
    bounds: Bounds,
    languages: Sequence[Sequence[str]] = (),
) -> Iterator[Built]:
    """Run a command on a copy of the files in `source`; VoidMatch if the machine failed.

    The command's first word is looked up within the build, unless it is a path from `tool`. `languages` are
    as in a player.
    """
    (process,) = launcher.start([_request(source, command, bounds, languages)])
    folder = -1
    try:
        folder = _open_work(process)
        _limit_processes(process.pid, bounds.processes)
        os.write(process.stdin, b"go\n")
        watch = _Watch(launcher, process, folder, bounds)
        why = watch.wait_for_end()
        ends = launcher.stop()
        end = ends[process.pid]
        if end.out_of_memory:
            why = why or f"it needs more than {bounds.memory_bytes >> 20} MB of memory"
        yield Built(None if why else end.exit, why, watch.output, folder)
    finally:
        for descriptor in (process.stdin, process.stdout, process.stderr, folder):
            if descriptor >= 0:
                os.close(descriptor)
        launcher.stop()


def _request(
    source: Path, command: Sequence[str], bounds: Bounds, languages: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Return the launcher's request, as for a bot."""
    first = command[0]
    # A version manager's real program is outside of all named folders.
    outside = os.path.isabs(first) and str(Path(first).parent) not in SYSTEM_PATH.split(":")
    named = (*([(first,)] if outside else ()), *map(tuple, languages))
    places = own_places(Player("build", ("/bin/sh",), languages=named))
    places += tuple(sorted(str(path) for pattern in COMPILERS for path in Path("/").glob(pattern)))
    env = {"PATH": search_path(named), "HOME": bubblewrap.SCRATCH, "LANG": "C.UTF-8"}
    # By default, Go reads version control and uses the network.
    env |= {"GO111MODULE": "auto", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local", "GOPROXY": "off"}
    env |= settings(bounds.memory_bytes, False, bubblewrap.SCRATCH)
    words = ["/bin/sh", "-c", SCRIPT, "sh", *command]
    return {
        "env": env,
        "folder": "/",
        "memory_bytes": bounds.memory_bytes,
        "confine": None,
        "root": None,
        "seat": 0,
        "system": None,
        "cgroups": group_settings(bounds.memory_bytes + bounds.disk_bytes, bounds.processes),
        **bubblewrap.build_request(str(source), words, places, bounds.disk_bytes),
    }


def _open_work(process: BotProcess) -> int:
    """Open the folder that a build writes to, once `SCRIPT` runs."""
    said = b""
    until = time.monotonic() + START_SECONDS
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    while not said.endswith(READY):
        left = until - time.monotonic()
        chunk = b""
        if left > 0 and poll.poll(left * 1000):
            chunk = os.read(process.stdout, CHUNK)
        if not chunk:
            raise VoidMatch("a build could not be started in bubblewrap")
        said += chunk
    place = f"/proc/{process.pid}/root{bubblewrap.WORK}"
    try:
        return os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise VoidMatch(f"a build could not be started in bubblewrap: {error.strerror}") from None


def _limit_processes(pid: int, most: int) -> None:
    """Limit the tasks of a build's user in its namespace to `most`, and one more, which the watch finds."""
    # Not on all systems.
    import resource

    _, hard = resource.prlimit(pid, resource.RLIMIT_NPROC)
    limit = most + 1 if hard == resource.RLIM_INFINITY else min(most + 1, hard)
    resource.prlimit(pid, resource.RLIMIT_NPROC, (limit, limit))


class _Watch:
    """Reads a build's output and checks its limits until it ends."""

    def __init__(self, launcher: Launcher, process: BotProcess, folder: int, bounds: Bounds) -> None:
        self._launcher, self._process, self._folder, self._bounds = launcher, process, folder, bounds
        self._head, self._tail, self._read = bytearray(), bytearray(), 0

    @property
    def output(self) -> bytes:
        left = self._read - len(self._head) - len(self._tail)
        between = b"\n... %d bytes are left out ...\n" % left if left > 0 else b""
        return bytes(self._head) + between + bytes(self._tail)

    def wait_for_end(self) -> str:
        """Read output until the build ends or exceeds a limit; return that limit, or ""."""
        awake, looked = Awake(), -1.0
        poll = select.poll()
        poll.register(self._process.stdout, select.POLLIN)
        is_open = True
        while True:
            now = awake.seconds
            if now >= self._bounds.seconds:
                return f"it took longer than {self._bounds.seconds:g} s"
            if now - looked >= LOOK_MS / 1000:
                looked = now
                if why := self._exceeded_limit():
                    return why
            if is_open:
                is_open = not poll.poll(LOOK_MS) or self._read_chunk()
            elif self._launcher.wait(self._process.pid, LOOK_MS / 1000) is not None:
                return ""

    def _read_chunk(self) -> bool:
        """Read a chunk of output; False at its end."""
        try:
            chunk = os.read(self._process.stdout, CHUNK)
        except BlockingIOError:
            return True
        self._read += len(chunk)
        half = self._bounds.output_bytes // 2
        room = half - len(self._head)
        self._head += chunk[: max(room, 0)]
        self._tail = (self._tail + chunk[max(room, 0) :])[-half:]
        return bool(chunk)

    def _exceeded_limit(self) -> str:
        """Return the limit that is exceeded now, or ""."""
        bounds = self._bounds
        if self._read > MOST_READ:
            return f"it wrote more than {MOST_READ >> 20} MB of output"
        found = os.fstatvfs(self._folder)
        if found.f_files - found.f_ffree > bounds.files:
            return f"it made more than {bounds.files:,} files"
        family = _process_tree(self._process.pid, bounds.processes)
        if len(family) > bounds.processes:
            return f"it started more than {bounds.processes} processes"
        if sum(map(_own_memory, family)) > bounds.memory_bytes:
            return f"it needs more than {bounds.memory_bytes >> 20} MB of memory"
        return ""


def _process_tree(pid: int, limit: int) -> list[int]:
    """Return a process and its descendants, at most `limit` + 1."""
    found = [pid]
    for one in found:
        found += children_of(one)
        if len(found) > limit:
            break
    return found[: limit + 1]


def _own_memory(pid: int) -> int:
    """Return a process's anonymous memory in bytes; 0 if it is gone."""
    with suppress(OSError), open(f"/proc/{pid}/status", "rb") as status:
        for line in status:
            if line.startswith(b"RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0
