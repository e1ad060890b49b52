"""What people start commands with: closed streams, readers that go away, too few open files, signals to end."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from arbiter import cli
from tests.fixtures.round_processes import ROUND_1, quick_config, stored

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["quick_config"]
pytestmark = pytest.mark.process


def shell(words: list[str | Path], redirected: str, limit: str = "") -> subprocess.CompletedProcess[str]:
    """A command with its streams redirected as a shell does it, and options of ulimit; its own exit code."""
    command = shlex.join([sys.executable, "-m", "arbiter", *map(str, words)])
    limited = f"ulimit {limit} && " if limit else ""
    return subprocess.run(
        ["bash", "-c", f"{limited}{command} {redirected}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("redirected", ["<&- >&- 2>&-", "2>&1 | head -n 1"])
def test_a_round_is_played_whatever_becomes_of_the_streams_under_a_low_soft_limit_of_open_files(
    quick_config: Path, redirected: str
) -> None:
    done = shell(["run-round", quick_config], redirected, limit="-Sn 24")
    assert done.returncode == 0, done.stderr
    assert set(stored(quick_config)) == ROUND_1
    assert "failed" not in done.stderr


@pytest.mark.parametrize("redirected", [">&-", "| true"])
def test_what_is_read_needs_no_reader(redirected: str) -> None:
    done = shell(["games"], redirected)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_mistake_has_its_exit_code_with_no_stream_to_say_it_on() -> None:
    assert shell(["standings", "nowhere.yaml"], ">&- 2>&-").returncode == 2


def test_too_few_open_files_are_said_in_one_line(quick_config: Path) -> None:
    done = shell(["run-round", quick_config], "", limit="-n 24")
    assert done.returncode == 2
    assert done.stderr == (
        "arbiter: open files: expected a limit of at least 256, got 24 (raise the limit: `ulimit -n 256`)\n"
    )


LOST = """
import signal
from arbiter.cli import install_signal_handlers

def rows():
    try:
        yield 1
    finally:
        signal.raise_signal(signal.SIGTERM)

install_signal_handlers()
try:
    next(rows())  # the generator is closed when nobody holds it, and what its closing raises is dropped
    signal.pause()
except KeyboardInterrupt:
    print("heard")
"""


def test_a_signal_whose_exception_python_drops_is_heard_all_the_same() -> None:
    told = subprocess.run(
        [sys.executable, "-c", LOST], capture_output=True, text=True, timeout=60, check=False
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, "heard\n", "")


def test_an_error_that_an_interrupt_left_behind_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def left_half_done(*_: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise AssertionError("what a library expects of itself") from None

    monkeypatch.setattr(cli.group, "invoke", left_half_done)
    assert cli.exit_code(["games"]) == 130
    assert capsys.readouterr().err == "arbiter: interrupted: run the same command again to continue\n"
