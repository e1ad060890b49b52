"""The duplicate board: results of different players with the same cards.

In all rotations of a table the cards stay with the seats while the players move, so all players of a seat
held the same hand. A seat's mean points are the value of its cards (par); a player's points above par are its
own achievement. Over all rotations the luck of the cards cancels.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from arbiter.games import make
from arbiter.match.position import DealOver, retrace
from arbiter.replay.frame import names_in_text, seat_line
from arbiter.replay.result_text import say_match
from arbiter.season.snapshot.pagination import TABLES, at_tables, page_fields, window
from arbiter.season.snapshot.review_view import review

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.match.record import MatchRecord, MatchSummary
    from arbiter.season.snapshot.page_schema import (
        BoardCell,
        BoardDeal,
        BoardRow,
        BoardTotal,
        CostliestDecision,
        DuplicateBoard,
        RoundBoards,
    )
    from arbiter.season.snapshot.season_state import SeasonState


def board(state: SeasonState, number: int, table: int) -> DuplicateBoard | None:
    """Return the board of a table; None for an unknown table, or before its round is complete."""
    found = next((known for known in state.rounds if known.number == number), None)
    tables = () if found is None or not state.is_complete(number) else state.tables(number)
    if not 1 <= table <= len(tables):
        return None
    matches = _counted(state, number, range(table, table + 1))[table]
    records = [record for match in matches if (record := state.record(match.id)) is not None]
    deals = _deals(records, _costliest(state, matches))
    names = dict.fromkeys(name for deal in deals for name in deal["ahead"])
    sums = {name: sum(deal["ahead"].get(name, 0.0) for deal in deals) for name in names}
    return {
        "season": state.name,
        "round": number,
        "table": table,
        "tables": len(tables),
        "players": list(tables[table - 1]),
        "seats": state.file.game.seats,
        "deals": deals,
        "results": [
            {"match": match.id, "say": say_match(match), "players": list(match.players),
             "points": None if match.points is None else list(match.points)}
            for match in matches
        ],
        "par": _pars(matches),
        "luck": _luck(state, matches),
        "ahead": dict(sorted(sums.items(), key=lambda of: (-of[1], of[0]))),
        "totals": totals(matches),
    }  # fmt: skip


def round_boards(state: SeasonState, number: int, page: int = 1) -> RoundBoards | None:
    """Return a page of tables with each player's result; None for an incomplete round or unknown page."""
    names = state.tables(number) if 1 <= number <= state.complete else ()
    shown = window(len(names), page, TABLES)
    if not names or shown is None:
        return None
    by_table = _counted(state, number, range(shown.first + 1, shown.end + 1))
    return {
        "season": state.name,
        "round": number,
        "rounds": state.complete,
        "tables": [
            {"table": table, "players": list(names[table - 1]), "totals": totals(matches)}
            for table, matches in by_table.items()
        ],
        **page_fields(shown),
    }


def _counted(state: SeasonState, number: int, tables: range) -> dict[int, list[MatchSummary]]:
    """Return the stored matches of these tables that are not annulled, by table."""
    found = at_tables(state, number, tables).items()
    return {table: [match for match in of if match.id not in state.annulled] for table, of in found}


def totals(matches: Iterable[MatchSummary]) -> list[BoardTotal]:
    """Return each player's mean points and par in the matches with points, the best first.

    The matches may be of several tables; only those of the same table are compared.
    """
    tables: dict[tuple[int | None, int | None], list[MatchSummary]] = defaultdict(list)
    for match in matches:
        tables[match.round, match.table].append(match)
    of: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for group in tables.values():
        pars = _pars(group)
        for match in group:
            if match.points is not None and len(match.points) == len(pars):
                for name, points, par in zip(match.players, match.points, pars, strict=True):
                    of[name].append((points, par))
    rows: list[BoardTotal] = [
        {
            "player": name,
            "matches": len(taken),
            "points": fmean(points for points, _ in taken),
            "par": fmean(par for _, par in taken),
            "ahead": fmean(points - par for points, par in taken),
        }
        for name, taken in of.items()
    ]
    return sorted(rows, key=lambda row: (-row["ahead"], row["player"]))


def _pars(matches: Sequence[MatchSummary]) -> list[float]:
    """Return the mean points of each seat over the matches of a table."""
    points = [match.points for match in matches if match.points is not None]
    return [fmean(of_seat) for of_seat in zip(*points, strict=True)]


def _luck(state: SeasonState, matches: Sequence[MatchSummary]) -> Sequence[float] | None:
    """Load by seat the value of a table's cards above the mean in points, by reviews; None without them.

    The cards stay with the seats, so each review of the table's matches values the same cards.
    """
    if not state.file.publish_reviews:
        return None
    found = [brief.shape["luck"] for brief in state.stored.reviews.briefs([match.id for match in matches])]
    known = [luck for luck in found if luck and None not in luck]
    return [fmean(seat) for seat in zip(*known, strict=True)] if known else None


def _costliest(state: SeasonState, matches: Sequence[MatchSummary]) -> dict[int, CostliestDecision]:
    """Load by deal the decision that lost most points in it, by the published reviews of the matches."""
    found: dict[int, CostliestDecision] = {}
    for match in matches if state.file.publish_reviews else ():
        seen = review(state, match.id)
        for one in () if seen is None else seen["decisions"]:
            loss, deal = one["loss"] or 0.0, one["deal"]
            if loss > (found[deal]["loss"] if deal in found else 0.0) and "event" in one:
                seat = one["seat"]
                found[deal] = {
                    "match": match.id, "seat": seat, "player": match.players[seat], "event": one["event"],
                    "loss": loss, "say": one.get("say", one["done"]),
                }  # fmt: skip
    return found


def _deals(records: Sequence[MatchRecord], costliest: Mapping[int, CostliestDecision]) -> list[BoardDeal]:
    """Return the deals that were played to the end, each with a row per rotation."""
    rows: dict[int, list[tuple[MatchRecord, BoardRow]]] = defaultdict(list)
    for record in records:
        for number, row in _rows(record).items():
            rows[number].append((record, row))
    return [_deal(number, rows[number], costliest.get(number)) for number in sorted(rows)]


def _rows(record: MatchRecord) -> Mapping[int, BoardRow]:
    """Replay a match; return the result of each seat by number of the deals played to the end."""
    game, names, found = make(record.game, record.options), names_in_text(record.players), {}
    for event in retrace(record, game):
        if isinstance(event, DealOver):
            roles, points = game.roles(event.state), event.state.points()
            cells: list[BoardCell] = [
                {"seat": seat, "player": name, "made": seat_line(roles, seat), "points": points[seat],
                 "ahead": 0.0, "best": False, "worst": False}
                for seat, name in enumerate(record.players)
            ]  # fmt: skip
            row: BoardRow = {
                "match": record.id,
                "rotation": record.rotation,
                "say": game.says_deal(event.state, names),
                "cells": cells,
            }
            found[event.number] = row
    return found


def _deal(
    number: int, rows: Sequence[tuple[MatchRecord, BoardRow]], costliest: CostliestDecision | None
) -> BoardDeal:
    """Return a deal with its unique best and worst results marked."""
    game = make(rows[0][0].game, rows[0][0].options)
    hands = rows[0][0].deals[number]["hands"]
    same = all(record.deals[number]["hands"] == hands for record, _ in rows)
    shown = [row for _, row in rows]
    par = []
    ahead: dict[str, list[float]] = defaultdict(list)
    for cells in zip(*(row["cells"] for row in shown), strict=True):
        points = [cell["points"] for cell in cells]
        par.append(fmean(points))
        for cell in cells:
            cell["ahead"] = cell["points"] - par[-1]
            ahead[cell["player"]].append(cell["ahead"])
            alone = points.count(cell["points"]) == 1
            cell["best"], cell["worst"] = (alone and cell["points"] == most(points) for most in (max, min))
    names = [[game.card_name(card) for card in sorted(map(game.card_of, hand))] for hand in hands]
    return {
        "deal": number,
        "hands": names if same else None,
        "par": par,
        "ahead": {name: fmean(points) for name, points in ahead.items()},
        "costliest": costliest,
        "rows": shown,
    }
