"""What figures are made of beside a store: a season as stored, results that are held back, who asks."""

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
    from arbiter.store.event_log import Happened


class HeldResults(NamedTuple):
    """The results that a state shows while later ones are held back, in place of what the store has by now.

    `orders` are those given up to then, `roster` who played last.
    `events` are those sent after the `first_event`, numbered on from there.
    """

    orders: Orders
    roster: tuple[Entry, ...]
    first_event: int = 0
    events: tuple[Happened, ...] = ()


def roles_of(entries: Iterable[Entry]) -> dict[str, Role]:
    """The roles of players by the name that they are rated under."""
    return {entry.player.name: entry.role for entry in entries}


class Viewer(NamedTuple):
    """An author who asks, or an organiser."""

    author: str
    organiser: bool = False

    def own(self, rated: str) -> bool:
        """True for a player whose notes are for these eyes: a version of the author's; for organisers all."""
        name, mark, _ = rated.partition(VERSION_MARK)
        return self.organiser or (mark != "" and name == self.author)


AS_ORGANISER = Viewer("", organiser=True)
"""Those of whoever has the store."""


@dataclass(frozen=True, slots=True)
class StoredSeasonFile:
    """A season as its last round was planned, for those who only look at it; its file is not checked.

    `players` are the roles by rated name. Files with the keys below are always read whole.
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
