"""The programs whose sources are compared: the season's, those of other seasons, and the samples.

A program is an author's active version or, for a player with a command, the sources that the command names
and those in the player's folder. Only regular files with a source suffix are read, limited in size and
number, and never run. Files left out are listed.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arbiter.contest.integrity.tokens import Tokens, is_source, tokens_of
from arbiter.games.samples import shipped_sources
from arbiter.games.samples.starter import BETTER
from arbiter.season.config.settings_diff import rated_name
from arbiter.season.config.submission_settings import SOURCE, folder_beside
from arbiter.season.program_digests import digest_of, own_files
from arbiter.season.roster import folder_of
from arbiter.store import Store
from arbiter.store.address import address_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arbiter.contest.integrity.schema import LeftOut, Side
    from arbiter.match.spec import Player
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.versions import Submission

LARGEST, MOST_BYTES, MOST_FILES = 256 << 10, 1 << 20, 200
"""The limits: bytes of a file; bytes and files of a program."""
MOST_LOOKED_AT = 5_000
"""The most files listed in a program's folder, sources or not."""
OF_OTHERS = frozenset({"node_modules", "vendor", "venv", "site-packages", "__pycache__"})
"""Folders of third-party libraries."""
MARK = "@"
"""In a key, precedes a sample's name, or a season after a version; no player's name contains it."""


class SourceFile(NamedTuple):
    """A source file: its path in the program, its text, its tokens."""

    name: str
    text: str
    tokens: Tokens


@dataclass(frozen=True)
class UnreadProgram:
    """The source files of one program before reading; `found` has them with their paths in the program."""

    side: Side
    found: Iterable[tuple[str, Path]]

    def read(self) -> Sources:
        """Read the sources among the files, up to the limits."""
        return _read_sources(self.side, self.found)


@dataclass(frozen=True)
class Sources:
    """The sources of a program that were read, and those left out."""

    side: Side
    files: Sequence[SourceFile]
    left_out: Sequence[LeftOut]


def programs_of_season(config: Config, stored: SeasonStore) -> Iterator[UnreadProgram]:
    """Look up the programs that play now: the active versions of authors, and players with commands.

    House bots, rungs and unchanged shipped samples are left out.
    """
    yield from _submitted_programs(stored.submissions.active(), folder_of(config))
    yield from (one for one in _programs_with_commands(config, house=False) if not _is_shipped(one))


def without_files(config: Config, stored: SeasonStore) -> list[str]:
    """Look up the active versions whose files are missing, as on another machine."""
    places = ((one, folder_of(config) / one.file / SOURCE) for one in stored.submissions.active())
    return [rated_name(one.author, one.version) for one, place in places if not place.is_dir()]


def programs_of_author(config: Config, stored: SeasonStore, author: str) -> Iterator[UnreadProgram]:
    """Look up all versions of an author, active or not: a report may be older than the active one."""
    yield from _submitted_programs(stored.submissions.of(author), folder_of(config))


def programs_of_others(
    config: Config, stored: SeasonStore, against: Iterable[str] = ()
) -> Iterator[UnreadProgram]:
    """Load the active versions of the store's other seasons, and of those in the stores `against`.

    A season of the same name there is skipped: it is a backup of this one.
    """
    yield from (one for other in stored.others() for one in _other_programs(other, folder_of(config)))
    for address in map(address_of, against):
        with closing(Store(address, create=False)) as store:
            names = [name for name in store.seasons() if name != stored.name]
            seasons = [season for name in names if (season := store.season(name)) is not None]
            folder = folder_beside(address, config.file)
            # Consumed before the store is closed.
            yield from [one for season in seasons for one in _other_programs(season, folder)]


def samples(config: Config) -> Iterator[UnreadProgram]:
    """Yield the shipped samples, and the season's other house bots and rungs."""
    yield from shipped()
    for one in _programs_with_commands(config, house=True):
        if not _is_shipped(one):
            yield UnreadProgram(_sample_side(one.side["name"]), one.found)


def shipped() -> Iterator[UnreadProgram]:
    """Yield the shipped samples, a file each."""
    for path, _ in shipped_sources():
        if is_source(path.name):
            # The smallest bots of all games have the same names.
            of_game = f"{path.parent.name}_" if path.parent.parent.name == "languages" else ""
            yield UnreadProgram(_sample_side(of_game + path.name), [(path.name, path)])


@lru_cache(maxsize=1)
def to_build_on() -> frozenset[str]:
    """Return the names of the samples that are starting points for authors."""
    return frozenset(path.name for path, is_given in shipped_sources() if is_given)


def _sample_side(name: str) -> Side:
    return {"name": name, "version": None, "key": f"{MARK}{name}", "sample": True}


def _submitted_programs(sent: Iterable[Submission], folder: Path) -> Iterator[UnreadProgram]:
    """Yield versions as programs; `folder` is that of all archives."""
    for one in sent:
        side: Side = {"name": one.author, "version": one.version, "key": rated_name(one.author, one.version)}
        yield UnreadProgram(side, _walk_files(folder / one.file / SOURCE))


def _other_programs(season: SeasonStore, folder: Path) -> Iterator[UnreadProgram]:
    """Yield the active versions of another season, with its name in their keys."""
    for one in _submitted_programs(season.submissions.active(), folder):
        key = f"{one.side['key']}{MARK}{season.name}"
        yield UnreadProgram({**one.side, "season": season.name, "key": key}, one.found)


def _programs_with_commands(config: Config, house: bool) -> Iterator[UnreadProgram]:
    """Yield the programs of the file's own players: those with a role if `house`, else the others."""
    players = [entry.player for entry in config.entries if not entry.is_sent]
    folder = os.path.abspath(config.folder)  # noqa: PTH100 -- links are not followed
    for entry in config.entries:
        if not entry.is_sent and bool(entry.role) == house:
            name = entry.registered_name
            side: Side = {"name": name, "version": None, "key": name}
            yield UnreadProgram(side, list(_files_of_command(entry.player, players, folder)))


def _files_of_command(player: Player, players: Iterable[Player], folder: str) -> Iterator[tuple[str, Path]]:
    """Yield the files that a command names, and those in the player's folder unless others share it."""
    named = sorted(map(Path, own_files(player, folder)))
    yield from ((file.name, file) for file in named)
    own = Path(player.folder)
    homes = [Path(folder), *(Path(other.folder) for other in players if other is not player)]
    if named and not any(home.is_relative_to(own) for home in homes):
        yield from ((name, path) for name, path in _walk_files(own) if path not in named)


def _is_shipped(one: UnreadProgram) -> bool:
    """Look whether a player is a shipped sample: in its place, or an unchanged copy by `init`."""
    if (first := next((path for name, path in one.found if is_source(name)), None)) is None:
        return False
    for path, _ in shipped_sources():
        if path.name == first.name and path.stem.endswith(f"_{one.side['name'].replace('-', '_')}"):
            return digest_of(str(path)) == digest_of(str(first))
    return any(path.parent == first.parent for path, _ in shipped_sources())


def _walk_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files below a folder with their relative paths; links are not followed."""
    looked_at = 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in OF_OTHERS and not name.startswith("."))
        for name in sorted(files):
            looked_at += 1
            if looked_at > MOST_LOOKED_AT:
                return
            path = Path(place, name)
            yield str(path.relative_to(folder)), path


def _read_sources(side: Side, found: Iterable[tuple[str, Path]]) -> Sources:
    """Read the sources among these files up to the limits, and note why others are left out."""
    files: list[SourceFile] = []
    left_out: list[LeftOut] = []
    room = MOST_BYTES
    for name, path in found:
        if not is_source(name):
            continue
        if len(files) + len(left_out) == MOST_FILES:
            left_out.append({"file": name, "why": f"the program has more than {MOST_FILES} sources"})
            break
        try:
            text = _read_source(path, room)
        except Unread as why:
            left_out.append({"file": name, "why": str(why)})
            continue
        # The better bot of the starter kit is meant to be read, and often left in submissions.
        if not (name.startswith(f"{BETTER}/") and text in _read_shipped_texts()):
            files.append(SourceFile(name, text, tokens_of(name, text)))
            room -= len(text)
    return Sources(side, files, left_out)


class Unread(Exception):
    """A source is left out; the text is the reason."""


def _read_source(path: Path, room: int) -> str:
    """Read a source's text; Unread for a link, no regular file, a NUL, or over `LARGEST` or `room` bytes."""
    try:
        # A build may have left a link to another program's file, or a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Unread("it is a link" if error.errno == errno.ELOOP else "it cannot be read") from None
    with open(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise Unread("it is not a regular file")
        if state.st_size > LARGEST:
            raise Unread(f"it has {state.st_size:,} bytes; the limit is {LARGEST:,}")
        held = file.read(LARGEST)
    if len(held) > room:
        raise Unread(f"the program has more than {MOST_BYTES:,} bytes of sources")
    if b"\0" in held:
        raise Unread("it is not text")
    return held.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=1)
def _read_shipped_texts() -> frozenset[str]:
    return frozenset(
        path.read_text(encoding="utf-8") for path, _ in shipped_sources() if is_source(path.name)
    )
