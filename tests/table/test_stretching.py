"""Bots that let time pass in which they neither compute nor sleep: they wake the referee, or wait for the core."""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import VoidMatch
from arbiter.match.clock import MS, SECOND
from arbiter.match.record import Fault
from arbiter.sandbox.core_accounts import INEXACT_NS, Others, idle_ns, idle_since_ns
from arbiter.sandbox.process_meter import Meter
from arbiter.sandbox.stderr import DURING, StandardError
from arbiter.table import Conductor, slow_exchange
from arbiter.table.slow_exchange import ERRORS_NS, HALF_FULL, SlowPathChannel
from tests.bench.clock import spinning
from tests.fixtures.bot_template import against

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.process
CORE = min(os.sched_getaffinity(0))
# A process that is its own no more, and of its session, so that groups of the scheduler make no difference.
STARVED = f"""if words[0] == 'gen_move':
    os.sched_setaffinity(0, {{{CORE}}})
    if os.fork() == 0:
        if os.fork() == 0:
            while True: pass
        os._exit(0)
    os.wait()
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while True: pass"""

# Its child delays it, and it computes and sleeps until the limit is over by wall time, but not by adjusted time.
DELAYED_BY_ITS_CHILD = f"""if words[0] == 'gen_move':
    os.sched_setaffinity(0, {{{CORE}}})
    begun = time.monotonic()
    if os.fork() == 0:
        while time.monotonic() < begun + 0.08: pass
        os._exit(0)
    while time.monotonic() < begun + 0.08: pass
    os.wait()
    time.sleep(max(0, begun + 0.21 - time.monotonic()))"""


@pytest.fixture
def starved(bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Computes for its first card, on a core that another process has; the hard limit on wall time is near."""
    monkeypatch.setattr(slow_exchange, "SECOND", 100 * MS)
    return bot("", STARVED)


class Listening:
    """A channel that listens to a pipe in place of a bot's standard error; `now` is the time in ns."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = SECOND
        ours, self.bots = os.pipe()
        os.set_blocking(ours, False)
        monkeypatch.setattr(slow_exchange, "_now", lambda: self.now)
        self.channel = SlowPathChannel.__new__(SlowPathChannel)
        self.channel.stderr, self.channel._errors_at = StandardError(ours), 0
        self.channel._watch = select.poll()
        self.channel._watch.register(ours, select.POLLIN)

    def heard(self, written: bytes) -> int:
        """The bytes that are read after the bot has written some."""
        os.write(self.bots, written)
        ready = {descriptor for descriptor, _ in self.channel._watch.poll(0)}
        return self.channel._read_errors(ready, DURING)

    def close(self) -> None:
        os.close(self.bots)
        os.close(self.channel.stderr.descriptor)


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listening]:
    made = Listening(monkeypatch)
    yield made
    made.close()


def test_single_bytes_on_standard_error_are_read_at_intervals(listening: Listening) -> None:
    assert [listening.heard(b"e") for _ in range(3)] == [1, 0, 0]
    listening.now += ERRORS_NS
    # The look after the interval is what watches it again.
    assert [listening.heard(b"e") for _ in range(4)] == [0, 4, 0, 0]


def test_much_on_standard_error_is_read_at_once(listening: Listening) -> None:
    assert [listening.heard(b"e" * HALF_FULL) for _ in range(3)] == [HALF_FULL] * 3


def test_a_bot_that_others_kept_from_the_core_makes_a_void_that_says_so(
    table: Conductor, starved: Path
) -> None:
    with pytest.raises(
        VoidMatch, match=r"seat 1 got too little of the machine .*: others took \d+\.\d s of its"
    ):
        table.play(against(starved, "100ms"))


def test_a_bot_that_nobody_kept_from_the_core_has_run_out_of_time(
    table: Conductor, starved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Others, "took_ns", lambda *_: 0)
    forfeit = table.play(against(starved, "100ms")).forfeit
    assert forfeit is not None
    assert (forfeit.seat, forfeit.fault) == (1, Fault.TIMEOUT)


def test_a_bot_that_delays_itself_makes_no_void_under_a_wall_clock(
    table: Conductor, bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Others, "took_ns", lambda *_: 0)
    forfeit = table.play(against(bot("", DELAYED_BY_ITS_CHILD), "200ms/request", clock="wall")).forfeit
    assert forfeit is not None
    assert (forfeit.seat, forfeit.fault) == (1, Fault.TIMEOUT)


def test_what_others_took_of_a_core_is_what_is_not_idle_and_not_the_bot_s() -> None:
    # The referee's thread is on the bots' core, as at a table: what it takes elsewhere is no part of this.
    os.sched_setaffinity(0, {CORE})
    with spinning([CORE]):
        child = os.fork()
        if child == 0:
            os.sched_setaffinity(0, {CORE})
            with suppress(BaseException):
                while True:
                    pass
            os._exit(1)
        try:
            while os.sched_getaffinity(child) != {CORE}:
                os.sched_yield()
            begun = cpu_ns(child)
            others = Others({CORE}, begun)
            while cpu_ns(child) < begun + 300 * MS:
                os.sched_yield()
            took = others.took_ns(cpu_ns(child))
        finally:
            os.kill(child, 9)
            os.waitpid(child, 0)
    assert took is not None
    # The spinner has had as much as the child at least, but for what the referee's own thread took.
    assert took > 100 * MS


def test_others_are_counted_on_the_cores_that_a_bot_was_given_whichever_it_chooses_later() -> None:
    given = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {CORE})
    try:
        meter = Meter(os.getpid())
    finally:
        os.sched_setaffinity(0, given)
    assert meter.others().inexact_ns == INEXACT_NS


def test_nobody_knows_who_took_cores_that_are_not_there() -> None:
    assert idle_ns({10**6}) is None
    assert idle_since_ns(2**22 + 1) is None


def cpu_ns(pid: int) -> int:
    return time.clock_gettime_ns(~pid << 3 | 2)
