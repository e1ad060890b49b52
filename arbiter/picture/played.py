"""The rounds, matches and players of one state of a season; see `figures`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from arbiter.config.changes import registered_name
from arbiter.match import original
from arbiter.outcome import say_match, winners
from arbiter.picture import boards
from arbiter.picture.figures import crosstable, ratings, round_in_short, standings
from arbiter.store.happenings import Happening
from arbiter.view import Reader, fault_words, replay_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.match import MatchSummary
    from arbiter.picture.shapes import MatchFault, MatchRow, PlayerPage, Round, RoundTable, Use, Versus
    from arbiter.picture.state import SeasonState
    from arbiter.viewed import Replay

PUBLIC = Reader("public")
MOST_FAULTS = 50
"""Faults of a player that its page tells; what it says of each is read from the match."""
MOST_SHOWN = 50
"""Matches of two players that their page lists, the last first."""
PACE_OF = 24
"""Matches, the last ones stored, whose pace is taken."""


def round_page(state: SeasonState, number: int) -> Round | None:
    """A round's tables with their matches; None where there is no such round."""
    found = next((known for known in state.rounds if known.number == number), None)
    if found is None:
        return None
    mine = [match_in_short(state, match) for match in state.matches if match.round == number]
    tables: list[RoundTable] = [
        {"table": table, "players": list(names), "matches": [one for one in mine if one["table"] == table]}
        for table, names in enumerate(found.tables, 1)
    ]
    short = round_in_short(state, found)
    return {"season": state.name, **short, "rounds": len(state.rounds), "tables": tables}


def match_in_short(state: SeasonState, match: MatchSummary) -> MatchRow:
    """A match for lists: no reason of a fault, which may tell of cards or of standard error."""
    fault: MatchFault | None = None
    if match.faulty is not None:
        fault = {"seat": match.faulty, "player": match.players[match.faulty], "kind": str(match.fault)}
    return {
        "id": match.id,
        "round": match.round,
        "table": match.table,
        "rotation": match.rotation,
        "players": list(match.players),
        "points": None if match.points is None else list(match.points),
        "winners": list(winners(match.points)),
        "say": say_match(match),
        "fault": fault,
        "substitute": match.substitute,
        "annulled": state.annulled.get(match.id),
    }


def match_told(state: SeasonState, match: MatchSummary) -> MatchRow:
    """The same for organisers, with the reason of a fault."""
    row = match_in_short(state, match)
    return row if match.faulty is None else {**row, "text": match.detail}


def matches(
    state: SeasonState, round_number: int | None = None, player: str | None = None, against: str | None = None
) -> list[MatchSummary]:
    """The stored matches of a round, of a player, of two players, in the order of the plan."""
    wanted = {name for name in (player, against) if name is not None}
    return [
        match
        for match in state.matches
        if round_number in (None, match.round) and wanted <= set(match.players)
    ]


def faults(state: SeasonState, ended: Iterable[MatchSummary]) -> list[MatchRow]:
    """Matches that faults ended, each with what the public may know of the reason."""
    rows: list[MatchRow] = []
    for match in ended:
        record = state.record(match.id)
        if record is not None and record.forfeit is not None:
            words = fault_words(record.forfeit, PUBLIC, state.is_complete(match.round))
            rows.append({**match_in_short(state, match), "text": words})
    return rows


def player_page(state: SeasonState, name: str) -> PlayerPage | None:
    """All about a player; None where nobody of that name is in the season."""
    if name not in state.names:
        return None
    table = crosstable(state)
    here = table["players"].index(name) if name in table["players"] else None
    rows = standings(state)["players"]
    family = registered_name(name)
    played = [match for match in state.counted if name in match.players]
    own = [match for match in played if match.faulty is not None and match.players[match.faulty] == name]
    return {
        "season": state.name,
        "player": name,
        "standing": next((row for row in rows if row["player"] == name), None),
        "house": state.players.get(original(name), False),
        "withdrawn": original(name) not in state.players,
        "suspended": state.suspended.get(name),
        "versions": [known for known in state.names if registered_name(known) == family],
        "history": [
            {"round": number, **row}
            for number in range(1, state.complete + 1)
            for row in ratings(state, number)
            if row["player"] == name
        ],
        "against": []
        if here is None
        else [
            {"player": other, **cell}
            for other, cell in zip(table["players"], table["cells"][here], strict=True)
            if cell is not None
        ],
        "faults": faults(state, own[-MOST_FAULTS:]),
        "faults_in_all": len(own),
        "use": _use(state, name, played),
        "cards": next((row for row in boards.totals(played) if row["player"] == name), None),
    }


def versus(state: SeasonState, one: str, other: str) -> Versus | None:
    """Two players against each other; None where either is nobody, or both are the same."""
    if one == other or not {one, other} <= set(state.names):
        return None
    both = [match for match in state.counted if {one, other} <= set(match.players)]
    table = crosstable(state)
    cell = None
    if {one, other} <= set(table["players"]):
        cell = table["cells"][table["players"].index(one)][table["players"].index(other)]
    means = {row["player"]: row for row in boards.totals(both)}
    rows = {row["player"]: row for row in standings(state)["players"]}
    return {
        "season": state.name,
        "players": [one, other],
        "standing": [rows.get(one), rows.get(other)],
        "cell": cell,
        "points": [means[name]["points"] if name in means else None for name in (one, other)],
        "met": len(both),
        "matches": [match_in_short(state, match) for match in both[: -MOST_SHOWN - 1 : -1]],
    }


def _use(state: SeasonState, name: str, played: Iterable[MatchSummary]) -> Use | None:
    """Time and memory of a player in the last complete round in which it played; None if it never did."""
    last = max((match.round or 0 for match in played), default=0)
    if not last:
        return None
    reports = [bot for record in state.records(last) for bot in record.bots if bot.player == name]
    return None if not reports else {
        "round": last,
        "matches": len(reports),
        "charged_ms": sum(bot.charged_ns for bot in reports) / len(reports) / 1e6,
        "most_charged_ms": max(bot.charged_ns for bot in reports) / 1e6,
        "peak_memory_mb": max(bot.peak_memory_bytes for bot in reports) / 1e6,
    }  # fmt: skip


def match_page(state: SeasonState, match_id: str) -> MatchRow | None:
    """A match in short; None where no such match is stored."""
    match = state.by_id.get(match_id)
    return None if match is None else match_in_short(state, match)


def replay(state: SeasonState, match_id: str, reader: str = "public") -> Replay | None:
    """A match as the public may see it in this state, or as a seat saw it once its round is complete.

    None where no such match is stored, or there is nothing to see yet.
    """
    if match_id not in state.by_id:
        return None
    record = state.record(match_id)
    if record is None:
        return None
    complete = state.is_complete(record.round)
    seats = range(len(record.players) if complete else 0)
    eyes = {"public": PUBLIC} | {f"seat:{seat}": Reader("seat", seat, author=False) for seat in seats}
    return replay_of(record, eyes[reader], complete) if reader in eyes else None


def under_way(state: SeasonState) -> Mapping[str, object]:
    """The round under way, else the last one, with every match of it, and when it is over at this pace."""
    now = state.begun or (state.rounds[-1] if state.rounds else None)
    if now is None:
        return {"round": None, "left_s": None}
    tables = []
    for table, names in enumerate(now.tables, 1):
        rows: dict[str, Mapping[str, object]] = {}
        for rotation, places in enumerate(state.file.game.seatings):
            match_id = f"r{now.number:03d}/t{table:02d}/m{rotation}"
            players = [names[place] for place in places]
            nothing = {"points": None, "winners": (), "fault": None, "substitute": None}
            rows[match_id] = {"id": match_id, "players": players, **nothing, "to_do": True}
        for match in state.matches:
            if (match.round, match.table) == (now.number, table):
                rows[match.id] = {**match_in_short(state, match), "to_do": False}
        tables.append({"table": table, "matches": list(rows.values()), "sums": _sums(names, rows.values())})
    return {"round": {**round_in_short(state, now), "tables": tables}, "left_s": time_left(state)}


def _sums(names: Sequence[str], matches: Iterable[Mapping[str, Any]]) -> list[Mapping[str, object]]:
    """Return the points of each player of a table over its matches that have points; the most first."""
    sums = dict.fromkeys(names, 0)
    for match in matches:
        if match["points"] is not None and not match.get("annulled"):
            for name, points in zip(match["players"], match["points"], strict=True):
                sums[name] = sums.get(name, 0) + points
    ranked = sorted(sums.items(), key=lambda one: -one[1])
    return [{"player": name, "points": points} for name, points in ranked]


def time_left(state: SeasonState) -> float | None:
    """Seconds until the round under way is over; None if nobody plays it or its pace is not known yet."""
    begun = state.begun
    if begun is None or state.holder is None:
        return None
    recent = state.stored.events(max(0, state.event - PACE_OF), PACE_OF)
    mine = [event for event in recent if event.kind is Happening.MATCH and event.round == begun.number]
    # One that was played again counts where it was stored last.
    ids = list(dict.fromkeys(event.subject for event in reversed(mine)))[::-1]
    ends = []
    for match_id in (ids[0], ids[-1]) if len(ids) > 1 else ():
        record = state.stored.match(match_id)
        if record is not None and record.started:
            ends.append(datetime.fromisoformat(record.started).timestamp() + record.wall_ns / 1e9)
    if len(ends) < 2 or ends[1] <= ends[0]:
        return None
    short = round_in_short(state, begun)
    return float((short["matches"] - short["stored"]) * (ends[1] - ends[0]) / (len(ids) - 1))
