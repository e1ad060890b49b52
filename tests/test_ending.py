"""A signal to end a command is heard, wherever the command is just then."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arbiter import cli

LOST = """
import signal
from arbiter.cli import hear_signals

def rows():
    try:
        yield 1
    finally:
        signal.raise_signal(signal.SIGTERM)

hear_signals()
try:
    next(rows())  # the generator is closed when nobody holds it, and what its closing raises is dropped
    signal.pause()
except KeyboardInterrupt:
    print("heard")
"""


@pytest.mark.process
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
    assert capsys.readouterr().err == "arbiter: interrupted; the same command goes on\n"
