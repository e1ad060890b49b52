"""Measures what a bot needs to start, by language, and prints the table of docs/howto/languages.md.

    python -m tests.bench.measure_languages [LANGUAGE ...]

Each bot of bots/languages is built as its README says and started as the page's season does, under the default tier
and limits. Printed are the time from its start to its first reply (the quickest of nine), the most memory it had used
by then, and the least `memory` of some round ones with which it plays a match. A language without its compiler is
left out.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from arbiter.errors import VoidMatch
from arbiter.games.samples.sample_languages import LANGUAGES
from arbiter.match.limits import USUAL, parse_memory
from arbiter.match.spec import Limits, MatchSpec, Player
from arbiter.sandbox.launcher import Launcher
from arbiter.sandbox.tiers import choose
from arbiter.table import Conductor
from arbiter.table.single_bot import SingleBot
from tests.bots.languages import build, missing, player_of

STARTS = 9
LEAST = ["10MB", "12MB", "15MB", "20MB", "25MB", "30MB", "40MB", "50MB", "60MB", "80MB", "100MB", "120MB", "150MB",
         "200MB", "250MB", "300MB", "400MB"]  # fmt: skip


def main(chosen: list[str]) -> None:
    limits = replace(USUAL.limits(), isolation=choose(USUAL.isolation)[0])
    print(f"isolation {limits.isolation}, memory {USUAL.memory}\n")
    print("| language | first reply, ms | memory then, MB | least `memory` |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for language in chosen or LANGUAGES:
            if lacks := missing(language):
                print(f"{language}: {lacks}", file=sys.stderr)
                continue
            build(language, Path(folder))
            player = player_of(language, Path(folder))
            wall, memory = started(player, limits)
            print(f"| {language} | {wall:.0f} | {memory:.0f} | {least(player, limits)} |", flush=True)


def started(player: Player, limits: Limits) -> tuple[float, float]:
    """ms to the first reply, of the quickest start, and MB used by then."""
    launcher = Launcher()
    walls, peaks = [], []
    try:
        for _ in range(STARTS + 1):
            begin = time.monotonic_ns()
            bot = SingleBot(launcher, player, limits)
            heard = bot.send(b"set_deck 23456789TJQKA CDHS\n", 1, 60 * 10**9)
            walls.append((time.monotonic_ns() - begin) / 1e6)
            assert heard.reply.fault is None, (player.name, heard, bot.stop())
            peaks.append(bot.stop().end.peak_memory_bytes / 1e6)
    finally:
        launcher.close()
    # The first start reads files and prepares the stage.
    return min(walls[1:]), statistics.median(peaks[1:])


def least(player: Player, limits: Limits) -> str:
    """The least memory with which a match is played."""
    table = Conductor()
    try:
        for memory in LEAST:
            spec = MatchSpec(
                id="match", season="languages", round=1, table=1, rotation=0, game="planning", options={"seats": 2},
                seed="1", players=(player, player), limits=replace(limits, memory_bytes=parse_memory(memory)),
            )  # fmt: skip
            try:
                if table.play(spec).forfeit is None:
                    return memory
            except VoidMatch:
                continue
    finally:
        table.close()
    return "more"


if __name__ == "__main__":
    main(sys.argv[1:])
