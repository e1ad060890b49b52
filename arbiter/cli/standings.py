"""Standings and their history as people and programs read them."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

import click

from arbiter.cli.output import counted, faults_text, number, print_as, say, suspended_line
from arbiter.picture.marks import in_words, notices

if TYPE_CHECKING:
    from arbiter.cli.output import Table
    from arbiter.picture.shapes import History, Standings

FIGURES = ["rank", "player", "elo", "low", "high", "matches", "results", "wins", "draws", "losses", "points"]


def show_standings(standings: Standings, style: str) -> None:
    """Print standings; for people what they must know stands below."""
    columns = [*FIGURES, "faults", "fault_kinds", "wins_by_fault", "marks"]
    rows = [
        [
            *itemgetter(*FIGURES)(row),
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
        if standings["drawelo"] is not None:
            click.echo(f"95 % intervals by {standings['intervals']}; drawelo {standings['drawelo']:.1f}")
        if standings["first"]:
            click.echo(in_words(standings["first"]))
        for warning in _in_short(standings):
            say(f"note: {warning}")


def _in_short(standings: Standings) -> list[str]:
    """The notes, with one in place of those that say who sits out, if there are several."""
    told = notices(standings["suspended"])
    out = [warning for warning in standings["warnings"] if warning in told]
    if len(out) < 2:
        return list(standings["warnings"])
    others = [warning for warning in standings["warnings"] if warning not in told]
    return [*others, suspended_line(len(out))]


def _table_of(standings: Standings) -> Table:
    """Headings and rows as people read them; wins by others' faults and marks only where there are any."""
    columns = ["#", "player", "Elo", "±", "matches", "points", "won", "drawn", "lost", "faults"]
    rows = [
        [
            str(row["rank"]),
            row["player"],
            number(row["elo"]),
            number(None if row["high"] is None or row["low"] is None else (row["high"] - row["low"]) / 2),
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


RATED = ["rank", "player", "elo", "low", "high"]
SHOWN_ROUNDS = 10
"""The columns of a history for people: more are too wide for a terminal."""


def show_history(history: History, style: str) -> None:
    """Ratings after each round: every figure for programs, `SHOWN_ROUNDS` rounds for people."""
    rounds = history["history"]
    if not rounds and style in ("text", "markdown"):
        return
    rows = [[of["round"], *itemgetter(*RATED)(row)] for of in rounds for row in of["players"]]
    last = len(rounds)
    shown = sorted({1 + (last - 1) * k // (SHOWN_ROUNDS - 1) for k in range(SHOWN_ROUNDS)})
    elos = [{row["player"]: row["elo"] for row in rounds[after - 1]["players"]} for after in shown if rounds]
    names = [row["player"] for row in rounds[-1]["players"]] if rounds else []
    columns = ["player", *(f"round {after}" for after in shown)]
    table = [[name, *(number(elo.get(name)) for elo in elos)] for name in names]
    title = f"{history['season']}: Elo after each round"
    print_as(style, history, (["round", *RATED], rows), (columns, table), title)
