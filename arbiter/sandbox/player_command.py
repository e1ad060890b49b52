"""Register players: command, the files it names, environment, and what it may read."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.match.spec import Player
from arbiter.sandbox.forkserver.view_plan import THE_KERNELS
from arbiter.sandbox.landlock import SYSTEM, is_in, own_places
from arbiter.sandbox.program_files import file_problem, is_by_product, program_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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

    A later word is a file name, or a list of them as in ``a.jar:lib/*``, if it starts like a path or ends
    like a script, and has no blank.
    """
    if problem := program_problem(command[0], str(folder), path):
        yield 0, problem
    for number, word in enumerate(command[1:], 1):
        plain = not word.startswith("-") and len(word.split()) == 1
        # A list of files if there is no such file.
        parts = [word] if os.path.exists(folder / word) else word.split(":")  # noqa: PTH110
        for part in parts if plain and _is_file_name(word) else ():
            path = part.removesuffix("*") if _lists_jars(part, folder) else part
            if _is_file_name(path) and (problem := file_problem(path, str(folder))):
                yield number, problem
                break


def _is_file_name(word: str) -> bool:
    return word.startswith(PLAINLY_A_PATH) or Path(word).suffix in SCRIPTS


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
    """Return an error message for paths to read that are too many or the kernel's, or ""."""
    if kernels := next((path for path in read if is_in(os.path.normpath(path), THE_KERNELS)), ""):
        return f"read: {kernels} belongs to the kernel, of which bots see copies of a few files: leave it out"
    if len(read) <= MOST_READ:
        return ""
    return f"read: expected at most {MOST_READ} files and folders, got {len(read)}: name their folder instead"


def absolute_command(
    command: Sequence[str], folder: Path, within: Path | None = None
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the command with absolute paths of the files that it names, these files, and the parts of lists.

    Only existing files `within` a folder count, if given. Logs do not count: they are written by the program.
    The first file of a list, as in ``a.jar:lib/*``, is the last of its files: it is the program's.
    """
    words: list[str] = []
    files: list[str] = []
    listed: list[str] = []

    def is_own(path: str) -> bool:
        return within is None or Path(path).resolve().is_relative_to(within)

    for word in command:
        file = folder / word
        # Not resolved: a virtual environment's interpreter must keep its path.
        path = os.path.abspath(file)  # noqa: PTH100
        if word and os.path.isfile(file) and not is_by_product(word) and is_own(path):
            files.append(path)
            words.append(path)
        elif (parts := _parts_of_list(word, folder)) and all(map(is_own, parts)):
            found = [file for part in parts for file in _files_of_part(part) if is_own(file)]
            own = next((file for file in found if not is_in(file, SYSTEM)), None)
            files += [*(file for file in found if file != own), *([own] if own else ())]
            listed += parts
            words.append(
                ":".join(
                    f"{part}/*" if text.endswith("/*") and os.path.isdir(part) else part
                    for part, text in zip(parts, word.split(":"), strict=True)
                )
            )
        else:
            words.append(word)
    return tuple(words), tuple(files), tuple(listed)


def _lists_jars(part: str, folder: Path) -> bool:
    """True if a part of a list names all jars of a folder, as in ``lib/*``."""
    return part.endswith("/*") and os.path.isdir(folder / part[:-1])


def _parts_of_list(word: str, folder: Path) -> list[str]:
    """Return the absolute files and folders of a list such as ``a.jar:lib/*``; empty for any other word."""
    parts = word.split(":")
    if not (len(parts) > 1 or _lists_jars(word, folder)) or not all(parts):
        return []
    named = (part[:-1] if _lists_jars(part, folder) else part for part in parts)
    paths = [os.path.abspath(folder / path) for path in named]  # noqa: PTH100
    return paths if all(map(os.path.exists, paths)) else []


def _files_of_part(part: str) -> list[str]:
    return sorted(map(str, Path(part).glob("*.jar"))) if os.path.isdir(part) else [part]


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
    may read too many paths. `batched`: it supports batched delivery.
    """
    if problem := reading_problem(read):
        raise ConfigError(f"player {name}: {problem}")
    words, files, listed = absolute_command(command, folder, within)
    own = os.path.dirname(files[-1]) if files else None  # noqa: PTH120
    outside = [path for path in listed if not is_in(path, [*([own] if own else ()), *SYSTEM])]
    # Not resolved, so that `strays` can tell a link from its target.
    named = [*outside, *(os.path.abspath(folder / path) for path in read)]  # noqa: PTH100
    readable = (*([own] if own else ()), *named)
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
    # Most paths are the same for all players, and each takes several system calls.
    outside = cache(_outside_the_system)
    homes = [
        (other.name, Path(other.read[0]), Path(other.read[0]).resolve()) for other in everybody if other.read
    ]
    inside = {home for _, _, home in homes}
    around = {folder for home in inside for folder in (home, *home.parents)}
    for player in everybody:
        written = [Path(word) for word in (*player.read, player.command[0])]
        for place in dict.fromkeys(_linked_paths(player, outside)):
            # Skip the comparisons for most paths: with many players they take long.
            if place not in around and inside.isdisjoint(place.parents):
                continue
            for name, named, home in homes:
                if name == player.name or not _overlap(home, place):
                    continue
                if not any(_overlap(word, folder) for word in written for folder in (named, home)):
                    yield f"a link of {player.name} leads to {place}: {name}'s folder is {home}"


def _linked_paths(player: Player, outside: Callable[[str], Path | None]) -> Iterator[Path]:
    """Yield what a player may read through links or its program, except the system's folders."""
    # Paths that a season names for all are no links of a player.
    for written in own_places(replace(player, languages=())):
        place = outside(written)
        if place is not None and not (written in player.read and str(place) == written):
            yield place


def _outside_the_system(written: str) -> Path | None:
    """Return where a path leads, None if into the system's folders."""
    place = Path(written).resolve()
    return None if any(place.is_relative_to(folder) for folder in SYSTEM) else place


def refuse_stray_links(players: Sequence[Player], file: str = "") -> None:
    """Raise ConfigError, naming a config's file, if a player's link leads into another's folder."""
    if reasons := list(stray_links(players)):
        raise ConfigError(reasons[0], file, "name the file itself, or keep it outside of players' folders")


def _overlap(one: Path, other: Path) -> bool:
    """True if the paths are equal, or either is within the other."""
    return one.is_relative_to(other) or other.is_relative_to(one)
