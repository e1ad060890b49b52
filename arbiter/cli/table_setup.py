"""Set up a table for the console or applet from options: game, deals, occupants, recorded moves."""

from __future__ import annotations

import secrets
import shlex
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import click

from arbiter.cli.bot_arguments import (
    parse_deals,
    parse_player,
    read_deals,
    read_entries,
    read_options,
    with_isolation,
)
from arbiter.cli.match_source import read_match
from arbiter.cli.match_text import moves_before_fault
from arbiter.cli.options import (
    OF_SEASON,
    combine_options,
    deals_option,
    game_key_option,
    game_option,
    limit_options,
    seed_option,
    store_option,
)
from arbiter.cli.output import note, say
from arbiter.errors import ConfigError, Problem
from arbiter.games import make
from arbiter.match.limits import CHOICES, USUAL, override_limits
from arbiter.match.position import planned_deals, recorded_deal
from arbiter.match.spec import Limits, original
from arbiter.table.interactive.debugging import DebuggedBot
from arbiter.table.interactive.occupants import Occupant, Person, ProcessBot, RandomPlayer
from arbiter.table.interactive.setup import LaidTable, Setup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.games.game import AnyGame, Deal
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import Player
    from arbiter.season.config import Config

KINDS = "bot:COMMAND, human or random"


table_options = combine_options(
    game_option,
    click.option("--seat", "seats", multiple=True, help=f"{KINDS}; in order, or 2=bot:COMMAND."),
    seed_option,
    game_key_option,
    deals_option,
    click.option("--config", type=click.Path(), help="A season's file; with --player or --from."),
    click.option(
        "--player", "names", multiple=True, help="A player of the season, seated before those of --seat."
    ),
    store_option,
    click.option(
        "--from", "match_id", metavar="MATCH_ID", help="Replay this match of the season, or of --record."
    ),
    click.option(
        "--record", "record_file", type=click.Path(), help="Replay the match that `play --record` wrote."
    ),
    click.option(
        "--from-replay", "replay_file", type=click.Path(), help="Replay a site's replay: a file or a URL."
    ),
    click.option(
        "--until",
        type=click.IntRange(min=0),
        help="Replay this number of decisions.  [default: to its fault]",
    ),
    click.option(
        "--debug",
        type=int,
        metavar="SEAT",
        help="Start this seat's bot for a debugger: pid, no clock, plain.",
    ),
    limit_options("time", "start_time", "memory", unset=OF_SEASON),
    click.option("--isolation", type=click.Choice(CHOICES["isolation"])),
)
"""The options of a table and its occupants, which `lay` takes."""


def set_up_table(
    game_name: str | None = None,
    seats: tuple[str, ...] = (),
    seed: str | None = None,
    options: tuple[str, ...] = (),
    deals_file: str | None = None,
    config: str | None = None,
    names: tuple[str, ...] = (),
    store_url: str | None = None,
    match_id: str | None = None,
    record_file: str | None = None,
    replay_file: str | None = None,
    until: int | None = None,
    debug: int | None = None,
    **written: str | None,
) -> LaidTable:
    """Return the table of the console's options, with files and stores read; ConfigError if they conflict."""
    # With --record, --from chooses one of its matches.
    stored = match_id if record_file is None else None
    fed = {"--from": stored, "--record": record_file, "--from-replay": replay_file}
    ways = [way for way, value in fed.items() if value is not None]
    if ways:
        if len(ways) > 1:
            raise ConfigError(f"{ways[0]} and {ways[1]}: give only one recorded match")
        if replay_file is not None and config is not None:
            raise ConfigError("--from-replay has the whole match", hint="leave out --config")
        if game_name or seed or options or deals_file or names:
            raise ConfigError("a recorded match sets game, seed, deals and players: leave out these options")
        recorded = _read_recorded(match_id, config, store_url, record_file, replay_file)
        limits = interactive_limits(
            with_isolation(override_limits(recorded.limits or USUAL.limits(), **written))
        )
        return _set_up_recorded(recorded, seats, until, limits, debug)
    if until is not None:
        raise ConfigError("--until needs --from MATCH_ID, --record FILE or --from-replay FILE")
    if (config is None) != (not names):
        raise ConfigError("--config needs --player NAME or --from MATCH_ID; --player needs --config")
    if (config is None) == (game_name is None):
        raise ConfigError(
            "expected --game G, --config CONFIG --player NAME,"
            " --config CONFIG --from MATCH_ID or --from-replay FILE"
        )
    if seed is not None and not seed.isprintable():
        raise ConfigError(f"--seed {seed!r}: printable characters only")
    given, players = read_options(options), {}
    if config is not None:
        season, entered = read_entries(config, names, written, given)
        game, limits, players = season.game, season.limits, dict(enumerate(entered))
    else:
        game, limits = make(str(game_name), given), with_isolation(override_limits(USUAL.limits(), **written))
    limits = interactive_limits(limits)
    if deals_file is not None:
        game = game.given(load_deals(game, deals_file))
    setup = Setup(game, seed if seed is not None else secrets.token_hex(16), limits)
    return LaidTable(
        setup,
        make_occupants(seats, players, game.seats, limits, taken=len(names), debug=debug, game=game.name),
    )


def interactive_limits(limits: Limits) -> Limits:
    """Return the limits for a table where commands are sent one at a time."""
    return replace(limits, delivery=USUAL.delivery, end=USUAL.end)


def set_up_record(record: MatchRecord, seats: Sequence[str], until: int | None) -> LaidTable:
    """Return the table of a record, under the default limits, with people in the seats not given."""
    people = [f"{seat}=human" for seat in range(len(record.players))]
    numbered = [text if text.partition("=")[0].isdecimal() else f"{n}={text}" for n, text in enumerate(seats)]
    return _set_up_recorded(
        _RecordedMatch(record),
        [*people, *numbered],
        until,
        interactive_limits(with_isolation(USUAL.limits())),
    )


def set_up_match(config: str, match_id: str, seats: Sequence[str], until: int | None) -> LaidTable:
    """Load a season's stored match and set up its table, under its limits."""
    if Path(config).exists() and not Path(config).is_file():
        raise ConfigError("is not a file", config, "name the season's file")
    return set_up_table(config=config, match_id=match_id, seats=tuple(seats), until=until)


def _set_up_recorded(
    recorded: _RecordedMatch,
    seats: Sequence[str],
    until: int | None,
    limits: Limits,
    debug: int | None = None,
) -> LaidTable:
    """Return the table of a recorded match, with the record's deals if its seed does not give them."""
    record, round_number = recorded.record, recorded.record.round or 1
    if recorded.season is not None:
        from arbiter.season.config.readable_secrets import check_bot_access

        check_bot_access(replace(recorded.season, limits=limits), recorded.players.values())
    game = make(record.game, record.options)
    if planned_deals(game, record.seed, round_number).hash != record.deal_hash:
        game = game.begun([recorded_deal(record, game, number) for number in range(len(record.deals))])
    if len(record.players) != game.seats:
        raise ConfigError(f"{record.id} has {len(record.players)} players, its game {game.seats} seats")
    occupants = make_occupants(
        seats, recorded.players, game.seats, limits, recorded.absent, debug=debug, game=game.name
    )
    most = moves_before_fault(record) if until is None else until
    if most > len(record.moves):
        raise ConfigError(
            f"--until: expected at most {len(record.moves)}, the decisions of the match, got {most}"
        )
    return LaidTable(Setup(game, record.seed, limits, round_number), occupants, record.moves[:most])


class _RecordedMatch(NamedTuple):
    """A recorded match, its players by seat, limits, reasons for absent players by seat, and season."""

    record: MatchRecord
    players: Mapping[int, Player] = MappingProxyType({})
    limits: Limits | None = None
    absent: Mapping[int, str] = MappingProxyType({})
    season: Config | None = None


def _read_recorded(
    match_id: str | None,
    config: str | None,
    store_url: str | None,
    record_file: str | None,
    replay_file: str | None,
) -> _RecordedMatch:
    """Read a recorded match from a file, or with its settings from a season; remarks go to stderr."""
    if (source := record_file or replay_file) is not None:
        return _RecordedMatch(read_match(source, match_id))
    assert match_id is not None
    if config is None:
        raise ConfigError("--from needs the season's file", hint="add --config CONFIG")
    from arbiter.cli.open_season import open_stored
    from arbiter.cli.rerun_command import settings_of_match, unavailable_players
    from arbiter.season.config import as_it_was
    from arbiter.season.program_digests import program_remarks

    given, season = open_stored(config, store_url)
    record = season.match(match_id)
    if record is None:
        raise ConfigError(f"no match {match_id!r}", hint="arbiter matches lists them")
    for line in program_remarks(season.programs(), season.orders.read().given, record, Path(config)):
        note(line)
    settings = settings_of_match(record, season)
    then = None if settings is None else as_it_was(given, settings)
    if then is None:
        return _RecordedMatch(record, {}, given.limits, dict(unavailable_players(record, None, given.folder)))
    by_name = {entry.player.name: entry.player for entry in then.entries}
    found = enumerate(map(original, record.players))
    seated = {seat: by_name[name] for seat, name in found if name in by_name}
    return _RecordedMatch(
        record, seated, then.limits, dict(unavailable_players(record, settings, then.folder)), then
    )


def load_deals(game: AnyGame, path: str) -> list[Deal]:
    return parse_deals(game, path, read_deals(game, path))


def make_occupant(text: str, limits: Limits, debug: bool = False, game: str | None = None) -> Occupant:
    """Make the occupant ``bot:COMMAND``, ``human`` or ``random``; with `debug`, a bot for a debugger.

    The command may be the name of a bot that comes with `game`.
    """
    kind, colon, command = text.partition(":")
    if kind == "bot" and colon:
        if not command.strip():
            raise ConfigError("bot: expected a command, as in bot:python3 bot.py")
        player = parse_player(command, text, game)
        bot = _make_bot(command, player, limits, debug)
        # A saved table reads `who` again.
        bot.who = text if player.env else bot.who
        return bot
    if text == "human":
        return Person()
    if text == "random":
        return RandomPlayer()
    raise ConfigError(f"seat: expected {KINDS}, got {text!r}")


def _make_bot(title: str, player: Player, limits: Limits, debug: bool) -> ProcessBot:
    return DebuggedBot(title, player, limits, say) if debug else ProcessBot(title, player, limits)


def make_occupants(
    seats: Sequence[str],
    players: Mapping[int, Player],
    number: int,
    limits: Limits,
    absent: Mapping[int, str] = MappingProxyType({}),
    taken: int = 0,
    debug: int | None = None,
    game: str | None = None,
) -> list[Occupant]:
    """Make the occupants by seat: those given, else the season's or recorded players, else random players.

    Occupants given without a number follow the first `taken` seats. ConfigError for an `absent` player (seat
    to reason) that is not replaced, for too many occupants, and if the seat to `debug` has no bot.
    """
    given: dict[int, str] = {}
    for place, text in enumerate(seats, taken):
        number_text, equals, who = text.partition("=")
        if equals and number_text.isdecimal():
            given[int(number_text)] = who
        else:
            given[place] = text
    if twice := sorted(seat for seat in given if seat < taken):
        raise ConfigError(
            f"--seat {twice[0]}: a --player sits there", hint="name another seat, or fewer players"
        )
    if wrong := sorted(seat for seat in (*given, taken - 1) if seat >= number):
        raise ConfigError(f"--seat: expected 0 to {number - 1}, got {wrong[0]}")
    problems = [
        Problem((), f"seat {seat}: {why}", f"replace it with --seat {seat}=random, human or bot:COMMAND")
        for seat, why in absent.items()
        if seat not in given
    ]
    if problems:
        raise ConfigError(problems)
    if debug is not None and not given.get(debug, "bot:" if debug in players else "").startswith("bot:"):
        raise ConfigError(f"--debug {debug}: no bot in this seat", hint=f"--seat {debug}=bot:COMMAND")
    occupants: list[Occupant] = []
    for seat in range(number):
        if seat in given:
            occupants.append(make_occupant(given[seat], limits, seat == debug, game))
        elif seat in players:
            player = players[seat]
            title = f"{player.name}: {shlex.join(player.command)}"
            occupants.append(_make_bot(title, player, limits, seat == debug))
        else:
            occupants.append(RandomPlayer())
    return occupants
