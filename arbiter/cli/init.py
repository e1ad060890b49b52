"""`init`: a folder with a season to start from."""

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

if TYPE_CHECKING:
    from collections.abc import Mapping

A_NAME = re.compile(r"[\w.-]{1,64}")
"""A folder's name that can be a season's."""


@click.command()
@click.argument("folder", metavar="FOLDER")
@click.option("--game", default=GAMES[0], show_default=True, help=f"One of {', '.join(GAMES)}.")
@click.option("--ladder", is_flag=True, help="The game's ladder: opponents of known strength.")
def init(folder: str, game: str, ladder: bool) -> None:
    """Write a season to start from into a FOLDER: its file, sample bots, a README.

    No file that is there already is overwritten.

    Example: arbiter init spring --game dou_dizhu
    """
    if not folder:
        raise ConfigError("the folder has no name", hint="arbiter init . writes into the current one")
    if game not in GAMES:
        message = f"--game {game}: there is no sample season of it"
        raise ConfigError(message, hint=f"known: {', '.join(GAMES)}")
    place = os.path.realpath(folder)
    name = os.path.basename(place)  # noqa: PTH119
    fits = A_NAME.fullmatch(name) is not None
    files = (ladder_files if ladder else season_files)(game, name if fits else game)
    _write(Path(folder), files)
    if not fits:
        note(f"{name!r} is not a name for a season: it is called {game}; season: in {SEASON} names it")
    words = ["cd", *(["--"] if folder.startswith("-") else []), folder]
    going = "" if place == os.path.realpath("") else f"{shlex.join(words)} && "
    others = "" if ladder else ", README.md"
    say(f"wrote a season of {game} to {folder}: {SEASON}{others} and the folder bots")
    if any(path.endswith(".cpp") for path in files):
        say(f"build what is written in C++, with a compiler and make: {going}make -C bots/cpp")
    say(f"play its first round: {going}arbiter run-round {SEASON}")


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files or none; ConfigError names the one that is there already or cannot be written."""
    made: list[Path] = []
    at = folder
    try:
        # A folder comes before what is in it.
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
            raise ConfigError(
                "is there already", str(at), "nothing was written; name another folder"
            ) from None
        if isinstance(error, OSError):
            message = f"cannot be written: {error.strerror or error}"
            raise ConfigError(message, str(at), "nothing was written") from None
        raise
