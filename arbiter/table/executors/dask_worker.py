"""One worker of a Dask cluster: as a slot (`dispatch.Slot`), and its state in Dask."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from arbiter.errors import WorkerLost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from arbiter.table.executors.dispatch import Call, Done

ASK_SECONDS = 2.0
"""The timeout of questions to the scheduler about a worker."""


class DaskWorker:
    """A slot once it is `ready`; `play` plays a match on it, in the event loop `loop`, and calls `done`."""

    def __init__(
        self,
        address: str,
        loop: asyncio.AbstractEventLoop,
        play: Callable[[DaskWorker, Call, Done], Awaitable[None]],
    ) -> None:
        self._loop, self._play = loop, play
        self.address = address
        self.host = urlsplit(address).hostname or address
        self.ready = False
        self.problem = ""
        """The reason why it is not used, or ""."""
        self.process = ""
        self.key = ""
        """Dask's key of its last match."""
        self.useful = loop.time()
        """When it was last usable, in the loop's seconds."""
        self.named = self.paused = self.gone = False
        self.task: asyncio.Future[None] | None = None
        """Its preparation, or the match that it plays."""

    @property
    def preparing(self) -> bool:
        """True while it is being prepared, or busy with other work before."""
        return not self.ready and not self.problem

    @property
    def busy(self) -> bool:
        """True while it is being prepared or plays a match."""
        return self.task is not None and not self.task.done()

    def start(self, call: Call, done: Done) -> None:
        """Play a match; `done` is called in the loop's thread."""
        self._loop.call_soon_threadsafe(self._start_task, call, done)

    def close(self, at_once: bool) -> None:
        """Do nothing: the cluster owns the worker, and its match ends with the connection."""

    def cancel(self) -> None:
        """Cancel its preparation or its match, which is void."""
        if self.task is not None:
            self.task.cancel()

    def lost(self) -> WorkerLost:
        """Return the error of its match in flight."""
        how = f"has not begun it: {self.problem}" if self.paused else "that played it died"
        return WorkerLost(f"the worker {self.address} {how}")

    def _start_task(self, call: Call, done: Done) -> None:
        """Call `play` as a task; `done` gets WorkerLost if that is cancelled before it begins."""
        if self.gone:
            done(None, self.lost())
        else:
            self.task = asyncio.ensure_future(self._play(self, call, done))
            # `play` always calls `done`, but it never begins if it is cancelled at once.
            self.task.add_done_callback(lambda task: done(None, self.lost()) if task.cancelled() else None)


async def has_begun(client: Any, key: str) -> bool:
    """Ask Dask if a call has begun on its worker; True, too, if it does not answer."""
    try:
        return bool(await asyncio.wait_for(client.call_stack(keys=[key]), ASK_SECONDS))
    except Exception:
        # It has ended, or Dask cannot tell now.
        return True


async def pause_reason(client: Any, address: str) -> str:
    """Ask Dask why it gives a worker no more calls, and return that for people."""
    with suppress(Exception):
        told = await asyncio.wait_for(client.scheduler.identity(), ASK_SECONDS)
        worker = told["workers"][address]
        if worker["status"] == "paused":
            used, most = worker["metrics"]["memory"] // 2**20, worker["memory_limit"] // 2**20
            return f"Dask has paused it at {used} MiB of {most} MiB (start it with a larger --memory-limit)"
    return "Dask gives it no more calls"
