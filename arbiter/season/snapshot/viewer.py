"""Inputs of figures beside a store: a season as stored, results held back, the viewer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from arbiter.season.config.settings_diff import VERSION_MARK

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame
    from arbiter.season.config import Entry
    from arbiter.season.config.settings_diff import Role
    from arbiter.store import Orders
    from arbiter.store.event_log import LoggedEvent


class HeldResults(NamedTuple):
    """The results that a state shows while later ones are held back, in place of the store's.

    `orders` are those given up to then, `roster` the last visible players; `events` are those after the
    `first_event`, numbered from there.
    """

    orders: Orders
    roster: tuple[Entry, ...]
    first_event: int = 0
    events: tuple[LoggedEvent, ...] = ()


def roles_of(entries: Iterable[Entry]) -> dict[str, Role]:
    """Return the roles of players by rated name."""
    return {entry.player.name: entry.role for entry in entries}


class Viewer(NamedTuple):
    """The author or organiser for whom figures are made."""

    author: str
    organiser: bool = False

    def own(self, rated: str) -> bool:
        """True for a version of the author; for organisers always."""
        name, mark, _ = rated.partition(VERSION_MARK)
        return self.organiser or (mark != "" and name == self.author)


AS_ORGANISER = Viewer("", organiser=True)
"""The viewer with access to the store."""


@dataclass(frozen=True, slots=True)
class StoredSeasonFile:
    """A season as its last round was planned, for reading only; its file is not checked.

    `players` are the roles by rated name. Files with the keys below are always loaded in full.
    """

    path: str
    season: str
    game: AnyGame
    rounds: int
    players: Mapping[str, Role]
    until: ClassVar[None] = None
    submissions: ClassVar[None] = None
    publish_reviews: ClassVar[bool] = False
    seed_commitment: ClassVar[None] = None
    freeze: ClassVar[int] = 0
    prices: ClassVar[None] = None
    currency: ClassVar[None] = None

    @property
    def folder(self) -> Path:
        return Path(self.path).parent
