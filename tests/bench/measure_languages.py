"""Measures what a bot needs to start, by language: the first cells of the table of docs/howto/languages.md.

    python -m tests.bench.measure_languages [--write] [LANGUAGE ...]

Each bot of bots/languages is built as its README says and named as in a season's file, under the default tier
and limits; then those of plain_bots.toml, started in their ways until one plays, each without a flush, then with it;
then bots in Python that import a library. Printed are the version, the time from the start to the first reply (the
quickest of nine), the most memory used by then, the least `memory` of some round ones with which it plays a match and,
for a plain bot, the flush that it needs. A language without its compiler is left out; of one that does not play, the
reason is printed. `--write` puts the cells into the page.
"""

from __future__ import annotations

import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.errors import VoidMatch
from arbiter.games.samples.sample_languages import LANGUAGES, SampleLanguage
from arbiter.match.limits import USUAL, parse_memory
from arbiter.match.spec import Limits, MatchSpec, Player
from arbiter.sandbox.launcher import Launcher
from arbiter.sandbox.player_command import register
from arbiter.sandbox.tiers import choose
from arbiter.table import Conductor
from arbiter.table.single_bot import SingleBot
from tests.bots.languages import build, missing, player_of
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = ROOT / "docs" / "howto" / "languages.md"
STARTS = 9
LEAST = ("10MB", "25MB", "50MB", "100MB", "200MB", "400MB")
QUESTIONS = ("--version", "-version", "version", "-v", "-iV", "-V")
PLAIN = tomllib.loads((ROOT / "tests" / "bench" / "plain_bots.toml").read_text(encoding="utf-8"))
USUAL_DEALS: dict[str, object] = {"seats": 2}
DEALS_OF_ONE_CARD: dict[str, object] = {"seats": 2, "deals": [[1, 0], [1, 1]] * 20}
"""Enough exchanges to fill the buffers of an output, and the pipes of a match, if a bot does not free them."""


class Way(NamedTuple):
    """A way to start a plain bot, and the flush in its text, "no" for none."""

    language: SampleLanguage
    text: str
    flush: str

    def built(self, season_folder: Path) -> Player:
        """Build the bot below a season's folder and return its player."""
        folder = season_folder / "bots" / "plain"
        folder.mkdir(parents=True)
        (folder / self.language.file).write_text(self.text, encoding="utf-8")
        subprocess.run(["sh", "-ec", self.language.build], cwd=folder, check=True, stdout=sys.stderr)
        player = register("plain", self.language.command("bots/plain"), season_folder)
        above = Path(shutil.which(self.language.start[0]) or "/").resolve().parents
        # A program of npm needs its packages.
        modules = (str(path) for path in above if path.name == "node_modules")
        return replace(player, read=(*player.read, *modules))

    def missing(self) -> str:
        """What this machine lacks, "" for nothing."""
        files = [word for word in self.language.start if word.startswith("/") and not Path(word).exists()]
        return next(iter([self.language.missing(), *files]), "")


def main(words: list[str]) -> None:
    limits = replace(USUAL.limits(), isolation=choose(USUAL.isolation)[0])
    print(f"isolation {limits.isolation}, memory {USUAL.memory}\n")
    print("| language | version | first reply, ms | memory then, MB | least `memory` | flush |")
    print("|---|---|---:|---:|---:|---|")
    chosen = [word for word in words if word != "--write"]
    plain = {bot["title"].lower(): bot for bot in (*PLAIN["bots"], *libraries())}
    for language in chosen or (*LANGUAGES, *plain):
        cells = measured_kit(language, limits) if language in LANGUAGES else measured(plain[language], limits)
        if cells:
            print(cells, flush=True)
            if "--write" in words:
                write(cells)


def measured_kit(language: str, limits: Limits) -> str:
    """The first cells of a language with a bot in bots/languages, "" if it does not play."""
    if lacks := missing(language):
        print(f"{language}: {lacks}", file=sys.stderr)
        return ""
    with tempfile.TemporaryDirectory() as folder:
        build(language, Path(folder))
        player = player_of(language, Path(folder))
        if not (least := least_memory(player, limits, USUAL_DEALS)):
            print(f"{language}: {failure(player, limits, USUAL_DEALS)}", file=sys.stderr)
            return ""
        return f"| {LANGUAGES[language].title} | {version(LANGUAGES[language])} | {figures(player, limits)} | {least} |"


def measured(bot: dict[str, Any], limits: Limits) -> str:
    """The first cells of a plain bot, "" if it does not play in any way."""
    for way in ways(bot):
        tried = f"{bot['title']}: {shlex.join(way.language.start)}, flush {way.flush}"
        if lacks := way.missing():
            print(f"{tried}: no {lacks}", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            player = way.built(Path(folder))
            if why := failure(player, limits, DEALS_OF_ONE_CARD):
                print(f"{tried}: {why}", file=sys.stderr)
                continue
            print(f"{tried}: plays", file=sys.stderr)
            least = least_memory(player, limits, DEALS_OF_ONE_CARD)
            number = bot.get("version") or version(way.language, bot.get("asks", ""))
            cells = f"| {bot['title']} | {number} | {figures(player, limits)} | {least} |"
            return cells if "version" in bot else f"{cells} {way.flush} |"
    return ""


def libraries() -> Iterator[dict[str, Any]]:
    """Yield the plain bots that import a library, of those that the `python3` of the PATH has."""
    asked = (
        "from importlib.metadata import distributions as d; print(*(f'{x.name}={x.version}' for x in d()))"
    )
    listed = subprocess.run(["python3", "-c", asked], capture_output=True, text=True, check=True).stdout
    installed = dict(word.split("=") for word in listed.split())
    for name, line in PLAIN["libraries"].items():
        if name in installed:
            python = {"file": "bot.py", "start": ["python3 bot.py"], "flush": "sys.stdout.flush()"}
            yield {
                "title": name,
                "text": "python",
                "words": {"HEAD": line},
                "version": installed[name],
                **python,
            }


def ways(bot: dict[str, Any]) -> Iterator[Way]:
    """Yield the ways in which a plain bot may play."""
    text = PLAIN["texts"].get(bot["text"], bot["text"]).lstrip("\n")
    for word, meant in bot.get("words", {"HEAD": ""}).items():
        text = text.replace(word, meant)
    for start in bot["start"]:
        language = SampleLanguage(bot["title"], bot["file"], bot.get("build", ""), tuple(shlex.split(start)))
        for flush in ("", bot["flush"]) if "flush" in bot else ("",):
            yield Way(language, text.replace("FLUSH", flush), f"`{flush.strip(';, ')}`" if flush else "no")


def version(found: SampleLanguage, asks: str = "") -> str:
    """The version that the compiler or interpreter prints, or the command `asks`; "" if there is none."""
    program = (found.build.split() or found.start)[0]
    for command in [asks] if asks else [f"{program} {question}" for question in QUESTIONS]:
        asked = subprocess.run(
            command, shell=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        number = re.search(r"\d+(\.\d+)+", asked.stdout + asked.stderr)
        if asked.returncode == 0 and number:
            return number[0]
    return ""


def write(cells: str) -> None:
    """Replace the first cells of a language's row on the page; an unknown version leaves that of the page."""
    title, number, *others = (cell.strip() for cell in cells.strip("|").split("|"))
    start = rf"^\| {re.escape(title)} \| ([^|\n]*) \|(?:[^|\n]*\|){{{len(others)}}}"

    def row(found: re.Match[str]) -> str:
        return f"| {title} | {number or found[1]} | {' | '.join(others)} |"

    text, count = re.subn(start, row, PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if count != 1:
        print(f"{title}: expected one row on the page, got {count}", file=sys.stderr)
    else:
        PAGE.write_text(text, encoding="utf-8")


def figures(player: Player, limits: Limits) -> str:
    """ms to the first reply, of the quickest start, and MB used by then, as two cells."""
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
    return f"{min(walls[1:]):.0f} | {statistics.median(peaks[1:]):.0f}"


def least_memory(player: Player, limits: Limits, options: dict[str, object]) -> str:
    """The least memory with which a match is played, "" if none is enough."""
    for memory in LEAST:
        if not failure(player, replace(limits, memory_bytes=parse_memory(memory)), options):
            return memory
    return ""


def failure(player: Player, limits: Limits, options: dict[str, object]) -> str:
    """Why a match of a player against itself ended early, "" if it was played to its end."""
    spec = MatchSpec(
        id="match", season="languages", round=1, table=1, rotation=0, game="planning", options=options,
        seed="1", players=(player, player), limits=limits,
    )  # fmt: skip
    table = Conductor()
    try:
        forfeit = table.play(spec).forfeit
    except VoidMatch as error:
        return str(error)
    finally:
        table.close()
    return f"{forfeit.fault}: {forfeit.detail}" if forfeit else ""


if __name__ == "__main__":
    main(sys.argv[1:])
