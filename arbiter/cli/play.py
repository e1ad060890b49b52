"""`play`: one match between programs."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.bot_arguments import (
    config_option,
    parse_deals,
    parse_players,
    read_deals,
    read_entries,
    read_options,
    with_isolation,
)
from arbiter.cli.match_source import read_match
from arbiter.cli.match_text import print_match
from arbiter.cli.options import (
    OF_SEASON,
    deals_option,
    format_option,
    game_key_option,
    game_option,
    limit_options,
    seed_option,
    workers_option,
)
from arbiter.cli.output import note, print_json
from arbiter.cli.rerun_command import replay_command
from arbiter.errors import BotCheckFailed, ConfigError
from arbiter.games import find, make
from arbiter.match.limits import USUAL, override_limits
from arbiter.match.spec import MatchSpec, original
from arbiter.sandbox.player_command import make_names_unique, refuse_stray_links
from arbiter.season.schedule import agreed_limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.games.game import AnyGame
    from arbiter.match.spec import Limits, Player


@click.command()
@game_option
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="[NAME=]COMMAND",
    help="A bot's command, or the name of a bot that comes with the game; seats in this order.",
)
@config_option
@click.option(
    "--player", "names", multiple=True, help="With --config: a player, seated before those of --bot."
)
@seed_option
@click.option(
    "--round", "round_number", type=click.IntRange(min=1), help="Round whose deals are played.  [default: 1]"
)
@limit_options("time", "start_time", "memory", "clock", "delivery", "isolation", unset=OF_SEASON)
@game_key_option
@deals_option
@click.option(
    "--from-replay",
    "replay_file",
    type=click.Path(),
    help="Take game, options and deals from a site's replay: a file or a URL.",
)
@limit_options("end", unset=OF_SEASON)
@click.option("--record", "record_file", type=click.Path(), help="Write the match record to this JSON file.")
@click.option(
    "--matches",
    type=click.IntRange(min=1),
    help="Play this many, seats rotated on the same deals, and sum up.",
)
@workers_option
@click.option(
    "--records",
    "records_file",
    type=click.Path(),
    help="With --matches: write the records to this JSON lines file.",
)
@click.option("--strict", is_flag=True, help="Exit 3 if a bot forfeits.")
@format_option
def play(
    game_name: str | None,
    bots: tuple[str, ...],
    config_file: str | None,
    names: tuple[str, ...],
    seed: str | None,
    round_number: int | None,
    options: tuple[str, ...],
    deals_file: str | None,
    replay_file: str | None,
    record_file: str | None,
    matches: int | None,
    workers: int | None,
    records_file: str | None,
    strict: bool,
    style: str,
    **written: str | None,
) -> None:
    """Play one match between programs, or many with --matches.

    --config and --player seat players of a season, under its game and limits; its house bots fill the seats
    left by --player and --bot.

    --matches N plays N matches: all rotations of the seats on the same deals, then on the next deals. Bots
    with an equal command are one player.

    NAME=COMMAND names a bot: old="python3 a.py". Variables may precede a command: "LEVEL=3 python3 a.py".

    Example: arbiter play --game planning --seed 1 --bot "python3 a.py" --bot ./b --bot ./b --bot ./b
    """
    from arbiter.sandbox.cpu_affinity import take_core
    from arbiter.table.conductor import close_table, play_match

    if matches is None and (workers or records_file):
        raise ConfigError(f"{'--workers' if workers else '--records'} needs --matches N")
    if matches is not None and record_file:
        raise ConfigError("--record is for one match", hint="--records FILE writes those of --matches")
    replayed = None
    given = read_options(options)
    if replay_file is not None:
        if game_name or given or deals_file or config_file:
            raise ConfigError("--from-replay sets game, options and deals: leave out these options")
        replayed = read_match(replay_file)
        game_name, given = replayed.game, dict(replayed.options)
    if config_file is not None:
        game, players, limits = _game_of_season(config_file, game_name, names, bots, given, written)
    else:
        game, players = _game_of_options(game_name, names, bots, given)
        limits = with_isolation(override_limits(USUAL.limits(), **written))
    if seed is not None and not seed.isprintable():
        raise ConfigError(f"--seed {seed!r}: printable characters only")
    for path in filter(None, (record_file, records_file)):
        if not os.access(Path(path).absolute().parent, os.W_OK):
            raise ConfigError("cannot be written: its folder is missing or not writable", path)
    if limits.isolation != "plain":
        refuse_stray_links(players)
    deals: tuple[Mapping[str, Any], ...] | None = None
    if replayed is not None:
        deals = replayed.deals
    elif deals_file is not None:
        deals = read_deals(game, deals_file)
    if deals is not None:
        # Invalid deals are reported before a bot is started.
        game.given(parse_deals(game, str(deals_file or replay_file), deals))
    seed = seed if seed is not None else secrets.token_hex(16)
    if matches is not None:
        from arbiter.cli.play_series import play_series
        from arbiter.trials.match_series import MatchSeries, name_copies

        seated = name_copies(players)
        for player, copy in zip(players, seated, strict=True):
            if (name := original(copy.name)) not in (player.name, player.name.rpartition("-")[0]):
                note(f"{player.name} has the command of {name}: both are one player, {name}")
        series = MatchSeries(game, seated, limits, seed, round_number or 1, deals)
        play_series(series, matches, workers, records_file, strict, style)
        return
    spec = MatchSpec(
        id="match",
        season="",
        round=round_number,
        table=None,
        rotation=0,
        game=game.name,
        options=game.options,
        seed=seed,
        players=players,
        limits=limits,
        deals=deals,
    )
    cores = sorted(os.sched_getaffinity(0))
    take_core(cores[os.getpid() % len(cores)])
    try:
        record = play_match(spec).with_digest_id()
    finally:
        close_table()
    if record_file is not None:
        from arbiter.replay.export.atomic_files import write_atomically

        write_atomically(record_file, json.dumps(record.to_json(), indent=1) + "\n")
    if style == "json":
        print_json(record.to_json())
    else:
        again = ""
        if record_file is not None and record.forfeit is not None:
            again = replay_command(record, record_file, players[record.forfeit.seat], limits)
        print_match(record, again)
    if strict and record.forfeit is not None:
        raise BotCheckFailed(f"{record.forfeit.player} forfeits: {record.forfeit.fault}")


def _game_of_options(
    game_name: str | None, names: tuple[str, ...], bots: tuple[str, ...], options: dict[str, Any]
) -> tuple[AnyGame, tuple[Player, ...]]:
    """Make the game and parse the bots' commands; ConfigError if they do not fit."""
    if names:
        raise ConfigError("--player names an entry of a season's file", hint="add --config CONFIG")
    if game_name is None or not bots:
        raise ConfigError("expected --game G --bot COMMAND ..., or --config CONFIG --player NAME ...")
    if "seats" in find(game_name).option_help:
        options.setdefault("seats", len(bots))
    game = make(game_name, options)
    if len(bots) != game.seats:
        hint = "give a bot once for each of its seats" if len(bots) < game.seats else ""
        raise ConfigError(f"{game_name}: expected {game.seats} bots, got {len(bots)}", hint=hint)
    return game, parse_players(bots, game.name)


def _game_of_season(
    path: str,
    game_name: str | None,
    names: tuple[str, ...],
    bots: tuple[str, ...],
    options: dict[str, Any],
    written: dict[str, str | None],
) -> tuple[AnyGame, tuple[Player, ...], Limits]:
    """Load a season's game, the players by seat (named, given as commands, house bots), and limits."""
    if not names:
        raise ConfigError("--config needs players of the season", hint="add --player NAME")
    if game_name is not None:
        raise ConfigError("--config takes the game from the season's file", hint="leave out --game")
    config, seated = read_entries(path, names, written, options, others=len(bots))
    game, limits = config.game, config.limits
    players = [*seated[: len(names)], *parse_players(bots, game.name), *seated[len(names) :]]
    if len(players) != game.seats:
        hint = "name fewer" if len(players) > game.seats else "name more with --player or --bot"
        raise ConfigError(f"{game.name}: expected {game.seats} players, got {len(players)}", path, hint)
    return game, make_names_unique(players), limits if written["delivery"] else agreed_limits(limits, players)
