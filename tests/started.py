"""Sites and applets in processes of their own, forked from one that has imported what they need.

From nothing, a site computes for two seconds before it listens, most of that to import. What belongs to a real start is
promised by tests/test_start.py and, with signals and kills, by tests/test_round_processes.py.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection

FROM = multiprocessing.get_context("forkserver")
FROM.set_forkserver_preload(["tests.imported"])


class _Job(NamedTuple):
    words: list[str]
    code: str
    folder: str
    environment: dict[str, str]
    cores: set[int]
    output: Connection
    log: str


class Started:
    """A command under way: what of `subprocess.Popen` a test asks for."""

    def __init__(
        self,
        *words: str | Path,
        log: str | Path = os.devnull,
        code: str = "",
        folder: str | Path = ".",
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """Its standard error goes into `log`; `code` is run in its process before."""
        output, theirs = FROM.Pipe(duplex=False)
        given = [str(word) for word in words]
        here, cores = str(Path(folder).absolute()), os.sched_getaffinity(0)
        job = _Job(given, code, here, dict(environment), cores, theirs, str(Path(log).absolute()))
        self._process = FROM.Process(target=_run, args=(job,))
        self._process.start()
        theirs.close()
        self.stdout = os.fdopen(os.dup(output.fileno()))
        output.close()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, seconds: float | None = None) -> int:
        self._process.join(seconds)
        code = self._process.exitcode
        assert code is not None, "it has not ended"
        return code

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def end(self, seconds: float) -> None:
        """Ask it to end, unless it has, and wait."""
        if self.poll() is None:
            self.send_signal(signal.SIGTERM)
        self.wait(seconds)
        self.stdout.close()


def _run(job: _Job) -> None:
    os.setsid()
    os.sched_setaffinity(0, job.cores)
    os.chdir(job.folder)
    os.environ.clear()
    os.environ.update(job.environment)
    os.dup2(job.output.fileno(), 1)
    job.output.close()
    with open(job.log, "a") as log:
        os.dup2(log.fileno(), 2)
    sys.argv = ["arbiter", *job.words]
    exec(job.code, {})
    from arbiter.cli import main

    main()
