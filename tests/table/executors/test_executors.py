"""Executors: who plays what next; one process a slot, pinned; a dead worker costs its own match only."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import sys
import tempfile
import threading
from contextlib import closing
from dataclasses import replace
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError, VoidMatch
from arbiter.match.clock import TimeControl
from arbiter.match.spec import Limits, MatchSpec, Player
from arbiter.table.executors import Slots, cluster, inline, processes, slots
from arbiter.table.executors.forked import each_in_fork
from arbiter.table.executors.shipping import pack, place, receive, relocate, unpack
from arbiter.table.private_folder import claim_core, private_folder

if TYPE_CHECKING:
    from concurrent.futures import Future

    from arbiter.table.executors.dispatch import Call, Done


def core_and_pid() -> tuple[set[int], int]:
    return os.sched_getaffinity(0), os.getpid()


def end(pid: int | None = None) -> None:
    os.kill(pid or os.getpid(), signal.SIGKILL)


class Seat:
    """A slot that does nothing with a call: the test ends it."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.call: tuple[Call, Done] | None = None
        self.closed: bool | None = None

    def start(self, call: Call, done: Done) -> None:
        assert self.call is None
        self.call = call, done

    def close(self, at_once: bool) -> None:
        self.closed = at_once

    def plays(self) -> str | None:
        """The match that is played here now."""
        return self.call and self.call[0].args[0].id

    def end(self, error: Exception | None = None) -> None:
        assert self.call is not None
        (call, done), self.call = self.call, None
        done(None if error else call(), error)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def match(table: int | None, rotation: int) -> MatchSpec:
    limits = Limits(TimeControl.parse("1s"), None, 1)
    name = f"t{table}/m{rotation}"
    return MatchSpec(name, "tests", 1, table, rotation, "planning", {}, "1", (), limits)


def id_of(spec: MatchSpec) -> str:
    return spec.id


def submitted(executor: Slots, *places: tuple[int | None, int]) -> list[Future[str]]:
    return [executor.submit(id_of, match(*place)) for place in places]


def test_all_matches_of_a_table_are_played_on_the_host_of_its_first() -> None:
    one, two = Seat("one"), Seat("two")
    executor = Slots([one, two])
    futures = submitted(executor, (1, 0), (1, 1), (1, 2), (2, 0), (2, 1))
    assert (one.plays(), two.plays()) == ("t1/m0", "t2/m0")
    two.end()
    assert two.plays() == "t2/m1"
    two.end()
    # What waits is bound to the other host.
    assert (one.plays(), two.plays()) == ("t1/m0", None)
    one.end()
    one.end()
    one.end()
    assert [future.result(0) for future in futures] == ["t1/m0", "t1/m1", "t1/m2", "t2/m0", "t2/m1"]


def test_matches_outside_a_season_are_played_wherever_a_slot_is_free() -> None:
    one, two = Seat("one"), Seat("two")
    executor = Slots([one, two])
    submitted(executor, (None, 0), (None, 1))
    assert (one.plays(), two.plays()) == ("tNone/m0", "tNone/m1")


def test_a_table_moves_on_when_its_host_has_been_without_a_slot_for_ten_seconds() -> None:
    clock = Clock()
    one, two = Seat("one"), Seat("two")
    executor = Slots([one], clock=clock)
    first, _, _ = submitted(executor, (1, 0), (1, 1), (1, 2))
    executor.add(two)
    executor.remove(one)
    one.end(VoidMatch("it died"))
    assert isinstance(first.exception(0), VoidMatch)
    clock.now = 9.9
    executor.tick()
    assert (one.plays(), two.plays()) == (None, None)
    clock.now = 10.0
    executor.tick()
    assert two.plays() == "t1/m1"
    # Now it is bound to the second host.
    executor.add(Seat("one"))
    two.end()
    assert two.plays() == "t1/m2"


def test_a_table_stays_with_a_host_that_has_another_slot_or_gets_one_in_time() -> None:
    clock = Clock()
    one, neighbour, two = Seat("one"), Seat("one"), Seat("two")
    executor = Slots([one], clock=clock)
    submitted(executor, (1, 0), (1, 1))
    executor.remove(one)
    executor.add(two)
    clock.now = 5.0
    executor.add(neighbour)
    clock.now = 60.0
    executor.tick()
    assert (neighbour.plays(), two.plays()) == ("t1/m1", None)


def test_a_slot_that_comes_takes_what_waits_and_one_that_went_gets_nothing() -> None:
    executor = Slots()
    first, second = submitted(executor, (1, 0), (2, 0))
    one, two = Seat("one"), Seat("two")
    executor.add(one)
    assert (executor.size, one.plays()) == (1, "t1/m0")
    executor.remove(one)
    one.end()
    assert (executor.size, one.plays(), first.result(0)) == (0, None, "t1/m0")
    executor.add(two)
    assert two.plays() == "t2/m0"
    assert not second.done()


def test_without_any_slot_waiting_matches_are_void_after_a_minute_and_later_ones_at_once() -> None:
    clock, notes = Clock(), list[str]()
    one = Seat("one")
    executor = Slots([one], "tcp://there:1", notes.append, clock=clock)
    _, second = submitted(executor, (1, 0), (1, 1))
    executor.remove(one)
    for clock.now in (100.0, 159.9):
        executor.tick()
    assert notes == ["there is no worker at tcp://there:1: waiting 60 s for one"]
    # One that is being prepared may be the next.
    clock.now = 160.0
    executor.tick(more_to_come=True)
    assert not second.done()
    executor.tick()
    assert str(second.exception(0)) == executor.broken == "no worker is left at tcp://there:1"
    with pytest.raises(VoidMatch, match="no worker is left"):
        submitted(executor, (1, 2))


def test_where_no_slot_is_left_as_many_are_counted_on_as_there_were() -> None:
    one, two = Seat("one"), Seat("two")
    executor = Slots([one])
    executor.add(two)
    executor.remove(one)
    assert executor.at_once == 1
    executor.remove(two)
    assert (executor.size, executor.at_once) == (0, 2)


def test_shutting_down_cancels_what_waits_and_closes_the_slots() -> None:
    one = Seat("one")
    executor = Slots([one])
    _, second = submitted(executor, (1, 0), (1, 1))
    executor.shutdown(cancel_futures=True)
    assert (second.cancelled(), one.closed) == (True, True)
    one.end()
    assert one.plays() is None
    with pytest.raises(RuntimeError, match="shut down"):
        submitted(executor, (1, 2))


def test_a_core_is_claimed_once(tmp_path: Path) -> None:
    assert [claim_core(tmp_path, {3, 1}) for _ in range(3)] == [1, 3, None]


def test_without_dask_a_cluster_is_an_error_that_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ConfigError, match=r"pip install 'arbiter-cards\[dask\]'"),
        cluster("tcp://there:1", []),
    ):
        raise AssertionError


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    """A folder to be shipped."""
    folder = tmp_path / "bots"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "program").write_text("program")
    (folder / "deep" / "program").chmod(0o755)
    (folder / "text").write_text("text")
    (folder / "link").symlink_to("deep/program")
    (folder / "__pycache__").mkdir()
    return folder


def test_a_shipped_folder_arrives_whole_and_is_named_by_what_is_in_it(bots: Path, tmp_path: Path) -> None:
    parcel = pack(bots)
    os.utime(bots / "text", (1, 1))
    (bots / "deep" / "games.log").write_text("what bots write beside themselves")
    assert pack(bots).digest == parcel.digest
    target = tmp_path / "there"
    for _ in range(2):  # the second comes too late, which is no error
        unpack(parcel.tar, target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o700
    assert os.access(target / "deep" / "program", os.X_OK)
    assert not os.access(target / "text", os.X_OK)
    assert (target / "link").readlink() == Path("deep/program")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bots", "there"]
    assert sorted(path.name for path in target.iterdir()) == ["deep", "link", "text"]
    (bots / "text").write_text("other")
    assert pack(bots).digest != parcel.digest


def test_a_parcel_comes_in_parts_and_is_not_unpacked_when_one_is_damaged(
    bots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    parcel = pack(bots)
    first, second = parcel.tar[:5000], parcel.tar[5000:]
    with pytest.raises(VoidMatch, match="arrived incomplete"):
        receive(parcel.digest, 0, first + second[:-1] + b"x", True)
    assert not place(parcel.digest).exists()
    receive(parcel.digest, 0, first, False)
    receive(parcel.digest, 5000, second, True)
    assert (place(parcel.digest) / "text").read_text() == "text"
    assert [path.name for path in private_folder().iterdir()] == [place(parcel.digest).name]
    private_folder().chmod(0o755)
    with pytest.raises(VoidMatch, match="must be a folder of this user with mode 0700"):
        place(parcel.digest)


def test_what_cannot_be_shipped_is_said_in_one_line(bots: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no folder"):
        pack(tmp_path / "none")
    with pytest.raises(ConfigError, match="has 0 MB; at most 0 MB are sent"):
        pack(bots, largest=10)
    (bots / "out").symlink_to("../text")
    with pytest.raises(ConfigError, match=r"out leads out of the folder, to \.\./text"):
        pack(bots)
    (bots / "out").unlink()
    os.mkfifo(bots / "pipe")
    with pytest.raises(ConfigError, match="pipe is not a file, folder or link"):
        pack(bots)


def test_words_and_folders_below_a_shipped_folder_move_and_nothing_else() -> None:
    places = {"/home/bots": "/tmp/x", "/home/bots/inner": "/tmp/y"}
    command = (
        "python3",
        "/home/bots/a.py",
        "/home/bots/inner/b:/home/bots",
        "/home/botsy/c",
        "--at=/home/bots/a.py",
    )
    player = Player("p", command, "/home/bots")
    there = ("python3", "/tmp/x/a.py", "/tmp/y/b:/tmp/x", "/home/botsy/c", "--at=/home/bots/a.py")
    assert relocate(player, places) == replace(player, command=there, folder="/tmp/x")


def test_inline_gives_results_and_errors() -> None:
    with inline() as executor:
        assert executor.submit(divmod, 7, 2).result() == (3, 1)
        assert isinstance(executor.submit(divmod, 1, 0).exception(), ZeroDivisionError)


def test_never_more_slots_than_cores() -> None:
    cores = len(os.sched_getaffinity(0))
    assert slots(None) == cores
    assert slots(1) == 1
    assert slots(10_000) == cores


@pytest.mark.process
def test_each_worker_has_one_core_and_no_two_the_same() -> None:
    with processes(slots(2)) as executor:
        seen = [executor.submit(core_and_pid).result() for _ in range(4)]
    cores = {pid: affinity for affinity, pid in seen}
    assert all(len(affinity) == 1 for affinity in cores.values())
    assert len({min(affinity) for affinity in cores.values()}) == len(cores)


@pytest.mark.process
def test_a_worker_that_dies_makes_its_own_match_void_and_no_other() -> None:
    with processes(1) as executor:
        first, second = executor.submit(end), executor.submit(core_and_pid)
        with pytest.raises(VoidMatch, match="worker process"):
            first.result()
        assert second.result()[1] != os.getpid()


@pytest.mark.process
def test_an_idle_worker_that_dies_is_replaced() -> None:
    with processes(1) as executor:
        _, pid = executor.submit(core_and_pid).result()
        end(pid)
        for worker in multiprocessing.active_children():
            worker.join()
        # The first call may still be given to the dead one, and is then void.
        executor.submit(core_and_pid).exception()
        assert executor.submit(core_and_pid).result()[1] != pid


@pytest.mark.process
def test_leaving_by_an_exception_kills_the_workers_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), processes(1) as executor:
        running = executor.submit(signal.pause)
        raise KeyboardInterrupt
    assert isinstance(running.exception(), VoidMatch)
    assert multiprocessing.active_children() == []


@pytest.mark.process
def test_ctrl_c_during_a_fork_arrives_after_it_and_leaves_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    start, forked = ForkProcess.start, threading.Event()

    def interrupt() -> None:
        forked.wait()
        signal.raise_signal(signal.SIGINT)

    # Begun now, it does not block the signal; the main thread handles it.
    other = threading.Thread(target=interrupt)
    other.start()

    def interrupted(process: ForkProcess) -> None:
        start(process)
        forked.set()
        other.join()

    monkeypatch.setattr(ForkProcess, "start", interrupted)
    before = multiprocessing.active_children()
    # A shell's background job ignores it.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), closing(each_in_fork(abs, iter([-1]), 1)) as done:
            next(done)
    finally:
        signal.signal(signal.SIGINT, handler)
    left = [one for one in multiprocessing.active_children() if one not in before]
    for one in left:
        one.kill()
    assert left == []
