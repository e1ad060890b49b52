"""The figures of one state of a season, for commands, pages, API and report alike; `shapes` has their types.

Names of bots, reasons and commands in them are hostile input: what shows them escapes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.picture.marks import APART, first_place, marked, official_ranks, warnings
from arbiter.season.orders import force
from arbiter.season.schedule import matches_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.picture import shapes
    from arbiter.picture.state import SeasonState
    from arbiter.store import StoredRound
    from rating.ratings import Ranking


def season(state: SeasonState) -> shapes.SeasonInShort:
    """A season in short: how far it is, who plays it, and what its deals were committed to."""
    begun, file, following = state.begun, state.file, state.following
    until = None if file.until is None else file.until.isoformat()
    due: shapes.Next | None = None
    if following is not None:
        due = {"round": following.number, "begins": following.begins.isoformat()}
    return {
        "season": state.name,
        "game": {"name": file.game.name, "title": file.game.title, "options": dict(file.game.options)},
        "rounds": max(file.rounds, len(state.rounds)),
        "until": until,
        "frozen_after": state.frozen,
        "complete": state.complete,
        "players": len(state.names),
        "matches": len(state.matches),
        "round": None if begun is None else round_in_short(state, begun),
        "next": due,
        "state": progress(state),
        "takes_programs": file.submissions is not None,
        "commitment": state.commitment,
        "seed": state.seed,
        "stamp": state.stamp,
        "moment": state.moment.isoformat(timespec="seconds"),
    }


def status(state: SeasonState) -> shapes.Status:
    """A season in short for organisers."""
    stored, begun = state.stored, state.begun
    asked = stored.running.question() if state.holder is None else None
    holds, now = force(stored.orders.read().given), season(state)
    if begun and now["round"] and (stored.settings(begun.digest) or {}).get("after_fault") == "substitute":
        from arbiter.season.settings import config_of
        from arbiter.season.substitutes import number_of_substitutes

        then = config_of(state.config, stored, begun)
        more = 0 if then is None else number_of_substitutes(then, stored, begun.number)
        now["round"]["matches"] = max(
            now["round"]["stored"], matches_of(state.file.game, begun.tables) + more
        )
    return {
        **now,
        "played_by": state.holder,
        "stop_asked": state.stopping,
        "paused": state.paused,
        "closed": state.closed,
        "asks": None if asked is None else asked.because,
        "suspended": dict(state.suspended),
        "annulled": len(holds.annulled),
        "to_replay": len(holds.to_replay),
    }


def progress(state: SeasonState) -> shapes.Condition:
    """Return the present condition of a season."""
    if state.seed is not None and state.begun is None:
        return "over"
    if state.holder is not None:
        return "stopping" if state.stopping else "playing"
    if state.paused is not None:
        return "paused"
    return "waiting" if state.rounds else "new"


def round_in_short(state: SeasonState, round_: StoredRound) -> shapes.Progress:
    """Return the progress of a round; `matches` may grow by those played once more with a substitute."""
    stored = sum(match.round == round_.number for match in state.matches)
    return {
        "round": round_.number,
        "complete": round_.complete,
        "stored": stored,
        "matches": max(stored, matches_of(state.file.game, round_.tables)),
    }


def standings(
    state: SeasonState, after: int | None = None, official: bool = True, ranking: Ranking | None = None
) -> shapes.Standings:
    """The standings after a round, by default the last: with marks, and for the last with rank intervals.

    House and withdrawn players stand last and have no `rank`. Where not `official` all are ranked, and
    neither intervals of ranks nor the first place are given. `ranking` is an earlier round's, if it is known.
    """
    number = state.complete if after is None else after
    is_last = number == state.complete
    stored = _NONE_YET if official and number == 0 else state.standings_after(number)
    suspended = state.suspended if is_last else stored.get("suspended", {})
    rows = marked(stored, state.players, suspended, official)
    first = None
    if official:
        ranking = state.ranking if is_last else ranking
        if ranking is not None and is_last:
            _tell_apart(rows, ranking)
        over = is_last and progress(state) == "over"
        first = first_place(rows, over, None if ranking is None else ranking.better)
    return {
        "season": state.name,
        "game": state.file.game.name,
        "rounds_played": number,
        "drawelo": stored["drawelo"],
        "intervals": stored["intervals"],
        "warnings": warnings(stored, suspended),
        "suspended": dict(suspended),
        "after_round": number,
        "favours": stored.get("favours", []),
        "first": first,
        "players": rows,
    }


_NONE_YET: shapes.StoredStandings = {"drawelo": None, "intervals": None, "warnings": [], "players": []}
"""The message before a round is complete."""


def _tell_apart(rows: Sequence[shapes.Row], ranking: Ranking) -> None:
    """Give the rows of those who rank officially the intervals of their ranks, and mark sure orders."""
    where = {name: k for k, name in enumerate(ranking.fit.table.players)}
    official = [row for row in rows if row["rank"] is not None and row["elo"] is not None]
    places = [where[row["player"]] for row in official]
    low, high = ranking.intervals.rank_interval(who=places)
    chance = ranking.intervals.los(places)
    for place, row in zip(places, official, strict=True):
        row["rank_low"], row["rank_high"] = int(low[place]), int(high[place])
    for k, row in enumerate(official[:-1]):
        row["apart"] = bool(chance[k, k + 1] >= APART)


def crosstable(state: SeasonState, official: bool = True) -> shapes.Crosstable:
    """Results of each player against each other; those who do not rank officially stand last, if it is so."""
    ranking = state.ranking
    if ranking is None:
        return {"season": state.name, "after_round": 0, "players": [], "cells": []}
    rated = {row.player for row in ranking.rows if row.matches}
    rows = marked(state.standings_after(state.complete), state.players, {}, official)
    names = [row["player"] for row in rows if row["player"] in rated]
    where = {name: k for k, name in enumerate(ranking.fit.table.players)}
    chance = ranking.intervals.los([where[name] for name in names])
    counts: dict[tuple[str, str], list[int]] = {}
    pairs = ranking.fit.table.pairs()
    players = ranking.fit.table.players
    for i, j, *of in zip(pairs.i.tolist(), pairs.j.tolist(), *pairs.counts.astype(int).tolist(), strict=True):
        counts[players[i], players[j]] = of
        counts[players[j], players[i]] = of[::-1]
    cells = [
        [_cell(counts.get((one, other)), float(chance[i, j])) for j, other in enumerate(names)]
        for i, one in enumerate(names)
    ]
    return {"season": state.name, "after_round": state.complete, "players": names, "cells": cells}


def _cell(counts: list[int] | None, los: float) -> shapes.Cell | None:
    """Won, drawn and lost matches with how sure they make it; None for two who never met."""
    if counts is None:
        return None
    won, drawn, lost = counts
    from statistics import NormalDist

    # The standard score, at most 9.
    z = NormalDist().inv_cdf(min(max(los, 1e-18), 1 - 1e-16))
    return {"wins": won, "draws": drawn, "losses": lost, "los": los, "z": z}


def history(state: SeasonState, last: int | None = None, official: bool = True) -> shapes.History:
    """Each player's rating after each round, up to the `last` one."""
    rounds: list[shapes.RoundRatings] = [
        {"round": number, "players": ratings(state, number, official)}
        for number in range(1, (state.complete if last is None else last) + 1)
    ]
    return {"season": state.name, "history": rounds}


def ratings(state: SeasonState, number: int, official: bool = True) -> list[shapes.Rated]:
    """Everybody's rating after a round, the best first; those who do not rank officially have no `rank`."""
    rows = state.standings_after(number)["players"]
    ranks = official_ranks(rows, state.players) if official else [row["rank"] for row in rows]
    return [
        {"rank": rank, "player": row["player"], "elo": row["elo"], "low": row["low"], "high": row["high"]}
        for row, rank in zip(rows, ranks, strict=True)
    ]
