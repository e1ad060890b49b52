"""The rules of card games: cards, the interface of a game, the four games, samples to start from.

`names` lists the built-in games and those of other packages, which name their `Game` class in the entry-
point group ``arbiter.games``; `make` returns one with its options. A class of `Game` names all that
belongs to its game, so this is the only list of games. It imports `errors` and `text` alone. Never in it:
a clock, a match, a process, a file format, NumPy.
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
KEEP_HAND = "keep your hand: the cards of set_cards, without those that play has named for your seat"
"""The fix of a bot that plays a card that is not in hand."""


def names() -> list[str]:
    """All games that `find` knows, built-in ones first."""
    others = {entry.name for entry in _entries()} - set(_BUILT_IN)
    return [*_BUILT_IN, *sorted(others)]


def find(name: str) -> type[AnyGame]:
    """The class of the game with this name; ConfigError with a suggestion if there is none."""
    if name in _BUILT_IN:
        found = load(_BUILT_IN[name])
    else:
        entries = tuple(_entries().select(name=name))
        if not entries:
            raise ConfigError([Problem((), f"unknown game {name!r}", did_you_mean(name, names()))])
        found = entries[0].load()
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise ConfigError(f"the game {name!r} is registered but is not a Game class")
    return found


def _entries() -> EntryPoints:
    """What other packages register; who plays a built-in game waits for no look through packages."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


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


def shared(name: str, options: Mapping[str, Any]) -> AnyGame:
    """The same, made once for the many records that have these options."""
    return _made(name, json.dumps(options, sort_keys=True))


@lru_cache(maxsize=8)
def _made(name: str, options: str) -> AnyGame:
    return make(name, json.loads(options))


def seats_in(option: str, value: object, seats: int, problems: list[Problem]) -> tuple[Seat, ...]:
    """An option that lists a seat for each deal; problems are added, and something that works given."""
    if not isinstance(value, list | tuple) or not value:
        problems.append(Problem((option,), f"{value!r} is not a list of seats", "write [0, 1, 2]"))
        return (0,)
    for number, seat in enumerate(value):
        if type(seat) is not int or not 0 <= seat < seats:
            message = f"{option.removesuffix('s')} {seat!r} is not a seat 0..{seats - 1}"
            problems.append(Problem((option, number), message))
    return tuple(value)


def one_of(known: Sequence[str], option: str, value: Any, problems: list[Problem]) -> Any:
    """An option that is one of some words; a problem is added if it is not."""
    if value not in known:
        problems.append(Problem((option,), f"{value!r} is not known", did_you_mean(str(value), known)))
    return value


def part_of(game: AnyGame, part: str, base: type, plain: str) -> Any:
    """The subclass of `base` that the class of a game names as its `part`, or else `plain`.

    What a base class names is left aside: a subclass may have other rules. ConfigError where there is
    no such class.
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
    """A match of a game as one of its seats hears it, before it has heard anything."""
    from arbiter.games.information_state import Hearing

    made: Hearing = part_of(game, "hearing", Hearing, "arbiter.games.information_state:Hearing")(game, seat)
    return made


def load(name: str) -> Any:
    """Return the attribute that ``module:attribute`` names; its module is imported."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
