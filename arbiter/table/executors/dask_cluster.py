"""Matches on the workers of a running Dask cluster.

Theory of operation. Dask sends calls to workers and returns answers, and lists its workers; `dispatch`
assigns the matches, since Dask's own queue would replay finished matches when a worker dies, and play
several at a time on one worker. A worker is a slot: it is prepared (`worker_calls`), gets one match at a
time, bound to it, and when it leaves, its match in flight is void and cancelled in Dask at once. A worker
paused by Dask starts no calls, which Dask does not report: it is not a slot until Dask resumes it, when it
is prepared again.

All communication with Dask is in one thread, in the event loop that its client needs; the scheduler is
asked for its workers every second.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import threading
from collections import defaultdict
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import arbiter
from arbiter.errors import ConfigError, VoidMatch, WorkerLost
from arbiter.table.executors.dask_worker import DaskWorker, has_begun, pause_reason
from arbiter.table.executors.reach import REACH_SECONDS, connect, one_line, version_differences
from arbiter.table.executors.shipping import receive
from arbiter.table.executors.worker_calls import VERSION, Readiness, RemoteCall, WorkerNeeds, perform, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.match.spec import Player
    from arbiter.table.executors.dispatch import Call, Done, Slots
    from arbiter.table.executors.shipping import Parcel

POLL_SECONDS = 1.0
NAMED_SECONDS = 10.0
"""The time until a paused or silent worker is reported; shorter pauses are normal."""
GATHER_SECONDS = 5.0
"""The time at the start for further workers after the first is ready."""
CLOSE_SECONDS = 5.0
PART_BYTES = 4_000_000
"""Shipped folders are sent in parts: Dask warns of calls above 10 MB."""


class DaskCluster:
    """Keeps `slots` filled with the usable workers of a scheduler."""

    def __init__(
        self,
        scheduler: str,
        players: Sequence[Player],
        parcels: Sequence[Parcel],
        tier: str,
        slots: Slots,
        on_note: Callable[[str], None],
        patience: float,
    ) -> None:
        self._scheduler, self._slots, self._note = scheduler, slots, on_note
        self._patience = patience
        """The seconds that a scheduler may be silent."""
        self._parcels = {parcel.digest: parcel for parcel in parcels}
        self._shipped = {name: parcel.digest for parcel in parcels for name in parcel.names}
        self._needs = pickle.dumps(WorkerNeeds(tier, tuple(players), self._shipped))
        self._workers: dict[str, DaskWorker] = {}
        self._sending: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """By host: its workers share unpacked folders, so only one is sent to at a time."""
        self._numbers, self._name = count(1), os.urandom(8).hex()
        self._lost_early = False
        """True once the loss of a worker before it was ready is reported."""
        self._client: Any = None
        self._opened: Future[None] = Future()
        self.loop = asyncio.new_event_loop()
        self._main: asyncio.Task[None] | None = None
        # A daemon, so that a waiting Dask does not keep the process from ending.
        self._thread = threading.Thread(target=self._run_loop, name="dask", daemon=True)

    def open(self) -> None:
        """Connect, and return when a worker is ready; errors as in `remote.cluster`."""
        self._thread.start()
        self._opened.result()

    def close(self) -> None:
        """Disconnect; a match that still runs is void, though its worker plays it to the end."""
        with suppress(RuntimeError):  # the loop is closed already
            self.loop.call_soon_threadsafe(self._cancel_main)
        self._thread.join(2 * CLOSE_SECONDS)

    async def play(self, worker: DaskWorker, call: Call, done: Done) -> None:
        """Play one match on a worker that is ready, and call `done` with its result or error.

        A worker that gives no answer is forgotten and reported.
        """
        try:
            words = pickle.dumps((call.func, call.args, call.keywords))
        except Exception as error:
            done(None, error)
            return
        result, failed, answer = None, None, None
        try:
            name = getattr(call.args[0], "id", "call") if call.args else "call"
            key = worker.key = self._unique_key(name)
            answer = self._submit(worker, key, RemoteCall(perform, worker.process, key, self._shipped, words))
            result, failed = pickle.loads(await answer)
        except asyncio.CancelledError:
            failed = VoidMatch(self._slots.broken) if self._slots.broken else worker.lost()
        except Exception as error:
            failed = self._error_of_failure(worker, error)
        finally:
            done(result, failed)
            # Not before `done`: Dask would replay a call that is released while it is wanted.
            if answer is not None:
                answer.release()

    def _run_loop(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner, suppress(asyncio.CancelledError):
            runner.run(self._connect_and_watch())

    def _cancel_main(self) -> None:
        if self._main is not None:
            self._main.cancel()

    async def _connect_and_watch(self) -> None:
        """Connect, track the workers until the end, then fail waiting calls and disconnect."""
        self._main = asyncio.current_task()
        try:
            self._client = await connect(self._scheduler, self._note)
            await self._watch()
        except ConfigError as error:
            self._opened.set_exception(error)
        finally:
            # Fail all waiting calls.
            self._slots.give_up(f"the connection to {self._scheduler} has ended")
            self._resolve_open()
            tasks = []
            for worker in self._workers.values():
                worker.gone = True
                worker.cancel()
                if worker.task is not None:
                    tasks.append(worker.task)
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._client is not None:
                with suppress(Exception):
                    await asyncio.wait_for(self._client.close(), CLOSE_SECONDS)

    async def _watch(self) -> None:
        """Each second ask the scheduler for its workers, until it is gone; prepare new, forget lost ones."""
        start, silent = self.loop.time(), 0
        while True:
            try:
                asked = self._client.nthreads(), self._client.scheduler.ncores_running(workers=None)
                threads, running = await asyncio.wait_for(asyncio.gather(*asked), REACH_SECONDS)
            except TimeoutError:
                silent += 1
                if self._client.status != "running" or silent * REACH_SECONDS >= self._patience:
                    self._give_up_scheduler(f"has not answered for {silent * REACH_SECONDS:.0f} s")
                    return
                if silent == 1:
                    self._note(f"{self._scheduler} does not answer: waiting {self._patience:.0f} s for it")
                continue
            except Exception:
                self._give_up_scheduler()
                return
            silent = 0
            for address in self._workers.keys() - threads.keys():
                self._forget(self._workers[address])
            for worker in list(self._workers.values()):
                await self._check_worker(worker, paused=worker.address not in running)
            for address in threads.keys() - self._workers.keys():
                worker = self._workers[address] = DaskWorker(address, self.loop, self.play)
                worker.task = asyncio.create_task(self._prepare(worker, threads[address]))
            self._slots.tick(more_to_come=any(worker.preparing for worker in self._workers.values()))
            self._resolve_open(self.loop.time() - start > GATHER_SECONDS)
            await asyncio.sleep(POLL_SECONDS)

    async def _check_worker(self, worker: DaskWorker, paused: bool) -> None:
        """Report a worker unusable for `NAMED_SECONDS`; remove a paused one's slot, forget a resumed one."""
        late = self.loop.time() - worker.useful >= NAMED_SECONDS
        if worker.paused and not paused:
            # Its running match ends first; then it is prepared like a new one.
            if not worker.busy:
                self._forget(worker)
        elif worker.paused:
            if worker.busy and not await has_begun(self._client, worker.key):
                worker.cancel()
        elif not paused and not worker.preparing:
            worker.useful = self.loop.time()
        elif late and paused:
            worker.paused, worker.problem = True, await pause_reason(self._client, worker.address)
            if worker.ready:
                worker.ready = False
                self._slots.remove(worker)
            else:
                worker.cancel()
            self._note(f"the worker {worker.address} is not used: {worker.problem}")
        elif late and not worker.named:
            worker.named = True
            self._note(f"the worker {worker.address} does not answer yet: it may still play another match")

    def _resolve_open(self, late: bool = False) -> None:
        """Make `open` return or raise as soon as the outcome is known.

        If `late`, it returns with any slots, although workers are still being prepared.
        """
        if self._opened.done():
            return
        problems = [worker.problem for worker in self._workers.values()]
        if self._slots.size and (late or not any(worker.preparing for worker in self._workers.values())):
            self._opened.set_result(None)
        elif self._slots.broken:
            self._opened.set_exception(VoidMatch(self._slots.broken))
        elif problems and all(problems):
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            message = f"no worker at {self._scheduler} can be used: {problems[0]}{more}"
            self._opened.set_exception(ConfigError(message))

    async def _prepare(self, worker: DaskWorker, threads: int) -> None:
        """Prepare a worker and add its slot, or report why it cannot be used."""
        try:
            readiness = await self._readiness(worker, threads)
            worker.process, worker.problem = readiness.process, readiness.problem
        except ModuleNotFoundError:
            worker.problem = (
                f"it has no such arbiter: pip install 'arbiter-cards[dask]=={arbiter.__version__}' there"
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
        self._resolve_open()

    async def _readiness(self, worker: DaskWorker, threads: int) -> Readiness:
        """Send a worker the folders that it lacks, and return its readiness."""
        if threads != 1:
            return Readiness(f"it has {threads} threads, and a slot is one (start it with --nthreads 1)")
        told = await self._client.scheduler.broadcast(msg={"op": "versions"}, workers=[worker.address])
        if other := " and ".join(filter(None, version_differences(told[worker.address]))):
            return Readiness(f"it {other} (install the same there)")
        # A busy worker answers later.
        order = RemoteCall(prepare, VERSION, self._needs)
        readiness: Readiness = await self._call_worker(worker, order)
        if readiness.missing:
            async with self._sending[worker.host]:
                readiness = await self._call_worker(worker, order)
                for digest in readiness.missing:
                    await self._send_parcel(worker, self._parcels[digest])
            readiness = await self._call_worker(worker, order)
        return readiness

    async def _send_parcel(self, worker: DaskWorker, parcel: Parcel) -> None:
        size = len(parcel.tar)
        for offset in range(0, size, PART_BYTES):
            part, last = parcel.tar[offset : offset + PART_BYTES], offset + PART_BYTES >= size
            await self._call_worker(worker, RemoteCall(receive, parcel.digest, offset, part, last))

    async def _call_worker(self, worker: DaskWorker, order: RemoteCall) -> Any:
        """Have a worker run a call that is no match; return the result, and note the time of the answer."""
        future = self._submit(worker, self._unique_key("prepare"), order)
        try:
            answer = await future
            worker.useful = self.loop.time()
            return answer
        finally:
            future.release()

    def _submit(self, worker: DaskWorker, key: str, order: RemoteCall) -> Any:
        """Submit a call that only this worker may run, and only once."""
        return self._client.submit(
            pickle.loads,
            pickle.dumps(order),
            key=key,
            workers=[worker.address],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )

    def _unique_key(self, name: str) -> str:
        """Return a key for Dask that is unique among all calls of all processes."""
        return f"arbiter-{name}-{next(self._numbers)}-{self._name}"

    def _error_of_failure(self, worker: DaskWorker, failure: Exception) -> Exception:
        """Return the error of a match without an answer; forget its worker, or give up a lost scheduler."""
        if self._client.status != "running":
            self._give_up_scheduler()
            return VoidMatch(self._slots.broken)
        if not worker.gone:
            self._forget(worker)
        if isinstance(failure, VoidMatch):
            return failure
        return WorkerLost(f"the worker {worker.address} gave no answer: {one_line(failure)}")

    def _forget(self, worker: DaskWorker) -> None:
        """Remove a worker and its slot, report that, and cancel its match in flight, which is void."""
        worker.gone = True
        del self._workers[worker.address]
        if worker.ready:
            self._slots.remove(worker)
            self._note(f"the worker {worker.address} is gone: {self._slots.size} at once")
        elif worker.preparing and not self._lost_early:
            self._lost_early = True
            hint = "if its nanny ends it, start it with a larger --memory-limit"
            self._note(f"the worker {worker.address} is gone before it was ready: {hint}")
        if worker.task is not asyncio.current_task():
            worker.cancel()

    def _give_up_scheduler(self, how: str = "is gone") -> None:
        """Fail all waiting and later matches, and let `open` return or raise."""
        self._slots.give_up(f"the scheduler at {self._scheduler} {how}")
        self._resolve_open()
