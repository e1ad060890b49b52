"""`play`: one match between programs."""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from arbiter.cli.match_text import print_match
from arbiter.cli.options import format_option, limit_option, read_json
from arbiter.cli.output import note, print_json
from arbiter.config.limits import WrittenLimits
from arbiter.errors import BotCheckFailed, ConfigError
from arbiter.games import make
from arbiter.match import MatchSpec
from arbiter.players import SCRIPTS, command_problems, refuse_strays, registered, starting_problems
from arbiter.table.sandbox.isolation import choose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.match import Player
    from arbiter.rules import AnyGame, Deal


ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
"""How a variable begins that stands before a command."""


@click.command()
@click.option("--game", "game_name", required=True, help="Which game; `arbiter games` lists them.")
@click.option(
    "--bot", "bots", multiple=True, required=True, help="A bot's command; seats in the order given."
)
@click.option("--seed", default=None, help="What the deals are drawn from.  [default: drawn]")
@click.option(
    "--round", "round_number", type=click.IntRange(min=1), help="Whose deals of the seed.  [default: 1]"
)
@limit_option("time")
@limit_option("start_time")
@limit_option("memory")
@limit_option("clock")
@limit_option("delivery")
@limit_option("isolation")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--deals", "deals_file", type=click.Path(), help="JSON: the deals to play, or a match record.")
@limit_option("end")
@click.option("--record", "record_file", type=click.Path(), help="Write the match record as JSON.")
@click.option("--strict", is_flag=True, help="Exit 3 if a bot forfeits.")
@format_option
def play(
    game_name: str,
    bots: tuple[str, ...],
    seed: str | None,
    round_number: int | None,
    time: str,
    start_time: str,
    memory: str,
    clock: str,
    delivery: str,
    isolation: str,
    options: tuple[str, ...],
    deals_file: str | None,
    end: str,
    record_file: str | None,
    strict: bool,
    style: str,
) -> None:
    """Play one match between programs and say how it went.

    Example: arbiter play --game planning --seed 1 --bot "python3 a.py" --bot ./b --bot ./b --bot ./b
    """
    from arbiter.table.conduct import close_table, play_match
    from arbiter.table.placement import take_core

    given = read_options(options)
    if game_name == "planning":
        given.setdefault("seats", len(bots))
    game = make(game_name, given)
    if len(bots) != game.seats:
        raise ConfigError(f"{game_name} has {game.seats} seats, and {len(bots)} bots are given")
    if seed is not None and not seed.isprintable():
        raise ConfigError(f"--seed {seed!r}: printable characters only")
    if record_file is not None and not os.access(Path(record_file).absolute().parent, os.W_OK):
        raise ConfigError("cannot be written: is its folder there and writable?", record_file)
    tier, warning = choose(isolation)
    if warning:
        note(warning)
    players = players_of(bots)
    if tier != "plain":
        refuse_strays(players)
    deals = None
    if deals_file is not None:
        deals = read_deals(game, deals_file)
        # What cannot be dealt is said before any bot is started.
        game.given(given_deals(game, deals_file, deals))
    spec = MatchSpec(
        id="match",
        season="",
        round=round_number,
        table=None,
        rotation=0,
        game=game_name,
        options=game.options,
        seed=seed if seed is not None else secrets.token_hex(16),
        players=players,
        limits=WrittenLimits(time, start_time, memory, clock, delivery, tier, end).limits(),
        deals=deals,
    )
    cores = sorted(os.sched_getaffinity(0))
    take_core(cores[os.getpid() % len(cores)])
    try:
        record = play_match(spec)
    finally:
        close_table()
    if record_file is not None:
        from arbiter.export.whole_files import write_whole

        write_whole(record_file, json.dumps(record.to_json(), indent=1) + "\n")
    if style == "json":
        print_json(record.to_json())
    else:
        print_match(record)
    if strict and record.forfeit is not None:
        raise BotCheckFailed(f"{record.forfeit.player} forfeits: {record.forfeit.fault}")


def given_deals(game: AnyGame, path: str, shapes: Iterable[dict[str, Any]]) -> list[Deal]:
    """The deals of a file; ConfigError says which one is wrong."""
    deals = []
    for number, shape in enumerate(shapes):
        try:
            deals.append(game.deal_from_json(shape))
        except ConfigError as error:
            raise ConfigError(f"deal {number}: {error}", path) from None
    return deals


def players_of(commands: Sequence[str]) -> tuple[Player, ...]:
    """Players from command lines: named after their file, numbered where two share a name."""
    players = []
    taken: Counter[str] = Counter()
    for number, command in enumerate(commands):
        if not command.strip():
            raise ConfigError(f"--bot {number + 1} is empty: give a command")
        try:
            env, words = split_command(command)
        except ConfigError as error:
            raise ConfigError(f"--bot {command!r}: {error}") from None
        name = name_of_command(words)
        taken[name] += 1
        shown = f"{name}-{taken[name]}" if taken[name] > 1 else name
        players.append(registered(shown, words, Path(), env))
    return tuple(players)


def split_command(command: str) -> tuple[dict[str, str], list[str]]:
    """The variables that stand before a command as in a shell, ``LEVEL=3 python3 bot.py``, and its words."""
    env, words = assigned(_split(command))
    for message in starting_problems(words or [""], env):
        raise ConfigError(message)
    return env, words_of_command(shlex.join(words))


def assigned(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The variables at the beginning of a command's words, and the other words."""
    first = next((n for n, word in enumerate(words) if not ASSIGNMENT.match(word)), len(words))
    return dict(word.split("=", 1) for word in words[:first]), list(words[first:])


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigError(str(error)) from None


def words_of_command(command: str) -> list[str]:
    """The words of a command line; ConfigError if nothing could be started so."""
    words = _split(command)
    if not words:
        raise ConfigError("there is no command")
    missing = (message for _, message in command_problems(words, Path()))
    for message in chain(starting_problems(words, {}), missing):
        raise ConfigError(message)
    return words


def name_of_command(words: Sequence[str]) -> str:
    """A bot by its file."""
    scripts = [word for word in words if Path(word).suffix in SCRIPTS]
    return Path(scripts[-1] if scripts else words[0]).stem


def read_options(options: Sequence[str], given_by: str = "--option") -> dict[str, Any]:
    """``key=value`` pairs, values as in a config; `given_by` is what their user typed before them."""
    given: dict[str, Any] = {}
    for option in options:
        key, equals, text = option.partition("=")
        if not equals:
            raise ConfigError(f"{given_by} {option!r}: write key=value")
        try:
            given[key] = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError):
            raise ConfigError(f"{given_by} {key}: the value cannot be read: {text!r}") from None
    return given


def read_deals(game: AnyGame, path: str) -> tuple[dict[str, Any], ...]:
    """The deals of a JSON file: those of a match record, or a list of the shapes that its ``deals`` has."""
    deals = read_json(path)
    if isinstance(deals, dict) and "deals" in deals:
        if (played := deals.get("game")) not in (None, game.name):
            raise ConfigError(f"is the record of a match of {played}, not of {game.name}", path)
        deals = deals["deals"]
    if not isinstance(deals, list) or not deals or not all(isinstance(deal, dict) for deal in deals):
        raise ConfigError(
            'is neither a list of deals, [{"hands": [[...], ...]}, ...], nor a match record', path
        )
    return tuple(deals)
