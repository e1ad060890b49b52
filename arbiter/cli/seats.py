"""Who sits where in a match by hand: what `--seat` says, read."""

from __future__ import annotations

import shlex
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from arbiter.byhand.debugging import DebuggedBot
from arbiter.byhand.occupants import Occupant, Person, ProcessBot, RandomPlayer
from arbiter.cli.bots import words_of_command
from arbiter.cli.output import say
from arbiter.errors import ConfigError, Problem
from arbiter.players import name_of_command, registered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match import Limits, Player

KINDS = "bot:COMMAND, human or random"


def occupant_of(text: str, limits: Limits, debug: bool = False) -> Occupant:
    """The occupant that ``bot:COMMAND``, ``human`` or ``random`` names; a bot may be one to `debug`."""
    kind, colon, command = text.partition(":")
    if kind == "bot" and colon:
        if not command.strip():
            raise ConfigError("bot: needs a command, as in bot:python3 bot.py")
        try:
            words = words_of_command(command)
        except ConfigError as error:
            raise ConfigError(f"bot:{command}: {error}") from None
        return _bot(command, registered(name_of_command(words), words, Path()), limits, debug)
    if text == "human":
        return Person()
    if text == "random":
        return RandomPlayer()
    raise ConfigError(f"a seat takes {KINDS}, not {text!r}")


def _bot(title: str, player: Player, limits: Limits, debug: bool) -> ProcessBot:
    return DebuggedBot(title, player, limits, say) if debug else ProcessBot(title, player, limits)


def seated(
    seats: Sequence[str],
    players: Mapping[int, Player],
    number: int,
    limits: Limits,
    absent: Mapping[int, str] = MappingProxyType({}),
    taken: int = 0,
    debug: int | None = None,
) -> list[Occupant]:
    """The occupants by seat: those given, else the season's or recorded players, else random ones.

    Those given without a number sit behind as many seats as are `taken`. ConfigError for `absent` players,
    by seat the reason, in whose seats nobody is given, for more than there are seats, and where no bot sits
    in the seat to `debug`.
    """
    given: dict[int, str] = {}
    for place, text in enumerate(seats, taken):
        number_text, equals, who = text.partition("=")
        if equals and number_text.isdecimal():
            given[int(number_text)] = who
        else:
            given[place] = text
    if twice := sorted(seat for seat in given if seat < taken):
        raise ConfigError(f"--seat {twice[0]} is taken: --player sits there")
    if wrong := sorted(seat for seat in (*given, taken - 1) if seat >= number):
        raise ConfigError(f"--seat: there is no seat {wrong[0]}, only 0 to {number - 1}")
    problems = [
        Problem((), f"seat {seat}: {why}", f"--seat {seat}=random, human or bot:COMMAND puts another there")
        for seat, why in absent.items()
        if seat not in given
    ]
    if problems:
        raise ConfigError(problems)
    if debug is not None and not given.get(debug, "bot:" if debug in players else "").startswith("bot:"):
        raise ConfigError(f"--debug {debug}: no bot sits there", hint=f"--seat {debug}=bot:COMMAND")
    occupants: list[Occupant] = []
    for seat in range(number):
        if seat in given:
            occupants.append(occupant_of(given[seat], limits, seat == debug))
        elif seat in players:
            player = players[seat]
            title = f"{player.name}: {shlex.join(player.command)}"
            occupants.append(_bot(title, player, limits, seat == debug))
        else:
            occupants.append(RandomPlayer())
    return occupants
