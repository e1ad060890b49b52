"""The programs that a file names: what keeps them from starting, and the players made of them."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING

from arbiter.errors import Problem
from arbiter.players import command_problems, reading_problem, registered, starting_problems
from arbiter.table.files import script_problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arbiter.config.languages import Languages
    from arbiter.config.season_file import VersionModel
    from arbiter.match import Player

Place = tuple[str | int, ...]


def faults_of_version(
    version: VersionModel,
    folder: Path,
    check_command: bool = True,
    languages: Languages = MappingProxyType({}),
) -> Iterator[tuple[Place, str]]:
    """What keeps a program from being started, each with its place in the program's own keys."""
    for message in starting_problems(version.command, version.variables()):
        yield (), message
    if problem := reading_problem(version.read):
        yield ("read",), problem
    if check_command:
        path = version.variables().get("PATH")
        missing = [
            (word, message)
            for word, message in command_problems(version.command, folder, path)
            # What a season names is looked at by itself.
            if word or version.command[0] not in languages
        ]
        for word, message in missing:
            yield ("command", word), message
        if not missing and (message := script_problem(version.command[0], str(folder), path)):
            yield ("command", 0), message
    for number, path in enumerate(version.read):
        if not os.path.exists(folder / path):  # noqa: PTH110 -- the name may be none at all
            yield ("read", number), f"there is no {path}"


def problems_of_version(version: VersionModel, folder: Path, at: Place) -> Iterator[Problem]:
    """The same as problems of a program that stands at `at`, whose command may be all that is given of it."""
    for place, message in faults_of_version(version, folder):
        yield Problem((*at, "read") if "read" in place else at, message)


def player_of(name: str, version: VersionModel, folder: Path) -> Player:
    """A program of a file as a player."""
    return registered(name, version.command, folder, version.variables(), version.batched, version.read)
