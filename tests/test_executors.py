"""Executors: one process a slot, pinned; a dead worker costs its own match only."""

from __future__ import annotations

import multiprocessing
import os
import signal

import pytest

from arbiter.errors import VoidMatch
from arbiter.executors import inline, processes, slots


def core_and_pid() -> tuple[set[int], int]:
    return os.sched_getaffinity(0), os.getpid()


def end(pid: int | None = None) -> None:
    os.kill(pid or os.getpid(), signal.SIGKILL)


def test_inline_gives_results_and_errors() -> None:
    with inline() as executor:
        assert executor.submit(divmod, 7, 2).result() == (3, 1)
        assert isinstance(executor.submit(divmod, 1, 0).exception(), ZeroDivisionError)


def test_never_more_slots_than_cores() -> None:
    cores = len(os.sched_getaffinity(0))
    assert slots(None) == cores
    assert slots(1) == 1
    assert slots(10_000) == cores


@pytest.mark.process
def test_each_worker_has_one_core_and_no_two_the_same() -> None:
    with processes(slots(2)) as executor:
        seen = [executor.submit(core_and_pid).result() for _ in range(4)]
    cores = {pid: affinity for affinity, pid in seen}
    assert all(len(affinity) == 1 for affinity in cores.values())
    assert len({min(affinity) for affinity in cores.values()}) == len(cores)


@pytest.mark.process
def test_a_worker_that_dies_makes_its_own_match_void_and_no_other() -> None:
    with processes(1) as executor:
        first, second = executor.submit(end), executor.submit(core_and_pid)
        with pytest.raises(VoidMatch, match="worker process"):
            first.result()
        assert second.result()[1] != os.getpid()


@pytest.mark.process
def test_an_idle_worker_that_dies_is_replaced() -> None:
    with processes(1) as executor:
        _, pid = executor.submit(core_and_pid).result()
        end(pid)
        for worker in multiprocessing.active_children():
            worker.join()
        # The first call may still be given to the dead one, and is then void.
        executor.submit(core_and_pid).exception()
        assert executor.submit(core_and_pid).result()[1] != pid


@pytest.mark.process
def test_leaving_by_an_exception_kills_the_workers_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), processes(1) as executor:
        running = executor.submit(signal.pause)
        raise KeyboardInterrupt
    assert isinstance(running.exception(), VoidMatch)
    assert multiprocessing.active_children() == []
