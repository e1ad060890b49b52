"""The programs that a file names: their problems, and the players made of them.

Programs that commands name by a word are the season's languages, else the system's:

    languages:
      python3: /opt/course/bin/python3
      java: {program: /opt/jdk/bin/java, read: [/opt/jars]}

An author names a program by a word, such as ``python3``. The organiser decides what it starts: the season's
language of that name, else the first in the system's folders (`program_files.SYSTEM_PATH`), never a program
found by the PATH of the service.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from arbiter.errors import Problem
from arbiter.games.samples import bot_names, bot_words
from arbiter.sandbox.landlock import MANAGED, search_path
from arbiter.sandbox.player_command import command_problems, reading_problem, register, starting_problems
from arbiter.sandbox.program_files import SYSTEM_PATH, program_problem, script_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.match.spec import Player
    from arbiter.season.config.keys import LanguageModel, VersionModel


PYTHON = "python3"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A program by its absolute path, links not followed, and the paths that every bot may read for it."""

    program: str
    read: tuple[str, ...] = ()


Languages: TypeAlias = "Mapping[str, Interpreter]"
"""Interpreters by the word that starts them."""


def languages_of(written: Mapping[str, LanguageModel], folder: Path) -> Languages:
    """Return the languages of a file, with paths relative to `folder`."""
    # Not resolved: a virtual environment's interpreter must keep its own path.
    return {
        word: Interpreter(
            os.path.abspath(folder / model.program),  # noqa: PTH100
            tuple(os.path.abspath(folder / path) for path in model.read),  # noqa: PTH100
        )
        for word, model in written.items()
    }


def problems_of_languages(languages: Languages) -> Iterator[Problem]:
    """Yield the problems of languages: missing files, and version managers' scripts."""
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
    """Yield a warning if ``python3``, which most authors write, starts nothing."""
    if PYTHON not in languages and shutil.which(PYTHON, path=SYSTEM_PATH) is None:
        yield f"the system's folders have no program {PYTHON} for authors: name one in `languages`"


def with_languages(player: Player, languages: Languages) -> Player:
    """Return a player with its first word replaced by that language's program; it may use all languages."""
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
    """Return the player of an author's program, its words relative to `folder`.

    Only files of its `version`, a folder, count as the author's own: other words may equal names of the
    season's files. A first word that is no such file is a language, or is looked up in the system's folders.
    """
    within = Path(os.devnull) if version is None else version.resolve()
    player = with_languages(register(name, command, folder, read=read, within=within), languages)
    return replace(player, env={"PATH": search_path(player.languages)})


Place = tuple[str | int, ...]


def faults_of_version(
    version: VersionModel,
    folder: Path,
    check_command: bool = True,
    languages: Languages = MappingProxyType({}),
) -> Iterator[tuple[Place, str]]:
    """Yield the problems of a program, each with its place in the program's own keys.

    Always words and variables that the kernel refuses, and missing or the kernel's paths in `read`. With
    `check_command` also missing files of the command, unless its first word is in `languages`, and a script
    whose first line starts nothing.
    """
    for message in starting_problems(version.command, version.variables()):
        yield (), message
    if problem := reading_problem(version.read):
        yield ("read",), problem
    if check_command:
        path = version.variables().get("PATH")
        missing = [
            (word, message)
            for word, message in command_problems(version.command, folder, path)
            # Languages are checked separately.
            if word or version.command[0] not in languages
        ]
        for word, message in missing:
            yield ("command", word), message
        if not missing and (message := script_problem(version.command[0], str(folder), path)):
            yield ("command", 0), message
    for number, path in enumerate(version.read):
        if not os.path.exists(folder / path):  # noqa: PTH110 -- the name may be none at all
            yield ("read", number), f"there is no {path}"


def with_shipped_bot(version: VersionModel, game: str) -> VersionModel:
    """Return a version, with the bot's command if its one word names a bot that comes with `game`."""
    word = version.command[0]
    if len(version.command) > 1 or word not in bot_names(game) or not program_problem(word, ""):
        return version
    return version.model_copy(update={"command": [PYTHON, *bot_words(game, word)]})


def problems_of_version(version: VersionModel, folder: Path, at: Place) -> Iterator[Problem]:
    """Yield the problems of a program at the path `at` of a file, where it may be a bare command."""
    for place, message in faults_of_version(version, folder):
        yield Problem((*at, "read") if "read" in place else at, message)


def player_of(name: str, version: VersionModel, folder: Path) -> Player:
    """Return a program of a file as a player."""
    return register(name, version.command, folder, version.variables(), version.batched, version.read)
