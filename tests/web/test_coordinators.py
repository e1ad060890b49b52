"""Coordinators that end: which are started again, and when; which cores each has."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.store.controls import RunOrder
from arbiter.web import child_processes
from arbiter.web.child_processes import RETRY_DELAYS, Coordinator, Coordinators
from tests.web.test_traffic import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator


class Process:
    """A child that has ended with a code."""

    def __init__(self, code: int) -> None:
        self._code = code
        self.stderr: Iterator[str] = iter(["arbiter: what it said\n"])

    def poll(self) -> int:
        return self._code


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The moment, to be moved."""
    moment = [1000.0]
    monkeypatch.setattr("arbiter.web.child_processes.time.monotonic", lambda: moment[0])
    return moment


def born_with(monkeypatch: pytest.MonkeyPatch, code: int = 0) -> list[tuple[float, list[str]]]:
    """The moments at which processes are started, which end at once with a code, and their words."""
    starts: list[tuple[float, list[str]]] = []

    def born(words: list[str], **_: object) -> Process:
        starts.append((child_processes.time.monotonic(), words[3:]))  # type: ignore[attr-defined]
        return Process(code)

    monkeypatch.setattr("arbiter.web.child_processes.subprocess.Popen", born)
    return starts


def started(monkeypatch: pytest.MonkeyPatch, code: int) -> tuple[Coordinator, Lines, list[Any]]:
    """A coordinator whose processes end at once with a code, and their starts."""
    starts, lines = born_with(monkeypatch, code), Lines()
    coordinator = Coordinator("spring", ["run-season", "spring.yaml"], [0], lines)
    coordinator.start()
    coordinator.poll()
    return coordinator, lines, starts


@pytest.mark.parametrize("code", [0, 2, 4, 130])
def test_what_somebody_must_look_at_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch, now: list[float], code: int
) -> None:
    coordinator, lines, starts = started(monkeypatch, code)
    now[0] += 1e6
    coordinator.poll()
    assert (len(starts), coordinator.exit_code) == (1, code)
    assert any(f"its coordinator ended with {code}" in line for line in lines.lines)


@pytest.mark.parametrize("code", [5, -9])
def test_what_may_pass_is_tried_again_less_and_less_often(
    monkeypatch: pytest.MonkeyPatch, now: list[float], code: int
) -> None:
    coordinator, _, starts = started(monkeypatch, code)
    for wait in (*RETRY_DELAYS, RETRY_DELAYS[-1]):
        now[0] += wait - 0.1
        coordinator.poll()
        before = len(starts)
        now[0] += 0.2
        coordinator.poll()
        assert len(starts) == before + 1
        coordinator.poll()
    assert coordinator.exit_code == code


def test_a_signal_that_comes_while_one_starts_is_heard_after(monkeypatch: pytest.MonkeyPatch) -> None:
    born = []

    def interrupted(*_: object, **__: object) -> Process:
        # As when Python forks: what a handler raises here is lost.
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        born.append(1)
        return Process(0)

    monkeypatch.setattr("arbiter.web.child_processes.subprocess.Popen", interrupted)
    # Whoever runs the tests in the background may have it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            Coordinator("spring", ["run-season", "spring.yaml"], [0], Lines()).start()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert born == [1]


def test_nothing_is_started_again_once_the_end_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, now: list[float]
) -> None:
    coordinator, _, starts = started(monkeypatch, 5)
    coordinator.ask_to_end()
    now[0] += 1e6
    coordinator.poll()
    assert len(starts) == 1


@pytest.mark.parametrize(
    ("cores", "expected"), [([0, 1, 2, 3], [[0, 2], [1, 3]]), ([0, 1, 2], [[0, 2], [1]]), ([5], [[5], [5]])]
)
def test_cores_are_dealt_out(cores: list[int], expected: list[list[int]]) -> None:
    files = {"one": Path("one.yaml"), "two": Path("two.yaml")}
    made = Coordinators(files, cores, Lines())
    assert [coordinator.cores for coordinator in made._all] == expected


@pytest.mark.parametrize(
    ("code", "wishes", "starts"),
    [
        # Paused when the site begins: played once it is resumed.
        (130, [(True, RunOrder(1)), (True, RunOrder(1)), (False, RunOrder(2, True))], 1),
        # Resumed before the one that was to stop has ended: played again.
        (130, [(False, RunOrder()), (False, RunOrder(2, True))], 2),
        # Stopped, and later resumed.
        (
            130,
            [
                (False, RunOrder(2, True)),
                (False, RunOrder(3)),
                (False, RunOrder(3)),
                (False, RunOrder(4, True)),
            ],
            2,
        ),
        # Stopped long after it was resumed: stays so.
        (130, [(False, RunOrder(2, True)), (False, RunOrder(3)), (False, RunOrder(3))], 1),
        (130, [(False, RunOrder(2, True)), (False, RunOrder(2, True))], 1),
        # Ended for a reason an organiser must resolve: an order from before does not count, a later one does, once.
        (4, [(False, RunOrder()), (False, RunOrder(2, True)), (False, RunOrder(2, True))], 1),
        (
            2,
            [
                (False, RunOrder()),
                (False, RunOrder()),
                (False, RunOrder(1, True)),
                (False, RunOrder(1, True)),
            ],
            2,
        ),
        (2, [(False, RunOrder()), (False, RunOrder()), (True, RunOrder(1, True))], 1),
        # A match was annulled, to be played again, before the end was noticed.
        (0, [(False, RunOrder()), (False, RunOrder(1, True)), (False, RunOrder(1, True))], 2),
        # Accepted before its end was noticed.
        (2, [(False, RunOrder()), (False, RunOrder(1, True)), (False, RunOrder(1, True))], 2),
    ],
)
def test_an_order_to_go_on_starts_one_again_that_has_ended(
    code: int,
    wishes: list[tuple[bool, RunOrder]],
    starts: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    born, now = born_with(monkeypatch, code), iter(wishes)
    every = Coordinators({"spring": tmp_path / "spring.yaml"}, [0], Lines(), lambda _: next(now))
    every.start()
    for _ in wishes[1:]:
        every.poll()
    assert len(born) == starts


def test_webhooks_are_told_by_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    starts, lines = born_with(monkeypatch), Lines()
    all_of_them = Coordinators({}, [0], lines)
    all_of_them.add_helper("notify", [], [0], lines)
    all_of_them.start()
    assert starts == []
    files = [Path("a.yaml"), Path("b.yaml")]
    all_of_them.add_helper("notify", files, [0], lines, "--public-url", "https://cards.example.org")
    all_of_them.start()
    ((_, words),) = starts
    assert words == ["notify", "a.yaml", "b.yaml", "--public-url", "https://cards.example.org"]
