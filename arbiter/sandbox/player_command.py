"""Register players: command, the files it names, environment, and what it may read."""

from __future__ import annotations

import os
import re
from collections import Counter
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
"""Bytes of a command with its environment; the kernel's limit is higher."""
MOST_READ = 32
"""Each path is mounted and allowed at every start."""
_VARIABLE = re.compile(r"[^=\0]+")


def command_problems(
    command: Sequence[str], folder: Path, path: str | None = None
) -> Iterable[tuple[int, str]]:
    """Yield why a command cannot start, as (index of the word, message); `path` as in `program_problem`.

    A later word is a file name if it starts like a path or ends like a script, and has no blank.
    """
    if problem := program_problem(command[0], str(folder), path):
        yield 0, problem
    for number, word in enumerate(command[1:], 1):
        named = word.startswith(PLAINLY_A_PATH) or Path(word).suffix in SCRIPTS
        plain = not word.startswith("-") and len(word.split()) == 1
        if named and plain and (problem := file_problem(word, str(folder))):
            yield number, problem


def starting_problems(command: Sequence[str], env: Mapping[str, str]) -> Iterable[str]:
    """Yield what the kernel would refuse in a command's words and variables."""
    for key, value in env.items():
        if not _VARIABLE.fullmatch(key):
            yield f"{key!r} is not a variable name"
        if "\0" in value:
            yield f"the variable {key} contains a NUL character"
    if any("\0" in word for word in command):
        yield "a word of the command contains a NUL character"
    try:
        size = sum(len(word.encode()) for word in (*command, *env, *env.values()))
    except UnicodeEncodeError:
        yield "the command or its environment is not text"
        return
    if size > LONGEST:
        yield f"command and environment: expected at most {LONGEST} bytes, got {size}"


def reading_problem(read: Sequence[str]) -> str:
    """Return an error message for too many files and folders to read, or ""."""
    if len(read) <= MOST_READ:
        return ""
    return f"read: expected at most {MOST_READ} files and folders, got {len(read)}: name their folder instead"


def absolute_command(
    command: Sequence[str], folder: Path, within: Path | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the command with absolute paths of the files that it names, and these files.

    Only existing files `within` a folder count, if given. Logs do not count: they are written by the program.
    """
    words, files = [], []
    for word in command:
        file = folder / word
        there = bool(word) and os.path.isfile(file) and not is_by_product(word)
        if there and (within is None or file.resolve().is_relative_to(within)):
            # Not resolved: a virtual environment's interpreter must keep its path.
            word = os.path.abspath(file)  # noqa: PTH100
            files.append(word)
        words.append(word)
    return tuple(words), tuple(files)


def register(
    name: str,
    command: Sequence[str],
    folder: Path,
    env: Mapping[str, str] | None = None,
    batched: bool = False,
    read: Sequence[str] = (),
    within: Path | None = None,
) -> Player:
    """Return a player whose command and further paths to `read` are relative to `folder`.

    Words count as file names only for files `within` a folder, if given. The player starts in the folder of
    the last file that the command names; without any, in `folder`, which it may not read. ConfigError if it
    may read too many paths.
    """
    if problem := reading_problem(read):
        raise ConfigError(f"player {name}: {problem}")
    words, files = absolute_command(command, folder, within)
    own = os.path.dirname(files[-1]) if files else None  # noqa: PTH120
    # Not resolved, so that `strays` can tell a link from its target.
    readable = tuple(([own] if own else []) + [os.path.abspath(folder / path) for path in read])  # noqa: PTH100
    return Player(name, words, own or str(folder.resolve()), dict(env or {}), batched, readable, files)


def name_of_command(words: Sequence[str]) -> str:
    """Return a bot's name: that of its script, else of its program."""
    scripts = [word for word in words if Path(word).suffix in SCRIPTS]
    return Path(scripts[-1] if scripts else words[0]).stem


def make_names_unique(players: Iterable[Player]) -> tuple[Player, ...]:
    """Return the players with unique names: the second of a name gets a number, ``alice-2``."""
    taken: Counter[str] = Counter()
    shown = []
    for player in players:
        taken[player.name] += 1
        number = taken[player.name]
        shown.append(replace(player, name=f"{player.name}-{number}") if number > 1 else player)
    return tuple(shown)


def missing_programs(player: Player) -> Iterator[str]:
    """Yield a message for each thing that a registered player now lacks to start."""
    path = player.env.get("PATH")
    yield from (message for _, message in command_problems(player.command, Path(player.folder), path))
    for path in player.read:
        if not os.path.exists(path):  # noqa: PTH110 -- the name may be none at all
            yield f"there is no {path}"


def readable_rivals(players: Iterable[Player]) -> dict[str, list[str]]:
    """Return, by name of each player that may read other players' files, the others' names."""
    everybody = list(players)
    # The harness of a model is not secret.
    homes = [(p.name, Path(p.read[0]).resolve()) for p in everybody if p.read and p.model is None]
    found = {}
    for player in everybody:
        places = [Path(place).resolve() for place in own_places(player)]
        others = [
            name for name, home in homes if name != player.name and any(_overlap(home, at) for at in places)
        ]
        if others:
            found[player.name] = others
    return found


def stray_links(players: Iterable[Player]) -> Iterable[str]:
    """Yield a message for each link by which a player may read another's folder, or a parent of it.

    Folders that the organiser named are excluded; links matter as a player can change them.
    """
    everybody = list(players)
    homes = [
        (other.name, Path(other.read[0]), Path(other.read[0]).resolve()) for other in everybody if other.read
    ]
    inside = {home for _, _, home in homes}
    around = {folder for home in inside for folder in (home, *home.parents)}
    for player in everybody:
        written = [Path(word) for word in (*player.read, player.command[0])]
        for place in dict.fromkeys(_linked_paths(player)):
            # Skip the comparisons for most paths: with many players they take long.
            if place not in around and inside.isdisjoint(place.parents):
                continue
            for name, named, home in homes:
                if name == player.name or not _overlap(home, place):
                    continue
                if not any(_overlap(word, folder) for word in written for folder in (named, home)):
                    yield f"a link of {player.name} leads to {place}: {name}'s folder is {home}"


def _linked_paths(player: Player) -> Iterator[Path]:
    """Yield what a player may read through links or its program, except the system's folders."""
    # Paths that a season names for all are no links of a player.
    for written in own_places(replace(player, languages=())):
        place = Path(written).resolve()
        by_name = written in player.read and str(place) == written
        if not by_name and not any(place.is_relative_to(folder) for folder in SYSTEM):
            yield place


def refuse_stray_links(players: Sequence[Player], file: str = "") -> None:
    """Raise ConfigError, naming a config's file, if a player's link leads into another's folder."""
    if reasons := list(stray_links(players)):
        raise ConfigError(reasons[0], file, "name the file itself, or keep it outside of players' folders")


def _overlap(one: Path, other: Path) -> bool:
    """True if one path is the other or is within it."""
    return one.is_relative_to(other) or other.is_relative_to(one)
