"""Plays the ladder of each game, rates it, and writes docs/reference/ladder.md.

``python -m tests.bench.ladder [GAME ...]`` plays what is missing of the seasons of `configs/ladder`; of a game that
is not named, or whose bots need packages that are not installed, the page keeps what it has. A bot's idea is the first
paragraph of its file, its packages are those of the line ``# pip:``.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shlex
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import yaml

from arbiter.cli import exit_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "configs" / "ladder"
PAGE = ROOT / "docs" / "reference" / "ladder.md"
GAMES = {
    "planning": "Planning",
    "codepiece": "Codepiece",
    "dou_dizhu": "Dou Dizhu",
    "chefs_hat": "Chef's Hat",
}
SECTIONS = GAMES | {"dou_dizhu_adapters": "Dou Dizhu: agents of other platforms"}
INTRODUCTION = """\
# The ladder

<!-- Written by `make ladder`; what is typed here is lost. -->

Opponents of known strength for every game, from chance to the strongest that 10 s a match allow on one core. `make ladder`
plays the seasons of `configs/ladder`, rates them and writes this page. [Marks by rung](../howto/marks-by-rung.md) says how a course
uses it; `arbiter init FOLDER --game G --ladder` writes a game's ladder into a folder.

Elo with its 95 % interval, mean 0 over a game's bots, on duplicate deals under the default isolation. A rung's share is that of its results
against the rung below it. A learned bot is no rung: it stands where its rating puts it. CPU seconds and memory are a match's, the
program's start included. Programs in C++ are built by `make bots` with any C++17 compiler; learned ones need NumPy.
[Agents of other platforms](../howto/bring-a-bot.md) are no rungs either, since they need packages; they are rated against rungs, on the scale of
these. `make ladder` skips them, with a line that names the packages, where those are not installed.

The strongest bot of a game takes its number of worlds from the time that it is told first in a match, by a fixed rule: with the same
time and seed it plays the same. [What it makes of more time](../../bots/README.md#time) is measured apart.
"""


@dataclass(frozen=True)
class Bot:
    """A player of a ladder: `command` as typed in the repository's folder, `file` its program there."""

    name: str
    command: tuple[str, ...]
    file: str

    @property
    def is_rung(self) -> bool:
        return not self.file.startswith(("bots/learned/", "bots/adapters/"))

    @property
    def packages(self) -> list[str]:
        """The packages that its program needs, as pip takes them."""
        line = re.search(r"^# pip: (.*)$", (ROOT / self.file).read_text(), re.MULTILINE)
        return line[1].split() if line else []


@dataclass(frozen=True)
class Cost:
    """What a bot used in a match, on average, and its most memory in any."""

    cpu_seconds: float
    memory_mb: float


def main(chosen: list[str]) -> None:
    if unknown := set(chosen) - set(SECTIONS):
        sys.exit(f"no ladder of {', '.join(sorted(unknown))}; known: {', '.join(SECTIONS)}")
    for game in chosen or SECTIONS:
        config = CONFIGS / f"{game}.yaml"
        if missing := missing_packages(config):
            print(f"{SECTIONS[game]}: skipped, not installed: {', '.join(missing)}", flush=True)
            continue
        if code := play(config):
            sys.exit(code)
        sections = kept(PAGE.read_text() if PAGE.exists() else "")
        PAGE.write_text(page(sections | {SECTIONS[game]: section(config)}))


def play(config: Path) -> int:
    """Play what is missing of a season; the command's exit code."""
    with redirect_stdout(io.StringIO()):
        return exit_code(["run-season", str(config)])


def kept(text: str) -> dict[str, str]:
    """The sections of a page, by heading."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], (f"\n{part.strip()}\n" for part in parts[1::2]), strict=True))


def page(sections: dict[str, str]) -> str:
    """The whole page, its games in order."""
    games = [f"\n## {game}\n{sections[game]}" for game in SECTIONS.values() if game in sections]
    return INTRODUCTION + "".join(games)


def run_command(*words: object) -> Any:
    """What a command prints as JSON, whatever it says by its exit code."""
    with redirect_stdout(io.StringIO()) as out:
        exit_code([*map(str, words), "--format", "json"])
    return json.loads(out.getvalue())


def bots_of(config: Path) -> dict[str, Bot]:
    found = {}
    for player in yaml.safe_load(config.read_text())["players"]:
        words = [from_root(config, word) for word in player["command"]]
        file = next(word for word in words if word.startswith("bots/"))
        source = re.sub(r"/build/(\w+)$", r"/\1.cpp", file)
        found[player["name"]] = Bot(player["name"], tuple(words), source)
    return found


def missing_packages(config: Path) -> list[str]:
    """What the bots of a ladder need and this Python does not have, each after the bot's name."""
    return [
        f"{package} ({bot.name})"
        for bot in bots_of(config).values()
        for package in bot.packages
        if not list(distributions(name=re.split(r"[<=>\[]", package)[0]))
    ]


def from_root(config: Path, word: str) -> str:
    """A word of a command as it is typed in the repository's folder."""
    path = Path(os.path.normpath(config.parent / word))
    return str(path.relative_to(ROOT)) if word.startswith("..") and path.is_relative_to(ROOT) else word


def idea(source: Path) -> str:
    """The first paragraph of a program's docstring, or of the comment that it begins with."""
    text = source.read_text()
    if source.suffix == ".py":
        comment = ast.get_docstring(ast.parse(text)) or ""
    else:
        lines = text.splitlines()
        start = next(n for n, line in enumerate(lines) if line.startswith("//"))
        comment = "\n".join(
            line.removeprefix("//").strip() for line in lines[start:] if line.startswith("//")
        )
    return " ".join(comment.strip().split("\n\n")[0].split())


def costs(config: Path) -> dict[str, Cost]:
    """What each player used, from the stored matches; house copies count as the player."""
    used: dict[str, list[tuple[int, int]]] = {}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "matches.jsonl"
        exit_code(["export", str(config), "--as", "jsonl", "--output", str(file)])
        with file.open() as lines:
            for bot in (bot for line in lines for bot in json.loads(line)["bots"]):
                name = bot["player"].partition("#")[0]
                used.setdefault(name, []).append((bot["cpu_ns"], bot["peak_memory_bytes"]))
    return {
        name: Cost(mean(cpu for cpu, _ in seen) / 1e9, max(memory for _, memory in seen) / 1e6)
        for name, seen in used.items()
    }


def section(config: Path) -> str:
    standings, crosstable = run_command("standings", config), run_command("crosstable", config)
    bots, used = bots_of(config), costs(config)
    players = [player for player in standings["players"] if "#" not in player["player"]]
    rungs = [player["player"] for player in players if bots[player["player"]].is_rung]
    # Rungs have their entries in the ladder of their game.
    elsewhere = rungs if config.stem in SECTIONS.keys() - GAMES.keys() else []
    matches = len(run_command("matches", config)["matches"])
    faults = sum(sum(player["faults"].values()) for player in players)
    played = (
        f"{standings['rounds_played']} rounds, {matches:,} matches, "
        f"{faults or 'no'} fault{'' if faults == 1 else 's'}"
    )
    return "\n".join(
        [
            "",
            f"[`configs/ladder/{config.name}`](../../configs/ladder/{config.name}): {played}.",
            "",
            "| rung | bot | Elo | against the rung below | CPU, s | memory, MB |",
            "|---:|---|---:|---:|---:|---:|",
            *rows(players, rungs, crosstable, used),
            "",
            *entries(bots, [player["player"] for player in players if player["player"] not in elsewhere]),
            "",
        ]
    )


def rows(
    players: list[dict[str, Any]], rungs: list[str], crosstable: dict[str, Any], used: dict[str, Cost]
) -> Iterator[str]:
    """A row for each player, the best first."""
    for player in players:
        name, cost = player["player"], used[player["player"]]
        rung, below = "", ""
        if name in rungs:
            rung = str(len(rungs) - rungs.index(name))
            below = share(crosstable, name, rungs[rungs.index(name) + 1]) if rung != "1" else ""
        half = (player["high"] - player["low"]) / 2
        yield (
            f"| {rung} | {name} | {player['elo']:+.0f} ± {half:.0f} | {below} "
            f"| {cost.cpu_seconds:.2f} | {cost.memory_mb:.0f} |"
        )


def share(crosstable: dict[str, Any], player: str, other: str) -> str:
    """The part of the results between two that the first took."""
    row, column = (crosstable["players"].index(name) for name in (player, other))
    cell = crosstable["cells"][row][column]
    if cell is None:
        return "not met"
    total = cell["wins"] + cell["draws"] + cell["losses"]
    return f"{100 * (cell['wins'] + cell['draws'] / 2) / total:.1f} % of {total:,}"


def entries(bots: dict[str, Bot], names: Iterable[str]) -> Iterator[str]:
    """What each bot is, the best first."""
    for name in names:
        bot = bots[name]
        yield f"- **{name}**: {idea(ROOT / bot.file)} `{shlex.join(bot.command)}`"


if __name__ == "__main__":
    main(sys.argv[1:])
