"""Two programs that answer at once, under fastchess and under ours: plies and decisions a CPU second.

    python -m tests.bench.referees [GAMES]      # fastchess from PATH, or the program that FASTCHESS names

The CPU time is user and system time of the command and all its children, engines and bots included, less that of the
same command with two games, which is mostly its start.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.play import INSTANT

GAMES = 200
MOVES = 104
"""Of each side: 208 plies, the decisions of a match of two at Planning."""


def figures(games: int = GAMES) -> dict[str, Any]:
    """fastchess with the same two processes for all games, with new ones for each as we have them, and ours."""
    found: dict[str, Any] = {"fastchess": _fastchess(games, "off")}
    if "skipped" not in found["fastchess"]:
        found["fastchess_new_processes"] = _fastchess(games, "on")
    return found | {"ours": _ours(games)}


def _fastchess(games: int, restart: str) -> dict[str, Any]:
    program = shutil.which(named := os.environ.get("FASTCHESS") or "fastchess")
    compiler = shutil.which("cc")
    if program is None or compiler is None:
        return {"skipped": f"{'cc' if program else named} is not there"}

    def play(count: int, folder: Path) -> tuple[float, list[int]]:
        source = Path(__file__).with_name("uci_engine.c")
        subprocess.run([compiler, "-O2", "-o", folder / "engine", source], check=True)
        words = [
            str(Path(program).resolve()),
            "-engine",
            "cmd=./engine",
            "name=a",
            "-engine",
            "cmd=./engine",
            "name=b",
        ]
        words += ["-each", "tc=60", f"restart={restart}", "-rounds", str(count // 2), "-games", "2"]
        seconds = _run([*words, "-maxmoves", str(MOVES), "-pgnout", "file=games.pgn"], folder)
        lines = (folder / "games.pgn").read_text().splitlines()
        return seconds, [int(line.split('"')[1]) for line in lines if line.startswith("[PlyCount ")]

    try:
        return _beyond_two("plies", games, play)
    except subprocess.CalledProcessError as error:
        return {"skipped": f"{program}: {(error.stdout.strip() or str(error)).splitlines()[-1]}"}


def _ours(games: int) -> dict[str, Any]:
    if not INSTANT.exists():
        return {"skipped": f"no {INSTANT.name}: it needs a C++ compiler (make bots)"}

    def play(count: int, folder: Path) -> tuple[float, list[int]]:
        words = [sys.executable, "-m", "arbiter", "play", "--game", "planning", "--option", "seats=2"]
        words += ["--bot", f"a={INSTANT}", "--bot", f"b={INSTANT} --seed 3", "--time", "60s", "--seed", "1"]
        words += ["--matches", str(count), "--workers", "1", "--records", "matches.jsonl"]
        seconds = _run(words, folder)
        records = (folder / "matches.jsonl").read_text().splitlines()
        return seconds, [len(json.loads(record)["moves"]) for record in records]

    return _beyond_two("decisions", games, play)


def _run(words: list[str], folder: Path) -> float:
    """The CPU seconds of a command and of all its children that have ended."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _beyond_two(
    unit: str, games: int, play: Callable[[int, Path], tuple[float, list[int]]]
) -> dict[str, Any]:
    found = []
    for count in (2, games):
        with tempfile.TemporaryDirectory() as folder:
            found.append(play(count, Path(folder)))
    (start, two), (whole, all_lengths) = found
    moves, seconds, more = sum(all_lengths) - sum(two), whole - start, len(all_lengths) - len(two)
    return {
        "games": more,
        unit: moves,
        "cpu_seconds": round(seconds, 2),
        f"{unit}_per_cpu_second": round(moves / seconds),
        "cpu_ms_per_game": round(1e3 * seconds / more, 1),
        "start_cpu_seconds": round(start, 2),
    }


if __name__ == "__main__":
    print(json.dumps(figures(*map(int, sys.argv[1:])), indent=2))
