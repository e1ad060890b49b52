"""Measures what a bot needs to start, by language: the first cells of the table of docs/howto/languages.md.

    python -m tests.bench.measure_languages [--write] [LANGUAGE ...]

Each bot of bots/languages is built as its README says and named as in a season's file, under the default tier
and limits. Printed are the version, the time from its start to its first reply (the quickest of nine), the most memory
it had used by then, and the least `memory` of some round ones with which it plays a match. A language without its
compiler is left out, as is one that does not play. `--write` puts the cells into the page.
"""

from __future__ import annotations

import re
import statistics
import subprocess
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
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "howto" / "languages.md"
STARTS = 9
LEAST = ("10MB", "25MB", "50MB", "100MB", "200MB", "400MB")
QUESTIONS = ("--version", "-version", "version", "-v", "-iV")


def main(words: list[str]) -> None:
    limits = replace(USUAL.limits(), isolation=choose(USUAL.isolation)[0])
    print(f"isolation {limits.isolation}, memory {USUAL.memory}\n")
    print("| language | version | first reply, ms | memory then, MB | least `memory` |")
    print("|---|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for language in [word for word in words if word != "--write"] or LANGUAGES:
            if lacks := missing(language):
                print(f"{language}: {lacks}", file=sys.stderr)
                continue
            build(language, Path(folder))
            player = player_of(language, Path(folder))
            least = least_memory(player, limits)
            if not least:
                print(f"{language}: it does not play with {LEAST[-1]}", file=sys.stderr)
                continue
            wall, memory = started(player, limits)
            title = LANGUAGES[language].title
            cells = f"| {title} | {version(language)} | {wall:.0f} | {memory:.0f} | {least} |"
            print(cells, flush=True)
            if "--write" in words:
                write(title, cells)


def version(language: str) -> str:
    """The version that the compiler or interpreter prints, "" if it prints none."""
    found = LANGUAGES[language]
    program = (found.build.split() or found.start)[0]
    for question in QUESTIONS:
        asked = subprocess.run(
            [program, question], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        number = re.search(r"\d+(\.\d+)+", asked.stdout + asked.stderr)
        if asked.returncode == 0 and number:
            return number[0]
    return ""


def write(title: str, cells: str) -> None:
    """Replace the first cells of a language's row on the page."""
    start = rf"^\| {re.escape(title)} \|(?:[^|\n]*\|){{4}}"
    text, count = re.subn(start, lambda _: cells, PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if count != 1:
        print(f"{title}: expected one row on the page, got {count}", file=sys.stderr)
    else:
        PAGE.write_text(text, encoding="utf-8")


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


def least_memory(player: Player, limits: Limits) -> str:
    """The least memory with which a match is played, "" if none is enough."""
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
    return ""


if __name__ == "__main__":
    main(sys.argv[1:])
