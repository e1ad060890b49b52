"""The players, tables and matches of a round: pure functions of seed and config."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.games.cards import Stream
from arbiter.match.spec import COPY_MARK, MatchSpec, original

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from arbiter.games.game import AnyGame
    from arbiter.match.spec import Limits, Player
    from arbiter.season.config import Config


class TooFewPlayers(ConfigError):
    """A round cannot be planned until there are more players."""


def entrants(
    config: Config, round_number: int, suspended: Collection[str] = (), ordered: Collection[str] = ()
) -> list[Player]:
    """Return the players of a round: the ordinary ones, then house bots until tables are full.

    House bots join in list order, starting at the round's number; a house bot that already plays joins as
    a copy, ``random#2``. Suspended players sit out, unless no player would be left or no house bot could
    fill the tables; those suspended by order (`ordered`, a part of `suspended`) always do. TooFewPlayers if
    then too few are left.
    """
    size = config.game.table_size
    by_name = {entry.registered_name: entry.player for entry in config.entries}

    def players_without(out: Collection[str]) -> tuple[list[Player], list[str]]:
        """Return ordinary players and names of house bots, without those in `out`."""
        joined = [
            entry.player for entry in config.entries if not entry.house and entry.player.name not in out
        ]
        return joined, [name for name in config.house_bots if by_name[name].name not in out]

    joined, house_bots = players_without(suspended)
    if not joined or (-len(joined) % size and not house_bots):
        joined, others = players_without(ordered)
        house_bots = house_bots or others
    if not joined or (-len(joined) % size and not house_bots):
        if not joined and not ordered:
            message = "no players yet: no program of an author has been accepted"
            hint = "arbiter authors add gives authors a token to send one"
            raise TooFewPlayers(message, str(config.file), hint)
        left = f"{len(joined)} players do not fill tables of {size}" if joined else "no players are left"
        without_whom = f" without {', '.join(sorted(ordered))}, suspended by order" if ordered else ""
        raise TooFewPlayers(
            left + without_whom, str(config.file), "name a player in house_bots, or reinstate one"
        )
    missing = -len(joined) % size
    times = {player.name: 1 for player in joined}
    for number in range(missing):
        player = by_name[house_bots[(round_number + number) % len(house_bots)]]
        times[player.name] = count = times.get(player.name, 0) + 1
        if count > 1:
            player = replace(player, name=f"{player.name}{COPY_MARK}{count}")
        joined.append(player)
    return joined


def drawn_tables(names: Sequence[str], size: int, seed: str, round_number: int) -> list[list[str]]:
    """Draw random tables of `size` names, from a separate stream, so that deals are not affected."""
    order = Stream("arbiter-tables-1", seed, round_number).shuffled(len(names))
    drawn = [names[number] for number in order]
    return [drawn[start : start + size] for start in range(0, len(drawn), size)]


def matches_of(game: AnyGame, tables: Sequence[Sequence[str]]) -> int:
    """Return the number of matches of a round with these tables."""
    return len(tables) * len(game.seatings)


def match_specs(
    config: Config, seed: str, round_number: int, tables: Sequence[Sequence[str]]
) -> Iterable[MatchSpec]:
    """Yield the matches of every table in all its rotations."""
    players = {entry.player.name: entry.player for entry in config.entries}
    for table, names in enumerate(tables, 1):
        sitting = [player_called(players, name) for name in names]
        for rotation, places in enumerate(config.game.seatings):
            seated = tuple(sitting[place] for place in places)
            yield MatchSpec(
                id=f"r{round_number:03d}/t{table:02d}/m{rotation}",
                season=config.season,
                round=round_number,
                table=table,
                rotation=rotation,
                game=config.game.name,
                options=config.game.options,
                seed=seed,
                players=seated,
                limits=agreed_limits(config.limits, seated),
                publish_notes=config.publish_notes,
            )


def player_called(players: Mapping[str, Player], name: str) -> Player:
    """Return a player by rated name, or a house bot's copy; KeyError if unknown."""
    return players.get(name) or replace(players[original(name)], name=name)


def agreed_limits(limits: Limits, players: Iterable[Player]) -> Limits:
    """Return the limits of a match: strict delivery unless every player is `batched`."""
    return limits if all(player.batched for player in players) else replace(limits, delivery="strict")
