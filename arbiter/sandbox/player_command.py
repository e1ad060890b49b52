"""Players as they are registered: a command, the files it names, its environment, what it may read."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.match.spec import Player
from arbiter.sandbox.landlock import SYSTEM, own_places
from arbiter.sandbox.program_files import file_problem, is_by_product, program_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SCRIPTS = {".py", ".js", ".mjs", ".jar", ".rb", ".pl", ".lua", ".sh", ".php"}
PLAINLY_A_PATH = ("/", "./", "../")
LONGEST = 32 * 1024
"""Bytes of a command and its environment together; the kernel's own limit is higher."""
MOST_READ = 32
"""Each is mounted and allowed at every start."""
_VARIABLE = re.compile(r"[^=\0]+")


def command_problems(
    command: Sequence[str], folder: Path, path: str | None = None
) -> Iterable[tuple[int, str]]:
    """Yield what a command lacks to start, as (number of the word, message); `path` as in `program_problem`.

    A later word is taken for a file's name if it starts as a path does or ends as a script does, and
    has no blank in it.
    """
    if problem := program_problem(command[0], str(folder), path):
        yield 0, problem
    for number, word in enumerate(command[1:], 1):
        named = word.startswith(PLAINLY_A_PATH) or Path(word).suffix in SCRIPTS
        plain = not word.startswith("-") and len(word.split()) == 1
        if named and plain and (problem := file_problem(word, str(folder))):
            yield number, problem


def starting_problems(command: Sequence[str], env: Mapping[str, str]) -> Iterable[str]:
    """Yield what the kernel refuses in a command's words and variables."""
    for key, value in env.items():
        if not _VARIABLE.fullmatch(key):
            yield f"{key!r} is not a name of a variable"
        if "\0" in value:
            yield f"the variable {key} holds a NUL character"
    if any("\0" in word for word in command):
        yield "a word of the command holds a NUL character"
    try:
        size = sum(len(word.encode()) for word in (*command, *env, *env.values()))
    except UnicodeEncodeError:
        yield "the command or its environment is not text"
        return
    if size > LONGEST:
        yield f"the command and its environment have {size} bytes; at most {LONGEST} are passed on"


def reading_problem(read: Sequence[str]) -> str:
    """Return why so many files and folders are not read; "" if they are."""
    if len(read) <= MOST_READ:
        return ""
    return f"read names {len(read)} files and folders, at most {MOST_READ}: name a folder around them"


def absolute_command(
    command: Sequence[str], folder: Path, within: Path | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The command with the files it names made absolute, and those files, which lie `within` a folder.

    A log that it names is none of them: it is there only once the program has run.
    """
    words, files = [], []
    for word in command:
        file = folder / word
        there = bool(word) and os.path.isfile(file) and not is_by_product(word)
        if there and (within is None or file.resolve().is_relative_to(within)):
            # Not resolved: a virtual environment's interpreter must keep its own path.
            word = os.path.abspath(file)  # noqa: PTH100
            files.append(word)
        words.append(word)
    return tuple(words), tuple(files)


def registered(
    name: str,
    command: Sequence[str],
    folder: Path,
    env: Mapping[str, str] | None = None,
    batched: bool = False,
    read: Sequence[str] = (),
    within: Path | None = None,
) -> Player:
    """A player; its command, and what else it may `read`, are relative to `folder`.

    Words that lead to files elsewhere than `within` a folder, if it is given, are no names of files.

    It starts in its own folder, that of the last file it names, or, if it names none, in `folder`, which it
    may not read. ConfigError if it may read too many.
    """
    if problem := reading_problem(read):
        raise ConfigError(f"player {name}: {problem}")
    words, files = absolute_command(command, folder, within)
    own = os.path.dirname(files[-1]) if files else None  # noqa: PTH120
    # Not resolved, so that `strays` can tell a link from its target.
    readable = tuple(([own] if own else []) + [os.path.abspath(folder / path) for path in read])  # noqa: PTH100
    return Player(name, words, own or str(folder.resolve()), dict(env or {}), batched, readable, files)


def name_of_command(words: Sequence[str]) -> str:
    """A bot's name: that of its script, else of its program."""
    scripts = [word for word in words if Path(word).suffix in SCRIPTS]
    return Path(scripts[-1] if scripts else words[0]).stem


def lacking(player: Player) -> Iterator[str]:
    """Yield what a registered player lacks to start by now, a message each."""
    path = player.env.get("PATH")
    yield from (message for _, message in command_problems(player.command, Path(player.folder), path))
    for path in player.read:
        if not os.path.exists(path):  # noqa: PTH110 -- the name may be none at all
            yield f"there is no {path}"


def readers(players: Iterable[Player]) -> dict[str, list[str]]:
    """By name of each player that may read others' files although bots are confined: the others' names."""
    everybody = list(players)
    # The harness of a model is no secret of its player's.
    homes = [(p.name, Path(p.read[0]).resolve()) for p in everybody if p.read and p.model is None]
    found = {}
    for player in everybody:
        places = [Path(place).resolve() for place in own_places(player)]
        others = [
            name for name, home in homes if name != player.name and any(_meet(home, at) for at in places)
        ]
        if others:
            found[player.name] = others
    return found


def strays(players: Iterable[Player]) -> Iterable[str]:
    """Each link by which a player may read another's folder, or one around it, as a message.

    Only where the organiser has not named that folder: a player can change a link.
    """
    everybody = list(players)
    homes = [
        (other.name, Path(other.read[0]), Path(other.read[0]).resolve()) for other in everybody if other.read
    ]
    inside = {home for _, _, home in homes}
    around = {folder for home in inside for folder in (home, *home.parents)}
    for player in everybody:
        written = [Path(word) for word in (*player.read, player.command[0])]
        for place in dict.fromkeys(_led_to(player)):
            # Most places are nobody's: with many players it takes long to ask for each.
            if place not in around and inside.isdisjoint(place.parents):
                continue
            for name, named, home in homes:
                if name == player.name or not _meet(home, place):
                    continue
                if not any(_meet(word, folder) for word in written for folder in (named, home)):
                    yield f"a link of {player.name} leads to {place}: {name}'s folder is {home}"


def _led_to(player: Player) -> Iterator[Path]:
    """Yield what a player may read by links or by its program, but for the system's folders."""
    # What a season names for all is no link of a player's.
    for written in own_places(replace(player, languages=())):
        place = Path(written).resolve()
        by_name = written in player.read and str(place) == written
        if not by_name and not any(place.is_relative_to(folder) for folder in SYSTEM):
            yield place


def refuse_strays(players: Sequence[Player], file: str = "") -> None:
    """Raise ConfigError, naming a config's file, if a player's link leads into another's folder."""
    if reasons := list(strays(players)):
        raise ConfigError(reasons[0], file, "name the file itself, or keep it in a folder of nobody's")


def _meet(one: Path, other: Path) -> bool:
    """True if one is, or lies in, the other."""
    return one.is_relative_to(other) or other.is_relative_to(one)
