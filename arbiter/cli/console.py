"""`console`: a referee by hand, in a terminal or from a script of its commands."""

from __future__ import annotations

import secrets
import shlex
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import click

from arbiter.byhand.debugging import DebuggedBot
from arbiter.byhand.face import Face, Tools
from arbiter.byhand.occupants import Occupant, Person, ProcessBot, RandomPlayer
from arbiter.byhand.setup import Setup
from arbiter.cli.bots import (
    choose_tier,
    given_deals,
    read_deals,
    read_options,
    words_of_command,
)
from arbiter.cli.entries import read_entries
from arbiter.cli.match_text import moves_before_fault
from arbiter.cli.options import limit_options, read_json
from arbiter.cli.output import note, say
from arbiter.config.limits import CHOICES, USUAL, changed
from arbiter.course import programme
from arbiter.errors import ConfigError, Problem
from arbiter.games import make
from arbiter.match import Limits, MatchRecord, original
from arbiter.players import name_of_command, registered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.match import Move, Player
    from arbiter.rules import AnyGame, Deal

KINDS = "bot:COMMAND, human or random"


@click.command()
@click.option("--game", "game_name", help="Which game; `arbiter games` lists them.")
@click.option("--seat", "seats", multiple=True, help=f"{KINDS}; in order, or 2=bot:COMMAND.")
@click.option("--seed", default=None, help="What the deals are drawn from.  [default: drawn]")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--deals", "deals_file", type=click.Path(), help="JSON: the deals to play, or a match record.")
@click.option("--config", type=click.Path(), help="A season's file; with --player or --from.")
@click.option("--player", "names", multiple=True, help="Of the season: seats before those of --seat.")
@click.option("--store", "store_url", help="Another store than the config's, as a URL.")
@click.option("--from", "match_id", metavar="MATCH_ID", help="Feed this match of the season.")
@click.option("--record", "record_file", type=click.Path(), help="Feed the match that `play --record` wrote.")
@click.option("--until", type=click.IntRange(min=0), help="So many decisions of it.  [default: to its fault]")
@click.option("--debug", type=int, metavar="SEAT", help="Start its bot for a debugger: pid, no clock, plain.")
@limit_options("time", "start_time", "memory", unset=", or the season's")
@click.option("--isolation", type=click.Choice(CHOICES["isolation"]))
def console(
    game_name: str | None,
    seats: tuple[str, ...],
    seed: str | None,
    options: tuple[str, ...],
    deals_file: str | None,
    config: str | None,
    names: tuple[str, ...],
    store_url: str | None,
    match_id: str | None,
    record_file: str | None,
    until: int | None,
    debug: int | None,
    **written: str | None,
) -> None:
    """Conduct a match by hand: bots and people in the seats, any command to any bot, raw replies.

    Seats that are not given are filled with random players. With --config and --player, players of a season
    sit down as they stand there, under the season's game and limits. `help` lists the console's commands.

    Example: arbiter console --game planning --seat human --seat "bot:python3 bots/python/planning_greedy.py"
    """
    recorded = None
    if match_id is not None or record_file is not None:
        if game_name or seed or options or deals_file or names:
            raise ConfigError(
                "a recorded match has its own game, seed, deals and players: leave out these options"
            )
        recorded = _recorded(match_id, config, store_url, record_file)
    elif until is not None:
        raise ConfigError("--until belongs to --from MATCH_ID or --record FILE")
    elif (config is None) != (not names):
        raise ConfigError("--config and --player go together, or --config and --from MATCH_ID")
    elif (config is None) == (game_name is None):
        ways = "--game G, --config CONFIG --player NAME, or --config CONFIG --from MATCH_ID"
        raise ConfigError(f"what is to be played: {ways}")
    game, players = None, {}
    if config is not None and recorded is None:
        season, entries = read_entries(config, names, written)
        game, limits = season.game, season.limits
        players = {seat: entry.player for seat, entry in enumerate(entries)}
    else:
        limits = changed((recorded.limits if recorded is not None else None) or USUAL.limits(), **written)
        limits = replace(limits, isolation=choose_tier(limits.isolation))
    # By hand, a command at a time.
    limits = replace(limits, delivery=USUAL.delivery, end=USUAL.end)
    tools = Tools(partial(occupant_of, limits=limits), partial(read_options, given_by="set"), _deals_of)
    if recorded is None:
        given = read_options(options)
        if game is None:
            game = make(str(game_name), given)
        elif given:
            game = make(game.name, {**game.options, **given})
        if deals_file is not None:
            game = game.given(_deals_of(game, deals_file))
        setup = Setup(game, seed if seed is not None else secrets.token_hex(16), limits)
        session(setup, _seated(seats, players, game.seats, limits, taken=len(names), debug=debug), tools)
        return
    record = recorded.record
    occupants = _seated(seats, recorded.players, len(record.players), limits, recorded.absent, debug=debug)
    most = moves_before_fault(record) if until is None else until
    if most > len(record.moves):
        raise ConfigError(f"--until {most}: the record has {len(record.moves)} decisions")
    setup = _setup_of(record, limits)
    session(setup, occupants, tools, record.moves[:most])


def session(
    setup: Setup, occupants: list[Occupant], tools: Tools, moves: Sequence[Move] | None = None
) -> None:
    """Feed recorded moves, if there are any, then read commands until `quit` or the end of input.

    The bots are ended whatever happens.
    """
    try:
        face = Face(setup, occupants, tools, say)
        face.introduce()
        if moves is not None:
            face.feed(moves)
        for line in _lines():
            face.command(line)
            if face.done:
                break
    except BaseException:
        for occupant in occupants:
            occupant.end()
        raise
    face.close()


def _lines() -> Iterator[str]:
    """Commands: prompted for in a terminal, echoed where they come from a script."""
    if sys.stdin.isatty():
        import readline  # noqa: F401, gives `input` a history

        while True:
            try:
                yield input("> ")
            except EOFError:
                click.echo()
                return
    for line in sys.stdin:
        text = line.rstrip("\n")
        say(f"> {text}")
        yield text


class _Recorded(NamedTuple):
    """A recorded match, its players by seat, its limits if known, and by seat why nobody can sit there."""

    record: MatchRecord
    players: Mapping[int, Player]
    limits: Limits | None
    absent: Mapping[int, str] = MappingProxyType({})


def _recorded(
    match_id: str | None, config: str | None, store_url: str | None, record_file: str | None
) -> _Recorded:
    """The match to feed; ConfigError if it is not there."""
    if match_id is None:
        assert record_file is not None
        return _Recorded(MatchRecord.from_json(read_json(record_file)), {}, None)
    if config is None or record_file is not None:
        raise ConfigError("--from needs the season's file: --config CONFIG")
    from arbiter.cli.again import absent, settings_of_match
    from arbiter.cli.opening import open_stored
    from arbiter.config import as_it_was
    from arbiter.season.programs import told_of

    given, season = open_stored(config, store_url)
    record = season.match(match_id)
    if record is None:
        raise ConfigError(f"there is no match {match_id!r}", hint="arbiter matches lists them")
    for line in told_of(season.programs(), season.orders.read().given, record, Path(config)):
        note(line)
    settings = settings_of_match(record, season)
    then = None if settings is None else as_it_was(given, settings)
    if then is None:
        return _Recorded(record, {}, given.limits, dict(absent(record, None, given.folder)))
    by_name = {entry.player.name: entry.player for entry in then.entries}
    found = enumerate(map(original, record.players))
    seated = {seat: by_name[name] for seat, name in found if name in by_name}
    return _Recorded(record, seated, then.limits, dict(absent(record, settings, then.folder)))


def _setup_of(record: MatchRecord, limits: Limits) -> Setup:
    """The match to feed, with the record's own deals where its seed does not give them."""
    game = make(record.game, record.options)
    round_number = record.round or 1
    if programme(game, record.seed, round_number).hash != record.deal_hash:
        if game.chained:
            # The record's deals have what play made of them, so that they cannot be dealt again as they were.
            hint = "--deals FILE plays the record's deals without its moves"
            raise ConfigError(f"{record.id} was played with given cards: it cannot be fed", hint=hint)
        game = game.given([game.deal_from_json(shape) for shape in record.deals])
    return Setup(game, record.seed, limits, round_number)


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


def _seated(
    seats: tuple[str, ...],
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


def _deals_of(game: AnyGame, path: str) -> list[Deal]:
    return given_deals(game, path, read_deals(game, path))
