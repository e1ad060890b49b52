"""What a match announces: its game, with options, and the seat of whoever hears it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from arbiter.errors import ConfigError
from arbiter.games import make, names
from arbiter.hearing import Unheard
from arbiter.rules import AnyGame, Seat

RULES = "set_rules"
"""The command that names the game, in most of them the first one."""


def greeted(base: AnyGame, said: Mapping[str, Sequence[str]]) -> tuple[AnyGame, Seat]:
    """The game that was announced, and the seat in it; Unheard where `base` cannot be played so.

    What the greeting does not tell is as in `base`.
    """
    game = base
    try:
        if told := base.options_told(said):
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


def _wording(game: AnyGame, seat: Seat) -> dict[str, list[str]]:
    commands = (wording[seat].split() for wording in game.greeting())
    return {words[0]: words[1:] for words in commands}
