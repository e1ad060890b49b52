"""One thread that works for many: a piece of work at a time, each waited for as long as somebody cares to."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from arbiter.errors import ArbiterError

if TYPE_CHECKING:
    from collections.abc import Callable

_Work = tuple["Future[None]", "Callable[[], object]"]


class Busy(ArbiterError):
    """Something is under way, or the worker has ended."""


class Worker:
    """A thread that calls `prepare` first of all, and something `before` and `after` each piece of work.

    `late` is called with the error of one that nobody waited for any more.
    """

    def __init__(
        self,
        prepare: Callable[[], None],
        before: Callable[[], None],
        after: Callable[[], None],
        late: Callable[[BaseException], None],
    ) -> None:
        self.stopping = threading.Event()
        """Set when what is under way should end soon."""
        self._before, self._after, self._late = before, after, late
        self._lock = threading.Lock()
        self._ended = False
        self._under_way: Future[None] | None = None
        self._given: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, args=(prepare,), name="table", daemon=True).start()

    @property
    def busy(self) -> bool:
        """True while something is under way."""
        return self._under_way is not None

    def do(self, work: Callable[[], object], seconds: float) -> None:
        """Have something done, and wait for it so long; raises what it raises in that time, Busy at once."""
        done: Future[None] = Future()
        with self._lock:
            if self._under_way is not None:
                raise Busy("the table is busy: stop what runs, or wait for it")
            if self._ended:
                raise Busy("the table is closed")
            self._under_way = done
            self.stopping.clear()
        self._given.put((done, work))
        if _is_done(done, seconds):
            done.result()
        else:
            done.add_done_callback(self._tell)

    def wait(self, seconds: float) -> bool:
        """Wait for what is under way; True if nothing is any more."""
        under_way = self._under_way
        return under_way is None or _is_done(under_way, seconds)

    def end(self) -> None:
        """Begin nothing more."""
        with self._lock:
            self._ended = True
        self._given.put(None)

    def _run(self, prepare: Callable[[], None]) -> None:
        prepare()
        while (given := self._given.get()) is not None:
            done, work = given
            wrong: BaseException | None = None
            try:
                self._before()
                work()
            except BaseException as error:
                wrong = error
            self._under_way = None
            self._after()
            if wrong is None:
                done.set_result(None)
            else:
                done.set_exception(wrong)

    def _tell(self, done: Future[None]) -> None:
        error = done.exception()
        if error is not None:
            self._late(error)


def _is_done(future: Future[None], seconds: float) -> bool:
    """True once it is done, whatever came of it; False after so many seconds."""
    try:
        future.exception(seconds)
    except TimeoutError:
        return False
    return True
