"""A season killed again and again, beside a twin that nobody disturbs: are they the same season?

    python -m tests.twins --rounds 100 --kills 20

Eight real bots whose play hangs on their cards and seeds alone: no clock, budgets that cannot
bind. The season is killed with -9 at random moments, gone on with each time by the same command,
and at the end compared with its twin: matches move for move, rounds, ratings, `verify`.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import select
import subprocess
import sys
import time
from contextlib import closing, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.cli import exit_code
from arbiter.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.record import MatchRecord
    from arbiter.store import SeasonStore

BOTS = Path(__file__).parents[1] / "bots" / "python"
PLAYERS = {
    "random-1": ("planning_random.py", "--seed", "1"),
    "random-2": ("planning_random.py", "--seed", "2"),
    "greedy-5": ("planning_greedy.py", "--worlds", "5"),
    "greedy-10": ("planning_greedy.py", "--worlds", "10"),
    "greedy-20": ("planning_greedy.py", "--worlds", "20"),
    "greedy-seed": ("planning_greedy.py", "--worlds", "5", "--seed", "7"),
    "pimc-2": ("planning_pimc.py", "--worlds", "2", "--no-clock"),
    "pimc-3": ("planning_pimc.py", "--worlds", "3", "--no-clock"),
}


def commands() -> dict[str, list[str]]:
    """Bots of several kinds, by name."""
    return {
        player: [sys.executable, "-S", str(BOTS / bot), *arguments]
        for player, (bot, *arguments) in PLAYERS.items()
    }


def write_config(
    folder: Path, name: str, rounds: int, players: Mapping[str, Sequence[str]], game: str = "planning"
) -> Path:
    """One of the two: same season and seed, a store of its own."""
    lines = ["season: twins", f"game: {game}", f"rounds: {rounds}", "opening_rounds: 2", f"seed: {'t' * 32}"]
    lines += [
        "isolation: plain",
        "time: 3600s",
        "start_time: 600s",
        f"store: sqlite:///{name}.sqlite",
        "players:",
    ]
    lines += [f"  - {{name: {player}, command: {json.dumps(words)}}}" for player, words in players.items()]
    path = folder / f"{name}.yaml"
    path.write_text("\n".join(lines))
    return path


def run(config: Path) -> subprocess.Popen[bytes]:
    """The season on its way, in a process group of its own."""
    command = [sys.executable, "-m", "arbiter", "run-season", str(config)]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def killed_after(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Kill -9 the coordinator alone after a while; False if it was done before."""
    descriptor = os.pidfd_open(process.pid)
    ended = select.select([descriptor], [], [], seconds)[0]
    os.close(descriptor)
    if ended:
        return False
    process.kill()
    process.wait()
    return True


def play_killed(config: Path, kills: int, about_seconds: float, seed: int = 1) -> int:
    """Play to the end through so many kills spread over about so many seconds; how many there were."""
    draw = random.Random(seed)
    done = 0
    while done < kills:
        if not killed_after(run(config), draw.uniform(0, 2 * about_seconds / (kills + 1))):
            return done
        done += 1
    if run(config).wait() != 0:
        raise AssertionError("the season could not be gone on with")
    return done


def differences(one: Path, other: Path) -> Iterator[str]:
    """What is not the same in two seasons: rounds, matches move for move, ratings."""
    with closing(Store(url(one), create=False)) as first, closing(Store(url(other), create=False)) as second:
        a, b = season_of(first), season_of(second)
        if a.rounds() != b.rounds():
            yield "rounds"
        count = 0
        for mine, theirs in zip(a.records(), b.records(), strict=False):
            count += 1
            if played(mine) != played(theirs):
                yield mine.id
        for season in (a, b):
            if len(season.summaries()) != count:
                yield f"{len(season.summaries())} matches beside {count}"
        for stored in a.rounds():
            if a.standings(stored.number) != b.standings(stored.number):
                yield f"standings of round {stored.number}"


def url(config: Path) -> str:
    """Where a config's store lies."""
    return f"sqlite:///{config.with_suffix('.sqlite')}"


def season_of(store: Store) -> SeasonStore:
    """The only season there is."""
    season = store.season("twins")
    assert season is not None
    return season


def played(record: MatchRecord) -> MatchRecord:
    """A match without what was measured of it."""
    moves = tuple(
        move._replace(wall_ns=0, cpu_ns=0, delay_ns=0, charged_ns=0, left_ns=0) for move in record.moves
    )
    return replace(record, moves=moves, bots=(), host={}, started="", wall_ns=0)


def verified(config: Path) -> dict[str, Any]:
    """What `arbiter verify` finds."""
    with redirect_stdout(io.StringIO()) as out:
        exit_code(["verify", str(config), "--format", "json"])
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def main() -> None:
    """Both seasons, and what differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--folder", type=Path, required=True)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    calm, killed = (write_config(given.folder, name, given.rounds, commands()) for name in ("calm", "killed"))
    start = time.monotonic()
    if run(calm).wait() != 0:
        sys.exit("the undisturbed season failed")
    seconds = time.monotonic() - start
    print(f"undisturbed: {seconds:.0f} s")
    print(f"killed {play_killed(killed, given.kills, seconds)} times")
    found = list(differences(calm, killed))
    for config in (calm, killed):
        print(config.stem, json.dumps({k: v for k, v in verified(config).items() if k != "seed_sha256"}))
    print("\n".join(found) or "the two seasons are the same")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
