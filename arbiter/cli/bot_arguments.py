"""Read bots, options and deals from the command line or a season's file."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import yaml

from arbiter.cli.options import read_json
from arbiter.cli.output import note
from arbiter.errors import ConfigError, slip_of
from arbiter.games import make
from arbiter.games.samples import GAMES, bot_names, bot_words, rung_names
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
from arbiter.sandbox.program_files import program_problem
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


class GivenBot(NamedTuple):
    """A command line: the name in front, or that of a shipped bot, or ""; variables; words of the command."""

    name: str
    env: dict[str, str]
    words: list[str]


def parse_players(commands: Sequence[str], game: str | None = None) -> tuple[Player, ...]:
    """Parse command lines to players, named as given or by their file, with a number where names are equal.

    ConfigError also for a name that is given to two programs.
    """
    programs: dict[str, GivenBot] = {}
    players = []
    for number, command in enumerate(commands, 1):
        if not command.strip():
            raise ConfigError(f"--bot {number} is empty: give a command")
        given = split_command(command, f"--bot {command!r}", game)
        if given.name and programs.setdefault(given.name, given) != given:
            raise ConfigError(f"--bot {command!r}: {given.name} is the name of another program")
        players.append(_register(given, f"--bot {command!r}", game))
    return make_names_unique(players)


def parse_player(command: str, given_by: str, game: str | None = None) -> Player:
    """Parse a command line to a player that runs in the current folder; `given_by` starts the error message.

    It is as in a shell, ``LEVEL=3 python3 bot.py``, may have a name in front, ``old=python3 bot.py``, and may
    be the name of a bot that comes with `game`.
    """
    return _register(split_command(command, given_by, game), given_by, game)


def split_command(command: str, given_by: str, game: str | None = None) -> GivenBot:
    """Split a command line, and replace the name of a bot that comes with `game` by its command."""
    try:
        words = shlex.split(command)
        name = _name_in_front(words, game)
        words = shlex.split(command.lstrip()[len(name) + 1 :]) if name else words
    except ValueError as error:
        raise ConfigError(f"{given_by}: {error}") from None
    if name:
        from arbiter.season.config.value_types import check_name

        try:
            check_name(name)
        except ConfigError as error:
            raise ConfigError(f"{given_by}: {error}") from None
    first = next((n for n, word in enumerate(words) if not ASSIGNMENT.match(word)), len(words))
    env, words = dict(word.split("=", 1) for word in words[:first]), words[first:]
    if game is not None and len(words) == 1 and words[0] in bot_names(game) and not _starts(words[0], None):
        return GivenBot(name or words[0], env, ["python3", *bot_words(game, words[0])])
    return GivenBot(name, env, words)


def _name_in_front(words: Sequence[str], game: str | None) -> str:
    """Return the name in front of a command, ``old=python3 bot.py``, or "".

    It is a variable if what follows it cannot start, or if it is in capitals and the next word can.
    """
    name, equals, value = (words or [""])[0].partition("=")
    if not equals or not name or "/" in name:
        return ""
    if ASSIGNMENT.match(words[0]) and words[1:]:
        capitals = name.isupper() and _starts(words[1], game)
        if capitals or not (ASSIGNMENT.match(value) or _starts(value, game)):
            return ""
    return name


def _starts(word: str, game: str | None) -> bool:
    """True if a word is a program, or the name of a bot that comes with `game`."""
    return not program_problem(word, "") or (game is not None and word in bot_names(game))


def _register(given: GivenBot, given_by: str, game: str | None) -> Player:
    """Return the player of a split command; ConfigError if it cannot start."""
    for message in problems_of_command(given.words, given.env):
        raise ConfigError(f"{given_by}: {message}", hint=shipped_hint(given.words, game))
    return register(given.name or name_of_command(given.words), given.words, Path(), given.env)


def shipped_hint(words: Sequence[str], game: str | None) -> str:
    """Return how to write a bot that comes with a game, after a word that is no program; "" for others."""
    if len(words) != 1 or "." in words[0] or "/" in words[0] or not program_problem(words[0], ""):
        return ""
    name = words[0]
    if game is not None and name in rung_names(game):
        written = f"arbiter init ladder --game {game} --ladder"
        return f"a bot of {game}'s ladder: {written}, then --config ladder/season.yaml and the name"
    if of := [other for other in GAMES if name in bot_names(other)]:
        return f"a bot that comes with {' and '.join(of)}"
    if game is None or not bot_names(game):
        return ""
    names = ", ".join(bot_names(game))
    return slip_of(name, bot_names(game)) or f"write a command, python3 bot.py, or one of {names}"


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
