"""A season between two rounds, in a process of its own: it waits, is seen to, is killed, and keeps its moments."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from tests.fixtures.round_processes import ROUND_1, assert_all_end, quick_config, run, start, stored, watched

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

__all__ = ["quick_config"]

PATIENCE = 60.0


def until_it_waits(process: subprocess.Popen[str]) -> str:
    """The line that says when round 2 begins."""
    assert process.stderr is not None
    for line in process.stderr:
        if "round 2 begins at" in line:
            return line
    raise AssertionError("it waits for no round")


@pytest.mark.process
def test_who_waits_for_a_round_can_be_killed_and_ended_and_keeps_its_moment(quick_config: Path) -> None:
    quick_config.write_text(quick_config.read_text() + "\nevery: 1h\n")
    first = start("run-season", quick_config)
    told, watching = until_it_waits(first), watched(first.pid)
    assert f"played by process {first.pid} " in run("status", quick_config)[1]
    first.kill()
    first.communicate()
    assert_all_end(watching)
    again = start("run-season", quick_config)
    assert until_it_waits(again) == told
    assert not watched(again.pid), "nobody needs a worker to wait"
    again.send_signal(signal.SIGTERM)
    assert again.wait(PATIENCE) == 130
    again.communicate()
    assert stored(quick_config).keys() == ROUND_1
