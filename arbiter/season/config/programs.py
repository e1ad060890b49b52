"""The programs that a file names: what keeps them from starting, and the players made of them.

Those that bots are started with by a word alone are a season's own, and else the system's:

    languages:
      python3: /opt/course/bin/python3
      java: {program: /opt/jdk/bin/java, read: [/opt/jars]}

An author names a program by a word, such as ``python3``. Which one it starts is the organiser's affair: the
one that the season names, else the first of that name in the system's folders (`files.SYSTEM_PATH`), and
never one that is found by the PATH of the service.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from arbiter.errors import Problem
from arbiter.sandbox.landlock import MANAGED, path_of
from arbiter.sandbox.player_command import command_problems, reading_problem, registered, starting_problems
from arbiter.sandbox.program_files import SYSTEM_PATH, program_problem, script_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.match.spec import Player
    from arbiter.season.config.keys import LanguageModel, VersionModel


PYTHON = "python3"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A program by its whole path, links not followed, and what every bot may read for it."""

    program: str
    read: tuple[str, ...] = ()


Languages: TypeAlias = "Mapping[str, Interpreter]"
"""By the word that starts it."""


def languages_of(written: Mapping[str, LanguageModel], folder: Path) -> Languages:
    """The languages of a file, names being relative to `folder`."""
    # Not resolved: a virtual environment's interpreter must keep its own path.
    return {
        word: Interpreter(
            os.path.abspath(folder / model.program),  # noqa: PTH100
            tuple(os.path.abspath(folder / path) for path in model.read),  # noqa: PTH100
        )
        for word, model in written.items()
    }


def problems_of_languages(languages: Languages) -> Iterator[Problem]:
    """Yield what languages name and what is not there."""
    for word, language in languages.items():
        if message := program_problem(language.program, "/"):
            yield Problem(("languages", word), message, "name the program by its path")
        elif Path(language.program).parent.name == MANAGED:
            message = f"{language.program} is a version manager's script"
            yield Problem(("languages", word), message, "name what it starts, as `pyenv which` prints it")
        for path in language.read:
            if not os.path.exists(path):  # noqa: PTH110 -- the name may be none at all
                yield Problem(("languages", word), f"there is no {path}")


def python_warning(languages: Languages) -> Iterator[str]:
    """A warning where the word that most authors write starts nothing."""
    if PYTHON not in languages and shutil.which(PYTHON, path=SYSTEM_PATH) is None:
        yield f"the system's folders have no program {PYTHON} for authors: name one in `languages`"


def with_languages(player: Player, languages: Languages) -> Player:
    """A player whose first word is one of the languages', all of which it may use."""
    first, *words = player.command
    found = languages.get(first)
    return replace(
        player,
        command=player.command if found is None else (found.program, *words),
        languages=tuple((language.program, *language.read) for language in languages.values()),
    )


def submitted_player(
    name: str,
    command: Sequence[str],
    folder: Path,
    read: Sequence[str],
    languages: Languages,
    version: Path | None,
) -> Player:
    """The player of a program that an author sent, its words relative to `folder`.

    Only files of its `version`, a folder, are taken for the author's own: other words may be called as the
    season's files are. A first word that is none of them is one of the languages', or is looked up in the
    system's folders.
    """
    within = Path(os.devnull) if version is None else version.resolve()
    player = with_languages(registered(name, command, folder, read=read, within=within), languages)
    return replace(player, env={"PATH": path_of(player.languages)})


Place = tuple[str | int, ...]


def faults_of_version(
    version: VersionModel,
    folder: Path,
    check_command: bool = True,
    languages: Languages = MappingProxyType({}),
) -> Iterator[tuple[Place, str]]:
    """Yield what keeps a program from being started, each with its place in the program's own keys."""
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
