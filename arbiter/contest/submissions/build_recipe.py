"""How the program in an archive is built and started: by bot.yaml, else by the names of its files.

bot.yaml lists the words of commands, which are passed on unchanged; no shell interprets them unless the
author starts one.

Without it known file names come first, in a fixed order; then the only program called ``bot``, then the only
one called ``main``, in any language, else the only program. If there are two, the archive is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, StrictBool, ValidationError

from arbiter.contest.submissions.inspection_steps import Refused
from arbiter.errors import ConfigError, Problem
from arbiter.sandbox.landlock import search_path
from arbiter.sandbox.player_command import command_problems, reading_problem, starting_problems
from arbiter.season.config.keys import StrictModel
from arbiter.season.config.programs import submitted_player
from arbiter.season.config.submission_settings import SOURCE
from arbiter.season.config.validation import place_problems, problems_of
from arbiter.season.config.value_types import Word
from arbiter.season.config.yaml_positions import read_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from arbiter.match.spec import Player
    from arbiter.season.config.programs import Languages

WRITTEN, SHELL = "bot.yaml", "bot.sh"
OUTPUT = "bot"
"""The product of a build, or an executable in the archive."""
JAVA = 'javac -d "$TMPDIR/classes" "$1" && jar cfe bot.jar "$2" -C "$TMPDIR/classes" .'
INTERPRETERS = {
    ".py": ("python3",), ".js": ("node",), ".mjs": ("node",), ".cjs": ("node",), ".sh": ("bash",),
    ".jar": ("java", "-jar"), ".rb": ("ruby",), ".pl": ("perl",), ".lua": ("lua",), ".php": ("php",),
}  # fmt: skip
BUILDS = {
    ".cpp": "g++ -O2 -o bot {}", ".cc": "g++ -O2 -o bot {}", ".cxx": "g++ -O2 -o bot {}",
    ".c": "gcc -O2 -o bot {} -lm", ".rs": "rustc -O -o bot {}", ".go": "go build -o bot",
}  # fmt: skip
"""The commands that build `OUTPUT` from a source file; `{}` is its name."""
MAKES_PROGRAMS = {*INTERPRETERS, *BUILDS, ".java"}
MEANT = ("bot", "main")
PLAIN = re.compile(r"\w[\w.+ -]*")
"""File names that no program mistakes for an option or response file."""
MAIN = re.compile(r"\bstatic\s+(?:final\s+)?(?:public\s+)?void\s+main\s*\(")
PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
MOST_READ = 1 << 20
SHOWN = 3
LONGEST_WRITTEN = 16 << 10
"""The most bytes of bot.yaml."""
INSIDE = "name files by their paths within the archive, and installed programs by their bare names"


@dataclass(frozen=True, slots=True)
class Recipe:
    """The command of a program, its build command (empty for none), what else it may read.

    `publish_notes` is None if the author does not state whether the bot's notes are public.
    """

    command: tuple[str, ...]
    build: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    publish_notes: bool | None = None


def _java(name: str, main: str) -> Recipe:
    """Return the recipe of a Java source file with the class `main`; names are not parsed by the shell."""
    return Recipe(("java", "-jar", "bot.jar"), ("sh", "-ec", JAVA, "sh", name, main))


def _by_ending(name: str) -> Recipe:
    """Return the recipe of a file by its name alone."""
    ending = PurePosixPath(name).suffix.lower()
    if name == "Makefile":
        return Recipe((f"./{OUTPUT}",), ("make",))
    if ending == ".java":
        return _java(name, PurePosixPath(name).stem)
    if ending in INTERPRETERS:
        return Recipe((*INTERPRETERS[ending], name))
    words = BUILDS[ending].split()
    return Recipe((f"./{OUTPUT}",), tuple(name if word == "{}" else word for word in words))


KNOWN = {
    name: _by_ending(name)
    for name in (
        "bot.py", "bot.js", SHELL, "Makefile", "main.cpp", "main.c", "main.rs", "main.go", "Main.java",
    )
}  # fmt: skip
"""Recipes by known names of files at the top, in order of precedence."""


@dataclass(frozen=True, slots=True)
class Program:
    """A checked program: its command, what else it may read, both relative to `source/`, and its files.

    `files` has the SHA-256 of all files by paths in the version's folder; `publish_notes` as in `Recipe`.
    """

    command: tuple[str, ...]
    read: tuple[str, ...]
    files: Mapping[str, str]
    publish_notes: bool | None = None

    def player(self, name: str, folder: Path, languages: Languages = MappingProxyType({})) -> Player:
        """Return the program in a version's folder as a player."""
        source = folder / SOURCE
        return submitted_player(name, self.command, source, self.read, languages, source)

    def to_json(self) -> dict[str, Any]:
        shape = {"command": list(self.command), "read": list(self.read), "files": dict(self.files)}
        said = {} if self.publish_notes is None else {"publish_notes": self.publish_notes}
        return {**shape, **said}

    @classmethod
    def from_json(cls, shape: Mapping[str, Any]) -> Program:
        words, read, files = tuple(shape["command"]), tuple(shape["read"]), dict(shape["files"])
        return cls(words, read, files, shape.get("publish_notes"))


class _BotModel(StrictModel):
    command: Annotated[list[Word], Field(min_length=1)]
    build: Annotated[list[Word], Field(default_factory=list)]
    read: Annotated[list[Word], Field(default_factory=list)]
    publish_notes: StrictBool | None = None


def recipe_of(source: Path) -> Recipe:
    """Read the recipe of the files in `source`; Refused if they do not determine one."""
    if (source / WRITTEN).is_file():
        return _recipe_from_yaml(source / WRITTEN)
    return recipe_by_names(source)


def _recipe_from_yaml(file: Path) -> Recipe:
    """Read the recipe that an archive's own file gives; Refused with all mistakes in it."""
    if file.stat().st_size > LONGEST_WRITTEN:
        raise Refused(f"{WRITTEN} is longer than {LONGEST_WRITTEN} bytes", "a few lines suffice")
    try:
        document = read_document(file)
        try:
            model = _BotModel.model_validate(document.value)
            problems = [*document.problems, *_problems_of_words(model)]
        except ValidationError as error:
            found = (one for one in problems_of(error, _BotModel) if one.path not in document.unread)
            raise ConfigError(place_problems([*document.problems, *found], document)) from None
        if problems:
            raise ConfigError(place_problems(problems, document))
    except ConfigError as error:
        lines = [problem.text(WRITTEN) for problem in error.problems]
        example = "write, for example: command: [python3, bot.py]"
        raise Refused(lines[0], error.problems[0].hint or example, "\n".join(lines)) from None
    return Recipe(tuple(model.command), tuple(model.build), tuple(model.read), model.publish_notes)


def _problems_of_words(model: _BotModel) -> Iterator[Problem]:
    """Yield problems: paths outside the archive, NUL, too many or too long; no file is looked up."""
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
    """True for an absolute path, or one with ``..`` in it."""
    path = PurePosixPath(word)
    return path.is_absolute() or ".." in path.parts


def check_files_exist(recipe: Recipe, source: Path, languages: Languages = MappingProxyType({})) -> None:
    """Raise Refused if, after the build, the command or `read` names a missing file."""
    path = search_path((language.program,) for language in languages.values())
    problems = command_problems(recipe.command, source, path)
    program = recipe.command[0]
    away = "" if "/" in program or is_there(source, program) else program
    lacks = [
        (message, "" if word else away) for word, message in problems if word or program not in languages
    ]
    lacks += [(f"there is no {path}", "") for path in recipe.read if not is_there(source, path)]
    for message, missing in lacks:
        made = "the build must make it" if recipe.build else f"name an existing file in {WRITTEN}"
        raise Refused(message, made, missing=missing)


def is_there(source: Path, word: str) -> bool:
    """Return True if a word names something in the folder."""
    try:
        return (source / word).exists()
    except (OSError, ValueError):
        return False


def named_files(recipe: Recipe) -> Sequence[str]:
    """Return the words that may name products of the build: those of the command and of `read`."""
    return tuple(dict.fromkeys((*recipe.command, *recipe.read)))


def recipe_by_names(source: Path) -> Recipe:
    """Read names and beginnings of files in `source`; return the recipe, Refused if they do not give one."""
    for name in KNOWN:
        if (source / name).is_file():
            return _recipe_of(source / name)
    files = sorted(path for path in source.iterdir() if path.is_file() and PLAIN.fullmatch(path.name))
    programs = [path for path in files if path.suffix.lower() in MAKES_PROGRAMS]
    if not programs and (source / OUTPUT).is_file() and _file_begins_with(source / OUTPUT, b"#!", b"\x7fELF"):
        return Recipe((f"./{OUTPUT}",))
    tiers = [[path for path in programs if path.stem.lower() == stem] for stem in MEANT]
    if all(path.suffix.lower() == ".java" for path in programs):
        tiers.append([path for path in programs if MAIN.search(_read_text(path))])
    chosen = next(filter(None, [*tiers, programs]), [])
    if len(chosen) == 1:
        return _recipe_of(chosen[0])
    raise _several_programs_error(chosen) if chosen else _no_program_error(source)


def _recipe_of(file: Path) -> Recipe:
    """Return the recipe of a file by its suffix and content."""
    kind = file.suffix.lower()
    if kind == ".sh" and _file_begins_with(file, b"#!"):
        return Recipe((f"./{file.name}",))
    if kind == ".java" and (package := PACKAGE.search(_read_text(file))):
        return _java(file.name, f"{package[1]}.{file.stem}")
    return _by_ending(file.name)


def _several_programs_error(found: Sequence[Path]) -> Refused:
    names = [path.name for path in found]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    detail = f"cannot tell which program to start: {', '.join(names[:SHOWN])}{more}"
    kind = found[0].suffix
    if kind.lower() == ".java":
        return Refused(detail, "let only one class have a main, or call that class Main")
    recipe = _recipe_of(found[0])
    how = f"write a {WRITTEN}, such as {_yaml_line(recipe.command, 'command')}"
    how += f" and {_yaml_line(recipe.build, 'build')}" if recipe.build else ""
    taken = any(path.stem.lower() == MEANT[0] for path in found)
    return Refused(detail, how if taken else f"call the one to start {MEANT[0]}{kind}, or {how}")


def _no_program_error(source: Path) -> Refused:
    detail = f"nothing to start: no {WRITTEN}, {', '.join(KNOWN)}"
    if nested := next(_nested(source), None):
        how = f"{nested.name} is in the folder {nested.parent}: pack the contents of that folder"
        if nested.suffix.lower() in INTERPRETERS:
            words = [word.replace(nested.name, str(nested)) for word in _recipe_of(source / nested).command]
            how += f", or write a {WRITTEN} with {_yaml_line(words, 'command')}"
        return Refused(detail, how)
    there = sorted(path.name + "/" * path.is_dir() for path in source.iterdir())
    shown = ", ".join(there[:SHOWN]) + ", ..." * (len(there) > SHOWN)
    how = f"call the program bot.py, for example, or write a {WRITTEN} with its command"
    return Refused(detail, f"it holds {shown}: {how}")


def _yaml_line(words: Sequence[str], key: str) -> str:
    return f"{key}: [{', '.join(words)}]"


def _nested(source: Path) -> Iterator[Path]:
    """Yield programs in subfolders with a name in `MEANT`, the nearest first, relative to `source`."""
    for path in sorted(source.rglob("*"), key=lambda path: (len(path.parts), path)):
        if path.is_file() and path.suffix.lower() in MAKES_PROGRAMS and path.stem.lower() in MEANT:
            yield path.relative_to(source)


def _file_begins_with(file: Path, *marks: bytes) -> bool:
    """True if a file begins with one of these marks of at most four bytes."""
    with open(file, "rb") as opened:
        return opened.read(4).startswith(marks)


def _read_text(file: Path) -> str:
    """Return the first `MOST_READ` bytes of a file as text."""
    with open(file, "rb") as opened:
        return opened.read(MOST_READ).decode(errors="replace")
