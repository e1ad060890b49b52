"""A quick reading of a season's file, for commands that only look at what was played.

The whole check of a file takes ten times as long. It was made before the last round was planned, and
the store keeps the settings that it found. It would find nothing new where every key says the same as
then, except keys that may change freely and whose values are plain. Other files are not read here.
"""

from __future__ import annotations

import json
import os.path
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.config.game import game_of, settings_of
from arbiter.config.limits import USUAL_ROUNDS
from arbiter.config.places import read_document
from arbiter.errors import ConfigError
from arbiter.store.address import absolute, usual_store

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
    "qualify": lambda value: type(value) is bool,
    "seed": lambda value: type(value) is int or (isinstance(value, str) and value.isprintable()),
}
"""The keys that may change freely, and which values need no further check; other free keys need one."""


@dataclass(frozen=True, slots=True)
class Glance:
    """What a file says, unchecked; the path of its `store` is absolute."""

    season: str
    store: str
    rounds: int
    _says: Mapping[str, Any]
    _folder: Path

    def game_if_unchanged(self, settings: Mapping[str, Any]) -> AnyGame | None:
        """The season's game where the file says what these settings say, which were checked; else None."""
        given = {key: value for key, value in self._says.items() if key not in PLAIN}
        given.setdefault("house_bots", [])
        try:
            game = game_of(given.get("game"))
            # As JSON gives it back: with lists for tuples.
            given["game"] = json.loads(json.dumps(settings_of(game)))
            pairs = zip(given["players"], settings["players"], strict=True)
            given["players"] = [_filled(player, kept) for player, kept in pairs]
            unchanged = all(_same(value, settings[key]) for key, value in given.items())
        except (ConfigError, KeyError, TypeError, ValueError):
            return None
        return game if unchanged and self._all_there(given["players"]) else None

    def _all_there(self, players: list[Any]) -> bool:
        """True when what the players may read exists."""
        names = (name for player in players for name in player.get("read", ()))
        return all(os.path.exists(self._folder / name) for name in names)  # noqa: PTH110, of any name


def glance(file: Path) -> Glance | None:
    """What a file says; None where only a whole check can tell."""
    try:
        document = read_document(file, fast=True)
    except ConfigError:
        return None
    says = document.value
    if document.problems or not all(isinstance(key, str) for key in says):
        return None
    if not all(check(says[key]) for key, check in PLAIN.items() if key in says):
        return None
    season = says.get("season", file.stem)
    store = absolute(says["store"], file.parent) if "store" in says else usual_store(season, file)
    return Glance(season, store, says.get("rounds", USUAL_ROUNDS), says, file.parent)


def _filled(player: Any, kept: Any) -> dict[str, Any]:
    """A player as written, with the empty values of `kept` for keys that it leaves out."""
    return {key: value for key, value in dict(kept).items() if not value} | dict(**player)


def _same(one: object, other: object) -> bool:
    """True when both are equal and of the same type: 1 is neither 1.0 nor true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other
