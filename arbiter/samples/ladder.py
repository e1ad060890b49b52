"""The ladder of a game as a folder: its season, its bots' sources, what builds and what trained them.

The files have one place, `configs/ladder` and the folders of `bots` in the repository; ``setup.py`` puts
them into the built package.
"""

from __future__ import annotations

import re

from arbiter.samples import BUILT, HERE, SEASON

CHECKOUT = HERE.parents[1]
PLACES = {"bots/python": "bots", "bots/cpp": "cpp", "bots/learned": "learned", "configs/ladder": "rungs"}
"""Folders of the repository, and where the built package has them."""
LEARNED = "bots/learned"
"""Its modules are for both games that it has bots of."""


def ladder_files(game: str, season: str) -> dict[str, bytes]:
    """What each file holds, by its path in the season's folder.

    `game` is one of `GAMES`; `season` is a name without quotes and backslashes.
    """
    text = _files("configs/ladder")[f"{game}.yaml"].decode()
    text = text.replace("../../bots/", "bots/")
    text = re.sub(r"^season: .*", f'season: "{season}"', text, flags=re.MULTILINE)
    text = re.sub(r"^store: .*", "store: sqlite:///season.sqlite", text, flags=re.MULTILINE)
    copied = {
        f"{folder}/{name}": held
        for folder in PLACES
        if f"{folder}/" in text
        for name, held in _files(folder).items()
        if name.startswith(f"{game}_") or folder == LEARNED or name == "Makefile"
    }
    return {SEASON: text.encode()} | copied


def _files(folder: str) -> dict[str, bytes]:
    """The files of one of the places, by name."""
    place = HERE / PLACES[folder] if BUILT.is_dir() else CHECKOUT / folder
    return {path.name: path.read_bytes() for path in sorted(place.iterdir()) if path.is_file()}
