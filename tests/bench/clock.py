"""What a clock makes of innocent bots on a loaded machine: bots that need half of what they may use.

Each burns exactly 20 ms of CPU a decision, with a limit of 40 ms a command, while another process
spins on every core and several matches share a core. Whoever loses on time then loses by the
machine's fault; under `clock: wall` such a match is void where the adjusted time tells.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.errors import VoidMatch
from arbiter.match.clock import MS, TimeControl
from arbiter.match.record import Fault
from arbiter.match.spec import Limits, MatchSpec, Player
from arbiter.table import play_match
from arbiter.table.executors import Slots
from arbiter.table.executors.local import ProcessSlot

if TYPE_CHECKING:
    from collections.abc import Iterator

BURNER = Path(__file__).parents[1] / "fixtures" / "burner.py"
GAMES = 40
BURNED_MS, LIMIT = 20, "40ms/request"
DECISIONS = 8
SPINNER = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"


@dataclass(frozen=True, slots=True)
class Judged:
    """How 40 matches ended, and what was charged for each ms that was burned."""

    timeouts: int
    voids: int
    charged_per_burned: float


def figures() -> dict[str, Any]:
    """False timeouts in 40 games, by clock and by matches at once."""
    found: dict[str, Any] = {"games": GAMES, "cores": len(os.sched_getaffinity(0))}
    for kind in ("adjusted", "wall"):
        for at_once in (1, 2, 4):
            judged = judge(kind, at_once)
            found[f"{kind}_{at_once}_at_once"] = {
                "false_timeouts": judged.timeouts + judged.voids,
                "charged_per_burned": round(judged.charged_per_burned, 3),
            }
    return found


def judge(kind: str, at_once: int, how: str = "burn", games: int = GAMES, limit: str = LIMIT) -> Judged:
    """So many matches, some at once, on cores on which something spins."""
    cores = sorted(os.sched_getaffinity(0))
    timeouts = voids = charged = decisions = 0
    with spinning(cores):
        slots = Slots([ProcessSlot(cores[number % len(cores)]) for number in range(at_once)])
        try:
            futures = [slots.submit(play_match, spec(kind, number, how, limit)) for number in range(games)]
            for future in futures:
                try:
                    record = future.result()
                except VoidMatch:
                    voids += 1
                    continue
                timeouts += record.forfeit is not None and record.forfeit.fault is Fault.TIMEOUT
                asked = [move for move in record.moves if move.seat == 0]
                charged += sum(move.charged_ns for move in asked)
                decisions += len(asked)
        finally:
            slots.shutdown(cancel_futures=True)
    return Judged(timeouts, voids, charged / max(decisions, 1) / (BURNED_MS * MS))


def spec(kind: str, number: int, how: str = "burn", limit: str = LIMIT) -> MatchSpec:
    """A match of two of a kind, with one deal of one card and one of two."""
    bot = Player("burner", (sys.executable, "-I", "-S", str(BURNER), how, str(BURNED_MS)), str(BURNER.parent))
    limits = Limits(TimeControl.parse(limit), 60_000 * MS, 400_000_000, clock=kind)
    return MatchSpec(
        id=f"clock/{number}",
        season="clock",
        round=None,
        table=None,
        rotation=0,
        game="planning",
        options={"seats": 2, "deals": [[1, 0], [1, 1]]},
        seed="1",
        players=(replace(bot, name="one"), replace(bot, name="two")),
        limits=limits,
    )


@contextmanager
def spinning(cores: list[int]) -> Iterator[None]:
    """A process that does nothing but use a core, on each of these."""
    spinners = [subprocess.Popen([sys.executable, "-I", "-S", "-c", SPINNER, str(core)]) for core in cores]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
