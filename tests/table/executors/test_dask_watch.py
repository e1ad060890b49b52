"""What the coordinator makes of a Dask cluster's states: a client in memory, and a server for the first contact."""

from __future__ import annotations

import asyncio
import pickle
import queue
import warnings
from collections import defaultdict
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError, VoidMatch, WorkerLost
from arbiter.table.executors import cluster, dask_cluster
from arbiter.table.executors.reach import connect
from arbiter.table.executors.worker_calls import Readiness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.table.executors import Slots

pytest.importorskip("distributed", reason="distributed is not installed (pip install 'arbiter-cards[dask]')")
# Slow to import.
import dask.config
from distributed import Security
from distributed.core import Server
from distributed.versions import get_versions

SOON = 60
AT = "tcp://127.0.0.1:1"


class Answer(asyncio.Future[Any]):
    """A call of Dask's."""

    def release(self) -> None:
        """As a future of Dask's."""


class Client:
    """A client whose scheduler has `workers`, some `paused`; those `stuck` answer nothing."""

    status = "running"

    def __init__(self) -> None:
        self.scheduler = self
        self.workers: dict[str, int] = {}
        self.paused: set[str] = set()
        self.stuck: dict[str, bool] = {}
        """By address, whether calls begin there."""
        self.begun: set[str] = set()
        self.given: dict[str, list[Answer]] = defaultdict(list)
        self.versions = get_versions()
        self.numbers = count(1)
        self.flicker = False
        """Whether a worker comes, answers nothing and goes, again and again."""
        self.silent = 0
        """How often the scheduler does not answer in time."""

    async def nthreads(self) -> dict[str, int]:
        if self.silent:
            self.silent -= 1
            raise TimeoutError
        if self.flicker:
            address = f"{AT}{next(self.numbers)}"
            self.workers, self.stuck = ({}, {}) if self.workers else ({address: 1}, {address: True})
        return dict(self.workers)

    async def ncores_running(self, workers: None) -> dict[str, int]:
        return {address: 1 for address in self.workers if address not in self.paused}

    async def identity(self) -> dict[str, Any]:
        worker = {"status": "paused", "metrics": {"memory": 105 * 2**20}, "memory_limit": 128 * 2**20}
        return {"workers": dict.fromkeys(self.paused, worker)}

    async def broadcast(self, msg: dict[str, str], workers: list[str]) -> dict[str, Any]:
        assert msg == {"op": "versions"}
        return dict.fromkeys(workers, self.versions)

    async def call_stack(self, keys: list[str]) -> dict[str, Any]:
        return {key: "frames" for key in keys if key in self.begun}

    def submit(self, fn: object, call: bytes, key: str, workers: list[str], **_: object) -> Answer:
        (address,), answer = workers, Answer()
        if "prepare" not in key:
            self.given[address].append(answer)
        if address in self.stuck:
            self.begun |= {key} if self.stuck[address] else set()
        elif address not in self.paused:
            answer.set_result(Readiness(process="p") if "prepare" in key else pickle.dumps((address, None)))
        return answer

    def end(self, address: str, result: str) -> None:
        """End the only call that a worker was given."""
        (answer,) = self.given[address]
        answer.get_loop().call_soon_threadsafe(answer.set_result, pickle.dumps((result, None)))

    async def close(self) -> None:
        pass


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    made = Client()

    async def reached(*_: object) -> Client:
        return made

    monkeypatch.setattr(dask_cluster, "connect", reached)
    monkeypatch.setattr(dask_cluster, "POLL_SECONDS", 0.001)
    monkeypatch.setattr(dask_cluster, "NAMED_SECONDS", 0.0)
    return made


@pytest.fixture
def notes() -> queue.Queue[str]:
    """What the user is told."""
    return queue.Queue()


@pytest.fixture
def slots(client: Client, notes: queue.Queue[str]) -> Iterator[Slots]:
    """The cluster with one good worker."""
    client.workers[f"{AT}1"] = 1
    with suppress(KeyboardInterrupt), cluster(AT, [], on_note=notes.put) as executor:
        yield executor
        # A call that still runs is not waited for.
        raise KeyboardInterrupt


def wait_for_note(notes: queue.Queue[str], what: str) -> str:
    while what not in (note := notes.get(timeout=SOON)):
        pass
    return note


def test_a_paused_worker_is_named_and_the_match_that_it_has_not_begun_moves_on(
    client: Client, slots: Slots, notes: queue.Queue[str]
) -> None:
    client.stuck[f"{AT}1"] = False
    waiting = slots.submit(int)
    client.paused.add(f"{AT}1")
    why = "Dask has paused it at 105 MiB of 128 MiB (start it with a larger --memory-limit)"
    assert wait_for_note(notes, "not used") == f"the worker {AT}1 is not used: {why}"
    error = waiting.exception(SOON)
    assert isinstance(error, WorkerLost)
    assert str(error) == f"the worker {AT}1 has not begun it: {why}"
    again = slots.submit(int)
    client.workers[f"{AT}2"] = 1
    assert again.result(SOON) == f"{AT}2"
    client.stuck.clear()
    client.paused.clear()
    assert wait_for_note(notes, "11 has come") == f"the worker {AT}1 has come: 2 at once"


def test_a_match_that_has_begun_on_a_paused_worker_is_played_to_its_end_there(
    client: Client, slots: Slots, notes: queue.Queue[str]
) -> None:
    client.stuck[f"{AT}1"] = True
    running = slots.submit(int)
    client.paused.add(f"{AT}1")
    wait_for_note(notes, "is not used: Dask has paused it")
    client.workers[f"{AT}2"] = 1
    assert slots.submit(int).result(SOON) == f"{AT}2"
    assert not running.done()
    client.end(f"{AT}1", "there")
    assert running.result(SOON) == "there"


def test_if_dask_has_paused_every_worker_nothing_begins(client: Client, notes: queue.Queue[str]) -> None:
    client.workers[f"{AT}1"] = 1
    client.paused.add(f"{AT}1")
    with (
        pytest.raises(ConfigError, match=f"^no worker at {AT} can be used: Dask has paused it at 105 MiB"),
        cluster(AT, [], on_note=notes.put),
    ):
        raise AssertionError


def test_a_worker_that_does_not_answer_is_named_once(
    client: Client, slots: Slots, notes: queue.Queue[str]
) -> None:
    client.stuck[f"{AT}2"] = True
    client.workers[f"{AT}2"] = 1
    line = f"the worker {AT}2 does not answer yet: it may still play another match"
    assert wait_for_note(notes, f"{AT}2") == line
    client.workers[f"{AT}3"] = 1
    wait_for_note(notes, "has come: 2 at once")
    assert line not in notes.queue


def test_workers_that_end_before_they_are_ready_are_named_once_and_not_waited_for(
    client: Client, notes: queue.Queue[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client.flicker = True
    with (
        pytest.raises(VoidMatch, match=f"^no worker is left at {AT}$"),
        cluster(AT, [], on_note=notes.put, patience=0.1),
    ):
        raise AssertionError
    assert sum("is gone before it was ready" in note for note in notes.queue) == 1


def test_a_scheduler_that_answers_again_within_a_minute_is_waited_for(
    client: Client, slots: Slots, notes: queue.Queue[str]
) -> None:
    client.stuck[f"{AT}1"] = True
    running = slots.submit(int)
    client.silent = 5
    assert wait_for_note(notes, "60 s") == f"{AT} does not answer: waiting 60 s for it"
    client.workers[f"{AT}2"] = 1
    wait_for_note(notes, "has come: 2 at once")
    client.end(f"{AT}1", "late")
    assert running.result(SOON) == "late"


def test_after_a_minute_without_an_answer_of_the_scheduler_the_matches_are_void(
    client: Client, slots: Slots
) -> None:
    client.stuck[f"{AT}1"] = True
    running = slots.submit(int)
    client.silent = 6
    assert str(running.exception(SOON)) == f"the scheduler at {AT} has not answered for 60 s"
    with pytest.raises(VoidMatch, match="has not answered"):
        slots.submit(int)


@pytest.mark.parametrize(
    ("package", "theirs", "line"),
    [
        ("distributed", "2020.1.0", "has distributed 2020.1.0, this side "),
        ("python", "3.99.1.final.0", "has Python 3.99, this side 3."),
    ],
)
def test_a_worker_of_another_version_is_named_with_both(
    client: Client, slots: Slots, notes: queue.Queue[str], package: str, theirs: str, line: str
) -> None:
    client.versions = {"packages": client.versions["packages"] | {package: theirs}}
    client.workers[f"{AT}2"] = 1
    assert wait_for_note(notes, "not used").startswith(f"the worker {AT}2 is not used: it {line}")


def contact(address: str, here: Security | None, there: Security | None, **packages: str) -> str:
    """How the first contact with a server fails: `address` with its host and port in place of `{}`."""

    async def tried() -> str:
        versions = {"packages": get_versions()["packages"] | packages}
        server = Server({"versions": lambda: versions})
        if there:
            await server.listen("tls://127.0.0.1:0", **there.get_listen_args("scheduler"))
        else:
            await server.listen("tcp://127.0.0.1:0")
        at = server.address.partition("://")[2]
        try:
            await connect(address.format(at), lambda _: None)
        except ConfigError as error:
            return str(error).replace(at, "AT")
        finally:
            await server.close()
        raise AssertionError

    names = {"ca-file": "tls_ca_file", "client.cert": "tls_client_cert", "client.key": "tls_client_key"}
    keys = {f"distributed.comm.tls.{key}": getattr(here, name, None) for key, name in names.items()}
    with dask.config.set(keys):
        return asyncio.run(tried())


def certificates() -> Security:
    """A key and its certificate, which is its own authority."""
    pytest.importorskip("cryptography", reason="makes certificates")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Security.temporary()


def test_a_scheduler_of_another_dask_is_named_with_both_versions() -> None:
    line = contact("tcp://{}", None, None, distributed="2020.1.0")
    assert line.startswith("the scheduler at tcp://AT has distributed 2020.1.0, this side 2")


def test_each_mistake_with_tls_is_one_line_that_names_it() -> None:
    mine, others = certificates(), certificates()
    none = "no Dask scheduler answers at "
    assert contact("tcp://{}", mine, mine) == f"{none}tcp://AT: it speaks TLS (write tls://AT)"
    assert contact("tls://{}", mine, None) == (
        f"{none}tls://AT: it does not speak TLS (write tcp://AT, or start it with certificates)"
    )
    assert contact("tls://{}", None, mine).startswith(
        "tls://AT needs certificates, and none are configured here"
    )
    assert contact("tls://{}", others, mine).startswith(
        f"{none}tls://AT: its certificate is refused here: self"
    )


def test_certificates_that_cannot_be_read_are_named() -> None:
    here = Security(
        tls_ca_file="/nowhere/ca.pem", tls_client_cert="/nowhere/c.pem", tls_client_key="/nowhere/k.pem"
    )
    line = contact("tls://{}", here, None)
    assert line.startswith("the certificates for tls://AT cannot be read: there is no file /nowhere/ca.pem (")
