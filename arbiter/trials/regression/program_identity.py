"""The identity of a regression test: its name in the store, and digests of its programs.

The name holds a digest of everything that the blocks' scores or the stop rule depend on, files by their
contents. So the same command goes on where it stood, and a changed bound or clock begins anew: a test that
has been looked at cannot be continued by another rule. Begun anew although nothing has changed, it has the
number of the attempt behind its name.

A program is the files that its command names and all that lies in its own folder and below, in what it may
`read`, and in what its command names as a word or a part of one: ``-cp jc``, ``--weights=../nets``; moved, it
is the same. Files that came since a test began, and logs, are what its runs write, and no part of it.
A file that is too large to be read each time counts by its size and time, and of a folder with
too many files, such as a home, only those directly in it count; `Digests.notes` say so.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.match.spec import Player
from arbiter.sandbox.landlock import OF_THE_SYSTEM
from arbiter.sandbox.program_files import digest_of_file, is_by_product
from arbiter.season.config import digest_of
from arbiter.season.settings import CHOICE, REGRESS
from arbiter.store.sqlite import companions, is_store

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from arbiter.match.spec import Player


PREFIX = REGRESS
PREFIXES = (REGRESS, CHOICE)
"""The beginnings of the names of tests in a store, and of choices among several candidates."""
CONTENTS = "contents"
"""The key of digests of single files, by folder and by name from there."""
FREE = {"store", "workers", "max_blocks", "faults", "field", "evidence", "of_family", CONTENTS}
"""Keys that change no score and no ratio, or are as they were when a test was begun; the players of the field
are kept apart."""

BASE, CANDIDATE, CANDIDATES = "base", "candidate", "candidates"
LEFT_OUT = {"node_modules", "__pycache__"}
"""Folders that hold no source of one's own, beside hidden ones and virtual environments."""
MOST_FILES = 10_000
"""Files and folders that are looked at in a folder and below; one with more holds other things too."""
MOST_OF_FILE = 100_000_000
"""Bytes of a file that is read."""
MOST_OF_FOLDER = 1_000_000_000
"""Bytes that are read of a folder and what is below: a second or two."""
_PART = re.compile("[:=]")


def name_of(settings: Mapping[str, Any], prefix: str) -> str:
    """The name of the first attempt at what these settings describe."""
    return f"{prefix}{digest_of(_identity(settings))[:16]}"


def attempt_of(name: str) -> int:
    """The number of the attempt that a test's name tells."""
    _, _, number = name.split("-", 1)[1].partition("-")
    return int(number or 1)


def first_attempt(name: str) -> str:
    """The name without the number of an attempt."""
    return "-".join(name.split("-", 2)[:2])


def last_attempt(name: str, there: Collection[str], fresh: bool = False) -> str:
    """The name of the last attempt that is `there`, of the next one if it is to be `fresh`."""
    name = first_attempt(name)
    names = [other for other in there if other == name or other.startswith(f"{name}-")]
    if not names:
        return name
    last = max(names, key=attempt_of)
    return f"{name}-{attempt_of(last) + 1}" if fresh else last


def _identity(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what identifies a test on any machine: programs by their files' contents, not their paths."""
    return {
        **{key: value for key, value in settings.items() if key not in (BASE, CANDIDATE, CANDIDATES, *FREE)},
        "players": [program(player) for player in _programs(settings)],
    }


def program(player: Mapping[str, Any]) -> dict[str, Any]:
    """Return what identifies a kept player's program on any machine."""
    return {
        "name": player["name"],
        "command": player.get("model") or [_digests(player).get(word, word) for word in player["command"]],
        "places": list(player.get("folders", {}).values()),
        "env": player["env"],
        "batched": player["batched"],
    }


class Changed(NamedTuple):
    """The files of programs that are others than before, or gone, and those that are new, by their paths."""

    files: tuple[str, ...]
    new: tuple[str, ...]


def what_changed(
    now: Mapping[str, Any], then: Mapping[str, Any], accepted: Sequence[Mapping[str, Any]] = ()
) -> Changed | None:
    """What of the programs differs between two settings; None where more does, or they are none of a test.

    Contents that were `accepted` since are as good as those of `then`. A folder stands for its files where
    those were not kept by themselves.
    """
    with suppress(KeyError, TypeError, AttributeError, ValueError):
        if _without_digests(now) != _without_digests(then):
            return None
        files: list[str] = []
        new: list[str] = []
        known = [then.get(CONTENTS, {}), *accepted]
        for player, before in zip(_programs(now), _programs(then), strict=True):
            digests, old = _digests(player), _digests(before)
            files += old.keys() - digests.keys()
            for path in (path for path in digests if old.get(path) != digests[path]):
                has, had = now[CONTENTS][path], [contents[path] for contents in known if path in contents]
                if not had:
                    (files if path in old else new).append(path)
                    continue
                names = set().union(*had)
                other = {name for name in names if has.get(name) not in {each.get(name) for each in had}}
                files += (f"{path}/{name}".rstrip("/") for name in sorted(other))
                new += (f"{path}/{name}" for name in sorted(has.keys() - names))
        return Changed(tuple(dict.fromkeys(files)), tuple(dict.fromkeys(new)))
    return None


def _without_digests(settings: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in settings.items() if key not in FREE and key != "players"}
    players = [
        {key: value for key, value in player.items() if key not in ("files", "folders")}
        for player in _programs(settings)
    ]
    return kept | {"players": players}


def _programs(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    players = settings["players"]
    if isinstance(players, list):
        return players
    tried = players[CANDIDATES] if CANDIDATES in players else [players[CANDIDATE]]
    return [players[BASE], *tried, *players["field"]]


def _digests(player: Mapping[str, Any]) -> dict[str, str]:
    return {**player["files"], **player.get("folders", {})}


def kept(player: Player, digests: Digests) -> dict[str, Any]:
    """A player as JSON values, with digests of its files and folders."""
    values = asdict(player) | {"command": list(player.command), "read": list(player.read)}
    languages = {"languages": list(map(list, player.languages))} if player.languages else {}
    # Tests that were begun before there were languages have no such key.
    del values["languages"]
    if player.model is None:
        del values["model"]
    return values | languages | digests.of(player)


class Digests:
    """Digests of programs as they are now, each folder being read once.

    `apart` are files and folders that belong to no program wherever they lie, such as a test's own file and
    what it writes. `notes` name what does not count by its content.
    """

    def __init__(self, apart: Iterable[Path] = ()) -> None:
        self.notes: list[str] = []
        self._apart = {str(path.resolve()) for path in apart}
        # Where our own output goes, such as `nohup.out`.
        self._apart |= {os.path.realpath(f"/proc/self/fd/{number}") for number in (1, 2)}
        self._known: dict[str, str] = {}
        self.contents: dict[str, dict[str, str]] = {}
        """Digests of the single files, by folder or file that was read, and by name from there."""

    def of(self, player: Player) -> dict[str, dict[str, str]]:
        """SHA-256 by path of the ``files`` that a player's command names, and of ``folders`` and the rest."""
        return {
            "files": {file: self._digest(file) for file in player.files},
            "folders": {place: self._digest(place) for place in _places(player)},
        }

    def _digest(self, path: str) -> str:
        if path not in self._known:
            files = self._files(path) if os.path.isdir(path) else {"": path}
            self._known[path] = self._digest_of_files(path, files)
        return self._known[path]

    def _files(self, folder: str) -> dict[str, str]:
        """The files of a folder and below that count, by their names from there."""
        found: dict[str, str] = {}
        seen = {os.path.realpath(folder)}
        looked_at = 0
        for place, folders, names in os.walk(folder, followlinks=True):
            looked_at += len(folders) + len(names)
            if looked_at > MOST_FILES:
                self.notes.append(
                    f"{folder} holds more than {MOST_FILES} files: only those directly in it count"
                    " (keep the bot in a folder of its own, or give --fresh after a change)"
                )
                return self._ours(folder, folder, next(os.walk(folder))[2])
            kept = sorted(name for name in folders if self._counts(Path(place, name)))
            # In place, so that the walk leaves out the others, and where a link leads a second time.
            folders[:] = [name for name in kept if _is_new(Path(place, name), seen)]
            found |= self._ours(folder, place, names)
        return found

    def _counts(self, folder: Path) -> bool:
        hidden = folder.name.startswith(".") or folder.name in LEFT_OUT
        virtual = (folder / "pyvenv.cfg").exists()
        return not (hidden or virtual or os.path.realpath(folder) in self._apart)

    def _ours(self, folder: str, place: str, names: list[str]) -> dict[str, str]:
        """Files that are in `place`, by their names from `folder`, without stores and what is Git's."""
        names = sorted(names)[:MOST_FILES]
        stores = {name for name in names if is_store(Path(place, name))}
        out = stores.union(*map(companions, stores), {".git"})
        paths = [str(Path(place, name)) for name in names if name not in out and not is_by_product(name)]
        return {
            os.path.relpath(path, folder): path for path in paths if os.path.realpath(path) not in self._apart
        }

    def _digest_of_files(self, root: str, files: dict[str, str]) -> str:
        whole, left, by_size = sha256(), MOST_OF_FOLDER, []
        contents = self.contents[root] = {}
        for name, path in sorted(files.items()):
            try:
                there = os.stat(path)
                if not stat.S_ISREG(there.st_mode):
                    continue
                if there.st_size > min(left, MOST_OF_FILE):
                    by_size.append(path)
                    content = b"%d %d" % (there.st_size, there.st_mtime_ns)
                else:
                    left -= there.st_size
                    content = bytes.fromhex(digest_of_file(path))
            except OSError as error:
                # A link to nothing, or what a bot may run and nobody may read.
                content = str(error.errno).encode()
            contents[name] = content.hex()
            whole.update(b"\0%s\0%s" % (name.encode(errors="surrogateescape"), content))
        if by_size:
            more = f" and {len(by_size) - 1} more files in {root}" if len(by_size) > 1 else ""
            self.notes.append(f"{by_size[0]}{more}: too large to read; size and time count, not the content")
        return whole.hexdigest()


def _places(player: Player) -> list[str]:
    """All that a program is made of beside the files that its command names; nothing of the system's."""
    parts = [part for word in player.command[1:] for part in _PART.split(word) if part]
    named = [str(path) for part in parts if os.path.exists(path := Path(player.folder, part))]  # noqa: PTH110
    found = {os.path.normpath(path): None for path in (player.folder, *player.read, *named)}
    return [path for path in found if path not in player.files and not f"{path}/".startswith(OF_THE_SYSTEM)]


def _is_new(folder: Path, seen: set[str]) -> bool:
    real = os.path.realpath(folder)
    new = real not in seen
    seen.add(real)
    return new
