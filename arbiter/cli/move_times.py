"""The times of a match as tables: the charge for each move, the slowest moves, and sums by seat and deal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.cli.output import print_table, say
from arbiter.match.record import Fault
from arbiter.replay.result_text import note_in_one_line
from arbiter.replay.time_account import times_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.games.game import Seat
    from arbiter.match.record import MatchRecord


def left_text(move: Mapping[str, Any]) -> str:
    """Return the time left after a row of `times_json` in ms: "late" after a timeout, "-" if unknown."""
    return "late" if move.get("fault") == Fault.TIMEOUT else _ms_text(move["left_ns"])


def print_times(record: MatchRecord, only: Seat | None = None) -> None:
    """Print the slowest moves, the sums, then a line for each move; with `only`, for one seat."""
    shape = times_json(record, only)
    seats, moves, slowest = shape["seats"], shape["moves"], shape["slowest"]
    names = [f"{of['seat']} {of['player']}" for of in seats]
    say(f"{record.id}: {record.game}, {record.delivery} delivery, {record.clock} clock; all times in ms")
    if record.forfeit is not None:
        say(f"{record.forfeit.player} (seat {record.forfeit.seat}) forfeits: {record.forfeit.detail}")
    if record.delivery == "batched":
        say("a seat receives its news with its next request; their cost is part of the answer's")
    by_number = {move["number"]: move for move in moves}
    _print_moves("\nthe slowest answers", [by_number[number] for number in slowest], [])
    kinds = list(dict.fromkeys(kind for of in seats for kind in of["answers_ns"]))
    rows = [
        [
            name,
            *(_ms_text(of["answers_ns"].get(kind, 0)) for kind in kinds),
            *map(_ms_text, (of["news_ns"], of["after_last_move_ns"], of["charged_ns"], of["left_ns"])),
        ]
        for name, of in zip(names, seats, strict=True)
    ]
    columns = ["seat", *kinds, "news", "after its last move", "charged", "left"]
    print_table(columns, rows, "where the time went")
    by_deal = zip(*(of["deals_ns"] for of in seats), strict=True)
    lines = [[deal, *map(_ms_text, charged)] for deal, charged in enumerate(by_deal, 1)]
    print_table(["deal", *names], lines, "charged by deal", left=())
    _print_moves("every move", moves, slowest)


def _print_moves(title: str, moves: Sequence[Mapping[str, Any]], slowest: Sequence[int]) -> None:
    waited = any(move["delay_ns"] for move in moves)
    rows = [
        [
            move["number"],
            move["deal"] + 1,
            f"{move['seat']} {move['player']}",
            move["request"],
            move["action"],
            *map(_ms_text, (move["wall_ns"], move["cpu_ns"] or None)),
            *([_ms_text(move["delay_ns"] if move["cpu_ns"] or move["delay_ns"] else None)] if waited else []),
            *map(_ms_text, (move["answer_ns"], move["news_ns"])),
            left_text(move),
            f"slow {slowest.index(move['number']) + 1}" if move["number"] in slowest else "",
        ]
        for move in moves
    ]
    columns = ["move", "deal", "seat", "request", "answer", "wall", "CPU", *["waited"] * waited]
    columns += ["charged", "news", "left", ""]
    last = len(columns) - 1
    if slowest and any("note" in move for move in moves):
        columns.append("note")
        rows = [[*row, note_in_one_line(move.get("note"))] for row, move in zip(rows, moves, strict=True)]
    print_table(columns, rows, title, left=(2, 3, 4, last, last + 1))


def _ms_text(ns: int | None) -> str:
    """Return ns as ms with two decimals, "-" for None."""
    return "-" if ns is None else f"{ns / 1e6:.2f}"
