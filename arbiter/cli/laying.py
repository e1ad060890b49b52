"""A table for a match by hand, laid as options say: its game and deals, who sits there, what is fed."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from arbiter.byhand.setup import Laid, Setup
from arbiter.cli.bots import choose_tier, given_deals, read_deals, read_options, read_replay
from arbiter.cli.entries import read_entries
from arbiter.cli.match_text import moves_before_fault
from arbiter.cli.options import limit_options, read_json
from arbiter.cli.output import note
from arbiter.cli.seats import KINDS, seated
from arbiter.config.limits import CHOICES, USUAL, changed
from arbiter.course import deal_again, programme
from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.match import Limits, MatchRecord, original

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arbiter.config import Config
    from arbiter.match import Player
    from arbiter.rules import AnyGame, Deal

_Command = TypeVar("_Command", bound="Callable[..., Any]")


def laying_options(command: _Command) -> _Command:
    """The options that say what is played by hand, and by whom; `lay` takes what they give."""
    until = click.IntRange(min=0)
    options = [
        click.option("--game", "game_name", help="Which game; `arbiter games` lists them."),
        click.option("--seat", "seats", multiple=True, help=f"{KINDS}; in order, or 2=bot:COMMAND."),
        click.option("--seed", default=None, help="What the deals are drawn from.  [default: drawn]"),
        click.option(
            "--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game."
        ),
        click.option(
            "--deals", "deals_file", type=click.Path(), help="JSON: the deals to play, or a match record."
        ),
        click.option("--config", type=click.Path(), help="A season's file; with --player or --from."),
        click.option("--player", "names", multiple=True, help="Of the season: seats before those of --seat."),
        click.option("--store", "store_url", help="Another store than the config's, as a URL."),
        click.option("--from", "match_id", metavar="MATCH_ID", help="Feed this match of the season."),
        click.option(
            "--record", "record_file", type=click.Path(), help="Feed the match that `play --record` wrote."
        ),
        click.option(
            "--from-replay", "replay_file", type=click.Path(), help="Feed a replay that a site gave."
        ),
        click.option("--until", type=until, help="So many decisions of it.  [default: to its fault]"),
        click.option(
            "--debug", type=int, metavar="SEAT", help="Start its bot for a debugger: pid, no clock, plain."
        ),
        limit_options("time", "start_time", "memory", unset=", or the season's"),
        click.option("--isolation", type=click.Choice(CHOICES["isolation"])),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def lay(
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
    replay_file: str | None,
    until: int | None,
    debug: int | None,
    **written: str | None,
) -> Laid:
    """The table that the options of `laying_options` describe; ConfigError for what they cannot mean."""
    recorded = None
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
    elif until is not None:
        raise ConfigError("--until belongs to --from MATCH_ID, --record FILE or --from-replay FILE")
    elif (config is None) != (not names):
        raise ConfigError("--config and --player go together, or --config and --from MATCH_ID")
    elif (config is None) == (game_name is None):
        wanted = (
            "--game G, --config CONFIG --player NAME, --config CONFIG --from MATCH_ID or --from-replay FILE"
        )
        raise ConfigError(f"what is to be played: {wanted}")
    game, players = None, {}
    if config is not None and recorded is None:
        season, entries = read_entries(config, names, written)
        game, limits = season.game, season.limits
        players = {seat: entry.player for seat, entry in enumerate(entries)}
    else:
        limits = settled((recorded.limits if recorded is not None else None) or USUAL.limits(), **written)
    limits = by_hand(limits)
    if recorded is not None:
        return _laid_again(recorded, seats, until, limits, debug)
    if seed is not None and not seed.isprintable():
        raise ConfigError(f"--seed {seed!r}: printable characters only")
    given = read_options(options)
    if game is None:
        game = make(str(game_name), given)
    elif given:
        game = make(game.name, {**game.options, **given})
    if deals_file is not None:
        game = game.given(deals_of(game, deals_file))
    setup = Setup(game, seed if seed is not None else secrets.token_hex(16), limits)
    return Laid(setup, seated(seats, players, game.seats, limits, taken=len(names), debug=debug))


def settled(limits: Limits, **written: str | None) -> Limits:
    """Limits with those in their place that are written, the isolation decided for this machine."""
    limits = changed(limits, **written)
    return replace(limits, isolation=choose_tier(limits.isolation))


def by_hand(limits: Limits) -> Limits:
    """The same limits where commands go out one at a time."""
    return replace(limits, delivery=USUAL.delivery, end=USUAL.end)


def lay_record(record: MatchRecord, seats: Sequence[str], until: int | None) -> Laid:
    """The table of a record, under the usual limits, with people in the seats that are not given."""
    people = [f"{seat}=human" for seat in range(len(record.players))]
    limits = by_hand(settled(USUAL.limits()))
    return _laid_again(_Recorded(record, {}, None), [*people, *_numbered(seats)], until, limits)


def lay_match(config: str, match_id: str, seats: Sequence[str], until: int | None) -> Laid:
    """The table of a stored match of a season, under its limits."""
    if Path(config).exists() and not Path(config).is_file():
        raise ConfigError("is no file", config)
    nothing = dict.fromkeys(
        ("game_name", "seed", "deals_file", "store_url", "record_file", "replay_file", "debug")
    )
    given: dict[str, Any] = {"seats": tuple(seats), "options": (), "names": (), **nothing}
    return lay(**given, config=config, match_id=match_id, until=until)


def _numbered(seats: Sequence[str]) -> list[str]:
    """Occupants each with the number of its seat in front."""
    return [text if text.partition("=")[0].isdecimal() else f"{n}={text}" for n, text in enumerate(seats)]


def _laid_again(
    recorded: _Recorded, seats: Sequence[str], until: int | None, limits: Limits, debug: int | None = None
) -> Laid:
    """The table of a recorded match."""
    record = recorded.record
    if recorded.season is not None:
        from arbiter.config.reach import refuse_reach

        refuse_reach(replace(recorded.season, limits=limits), recorded.players.values())
    setup = _setup_of(record, limits)
    if len(record.players) != setup.game.seats:
        raise ConfigError(f"{record.id} has {len(record.players)} players, its game {setup.game.seats} seats")
    occupants = seated(seats, recorded.players, setup.game.seats, limits, recorded.absent, debug=debug)
    most = moves_before_fault(record) if until is None else until
    if most > len(record.moves):
        raise ConfigError(f"--until {most}: the record has {len(record.moves)} decisions")
    return Laid(setup, occupants, record.moves[:most])


class _Recorded(NamedTuple):
    """A recorded match, its players by seat, its limits if known, and by seat why nobody can sit there."""

    record: MatchRecord
    players: Mapping[int, Player]
    limits: Limits | None
    absent: Mapping[int, str] = MappingProxyType({})
    season: Config | None = None
    """That they played in."""


def _recorded(
    match_id: str | None,
    config: str | None,
    store_url: str | None,
    record_file: str | None,
    replay_file: str | None,
) -> _Recorded:
    """The match to feed; ConfigError if it is not there."""
    if replay_file is not None:
        return _Recorded(read_replay(replay_file), {}, None)
    if record_file is not None:
        return _Recorded(MatchRecord.from_json(read_json(record_file)), {}, None)
    assert match_id is not None
    if config is None:
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
    return _Recorded(record, seated, then.limits, dict(absent(record, settings, then.folder)), then)


def _setup_of(record: MatchRecord, limits: Limits) -> Setup:
    """The match to feed, with the record's own deals where its seed does not give them."""
    game = make(record.game, record.options)
    round_number = record.round or 1
    if programme(game, record.seed, round_number).hash != record.deal_hash:
        game = game.begun([deal_again(record, game, number) for number in range(len(record.deals))])
    return Setup(game, record.seed, limits, round_number)


def deals_of(game: AnyGame, path: str) -> list[Deal]:
    return given_deals(game, path, read_deals(game, path))
