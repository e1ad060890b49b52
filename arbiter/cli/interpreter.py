"""The interpreter that starts a bot here, and whether the site's is another."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import ConfigError
from arbiter.sandbox.program_files import LONGEST_LINE, first_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.match.spec import Player

_KNOWN = re.compile(r"(python|pypy|java|node|nodejs|perl|ruby|lua|php)[\d.]*")
_WHOLE = ("java", "node", "nodejs")
"""Interpreters of which the first number of a version counts; of the others the first two."""


class BotInterpreter(NamedTuple):
    """The `word` that names an interpreter, its path, and its version, "" if it does not print one."""

    word: str
    path: str
    version: str

    def text(self) -> str:
        """``python3 is /usr/bin/python3.11, version 3.11.2``."""
        version = f"version {self.version}" if self.version else "which prints no version"
        return f"{self.word} is {self.path}, {version}"


def interpreter_of(player: Player) -> BotInterpreter | None:
    """Find the interpreter that a player's command or first line names, and run it for its version.

    None for others, and for a program in the player's own folder, which would start unconfined.
    """
    from arbiter.contest.submissions.languages import program_version

    path = player.env.get("PATH")
    for named in _named(player, path):
        word, found = os.path.basename(named), shutil.which(named, path=path)  # noqa: PTH119
        if found is None or _KNOWN.fullmatch(word) is None:
            continue
        real = os.path.realpath(found)
        if Path(real).is_relative_to(os.path.realpath(player.folder)):
            return None
        return BotInterpreter(word, real, program_version(_kind(word), real))
    return None


def site_versions(given: Sequence[str]) -> dict[str, str]:
    """Parse ``WORD=VERSION`` of --site-version; ConfigError for another form."""
    found = {}
    for text in given:
        word, equals, version = text.partition("=")
        if not (word and equals and version):
            raise ConfigError(f"--site-version {text!r}: expected WORD=VERSION, such as python3=3.11.2")
        found[word] = version
    return found


def differences(
    here: BotInterpreter, versions: Mapping[str, str], programs: Mapping[str, str]
) -> Iterator[str]:
    """Yield a warning if the site has another version, or the season's file another program, for the word.

    `versions` and `programs` are the site's versions and the season's paths, by word; a missing word gives no
    warning.
    """
    version = versions.get(here.word, "")
    if version and here.version and _compared(here.word, version) != _compared(here.word, here.version):
        yield f"{here.word} has version {here.version} here and {version} on the site: test with that version"
    program = programs.get(here.word, here.path)
    if os.path.realpath(program) != here.path:
        yield f"the bot's first line starts {here.path}, but {here.word} of the season is {program}"


def _named(player: Player, path: str | None) -> Iterator[str]:
    """Yield the path of a command's program, and what its first line names, after ``env`` all words.

    Only the path if the program cannot be read.
    """
    program = player.command[0]
    file = os.path.join(player.folder, program) if "/" in program else shutil.which(program, path=path)  # noqa: PTH118
    yield file or program
    try:
        with open(file or program, "rb") as opened:
            words = first_words(opened.read(LONGEST_LINE))
    except OSError:
        return
    yield from words[:1]
    if words and os.path.basename(words[0]) == "env":  # noqa: PTH119
        yield from (word for word in words[1:] if not word.startswith("-") and "=" not in word)


def _kind(word: str) -> str:
    return re.sub(r"[\d.]+$", "", word)


def _compared(word: str, version: str) -> list[str]:
    """Return the parts that two versions of a word are compared by: the major and usually the minor one."""
    return version.split(".")[: 1 if _kind(word) in _WHOLE else 2]
