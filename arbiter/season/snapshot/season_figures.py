"""The figures of a season's state, for commands, pages, API and report; `schema` has their types.

Names of bots, reasons and commands in them are hostile input, to be escaped where shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.season.order_effects import effective_orders
from arbiter.season.schedule import matches_of
from arbiter.season.snapshot.history import MOST_RATINGS, MOST_ROUNDS, ratings_after
from arbiter.season.snapshot.model_costs import add_costs
from arbiter.season.snapshot.pagination import ROWS, PageWindow, page_fields, page_of, some_rounds, window
from arbiter.season.snapshot.standing_marks import (
    APART,
    WorstRank,
    first_place,
    in_rank,
    leading_rows,
    warnings,
    with_marks,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.season.snapshot import schema
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.season.snapshot.standing_marks import Ranked
    from arbiter.store.row_values import PlannedRound
    from rating.ratings import Ranking


def season(state: SeasonState) -> schema.SeasonInShort:
    """Return a season in short: its progress, condition, and the commitment to its deals."""
    begun, file, following = state.begun, state.file, state.following
    until = None if file.until is None else file.until.isoformat()
    due: schema.Next | None = None
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
        "matches": state.number_of_matches,
        "round": None if begun is None else round_in_short(state, begun),
        "next": due,
        "state": progress(state),
        "takes_programs": file.submissions is not None,
        "commitment": state.commitment,
        "seed": state.seed,
        "stamp": state.stamp,
        "moment": state.moment.isoformat(timespec="seconds"),
    }


def status(state: SeasonState) -> schema.Status:
    """Return a season in short for organisers, with what its store has now on orders, voids and questions."""
    stored, begun = state.stored, state.begun
    voids = stored.voids.count()
    asked = stored.running.question() if state.holder is None else None
    holds, now = effective_orders(stored.orders.read().given), season(state)
    if begun and now["round"] and (stored.settings(begun.digest) or {}).get("after_fault") == "substitute":
        from arbiter.season.settings import config_of
        from arbiter.season.substitutes import number_of_substitutes

        then = config_of(state.config, stored, begun)
        more = 0 if then is None else number_of_substitutes(then, stored, begun.number)
        now["round"]["matches"] = max(
            now["round"]["stored"], matches_of(state.file.game, state.tables(begun.number)) + more
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
        "voids": {"all": voids.all, "players": voids.players},
    }


def progress(state: SeasonState) -> schema.Condition:
    """Return the present condition: over, stopping, playing, paused, waiting or new."""
    if state.seed is not None and state.begun is None:
        return "over"
    if state.holder is not None:
        return "stopping" if state.stopping else "playing"
    if state.paused is not None:
        return "paused"
    return "waiting" if state.rounds else "new"


def round_in_short(state: SeasonState, round_: PlannedRound) -> schema.Progress:
    """Return the progress of a round; `matches` may grow by matches with substitutes."""
    stored = state.counts.get(round_.number, 0)
    return {
        "round": round_.number,
        "complete": round_.complete,
        "stored": stored,
        "matches": max(stored, matches_of(state.file.game, state.tables(round_.number))),
    }


def standings(
    state: SeasonState,
    after: int | None = None,
    official: bool = True,
    ranking: Ranking | None = None,
    shown: PageWindow | None = None,
) -> schema.Standings:
    """Return the standings after a round, by default the last: with marks, the last also with rank intervals.

    House bots, rungs and withdrawn players come last and have no `rank`. If not `official`, all are ranked,
    without intervals of ranks and first place. `ranking` is an earlier round's, if known. `shown` is the part
    to return, by default all.
    """
    number = state.complete if after is None else after
    is_last = number == state.complete
    stored = _NONE_YET if official and number == 0 else state.standings_after(number)
    suspended = state.suspended if is_last else stored.get("suspended", {})
    part = shown or PageWindow(0, len(stored["players"]), 1, 1)
    ranked = _ranked(state, stored, official)
    rows = with_marks(ranked[part.first : part.end], state.players, suspended)
    first, worst = None, None
    if official:
        ranking = state.ranking if is_last else ranking
        if ranking is not None and is_last:
            worst = _add_rank_intervals(rows, ranked, ranking, part)
        over, better = is_last and progress(state) == "over", None if ranking is None else ranking.better
        first = first_place(leading_rows(ranked), over, better, number, worst)
    found: schema.Standings = {
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
        "page": part.page,
        "pages": part.pages,
        "next": part.next,
    }
    add_costs(found, state, stored)
    return found


def standings_page(state: SeasonState, after: int | None = None, page: int = 1) -> schema.Standings | None:
    """Return a page of the standings after a round, by default the last; None for an unknown page."""
    shown = window(len(_stored_after(state, after)["players"]), page)
    return None if shown is None else standings(state, after, shown=shown)


def _ranked(state: SeasonState, stored: schema.StoredStandings, official: bool) -> Ranked:
    """Return the rows of standings with their ranks, in display order; `official` as in `in_rank`."""
    if official and stored is state.last_standings:
        return state.official
    return in_rank(stored, state.players, official)


def _stored_after(state: SeasonState, after: int | None) -> schema.StoredStandings:
    """Return the stored standings after a round, by default the last."""
    number = state.complete if after is None else after
    return state.standings_after(number) if number else _NONE_YET


MOST_LINES = 24
"""Players in a chart, beside the chosen one."""
_NONE_YET: schema.StoredStandings = {"drawelo": None, "intervals": None, "warnings": [], "players": []}
"""The standings before a round is complete."""


def page_with(state: SeasonState, name: str, after: int | None = None) -> int:
    """Return the page of the standings with a player; the first for an unknown player."""
    rows = _ranked(state, _stored_after(state, after), official=True)
    return next((page_of(place) for place, (row, _) in enumerate(rows) if row["player"] == name), 1)


def row_of(state: SeasonState, name: str) -> schema.Row | None:
    """Return a player's row of the last standings; None for an unknown player."""
    place = next((place for place, (row, _) in enumerate(state.official) if row["player"] == name), None)
    if place is None:
        return None
    return standings(state, shown=PageWindow(place, place + 1, 1, 1))["players"][0]


def _add_rank_intervals(
    rows: Sequence[schema.Row],
    ranked: Ranked,
    ranking: Ranking,
    shown: PageWindow,
) -> WorstRank | None:
    """Add rank intervals to the officially ranked rows of a window, and whether each beats the next row.

    Return the first one's worst rank; None without ranked players.
    """
    where = {name: k for k, name in enumerate(ranking.fit.table.players)}
    names = [row["player"] for row, rank in ranked if rank is not None and row["elo"] is not None]
    # With the first row of the next page.
    inside = [where[name] for name in names[shown.first : shown.end + 1]]
    every = [where[name] for name in names]
    low, high = ranking.intervals.rank_interval(who=every, of=[*inside, *every[:1]])
    chance = ranking.intervals.los(inside)
    for k, (place, row) in enumerate(zip(inside, rows, strict=False)):
        row["rank_low"], row["rank_high"] = int(low[place]), int(high[place])
        if k + 1 < len(inside):
            row["apart"] = bool(chance[k, k + 1] >= APART)
    return WorstRank(int(high[every[0]]), len(every)) if every else None


def crosstable(
    state: SeasonState, official: bool = True, page: int | None = None, columns: int | None = None
) -> schema.Crosstable | None:
    """Return the results of each player against each other; if `official`, unranked players come last.

    All of it, or a window: the rows of one page against the columns of another, by default the same. None for
    an unknown page.
    """
    ranking = state.ranking
    if ranking is None:
        names: list[str] = []
    else:
        names = crossed(state, ranking, official)
    rows = window(len(names), page) if page else PageWindow(0, len(names), 1, 1)
    across = window(len(names), columns) if columns else rows
    if rows is None or across is None:
        return None
    players, against = names[rows.first : rows.end], names[across.first : across.end]
    found: schema.Crosstable = {
        "season": state.name,
        "after_round": 0 if ranking is None else state.complete,
        "players": players,
        "cells": [] if ranking is None else cells_of(ranking, players, against),
    }
    if page:
        found["against"], found["columns"] = against, across.page
        found["page"], found["pages"], found["next"] = rows.page, rows.pages, rows.next
    return found


def pairs_of(table: schema.Crosstable) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
    """Return headings and a row for each pair of a crosstable that met, with the results of the first."""
    rows = [
        (one, other, cell["wins"], cell["draws"], cell["losses"])
        for one, row in zip(table["players"], table["cells"], strict=True)
        for other, cell in zip(table.get("against", table["players"]), row, strict=True)
        if cell is not None
    ]
    return ("player", "opponent", "wins", "draws", "losses"), rows


def crossed(state: SeasonState, ranking: Ranking, official: bool = True) -> list[str]:
    """Return the players with results, in the order of the crosstable; `official` as in `crosstable`."""
    if official:
        return state.crossed
    rated = {row.player for row in ranking.rows if row.matches}
    rows = state.standings_after(state.complete)["players"]
    return [row["player"] for row in rows if row["player"] in rated]


def cells_of(
    ranking: Ranking, players: Sequence[str], against: Sequence[str]
) -> list[list[schema.Cell | None]]:
    """Return the cells of some players against some others; None for two who never met."""
    from statistics import NormalDist

    where = {name: k for k, name in enumerate(ranking.fit.table.players)}
    one, other = [where[name] for name in players], [where[name] for name in against]
    chance = ranking.intervals.los(one, other).tolist()
    counts = ranking.fit.table.pairs().between(one, other)
    score = NormalDist().inv_cdf
    rows: list[list[schema.Cell | None]] = []
    for i, better in zip(one, chance, strict=True):
        row: list[schema.Cell | None] = []
        for j, los in zip(other, better, strict=True):
            met = counts.get((i, j))
            if met is None:
                row.append(None)
                continue
            # The standard score, at most 9.
            z = score(min(max(los, 1e-18), 1 - 1e-16))
            row.append({"wins": met[0], "draws": met[1], "losses": met[2], "los": los, "z": z})
        rows.append(row)
    return rows


def blocks(state: SeasonState, official: bool = True) -> list[list[schema.ResultBlock]]:
    """Return the whole `crosstable` in blocks: in row a, column b the results of page a against page b."""
    ranking = state.ranking
    if ranking is None:
        return []
    names = crossed(state, ranking, official)
    where = {name: k for k, name in enumerate(ranking.fit.table.players)}
    counts = ranking.fit.table.pairs().blocks([where[name] for name in names], ROWS)
    return [
        [{"wins": wins, "draws": draws, "losses": losses} for wins, draws, losses in row] for row in counts
    ]


def history(state: SeasonState, last: int | None = None, official: bool = True) -> schema.History:
    """Return all ratings after each round, up to the `last`; if not `official`, all players have ranks."""
    numbers = range(1, (state.complete if last is None else last) + 1)
    return {"season": state.name, "history": ratings_after(state, numbers, None, official)}


def history_part(state: SeasonState, page: int = 1, before: int | None = None) -> schema.History | None:
    """Return a page of players, in the order of the last standings, with their ratings after some rounds.

    These are the last ones, or the last ones `before` a round; None for an unknown page.
    """
    rows = [] if state.last_standings is None else state.last_standings["players"]
    shown = window(len(rows), page)
    if shown is None:
        return None
    names = [row["player"] for row in rows[shown.first : shown.end]]
    end = state.complete if before is None else min(before - 1, state.complete)
    first = max(1, end - min(MOST_ROUNDS, MOST_RATINGS // max(len(names), 1)) + 1)
    found = ratings_after(state, range(first, end + 1), names)
    earlier = first if first > 1 else None
    return {"season": state.name, "history": found, **page_fields(shown), "earlier": earlier}


def lines(state: SeasonState, chosen: str | None = None) -> list[schema.RoundRatings]:
    """Return the ratings for a chart: of the best and the chosen player, after up to `MOST_ROUNDS` rounds."""
    rounds = some_rounds(state.complete, MOST_ROUNDS)
    if "best" not in state.known_lines:
        rows = [] if state.last_standings is None else state.last_standings["players"]
        best_of_all = {row["player"] for row in rows[:MOST_LINES]}
        state.known_lines["best"] = ratings_after(state, rounds, best_of_all)
    best: list[schema.RoundRatings] = state.known_lines["best"]
    if not best or chosen is None or any(row["player"] == chosen for row in best[-1]["players"]):
        return best
    own = ratings_after(state, rounds, [chosen])
    return [
        {"round": these["round"], "players": [*these["players"], *mine["players"]]}
        for these, mine in zip(best, own, strict=True)
    ]
