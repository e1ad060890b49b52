"""Matches on the workers of a Dask cluster, which somebody else has started.

Theory of operation. Dask carries calls to workers and answers back, and tells which workers
there are; who plays what is decided here (`dispatch`), since Dask's own queueing would play
finished matches again when a worker dies, and several at a time on one worker. A worker is a
slot: it is asked to settle (`worker`), gets one match at a time, bound to it alone, and when it
leaves, its match in flight is void and taken back from Dask at once.

All talk with Dask is in one thread, in the event loop that its client needs; every second the
scheduler is asked which workers it has.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import threading
import warnings
from collections import defaultdict
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import arbiter
from arbiter.errors import ConfigError, VoidMatch
from arbiter.executors.shipping import receive
from arbiter.executors.worker import VERSION, Answer, Needs, Order, perform, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.executors.dispatch import Call, Done, Slots
    from arbiter.executors.shipping import Parcel
    from arbiter.match import Player

REACH_SECONDS = 10.0
"""So long may the scheduler take to answer."""
POLL_SECONDS = 1.0
SETTLE_SECONDS = 5.0
"""So long the start waits for further workers once one is ready."""
CLOSE_SECONDS = 5.0
PART_BYTES = 4_000_000
"""Shipped folders are sent in parts: Dask warns of calls above 10 MB."""


class Worker:
    """One worker of the cluster, as a slot (`dispatch.Slot`) once it is ready."""

    def __init__(self, coordinator: Coordinator, address: str) -> None:
        self.address = address
        self.host = urlsplit(address).hostname or address
        self.ready = False
        self.problem = ""
        """Why it is not used."""
        self.process = ""
        self.gone = False
        self.task: asyncio.Task[None] | None = None
        """What is being done with it: it is prepared, or a match is played."""
        self._coordinator = coordinator

    @property
    def coming(self) -> bool:
        """Whether it is being prepared, or waited for because it has something else to do."""
        return not self.ready and not self.problem

    def start(self, call: Call, done: Done) -> None:
        """Play a match; `done` is called in the coordinator's thread."""
        self._coordinator.loop.call_soon_threadsafe(self._start, call, done)

    def close(self, at_once: bool) -> None:
        """Nothing: the worker is not ours to end, and what it does ends with the coordinator."""

    def _start(self, call: Call, done: Done) -> None:
        if self.gone:
            done(None, self.died())
        else:
            self.task = asyncio.create_task(self._coordinator.play(self, call, done))
            self.task.add_done_callback(partial(self._see_begun, done))

    def _see_begun(self, done: Done, task: asyncio.Task[None]) -> None:
        # `play` hands on every end, but it never began if it was cancelled at once.
        if task.cancelled():
            done(None, self.died())

    def died(self) -> VoidMatch:
        """What becomes of the match in flight."""
        return VoidMatch(f"the worker {self.address} that played it died")


class Coordinator:
    """Keeps `slots` filled with the workers that the scheduler has and that can be used."""

    def __init__(
        self,
        scheduler: str,
        players: Sequence[Player],
        parcels: Sequence[Parcel],
        tier: str,
        slots: Slots,
        on_note: Callable[[str], None],
    ) -> None:
        self._scheduler, self._slots, self._note = scheduler, slots, on_note
        self._parcels = {parcel.digest: parcel for parcel in parcels}
        self._shipped = {name: parcel.digest for parcel in parcels for name in parcel.names}
        self._needs = pickle.dumps(Needs(tier, tuple(players), self._shipped))
        self._workers: dict[str, Worker] = {}
        self._sending: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """One sender a host: its workers share what has been unpacked."""
        self._numbers, self._name = count(1), os.urandom(8).hex()
        self._client: Any = None
        self._opened: Future[None] = Future()
        self.loop = asyncio.new_event_loop()
        self._main: asyncio.Task[None] | None = None
        # A daemon: nothing that Dask may wait for shall keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="dask", daemon=True)

    def open(self) -> None:
        """Connect, and return when a worker is ready; errors as `remote.cluster` has them."""
        self._thread.start()
        self._opened.result()

    def close(self) -> None:
        """Disconnect; what still runs is void for us, though its worker goes on to its end."""
        with suppress(RuntimeError):  # the loop is closed: its work was done
            self.loop.call_soon_threadsafe(self._cancel)
        self._thread.join(2 * CLOSE_SECONDS)

    async def play(self, worker: Worker, call: Call, done: Done) -> None:
        """Play one match on a worker that is ready, and hand its end on."""
        try:
            words = pickle.dumps((call.func, call.args, call.keywords))
        except Exception as error:
            done(None, error)
            return
        result, failed, answer = None, None, None
        try:
            name = getattr(call.args[0], "id", "call") if call.args else "call"
            key = self._key(name)
            answer = self._submit(worker, key, Order(perform, worker.process, key, self._shipped, words))
            result, failed = pickle.loads(await answer)
        except asyncio.CancelledError:
            failed = worker.died()
        except Exception as error:
            failed = self._failed(worker, error)
        finally:
            done(result, failed)
            # Not before: what is released and still wanted would have to be played again.
            if answer is not None:
                answer.release()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner, suppress(asyncio.CancelledError):
            runner.run(self._work())

    def _cancel(self) -> None:
        if self._main is not None:
            self._main.cancel()

    async def _work(self) -> None:
        self._main = asyncio.current_task()
        try:
            await self._connect()
            await self._watch()
        except ConfigError as error:
            self._opened.set_exception(error)
        finally:
            # However it ended, nobody shall wait for what cannot come.
            self._slots.give_up(f"the connection to {self._scheduler} has ended")
            self._see_opened()
            tasks = []
            for worker in self._workers.values():
                worker.gone = True
                if worker.task is not None:
                    worker.task.cancel()
                    tasks.append(worker.task)
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._client is not None:
                with suppress(Exception):
                    await asyncio.wait_for(self._client.close(), CLOSE_SECONDS)

    async def _connect(self) -> None:
        from distributed import Client

        silence()
        parts = urlsplit(self._scheduler)
        try:
            # Dask would try again and again where nobody listens.
            _, writer = await asyncio.wait_for(
                asyncio.open_connection(parts.hostname, parts.port), REACH_SECONDS
            )
            writer.close()
            self._client = Client(
                self._scheduler, asynchronous=True, timeout=REACH_SECONDS, set_as_default=False
            )
            await asyncio.wait_for(self._client, REACH_SECONDS + 1)
        except Exception as error:
            reason = getattr(error, "strerror", None) or one_line(error)
            if isinstance(error, TimeoutError):
                reason = f"nothing is heard for {REACH_SECONDS:.0f} s"
            hint = "" if isinstance(error, OSError) else "is this the scheduler's own port?"
            message = f"no Dask scheduler answers at {self._scheduler}: {reason}"
            raise ConfigError(message, hint=hint) from None

    async def _watch(self) -> None:
        """Follow which workers there are, until the scheduler is gone."""
        start = self.loop.time()
        while True:
            try:
                threads = await asyncio.wait_for(self._client.nthreads(), REACH_SECONDS)
            except Exception:
                self._lose_scheduler()
                return
            for address in self._workers.keys() - threads.keys():
                self._forget(self._workers[address])
            for address in threads.keys() - self._workers.keys():
                worker = self._workers[address] = Worker(self, address)
                worker.task = asyncio.create_task(self._prepare(worker, threads[address]))
            self._slots.tick(more_to_come=any(worker.coming for worker in self._workers.values()))
            self._see_opened(self.loop.time() - start > SETTLE_SECONDS)
            await asyncio.sleep(POLL_SECONDS)

    def _see_opened(self, late: bool = False) -> None:
        """Let `open` return as soon as it can be said how it ends."""
        if self._opened.done():
            return
        problems = [worker.problem for worker in self._workers.values()]
        if self._slots.size and (late or not any(worker.coming for worker in self._workers.values())):
            self._opened.set_result(None)
        elif self._slots.broken:
            self._opened.set_exception(VoidMatch(self._slots.broken))
        elif problems and all(problems):
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            message = f"no worker at {self._scheduler} can be used: {problems[0]}{more}"
            self._opened.set_exception(ConfigError(message))

    async def _prepare(self, worker: Worker, threads: int) -> None:
        """Make a worker ready, or find out why it cannot be used."""
        try:
            answer = await self._settled(worker, threads)
            worker.process, worker.problem = answer.process, answer.problem
        except ModuleNotFoundError:
            worker.problem = (
                f"it has no such arbiter: pip install 'arbiter[dask]=={arbiter.__version__}' there"
            )
        except Exception as error:
            worker.problem = f"it cannot be prepared: {one_line(error)}"
        worker.task = None
        if self._client.status != "running":
            return
        if worker.problem:
            self._note(f"the worker {worker.address} is not used: {worker.problem}")
        else:
            worker.ready = True
            self._slots.add(worker)
            if self._opened.done():
                self._note(f"the worker {worker.address} has come: {self._slots.size} at once")
        self._see_opened()

    async def _settled(self, worker: Worker, threads: int) -> Answer:
        if threads != 1:
            return Answer(f"it has {threads} threads, and a slot is one (start it with --nthreads 1)")
        answer = await self._settle(worker)
        if answer.missing:
            async with self._sending[worker.host]:
                answer = await self._settle(worker)
                for digest in answer.missing:
                    await self._send(worker, self._parcels[digest])
            answer = await self._settle(worker)
        return answer

    async def _settle(self, worker: Worker) -> Answer:
        """Ask a worker to settle; while it has something else to do, this waits."""
        answer: Answer = await self._ask(worker, Order(settle, VERSION, self._needs))
        return answer

    async def _send(self, worker: Worker, parcel: Parcel) -> None:
        size = len(parcel.tar)
        for offset in range(0, size, PART_BYTES):
            part, last = parcel.tar[offset : offset + PART_BYTES], offset + PART_BYTES >= size
            await self._ask(worker, Order(receive, parcel.digest, offset, part, last))

    async def _ask(self, worker: Worker, order: Order) -> Any:
        future = self._submit(worker, self._key("settle"), order)
        try:
            return await future
        finally:
            future.release()

    def _submit(self, worker: Worker, key: str, order: Order) -> Any:
        """A call that this worker alone may do, and only once."""
        return self._client.submit(
            pickle.loads,
            pickle.dumps(order),
            key=key,
            workers=[worker.address],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )

    def _key(self, name: str) -> str:
        """Dask's name for a call: no other call has it, of any coordinator."""
        return f"arbiter-{name}-{next(self._numbers)}-{self._name}"

    def _failed(self, worker: Worker, failure: Exception) -> Exception:
        """Why no answer came from a worker; it is prepared anew before it plays again."""
        if self._client.status != "running":
            self._lose_scheduler()
            return VoidMatch(self._slots.broken)
        if not worker.gone:
            self._forget(worker)
        if isinstance(failure, VoidMatch):
            return failure
        return VoidMatch(f"the worker {worker.address} gave no answer: {one_line(failure)}")

    def _forget(self, worker: Worker) -> None:
        """A worker is gone: its match in flight is void."""
        worker.gone = True
        del self._workers[worker.address]
        if worker.ready:
            self._slots.remove(worker)
            self._note(f"the worker {worker.address} is gone: {self._slots.size} at once")
        if worker.task is not None and worker.task is not asyncio.current_task():
            worker.task.cancel()

    def _lose_scheduler(self) -> None:
        self._slots.give_up(f"the scheduler at {self._scheduler} is gone")
        self._see_opened()


def silence() -> None:
    """Keep Dask's own lines from the terminal: what matters is said in ours."""
    prefixes = ("distributed", "tornado", "asyncio")
    for name in {*prefixes, *logging.root.manager.loggerDict}:
        if name.partition(".")[0] in prefixes:
            logger = logging.getLogger(name)
            logger.handlers[:] = [logging.NullHandler()]
            logger.propagate = False
    warnings.filterwarnings("ignore", module="distributed")


def one_line(error: BaseException) -> str:
    """An error of somebody else's, as one line."""
    text = str(error).splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
