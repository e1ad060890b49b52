"""Match records as one value: by number or id, as a table, shown in a notebook, saved and loaded."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from operator import index
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final, SupportsIndex, cast, overload

from arbiter.errors import ArbiterError, ConfigError, did_you_mean
from arbiter.match.record import MatchRecord
from arbiter.match.spec import COPY_MARK, original
from arbiter.python.joining import PlayedGame, check_games, check_programs, one_line, options_text
from arbiter.replay.export.columns import SEAT_COLUMNS
from arbiter.replay.export.match_files import seat_rows, write_text
from arbiter.text import counted, faults_text, html_table, in_columns, number, svg_text

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from arbiter.notebook import ShownReplay
    from arbiter.python.table_types import PlayerTotals, SeatTable

HEADER = ("player", "matches", "points", "won", "drawn", "lost", "faults")
COUNTS: Final = ("matches", "points", "wins", "draws", "losses")
MOST_SHOWN = 3
"""Forfeits named below the table."""
ADDED_COLUMNS = ("side", "game", "options", "seed", "program")
_SEASON = "arbiter.open_season(file) reads a season by its file, and its records() are match records"
_EXPORT = "`rating fit` rates it; `arbiter export --as jsonl` writes match records"
_OTHER_FILES = {".yaml": _SEASON, ".yml": _SEASON, ".sqlite": _SEASON, ".csv": _EXPORT, ".pgn": _EXPORT} | {
    ".parquet": "arbiter.fit(pandas.read_parquet(file)) rates it"
}
"""Hints by suffix."""


class MatchResults(Sequence[MatchRecord]):
    """The records of matches, in their order; `arbiter.fit` rates them, ``+`` joins them.

    As text and in a notebook, a row for each player: matches, points, results won, drawn and lost against
    single opponents, faults; below it the first forfeits.
    """

    def __init__(self, records: Iterable[MatchRecord] = ()) -> None:
        self.records: tuple[MatchRecord, ...] = ()
        self._ids: dict[tuple[str, str], int] = {}
        self._programs: dict[str, str] = {}
        self._games: frozenset[PlayedGame] = frozenset()
        self._take(records)

    def _take(self, records: Iterable[MatchRecord]) -> None:
        """Add records; a repeated id gets a number, since matches of separate calls begin at the same id."""
        taken = []
        for record in records:
            if not isinstance(record, MatchRecord):
                raise ConfigError(f"expected match records, got {one_line(record)}")
            season, name = record.season, record.id
            copies = self._ids.get((season, name), 0) + 1
            while copies > 1 and (season, name := f"{record.id}-{copies}") in self._ids:
                copies += 1
            self._ids[season, name] = 1
            self._ids[season, record.id] = copies
            check_programs(zip(record.players, record.programs, strict=False), self._programs)
            taken.append(record if copies == 1 else replace(record, id=name))
        self._games |= {PlayedGame.of(record) for record in taken}
        check_games(self._games)
        self.records += tuple(taken)

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, place: int) -> MatchRecord: ...
    @overload
    def __getitem__(self, place: slice) -> MatchResults: ...
    def __getitem__(self, place: int | slice) -> MatchRecord | MatchResults:
        if isinstance(place, slice):
            return MatchResults(self.records[place])
        if not isinstance(place, SupportsIndex):
            raise TypeError(f"expected a number or a slice, got {place!r}: record() takes an id")
        if not -len(self) <= index(place) < len(self):
            raise IndexError(self._unknown(place))
        return self.records[place]

    def __add__(self, other: MatchResults) -> MatchResults:
        if not isinstance(other, MatchResults):
            return NotImplemented
        # Not from all records again: a loop may add thousands of results.
        both = MatchResults()
        both.records, both._ids, both._programs = self.records, {**self._ids}, {**self._programs}
        both._games = self._games
        both._take(other.records)
        return both

    def __radd__(self, other: object) -> MatchResults:
        """Return the results, so that ``sum`` joins a list of them."""
        return self if other == 0 else NotImplemented

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
        if not isinstance(match, str | SupportsIndex):
            raise ConfigError(f"expected a match's number or id, got {match!r}")
        if isinstance(match, str):
            found = [record for record in self.records if record.id == match]
            if not found:
                known = [record.id for record in self.records]
                raise ConfigError(f"no match {match!r}", hint=did_you_mean(match, known[:4]))
            return found[0]
        if not -len(self) <= index(match) < len(self):
            raise ConfigError(self._unknown(match))
        return self.records[match]

    def _unknown(self, place: object) -> str:
        return f"no match {place}: there are {counted(len(self), 'match')}, counted from 0"

    def renamed(self, names: Mapping[str, str]) -> MatchResults:
        """Return the results with other names for some players, such as ``{"bot": "bot-old"}``.

        Under its new name a player is one player for ``+`` and `arbiter.fit`, with any program.
        ConfigError for an unknown name, and for a new name of another player.
        """
        known = dict.fromkeys(original(name) for record in self for name in record.players)
        for name, new in names.items():
            if name not in known:
                raise ConfigError(f"no player {name!r}", hint=did_you_mean(str(name), known))
            if not isinstance(new, str) or not new.isprintable() or not new or COPY_MARK in new:
                raise ConfigError(f"a name of {name}: expected printable text without #, got {new!r}")
        after = [names.get(name, name) for name in known]
        if repeated := [name for name, times in Counter(after).items() if times > 1]:
            raise ConfigError(f"{repeated[0]} is the name of two players")
        return MatchResults(_renamed(record, names) for record in self)

    def replay(self, match: int | str = 0, reader: str = "full") -> ShownReplay:
        """Return a match to step through in a notebook; `reader` is ``full``, ``public`` or ``seat:K``.

        ConfigError for an unknown match or reader. Needs the extra ``web``.
        """
        from arbiter.notebook import ShownReplay

        return ShownReplay(self.record(match), reader)

    def table(self) -> SeatTable:
        """Return all matches as columns, with a row for each seat of each match.

        The columns are those of ``arbiter export --format parquet``, then `side`, the number shared by the
        seats that win and lose together, `game`, its `options` as JSON, `seed`, and `program`, a digest to
        distinguish players of one name. ``pandas.DataFrame(results.table())`` and
        ``polars.DataFrame(results.table())`` take it.
        """
        rows = [
            {**row, "side": row["seat"] if record.sides is None else record.sides[row["seat"]]}
            | {"game": record.game, "options": options, "seed": record.seed}
            | {"program": record.programs[row["seat"]] if record.programs else ""}
            for record in self.records
            for options in [options_text(record)]
            for row in seat_rows(record)
        ]
        columns = {name: [row[name] for row in rows] for name in (*SEAT_COLUMNS, *ADDED_COLUMNS)}
        return cast("SeatTable", columns)

    def totals(self) -> list[PlayerTotals]:
        """Return a row for each player, the most points first.

        Its keys: player, matches, points, wins, draws, losses (results against single opponents), faults, and
        fault_kinds (their number by kind). Copies of a player, such as ``random#2``, count as one.
        """
        sums: dict[str, Counter[str]] = defaultdict(Counter)
        faults: dict[str, Counter[str]] = defaultdict(Counter)
        for record in self.records:
            for row in seat_rows(record):
                name = original(row["player"])
                sums[name].update(points=row["points"] or 0, **{key: row[key] for key in COUNTS[2:]})
                if row["fault"]:
                    faults[name][row["fault"]] += 1
            for name in {original(player) for player in record.players}:
                sums[name]["matches"] += 1
        return [
            {
                "player": name,
                "matches": found["matches"],
                "points": found["points"],
                "wins": found["wins"],
                "draws": found["draws"],
                "losses": found["losses"],
                "faults": faults[name].total(),
                "fault_kinds": dict(faults[name]),
            }
            for name, found in sorted(sums.items(), key=lambda item: (-item[1]["points"], item[0]))
        ]

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the match records as JSON lines, for `load_results` and ``rating fit``; ConfigError."""
        write_text("jsonl", self.records, str(file))

    def __str__(self) -> str:
        return "\n".join([in_columns([HEADER, *self._rows()]), *forfeit_lines(self)])

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(original(name) for record in self for name in record.players))
        return f"<{type(self).__name__}: {counted(len(self), 'match')}{names and f' between {names}'}>"

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{svg_text(note)}</p>" for note in forfeit_lines(self))
        return html_table(HEADER, self._rows()) + notes

    def _rows(self) -> list[list[str]]:
        return [
            [
                str(row["player"]),
                *(number(row[key]) for key in COUNTS),
                faults_text(row["fault_kinds"]) or "-",
            ]
            for row in self.totals()
        ]


def forfeit_lines(records: Iterable[MatchRecord]) -> list[str]:
    """Return a line for each of the first forfeits, and the number of the others."""
    ended = [(forfeit_place(record), record.forfeit) for record in records if record.forfeit is not None]
    notes = [f"{place}: {at.player} forfeits ({at.fault}): {at.detail}" for place, at in ended[:MOST_SHOWN]]
    return [*notes, *([f"and {len(ended) - MOST_SHOWN} more"] if len(ended) > MOST_SHOWN else [])]


def forfeit_place(record: MatchRecord) -> str:
    """Return the match, deal and decision, both from 1, that a forfeit ended."""
    deal = len(record.deals)
    return f"{record.id}, deal {deal}, decision {1 + sum(move.deal == deal - 1 for move in record.moves)}"


def _renamed(record: MatchRecord, names: Mapping[str, str]) -> MatchRecord:
    """Return a record with other names, without the digests of their programs."""

    def new(player: str) -> str:
        name, mark, number = player.partition(COPY_MARK)
        return f"{names.get(name, name)}{mark}{number}"

    forfeit = record.forfeit and replace(record.forfeit, player=new(record.forfeit.player))
    bots = tuple(replace(bot, player=new(bot.player)) for bot in record.bots)
    programs = tuple(
        "" if original(player) in names else program
        for player, program in zip(record.players, record.programs, strict=False)
    )
    players = tuple(map(new, record.players))
    return replace(record, players=players, forfeit=forfeit, bots=bots, programs=programs)


def load_results(file: str | os.PathLike[str]) -> MatchResults:
    """Read the match records of a file of JSON lines, as from `MatchResults.save` or ``arbiter export``; the
    one of a ``.json`` file.

    ConfigError for a file that cannot be read, or a line that is no match record.
    """
    if not isinstance(file, str | PathLike):
        raise ConfigError(f"expected the path of a file, got {one_line(file)}")
    if hint := _OTHER_FILES.get(Path(file).suffix):
        raise ConfigError("expected a file of match records, as from results.save", str(file), hint)
    try:
        text = Path(file).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError("expected match records, one on each line, got a binary file", str(file)) from None
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror or error}", str(file)) from None
    # One record, as from `arbiter play --record`, may have line breaks.
    lines = [text] if Path(file).suffix == ".json" else text.splitlines()
    records = []
    for place, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            shape = json.loads(line)
            if not isinstance(shape, dict) or "players" not in shape:
                raise ConfigError("expected a match record, one on each line")
            records.append(MatchRecord.from_json(shape))
        except (json.JSONDecodeError, RecursionError):
            hint = "results.save and arbiter export write them"
            raise ConfigError(f"line {place}: expected a match record in JSON", str(file), hint) from None
        except (ValueError, ArbiterError) as error:
            raise ConfigError(f"line {place}: {error}", str(file)) from None
    return MatchResults(records)
