"""Find the machine's files that a bot needs, for the system in memory and the bot's root.

They are found without running anything: from its command, its scripts' first lines, the words of shell
scripts, the season's languages, the player's `read`, and the libraries that programs load (`libraries`).
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.match.spec import Player
from arbiter.sandbox.forkserver.libraries import Looks, find_library
from arbiter.sandbox.forkserver.ways import opened_file, steps
from arbiter.sandbox.landlock import (
    DEVICES,
    HIDDEN,
    KERNEL,
    MOUNTED,
    OF_THE_SYSTEM,
    RUN,
    SYSTEM,
    WRITE,
    is_in,
    own_folders,
    own_places,
    search_path,
    system_rules,
)
from arbiter.sandbox.program_files import LONGEST_LINE, first_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

ALWAYS = ("/bin/sh", "/usr/bin/env", "/usr/lib/locale/C.utf8", "/usr/share/zoneinfo")
LIBRARIES = (
    "libgcc_s.so.1", "libstdc++.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
    "libgomp.so.1", "libatomic.so.1", "libresolv.so.2", "libnss_files.so.2", "libz.so.1",
)  # fmt: skip
"""Libraries that programs load at run time, so that their files do not name them."""
FOLDERS_OF_PROGRAMS = ("/usr/lib", "/usr/lib64", "/usr/share", "/usr/local/lib", "/usr/local/share")
"""Folders with interpreters' libraries, whose names start with the interpreter's, as /usr/lib/python3.11."""
BESIDE = {
    "groovy": ("/etc/groovy",),
    "csi": ("/var/lib/chicken",),
    "Rscript": ("/usr/lib/*/gconv/gconv-modules*", "/usr/lib/*/gconv/ISO8859-1.so"),
    "tcc": ("/usr/include", "/usr/lib/*/tcc/libtcc1.a", "/usr/lib/*/libc.so", "/usr/lib/*/libc_nonshared.a"),
}
"""By a program's name: what it reads besides its package's folders, whose archives (``.a``) are left out."""
STARTS = {
    "Rscript": ("/usr/lib/R/bin/R", "/bin/rm"),
    "escript": ("/usr/bin/erl",),
    "kotlin": ("/usr/bin/kotlinc",),
    "r": ("/usr/bin/which", "/usr/bin/uname"),
}
"""By a program's name: what it starts without naming it in a script."""
SHORTEST_NAME = 3
PREFIXES = ("/", "/usr", "/usr/local")
"""Parents of a folder `bin` that all programs share: not an installation."""
SHELLS = ("sh", "bash", "dash", "ash", "ksh", "zsh", "env")
LONGEST_SCRIPT = 100_000
MOST_INTERPRETERS, MOST_MENTIONED, MOST_SCRIPTS = 8, 30, 16
WORD = re.compile(rb"[\w./+-]+")
STARTED = re.compile(
    rb"""(?:^|[;&|({`)!]|:[-=]|(?<![\w-])\w+=|\b(?:exec|command|do|else|env|if|in|nice|nohup|set|then|time|type|until"""
    rb"""|which|while)[ \t])[ \t]*"""
    rb"""(?:(?:-[^\s"']{0,99}|\w{1,99}=[^\s;`(]{0,99})[ \t]{1,9}){0,9}["']?(?=([\w./+-]+))""",
    re.MULTILINE,
)
"""A word of a shell script at the place of a command, or the value of a variable.

Authors write the script: what is read again at each place is bounded.
"""
JARS = "/usr/share/java"
"""Libraries of all programs in Java: a command names the ones that it needs."""
SCRATCH_PLACES = ("/tmp", "/var/tmp", "/dev/shm")


def confinement(player: Player, program: str) -> dict[str, Any]:
    """Return what the launcher needs besides `ground` to confine a bot, as JSON values."""
    needs = needs_of_bot(player, program)
    return {
        "stage": True,
        "folders": own_folders(player.read),
        # Resolved: a path that has become a link meanwhile is not followed.
        "confine": [(path, RUN) for path in needs.places],
        "system": needs.asked,
        "root": needs.root,
    }


class KeeperRequest(NamedTuple):
    """A request to the keeper: paths that all bots of a season need, that this player needs to start, that
    its files mention, and its folders to scan for programs whose libraries are added. Of each kind of path
    also the programs whose packages are added.
    """

    player: str
    common: tuple[str, ...]
    needed: tuple[str, ...]
    mentioned: tuple[str, ...]
    scans: tuple[str, ...]
    common_programs: tuple[str, ...] = ()
    needed_programs: tuple[str, ...] = ()
    mentioned_programs: tuple[str, ...] = ()


class Needs(NamedTuple):
    """The request to the keeper, the paths that the bot may read besides the system's, and its `root`."""

    asked: KeeperRequest
    places: tuple[str, ...]
    root: dict[str, Any]


def needs_of_bot(player: Player, program: str) -> Needs:
    """Return the needs of a player whose command starts `program`."""
    marks = tuple(modified_ns(path) for path in (program, *player.files))
    path = player.env.get("PATH") or search_path(player.languages)
    named = player.name, player.command, player.folder, player.read, player.files, player.languages
    return _needs_of(*named, program, path, marks)


def modified_ns(path: str) -> int:
    """Return the modification time of a file or folder in ns; 0 if it is missing."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=256)
def _needs_of(
    name: str,
    command: tuple[str, ...],
    folder: str,
    read: tuple[str, ...],
    files: tuple[str, ...],
    languages: tuple[tuple[str, ...], ...],
    program: str,
    path: str,
    _modified: tuple[int, ...],
) -> Needs:
    """The cached part of `needs_of_bot`; a change of `_modified`, times of its files, makes it run again."""
    player = Player(name, command, folder, read=read, files=files, languages=languages)
    starting = _interpreters(program, folder, path, lambda _: False)
    named = *own_places(player, program), *(each for one in starting for each in _beside(one))
    places = tuple(dict.fromkeys(map(os.path.realpath, named)))
    # Also a missing one: it may come back.
    given = tuple(path for path in map(os.path.realpath, read) if not os.path.isfile(path))
    own = tuple(path for path in given if not is_in(path, (*SYSTEM, *MOUNTED)))
    # A program of the system may start in its own folder, which has others' files.
    home = os.path.realpath(folder)
    open_to_it = (*SYSTEM, *set(places).difference(given))

    def allowed(one: str) -> bool:
        real = os.path.realpath(one)
        return is_in(real, open_to_it) and not is_in(real, HIDDEN)

    # What an author's file names is opened only if all users may run it.
    shown = [one for one in _interpreters(program, folder, path, allowed) if one == program or allowed(one)]
    spoken = [one for one, *_ in languages if allowed(one)]
    # A file of the system, such as a jar, needs what its package needs.
    chosen = [one for one in (program, *files) if one == program or is_in(one, SYSTEM) if allowed(one)]
    # The kernel needs them to start a script.
    started = [one for one in shown[1:] if allowed(one) and os.path.isfile(one)]
    commands, words = (
        [one for one in found if allowed(one)]
        for found in _mentioned_programs(shown, files, path, folder, allowed)
    )
    # What a start script of the system starts is as needed as that script; an author's may name anything.
    of_the_system = commands if is_in(shown[0], SYSTEM) and len(shown) > 1 else []
    asked = KeeperRequest(
        player=name,
        common=_unique(*ALWAYS, *libraries(), *_with_libraries(spoken), *_language_paths(languages)),
        needed=_unique(
            *_with_libraries(chosen),
            *started,
            *of_the_system,
            *(one for one in places if one not in {*own, home}),
        ),
        # Small programs first: a start script needs all of them.
        mentioned=_unique(*started, *commands, *_with_libraries((*started, *commands)), *words),
        scans=own,
        common_programs=_of_packages(spoken),
        needed_programs=_of_packages(chosen),
        mentioned_programs=_of_packages([*started, *commands]),
    )
    outside = [place for place in places if not is_in(place, (*SYSTEM, *MOUNTED))]
    seen = tuple(p for p in outside if not any(p.startswith(f"{o}/") for o in outside))
    ways = [*named, *shown, *spoken, *words, folder, *files]
    root = {
        "places": seen,
        "own": [place for place in seen if place in own],
        "links": [link for link in _links(ways) if not is_in(link[0], (*seen, *SYSTEM, *MOUNTED))],
        "folders": [] if is_in(home, seen) else [home],
        "exe": os.path.realpath(shown[-1]),
        "scratch": scratch_place(folder, *places),
        "rights": WRITE,
    }
    return Needs(asked, places, root)


def scratch_place(*places: str) -> str:
    """Return the path of a bot's temporary folder: the first that contains none of `places`."""
    return next(
        place
        for place in SCRATCH_PLACES
        if place == SCRATCH_PLACES[-1] or not any(is_in(one, [place]) for one in places)
    )


@lru_cache(maxsize=1)
def common_base() -> dict[str, list[str]]:
    """Return the keeper's arguments that are the same for all bots."""
    settings = [path for path in system_rules() if path.startswith("/etc/")]
    return {"settings": settings, "kernel": list(KERNEL), "devices": list(DEVICES)}


@lru_cache(maxsize=1)
def libraries() -> tuple[str, ...]:
    """Return the paths of `LIBRARIES` on this machine."""
    looks = Looks(sys.maxsize)
    return tuple(filter(None, (find_library(name, (), looks) for name in LIBRARIES)))


def _interpreters(program: str, folder: str, path: str, allowed: Callable[[str], bool]) -> list[str]:
    """Return a program, and for a script its interpreters, also through ``/usr/bin/env``."""
    found = [program]
    while len(found) < MOST_INTERPRETERS and (len(found) == 1 or allowed(found[-1])):
        words = first_words(_start_of_file(found[-1], LONGEST_LINE))
        if not words:
            break
        found.append(os.path.join(folder, words[0]))  # noqa: PTH118
        if Path(words[0]).name == "env":
            rest = [word for word in words[1:] if word[0] != "-" and "=" not in word]
            if rest and (started := shutil.which(rest[0], path=path)):
                found.append(started)
    return found


def _mentioned_programs(
    shown: Sequence[str], files: Iterable[str], path: str, folder: str, allowed: Callable[[str], bool]
) -> tuple[list[str], list[str]]:
    """Return the programs that shell scripts start, also scripts of the system that the first ones start, and
    all that the first ones mention: a program that is a script, or the `files` of a program that is a shell.

    `shown`: the program and its interpreters.
    """

    def programs(words: re.Pattern[bytes], text: bytes) -> list[str]:
        named = map(os.fsdecode, dict.fromkeys(words.findall(text)))
        paths = (str(Path(folder, word)) if "/" in word else word for word in named)
        found = (shutil.which(word, path=path) for word in paths)
        return list(islice(filter(None, found), MOST_MENTIONED))

    def shells(script: str) -> list[str]:
        """Return the interpreters of a shell script of the system; none for another file."""
        found = _interpreters(script, folder, path, allowed)[1:] if allowed(script) else []
        return found if found and _is_shell(found[-1]) else []

    scripts = [*(shown[:1] if len(shown) > 1 else files)] if _is_shell(shown[-1]) else []
    mentioned = [word for file in scripts for word in programs(WORD, _text_of_script(file))]
    commands = [started for one in shown if allowed(one) for started in STARTS.get(Path(one).name, ())]
    scripts += commands
    for script in scripts:
        found = programs(STARTED, _text_of_script(script))
        commands += [*shells(script), *found]
        more = [one for one in found if one not in scripts and shells(one)]
        scripts += more[: max(0, MOST_SCRIPTS - len(scripts))]
    return commands, mentioned


def _is_shell(program: str) -> bool:
    return bool({Path(program).name, Path(os.path.realpath(program)).name} & {*SHELLS})


def _text_of_script(file: str) -> bytes:
    """Return a script up to a zero byte, after which may be a program; each command on one line."""
    return _start_of_file(file, LONGEST_SCRIPT).partition(b"\0")[0].replace(b"\\\n", b" ")


def _start_of_file(file: str, limit: int) -> bytes:
    """Return at most `limit` bytes of a file; empty if it cannot be read."""
    try:
        with opened_file(file) as opened:
            return os.read(opened, limit)
    except OSError:
        return b""


@lru_cache(maxsize=8)
def _language_paths(languages: tuple[tuple[str, ...], ...]) -> list[str]:
    """Return the paths that all players may read for a season's languages."""
    plain = Player("", ALWAYS[:1], languages=languages)
    return [os.path.realpath(path) for path in own_places(plain, ALWAYS[0])]


def _with_libraries(programs: Iterable[str]) -> Iterator[str]:
    for one in programs:
        yield one
        yield from _library_folders(os.path.realpath(one))


def _of_packages(programs: Iterable[str]) -> tuple[str, ...]:
    """Return the real paths of the programs whose packages are needed: the system's, no shells."""
    real = map(os.path.realpath, programs)
    return _unique(*(one for one in real if one.startswith(OF_THE_SYSTEM) and Path(one).name not in SHELLS))


def _beside(program: str) -> Iterator[str]:
    """Yield the existing paths of `BESIDE` for a program of the system."""
    program = os.path.realpath(program)
    for pattern in BESIDE.get(Path(program).name, ()) if program.startswith(OF_THE_SYSTEM) else ():
        yield from sorted(map(str, Path("/").glob(pattern[1:])))


def _library_folders(program: str) -> Iterator[str]:
    """Yield the library folders of a program of the system."""
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
        found_here = (str(path) for path in sorted(Path(folder).glob(f"{name}*")) if path.is_dir())
        yield from (path for path in found_here if path != JARS)


def _links(paths: Iterable[str]) -> list[tuple[str, str]]:
    """Return all links on the way to these paths, each with its target."""
    found: dict[str, str] = {}
    for path in dict.fromkeys(paths):
        with suppress(OSError):
            found |= {here: target for here, target in steps(path) if target}
    return list(found.items())


def _unique(*paths: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))
