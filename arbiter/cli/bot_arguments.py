"""Read bots, options and deals from the command line or a season's file."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from arbiter.cli.options import read_json
from arbiter.cli.output import note
from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.match.limits import override_limits
from arbiter.replay.visibility import FORMAT
from arbiter.sandbox.player_command import (
    command_problems,
    make_names_unique,
    missing_programs,
    name_of_command,
    register,
    starting_problems,
)
from arbiter.sandbox.tiers import choose
from arbiter.store.address import check_no_query, is_persistent
from arbiter.text import first_few

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from arbiter.games.game import AnyGame, Deal
    from arbiter.match.spec import Limits, Player
    from arbiter.season.config import Config, Entry


ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
"""The start of an environment variable in front of a command."""


def load_to_play(path: str, store_url: str | None = None) -> Config:
    """Load a config to play, check its commands and choose its isolation; warnings go to stderr."""
    from arbiter.season.settings import load_to_play

    config = load_to_play(path, store_url)
    if not is_persistent(config.store):
        given = "--store" if store_url else f"{path}: store:"
        raise ConfigError(f"{given} {config.store} stores nothing", hint="name a file")
    check_no_query(store_url or "")
    for text in config.warnings:
        note(text)
    if config.gone:
        gone = first_few(f"{name} ({what})" for name, what in config.gone.items())
        note(f"suspended, and could not be started: {gone}")
    return choose_isolation(config)


def choose_isolation(config: Config) -> Config:
    """Return a config with its isolation chosen for this machine; warnings go to stderr.

    ConfigError if bots could read the season's secrets.
    """
    from arbiter.season.config.readable_secrets import confine

    config, notes = confine(config)
    for text in notes:
        note(text)
    return config


def with_isolation(limits: Limits) -> Limits:
    """Return limits with the isolation chosen for this machine; a warning goes to stderr."""
    tier, warning = choose(limits.isolation)
    if warning:
        note(warning)
    return replace(limits, isolation=tier)


def parse_deals(game: AnyGame, path: str, shapes: Iterable[Mapping[str, Any]]) -> list[Deal]:
    """Parse the deals of a file; ConfigError names an invalid one by its number."""
    deals = []
    for number, shape in enumerate(shapes):
        try:
            deals.append(game.deal_from_json(shape))
        except ConfigError as error:
            raise ConfigError(f"deal {number}: {error}", path) from None
    return deals


def parse_players(commands: Sequence[str]) -> tuple[Player, ...]:
    """Parse command lines to players, named after their file, with a number where names are equal."""
    for number, command in enumerate(commands, 1):
        if not command.strip():
            raise ConfigError(f"--bot {number} is empty: give a command")
    return make_names_unique(parse_player(command, f"--bot {command!r}") for command in commands)


def parse_player(command: str, given_by: str) -> Player:
    """Parse a command line to a player that runs in the current folder; `given_by` starts the error message.

    Variables may precede the command as in a shell, ``LEVEL=3 python3 bot.py``.
    """
    env, words = split_command(command, given_by)
    for message in problems_of_command(words, env):
        raise ConfigError(f"{given_by}: {message}")
    return register(name_of_command(words), words, Path(), env)


def split_command(command: str, given_by: str) -> tuple[dict[str, str], list[str]]:
    """Split a command line into the variables in front and the words of the command."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"{given_by}: {error}") from None
    first = next((n for n, word in enumerate(words) if not ASSIGNMENT.match(word)), len(words))
    return dict(word.split("=", 1) for word in words[:first]), words[first:]


def problems_of_command(words: Sequence[str], env: Mapping[str, str]) -> Iterator[str]:
    """Yield the reasons why a command cannot be started in the current folder."""
    yield from starting_problems(words, env)
    if words:
        yield from (message for _, message in command_problems(words, Path()))
    else:
        yield "no command"


def read_options(options: Sequence[str], given_by: str = "--option") -> dict[str, Any]:
    """Parse ``key=value`` pairs, values as in a config; `given_by` is the option that gave them."""
    given: dict[str, Any] = {}
    for option in options:
        key, equals, text = option.partition("=")
        if not equals:
            raise ConfigError(f"{given_by} {option!r}: expected key=value")
        try:
            given[key] = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, OverflowError, AttributeError, LookupError, RecursionError):
            raise ConfigError(f"{given_by} {key}: the value cannot be read: {text!r}") from None
    return given


def read_deals(game: AnyGame, path: str) -> tuple[dict[str, Any], ...]:
    """Read the deals of a JSON file: a match record, or a list as in its ``deals``."""
    return extract_deals(read_json(path), path, game.name)


def extract_deals(deals: object, path: str, game: str | None = None) -> tuple[dict[str, Any], ...]:
    """Return the deals in a file's content; ConfigError for a record of a game other than `game`."""
    if isinstance(deals, dict) and deals.get("format") == FORMAT:
        raise ConfigError("is a replay", path, "give it to --from-replay")
    if isinstance(deals, dict) and "deals" in deals:
        if game and (played := deals.get("game")) not in (None, game):
            raise ConfigError(f"is the record of a match of {played}, not of {game}", path)
        deals = deals["deals"]
    if not isinstance(deals, list) or not deals or not all(isinstance(deal, dict) for deal in deals):
        raise ConfigError('expected a list of deals, [{"hands": [[...], ...]}, ...], or a match record', path)
    return tuple(deals)


def config_option(command: Callable[..., Any]) -> Callable[..., Any]:
    text = "A season's file: its game, limits and players."
    return click.option("--config", "config_file", type=click.Path(), help=text)(command)


def read_entries(
    path: str,
    names: Sequence[str],
    written: Mapping[str, str | None],
    options: Mapping[str, Any],
    others: int | None = None,
) -> tuple[Config, list[Player]]:
    """Load a season; return it, and its players with these names, in this order.

    With `others`, the number of players from elsewhere, house bots for the seats left are appended. Limits
    in `written` and `options` of the game override the season's. The isolation is chosen for this machine.
    ConfigError for a name of no entry or of several, and for missing programs.
    """
    from arbiter.cli.open_season import with_roster
    from arbiter.season.config import load

    config = with_roster(load(path))
    entries = [_find_entry(config, name) for name in names]
    if others is not None and config.house_bots:
        left = max(0, config.game.seats - len(entries) - others)
        entries += [config.called(name)[-1] for name in islice(cycle(config.house_bots), left)]
    for entry in entries:
        for message in missing_programs(entry.player):
            raise ConfigError(f"{entry.player.name}: {message}", path)
    limits = override_limits(config.limits, **written)
    # The programs of the season's other players may be missing.
    alone = choose_isolation(replace(config, entries=tuple(entries), limits=limits))
    game = make(config.game.name, {**config.game.options, **options}) if options else config.game
    return replace(alone, entries=config.entries, game=game), [entry.player for entry in entries]


def _find_entry(config: Config, name: str) -> Entry:
    """Return the entry with a rated or registered name; ConfigError if several match."""
    found = config.called(name)
    exact = [entry for entry in found if entry.player.name == name]
    if len(exact or found) > 1:
        versions = ", ".join(entry.player.name for entry in found)
        raise ConfigError(
            f"{name!r} matches {len(found)} players of {config.file}", hint=f"name one of {versions}"
        )
    return (exact or found)[0]
