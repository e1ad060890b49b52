"""Players as they are registered: the words of a command, the files it names, its environment."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.match import Player
from arbiter.table.sandbox.landlock import SYSTEM, own_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SCRIPTS = {".py", ".js", ".mjs", ".jar", ".rb", ".pl", ".lua", ".sh", ".php"}
PLAINLY_A_PATH = ("/", "./", "../")
LONGEST = 32 * 1024
"""So many bytes may a command and its environment have together; the kernel's own limit is higher."""
_VARIABLE = re.compile(r"[^=\0]+")


def command_problems(command: Sequence[str], folder: Path) -> Iterable[tuple[int, str]]:
    """What is missing for a command to start, as (number of the word, message).

    A later word is taken for the name of a file where it looks like nothing else: it starts as a
    path does or ends as a script does, and has no blank in it.
    """
    program = command[0]
    found = folder / program
    if "/" in program or _is_file(found):
        if not _is_file(found):
            yield 0, f"there is no program {program}"
        elif not os.access(found, os.X_OK):
            yield 0, f"{program} is not executable (chmod +x, or name its interpreter first)"
    elif shutil.which(program) is None:
        yield 0, f"there is no program {program} in PATH"
    for number, word in enumerate(command[1:], 1):
        named = word.startswith(PLAINLY_A_PATH) or Path(word).suffix in SCRIPTS
        if named and not word.startswith("-") and len(word.split()) == 1 and not is_there(folder / word):
            yield number, f"there is no file {word}"


def starting_problems(command: Sequence[str], env: Mapping[str, str]) -> Iterable[str]:
    """Why no system could start a program so: what the kernel refuses in words and variables."""
    for key, value in env.items():
        if not _VARIABLE.fullmatch(key):
            yield f"{key!r} is no name of a variable"
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


def absolute_command(command: Sequence[str], folder: Path) -> tuple[tuple[str, ...], str | None]:
    """The command with the files it names made absolute, and the bot's own folder.

    That is the folder of the last file named; None where none is.
    """
    words, own = [], None
    for word in command:
        file = folder / word
        if word and _is_file(file):
            # Not resolved: a virtual environment's interpreter must keep its own path.
            file = Path(os.path.abspath(file))  # noqa: PTH100
            own = str(file.parent)
            word = str(file)
        words.append(word)
    return tuple(words), own


def registered(
    name: str,
    command: Sequence[str],
    folder: Path,
    env: Mapping[str, str] | None = None,
    batched: bool = False,
    read: Sequence[str] = (),
) -> Player:
    """A player whose command, and what else it may `read`, is given relative to `folder`.

    It starts in its own folder, or in `folder`, which it may not read then.
    """
    words, own = absolute_command(command, folder)
    # As written, so that a link can be told from what it leads to.
    readable = tuple(([own] if own else []) + [os.path.abspath(folder / path) for path in read])  # noqa: PTH100
    return Player(name, words, own or str(folder.resolve()), dict(env or {}), batched, readable)


def readers(players: Iterable[Player]) -> dict[str, list[str]]:
    """Which players may read others' files where bots are confined: reader to the others, in their order."""
    everybody = list(players)
    homes = [(player.name, Path(player.read[0]).resolve()) for player in everybody if player.read]
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
    """Whose program, or what else it may read, leads by a link into the folder of another player or to one
    around it: what the organiser has written does not say so, and a player can change a link.
    """
    everybody = list(players)
    for player in everybody:
        written = [Path(word) for word in (*player.read, player.command[0])]
        places = {Path(place).resolve(): None for place in own_places(player)}
        for other in everybody:
            if other.name == player.name or not other.read:
                continue
            named, home = Path(other.read[0]), Path(other.read[0]).resolve()
            said = any(_meet(word, folder) for word in written for folder in (named, home))
            for place in places:
                of_the_system = any(place.is_relative_to(folder) for folder in SYSTEM)
                if not said and not of_the_system and _meet(home, place):
                    yield f"a link of {player.name} leads to {place}: {other.name}'s folder is {home}"


def refuse_strays(players: Sequence[Player], file: str = "") -> None:
    """ConfigError, of a file if it is one's, where a player's link leads into the folder of another."""
    if reasons := list(strays(players)):
        raise ConfigError(reasons[0], file, "name the file itself, or keep it in a folder of nobody's")


def _meet(one: Path, other: Path) -> bool:
    """Whether one folder is, or lies in, the other."""
    return one.is_relative_to(other) or other.is_relative_to(one)


def is_folder(path: Path) -> bool:
    """False too where the name cannot be one at all."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _is_file(path: Path) -> bool:
    """False too where the name cannot be one at all."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_there(path: Path) -> bool:
    """False too where the name cannot be one at all."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
