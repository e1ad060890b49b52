"""Stored matches as files for other programs: PGN, CSV, JSON lines, Parquet; one match in memory at a time.

Pairwise results are those of `MatchRecord.results` without those between copies of one house bot;
the lower seat is White. PGN and CSV have one game per result, from which `rating`, BayesElo and
Ordo count the same as the season's own crosstable; JSON lines have the whole records, and Parquet
one row for each seat of each match, for tables and plots.
"""

from __future__ import annotations

import csv
import json
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from arbiter.match.spec import original
from arbiter.replay.export.atomic_files import atomic_path
from arbiter.replay.export.columns import RESULT_COLUMNS, SEAT_COLUMNS
from arbiter.replay.export.row_files import RowFile
from arbiter.text import csv_cell, pgn_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from arbiter.games.game import Seat
    from arbiter.match.record import MatchRecord

TextForm: TypeAlias = Literal["pgn", "csv", "jsonl"]

OUTCOMES = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
"""White's score as PGN and CSV write it."""


class PairResult(NamedTuple):
    """One pairwise result: two seats, the lower one first, and the score of the first."""

    white: Seat
    black: Seat
    score: float


def results(record: MatchRecord) -> Iterator[PairResult]:
    """Yield the results that count: each pair of seats at most once, none between copies of one bot."""
    players = record.players
    for one, other, score in record.results():
        if original(players[one]) != original(players[other]):
            yield PairResult(one, other, score) if one < other else PairResult(other, one, 1.0 - score)


def text(form: TextForm, records: Iterable[MatchRecord]) -> Iterator[str]:
    """Yield the text of a file in one of the forms, one record at a time."""
    if form == "csv":
        yield ",".join(RESULT_COLUMNS) + "\n"
    piece = {"pgn": pgn_games, "csv": csv_rows, "jsonl": json_line}[form]
    for record in records:
        yield piece(record)


def pgn_games(record: MatchRecord) -> str:
    """Return a match as PGN: a game without moves for each result.

    The seven tags of the standard come first, in its order, then the match's id and table, by which
    the results of a match can be grouped.
    """
    games = []
    for white, black, score in results(record):
        outcome = OUTCOMES[score]
        tags = {
            "Event": record.season or "?",
            "Site": "?",
            "Date": record.started[:10].replace("-", ".") or "????.??.??",
            "Round": _number_text(record.round, "?"),
            "White": record.players[white],
            "Black": record.players[black],
            "Result": outcome,
            "MatchId": record.id,
            "Table": _number_text(record.table, "?"),
        }
        lines = [f'[{name} "{pgn_string(value)}"]\n' for name, value in tags.items()]
        games.append(f"{''.join(lines)}\n{outcome}\n\n")
    return "".join(games)


def csv_rows(record: MatchRecord) -> str:
    """Return a match as CSV: a row for each result, in the order of `RESULT_COLUMNS`."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    place = _number_text(record.round, ""), _number_text(record.table, ""), record.id
    for white, black, score in results(record):
        cells = record.players[white], record.players[black], OUTCOMES[score], *place
        writer.writerow(map(csv_cell, cells))
    return out.getvalue()


def json_line(record: MatchRecord) -> str:
    """Return the match's record as JSON on one line."""
    return json.dumps(record.to_json(), separators=(",", ":")) + "\n"


def seat_rows(record: MatchRecord) -> Iterator[dict[str, Any]]:
    """Yield a row for each seat; times in ms, `fault` only at its seat. A substitute has no results."""
    counts = [[0, 0, 0] for _ in record.players]
    for white, black, score in results(record):
        counts[white][round(2 - 2 * score)] += 1
        counts[black][round(2 * score)] += 1
    forfeit = record.forfeit
    for seat, player in enumerate(record.players):
        wins, draws, losses = counts[seat]
        bot = record.bots[seat] if record.bots else None
        yield {
            "season": record.season,
            "match": record.id,
            "round": record.round,
            "table": record.table,
            "rotation": record.rotation,
            "seat": seat,
            "player": player,
            "points": None if record.points is None else record.points[seat],
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "fault": str(forfeit.fault) if forfeit is not None and forfeit.seat == seat else None,
            "charged_ms": None if bot is None else bot.charged_ns / 1e6,
            "cpu_ms": None if bot is None else bot.cpu_ns / 1e6,
            "peak_memory_bytes": None if bot is None else bot.peak_memory_bytes,
            "substitute": seat == record.substitute,
        }


def write_text(form: TextForm, records: Iterable[MatchRecord], file: str) -> None:
    """Write a file in one of the text forms; ConfigError if it cannot be written."""
    with atomic_path(file) as path, open(path, "w", encoding="utf-8", newline="") as out:
        out.writelines(text(form, records))


def write_parquet(records: Iterable[MatchRecord], file: str, facts: Mapping[str, str] | None = None) -> None:
    """Write a Parquet file; ConfigError if it cannot be written, or without the package for it.

    `facts` are its metadata; see `arbiter.replay.export.facts`.
    """
    with RowFile(file, SEAT_COLUMNS, "parquet", facts) as out:
        for record in records:
            out.write(seat_rows(record))


def _number_text(number: int | None, unknown: str) -> str:
    return unknown if number is None else str(number)
