"""Calls in workers forked from this process: functions of a notebook cannot be sent to other ones.

with closing(each_in_fork(play, specs, workers=2)) as done:
    for spec, future in done:
        future.result()
"""

from __future__ import annotations

import random
import sys
from concurrent.futures import FIRST_COMPLETED, wait
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from arbiter.table.executors.local import processes

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from concurrent.futures import Future

Job = TypeVar("Job")
Result = TypeVar("Result")
_CALLS: dict[int, Callable[[Any], Any]] = {}
"""What workers run: they have the memory of this process as it was when they were forked."""


def each_in_fork(
    run: Callable[[Job], Result], jobs: Iterator[Job], workers: int
) -> Generator[tuple[Job, Future[Result]]]:
    """Yield each of `jobs` with its future, done, as `run` ends it in a worker. Close it to end the workers.

    A job is drawn as late as possible, since it may depend on earlier results.
    """
    _CALLS[id(run)] = run
    try:
        with processes(workers, "fork") as pool:
            running: dict[Future[Result], Job] = {}
            while True:
                # One ahead, so that no worker waits.
                for job in islice(jobs, pool.size + 1 - len(running)):
                    running[pool.submit(_run, job, id(run))] = job
                if not running:
                    return
                done = wait(running, return_when=FIRST_COMPLETED).done
                # A failed one last, so that the others are kept.
                for future in sorted(done, key=lambda one: one.exception() is not None):
                    yield running.pop(future), future
    finally:
        del _CALLS[id(run)]


def seed_generators(seed: str) -> None:
    """Seed the global generators of Python and NumPy: all workers have copies of the same ones."""
    random.seed(seed)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(random.getrandbits(32))


def _run(job: Any, key: int) -> Any:
    return _CALLS[key](job)
