"""How long a bot that is to end is waited for: by what it does, on a clock of the test's own."""

from __future__ import annotations

import time
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.trials.botcheck.short_dialogues import end_by_eof, end_by_quit

if TYPE_CHECKING:
    from collections.abc import Iterable

SECOND = 10**9


class Ending:
    """A bot that does something for each second until it ends: "sleep", "compute", or "wait" for a core."""

    def __init__(self, *course: str) -> None:
        self._course = iter(course)
        self.seconds = 0.0
        self.cpu_ns = 0
        self.sleeps = True
        self.told: list[str] = []

    def wait(self, seconds: float) -> object | None:
        does = next(self._course, "end")
        self.seconds += 1
        self.sleeps = does == "sleep"
        self.cpu_ns += SECOND * (does == "compute")
        return does if does == "end" else None

    def write(self, payload: bytes) -> None:
        self.told.append(payload.decode())

    def end_input(self) -> None:
        self.told.append("end of input")

    def read_for(self, allowed_ns: int) -> bytes:
        self.told.append("listened")
        return b""

    def drain_stderr(self) -> None:
        self.told.append("drained")


def ended(
    monkeypatch: pytest.MonkeyPatch, *course: str, ending: Any = end_by_quit
) -> tuple[bool | None, str]:
    bot = Ending(*course)
    monkeypatch.setattr(time, "monotonic", lambda: bot.seconds)
    step = ending(bot)
    return step.ok, step.detail


def seconds_of(*course: Iterable[str]) -> list[str]:
    return list(chain(*course))


@pytest.mark.parametrize(
    "course",
    [
        [],
        ["sleep"] * 3,
        ["compute"] * 9,
        ["wait"] * 50,
        seconds_of(repeat("sleep", 3), repeat("wait", 1), repeat("sleep", 3)),
    ],
)
def test_a_bot_that_has_something_to_do_is_waited_for(
    course: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ended(monkeypatch, *course)[0] is True


@pytest.mark.parametrize(
    ("course", "words"),
    [
        (["sleep"] * 9, "it still runs: it has slept for 4.0 s"),
        (["compute"] * 20, "it still runs: it has computed for 11.0 s since"),
        (["wait"] * 90, "it still runs: after 61 s"),
        (["sleep", "compute"] + ["sleep"] * 9, "it still runs: it has slept for 4.0 s"),
    ],
)
def test_a_bot_that_does_not_end_fails_by_what_it_does(
    course: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ended(monkeypatch, *course) == (False, words)


def test_what_a_match_would_not_wait_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told = "ended after 3000 ms; with end: quit a match waits 1 s, then kills it"
    assert ended(monkeypatch, "wait", "wait") == (True, told)
    assert ended(monkeypatch, "wait", "wait", ending=end_by_eof) == (True, "ended after 3000 ms")


def test_a_bot_is_heard_while_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    bot: Any = Ending("wait")
    monkeypatch.setattr(time, "monotonic", lambda: bot.seconds)
    end_by_quit(bot)
    assert bot.told == ["quit\n", "listened", "drained"]
