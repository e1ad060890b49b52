"""The matches of a version: the list, worst first; one match as its seat saw it; its log.

Only complete matches are shown, and their deals are never used again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.contest.agents.answer_limits import cut, list_page, text_page
from arbiter.contest.submissions.match_log import log_of, seen_by
from arbiter.errors import ConfigError
from arbiter.match.spec import original
from arbiter.replay.result_text import lead_of
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.contest.agents.arena import AgentArena
    from arbiter.games.game import Seat
    from arbiter.match.record import MatchRecord, MatchSummary

WHY = 300
"""The most bytes of a fault's description."""
FAULT, LOST, DRAWN, WON, OTHERS = "fault", "lost", "drawn", "won", "fault of another"


class OwnMatch(NamedTuple):
    """A match, and the seats of the agent's bot there."""

    record: MatchRecord
    seats: tuple[Seat, ...]


def list_matches(arena: AgentArena, version: int | None = None, page: int = 1) -> dict[str, Any]:
    """Load a version's matches; return a page, worst first: own faults, then losses by most points."""
    with arena.open() as (store, stored):
        gauntlet = arena.gauntlet(arena.version(stored, version), store)
        season = store.season(gauntlet.name)
        rows, pages = list_page(rows_of(season.summaries() if season else [], gauntlet.player), page)
    return {"player": gauntlet.player, "matches": rows, **pages}


def show_match(arena: AgentArena, match: str, version: int | None = None, page: int = 1) -> dict[str, Any]:
    """Load a match; return a page of it as the bot's first seat knew it: cards, messages, answers."""
    own = _load_own_match(arena, match, version)
    text = printable("\n".join(seen_by(own.record, own.seats[0])))
    return {"id": own.record.id, "seats": list(own.seats), **text_page(text, page)}


def show_log(arena: AgentArena, match: str, version: int | None = None, page: int = 1) -> dict[str, Any]:
    """Load a match; return a page of its log: messages, answers, times, end of the bot's standard error."""
    own = _load_own_match(arena, match, version)
    return {"id": own.record.id, "seats": list(own.seats), **text_page(log_of(own.record, own.seats), page)}


def rows_of(matches: Iterable[MatchSummary], player: str) -> list[dict[str, Any]]:
    """Return a row for each match: own faults, losses, draws, wins, faults of others; by lead in these."""
    told = [(_outcome(match, player), lead_of(match, player) or 0.0, match) for match in matches]
    order = (FAULT, LOST, DRAWN, WON, OTHERS)
    told.sort(key=lambda one: (order.index(one[0]), one[1], one[2].id))
    return [
        {
            "id": match.id,
            "outcome": found,
            "seats": list(seats_of_player(match.players, player)),
            "players": list(match.players),
            "points": None if match.points is None else list(match.points),
            "reason": "" if match.fault is None else cut(f"{match.fault}: {match.detail}", WHY),
        }
        for found, _, match in told
    ]


def seats_of_player(players: Iterable[str], player: str) -> tuple[Seat, ...]:
    """Return the seats of a player and its copies."""
    return tuple(seat for seat, name in enumerate(players) if original(name) == player)


def _load_own_match(arena: AgentArena, match: str, version: int | None) -> OwnMatch:
    """Load a match of a version; ConfigError if it has played none, or not this one."""
    with arena.open() as (store, stored):
        gauntlet = arena.gauntlet(arena.version(stored, version), store)
        season = store.season(gauntlet.name)
        if season is None:
            raise ConfigError(f"{gauntlet.player} has not played a match yet")
        record = season.match(match)
        if record is None:
            raise ConfigError(f"no match {match!r}", hint="without an id `match` lists all")
    return OwnMatch(record, seats_of_player(record.players, gauntlet.player))


def _outcome(match: MatchSummary, player: str) -> str:
    """Return FAULT, LOST, DRAWN, WON, or OTHERS for another's fault: the outcome for a player."""
    if match.points is None:
        own = match.faulty is not None and original(match.players[match.faulty]) == player
        return FAULT if own else OTHERS
    lead = lead_of(match, player) or 0.0
    return LOST if lead < 0 else WON if lead > 0 else DRAWN
