"""Matches on a Dask cluster: a real scheduler and real workers, on loopback."""

from __future__ import annotations

import json
import os
import queue
import re
import select
import signal
import subprocess
import sys
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError, VoidMatch
from arbiter.match.clock import TimeControl
from arbiter.match.record import MatchRecord
from arbiter.match.spec import Limits, MatchSpec, Player
from arbiter.table import play_match
from arbiter.table.executors import cluster, dask_cluster, inline
from tests.fixtures.commands import BOTS, RANDOM, random_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

    from arbiter.table.executors import Slots
    from tests.fixtures.commands import Run


pytest.importorskip("distributed", reason="distributed is not installed (pip install 'arbiter-cards[dask]')")
pytestmark = pytest.mark.process
two_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two workers need two cores")

SOON = 90

# Writes the match that it plays to a file; in the match "stall", the first time, it says who it
# is and answers nothing.
BOT = """
import os, signal, sys
folder, match = sys.argv[1:]
with open(folder + "/plays", "a") as plays:
    plays.write(match + "\\n")
if match == "stall" and not os.path.exists(folder + "/stalled"):
    os.mkdir(folder + "/stalled")
    with open(folder + "/pipe", "w") as pipe:
        pipe.write(str(os.getpid()))
    signal.pause()
os.execv({random[0]!r}, {random!r})
"""


class Dask:
    """A scheduler, and workers that have nothing to do with this process's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # The claims of cores and the shipped folders are this test's own.
        self._environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(BOTS.parents[1])}
        self._processes: list[subprocess.Popen[str]] = []
        self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        assert self.scheduler.stderr is not None
        for line in self.scheduler.stderr:
            if found := re.search(r"Scheduler at:\s+(tcp://\S+)", line):
                self.address = found[1]
                break

    def worker(self, *options: str) -> subprocess.Popen[str]:
        """One more worker."""
        return self._start("dask_worker", self.address, "--host", "127.0.0.1", *options)

    def close(self) -> None:
        """End all that was started: the workers first, who say goodbye to their scheduler."""
        scheduler, *workers = self._processes
        for processes in (workers, [scheduler]):
            for process in processes:
                process.terminate()
            for process in processes:
                process.communicate()

    def _start(self, program: str, *options: str) -> subprocess.Popen[str]:
        errors = subprocess.PIPE if program == "dask_scheduler" else subprocess.DEVNULL
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *options],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            text=True,
        )
        self._processes.append(process)
        return process


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    """A cluster of two workers, each of which its nanny starts again when it was killed."""
    made = Dask(tmp_path_factory.mktemp("dask"))
    made.worker("--nthreads", "1", "--nworkers", "2")
    yield made
    made.close()


@pytest.fixture
def notes() -> queue.Queue[str]:
    """What the user is told."""
    return queue.Queue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the bots of a test are and write."""
    (tmp_path / "bot.py").write_text(BOT.format(random=RANDOM.split()))
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def match(name: str, players: Sequence[Player], table: int = 1) -> MatchSpec:
    """A match of two short deals."""
    return MatchSpec(
        id=name,
        season="tests",
        round=1,
        table=table,
        rotation=0,
        game="planning",
        options={"deals": [[1, 0], [2, 1]]},
        seed="1",
        players=tuple(players),
        limits=Limits(TimeControl.parse("60s"), 60_000_000_000, 400_000_000),
    )


def randoms() -> list[Player]:
    return [Player(f"p{seat}", (*RANDOM.split(), "--seed", str(seat)), str(BOTS)) for seat in range(4)]


def logged(name: str, folder: Path, table: int = 1) -> MatchSpec:
    """A match whose first bot writes down that it is played."""
    command = (sys.executable, "-I", "-S", str(folder / "bot.py"), str(folder), name)
    return match(name, [Player("p0", command, str(folder)), *randoms()[1:]], table)


def until_size(executor: Slots, notes: queue.Queue[str], size: int) -> str:
    """Wait for so many slots; what was said meanwhile."""
    said = ""
    while executor.size != size:
        said += notes.get(timeout=SOON)
    return said


def outcome_of(record: MatchRecord) -> tuple[Any, ...]:
    """What is the same wherever a match is played."""
    actions = [(move.deal, move.seat, move.action) for move in record.moves]
    return record.id, record.players, record.deals, record.points, record.forfeit, actions


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@two_cores
def test_each_match_is_played_once_and_as_at_home(dask: Dask, notes: queue.Queue[str], folder: Path) -> None:
    specs = [logged(f"m{number}", folder, number) for number in range(6)]
    with inline() as executor:
        home = executor.submit(play_match, match("home", randoms())).result()
    with cluster(dask.address, specs[0].players, on_note=notes.put) as executor:
        until_size(executor, notes, 2)
        records = [future.result(SOON) for future in [executor.submit(play_match, spec) for spec in specs]]
        away = executor.submit(play_match, match("home", randoms())).result(SOON)
        cores = {executor.submit(os.sched_getaffinity, 0).result(SOON).pop() for _ in range(4)}
    assert [record.id for record in records] == [spec.id for spec in specs]
    assert outcome_of(away) == outcome_of(home)
    assert sorted((folder / "plays").read_text().split()) == sorted(spec.id for spec in specs)
    assert cores <= os.sched_getaffinity(0)


@two_cores
def test_a_killed_worker_costs_its_match_in_flight_and_the_next_one_is_used(
    dask: Dask, notes: queue.Queue[str], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    names = ["stall", *(f"m{number}" for number in range(10))]
    specs = [logged(name, folder, table) for table, name in enumerate(names)]
    records: list[str] = []
    voids: list[str] = []
    with cluster(dask.address, specs[0].players, on_note=notes.put) as executor:
        until_size(executor, notes, 2)
        running: dict[Future[MatchRecord], MatchSpec] = {}
        for spec in specs:
            running[executor.submit(play_match, spec)] = spec
        bot = int((folder / "pipe").read_text())
        end_of_bot = os.pidfd_open(bot)
        worker = parent(parent(bot))
        while running:
            done, _ = wait(running, SOON, return_when=FIRST_COMPLETED)
            assert done
            for future in done:
                spec = running.pop(future)
                if isinstance(error := future.exception(), VoidMatch):
                    assert re.fullmatch(r"the worker tcp://\S+ that played it died", str(error))
                    voids.append(spec.id)
                    running[executor.submit(play_match, spec)] = spec
                else:
                    records.append(future.result().id)
                # In mid-round, with results delivered and others still to come.
                if len(records) == 5 and not voids:
                    os.kill(worker, signal.SIGKILL)
        poll = select.poll()
        poll.register(end_of_bot, select.POLLIN)
        assert poll.poll(SOON * 1000), "a bot was left behind"
        os.close(end_of_bot)
        until_size(executor, notes, 2)
        assert executor.submit(divmod, 7, 2).result(SOON) == (3, 1)
    assert capfd.readouterr().err == ""
    assert voids == ["stall"]
    assert sorted(records) == sorted(names)
    assert sorted((folder / "plays").read_text().split()) == sorted([*names, "stall"])


def test_shipped_players_need_nothing_on_the_workers(
    dask: Dask, notes: queue.Queue[str], tmp_path: Path
) -> None:
    bots = tmp_path / "bots"
    (bots / "deep").mkdir(parents=True)
    words = " ".join(random_in(bots / "deep")).replace(f"{bots}/", "")
    (bots / "bot").write_text(f"#!/bin/sh\nexec {words}\n")
    (bots / "bot").chmod(0o755)
    (bots / "weights").write_bytes(bytes(9_000_000))
    spec = match(
        "m", [replace(player, command=(str(bots / "bot"),), folder=str(bots)) for player in randoms()]
    )
    with inline() as executor:
        home = executor.submit(play_match, spec).result()
    with cluster(dask.address, spec.players, [bots], on_note=notes.put) as executor:
        bots.rename(tmp_path / "elsewhere")
        record = executor.submit(play_match, spec).result(SOON)
    assert record.forfeit is None
    assert outcome_of(record) == outcome_of(home)


def test_players_that_a_worker_lacks_are_no_forfeit_but_an_error_at_the_start(
    dask: Dask, notes: queue.Queue[str], folder: Path
) -> None:
    file = str(folder / "lost.py")
    player = Player("lost", (sys.executable, file), str(folder), files=(file,))
    with (
        pytest.raises(
            ConfigError, match=r"no worker at tcp://\S+ can be used: player lost: there is no file"
        ),
        cluster(dask.address, [player], on_note=notes.put),
    ):
        raise AssertionError
    note = ""
    while "is not used: player lost: there is no file" not in note:
        note = notes.get(timeout=SOON)


def test_workers_with_more_threads_than_one_without_a_core_or_without_memory_are_not_used(
    dask: Dask, notes: queue.Queue[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # One that another test has killed is there again.
    with cluster(dask.address, randoms(), on_note=notes.put) as executor:
        until_size(executor, notes, 2)
    monkeypatch.setattr(dask_cluster, "NAMED_SECONDS", 0.0)
    cores = len(os.sched_getaffinity(0))
    kinds = (("2",), ("1",), ("1", "--memory-limit", "40MiB"))
    extra = [dask.worker("--no-nanny", "--nthreads", *kind) for kind in kinds]
    with cluster(dask.address, randoms(), on_note=notes.put) as executor:
        told = until_size(executor, notes, cores)
        while not all(why in told for why in ("2 threads", "has a worker already", " MiB of 40 MiB")):
            told += notes.get(timeout=SOON)
        assert executor.size == cores
    assert "a slot is one (start it with --nthreads 1)" in told
    for process in extra:
        process.kill()


@two_cores
def test_an_abandoned_match_ends_before_its_worker_is_used_again(
    dask: Dask, notes: queue.Queue[str], folder: Path
) -> None:
    os.mkfifo(folder / "begun")
    slow = f"echo > {folder}/begun; cat {folder}/pipe > {folder}/read"
    with pytest.raises(KeyboardInterrupt), cluster(dask.address, randoms()) as executor:
        running = executor.submit(os.system, slow)
        (folder / "begun").read_text()
        raise KeyboardInterrupt
    assert isinstance(running.exception(SOON), VoidMatch)

    def next_coordinator() -> str:
        with cluster(dask.address, randoms(), on_note=notes.put) as executor:
            until_size(executor, notes, 2)
            return (folder / "read").read_text()

    with ThreadPoolExecutor(1) as thread:
        text = thread.submit(next_coordinator)
        (folder / "pipe").write_text("done")
        assert text.result(SOON) == "done"


def test_errors_come_back_as_they_are(dask: Dask) -> None:
    with cluster(dask.address, randoms()) as executor:
        assert isinstance(executor.submit(divmod, 1, 0).exception(SOON), ZeroDivisionError)
        assert executor.submit(lambda: 1).exception(SOON) is not None


def test_a_scheduler_that_goes_away_makes_void_what_runs_and_what_waits(
    tmp_path: Path, notes: queue.Queue[str], capfd: pytest.CaptureFixture[str]
) -> None:
    dask = Dask(tmp_path)
    try:
        dask.worker("--nthreads", "1", "--no-nanny")
        with cluster(dask.address, randoms(), on_note=notes.put) as executor:
            futures = [executor.submit(signal.pause) for _ in range(2)]
            dask.scheduler.kill()
            for future in futures:
                assert str(future.exception(SOON)) == f"the scheduler at {dask.address} is gone"
            with pytest.raises(VoidMatch, match="is gone"):
                executor.submit(signal.pause)
    finally:
        dask.close()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("address", ["localhost", "tcp://localhost", "http://localhost:1", "tcp://a b:1"])
def test_an_address_is_checked(address: str) -> None:
    with pytest.raises(ConfigError, match="is not an address of a Dask scheduler"), cluster(address, []):
        raise AssertionError


def test_an_address_where_nobody_answers_is_an_error_of_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        pytest.raises(ConfigError, match=r"no Dask scheduler answers at \S+: ") as caught,
        cluster("tcp://127.0.0.1:1", []),
    ):
        raise AssertionError
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""


def test_what_workers_import_is_the_table_and_no_more() -> None:
    heavy = "{'pydantic', 'sqlalchemy', 'yaml', 'numpy', 'distributed', 'click', 'asyncio'}"
    code = f"import sys, arbiter.table.executors.worker_calls; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@two_cores
def test_run_season_plays_on_the_cluster_what_it_plays_at_home(
    dask: Dask, arbiter: Run, tmp_path: Path
) -> None:
    bots = tmp_path / "bots"
    bots.mkdir()
    words = random_in(bots)
    lines = ["season: s", "game: {name: planning, deals: [[1, 0], [3, 1]]}", "rounds: 2", f"seed: {'s' * 32}"]
    lines += ["isolation: plain", "ship: [bots]", "players:"]
    lines += [f"  - {{name: p{n}, command: {json.dumps([*words, '--seed', str(n)])}}}" for n in range(8)]
    tables = []
    for name, options in (("home", []), ("away", ["--scheduler", dask.address])):
        file = tmp_path / f"{name}.yaml"
        file.write_text("\n".join(lines))
        code, out, err = arbiter(
            "run-season", file, "--store", f"sqlite:///{tmp_path}/{name}.sqlite", *options
        )
        assert (code, err.count("leads with")) == (0, 2), err
        tables.append(out)
    assert tables[0] == tables[1]


def test_workers_of_this_machine_are_not_for_a_cluster(arbiter: Run, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "game: planning\nplayers:\n" + "".join(f"  - {{name: p{n}, command: [sh]}}\n" for n in range(4))
    )
    code, _, err = arbiter(
        "run-round", tmp_path / "s.yaml", "--scheduler", "tcp://127.0.0.1:1", "--workers", "2"
    )
    assert (code, "--workers cannot be combined with --scheduler" in err) == (2, True)
