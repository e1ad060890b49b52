"""The bots of bots/languages: built as their README says, started as the page "Languages" says."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from arbiter.games.samples.sample_languages import language_bot
from arbiter.sandbox.player_command import register
from tests.docs.pages import ROOT, blocks

if TYPE_CHECKING:
    from arbiter.match.spec import Player

FOLDER = ROOT / "bots" / "languages"
PAGE = ROOT / "docs" / "howto" / "languages.md"
COMPILERS = {
    "cc": "C compiler", "c++": "C++ compiler", "rustc": "Rust compiler", "go": "Go compiler",
    "javac": "Java compiler",
}  # fmt: skip
BUILDING = {"CGO_ENABLED": "0", "GO111MODULE": "off"}


def _table() -> dict[str, tuple[Path, list[str], list[str]]]:
    lines = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    return {
        language.lower(): (
            FOLDER / file.partition("](")[2].rstrip(")"),
            [command for command in build.strip("`").split(" && ") if command],
            start.strip("`").split(),
        )
        for language, file, build, start, _ in cells[2:]
    }


TABLE = _table()
"""Language to (file, commands that build, command that starts it in its own folder), from the README."""


def missing(language: str) -> str:
    """What this machine lacks for a language, "" for nothing."""
    _, commands, start = TABLE[language]
    for program in [command.split()[0] for command in commands] + start[:1]:
        if not program.startswith("./") and shutil.which(program) is None:
            return f"no {COMPILERS.get(program, program)}"
    return ""


def build(language: str, season_folder: Path, game: str = "planning") -> Path:
    """The folder of a language's bot below a season's, with the bot of a game built in it."""
    file, commands = language_bot(game, language), TABLE[language][1]
    folder = season_folder / "bots" / language
    folder.mkdir(parents=True)
    shutil.copy(file, folder)
    environment = {**os.environ, **BUILDING, "GOCACHE": str(season_folder / "cache")}
    for command in commands:
        subprocess.run(command, shell=True, cwd=folder, env=environment, check=True)
    return folder


def entries(season_folder: Path) -> dict[str, Player]:
    """The players of the page's season file, by language."""
    (text,) = (text for kind, file, text in blocks(PAGE) if kind == "yaml" and "players:" in text)
    return {
        entry["name"]: register(entry["name"], entry["command"], season_folder)
        for entry in yaml.safe_load(text)["players"]
    }
