"""The bots of bots/languages: built as their README says, and named as in a season's file."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from arbiter.games.samples.sample_languages import LANGUAGES, language_bot
from arbiter.sandbox.player_command import register
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.match.spec import Player

FOLDER = ROOT / "bots" / "languages"
BUILDING = {"CGO_ENABLED": "0", "GO111MODULE": "off"}
STDERR = 2
"""The descriptor: compilers print to standard output."""
CACHES = ("GOCACHE", "XDG_CACHE_HOME", "ZIG_GLOBAL_CACHE_DIR")


def missing(language: str) -> str:
    """What this machine lacks for a language, "" for nothing."""
    lacks = LANGUAGES[language].missing()
    return f"no {lacks}" if lacks else ""


def build(language: str, season_folder: Path, game: str = "planning") -> Path:
    """The folder of a language's bot below a season's, with the bot of a game built in it."""
    folder = season_folder / "bots" / language
    folder.mkdir(parents=True)
    shutil.copy(language_bot(game, language), folder)
    environment = {**os.environ, **BUILDING, **dict.fromkeys(CACHES, str(season_folder / "cache"))}
    if command := LANGUAGES[language].build:
        subprocess.run(["sh", "-ec", command], cwd=folder, env=environment, check=True, stdout=STDERR)
    return folder


def player_of(language: str, season_folder: Path) -> Player:
    """The player whose bot is built below a season's folder."""
    return register(language, LANGUAGES[language].command(f"bots/{language}"), season_folder)
