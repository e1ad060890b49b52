"""Digests of the players' programs on this machine, checked before each round.

Only the files that commands name are checked, and only players' own are read: neither their imports nor
interpreters. An unchanged file is read once per process.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from arbiter.errors import VoidMatch
from arbiter.match.spec import original
from arbiter.sandbox.program_files import digest_of_file, first_problem
from arbiter.season.roster import missing_files
from arbiter.store import OrderKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import Player
    from arbiter.season.config import Config
    from arbiter.season.events import ProgramChanged
    from arbiter.store import Order, SeasonStore

Programs: TypeAlias = "Mapping[str, Mapping[str, str | None]]"
"""By player, by path from the config's folder: a file's SHA-256, None if it could not be read."""
PUT_BACK = "put that right, then run the same command again"
SHOWN = 3
"""Players named in one line."""


class ProgramWatch:
    """Compares the files of a season's programs with those of its rounds, whose digests it stores."""

    def __init__(self, config: Config, stored: SeasonStore) -> None:
        self._stored = stored
        # Absolute now: the folder may be moved while the season is played.
        self._file = config.file.absolute()
        self._told: set[tuple[str, str, str | None]] = set()

    def keep_round(self, config: Config, number: int, out: Collection[str] = ()) -> None:
        """Store a new round's digests; VoidMatch if a file is missing, except of players `out`."""
        self.check_files(config, number, out)
        if not self._stored.match_ids(number):
            self._stored.keep_programs(number, self._read_digests(config))

    def check_files(self, config: Config, number: int, out: Collection[str] = ()) -> None:
        """Raise VoidMatch if a file is missing for a round; players who sit `out` are not checked."""
        players = [entry.player for entry in config.entries if entry.player.name not in out]
        if what := missing_programs(players, {**missing_files(config, self._stored), **config.gone}):
            raise VoidMatch(f"round {number} cannot be played: {what}; {PUT_BACK}")

    def changes(self, config: Config, number: int, begun: bool) -> Iterator[ProgramChanged]:
        """Read the files now; yield the changes before a round, or since it was `begun`, each once."""
        now, at = self._read_digests(config), number + begun
        kept = {known: programs for known, programs in self._stored.programs().items() if known < at}
        if begun:
            # What changed before it was reported then.
            kept = {number: kept[number]} if number in kept else {}
        for change in changes({**kept, at: now}):
            key = change.player, change.file, now.get(change.player, {}).get(change.file)
            if change.round == at and key not in self._told:
                self._told.add(key)
                yield change

    def _read_digests(self, config: Config) -> Programs:
        return programs_of((entry.player for entry in config.entries), self._file)


def programs_of(players: Iterable[Player], config: Path) -> Programs:
    """Read the players' files and return their digests; `config` is the season's file."""
    folder = os.path.abspath(config.parent)  # noqa: PTH100
    return {
        original(player.name): {
            os.path.relpath(file, folder): digest_of(file) for file in own_files(player, folder)
        }
        for player in players
    }


def missing_programs(players: Iterable[Player], gone: Mapping[str, str] = MappingProxyType({})) -> str:
    """Look up which files players lack to start; return one line that names a few of them, "" if none.

    `gone` are the files that some lacked when their config was read.
    """
    # Copies of a house bot have the same files.
    known = {original(player.name): player for player in players}
    lacks = {
        name: what for name, player in known.items() if (what := gone.get(name) or first_problem(player))
    }
    named = [f"player {name}: {what}" for name, what in list(lacks.items())[:SHOWN]]
    others = len(lacks) - SHOWN
    more = [f"and {others} player{'s' * (others > 1)} more"] if others > 0 else []
    return "; ".join([*named, *more])


def own_files(player: Player, folder: str) -> Iterator[str]:
    """Yield the files of a command, without the system's, and programs outside `folder` and its own."""
    from arbiter.sandbox.landlock import OF_THE_SYSTEM

    for file in player.files:
        ours = Path(file).is_relative_to(player.folder) or Path(file).is_relative_to(folder)
        interpreter = file == player.command[0] and not ours
        if not interpreter and not os.path.realpath(file).startswith(OF_THE_SYSTEM):
            yield file


def digest_of(path: str) -> str | None:
    """Read the SHA-256 of a file, again only after it has changed; None if it cannot be read."""
    try:
        now = os.stat(path)
        return _cached_digest(path, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
    except OSError:
        return None


@lru_cache(maxsize=4096)
def _cached_digest(path: str, *_state: int) -> str:
    return digest_of_file(path)


def changes(rounds: Mapping[int, Programs]) -> Iterator[ProgramChanged]:
    """Yield every change of a file since the last earlier round in which it could be read."""
    from arbiter.season.events import ProgramChanged

    last: dict[tuple[str, str], tuple[str, int]] = {}
    for number in sorted(rounds):
        for player, files in rounds[number].items():
            for file, digest in files.items():
                if digest is None:
                    continue
                before, since = last.get((player, file), (digest, number))
                if before != digest:
                    yield ProgramChanged(player, file, since, number)
                last[player, file] = digest, number


def replay_of(orders: Iterable[Order], match_id: str) -> Order | None:
    """Return the order that stored the present run of a match; None for the first run."""
    before = now = None
    for order in orders:
        if order.subject == match_id and order.verb is OrderKind.REPLAYED:
            before, now = now, order
        elif order.subject == match_id and order.verb is OrderKind.RESTORED:
            before, now = now, before
    return now


def program_remarks(
    rounds: Mapping[int, Programs], orders: Iterable[Order], match: MatchRecord, config: Path
) -> Iterator[str]:
    """Yield remarks on the files that a stored match was played with; `config` as `programs_of`."""
    number, folder = match.round or 0, str(config.parent)
    if (again := replay_of(orders, match.id)) is None:
        yield from changed_since(rounds, number, match.players, folder)
    elif again.programs is not None:
        yield from replay_differences(rounds, number, again.programs)
        later = {at: programs for at, programs in rounds.items() if at > again.planned}
        yield from changed_since(
            {**later, again.planned: again.programs}, again.planned, match.players, folder
        )


def replay_differences(rounds: Mapping[int, Programs], number: int, programs: Programs) -> Iterator[str]:
    """Yield a line for each file of a replayed match that differs from its round's."""
    for player, files in programs.items():
        for file, digest in files.items():
            first = rounds.get(number, {}).get(player, {}).get(file)
            if None not in (first, digest) and first != digest:
                yield f"played again with another {file} of player {player} than round {number} was"


def changed_since(
    rounds: Mapping[int, Programs], number: int, players: Sequence[str], folder: str
) -> Iterator[str]:
    """Read the files of `players` now; yield a line for each that has changed since a round."""
    for player in dict.fromkeys(map(original, players)):
        for file, digest in rounds.get(number, {}).get(player, {}).items():
            if digest is None:
                continue
            known = {at: programs.get(player, {}).get(file) for at, programs in rounds.items() if at > number}
            others = [at for at, other in known.items() if other not in (None, digest)]
            now = digest_of(os.path.join(folder, file))  # noqa: PTH118
            if others or now not in (None, digest):
                when = f"before round {min(others)}" if others else f"after round {max(rounds)}"
                yield f"{file} of player {player} is not the file that played here: it changed {when}"
