"""Match records as one value: by number or id, as a table, shown in a notebook, saved and loaded."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from arbiter.errors import ArbiterError, ConfigError, did_you_mean
from arbiter.match.record import MatchRecord
from arbiter.match.spec import original
from arbiter.replay.export.match_files import seat_rows, write_text
from arbiter.text import counted, faults_text, html_table, in_columns, number, svg_text

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from arbiter.notebook import ShownReplay

HEADER = ("player", "matches", "points", "won", "drawn", "lost", "faults")
MOST_SHOWN = 3
"""Forfeits named below the table."""


class MatchResults(Sequence[MatchRecord]):
    """The records of matches, in their order; `arbiter.fit` rates them, ``+`` joins them.

    As text and in a notebook, a row for each player: matches, points, results won, drawn and lost against
    single opponents, faults; below it the first forfeits.
    """

    def __init__(self, records: Iterable[MatchRecord] = ()) -> None:
        self.records = tuple(records)

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, place: int) -> MatchRecord: ...
    @overload
    def __getitem__(self, place: slice) -> MatchResults: ...
    def __getitem__(self, place: int | slice) -> MatchRecord | MatchResults:
        return MatchResults(self.records[place]) if isinstance(place, slice) else self.records[place]

    def __add__(self, other: MatchResults) -> MatchResults:
        return MatchResults((*self.records, *other.records))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MatchResults) and self.records == other.records

    def __hash__(self) -> int:
        return hash(tuple(record.id for record in self.records))

    @property
    def forfeits(self) -> MatchResults:
        """The matches that a fault ended; `record.forfeit` has the player, the fault and its detail."""
        return MatchResults(record for record in self.records if record.forfeit is not None)

    def record(self, match: int | str) -> MatchRecord:
        """Return a match by its number from 0, or by its id; ConfigError for an unknown one."""
        if isinstance(match, str):
            found = [record for record in self.records if record.id == match]
            if not found:
                known = [record.id for record in self.records]
                raise ConfigError(f"no match {match!r}", hint=did_you_mean(match, known[:4]))
            return found[0]
        if not -len(self) <= match < len(self):
            raise ConfigError(f"no match {match}: there are {counted(len(self), 'match')}, counted from 0")
        return self.records[match]

    def replay(self, match: int | str = 0, reader: str = "full") -> ShownReplay:
        """Return a match to step through in a notebook; `reader` is ``full``, ``public`` or ``seat:K``.

        ConfigError for an unknown match or reader. Needs the extra ``web``.
        """
        from arbiter.notebook import ShownReplay

        return ShownReplay(self.record(match), reader)

    def table(self) -> dict[str, list[Any]]:
        """Return all matches as columns, with a row for each seat of each match.

        The columns are those of ``arbiter export --format parquet``, then `side`, the number shared by the
        seats that win and lose together, and `game`. ``pandas.DataFrame(results.table())`` and
        ``polars.DataFrame(results.table())`` take it.
        """
        rows = [
            {**row, "side": row["seat"] if record.sides is None else record.sides[row["seat"]]}
            | {"game": record.game}
            for record in self.records
            for row in seat_rows(record)
        ]
        return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}

    def totals(self) -> list[dict[str, Any]]:
        """Return a row for each player, the most points first.

        Its keys: player, matches, points, won, drawn, lost (results against single opponents), faults (by
        kind). Copies of a house bot count as one player.
        """
        sums: dict[str, Counter[str]] = defaultdict(Counter)
        faults: dict[str, Counter[str]] = defaultdict(Counter)
        for record in self.records:
            for row in seat_rows(record):
                name = original(row["player"])
                sums[name].update(points=row["points"] or 0, won=row["wins"])
                sums[name].update(drawn=row["draws"], lost=row["losses"])
                if row["fault"]:
                    faults[name][row["fault"]] += 1
            for name in {original(player) for player in record.players}:
                sums[name]["matches"] += 1
        return [
            {"player": name, **{key: found[key] for key in HEADER[1:-1]}, "faults": dict(faults[name])}
            for name, found in sorted(sums.items(), key=lambda item: (-item[1]["points"], item[0]))
        ]

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the match records as JSON lines, for `load_results` and ``rating fit``; ConfigError."""
        write_text("jsonl", self.records, str(file))

    def __str__(self) -> str:
        return "\n".join([in_columns([HEADER, *self._rows()]), *self._notes()])

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(original(name) for record in self for name in record.players))
        return f"<{type(self).__name__}: {counted(len(self), 'match')}{names and f' between {names}'}>"

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{svg_text(note)}</p>" for note in self._notes())
        return html_table(HEADER, self._rows()) + notes

    def _rows(self) -> list[list[str]]:
        return [
            [row["player"], *(number(row[key]) for key in HEADER[1:-1]), faults_text(row["faults"]) or "-"]
            for row in self.totals()
        ]

    def _notes(self) -> list[str]:
        ended = [(record.id, record.forfeit) for record in self.records if record.forfeit is not None]
        notes = [f"{name}: {at.player} forfeits ({at.fault}): {at.detail}" for name, at in ended[:MOST_SHOWN]]
        return [*notes, *([f"and {len(ended) - MOST_SHOWN} more"] if len(ended) > MOST_SHOWN else [])]


def load_results(file: str | os.PathLike[str]) -> MatchResults:
    """Read the match records of a file of JSON lines, as from `MatchResults.save` or ``arbiter export``.

    ConfigError for a file that cannot be read, or a line that is no match record.
    """
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {getattr(error, 'strerror', None) or error}", str(file)) from None
    records = []
    for place, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            shape = json.loads(line)
            if not isinstance(shape, dict):
                raise ConfigError("expected a match record, one on each line")
            records.append(MatchRecord.from_json(shape))
        except (ValueError, RecursionError, ArbiterError) as error:
            raise ConfigError(f"line {place}: {error}", str(file)) from None
    return MatchResults(records)
