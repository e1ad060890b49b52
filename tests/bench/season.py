"""What a season costs beyond its matches: planning, storing and rating, beside the CPU of the matches.

A whole season through the command line: 40 players that answer at once, a hundred rounds; and a regression
test. The coordinator's CPU and memory are those of a new process, imports included; the matches' CPU is what
the workers, their launchers and the bots used.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.play import INSTANT

PLAYERS = 40
ROUNDS = 100
BLOCKS = 400


def measure_season(rounds: int = ROUNDS) -> dict[str, Any]:
    """The share of the coordinator in all CPU, and what a match takes of it and of the store."""
    if not INSTANT.exists():
        return {"skipped": f"no {INSTANT.name}: it needs a C++ compiler (make bots)"}
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "season.yaml"
        lines = ["game: planning", f"rounds: {rounds}", f"seed: {'s' * 32}", "isolation: plain", "time: 60s"]
        lines += ["players:", *(f"  - {{name: p{n}, command: [{INSTANT}]}}" for n in range(PLAYERS))]
        config.write_text("\n".join(lines))
        code, seconds, own, others, peak = _measured(["run-season", str(config)])
        if code:
            return {"failed": f"run-season ended with {code}"}
        matches = rounds * PLAYERS
        stored = config.with_suffix(".sqlite").stat().st_size
    return {
        **_shares(matches, seconds, own, others),
        "store_bytes_per_match": round(stored / matches),
        "coordinator_peak_mb": round(peak),
    }


def regress(blocks: int = BLOCKS) -> dict[str, Any]:
    """The same of a regression test between two programs that answer at once, which stays undecided."""
    if not INSTANT.exists():
        return {"skipped": f"no {INSTANT.name}: it needs a C++ compiler (make bots)"}
    with tempfile.TemporaryDirectory() as folder:
        words = [
            "regress",
            "--game",
            "planning",
            "--base",
            str(INSTANT),
            "--candidate",
            f"{INSTANT} --seed 3",
        ]
        words += ["--elo1", "0.1", "--max-blocks", str(blocks), "--isolation", "plain", "--seed", "1"]
        words += ["--store", f"sqlite:///{folder}/regress.sqlite"]
        code, seconds, own, others, _ = _measured(words)
    if code != 1:
        return {"failed": f"regress ended with {code}"}
    matches = 4 * blocks
    return _shares(matches, seconds, own, others)


def _shares(matches: int, seconds: float, own: float, others: float) -> dict[str, Any]:
    """CPU seconds of the coordinator and of the matches, and the wall time of both, as figures."""
    return {
        "matches": matches,
        "overhead_percent_of_cpu": round(100 * own / (own + others), 2),
        "coordinator_cpu_ms_per_match": round(1e3 * own / matches, 3),
        "matches_cpu_ms_per_match": round(1e3 * others / matches, 2),
        "matches_per_minute": round(60 * matches / seconds),
    }


_PROGRAM = """
import json, resource, sys, time
from contextlib import redirect_stderr, redirect_stdout
from os import devnull
from arbiter.cli import exit_code

start = time.monotonic()
with open(devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
    code = exit_code(sys.argv[1:])
used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
cpu = [one.ru_utime + one.ru_stime for one in used]
print(json.dumps([code, time.monotonic() - start, *cpu, used[0].ru_maxrss / 1e3]))
"""


def _measured(words: list[str]) -> tuple[int, float, float, float, float]:
    """The exit code of a command, its seconds, the CPU seconds of its process and of its children, its peak in MB.

    The process is new: what else was measured before makes it neither larger nor slower.
    """
    done = subprocess.run([sys.executable, "-c", _PROGRAM, *words], stdout=subprocess.PIPE, check=True)
    code, seconds, own, others, peak = json.loads(done.stdout)
    return code, seconds, own, others, peak
