"""Commands run in this process, and bots for them."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.cli import exit_code

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Run: TypeAlias = Callable[..., tuple[int, str, str]]

BOTS = Path(__file__).parents[1] / "bots" / "python"
COMPILED = BOTS.parent / "cpp" / "build" / "planning_random"
RANDOM = str(COMPILED) if COMPILED.exists() else f"{sys.executable} -I -S {BOTS / 'planning_random.py'}"
"""Plays Planning by lot; starts in 2 ms where there was a compiler, in 50 without one."""


@pytest.fixture
def arbiter(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command here, with a script on its standard input: exit code, standard output, standard error."""

    def call(*arguments: str | Path, script: str = "") -> tuple[int, str, str]:
        capfd.readouterr()
        monkeypatch.setattr(sys, "stdin", io.StringIO(script))
        code = exit_code([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call
