"""The games: built-in ones by name, then those that other packages register.

A third party's package names its `Game` class in the entry-point group ``arbiter.games``.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, Problem, did_you_mean
from arbiter.rules import AnyGame, Game

if TYPE_CHECKING:
    from collections.abc import Mapping

_BUILT_IN = {
    "planning": "arbiter.games.planning:Planning",
    "codepiece": "arbiter.games.codepiece:Codepiece",
    "dou_dizhu": "arbiter.games.dou_dizhu:DouDizhu",
    "chefs_hat": "arbiter.games.chefs_hat:ChefsHat",
}
GROUP = "arbiter.games"


def names() -> list[str]:
    """All games that `find` knows, built-in ones first."""
    others = {entry.name for entry in entry_points(group=GROUP)} - set(_BUILT_IN)
    return [*_BUILT_IN, *sorted(others)]


def find(name: str) -> type[AnyGame]:
    """The class of the game with this name; ConfigError with a suggestion if there is none."""
    if name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        found = getattr(import_module(module), attribute)
    else:
        entries = tuple(entry_points(group=GROUP, name=name))
        if not entries:
            raise ConfigError([Problem((), f"unknown game {name!r}", did_you_mean(name, names()))])
        found = entries[0].load()
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise ConfigError(f"the game {name!r} is registered but is not a Game class")
    return found


def make(name: str, options: Mapping[str, Any]) -> AnyGame:
    """The game with its options; ConfigError, with the option's path, for a wrong one."""
    game = find(name)
    unknown = [
        Problem((key,), f"unknown option of {name}", did_you_mean(str(key), game.option_help))
        for key in options
        if key not in game.option_help
    ]
    try:
        made = game(**{key: value for key, value in options.items() if key in game.option_help})
    except ConfigError as error:
        raise ConfigError([*unknown, *error.problems]) from None
    if unknown:
        raise ConfigError(unknown)
    return made
