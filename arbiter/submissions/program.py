"""What is started of what an author sent: as bot.yaml says, else as the names of its files do.

An author's file names words of a command, never more: they are passed on as they are, and no shell sees them
unless the author starts one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationError

from arbiter.config.languages import sent
from arbiter.config.places import read_document
from arbiter.config.reading import placed, problems_of
from arbiter.config.season_file import StrictModel
from arbiter.config.submissions import SOURCE
from arbiter.config.values import Word
from arbiter.errors import ConfigError, Problem
from arbiter.players import command_problems, reading_problem, starting_problems
from arbiter.submissions.recipes import WRITTEN, Recipe, by_names
from arbiter.submissions.steps import Refused
from arbiter.table.sandbox.landlock import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from arbiter.config.languages import Languages
    from arbiter.match import Player

LONGEST_WRITTEN = 16 << 10
"""Bytes of bot.yaml."""
INSIDE = (
    "name files of the archive by their names from its folder on, and other programs by their names alone"
)


@dataclass(frozen=True, slots=True)
class Program:
    """A checked program: its command and what else it may read, from `source/` on; the SHA-256 of all files.

    `files` has them by their names from the version's folder on.
    """

    command: tuple[str, ...]
    read: tuple[str, ...]
    files: Mapping[str, str]

    def player(self, name: str, folder: Path, languages: Languages = MappingProxyType({})) -> Player:
        """It as a player, the version's folder being `folder`."""
        source = folder / SOURCE
        return sent(name, self.command, source, self.read, languages, source)

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        return {"command": list(self.command), "read": list(self.read), "files": dict(self.files)}

    @classmethod
    def from_json(cls, shape: Mapping[str, Any]) -> Program:
        """The program that `to_json` wrote."""
        return cls(tuple(shape["command"]), tuple(shape["read"]), dict(shape["files"]))


class _BotModel(StrictModel):
    """bot.yaml as written."""

    command: Annotated[list[Word], Field(min_length=1)]
    build: Annotated[list[Word], Field(default_factory=list)]
    read: Annotated[list[Word], Field(default_factory=list)]


def recipe_of(source: Path) -> Recipe:
    """What the files in `source` say is to be started; Refused if they do not say it."""
    if (source / WRITTEN).is_file():
        return _written(source / WRITTEN)
    return by_names(source)


def _written(file: Path) -> Recipe:
    if file.stat().st_size > LONGEST_WRITTEN:
        raise Refused(f"{WRITTEN} is longer than {LONGEST_WRITTEN} bytes", "it takes a few lines")
    try:
        document = read_document(file)
        try:
            model = _BotModel.model_validate(document.value)
            problems = [*document.problems, *_strays(model)]
        except ValidationError as error:
            found = (one for one in problems_of(error, _BotModel) if one.path not in document.unread)
            raise ConfigError(placed([*document.problems, *found], document)) from None
        if problems:
            raise ConfigError(placed(problems, document))
    except ConfigError as error:
        lines = [problem.text(WRITTEN) for problem in error.problems]
        example = "write, for one: command: [python3, bot.py]"
        raise Refused(lines[0], error.problems[0].hint or example, "\n".join(lines)) from None
    return Recipe(tuple(model.command), tuple(model.build), tuple(model.read))


def _strays(model: _BotModel) -> Iterator[Problem]:
    """What leads out of the archive, or could not be passed on."""
    for key in ("command", "build", "read"):
        for number, word in enumerate(getattr(model, key)):
            if _is_outside(word):
                yield Problem((key, number), f"{word!r} is not in the archive", INSIDE)
    if problem := reading_problem(model.read):
        yield Problem(("read",), problem)
    for key in ("command", "build"):
        for message in starting_problems(getattr(model, key), {}):
            yield Problem((key,), message)


def _is_outside(word: str) -> bool:
    path = PurePosixPath(word)
    return path.is_absolute() or ".." in path.parts


def refuse_lacking(recipe: Recipe, source: Path, languages: Languages = MappingProxyType({})) -> None:
    """Refused if the command or `read` names what is not there, once all is built."""
    path = path_of((language.program,) for language in languages.values())
    problems = command_problems(recipe.command, source, path)
    program = recipe.command[0]
    away = "" if "/" in program or is_there(source, program) else program
    lacks = [
        (message, "" if word else away) for word, message in problems if word or program not in languages
    ]
    lacks += [(f"there is no {path}", "") for path in recipe.read if not is_there(source, path)]
    for message, missing in lacks:
        made = "the build must make it" if recipe.build else f"name what is there in the command of {WRITTEN}"
        raise Refused(message, made, missing=missing)


def is_there(source: Path, word: str) -> bool:
    """True if a word names something in the folder."""
    try:
        return (source / word).exists()
    except (OSError, ValueError):
        return False


def named_files(recipe: Recipe) -> Sequence[str]:
    """The words that may name files that a build makes: those of the command and of `read`."""
    return tuple(dict.fromkeys((*recipe.command, *recipe.read)))
