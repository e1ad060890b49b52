"""The rules of card games: cards, the interface of a game, the four games, sample seasons.

`names` lists the built-in games and those of other packages, which name their `Game` class in the entry-
point group ``arbiter.games``; `make` returns one with its options. A subclass of `Game` names every part of
its game, so this is the only list of games. The package imports only `errors` and `text`, and has no
clock, match, process, file format or NumPy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, Problem, did_you_mean
from arbiter.games.game import AnyGame, Game, Seat

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

    from arbiter.games.information_state import Hearing

_BUILT_IN = {
    "planning": "arbiter.games.planning:Planning",
    "codepiece": "arbiter.games.codepiece:Codepiece",
    "dou_dizhu": "arbiter.games.dou_dizhu:DouDizhu",
    "chefs_hat": "arbiter.games.chefs_hat:ChefsHat",
}
GROUP = "arbiter.games"
KEEP_HAND = "keep your hand: the cards of set_cards, less those that play has named for your seat"
"""Advice for a bot that plays a card it does not hold."""


def names() -> list[str]:
    """Return the names of all games that `find` knows, built-in ones first."""
    others = {entry.name for entry in _entries()} - set(_BUILT_IN)
    return [*_BUILT_IN, *sorted(others)]


def find(name: str) -> type[AnyGame]:
    """Load the class of the game with this name; ConfigError if it is unknown, unloadable, or no `Game`."""
    if name in _BUILT_IN:
        found = load(_BUILT_IN[name])
    else:
        entries = tuple(_entries().select(name=name))
        if not entries:
            raise ConfigError([Problem((), f"unknown game {name!r}", did_you_mean(name, names()))])
        try:
            found = entries[0].load()
        except (ImportError, AttributeError) as error:
            message = f"the game {name!r} cannot be loaded from {entries[0].value}: {error}"
            raise ConfigError(
                message, hint="is its package installed, and no folder of that name here?"
            ) from None
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise ConfigError(f"the game {name!r} is registered but is not a Game class")
    return found


def _entries() -> EntryPoints:
    """Read from installed packages the games that they register. Slow: built-in games do without."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def make(name: str, options: Mapping[str, Any]) -> AnyGame:
    """Return the game with these options; ConfigError as in `find`, and for unknown and invalid options."""
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


def make_shared(name: str, options: Mapping[str, Any]) -> AnyGame:
    """Return the game of `make` from a cache, for the many records that have the same options."""
    return _make_cached(name, json.dumps(options, sort_keys=True))


@lru_cache(maxsize=8)
def _make_cached(name: str, options: str) -> AnyGame:
    return make(name, json.loads(options))


def check_seats(option: str, value: object, seats: int, problems: list[Problem]) -> tuple[Seat, ...]:
    """Return a list of a seat for each deal as a tuple, (0,) for no list; add each fault to `problems`."""
    if not isinstance(value, list | tuple) or not value:
        problems.append(Problem((option,), f"{value!r} is not a list of seats", "write [0, 1, 2]"))
        return (0,)
    for number, seat in enumerate(value):
        if type(seat) is not int or not 0 <= seat < seats:
            message = f"{option.removesuffix('s')} {seat!r} is not a seat 0..{seats - 1}"
            problems.append(Problem((option, number), message))
    return tuple(value)


def check_choice(known: Sequence[str], option: str, value: Any, problems: list[Problem]) -> Any:
    """Return `value`, in any case; add to `problems` if it is not among the `known` words."""
    if value not in known:
        problems.append(Problem((option,), f"{value!r} is not known", did_you_mean(str(value), known)))
    return value


def load_part(game: AnyGame, part: str, base: type, plain: str) -> Any:
    """Import the subclass of `base` that the game's class names as its `part`, or else `plain`.

    A name inherited from a base class is ignored: a subclass may have other rules. ConfigError if the
    class cannot be loaded.
    """
    name = vars(type(game)).get(part) or plain
    try:
        found = load(name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"the {part} of {game.name}, {name}, cannot be loaded: {error}") from error
    if not (isinstance(found, type) and issubclass(found, base)):
        raise ConfigError(f"the {part} of {game.name}, {name}, is not a subclass of {base.__name__}")
    return found


def hearing_of(game: AnyGame, seat: Seat) -> Hearing:
    """Return the information state of a seat at the start of a match, before any command."""
    from arbiter.games.information_state import Hearing

    made: Hearing = load_part(game, "hearing", Hearing, "arbiter.games.information_state:Hearing")(game, seat)
    return made


def load(name: str) -> Any:
    """Import the module of ``module:attribute`` and return the attribute."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
