"""A table for a match by hand, laid as options say: its game and deals, who sits there, what is fed."""

from __future__ import annotations

import secrets
import shlex
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import click

from arbiter.cli.bot_arguments import (
    given_deals,
    player_of_command,
    read_deals,
    read_entries,
    read_options,
    read_replay,
    with_tier,
)
from arbiter.cli.match_text import moves_before_fault
from arbiter.cli.options import (
    OF_SEASON,
    deals_option,
    game_key_option,
    game_option,
    limit_options,
    read_json,
    seed_option,
    store_option,
    together,
)
from arbiter.cli.output import note, say
from arbiter.errors import ConfigError, Problem
from arbiter.games import make
from arbiter.match.limits import CHOICES, USUAL, override_limits
from arbiter.match.position import planned_deals, recorded_deal
from arbiter.match.record import MatchRecord
from arbiter.match.spec import Limits, original
from arbiter.table.interactive.debugging import DebuggedBot
from arbiter.table.interactive.occupants import Occupant, Person, ProcessBot, RandomPlayer
from arbiter.table.interactive.setup import LaidTable, Setup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.games.game import AnyGame, Deal
    from arbiter.match.spec import Player
    from arbiter.season.config import Config

KINDS = "bot:COMMAND, human or random"


laying_options = together(
    game_option,
    click.option("--seat", "seats", multiple=True, help=f"{KINDS}; in order, or 2=bot:COMMAND."),
    seed_option,
    game_key_option,
    deals_option,
    click.option("--config", type=click.Path(), help="A season's file; with --player or --from."),
    click.option("--player", "names", multiple=True, help="Of the season: seats before those of --seat."),
    store_option,
    click.option("--from", "match_id", metavar="MATCH_ID", help="Feed this match of the season."),
    click.option(
        "--record", "record_file", type=click.Path(), help="Feed the match that `play --record` wrote."
    ),
    click.option("--from-replay", "replay_file", type=click.Path(), help="Feed a replay that a site gave."),
    click.option(
        "--until", type=click.IntRange(min=0), help="So many decisions of it.  [default: to its fault]"
    ),
    click.option(
        "--debug", type=int, metavar="SEAT", help="Start its bot for a debugger: pid, no clock, plain."
    ),
    limit_options("time", "start_time", "memory", unset=OF_SEASON),
    click.option("--isolation", type=click.Choice(CHOICES["isolation"])),
)
"""The options that say what is played by hand, and by whom; `lay` takes what they give."""


def lay(
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
    """The table that the options of `laying_options` describe; ConfigError for what they cannot mean."""
    fed = {"--from": match_id, "--record": record_file, "--from-replay": replay_file}
    ways = [way for way, value in fed.items() if value is not None]
    if ways:
        if len(ways) > 1:
            raise ConfigError(f"{ways[0]} and {ways[1]}: one recorded match is fed at a time")
        if replay_file is not None and config is not None:
            raise ConfigError("a replay holds the whole match", hint="leave out --config")
        if game_name or seed or options or deals_file or names:
            raise ConfigError(
                "a recorded match has its own game, seed, deals and players: leave out these options"
            )
        recorded = _recorded(match_id, config, store_url, record_file, replay_file)
        limits = by_hand(with_tier(override_limits(recorded.limits or USUAL.limits(), **written)))
        return _laid_again(recorded, seats, until, limits, debug)
    if until is not None:
        raise ConfigError("--until belongs to --from MATCH_ID, --record FILE or --from-replay FILE")
    if (config is None) != (not names):
        raise ConfigError("--config and --player go together, or --config and --from MATCH_ID")
    if (config is None) == (game_name is None):
        raise ConfigError(
            "what is to be played: --game G, --config CONFIG --player NAME,"
            " --config CONFIG --from MATCH_ID or --from-replay FILE"
        )
    if seed is not None and not seed.isprintable():
        raise ConfigError(f"--seed {seed!r}: printable characters only")
    given, players = read_options(options), {}
    if config is not None:
        season, entered = read_entries(config, names, written, given)
        game, limits, players = season.game, season.limits, dict(enumerate(entered))
    else:
        game, limits = make(str(game_name), given), with_tier(override_limits(USUAL.limits(), **written))
    limits = by_hand(limits)
    if deals_file is not None:
        game = game.given(deals_of(game, deals_file))
    setup = Setup(game, seed if seed is not None else secrets.token_hex(16), limits)
    return LaidTable(setup, seated(seats, players, game.seats, limits, taken=len(names), debug=debug))


def by_hand(limits: Limits) -> Limits:
    """The same limits where commands go out one at a time."""
    return replace(limits, delivery=USUAL.delivery, end=USUAL.end)


def lay_record(record: MatchRecord, seats: Sequence[str], until: int | None) -> LaidTable:
    """The table of a record, under the usual limits, with people in the seats that are not given."""
    people = [f"{seat}=human" for seat in range(len(record.players))]
    numbered = [text if text.partition("=")[0].isdecimal() else f"{n}={text}" for n, text in enumerate(seats)]
    return _laid_again(
        _RecordedMatch(record), [*people, *numbered], until, by_hand(with_tier(USUAL.limits()))
    )


def lay_match(config: str, match_id: str, seats: Sequence[str], until: int | None) -> LaidTable:
    """The table of a stored match of a season, under its limits."""
    if Path(config).exists() and not Path(config).is_file():
        raise ConfigError("is not a file", config)
    return lay(config=config, match_id=match_id, seats=tuple(seats), until=until)


def _laid_again(
    recorded: _RecordedMatch,
    seats: Sequence[str],
    until: int | None,
    limits: Limits,
    debug: int | None = None,
) -> LaidTable:
    """The table of a recorded match, with the record's own deals where its seed does not give them."""
    record, round_number = recorded.record, recorded.record.round or 1
    if recorded.season is not None:
        from arbiter.season.config.readable_secrets import check_bot_access

        check_bot_access(replace(recorded.season, limits=limits), recorded.players.values())
    game = make(record.game, record.options)
    if planned_deals(game, record.seed, round_number).hash != record.deal_hash:
        game = game.begun([recorded_deal(record, game, number) for number in range(len(record.deals))])
    if len(record.players) != game.seats:
        raise ConfigError(f"{record.id} has {len(record.players)} players, its game {game.seats} seats")
    occupants = seated(seats, recorded.players, game.seats, limits, recorded.absent, debug=debug)
    most = moves_before_fault(record) if until is None else until
    if most > len(record.moves):
        raise ConfigError(f"--until {most}: the record has {len(record.moves)} decisions")
    return LaidTable(Setup(game, record.seed, limits, round_number), occupants, record.moves[:most])


class _RecordedMatch(NamedTuple):
    """A recorded match, its players by seat, its limits if known, by seat why nobody can sit there, and the
    season that they played in.
    """

    record: MatchRecord
    players: Mapping[int, Player] = MappingProxyType({})
    limits: Limits | None = None
    absent: Mapping[int, str] = MappingProxyType({})
    season: Config | None = None


def _recorded(
    match_id: str | None,
    config: str | None,
    store_url: str | None,
    record_file: str | None,
    replay_file: str | None,
) -> _RecordedMatch:
    if replay_file is not None:
        return _RecordedMatch(read_replay(replay_file))
    if record_file is not None:
        return _RecordedMatch(MatchRecord.from_json(read_json(record_file)))
    assert match_id is not None
    if config is None:
        raise ConfigError("--from needs the season's file: --config CONFIG")
    from arbiter.cli.open_season import open_stored
    from arbiter.cli.rerun_command import absent, settings_of_match
    from arbiter.season.config import as_it_was
    from arbiter.season.program_digests import program_remarks

    given, season = open_stored(config, store_url)
    record = season.match(match_id)
    if record is None:
        raise ConfigError(f"there is no match {match_id!r}", hint="arbiter matches lists them")
    for line in program_remarks(season.programs(), season.orders.read().given, record, Path(config)):
        note(line)
    settings = settings_of_match(record, season)
    then = None if settings is None else as_it_was(given, settings)
    if then is None:
        return _RecordedMatch(record, {}, given.limits, dict(absent(record, None, given.folder)))
    by_name = {entry.player.name: entry.player for entry in then.entries}
    found = enumerate(map(original, record.players))
    seated = {seat: by_name[name] for seat, name in found if name in by_name}
    return _RecordedMatch(record, seated, then.limits, dict(absent(record, settings, then.folder)), then)


def deals_of(game: AnyGame, path: str) -> list[Deal]:
    return given_deals(game, path, read_deals(game, path))


def occupant_of(text: str, limits: Limits, debug: bool = False) -> Occupant:
    """The occupant that ``bot:COMMAND``, ``human`` or ``random`` names; a bot may be one to `debug`."""
    kind, colon, command = text.partition(":")
    if kind == "bot" and colon:
        if not command.strip():
            raise ConfigError("bot: needs a command, as in bot:python3 bot.py")
        player = player_of_command(command, text)
        if player.env:
            # Who sits there is kept as the words of the command alone.
            raise ConfigError(f"{text}: no variables stand before the command of a seat")
        return _bot(command, player, limits, debug)
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
