"""`play`: one match between programs."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path

import click

from arbiter.cli.bots import choose_tier, given_deals, players_of, read_deals, read_options
from arbiter.cli.match_text import print_match
from arbiter.cli.options import format_option, limit_options
from arbiter.cli.output import print_json
from arbiter.config.limits import WrittenLimits
from arbiter.errors import BotCheckFailed, ConfigError
from arbiter.games import make
from arbiter.match import MatchSpec
from arbiter.players import refuse_strays


@click.command()
@click.option("--game", "game_name", required=True, help="Which game; `arbiter games` lists them.")
@click.option(
    "--bot", "bots", multiple=True, required=True, help="A bot's command; seats in the order given."
)
@click.option("--seed", default=None, help="What the deals are drawn from.  [default: drawn]")
@click.option(
    "--round", "round_number", type=click.IntRange(min=1), help="Whose deals of the seed.  [default: 1]"
)
@limit_options("time", "start_time", "memory", "clock", "delivery", "isolation")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--deals", "deals_file", type=click.Path(), help="JSON: the deals to play, or a match record.")
@limit_options("end")
@click.option("--record", "record_file", type=click.Path(), help="Write the match record as JSON.")
@click.option("--strict", is_flag=True, help="Exit 3 if a bot forfeits.")
@format_option
def play(
    game_name: str,
    bots: tuple[str, ...],
    seed: str | None,
    round_number: int | None,
    options: tuple[str, ...],
    deals_file: str | None,
    record_file: str | None,
    strict: bool,
    style: str,
    **limits: str,
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
    limits["isolation"] = choose_tier(limits["isolation"])
    players = players_of(bots)
    if limits["isolation"] != "plain":
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
        limits=WrittenLimits(**limits).limits(),
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
