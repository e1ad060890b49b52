"""Matches on this machine: `inline` in this process, `processes` in one worker process a core.

Each worker process is pinned, with the bots that it starts, to a core of its own: only one of a
match's processes runs at a time, and a wake-up across cores costs more than the work. A worker
that dies takes with it nothing but its match in flight, which is then void.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from arbiter.errors import VoidMatch
from arbiter.executors.dispatch import Slots
from arbiter.table.conduct import close_table
from arbiter.table.placement import take_core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from arbiter.executors.dispatch import Call, Done


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class InlineExecutor(Executor):
    """Runs each call when it is submitted, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is already done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class ProcessSlot:
    """One worker process at the other end of a pipe, started when it is first needed.

    A pool of the standard library does the same with three threads and two queues more.
    """

    host = ""

    def __init__(self, core: int) -> None:
        self._core = core
        self._worker: _Worker | None = None

    def start(self, call: Call, done: Done) -> None:
        """Send a call, to a new worker process where there is none or it died idle."""
        if self._worker is None or not self._worker.send(call, done):
            self._worker = _Worker(self._core)
            if not self._worker.send(call, done):
                done(None, VoidMatch("the worker process that was to play it could not be started"))

    def close(self, at_once: bool) -> None:
        """End the worker process."""
        if self._worker is not None:
            self._worker.close(at_once)


class _Worker:
    """A worker process, and the thread that hears its answers."""

    def __init__(self, core: int) -> None:
        context = multiprocessing.get_context("spawn")
        # When it is started, it lets signals in that are held back below.
        resource_tracker.ensure_running()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, core))
        self._done: Done | None = None
        with ctrl_c_blocked():
            self._process.start()
        theirs.close()
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, call: Call, done: Done) -> bool:
        """Have it run a call; False if it is dead."""
        self._done = done
        try:
            self._pipe.send(call)
        except OSError:
            self._done = None
            return False
        return True

    def close(self, at_once: bool) -> None:
        """Let it end, or end it."""
        if at_once:
            self._process.kill()
        with suppress(OSError):
            self._pipe.send(None)
        self._process.join()

    def _listen(self) -> None:
        while True:
            try:
                result, error = self._pipe.recv()
            except (EOFError, OSError):
                result, error = None, VoidMatch("the worker process that played it died")
            except Exception as failure:
                result, error = None, VoidMatch(f"its worker's answer cannot be read: {failure!r}")
            done, self._done = self._done, None
            if done is not None:
                done(result, error)
            elif error is not None:
                return


@contextmanager
def inline() -> Iterator[Executor]:
    """An executor in this process, whose table is closed at the end."""
    try:
        yield InlineExecutor()
    finally:
        close_table()


@contextmanager
def processes(workers: int) -> Iterator[Slots]:
    """Worker processes, at most one a core. On the way out they are gone, and their bots too.

    Leaving by an exception kills the workers at once: their launchers read the end of their
    sockets and leave nothing behind.
    """
    pool = Slots(map(ProcessSlot, sorted(os.sched_getaffinity(0))[:workers]))
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


@contextmanager
def ctrl_c_blocked() -> Iterator[None]:
    """Processes started in here hear no Ctrl-C and its like before they have said what it means to them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def slots(wanted: int | None) -> int:
    """How many matches to play at once: as asked for, but never more than there are cores."""
    cores = len(os.sched_getaffinity(0))
    return min(wanted or cores, cores)


def kill_workers() -> None:
    """Kill every worker process that this process started, and wait for them."""
    workers = multiprocessing.active_children()
    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.join()


def _work(pipe: Connection, core: int) -> None:
    """A worker's life: calls in, results or errors out, until there are no more."""
    _settle(core)
    try:
        while (call := pipe.recv()) is not None:
            answer: tuple[Any, Exception | None]
            try:
                answer = call(), None
            except Exception as error:
                answer = None, error
            pipe.send(answer)
    except EOFError:
        pass
    finally:
        close_table()


def _settle(core: int) -> None:
    """A worker's first act: its core, no ear for Ctrl-C, and an end with its coordinator's."""
    take_core(core)
    # These go to the whole terminal or group; the coordinator decides what they mean.
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    threading.Thread(target=_end_with_coordinator, daemon=True).start()


def _end_with_coordinator() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
