"""What a season's file says to commands that only look: not checked again where it says what was played.

A file is checked whole before a round of it is planned, and the store keeps what was checked. Where
every key says the same as then, or one of the few that may change freely says something plain, a whole
check could find nothing; to tell so takes a tenth of the time. Of any other file nothing is told here.
"""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.config.game import game_of, settings_of
from arbiter.config.limits import USUAL_ROUNDS
from arbiter.config.places import read_document
from arbiter.errors import ConfigError
from arbiter.store.address import absolute, address_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.rules import AnyGame


def _is_count(value: object) -> bool:
    return type(value) is int and value > 0


PLAIN: dict[str, Callable[[Any], bool]] = {
    "season": lambda value: isinstance(value, str) and bool(value),
    "store": lambda value: isinstance(value, str) and "://" in value,
    "rounds": _is_count,
    "workers": lambda value: value == "auto" or _is_count(value),
    "seed": lambda value: type(value) is int or (isinstance(value, str) and value.isprintable()),
}
"""The keys that may change freely, and what they plainly are; of other free keys a whole check decides."""


@dataclass(frozen=True, slots=True)
class Glance:
    """A file as it reads, its `store` with its path made absolute."""

    season: str
    store: str
    rounds: int
    _says: Mapping[str, Any]
    _folder: Path

    def game_if_unchanged(self, settings: Mapping[str, Any]) -> AnyGame | None:
        """The season's game, where the file says what was checked before with these settings; else None."""
        given = {key: value for key, value in self._says.items() if key not in PLAIN}
        players, game = given.pop("players", None), given.pop("game", None)
        given.setdefault("house_bots", [])
        if any(key not in settings or not _same(value, settings[key]) for key, value in given.items()):
            return None
        kept = settings.get("players")
        if not isinstance(players, list) or not isinstance(kept, list) or len(players) != len(kept):
            return None
        if not all(self._is_player(*pair) for pair in zip(players, kept, strict=True)):
            return None
        try:
            found = game_of(game)
        except ConfigError:
            return None
        return found if _same(_plain(settings_of(found)), settings.get("game")) else None

    def _is_player(self, player: object, kept: object) -> bool:
        """The same program, and what it may read is still there; what is not given is empty by default."""
        return (
            isinstance(player, dict)
            and isinstance(kept, dict)
            and player.keys() <= kept.keys()
            and all(_same(player[key], value) if key in player else not value for key, value in kept.items())
            and all(os.path.exists(self._folder / name) for name in kept.get("read", ()))  # noqa: PTH110, of any name
        )


def glance(file: Path) -> Glance | None:
    """What a file says as it reads; None where something about it is unusual."""
    try:
        document = read_document(file, fast=True)
    except ConfigError:
        return None
    says = document.value
    if document.problems or not all(isinstance(key, str) for key in says):
        return None
    if not all(check(says[key]) for key, check in PLAIN.items() if key in says):
        return None
    store = absolute(says.get("store") or address_of(f"{file.stem}.sqlite"), file.parent)
    return Glance(says.get("season", file.stem), store, says.get("rounds", USUAL_ROUNDS), says, file.parent)


def _same(one: object, other: object) -> bool:
    """Equal, and of the same kind: 1 is neither 1.0 nor true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other


def _plain(value: Any) -> Any:
    """With lists for tuples, as JSON gives it back."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
