"""Standings and their history as people and programs read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.output import counted, faults_text, number, print_as, say, suspended_line
from arbiter.picture.first_place import in_words
from arbiter.picture.marks import notices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.cli.output import Table

FIGURES = ["rank", "player", "elo", "low", "high", "matches", "results", "wins", "draws", "losses", "points"]


def show_standings(standings: dict[str, Any], style: str) -> None:
    """Print standings that are `marked`; for people what they must know stands below."""
    columns = [*FIGURES, "faults", "fault_kinds", "wins_by_fault", "marks"]
    rows = [
        [
            *(row[key] for key in FIGURES),
            sum(row["faults"].values()),
            faults_text(row["faults"]),
            row.get("wins_by_fault"),
            " ".join(row["marks"]),
        ]
        for row in standings["players"]
    ]
    rounds = counted(standings["rounds_played"], "round")
    title = f"{standings['season']}: {standings['game']}, {rounds} played"
    table = _table_of(standings)
    texts = [table[0].index(heading) for heading in ("player", "faults", "mark") if heading in table[0]]
    print_as(style, standings, (columns, rows), table, title, left=texts)
    if style == "text":
        click.echo(f"95 % intervals by {standings['intervals']}; drawelo {standings['drawelo']:.1f}")
        if standings.get("first"):
            click.echo(in_words(standings["first"]))
        for warning in _in_short(standings):
            say(f"note: {warning}")


def _in_short(standings: dict[str, Any]) -> list[str]:
    """The notes, with one in place of those that say who sits out, if there are several."""
    told = notices(standings.get("suspended", {}))
    out = [warning for warning in standings["warnings"] if warning in told]
    if len(out) < 2:
        return list(standings["warnings"])
    others = [warning for warning in standings["warnings"] if warning not in told]
    return [*others, suspended_line(len(out))]


def _table_of(standings: dict[str, Any]) -> Table:
    """Headings and rows as people read them; wins by others' faults and marks only where there are any."""
    columns = ["#", "player", "Elo", "±", "matches", "points", "won", "drawn", "lost", "faults"]
    rows = [
        [
            str(row["rank"]),
            row["player"],
            number(row["elo"]),
            number(None if row["elo"] is None else (row["high"] - row["low"]) / 2),
            str(row["matches"]),
            number(row["points"]),
            str(row["wins"]),
            str(row["draws"]),
            str(row["losses"]),
            faults_text(row["faults"]),
        ]
        for row in standings["players"]
    ]
    gained = [row.get("wins_by_fault", 0) for row in standings["players"]]
    if any(gained):
        columns.insert(9, "by faults")
        for cells, wins in zip(rows, gained, strict=True):
            cells.insert(9, str(wins))
    if any(row["marks"] for row in standings["players"]):
        columns.append("mark")
        for cells, row in zip(rows, standings["players"], strict=True):
            cells.append(", ".join(row["marks"]))
    return columns, rows


HISTORY = ["round", "rank", "player", "elo", "low", "high"]
SHOWN_ROUNDS = 10
"""The columns of a history for people: more are too wide for a terminal."""


def show_history(season: str, rounds: Sequence[dict[str, Any]], style: str) -> None:
    """Standings after each round: every figure for programs, `SHOWN_ROUNDS` rounds for people."""
    if not rounds and style in ("text", "markdown"):
        return
    rows = [
        {"round": standings["rounds_played"], **{key: row[key] for key in HISTORY[1:]}}
        for standings in rounds
        for row in standings["players"]
    ]
    last = len(rounds)
    shown = sorted({1 + (last - 1) * k // (SHOWN_ROUNDS - 1) for k in range(SHOWN_ROUNDS)})
    elo = {(row["round"], row["player"]): row["elo"] for row in rows}
    names = [row["player"] for row in rounds[-1]["players"]] if rounds else []
    columns = ["player", *(f"round {after}" for after in shown)]
    table = [[name, *(number(elo.get((after, name))) for after in shown)] for name in names]
    figures = HISTORY, [list(row.values()) for row in rows]
    title = f"{season}: Elo after each round"
    print_as(style, {"season": season, "history": rows}, figures, (columns, table), title)
