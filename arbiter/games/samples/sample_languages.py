"""The smallest bots of each game in many languages: their files, how they are built and started.

The table is that of bots/languages/README.md, read from there.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from arbiter.games.samples import PLACES, folder_of_samples

if TYPE_CHECKING:
    from collections.abc import Mapping

MINE = "mine"
"""The name of the player whose program the author changes, and of its folder."""
TABLE = "bots/languages"
ROW = re.compile(r"\| ([^|]+) \| \[[^|]*\]\(([^|)]+)\) \| (?:`([^|`]+)` )?\| `([^|`]+)` \| (?:[^|]+ )?\|")
AND = " && "
OWN = re.compile(r"\./bot|bot\.\w+", re.IGNORECASE)
"""A word of a command that is a file of the bot's folder."""


class SampleLanguage(NamedTuple):
    """A language's file, and the commands that build ("" for none) and start it in its folder.

    `title` is the language's name, such as "C++".
    """

    title: str
    file: str
    build: str
    start: tuple[str, ...]

    def missing(self, path: str | None = None) -> str:
        """Return the first program or library that this machine lacks, "" for none; `path` is a PATH."""
        words = [command.split()[0] for command in self.build.split(AND) if command]
        programs = [word for word in (*words, self.start[0]) if not word.startswith("./")]
        lacks = [program for program in programs if shutil.which(program, path=path) is None]
        lacks += [word for word in self.build.split() if word.startswith("/") and not Path(word).exists()]
        return next(iter(lacks), "")

    def command(self, folder: str) -> list[str]:
        """Return the command of a season's file for the bot in `folder`, relative to the file's."""
        return [f"{folder}/{word.removeprefix('./')}" if OWN.fullmatch(word) else word for word in self.start]


def _read_table() -> Mapping[str, SampleLanguage]:
    """Read the rows of bots/languages/README.md; return languages by name in lower case."""
    rows = ROW.findall((folder_of_samples(TABLE) / "README.md").read_text(encoding="utf-8"))
    return MappingProxyType({
        title.lower(): SampleLanguage(title, file, build, tuple(shlex.split(start)))
        for title, file, build, start in rows
    })  # fmt: skip


LANGUAGES = _read_table()
"""By the language's name in lower case."""
ALIASES = {
    "cpp": "c++", "js": "javascript", "node": "javascript", "golang": "go", "py": "python", "cs": "c#",
    "csharp": "c#", "common-lisp": "lisp", "sbcl": "lisp", "guile": "scheme", "swi-prolog": "prolog",
}  # fmt: skip


def language_bot(game: str, language: str) -> Path:
    """Return the file of a game's smallest bot in one of `languages_of`."""
    place = f"{TABLE}/{game}"
    return folder_of_samples(place if place in PLACES else TABLE) / LANGUAGES[language].file


def languages_of(game: str) -> list[str]:
    """Return the languages in which a game has a bot."""
    return [language for language in LANGUAGES if language_bot(game, language).is_file()]


def language_entry(language: str, name: str = MINE) -> str:
    """Return the player's lines in a season's file, its program being in ``bots/NAME``."""
    return f"  - name: {name}\n    command: [{', '.join(LANGUAGES[language].command(f'bots/{name}'))}]"


def language_guide(game: str, language: str) -> dict[str, str]:
    """Return the parts of a season's README on the player `MINE` in this language, by their names there."""
    sample, folder = LANGUAGES[language], f"bots/{MINE}"
    check = f"$ arbiter check-bot --game {game} -- {shlex.join(sample.command(folder))}"
    build = f"$ (cd {folder} && {sample.build})\n" if sample.build else ""
    return {
        "build": build,
        "own": f"`{folder}/{sample.file}` is\nthe smallest for this game in {sample.title}. Change it"
        f"{', build it' if sample.build else ''}, and check that it plays by the rules:",
        "check": f"{build}{check}",
        "then": f"It plays as `{MINE}`: `season.yaml` has it under `players`.",
    }
