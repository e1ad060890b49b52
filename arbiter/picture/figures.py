"""What pages show, as JSON values: of one state of a season, for pages, API and report alike.

Names of bots, reasons and commands in them are hostile input: whoever shows them escapes them.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from arbiter.config.changes import registered_name
from arbiter.match import original
from arbiter.picture.first_place import APART, first_place
from arbiter.view import Reader, fault_words, replay_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arbiter.match import MatchSummary
    from arbiter.picture.state import State
    from arbiter.store import StoredRound

PUBLIC = Reader("public")
MOST_FAULTS = 50
"""Faults of a player that its page tells; what it says of each is read from the match."""


def season(state: State) -> dict[str, Any]:
    """A season in short: how far it is, who plays it, and what its deals were committed to."""
    begun, config, following = state.begun, state.config, state.following
    until = None if config.until is None else config.until.isoformat()
    return {
        "season": state.name,
        "game": {"name": config.game.name, "title": config.game.title, "options": dict(config.game.options)},
        "rounds": max(config.rounds, len(state.rounds)),
        "until": until,
        "frozen_after": state.frozen,
        "complete": state.complete,
        "players": len(state.names),
        "matches": len(state.matches),
        "round": None if begun is None else round_in_short(state, begun),
        "next": None
        if following is None
        else {"round": following.number, "begins": following.begins.isoformat()},
        "state": progress(state),
        "takes_programs": state.config.submissions is not None,
        "commitment": state.commitment,
        "seed": state.seed,
        "stamp": state.stamp,
        "moment": state.moment.isoformat(timespec="seconds"),
    }


def progress(state: State) -> str:
    """One word for what happens to a season now: over, stopping, playing, paused, waiting or new."""
    if state.seed is not None and state.begun is None:
        return "over"
    if state.holder is not None:
        return "stopping" if state.stopping else "playing"
    if state.paused is not None:
        return "paused"
    return "waiting" if state.rounds else "new"


def round_in_short(state: State, round_: StoredRound) -> dict[str, Any]:
    """How far a round is; `matches` may grow by those that are played once more with a substitute."""
    stored = sum(match.round == round_.number for match in state.matches)
    return {
        "round": round_.number,
        "complete": round_.complete,
        "stored": stored,
        "matches": max(stored, state.planned_matches(round_)),
    }


def standings(state: State, after: int | None = None) -> dict[str, Any]:
    """The standings after a round, by default the last: with marks, and for the last with rank intervals.

    House and withdrawn players stand last and have no `rank`. `apart` is true where a player is told apart
    from the one below it; `first` is the first place.
    """
    number = state.complete if after is None else after
    if number == 0:
        return _no_standings(state)
    shape = state.official(number)
    rows = [{**row, "rank_low": None, "rank_high": None, "apart": None} for row in shape["players"]]
    ranking = state.ranking if number == state.complete else None
    if ranking is not None:
        where = {name: k for k, name in enumerate(ranking.fit.table.players)}
        official = [row for row in rows if row["rank"] is not None and row["elo"] is not None]
        places = [where[row["player"]] for row in official]
        low, high = ranking.intervals.rank_interval(who=places)
        chance = ranking.intervals.los(places)
        for place, row in zip(places, official, strict=True):
            row["rank_low"], row["rank_high"] = int(low[place]), int(high[place])
        for k, row in enumerate(official[:-1]):
            row["apart"] = bool(chance[k, k + 1] >= APART)
    over = progress(state) == "over" and number == state.complete
    first = first_place(rows, over, None if ranking is None else ranking.better)
    return {
        **shape,
        "players": rows,
        "after_round": number,
        "first": first,
        "suspended": dict(state.suspended),
    }


def _no_standings(state: State) -> dict[str, Any]:
    """What there is to say before a round is complete."""
    return {
        "season": state.name,
        "game": state.config.game.name,
        "rounds_played": 0,
        "after_round": 0,
        "drawelo": None,
        "intervals": None,
        "warnings": [],
        "suspended": dict(state.suspended),
        "first": None,
        "players": [],
    }


def crosstable(state: State) -> dict[str, Any]:
    """Results and points of each player against each other, and how sure it is who is better (`los`, `z`)."""
    ranking = state.ranking
    if ranking is None:
        return {"season": state.name, "players": [], "cells": []}
    rated = {row.player for row in ranking.rows if row.matches}
    names = [row["player"] for row in state.official(state.complete)["players"] if row["player"] in rated]
    where = {name: k for k, name in enumerate(ranking.fit.table.players)}
    chance = ranking.intervals.los([where[name] for name in names])
    counts: dict[tuple[str, str], list[int]] = {}
    pairs = ranking.fit.table.pairs()
    players = ranking.fit.table.players
    for i, j, *of in zip(pairs.i.tolist(), pairs.j.tolist(), *pairs.counts.astype(int).tolist(), strict=True):
        won, drawn, lost = of
        counts[players[i], players[j]] = [won, drawn, lost]
        counts[players[j], players[i]] = [lost, drawn, won]
    cells = []
    for i, one in enumerate(names):
        row: list[dict[str, Any] | None] = []
        for j, other in enumerate(names):
            if one == other or (one, other) not in counts:
                row.append(None)
                continue
            won, drawn, lost = counts[one, other]
            los = float(chance[i, j])
            row.append({"wins": won, "draws": drawn, "losses": lost, "los": los, "z": _z(los)})
        cells.append(row)
    return {"season": state.name, "after_round": state.complete, "players": names, "cells": cells}


def _z(los: float) -> float:
    """The standard score of a probability, at most 9."""
    return NormalDist().inv_cdf(min(max(los, 1e-18), 1 - 1e-16))


def history(state: State) -> dict[str, Any]:
    """Each player's rating after each round."""
    rounds = [
        {
            "round": number,
            "players": [
                {"rank": rank, **{key: row[key] for key in ("player", "elo", "low", "high")}}
                for row, rank in zip(standings["players"], state.ranks(number), strict=True)
            ],
        }
        for number, standings in enumerate(state.standings, 1)
    ]
    return {"season": state.name, "history": rounds}


def round_page(state: State, number: int) -> dict[str, Any] | None:
    """A round's tables with their matches; None where there is no such round."""
    found = next((known for known in state.rounds if known.number == number), None)
    if found is None:
        return None
    mine = [match_in_short(state, match) for match in state.matches if match.round == number]
    tables = [
        {
            "table": table,
            "players": list(names),
            "matches": [match for match in mine if match["table"] == table],
        }
        for table, names in enumerate(found.tables, 1)
    ]
    return {
        "season": state.name,
        **round_in_short(state, found),
        "rounds": len(state.rounds),
        "tables": tables,
    }


def match_in_short(state: State, match: MatchSummary) -> dict[str, Any]:
    """A match for lists: no reason of a fault, which may tell of cards or of standard error."""
    fault = None
    if match.faulty is not None:
        fault = {"seat": match.faulty, "player": match.players[match.faulty], "kind": str(match.fault)}
    return {
        "id": match.id,
        "round": match.round,
        "table": match.table,
        "rotation": match.rotation,
        "players": list(match.players),
        "points": None if match.points is None else list(match.points),
        "fault": fault,
        "substitute": match.substitute,
        "annulled": state.annulled.get(match.id),
    }


def matches(
    state: State, round_number: int | None = None, player: str | None = None, against: str | None = None
) -> list[MatchSummary]:
    """The stored matches of a round, of a player, of two players, in the order of the plan."""
    wanted = {name for name in (player, against) if name is not None}
    return [
        match
        for match in state.matches
        if round_number in (None, match.round) and wanted <= set(match.players)
    ]


def faults(state: State, ended: Iterable[MatchSummary]) -> list[dict[str, Any]]:
    """Matches that faults ended, each with what the public may know of the reason."""
    told = []
    for match in ended:
        record = state.record(match.id)
        if record is not None and record.forfeit is not None:
            words = fault_words(record.forfeit, PUBLIC, state.is_complete(match.round))
            told.append({**match_in_short(state, match), "text": words})
    return told


def player_page(state: State, name: str) -> dict[str, Any] | None:
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
            {"round": number, "rank": rank, **{key: row[key] for key in ("elo", "low", "high")}}
            for number, standings_ in enumerate(state.standings, 1)
            for row, rank in zip(standings_["players"], state.ranks(number), strict=True)
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
    }


def _use(state: State, name: str, played: Iterable[MatchSummary]) -> dict[str, Any] | None:
    """Time and memory of a player in the last complete round in which it played; None if it never did."""
    last = max((match.round or 0 for match in played), default=0)
    if not last:
        return None
    reports = [bot for record in state.records(last) for bot in record.bots if bot.player == name]
    return (
        {
            "round": last,
            "matches": len(reports),
            "charged_ms": sum(bot.charged_ns for bot in reports) / len(reports) / 1e6,
            "most_charged_ms": max(bot.charged_ns for bot in reports) / 1e6,
            "peak_memory_mb": max(bot.peak_memory_bytes for bot in reports) / 1e6,
        }
        if reports
        else None
    )


def match_page(state: State, match_id: str) -> dict[str, Any] | None:
    """A match in short; None where no such match is stored."""
    match = state.by_id.get(match_id)
    return None if match is None else match_in_short(state, match)


def replay(state: State, match_id: str, reader: str = "public") -> Mapping[str, Any] | None:
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
