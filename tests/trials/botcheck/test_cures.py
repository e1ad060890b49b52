"""The advice to an author."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.match.spec import Player
from arbiter.trials.botcheck.cures import FLUSHES_OF_COMPILED, flush_advice

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("program", "flush"),
    [
        ("python3.11", "print(..., flush=True)"),
        ("/usr/bin/guile-3.0", "(force-output)"),
        ("mawk", "start mawk -W interactive, no flush suffices"),
        ("bots/ann/engine", FLUSHES_OF_COMPILED),
    ],
)
def test_the_advice_to_flush_is_in_the_language_of_the_program(program: str, flush: str) -> None:
    advice = flush_advice(Player("ann", (program, "bot"), "."))
    assert advice == f"flush standard output after every reply: {flush}"


def test_the_language_of_a_script_is_that_of_its_first_line(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/usr/bin/env ruby\nputs 1\n")
    assert flush_advice(Player("ann", (str(script),), ".")).endswith(": $stdout.sync = true")
