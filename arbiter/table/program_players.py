"""Players of programs named by a command or by a shipped bot's name, outside of a season's file."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import arbiter
from arbiter.errors import ConfigError, slip_of
from arbiter.games.samples import bot_names, bot_words
from arbiter.match.limits import USUAL, override_limits
from arbiter.match.spec import Player
from arbiter.sandbox.forkserver_client import check_system
from arbiter.sandbox.player_command import command_problems, register
from arbiter.sandbox.tiers import choose

if TYPE_CHECKING:
    from arbiter.match.spec import Limits

RANDOM = "random"
"""The name of the random player in memory, which every game has."""


def default_limits(**written: str | None) -> Limits:
    """Return the limits of ``arbiter play``, with the strongest available isolation; may warn of a weak one.

    `written` are others, as in `override_limits`; ConfigError.
    """
    limits = override_limits(USUAL.limits(), **written)
    tier, warning = choose(limits.isolation)
    if warning:
        warnings.warn(warning, stacklevel=2)
    return replace(limits, isolation=tier)


def program_of(one: object, game: str) -> Player | None:
    """Return the player of a shipped bot's name, a command or a `Player`; None for others.

    `game` is the game whose shipped bots can be named. ConfigError as in `program`.
    """
    names = bot_names(game)
    if isinstance(one, str) and one in names:
        return shipped(one, bot_words(game, one))
    if isinstance(one, Player | str):
        return program(one, (RANDOM, *names))
    if not isinstance(one, Sequence) or isinstance(one, bytes):
        return None
    words = [word for word in one if isinstance(word, str)]
    if len(words) < len(one) or (words and words[0] in (RANDOM, *names) and which(words[0]) is None):
        raise ConfigError(
            f"expected one player, got a list of {len(one)}", hint="a list has the words of one command"
        )
    return program(words, (RANDOM, *names))


def program(command: str | Sequence[str] | Player, names: Sequence[str]) -> Player:
    """Return the player of a command, as a season registers it; ConfigError for a file missing or unusable.

    The player may also read this package. `names` are words to suggest for a misspelt command.
    """
    check_system()
    player = command if isinstance(command, Player) else _registered(_words(command), names)
    for _, message in command_problems(player.command, Path(player.folder)):
        raise ConfigError(message, hint=slip_of(str(command), names))
    return player


def shipped(name: str, words: Sequence[str]) -> Player:
    """Return the player of a shipped bot, which needs no packages; see `program`."""
    player = program([sys.executable, "-S", *words], ())
    return replace(player, name=name)


def _words(command: str | Sequence[str]) -> list[str]:
    """Return a command's words, a text split as by a shell; ConfigError for an unclosed quote."""
    if not isinstance(command, str):
        return list(command)
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"the command {command!r}: {error}") from None


def _registered(words: list[str], names: Sequence[str]) -> Player:
    """Return the player of these words; ConfigError without words, or if a file is missing or unusable."""
    if not words or not words[0]:
        raise ConfigError("an opponent's command is empty", hint="give one such as python3 bot.py")
    for _, message in command_problems(words, Path()):
        raise ConfigError(message, hint=slip_of(words[0], names))
    files = [word for word in words if Path(word).is_file()]
    name = Path(files[-1] if files else words[0]).stem
    return register(name, words, Path(), read=[str(Path(arbiter.__file__).parent)])
