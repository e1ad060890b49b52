"""Matches on this machine: `inline` in this process, `processes` in one worker process per core.

Each worker process is pinned with its bots to a separate core: only one of a match's processes runs at a
time, and a wake-up across cores costs more than the work.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from arbiter.errors import VoidMatch
from arbiter.match.spec import Limits
from arbiter.sandbox.cpu_affinity import take_core
from arbiter.sandbox.rootfs_client import SYSTEM
from arbiter.table.conductor import close_table
from arbiter.table.executors.dispatch import Slots

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from arbiter.table.executors.dispatch import Call, Done

StartMethod: TypeAlias = Literal["spawn", "fork"]
"""How a worker begins: as a new interpreter, or with the memory of this process as it is."""
CONTEXT = multiprocessing.get_context("spawn")
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Sent to the whole terminal or group; the main process decides for its workers."""


class InlineExecutor(Executor):
    """Runs each call when it is submitted, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run the call. Return a finished future."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class ProcessSlot:
    """A slot that is a worker process, started on first use.

    A pool of the standard library would need three more threads and two queues.
    """

    host = ""

    def __init__(self, core: int, method: StartMethod = "spawn") -> None:
        self._core, self._method = core, method
        self._worker: _Worker | None = None

    def start(self, call: Call, done: Done) -> None:
        """Send a call to the worker process, started first if it does not run."""
        if self._worker is None or not self._worker.send(call, done):
            with _interrupts_deferred():
                self._worker = _Worker(self._core, _is_confined(call), self._method)
            if not self._worker.send(call, done):
                done(None, VoidMatch("the worker process that was to play it could not be started"))

    def close(self, at_once: bool) -> None:
        """End the worker process after its call, or `at_once`."""
        if self._worker is not None:
            self._worker.close(at_once)


class _Worker:
    """A worker process at the other end of a pipe, and the thread that receives its answers."""

    def __init__(self, core: int, confines: bool, method: StartMethod) -> None:
        """`confines`: its bots have a root file system in memory, shared by all workers."""
        context: Any = CONTEXT if method == "spawn" else multiprocessing.get_context(method)
        system = SYSTEM.connect() if confines else None
        # Started by itself later, it would unblock the signals that are blocked below.
        resource_tracker.ensure_running()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, core, system))
        self._done: Done | None = None
        # Until the new process has set its handlers.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            with warnings.catch_warnings():
                # Python from 3.12 warns of locks held by other threads at a fork; a worker uses none.
                warnings.filterwarnings("ignore", ".*use of fork", DeprecationWarning)
                self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            if system is not None:
                system.close()
        theirs.close()
        threading.Thread(target=self._receive_answers, daemon=True).start()

    def send(self, call: Call, done: Done) -> bool:
        """Send it a call. Return False if the process is dead."""
        self._done = done
        try:
            self._pipe.send(call)
        except OSError:
            self._done = None
            return False
        return True

    def close(self, at_once: bool) -> None:
        """Kill the process if `at_once`, else let it finish its call; wait for its end."""
        if at_once:
            self._process.kill()
        with suppress(OSError):
            self._pipe.send(None)
        self._process.join()

    def _receive_answers(self) -> None:
        """Call `done` with each answer, or with a VoidMatch for none, until the process is dead."""
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
    """Yield an executor in this process; close its conductor at the end."""
    try:
        yield InlineExecutor()
    finally:
        close_table()


@contextmanager
def processes(workers: int, method: StartMethod = "spawn") -> Iterator[Slots]:
    """Yield worker processes, at most one per core; end them and their bots at the end.

    An exception kills the workers at once: their forkservers notice the closed sockets and clean up.
    """
    pool = Slots(ProcessSlot(core, method) for core in sorted(os.sched_getaffinity(0))[:workers])
    try:
        yield pool
        pool.shutdown()
    except BaseException:
        with _interrupts_deferred():
            pool.shutdown(cancel_futures=True)
        raise
    finally:
        SYSTEM.close()


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Handle signals of `ENDING` after the block: an exception within it would leave a worker running.

    Blocking them in this thread is not enough: another may receive them, and the main thread handles them.
    """
    came: list[int] = []
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: now for number in ENDING if callable(now := signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, lambda one, _: came.append(one))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def slots(wanted: int | None) -> int:
    """Return the number of matches to play at once: `wanted`, by default and at most the number of cores."""
    cores = len(os.sched_getaffinity(0))
    return min(wanted or cores, cores)


def _is_confined(call: Call) -> bool:
    limits = (getattr(arg, "limits", None) for arg in call.args)
    return any(isinstance(one, Limits) and one.isolation == "landlock" for one in limits)


def _work(pipe: Connection, core: int, system: socket.socket | None) -> None:
    """Run in a worker process: receive calls and send back results or errors, until None or the end."""
    take_core(core)
    if system is not None:
        SYSTEM.use(system)
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
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


def _exit_with_parent() -> None:
    """Wait for the end of the parent process, then end this one with status 1."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
