"""What a bot needs of the machine's files: what the system in memory must hold, and what its root shows.

Found without running anything: from its command, its scripts' first lines, the words of shell scripts, the
season's languages, and what the player names in `read`. Programs' files tell the libraries that they load
(`libraries`).
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.match import Player
from arbiter.table.forkserver.libraries import find, needs_of
from arbiter.table.forkserver.ways import opened_file, steps
from arbiter.table.sandbox.landlock import (
    DEVICES,
    HIDDEN,
    KERNEL,
    OF_THE_SYSTEM,
    RUN,
    SYSTEM,
    WRITE,
    own_folders,
    own_places,
    path_of,
    system_rules,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ALWAYS = ("/bin/sh", "/usr/bin/env", "/usr/lib/locale/C.utf8")
LIBRARIES = (
    "libgcc_s.so.1", "libstdc++.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
    "libgomp.so.1", "libatomic.so.1", "libresolv.so.2", "libnss_files.so.2", "libz.so.1",
)  # fmt: skip
"""What programs load while they run, so that their files do not tell it."""
FOLDERS_OF_PROGRAMS = ("/usr/lib", "/usr/share", "/usr/local/lib", "/usr/local/share")
"""Where an interpreter keeps its library, under a name that begins with its own, such as
/usr/lib/python3.11.
"""
SHORTEST_NAME = 3
PREFIXES = ("/", "/usr", "/usr/local")
"""Above a folder `bin`: what all programs share, and no installation of one."""
SHELLS = ("sh", "bash", "dash", "ash", "ksh", "zsh", "env")
LONGEST_SCRIPT, LONGEST_LINE = 100_000, 256
MOST_INTERPRETERS, MOST_MENTIONED = 4, 30
MOUNTED = ("/etc", "/dev", "/proc", "/sys")
"""What a bot's root has beside the system's folders."""
WORD = re.compile(rb"[\w./+-]+")
SCRATCH_PLACES = ("/tmp", "/var/tmp", "/dev/shm")


def confinement(player: Player, program: str) -> dict[str, Any]:
    """What the launcher needs to confine a bot, which is `program`, beside `ground`, as JSON values."""
    needs = needs_of_bot(player, program)
    return {
        "stage": True,
        "folders": own_folders(player.read),
        # Resolved: what has become a link when it is opened is not followed.
        "confine": [(path, RUN) for path in needs.places],
        "paths": needs.paths,
        "wishes": needs.wishes,
        "scans": needs.scans,
        "root": needs.root,
    }


class Needs(NamedTuple):
    """What the keeper is to take (`paths`), and what the bot's own files name (`wishes`), in which of the
    bot's folders it looks for programs whose libraries it takes (`scans`), all that the bot may read
    beside the system's, and its `root`.
    """

    paths: tuple[str, ...]
    wishes: tuple[str, ...]
    scans: tuple[str, ...]
    places: tuple[str, ...]
    root: dict[str, Any]


def needs_of_bot(player: Player, program: str) -> Needs:
    """What a player needs that is started by `program`."""
    marks = tuple(changed(path) for path in (program, *player.files))
    path = player.env.get("PATH") or path_of(player.languages)
    return _needs_of(
        player.command, player.folder, player.read, player.files, player.languages, program, path, marks
    )


def changed(path: str) -> int:
    """When a file or folder was last changed, in ns; 0 if it is not there."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=256)
def _needs_of(
    command: tuple[str, ...],
    folder: str,
    read: tuple[str, ...],
    files: tuple[str, ...],
    languages: tuple[tuple[str, ...], ...],
    program: str,
    path: str,
    _changed: tuple[int, ...],
) -> Needs:
    player = Player("", command, folder, read=read, files=files, languages=languages)
    named = own_places(player, program)
    places = tuple(dict.fromkeys(map(os.path.realpath, named)))
    # Also one that is gone: it may come back.
    own = tuple(path for path in map(os.path.realpath, read) if not os.path.isfile(path))
    open_to_it = (*SYSTEM, *set(places).difference(own))

    def is_open(one: str) -> bool:
        real = os.path.realpath(one)
        return _is_in(real, open_to_it) and not _is_in(real, HIDDEN)

    # What a file of an author's names is neither opened nor looked at unless all may run it.
    shown = [one for one in _interpreters(program, path, is_open) if one == program or is_open(one)]
    chosen = [one for one in (*(spoken for spoken, *_ in languages), program) if is_open(one)]
    wished = [one for one in (*shown[1:], *_mentioned(shown[-1], (program, *files), path)) if is_open(one)]
    paths = [*ALWAYS, *libraries(), *chosen]
    for one in chosen:
        paths += _library_of(os.path.realpath(one))
    wishes = [*wished]
    for one in wished:
        wishes += _library_of(os.path.realpath(one))
    paths += [place for place in places if place not in own]
    outside = [place for place in places if not f"{place}/".startswith(OF_THE_SYSTEM)]
    seen = tuple(p for p in outside if not any(p.startswith(f"{o}/") for o in outside))
    ways = [*named, *shown, *chosen, *wished, folder, *files]
    root = {
        "places": seen,
        "own": [place for place in seen if place in own],
        "links": [link for link in _links(ways) if not _is_in(link[0], (*seen, *SYSTEM, *MOUNTED))],
        "folders": [] if _is_in(os.path.realpath(folder), seen) else [os.path.realpath(folder)],
        "exe": os.path.realpath(shown[-1]),
        "scratch": scratch_place(folder, *places),
        "rights": WRITE,
    }
    return Needs(tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(wishes)), own, places, root)


def scratch_place(*places: str) -> str:
    """Where a bot has its temporary folder: at the first place in which it sees nothing else."""
    return next(
        place
        for place in SCRATCH_PLACES
        if place == SCRATCH_PLACES[-1] or not any(_is_in(one, [place]) for one in places)
    )


@lru_cache(maxsize=1)
def base() -> dict[str, list[str]]:
    """What is the same for all bots, as the keeper is told it."""
    settings = [path for path in system_rules() if path.startswith("/etc/")]
    return {"settings": settings, "kernel": list(KERNEL), "devices": list(DEVICES)}


@lru_cache(maxsize=1)
def libraries() -> tuple[str, ...]:
    """The libraries of `LIBRARIES` that this machine has."""
    shell = needs_of(ALWAYS[0])
    found = [find(name, shell.machine) for name in LIBRARIES] if shell is not None else []
    return tuple(filter(None, found))


def _interpreters(program: str, path: str, is_open: Callable[[str], bool]) -> list[str]:
    """A program; if it is a script, also what its first line names, and what ``/usr/bin/env`` starts."""
    found = [program]
    while len(found) < MOST_INTERPRETERS and (len(found) == 1 or is_open(found[-1])):
        line = _text_of(found[-1], LONGEST_LINE).partition(b"\n")[0]
        words = [os.fsdecode(word) for word in line[2:].split()] if line.startswith(b"#!") else []
        if not words:
            break
        found.append(words[0])
        if Path(words[0]).name == "env":
            rest = [word for word in words[1:] if word[0] != "-" and "=" not in word]
            if rest and (started := shutil.which(rest[0], path=path)):
                found.append(started)
    return found


def _mentioned(interpreter: str, files: Iterable[str], path: str) -> list[str]:
    """The programs in PATH that the texts of shell scripts name, if that is what interprets them."""
    if not {Path(interpreter).name, Path(os.path.realpath(interpreter)).name} & {*SHELLS}:
        return []
    texts = [_text_of(file, LONGEST_SCRIPT) for file in files]
    words = dict.fromkeys(word for text in texts if b"\0" not in text for word in WORD.findall(text))
    found = (shutil.which(os.fsdecode(word), path=path) for word in words)
    return list(islice(filter(None, found), MOST_MENTIONED))


def _text_of(file: str, most: int) -> bytes:
    """The beginning of a file; nothing of what is none."""
    try:
        with opened_file(file) as opened:
            return os.read(opened, most)
    except OSError:
        return b""


def _library_of(program: str) -> Iterator[str]:
    """The folders in which a program of the system keeps what it needs."""
    prefix = str(Path(program).parent.parent)
    if not program.startswith(OF_THE_SYSTEM):
        return
    if Path(program).parent.name == "bin" and prefix not in PREFIXES:
        yield prefix
    found = re.match(r"[A-Za-z]+", Path(program).name)
    name = found[0] if found else ""
    if len(name) < SHORTEST_NAME or name in SHELLS:
        return
    for folder in (*FOLDERS_OF_PROGRAMS, *map(str, Path("/usr/lib").glob("*-linux-gnu*"))):
        yield from (str(path) for path in sorted(Path(folder).glob(f"{name}*")) if path.is_dir())


def _links(paths: Iterable[str]) -> list[tuple[str, str]]:
    """All links on the way to some paths, each with what it says."""
    found: dict[str, str] = {}
    for path in dict.fromkeys(paths):
        with suppress(OSError):
            found |= {here: target for here, target in steps(path) if target}
    return list(found.items())


def _is_in(path: str, places: Iterable[str]) -> bool:
    return any(f"{path}/".startswith(f"{place}/") for place in places)
