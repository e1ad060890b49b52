"""What the applet costs beside its bots: CPU time of its process for a step, as the page asks for one.

``python -m tests.bench.applet`` prints one JSON object. Each of 200 steps is a POST, then the state, the
replay and the new exchanges, over a connection on loopback; the bots' time is their own processes'.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.fixtures.commands import RANDOM
from tests.fixtures.running_applet import running

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fixtures.running_applet import Running

STEPS = 200


def figures() -> dict[str, Any]:
    """CPU milliseconds of a step, of undo in a match of 416 decisions, and of making them again."""
    seats = [word for _ in range(4) for word in ("--seat", f"bot:{RANDOM}")]
    heard = [0]
    with (
        tempfile.TemporaryDirectory() as folder,
        running("--game", "planning", "--isolation", "plain", *seats, folder=Path(folder)) as applet,
    ):
        step = _spent(applet, STEPS, lambda: _step(applet, heard))
        applet.post("/play", {})
        decisions = applet.wait()["made"]
        undo = _spent(applet, 5, lambda: applet.post("/undo", {"decisions": 1}))
        redo = _spent(applet, 5, lambda: applet.post("/redo", {"decisions": 1}))
    return {"step_cpu_ms": step, "decisions": decisions, "undo_cpu_ms": undo, "redo_cpu_ms": redo}


def _step(applet: Running, heard: list[int]) -> None:
    """What the page asks for at a step; `heard` has the number of the last exchange that it knows."""
    applet.post("/step")
    applet.get("/state")
    applet.get("/replay")
    heard[0] = applet.get(f"/exchanges?after={heard[0]}")["next"]


def _spent(applet: Running, times: int, do: Callable[[], object]) -> float:
    """CPU milliseconds of the applet's own process for each time that something is done."""
    before = _cpu_seconds(applet.process.pid)
    for _ in range(times):
        do()
    return round(1e3 * (_cpu_seconds(applet.process.pid) - before) / times, 2)


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    print(json.dumps(figures(), indent=2))
