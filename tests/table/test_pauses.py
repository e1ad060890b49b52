"""Time in which the referee itself did not run is no bot's: everything stopped, the worker alone, a control group."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.match.clock import MS, SECOND, ClockKind
from arbiter.match.spec import Player
from arbiter.sandbox.awake_time import Awake
from arbiter.sandbox.forkserver.bot import descendants_of
from arbiter.sandbox.forkserver.family import Family
from arbiter.sandbox.process_meter import MeterReading
from arbiter.table import Conductor, channel, conductor, play_match, slow_exchange
from arbiter.table import exchange_cost as account
from arbiter.table.conductor import close_table
from arbiter.table.exchange_cost import FIRST_WAIT_NS, UNKNOWN_NS, Account
from tests.bench.clock import spec
from tests.fixtures.bot_template import spec_for
from tests.fixtures.commands import BOTS, RANDOM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
PAUSES, PAUSE_SECONDS = 6, 0.4
# Each bot burns 20 ms a decision, and may use 250: more than a busy machine takes, and less than a pause.
PLAYING = """
import json
from dataclasses import replace
from arbiter.table import play_match
from arbiter.table.conductor import close_table
from tests.bench.clock import spec

print("ready", flush=True)
input()
for number, (kind, delivery) in enumerate(
    [("adjusted", "strict"), ("wall", "batched"), ("cpu", "strict")]
):
    one = spec(kind, number, "burn", "250ms/request")
    # A start has the time of a request: it must not be convicted either.
    record = play_match(replace(one, limits=replace(one.limits, delivery=delivery, start_ns=350_000_000)))
    notes = [note for bot in record.bots for note in bot.notes]
    print(json.dumps([record.forfeit and record.forfeit.detail, record.host["stopped_ns"], notes]), flush=True)
close_table()
"""


def signalled(pids: Callable[[], list[int]]) -> Callable[[], Any]:
    """Stops processes for the time of a with block."""

    @contextmanager
    def stopped() -> Iterator[None]:
        found = pids()
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in reversed(found):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    return stopped


def frozen(pid: int) -> Callable[[], Any]:
    """Freezes a control group that a process and all that it starts is in; skips the test without one."""
    for root, file, on, off in (
        ("/sys/fs/cgroup", "cgroup.freeze", "1", "0"),
        ("/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED"),
    ):
        group = Path(root, f"arbiter-test-{pid}")
        # Of the two kinds, one may be an empty folder here.
        if not Path(root, "cgroup.procs").exists():
            continue
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / "cgroup.procs").write_text(str(pid))
            (group / file).write_text(off)
        except OSError:
            group.rmdir()
            continue

        @contextmanager
        def stopped(group: Path = group, file: str = file, on: str = on, off: str = off) -> Iterator[None]:
            (group / file).write_text(on)
            try:
                yield
            finally:
                (group / file).write_text(off)

        return stopped
    pytest.skip("no control group of our own may be made and frozen here")


@pytest.mark.process
@pytest.mark.parametrize("what", ["everything", "worker", "group"])
def test_who_is_paused_in_a_match_does_not_lose_on_time(what: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PLAYING], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        if what == "group":
            paused = frozen(process.pid)
        elif what == "worker":
            paused = signalled(lambda: [process.pid])
        else:
            paused = signalled(lambda: [process.pid, *descendants_of(process.pid)])
        process.stdin.write("\n")
        process.stdin.flush()
        moments = random.Random(1)
        for _ in range(PAUSES):
            # At any moment of a match, a start among them: this is no wait for something.
            time.sleep(moments.uniform(0.02, 0.2))
            with paused():
                time.sleep(PAUSE_SECONDS)
        out, _ = process.communicate()
    finally:
        process.kill()
        process.wait()
        for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/freezer"):
            with suppress(OSError):
                Path(root, f"arbiter-test-{process.pid}").rmdir()
    told = [json.loads(line) for line in out.splitlines()]
    assert [forfeit for forfeit, _, _ in told] == [None] * 3
    assert sum(stopped for _, stopped, _ in told) > PAUSE_SECONDS * SECOND
    assert any("while it waited for this bot: not charged" in note for _, _, notes in told for note in notes)


@pytest.mark.process
@pytest.mark.parametrize("kind", ["adjusted", "wall"])
def test_a_stop_at_any_moment_of_quick_exchanges_is_not_charged(
    table: Conductor, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    clock, calls, skipped, stop_at = time.monotonic_ns, 0, 0, 0

    def now() -> int:
        nonlocal calls, skipped
        calls += 1
        if calls == stop_at:
            skipped += 50 * SECOND
        return clock() + skipped

    monkeypatch.setattr(account, "_now", now)
    for module in channel, slow_exchange:
        monkeypatch.setattr(module, "_now", now)
    players = tuple(Player(f"random{number}", tuple(RANDOM.split()), str(BOTS)) for number in range(4))
    stopped = 0
    for stop_at in range(2, 1700, 17):
        # How often the clock is asked in an exchange, and so where a stop falls, is the machine's affair.
        if stop_at > 260 and stopped > 5:
            break
        calls = 0
        record = table.play(spec_for(players, "20s", clock=kind, start_ns=20 * SECOND))
        assert record.forfeit is None, (stop_at, record.forfeit)
        stopped += record.host["stopped_ns"] > 40 * SECOND
    assert stopped > 5


class World:
    """The clocks and meters of one exchange, moved by hand; all in ms."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 10 * SECOND
        self.totals = MeterReading(0, 0, 0, 0)
        self.runnable = True
        self.away = 0
        self.idle_since_ns: int | None = None
        self.taken_ms: int | None = None
        self.reading_ms = 0
        """How long a look at the meters keeps the referee busy, while the bot computes."""
        monkeypatch.setattr(account, "_now", lambda: self.now)
        monkeypatch.setattr(account, "_busy", lambda: self.totals.busy_ns)

    def read(self) -> MeterReading:
        self.passes(self.reading_ms, cpu=self.reading_ms, busy=self.reading_ms)
        return self.totals

    @property
    def own_ns(self) -> int:
        return self.totals.own_ns

    def others(self) -> Any:
        taken = None if self.taken_ms is None else self.taken_ms * MS
        return SimpleNamespace(since=self.now, took_ns=lambda _: taken)

    def away_ns(self) -> int:
        return self.away * MS

    def passes(
        self, ms: int, cpu: int = 0, delay: int = 0, own: int = 0, busy: int = 0, beside: int = 0
    ) -> None:
        """`beside`: CPU time of the bot's other threads, `cpu` that of the main one."""
        self.now += ms * MS
        more = (cpu + beside) * MS, delay * MS, own * MS, busy * MS, cpu * MS
        self.totals = MeterReading(*(a + b for a, b in zip(self.totals, more, strict=True)))

    def account(self, kind: ClockKind = ClockKind.ADJUSTED, first_ms: int = 0, due_ms: int = 0) -> Account:
        before, start = self.totals, self.now
        self.passes(first_ms)
        made = Account(self, kind, start, before)  # type: ignore[arg-type]
        made.due += due_ms * MS
        return made


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


@pytest.mark.parametrize("kind", list(ClockKind))
def test_a_late_wake_that_nothing_explains_is_not_charged(world: World, kind: ClockKind) -> None:
    counted = world.account(kind)
    counted.due = world.now + 50 * MS
    world.passes(5000)
    assert counted.cost().charged_ns == 0
    assert counted.stopped_ns == 5 * SECOND
    counted.due = world.now + 50 * MS
    world.passes(50, cpu=50)
    assert counted.cost(answered=True)[3:] == (50 * MS, 50 * MS)


@pytest.mark.parametrize("kind", list(ClockKind))
def test_what_a_bot_computes_while_the_referee_is_stopped_is_charged(world: World, kind: ClockKind) -> None:
    counted = world.account(kind)
    counted.due = world.now + 50 * MS
    world.passes(5000, cpu=4200)
    assert counted.cost(answered=True).charged_ns == 4200 * MS


@pytest.mark.parametrize("why", ["own", "busy"])
def test_a_late_wake_of_a_referee_that_was_kept_busy_is_no_stop(world: World, why: str) -> None:
    counted = world.account(ClockKind.WALL)
    counted.due = world.now + 50 * MS
    world.passes(5000, **{why: 4950})
    spent = counted.cost()
    assert (spent.charged_ns, counted.stopped_ns) == (5 * SECOND, 0)


@pytest.mark.parametrize("kind", list(ClockKind))
def test_time_with_a_provider_is_not_charged(world: World, kind: ClockKind) -> None:
    counted = world.account(kind)
    counted.due = world.now + 3010 * MS
    world.away = 3000
    world.passes(3010, cpu=10)
    spent = counted.cost()
    assert (spent.charged_ns, spent.wall_ns, counted.stopped_ns) == (10 * MS, 10 * MS, 0)
    counted.due = world.now + 20 * MS
    world.passes(20, cpu=20)
    assert counted.cost(answered=True).charged_ns == 30 * MS


def test_a_wait_for_the_core_is_taken_off_once_beside_a_stop(world: World) -> None:
    counted = world.account()
    counted.due = world.now + 50 * MS
    world.passes(1000, cpu=10, own=200)
    assert counted.cost(answered=True).charged_ns == 10 * MS
    assert counted.stopped_ns == 790 * MS


def test_a_wait_for_the_core_that_ends_just_after_a_reading_is_taken_off(world: World) -> None:
    counted, read = world.account(), world.read

    def overtaken() -> MeterReading:
        totals = read()
        # The wait ends when the reading is taken, and the bot falls asleep.
        world.runnable = False
        world.passes(0, delay=3000)
        return totals

    counted.due = world.now + 3000 * MS
    world.passes(3000)
    world.read = overtaken  # type: ignore[method-assign]
    assert (counted.cost().charged_ns, counted.ready) == (3000 * MS, True)
    world.read = read  # type: ignore[method-assign]
    counted.due = world.now + MS
    world.passes(1)
    assert (counted.cost().charged_ns, counted.ready) == (MS, False)


def test_no_more_is_taken_off_than_has_passed_where_the_bot_has_ended(world: World) -> None:
    counted = world.account()
    world.passes(10, cpu=10)
    counted.cost()
    counted.due = world.now + 50 * MS
    world.totals = world.totals._replace(cpu_ns=0)
    world.passes(500)
    counted.cost(answered=True)
    assert counted.stopped_ns == 500 * MS


def test_a_referee_that_waits_to_look_holds_up_no_bot(world: World) -> None:
    counted = world.account(due_ms=1000)
    world.runnable = False
    world.passes(30, own=20)
    counted.note_wake(output=False, held_up=False)
    world.passes(20, own=20)
    # What is found at the second wake may have come at any time since the first one.
    assert counted.cost(answered=True).charged_ns == 30 * MS


def test_an_answer_came_when_its_bot_last_ran(world: World) -> None:
    counted = world.account()
    counted.due = world.now + 4 * MS
    world.idle_since_ns = 3 * MS
    # The referee was to look after 4 ms, the answer came after 5, and both waited for the core until 8.
    world.passes(8, own=4)
    assert counted.cost(answered=True).charged_ns == 5 * MS


def test_a_bot_that_waits_for_room_to_write_is_held_up_by_the_referee(world: World) -> None:
    counted = world.account(due_ms=1000)
    world.passes(50, own=40)
    counted.note_wake(output=True, held_up=True)
    assert counted.cost().charged_ns == 10 * MS


def test_the_referee_s_work_on_a_bot_s_output_is_no_delay(world: World) -> None:
    counted = world.account(due_ms=1000)
    for _ in range(10):
        world.passes(10, cpu=2, delay=8, busy=8)
        counted.note_wake(output=True, held_up=False)
    spent = counted.cost()
    assert (spent.charged_ns, spent.cpu_ns) == (100 * MS, 20 * MS)
    assert counted.unreported_ns == 0


def test_other_work_of_the_referee_is_a_delay(world: World) -> None:
    counted = world.account(due_ms=1000)
    world.passes(10, cpu=2, delay=8, busy=8)
    counted.note_wake(output=False, held_up=False)
    assert counted.cost().charged_ns == 2 * MS


def test_a_main_thread_that_waits_for_its_own_threads_is_not_delayed(world: World) -> None:
    counted = world.account(due_ms=1000)
    for _ in range(10):
        world.passes(50, beside=50, delay=50)
        counted.cost()
        world.runnable = False
        world.passes(50)
        spent = counted.cost()
        world.runnable = True
    assert spent.charged_ns == 1000 * MS


@pytest.mark.parametrize(("taken_ms", "charged_ms"), [(0, 1000), (200, 800), (900, 600), (None, 600)])
def test_a_wait_for_its_own_threads_between_two_looks_is_no_delay_where_others_took_nothing(
    world: World, taken_ms: int | None, charged_ms: int
) -> None:
    counted = world.account(due_ms=1000)
    world.taken_ms = taken_ms
    counted.watch_others()
    # It computes and sleeps in turns.
    world.passes(1000, beside=400, delay=400)
    assert counted.cost(answered=True).charged_ns == charged_ms * MS


def test_what_another_thread_computed_before_it_became_the_main_one_hides_no_others(world: World) -> None:
    counted = world.account(due_ms=1000)
    world.taken_ms = 0
    counted.watch_others()
    counted.cost()
    # It executes a program, as it has computed for 1.5 s.
    world.totals = world.totals._replace(main_ns=world.totals.main_ns + 1500 * MS)
    world.passes(1000, beside=400, delay=400)
    assert counted.cost(answered=True).charged_ns == 1000 * MS


def test_of_a_bot_with_one_thread_no_delay_is_doubted_within_the_hard_limit(world: World) -> None:
    counted = world.account(due_ms=1000)
    world.taken_ms = 0
    counted.watch_others()
    world.passes(1000, cpu=400, delay=600)
    assert counted.cost(answered=True).charged_ns == 400 * MS


@pytest.mark.parametrize(("taken_ms", "charged_ms"), [(900, 100), (300, 700), (None, 100)])
def test_a_cost_is_cleared_of_delay_that_nobody_caused(
    world: World, taken_ms: int | None, charged_ms: int
) -> None:
    counted = world.account(due_ms=1000)
    world.taken_ms = taken_ms
    counted.watch_others()
    world.passes(1000, cpu=100, delay=900)
    spent, taken = counted.cost_by_others(counted.cost())
    assert spent.adjusted_ns == charged_ms * MS
    assert taken == (None if taken_ms is None else taken_ms * MS)


def test_a_wait_for_its_own_threads_is_no_reason_for_a_void_match(world: World) -> None:
    counted = world.account(due_ms=1000)
    world.taken_ms = 900
    counted.watch_others()
    # Others took the core while it slept.
    world.passes(1000, beside=400, delay=400)
    spent = counted.cost(answered=True)
    assert (spent.adjusted_ns, counted.cost_by_others(spent)[0].adjusted_ns) == (600 * MS, 1000 * MS)


def test_a_wait_that_is_not_over_is_cleared_by_what_others_took(world: World) -> None:
    counted = world.account(due_ms=1000)
    world.taken_ms = 900
    counted.watch_others()
    world.passes(1000, cpu=100)
    spent = counted.cost()
    assert (spent.adjusted_ns, counted.cost_by_others(spent)[0].adjusted_ns) == (1000 * MS, 100 * MS)


def test_sleep_between_looks_at_which_a_bot_is_ready_is_no_wait_that_is_not_reported(world: World) -> None:
    counted = world.account(due_ms=10_000)
    for _ in range(10):
        world.passes(100, cpu=2)
        counted.cost()
    assert counted.unreported_ns == 98 * MS


def test_a_wait_that_lasts_for_many_looks_is_not_reported_until_it_is_over(world: World) -> None:
    counted = world.account(due_ms=10_000)
    for _ in range(10):
        world.passes(100)
        counted.cost()
    assert counted.unreported_ns == 1000 * MS
    world.passes(100, cpu=10, delay=1050)
    assert counted.cost().adjusted_ns == 50 * MS
    # It waits again, for 40 ms so far.
    assert counted.unreported_ns == 40 * MS


def test_who_sleeps_is_late_on_a_machine_that_stops_again_and_again(world: World) -> None:
    counted = world.account()
    world.runnable = False
    for _ in range(40):
        counted.due = world.now + 100 * MS
        world.passes(200)
        spent = counted.cost()
    assert spent.charged_ns == 40 * 100 * MS - UNKNOWN_NS


@pytest.mark.parametrize("kind", list(ClockKind))
def test_a_stop_in_the_first_wait_is_not_charged(world: World, kind: ClockKind) -> None:
    counted = world.account(kind, first_ms=5000)
    assert counted.cost(answered=True).charged_ns <= FIRST_WAIT_NS
    assert counted.stopped_ns == 5 * SECOND - FIRST_WAIT_NS


@pytest.mark.parametrize("kind", list(ClockKind))
def test_what_a_bot_computes_while_the_referee_waits_for_a_pipe_is_charged(
    world: World, kind: ClockKind
) -> None:
    before, start = world.totals, world.now
    world.passes(5000, cpu=1000, beside=3000)
    counted = Account(world, kind, start, before)  # type: ignore[arg-type]
    assert counted.cost(answered=True).charged_ns == 4 * SECOND
    assert counted.stopped_ns == SECOND


def test_what_a_brisk_bot_computes_while_the_referee_waits_for_a_pipe_is_charged(world: World) -> None:
    brisk: Any = SimpleNamespace(
        _base=world.totals, _meter=world, _check_memory_now=lambda *_, **__: None, stopped_ns=0,
        presence=SimpleNamespace(ignore_until=lambda _: None),
    )  # fmt: skip
    world.passes(5000, beside=4000)
    assert channel.Channel._slow_answer_cost(brisk, Any, 5 * SECOND) == 4 * SECOND  # type: ignore[arg-type]
    assert brisk.stopped_ns == SECOND


def test_a_bot_that_takes_long_to_be_read_is_charged_for_it(world: World) -> None:
    world.reading_ms = 20
    counted = world.account(first_ms=5)
    assert counted.cost(answered=True).charged_ns == 65 * MS
    assert counted.stopped_ns == 0


def test_who_is_stopped_between_two_looks_was_awake_for_a_second_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [5.0]
    monkeypatch.setattr("arbiter.sandbox.awake_time.time.monotonic", lambda: now[0])
    counted = Awake()
    for passed, seconds in ((0.25, 0.25), (300.0, 1.25), (0.5, 1.75)):
        now[0] += passed
        assert counted.seconds == seconds


def test_who_is_stopped_while_it_ends_has_its_time_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now, looks = [5.0], iter([False, False, False, True])

    class Ending:
        def note_refused(self) -> None: ...

        pid, end = 7, None

        def wait(self) -> bool:
            return next(looks)

    class Serving:
        def serve(self, _seconds: float) -> None:
            now[0] += 300

    monkeypatch.setattr("arbiter.sandbox.forkserver.family.time.monotonic", lambda: now[0])
    family = Family.__new__(Family)
    family._bots, family._supervisor = [Ending()], Serving()  # type: ignore[assignment, list-item]
    family.wait(7, seconds=1.0)
    assert next(looks, None) is None


@pytest.mark.process
def test_a_suspension_of_the_machine_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    since_boot = iter([3 * SECOND, 8 * SECOND])
    monkeypatch.setattr(conductor, "suspended_ns", lambda: next(since_boot))
    try:
        record = play_match(spec("wall", 0, "burn", "60s"))
    finally:
        close_table()
    assert record.host["suspended_ns"] == 5 * SECOND
