"""Which match begins: the game with the options that its greeting tells, and the own seat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.envs.imagining.match import Unheard
from arbiter.errors import ConfigError
from arbiter.games import make

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arbiter.rules import AnyGame, Seat

    Said = Mapping[str, Sequence[str]]
    """The words after each command of a greeting."""


def greeted(base: AnyGame, said: Said) -> tuple[AnyGame, Seat]:
    """The game that was announced, and the seat in it; Unheard where `base` cannot be played so.

    What the wire does not tell is as in `base`; a game of another package is `base` itself.
    """
    game = base
    if reader := _READERS.get(base.name):
        try:
            game = make(base.name, {**base.options, **reader(said)})
        except (ValueError, IndexError):
            raise Unheard("the greeting has not the words that it should have") from None
        except ConfigError as error:
            raise Unheard(str(error)) from None
    for seat in range(game.seats):
        if all(said.get(verb) == words for verb, words in _wording(game, seat).items()):
            return game, seat
    missing = [verb for verb in _wording(game, 0) if verb not in said]
    if missing:
        raise Unheard(f"{missing[0]} comes first")
    raise Unheard(f"this is a bot for {game!r}, which is not what was announced")


def verbs(game: AnyGame) -> frozenset[str]:
    """The commands of a game's greeting."""
    return frozenset(_wording(game, 0))


def _wording(game: AnyGame, seat: Seat) -> dict[str, list[str]]:
    commands = (wording[seat].split() for wording in game.greeting())
    return {words[0]: words[1:] for words in commands}


def _planning(said: Said) -> dict[str, Any]:
    """``set_deck V C``, ``set_players n i``, ``set_game d c1 s1 ... cd sd``"""
    told: dict[str, Any] = {}
    if "set_deck" in said:
        told["deck"] = " ".join(said["set_deck"])
    if "set_players" in said:
        told["seats"] = int(said["set_players"][0])
    if "set_game" in said:
        numbers = list(map(int, said["set_game"][1:]))
        told["deals"] = [list(pair) for pair in zip(numbers[::2], numbers[1::2], strict=True)]
    return told


def _codepiece(said: Said) -> dict[str, Any]:
    """``set_game d D1 ... Dd``"""
    return {"dealers": list(map(int, said["set_game"][1:]))} if "set_game" in said else {}


def _dou_dizhu(said: Said) -> dict[str, Any]:
    """``set_rules dou_dizhu 1 [double]``, ``set_game d L1 ... Ld``"""
    told: dict[str, Any] = {}
    if "set_rules" in said:
        told["bombs"] = "double" if "double" in said["set_rules"][2:] else "single"
    if "set_game" in said:
        told["landlords"] = list(map(int, said["set_game"][1:]))
    return told


def _chefs_hat(said: Said) -> dict[str, Any]:
    """``set_rules chefs_hat 1 [gym2]``, ``set_game matches n`` or ``set_game points n``"""
    told: dict[str, Any] = {}
    if "set_rules" in said:
        told["rules"] = "gym2" if "gym2" in said["set_rules"][2:] else "book"
        if told["rules"] == "book":
            told["max_rounds"] = None
    if "set_game" in said:
        what, number = said["set_game"]
        told |= {"matches": None, "points": None, what: int(number)}
    return told


_READERS: dict[str, Callable[[Said], dict[str, Any]]] = {
    "planning": _planning,
    "codepiece": _codepiece,
    "dou_dizhu": _dou_dizhu,
    "chefs_hat": _chefs_hat,
}
