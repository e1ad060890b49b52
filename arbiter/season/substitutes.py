"""Matches played once more after a fault, with a house bot in the faulty seat.

Theory of operation. A fault ends a match early for the other players. Under ``after_fault: substitute`` the
match keeps its results, and another follows with the same deals and seats: `r001/t01/m0+` after
`r001/t01/m0`. The house bot in it has no results, and its fault gives none to others; no further match
follows it. Substitutes depend on the first runs of a round's matches: a match that is annulled and replayed
gets no new substitute, and its match with a substitute counts as long as the same seat is at fault.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from arbiter.match.spec import AGAIN_MARK, COPY_MARK, original
from arbiter.season.order_effects import as_first_played, first_id
from arbiter.season.schedule import agreed_limits, player_called

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from arbiter.games.game import Seat
    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import MatchSpec, Player
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore


def substitute_id(match_id: str) -> str:
    """Return the id of the match with a substitute that follows a match."""
    return match_id + AGAIN_MARK


def substitute(config: Config, match: MatchSummary, suspended: Collection[str] = ()) -> Player | None:
    """Return the house bot that replaces the faulty player of `match`; None without a substitute.

    House bots take turns; a suspended one is used only if there is no other, the faulty one never. One at the
    table joins as a copy.
    """
    if config.after_fault != "substitute" or match.faulty is None or match.substitute is not None:
        return None
    faulty, others = match.players[match.faulty], _names_without_seat(match.players, match.faulty)
    by_name = {entry.registered_name: entry.player for entry in config.entries}
    able = [by_name[name] for name in config.house_bots if by_name[name].name != original(faulty)]
    able = [player for player in able if player.name not in suspended] or able
    if not able or not _has_rivals(match, match.faulty):
        return None
    player = able[((match.round or 0) + (match.table or 0) + match.rotation) % len(able)]
    name, count = player.name, 1
    while name in others:
        count += 1
        name = f"{player.name}{COPY_MARK}{count}"
    return replace(player, name=name)


def _names_without_seat(names: Iterable[str], out: Seat) -> list[str]:
    return [name for seat, name in enumerate(names) if seat != out]


def _has_rivals(match: MatchSummary, out: Seat) -> bool:
    """True when the match without seat `out` would have a result."""
    owners = [original(name) for name in match.players]
    sides = match.sides or range(len(owners))
    return any(
        owners[one] != owners[other] and sides[one] != sides[other]
        for one, other in combinations(range(len(owners)), 2)
        if out not in (one, other)
    )


def with_substitute(config: Config, spec: MatchSpec, seat: Seat, player: Player) -> MatchSpec:
    """Return the match that follows `spec`, with `player` in the faulty seat."""
    players = (*spec.players[:seat], player, *spec.players[seat + 1 :])
    return replace(
        spec,
        id=substitute_id(spec.id),
        players=players,
        limits=agreed_limits(config.limits, players),
        substitute=seat,
    )


def substitute_specs(
    config: Config,
    specs: Iterable[MatchSpec],
    played: Iterable[MatchSummary],
    suspended: Collection[str] = (),
) -> Iterator[MatchSpec]:
    """Yield the matches with substitutes that follow those of `specs` that are `played`."""
    known = {match.id: match for match in played}
    for spec in specs:
        match = known.get(spec.id)
        player = None if match is None else substitute(config, match, suspended)
        if match is not None and player is not None and match.faulty is not None:
            yield with_substitute(config, spec, match.faulty, player)


def substitutes_as_stored(
    config: Config, specs: Iterable[MatchSpec], stored: Iterable[MatchSummary]
) -> Iterator[MatchSpec]:
    """Yield the stored matches with substitutes as they were planned, without those of unknown players."""
    first = {spec.id: spec for spec in specs}
    players = {entry.player.name: entry.player for entry in config.entries}
    for match in stored:
        if match.substitute is not None and (spec := first.get(first_id(match.id))) is not None:
            name = match.players[match.substitute]
            if original(name) in players:
                yield with_substitute(config, spec, match.substitute, player_called(players, name))


def first_played(season: SeasonStore, number: int) -> list[MatchSummary]:
    """Load the first runs of a round's matches."""
    earlier = as_first_played(season.orders.read().given)
    return [earlier.get(match.id, match) for match in season.summaries(number, number)]


def number_of_substitutes(config: Config, season: SeasonStore, number: int) -> int:
    """Load a round's matches; return how many matches with substitutes follow them."""
    if config.after_fault == "end":
        return 0
    return sum(substitute(config, match) is not None for match in first_played(season, number))
