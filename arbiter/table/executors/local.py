"""Matches on this machine: `inline` in this process, `processes` in one worker process per core.

Each worker process is pinned, with the bots that it starts, to a core of its own: only one of a
match's processes runs at a time, and a wake-up across cores costs more than the work.
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
from arbiter.match.spec import MatchSpec
from arbiter.sandbox.cpu_affinity import take_core
from arbiter.sandbox.rootfs_client import SYSTEM
from arbiter.table.conductor import close_table
from arbiter.table.executors.dispatch import Slots

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from arbiter.table.executors.dispatch import Call, Done

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Sent to the whole terminal or group; the main process decides what they mean for workers."""


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
    """A slot that is a worker process, started when it is first needed.

    A pool of the standard library needs three threads and two queues more.
    """

    host = ""

    def __init__(self, core: int) -> None:
        self._core = core
        self._worker: _Worker | None = None

    def start(self, call: Call, done: Done) -> None:
        """Send a call to the worker process; to a new one if there is none or it died idle."""
        if self._worker is None or not self._worker.send(call, done):
            self._worker = _Worker(self._core, _confines(call))
            if not self._worker.send(call, done):
                done(None, VoidMatch("the worker process that was to play it could not be started"))

    def close(self, at_once: bool) -> None:
        """End the worker process."""
        if self._worker is not None:
            self._worker.close(at_once)


class _Worker:
    """A worker process at the other end of a pipe, and the thread that receives its answers."""

    def __init__(self, core: int, confines: bool) -> None:
        """`confines`: its bots see a system in memory, which all workers share."""
        context = multiprocessing.get_context("spawn")
        system = SYSTEM.connect() if confines else None
        # Started by itself later, it would unblock the signals that are blocked below.
        resource_tracker.ensure_running()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, core, system))
        self._done: Done | None = None
        # Until the new process has said what they mean to it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            if system is not None:
                system.close()
        theirs.close()
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, call: Call, done: Done) -> bool:
        """Run a call there; False if the process is dead."""
        self._done = done
        try:
            self._pipe.send(call)
        except OSError:
            self._done = None
            return False
        return True

    def close(self, at_once: bool) -> None:
        """Let the process end, or kill it."""
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
    """An executor in this process; its table is closed at the end."""
    try:
        yield InlineExecutor()
    finally:
        close_table()


@contextmanager
def processes(workers: int) -> Iterator[Slots]:
    """Worker processes, at most one per core; they and their bots are gone at the end.

    An exception kills the workers at once: their slim processes read the end of their sockets and
    leave nothing behind.
    """
    pool = Slots(map(ProcessSlot, sorted(os.sched_getaffinity(0))[:workers]))
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    else:
        pool.shutdown()
    finally:
        SYSTEM.close()


def slots(wanted: int | None) -> int:
    """The number of matches to play at once: the wanted one, but no more than there are cores."""
    cores = len(os.sched_getaffinity(0))
    return min(wanted or cores, cores)


def _confines(call: Call) -> bool:
    return any(isinstance(arg, MatchSpec) and arg.limits.isolation == "landlock" for arg in call.args)


def _work(pipe: Connection, core: int, system: socket.socket | None) -> None:
    """Run in a worker process: receive calls and send back results or errors, until there are no more."""
    take_core(core)
    if system is not None:
        SYSTEM.use(system)
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    threading.Thread(target=_end_with_parent, daemon=True).start()
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


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
