"""Matches made up from what a bot hears, so that it sees what an environment would show it.

game, seat = greeted(game, {"set_players": ["4", "2"], ...})
match = imagined(game, seat)
match.hear(["set_cards", "2", "TD", "AS"])
match.hear(["declare", "0", "1"])
play = match.asked("gen_move")
observer_of(game).vector(play, seat)
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from arbiter.envs.imagining.match import Imagined, Said, Unheard
from arbiter.errors import ConfigError
from arbiter.games import make, names, part_of
from arbiter.rules import AnyGame, Seat

__all__ = ["Imagined", "Unheard", "beginning", "game_begun_by", "greeted", "imagined", "verbs"]

RULES = "set_rules"
"""The command that names the game, in most of them the first one."""
_PLAIN = "arbiter.envs.imagining.any_game:ImaginedAnyGame"


def imagined(game: AnyGame, seat: Seat) -> Imagined:
    """A match of a game, before anything of it is heard."""
    made: Imagined = _imagining_of(game)(game, seat)
    return made


def greeted(base: AnyGame, said: Said) -> tuple[AnyGame, Seat]:
    """The game that was announced, and the seat in it; Unheard where `base` cannot be played so.

    What the greeting does not tell is as in `base`.
    """
    game, imagining = base, _imagining_of(base)
    try:
        if told := imagining.options_told(said):
            game = type(base)(**{**base.options, **told})
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


def beginning(game: AnyGame) -> list[str]:
    """The words that tell the game, of a match's first command: ``set_rules codepiece``, ``set_deck``."""
    verb, *words = next(iter(game.greeting()))[0].split()
    return [verb, *words[:1]] if verb == RULES else [verb]


def game_begun_by(words: Sequence[str]) -> str:
    """The game whose matches begin with such a command, "" for none that is known."""
    if words[0] == RULES:
        return words[1] if len(words) > 1 else ""
    for name in names():
        # A game of somebody else's that cannot be loaded is not the bot's business.
        with suppress(Exception):
            if beginning(make(name, {})) == [words[0]]:
                return name
    return ""


def _imagining_of(game: AnyGame) -> Any:
    """A subclass of `Imagined` that is made from a game and a seat."""
    return part_of(game, "imagining", Imagined, _PLAIN)


def _wording(game: AnyGame, seat: Seat) -> dict[str, list[str]]:
    commands = (wording[seat].split() for wording in game.greeting())
    return {words[0]: words[1:] for words in commands}
