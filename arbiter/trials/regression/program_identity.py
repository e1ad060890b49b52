"""The identity of a regression test: its name in the store, and digests of its programs.

The name holds a digest of everything that the blocks' scores or the stop rule depend on, files by their
contents. So the same command continues the test, and a changed bound or clock starts another one: a test
whose results were seen cannot continue under another rule. A repeated test without changes has the number of
the attempt after its name.

A program is the files that its command names, and all files in and below its folder, the folders that it may
`read`, and folders that are a word or part of a word of its command: ``-cp jc``, ``--weights=../nets``. A
moved program stays the same. Logs, and files added after a test began, are output of its runs and do not
count. A file too large to read each time counts by its size and time, and of a folder with too many files,
such as a home, only those directly in it count; `Digests.notes` lists these cases.
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
"""Prefixes of the names of tests in a store, and of choices among several candidates."""
CONTENTS = "contents"
"""The key of digests of single files, by folder and by relative name."""
FREE = {"store", "workers", "max_blocks", "faults", "field", "evidence", "of_family", CONTENTS}
"""Keys that change no score and no ratio, or that a begun test keeps; the field counts by its players."""

BASE, CANDIDATE, CANDIDATES = "base", "candidate", "candidates"
LEFT_OUT = {"node_modules", "__pycache__"}
"""Folders without source of the program, besides hidden ones and virtual environments."""
MOST_FILES = 10_000
"""Maximum files and folders visited below a folder; one with more also holds other things."""
MOST_OF_FILE = 100_000_000
"""Maximum size in bytes of a file that is read."""
MOST_OF_FOLDER = 1_000_000_000
"""Maximum bytes read below a folder: a second or two."""
_PART = re.compile("[:=]")


def name_of(settings: Mapping[str, Any], prefix: str) -> str:
    """Return the name of the first attempt with these settings."""
    return f"{prefix}{digest_of(_identity(settings))[:16]}"


def attempt_of(name: str) -> int:
    """Return the number of the attempt in a test's name, from 1."""
    _, _, number = name.split("-", 1)[1].partition("-")
    return int(number or 1)


def name_without_attempt(name: str) -> str:
    return "-".join(name.split("-", 2)[:2])


def attempt_name(name: str, there: Collection[str], fresh: bool = False) -> str:
    """Return the name of the last attempt at `name` (which may end in an attempt's number) that is `there`.

    With `fresh`, the name of the next one: ``new``, ``new-2``, ``new-3``...
    """
    name = name_without_attempt(name)
    names = [other for other in there if other == name or other.startswith(f"{name}-")]
    if not names:
        return name
    last = max(names, key=attempt_of)
    return f"{name}-{attempt_of(last) + 1}" if fresh else last


def _identity(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what identifies a test on any machine: programs by their files' contents, not their paths."""
    return {
        **{key: value for key, value in settings.items() if key not in (BASE, CANDIDATE, CANDIDATES, *FREE)},
        "players": [portable_identity(player) for player in _players_in(settings)],
    }


def portable_identity(player: Mapping[str, Any]) -> dict[str, Any]:
    """Return what identifies the program of a player from `player_settings` on any machine."""
    return {
        "name": player["name"],
        "command": player.get("model") or [_digests_in(player).get(word, word) for word in player["command"]],
        "places": list(player.get("folders", {}).values()),
        "env": player["env"],
        "batched": player["batched"],
    }


class ProgramChanges(NamedTuple):
    """The paths of a program's changed or removed files, and of its new ones."""

    files: tuple[str, ...]
    new: tuple[str, ...]


def compare_programs(
    now: Mapping[str, Any], then: Mapping[str, Any], accepted: Sequence[Mapping[str, Any]] = ()
) -> ProgramChanges | None:
    """Compare the programs in two settings; return None if anything else differs, or they describe no test.

    Contents `accepted` since then count as unchanged. A folder whose files were not kept one by one is
    compared as a whole.
    """
    with suppress(KeyError, TypeError, AttributeError, ValueError):
        if _without_digests(now) != _without_digests(then):
            return None
        files: list[str] = []
        new: list[str] = []
        known = [then.get(CONTENTS, {}), *accepted]
        for player, before in zip(_players_in(now), _players_in(then), strict=True):
            digests, old = _digests_in(player), _digests_in(before)
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
        return ProgramChanges(tuple(dict.fromkeys(files)), tuple(dict.fromkeys(new)))
    return None


def _without_digests(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that must not differ: without `FREE` keys and digests of files."""
    kept = {key: value for key, value in settings.items() if key not in FREE and key != "players"}
    players = [
        {key: value for key, value in player.items() if key not in ("files", "folders")}
        for player in _players_in(settings)
    ]
    return kept | {"players": players}


def _players_in(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the players of settings: in a test base, candidates, field."""
    players = settings["players"]
    if isinstance(players, list):
        return players
    tried = players[CANDIDATES] if CANDIDATES in players else [players[CANDIDATE]]
    return [players[BASE], *tried, *players["field"]]


def _digests_in(player: Mapping[str, Any]) -> dict[str, str]:
    return {**player["files"], **player.get("folders", {})}


def player_settings(player: Player, digests: Digests) -> dict[str, Any]:
    """Read a player's files and folders; return the player as JSON values, with their digests."""
    values = asdict(player) | {"command": list(player.command), "read": list(player.read)}
    languages = {"languages": list(map(list, player.languages))} if player.languages else {}
    # Tests begun before languages existed have no such key.
    del values["languages"]
    if player.model is None:
        del values["model"]
    return values | languages | digests.of(player)


class Digests:
    """Digests of programs as they are now: methods read files, each folder once.

    `apart` are files and folders that belong to no program, such as a test's file and its output. `notes`
    name files whose content is not in the digests.
    """

    def __init__(self, apart: Iterable[Path] = ()) -> None:
        self.notes: list[str] = []
        self._apart = {str(path.resolve()) for path in apart}
        # Files of our own output, such as `nohup.out`.
        self._apart |= {os.path.realpath(f"/proc/self/fd/{number}") for number in (1, 2)}
        self._known: dict[str, str] = {}
        self.contents: dict[str, dict[str, str]] = {}
        """Digests of single files, by the folder or file that was read, and by relative name."""

    def of(self, player: Player) -> dict[str, dict[str, str]]:
        """Return the SHA-256, by path, of the ``files`` that a player's command names and of ``folders``."""
        return {
            "files": {file: self._digest_of_path(file) for file in player.files},
            "folders": {place: self._digest_of_path(place) for place in _paths_of(player)},
        }

    def _digest_of_path(self, path: str) -> str:
        """Return the SHA-256 of a file, or of a folder's files, read once."""
        if path not in self._known:
            files = self._files(path) if os.path.isdir(path) else {"": path}
            self._known[path] = self._digest_of_files(path, files)
        return self._known[path]

    def _files(self, folder: str) -> dict[str, str]:
        """Return the files in and below a folder that count, by relative name."""
        found: dict[str, str] = {}
        seen = {os.path.realpath(folder)}
        looked_at = 0
        for place, folders, names in os.walk(folder, followlinks=True):
            looked_at += len(folders) + len(names)
            if looked_at > MOST_FILES:
                self.notes.append(
                    f"{folder} holds more than {MOST_FILES} files: only those directly in it count"
                    " (keep the bot in a separate folder, or give --fresh after a change)"
                )
                return self._files_in(folder, folder, next(os.walk(folder))[2])
            kept = sorted(name for name in folders if self._is_counted(Path(place, name)))
            # In place, so that the walk skips the others and folders that a link reaches again.
            folders[:] = [name for name in kept if _add_if_new(Path(place, name), seen)]
            found |= self._files_in(folder, place, names)
        return found

    def _is_counted(self, folder: Path) -> bool:
        """False for a hidden folder, a virtual environment, or one of `LEFT_OUT` and `apart`."""
        hidden = folder.name.startswith(".") or folder.name in LEFT_OUT
        virtual = (folder / "pyvenv.cfg").exists()
        return not (hidden or virtual or os.path.realpath(folder) in self._apart)

    def _files_in(self, folder: str, place: str, names: list[str]) -> dict[str, str]:
        """Return the paths of files in `place`, `MOST_FILES` at most, by name relative to `folder`.

        Without stores, ``.git``, by-products and the files to leave out (`_apart`).
        """
        names = sorted(names)[:MOST_FILES]
        stores = {name for name in names if is_store(Path(place, name))}
        out = stores.union(*map(companions, stores), {".git"})
        paths = [str(Path(place, name)) for name in names if name not in out and not is_by_product(name)]
        return {
            os.path.relpath(path, folder): path for path in paths if os.path.realpath(path) not in self._apart
        }

    def _digest_of_files(self, root: str, files: dict[str, str]) -> str:
        """Return the SHA-256 of files, keep each one's in `contents`, and note those too large to read.

        Of these size and time count, of unreadable ones the error.
        """
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
                # A broken link, or a file that may be run but not read.
                content = str(error.errno).encode()
            contents[name] = content.hex()
            whole.update(b"\0%s\0%s" % (name.encode(errors="surrogateescape"), content))
        if by_size:
            more = f" and {len(by_size) - 1} more files in {root}" if len(by_size) > 1 else ""
            self.notes.append(f"{by_size[0]}{more}: too large to read; size and time count, not the content")
        return whole.hexdigest()


def _paths_of(player: Player) -> list[str]:
    """Return the paths of a program besides its command's files, without those of the system."""
    parts = [part for word in player.command[1:] for part in _PART.split(word) if part]
    named = [str(path) for part in parts if os.path.exists(path := Path(player.folder, part))]  # noqa: PTH110
    found = {os.path.normpath(path): None for path in (player.folder, *player.read, *named)}
    return [path for path in found if path not in player.files and not f"{path}/".startswith(OF_THE_SYSTEM)]


def _add_if_new(folder: Path, seen: set[str]) -> bool:
    """Add a folder's real path to `seen`; False if it was there."""
    real = os.path.realpath(folder)
    new = real not in seen
    seen.add(real)
    return new
