"""Where matches are played: each executor is a `concurrent.futures.Executor`.

`inline` plays in this process (tests, debuggers). `processes` keeps one worker process a slot,
each pinned, with the bots that it starts, to a core of its own: only one of a match's processes
runs at a time, and a wake-up across cores costs more than the work. A worker that dies takes
with it nothing but its match in flight, which is then void.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from arbiter.errors import VoidMatch
from arbiter.table.conduct import close_table
from arbiter.table.placement import take_core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


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


class Slots(Executor):
    """One worker process a core; a call waits until a slot is free.

    Each slot is a pool of one process, so that a dead worker is told from its living neighbours.
    """

    def __init__(self, cores: Sequence[int]) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._lock = threading.RLock()
        self._closed = False
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._free = [(core, self._pool(core)) for core in cores]
        self._pools = dict(self._free)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a call; VoidMatch as its exception when its worker dies under it."""
        future: Future[Any] = Future()
        with self._lock:
            self._waiting.append((future, partial(fn, *args, **kwargs)))
        self._dispatch()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the running calls end, or with `cancel_futures` kill the workers at once."""
        with self._lock:
            self._closed = True
            for future, _ in self._waiting:
                future.cancel()
            self._waiting.clear()
            pools = list(self._pools.values())
        if cancel_futures:
            kill_workers()
        for pool in pools:
            pool.shutdown(wait, cancel_futures=True)

    def _pool(self, core: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, self._context, _settle, (core,))

    def _dispatch(self) -> None:
        with self._lock:
            while self._free and self._waiting and not self._closed:
                future, call = self._waiting.popleft()
                if not future.set_running_or_notify_cancel():
                    continue
                core, pool = self._free.pop()
                # The worker's process may be started here.
                with ctrl_c_blocked():
                    try:
                        inner = pool.submit(call)
                    except BrokenProcessPool:  # it died while idle
                        pool = self._pools[core] = self._pool(core)
                        inner = pool.submit(call)
                inner.add_done_callback(partial(self._done, core, pool, future))

    def _done(self, core: int, pool: ProcessPoolExecutor, future: Future[Any], inner: Future[Any]) -> None:
        error = inner.exception()
        with self._lock:
            if isinstance(error, BrokenProcessPool):
                error = VoidMatch("the worker process that played it died")
                if not self._closed:
                    pool = self._pools[core] = self._pool(core)
            self._free.append((core, pool))
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(inner.result())
        self._dispatch()


@contextmanager
def inline() -> Iterator[Executor]:
    """An executor in this process, whose table is closed at the end."""
    try:
        yield InlineExecutor()
    finally:
        close_table()


@contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Worker processes, at most one a core. On the way out they are gone, and their bots too.

    Leaving by an exception kills the workers at once: their launchers read the end of their
    sockets and leave nothing behind.
    """
    pool = Slots(sorted(os.sched_getaffinity(0))[:workers])
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


@contextmanager
def ctrl_c_blocked() -> Iterator[None]:
    """Processes started in here do not hear Ctrl-C before they have said what it means to them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
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


def _settle(core: int) -> None:
    """A worker's first act: its core, no ear for Ctrl-C, and an end with its coordinator's."""
    take_core(core)
    # Ctrl-C goes to the whole terminal; the coordinator decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_coordinator, daemon=True).start()


def _end_with_coordinator() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
