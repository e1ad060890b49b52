"""`init`: write a season file and sample bots to a folder."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.output import note, say
from arbiter.errors import ConfigError
from arbiter.games.samples import GAMES, SEASON, ladder_files, season_files
from arbiter.games.samples.sample_languages import ALIASES, LANGUAGES, MINE, languages_of

if TYPE_CHECKING:
    from collections.abc import Mapping

A_NAME = re.compile(r"[\w.-]{1,64}")
"""Folder names that are valid season names."""


@click.command()
@click.argument("folder", metavar="FOLDER")
@click.option("--game", default=GAMES[0], show_default=True, help=f"One of {', '.join(GAMES)}.")
@click.option(
    "--language",
    help=f"A bot of yours to start from, in {', '.join(LANGUAGES)}; not all games have all.",
)
@click.option("--ladder", is_flag=True, help="The game's ladder: opponents of known strength.")
def init(folder: str, game: str, language: str | None, ladder: bool) -> None:
    """Write a season file and sample bots to start from.

    Existing files are never overwritten.

    Example: arbiter init spring --game dou_dizhu
    """
    if not folder:
        raise ConfigError("empty folder name", hint="arbiter init . writes into the current folder")
    if game not in GAMES:
        message = f"--game {game}: no sample season"
        raise ConfigError(message, hint=f"expected one of {', '.join(GAMES)}")
    if language is not None and ladder:
        raise ConfigError("--language and --ladder: give only one")
    if language is not None:
        known, given = languages_of(game), language
        language = ALIASES.get(given.lower(), given.lower())
        if language not in known:
            hint = f"expected one of {', '.join(known)}; the other bots are in Python"
            raise ConfigError(f"--language {given}: no bot of {game}", hint=hint)
    place = os.path.realpath(folder)
    name = os.path.basename(place)  # noqa: PTH119
    fits = A_NAME.fullmatch(name) is not None
    season = name if fits else game
    files = ladder_files(game, season) if ladder else season_files(game, season, language)
    _write(Path(folder), files)
    if not fits:
        note(f"{name!r} is not a valid season name: the season is called {game}; change season: in {SEASON}")
    words = ["cd", *(["--"] if folder.startswith("-") else []), folder]
    going = "" if place == os.path.realpath("") else f"{shlex.join(words)} && "
    others = "" if ladder else ", README.md"
    say(f"wrote a season of {game} to {folder}: {SEASON}{others} and the folder bots")
    if language is not None:
        bot = shlex.join(["cd", *(["--"] if folder.startswith("-") else []), f"{folder}/bots/{MINE}"])
        build = LANGUAGES[language].build
        say(
            f"build the bot {MINE}: ({bot} && {build})"
            if build
            else f"your bot: {folder}/bots/{MINE}/{LANGUAGES[language].file}"
        )
    if not ladder:
        say(f"for a course with teams: {Path(folder) / 'README.md'} has the checklist")
    if ladder and any(path.endswith(".cpp") for path in files):
        say(f"build the C++ bots, with a compiler and make: {going}make -C bots/cpp")
    say(f"play its first round: {going}arbiter run-round {SEASON}")


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files or none; ConfigError for a file that exists or cannot be written."""
    made: list[Path] = []
    at = folder
    try:
        for at in sorted({folder / around for name in files for around in Path(name).parents}):
            if not at.is_dir():
                at.mkdir()
                made.append(at)
        for name, held in files.items():
            at = folder / name
            with at.open("xb") as file:
                made.append(at)
                file.write(held)
    except BaseException as error:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        if isinstance(error, FileExistsError):
            raise ConfigError("already exists", str(at), "nothing was written; name another folder") from None
        if isinstance(error, OSError):
            message = f"cannot be written: {error.strerror or error}"
            raise ConfigError(message, str(at), "nothing was written") from None
        raise
