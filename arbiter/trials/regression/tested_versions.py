"""The versions that a test names: commands, or players of a season."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError, Problem, did_you_mean
from arbiter.games.samples import bot_names
from arbiter.sandbox.player_command import missing_programs
from arbiter.season.config import load
from arbiter.season.config.keys import VersionModel
from arbiter.season.config.programs import player_of, problems_of_version, with_shipped_bot
from arbiter.season.config.value_types import check_name, refused
from arbiter.trials.regression.program_identity import BASE, CANDIDATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from arbiter.match.spec import Player
    from arbiter.season.config import Config
    from arbiter.season.config.programs import Place

MOST_CANDIDATES = 99


def find_versions(
    named: Mapping[Place, VersionModel | None], folders: Mapping[str, Path], config: str | None, game: str
) -> tuple[dict[Place, Player], list[Problem]]:
    """Load the players by the places where they are named, and return them with their problems.

    Commands are relative to the `folders` by the first word of the place. None means the player of that name
    in the season's file `config`; so does a base whose command is a player's name. Otherwise one word may
    name a bot that comes with `game`.
    """
    season = None if config is None else load(folders["config"] / config)
    players: dict[Place, Player] = {}
    problems: list[Problem] = []
    for place, model in named.items():
        kind, name = place[0], str(place[-1])
        problems += _problems_of_name(place)
        alone = model is not None and kind == BASE and len(model.command) == 1
        called = name if model is None else model.command[0] if alone else None
        found = [] if season is None or called is None else _players_named(season, called)
        if len(found) == 1:
            problems += (Problem(place, f"{called}: {message}") for message in missing_programs(found[0]))
            players[place] = found[0]
        elif found:
            hint = f"name one of {', '.join(player.name for player in found)}"
            problems.append(Problem(place, f"{called!r} matches {len(found)} players of {config}", hint))
        elif model is not None or (season is None and name in bot_names(game)):
            model = with_shipped_bot(model or VersionModel(command=[name]), game)
            problems += problems_of_version(model, folders[str(kind)], place)
            players[place] = player_of(name, model, folders[str(kind)])
        elif season is None:
            problems.append(
                Problem(place, "has no command", "write NAME=COMMAND, or give the season's --config")
            )
        else:
            known = sorted({entry.registered_name for entry in season.entries})
            problems.append(Problem(place, f"no such player in {config}", did_you_mean(name, known)))
    return players, [*_problems_of_count(named), *problems]


def names_as_mapping(value: object) -> object:
    """Return a list of names as a mapping to None, other values unchanged; refuse a repeated name."""
    if not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        return value
    if twice := [name for name, times in Counter(value).items() if times > 1]:
        raise refused("names", f"{twice[0]!r} appears twice", "give each another name")
    return dict.fromkeys(value)


def _players_named(season: Config, name: str) -> list[Player]:
    """Return the players of a rated name, or else of a registered name."""
    exact = [entry.player for entry in season.entries if entry.player.name == name]
    return exact or [entry.player for entry in season.entries if entry.registered_name == name]


def _problems_of_name(place: Place) -> Iterator[Problem]:
    """Yield the problems of a candidate's name: invalid, or that of the base."""
    if place[0] == CANDIDATES:
        try:
            check_name(str(place[-1]))
        except ConfigError as error:
            yield Problem(place, str(error))
        if place[-1] == BASE:
            yield Problem(place, "is the name of the other side", "choose another name")


def _problems_of_count(named: Mapping[Place, VersionModel | None]) -> Iterator[Problem]:
    """Yield a problem if there are candidates, but not 2 to `MOST_CANDIDATES`."""
    several = [place for place in named if place[0] == CANDIDATES]
    if several and not 1 < len(several) <= MOST_CANDIDATES:
        hint = "write one alone as `candidate`" if len(several) == 1 else ""
        yield Problem((CANDIDATES,), f"expected 2 to {MOST_CANDIDATES}, got {len(several)}", hint)
