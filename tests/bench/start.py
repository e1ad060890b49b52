"""What commands cost that only look, beside the import of SQLAlchemy, which all of them need.

Each is run in turn with the others, so that a machine that gets slower gets slower for all; the figures are
medians of CPU time, user and system, of the whole process.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.testing import play_by_policy, random_policy

RUNS = 4
PLAYERS = 8
MODULE = (sys.executable, "-c", "import sqlalchemy")
COMMANDS = {
    "help": ("--help",),
    "show": ("show", "{config}", "r001/t01/m0"),
    "matches": ("matches", "{config}"),
    "status": ("status", "{config}"),
    "standings": ("standings", "{config}"),
    "crosstable": ("crosstable", "{config}"),
}
BARS = dict.fromkeys(("show", "matches", "status", "standings"), 1.25) | {"crosstable": 2.0}
"""The most that each may take, in imports of SQLAlchemy."""


def figures() -> dict[str, Any]:
    """The CPU time of an import of SQLAlchemy, and that of each command as a multiple of it."""
    with tempfile.TemporaryDirectory() as folder:
        config = stored_season(Path(folder))
        commands = {
            name: [sys.executable, "-m", "arbiter", *(word.format(config=config) for word in words)]
            for name, words in COMMANDS.items()
        }
        taken: dict[str, list[float]] = {"sqlalchemy": [], **{name: [] for name in commands}}
        for _ in range(RUNS):
            taken["sqlalchemy"].append(_cpu(MODULE))
            for name, words in commands.items():
                taken[name].append(_cpu(words))
    medians = {name: statistics.median(seconds) for name, seconds in taken.items()}
    whole = medians.pop("sqlalchemy")
    return {
        "import_sqlalchemy_cpu_ms": round(1e3 * whole),
        "times_import_sqlalchemy": {name: round(cpu / whole, 2) for name, cpu in medians.items()},
        "bars": BARS,
    }


def stored_season(folder: Path) -> Path:
    """A season with a round that was played in memory; its file."""
    file = folder / "season.yaml"
    players = [f"  - {{name: p{n}, command: [python3]}}" for n in range(PLAYERS)]
    file.write_text("\n".join(["game: planning", f"seed: {'s' * 32}", "players:", *players]))
    config = load(file)
    store = Store(config.store)
    opened_season = Season.open(config, store)
    plan = opened_season.rounds.plan()
    assert plan is not None
    for spec in plan.missing:
        opened_season.stored.add_match(play_by_policy(config.game, random_policy(spec.id), spec))
    opened_season.rounds.finish(plan.stored.number)
    store.close()
    return file


def _cpu(words: tuple[str, ...] | list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
