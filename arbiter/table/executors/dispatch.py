"""A queue of calls, and slots that run one call at a time.

A slot is one core: a worker process on this machine (`local`), or a worker of a Dask cluster
(`dask_cluster`). Slots may be added and removed while calls wait. All matches of a table are played on one
host, so that they are comparable: the first to start binds the table to its slot's host.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from arbiter.errors import VoidMatch
from arbiter.match.spec import MatchSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MOVE_AFTER = 10.0
"""Seconds until the tables of a host without slots move to other hosts: slots may come back."""
PATIENCE = 60.0
"""Seconds without any slot until waiting calls fail."""

Call: TypeAlias = "partial[Any]"
Done: TypeAlias = "Callable[[Any, BaseException | None], None]"
"""Takes the call's result and None, or None and its error."""
TableKey: TypeAlias = "tuple[str, int | None, int]"


class Slot(Protocol):
    """Runs one call at a time."""

    @property
    def host(self) -> str:
        """The name of its machine."""

    def start(self, call: Call, done: Done) -> None:
        """Start a call on this slot, which is free; `done` is called when it ends, in any thread."""

    def close(self, at_once: bool) -> None:
        """End the slot, after its running call, or `at_once`."""


@dataclass(frozen=True, slots=True, eq=False)
class _Item:
    """A waiting call; `table` is None if it is not a match of a season."""

    future: Future[Any]
    call: Call
    table: TableKey | None


class SizedExecutor(Executor):
    """An executor with a known number of slots."""

    @property
    def size(self) -> int:
        """The number of slots."""
        raise NotImplementedError

    @property
    def at_once(self) -> int:
        """The number of slots to plan with, here `size`."""
        return self.size


class Slots(SizedExecutor):
    """Gives each free slot the first waiting call that may be played on its host.

    `place` is the location of the slots, for messages; `on_note` takes lines for the user. If slots are
    added and removed, `tick` must be called about once a second; `clock` returns seconds.
    """

    def __init__(
        self,
        slots: Iterable[Slot] = (),
        place: str = "this machine",
        on_note: Callable[[str], None] = lambda _: None,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._place, self._note, self._patience, self._clock = place, on_note, patience, clock
        # Reentrant: a call may end before its slot's `start` returns.
        self._lock = threading.RLock()
        self._quiet = threading.Condition(self._lock)
        self._slots = list(slots)
        self._most = len(self._slots)
        self._free = list(reversed(self._slots))
        self._running = 0
        self._waiting: deque[_Item] = deque()
        self._hosts: dict[TableKey, str] = {}
        self._left: dict[str, float] = {}
        """When each host without slots lost its last one."""
        self._empty_since: float | None = None
        self._closed = False
        self._broken = ""

    @property
    def size(self) -> int:
        return len(self._slots)

    @property
    def at_once(self) -> int:
        """`size`, or while there is no slot, the largest number so far."""
        return self.size or self._most

    @property
    def running(self) -> int:
        """The number of running calls."""
        return self._running

    @property
    def broken(self) -> str:
        """The reason of `give_up`, or ""."""
        return self._broken

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a call, void if its worker dies. VoidMatch after `give_up`, RuntimeError if shut down."""
        future: Future[Any] = Future()
        spec = args[0] if args and isinstance(args[0], MatchSpec) else None
        table = (spec.season, spec.round, spec.table) if spec and spec.table is not None else None
        with self._lock:
            if self._closed:
                raise VoidMatch(self._broken) if self._broken else RuntimeError("the executor was shut down")
            self._waiting.append(_Item(future, partial(fn, *args, **kwargs), table))
        self._start_waiting()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel waiting calls; kill the running ones if `cancel_futures`, else end slots after them.

        Returns at once without `wait`.
        """
        with self._lock:
            self._closed = True
            for item in self._waiting:
                item.future.cancel()
            self._waiting.clear()
            if wait and not cancel_futures:
                self._quiet.wait_for(lambda: not self._running)
            slots = list(self._slots)
        for slot in slots:
            slot.close(at_once=cancel_futures)

    def add(self, slot: Slot) -> None:
        """Add a free slot, and start waiting calls."""
        with self._lock:
            self._slots.append(slot)
            self._most = max(self._most, len(self._slots))
            self._free.append(slot)
            self._left.pop(slot.host, None)
        self._start_waiting()

    def remove(self, slot: Slot) -> None:
        """Remove a slot, which must end its running call."""
        with self._lock:
            self._slots.remove(slot)
            if slot in self._free:
                self._free.remove(slot)
            if all(other.host != slot.host for other in self._slots):
                self._left[slot.host] = self._clock()

    def tick(self, more_to_come: bool = False) -> None:
        """Move the tables of lost hosts, and give up without slots; `more_to_come`: one is being prepared."""
        now = self._clock()
        with self._lock:
            gone = {host for host, since in self._left.items() if now - since >= MOVE_AFTER}
            for host in gone:
                del self._left[host]
            self._hosts = {table: host for table, host in self._hosts.items() if host not in gone}
            if self._slots or self._closed:
                self._empty_since = None
            elif more_to_come:
                # Wait on; but workers that end before they are ready do not reset the patience.
                pass
            elif self._empty_since is None:
                self._empty_since = now
                self._note(f"there is no worker at {self._place}: waiting {self._patience:.0f} s for one")
            elif now - self._empty_since >= self._patience:
                self.give_up(f"no worker is left at {self._place}")
        if gone:
            self._start_waiting()

    def give_up(self, reason: str) -> None:
        """Fail all waiting and all later calls with VoidMatch."""
        with self._lock:
            if self._closed:
                return
            self._closed, self._broken = True, reason
            waiting, self._waiting = list(self._waiting), deque()
        for item in waiting:
            if item.future.set_running_or_notify_cancel():
                item.future.set_exception(VoidMatch(reason))

    def _start_waiting(self) -> None:
        """Start waiting calls on free slots while there is a pair that fits."""
        with self._lock:
            while not self._closed and (pair := self._take_pair()) is not None:
                slot, item = pair
                if item.future.set_running_or_notify_cancel():
                    self._free.remove(slot)
                    self._running += 1
                    if item.table is not None:
                        self._hosts[item.table] = slot.host
                    slot.start(item.call, partial(self._finish_call, slot, item.future))

    def _take_pair(self) -> tuple[Slot, _Item] | None:
        """Take the next call out of the queue. Return it with its slot, or None."""
        for slot in reversed(self._free):
            for place, item in enumerate(self._waiting):
                if item.table is None or self._hosts.get(item.table) in (None, slot.host):
                    del self._waiting[place]
                    return slot, item
        return None

    def _finish_call(self, slot: Slot, future: Future[Any], result: Any, error: BaseException | None) -> None:
        """Set the result of a call, free its slot, and start waiting calls."""
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)
        with self._lock:
            self._running -= 1
            if slot in self._slots:
                self._free.append(slot)
            self._quiet.notify_all()
        self._start_waiting()
