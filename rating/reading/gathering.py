"""Collect games and matches from files into one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np

from rating.arrays import Bools, Floats, Ints
from rating.crosstable import PairTable
from rating.errors import MalformedGame
from rating.expansion import expand
from rating.matches import FaultRule, Match
from rating.reading.repeats import ResultColumns, ResultSource, find_repeats

OUTCOMES = {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "1/2": 0, "½-½": 0}
"""The valid results, with the outcome for the player named first."""

SEED = "seed "
"""The event of matches outside a season: a seed, since those of another one have other deals."""
_LEADING = re.compile(r"\d{1,15}")
# Matches expanded together.
_BATCH = 20_000


class GameColumns(NamedTuple):
    """A batch of games: one stripped cell per game in each column.

    `white` and `black` differ and are never empty, `result` is a key of OUTCOMES; `round` and `table` begin
    with their number (see `whole_number`), `event` and `match` are names. Those four are empty if unknown.
    """

    white: Sequence[str]
    black: Sequence[str]
    result: Sequence[str]
    round: Sequence[str]
    table: Sequence[str]
    event: Sequence[str]
    match: Sequence[str]


@lru_cache(maxsize=10_000)
def whole_number(text: str) -> int:
    """Return the number at the start of `text`, 3 for `3` and `3.2`; -1 for `?`, `-`, `final` and ""."""
    found = _LEADING.match(text)
    return int(found.group()) if found else -1


class NameNumbers(dict[str, int]):
    """Numbers names from 0 in order of appearance."""

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        return number


class NumberedGames(NamedTuple):
    """A batch of games in numbers, as GameColumns without matches: `result` is the outcome for white.

    `white` and `black` index `players`, `event` indexes `events`: the names of the file so far, in any order.
    """

    players: NameNumbers
    events: NameNumbers
    white: Ints
    black: Ints
    result: Ints
    round: Ints
    table: Ints
    event: Ints


class ResultCollector:
    """Collects results as numbers in arrays, each name once. `problems` are the malformed games."""

    def __init__(self, faults: FaultRule) -> None:
        self.problems: list[MalformedGame] = []
        self.pointed = False
        self._fault_rule = faults
        self._players: dict[str, int] = {}
        self._events = NameNumbers()
        # By result: first, second, outcome, match, round, table, event.
        self._columns: list[list[Ints]] = [[] for _ in range(7)]
        self._played, self._faults = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._points = np.zeros(0)
        self._next_match = 0
        self._is_named: list[Bools] = []  # by result: whether its match has an id
        self._sources: list[ResultSource] = []
        self._results = 0
        self._named: dict[str, int] = {}
        self._seen: set[tuple[int, int]] = set()
        self._known: dict[str, set[str]] = {}
        self._matches: list[Match] = []
        self._games_alone = False
        # By number in the file that is read: players and events.
        self._file_players = self._file_events = np.zeros(0, np.int64)

    def begin_source(self, file: str, line: int) -> None:
        """Assign what is added from now on to this file, from this line on."""
        self._sources.append(ResultSource(file, line, self._results))
        self._file_players = self._file_events = np.zeros(0, np.int64)

    def add_games(self, found: Iterable[GameColumns | NumberedGames | MalformedGame]) -> None:
        """Add games of PGN and CSV; each is a separate match unless it names its match."""
        for games in found:
            if isinstance(games, MalformedGame):
                self.problems.append(games)
                continue
            if isinstance(games, NumberedGames):
                self._add_numbered(games)
                continue
            size = len(games.white)
            if not size:
                continue
            self._games_alone = True
            try:
                white, black = (_number_cells(self._players.__getitem__, side) for side in games[:2])
            except KeyError:
                # Players are numbered in order of appearance.
                self._number_players(chain.from_iterable(zip(games.white, games.black, strict=True)))
                white, black = (_number_cells(self._players.__getitem__, side) for side in games[:2])
            if any(games.match):
                matches = self._match_numbers(games, white, black)
                named = np.array(games.match) != ""
            else:
                named = np.zeros(size, np.bool_)
                matches = self._count_unnamed(white, black)
            self._append_columns(
                white,
                black,
                _number_cells(OUTCOMES.__getitem__, games.result),
                matches,
                _number_cells(whole_number, games.round),
                _number_cells(whole_number, games.table),
                _number_cells(self._events.__getitem__, games.event),
            )
            self._is_named.append(named)

    def _add_numbered(self, games: NumberedGames) -> None:
        """Add games whose names have the numbers of their file."""
        self._games_alone = True
        sides = np.stack([games.white, games.black], axis=1).ravel()
        self._file_players = _extend_numbers(self._file_players, sides, games.players, self._players)
        self._file_events = _extend_numbers(self._file_events, games.event, games.events, self._events)
        white, black = self._file_players[games.white], self._file_players[games.black]
        matches = self._count_unnamed(white, black)
        event = self._file_events[games.event]
        self._append_columns(white, black, games.result, matches, games.round, games.table, event)
        self._is_named.append(np.zeros(white.size, np.bool_))

    def _count_unnamed(self, white: Ints, black: Ints) -> Ints:
        """Count games as played, each in a separate match; return the numbers of the matches."""
        first, self._next_match = self._next_match, self._next_match + white.size
        for side in (white, black):
            self._played = _sum(self._played, np.bincount(side, minlength=len(self._players)))
        return np.arange(first, self._next_match)

    def _number_players(self, names: Iterable[str]) -> None:
        for name in names:
            self._players.setdefault(name, len(self._players))

    def _match_numbers(self, games: GameColumns, white: Ints, black: Ints) -> Ints:
        """Return the match of each game, and count it as played; a named match once for all its games."""
        numbers = []
        played = []
        pairs = zip(white.tolist(), black.tolist(), strict=True)
        for event, match, pair in zip(games.event, games.match, pairs, strict=True):
            number = self._next_match
            if match:
                number = self._named.setdefault(f"{event} {match}", number)
            self._next_match = max(self._next_match, number + 1)
            numbers.append(number)
            new = [player for player in pair if not match or (number, player) not in self._seen]
            played += new
            if match:
                self._seen.update((number, player) for player in new)
        self._played = _sum(
            self._played, np.bincount(np.array(played, np.int64), minlength=len(self._players))
        )
        return np.array(numbers, np.int64)

    def add_matches(self, found: Iterable[tuple[Match, str, int] | MalformedGame], file: str) -> None:
        """Add match records with the season and line of each; a repeated id is a problem."""
        batch: list[Match] = []
        events: list[int] = []
        for item in found:
            if isinstance(item, MalformedGame):
                self.problems.append(item)
                continue
            match, season, line = item
            if match.id is not None:
                known = self._known.setdefault(season, set())
                if match.id in known:
                    where = f" of season {season}" if season else ""
                    where = where.replace(f"season {SEED}", SEED)
                    self.problems.append(MalformedGame(file, line, f"match {match.id}{where} is given twice"))
                    continue
                known.add(match.id)
            part = match.rated()
            if part is None:
                continue
            batch.append(part)
            events.append(self._events[season])
            if len(batch) == _BATCH:
                self._add_batch(batch, events)
                batch, events = [], []
        self._add_batch(batch, events)

    def _add_batch(self, batch: list[Match], events: list[int]) -> None:
        """Add the results and sums of match records, each with the number of its event."""
        self._number_players(chain.from_iterable(match.players for match in batch))
        new = expand(batch, self._players, self._fault_rule)
        event = np.array(events, np.int64)[new.match]
        self._append_columns(
            new.first, new.second, new.outcome, new.match + self._next_match, new.round, new.table, event
        )
        self._is_named.append(np.array([match.id is not None for match in batch], np.bool_)[new.match])
        self._next_match += len(batch)
        self._matches += batch
        self.pointed |= any(match.points is not None for match in batch)
        self._played = _sum(self._played, new.played)
        self._points = _sum(self._points, new.points)
        self._faults = _sum(self._faults, new.faults)

    def _append_columns(self, *parts: Ints) -> None:
        for column, part in zip(self._columns, parts, strict=True):
            column.append(part)
        self._results += parts[0].size

    def matches(self) -> tuple[Match, ...] | None:
        """Return the matches, or None unless all results come from match records."""
        return None if self._games_alone else tuple(self._matches)

    def repeats(self) -> list[str]:
        """Return sentences on results that were given twice; call it after all files are read."""
        first, second, outcome, match, rounds, _, events = self._join_columns()
        if not first.size:
            return []
        named = np.where(np.concatenate(self._is_named), match, -1)
        found = ResultColumns(first, second, outcome, rounds, events, named)
        return list(find_repeats(self._sources, found, self._events.get("", -1)))

    def _join_columns(self) -> list[Ints]:
        """Join each column's parts into one array, kept instead of them; return the arrays."""
        for column in self._columns:
            # Column by column, so that only one is in memory twice.
            column[:] = [np.concatenate(column or [np.zeros(0, np.int64)])]
        return [column[0] for column in self._columns]

    def table(self) -> PairTable:
        """Return the table of all results; each event has its own rounds."""
        first, second, outcome, match, rounds, table, events = self._join_columns()
        if len(self._events) > 1 and rounds.size:
            rounds = np.where(rounds < 0, rounds, rounds + events * (int(rounds.max()) + 1))
        n, names = len(self._players), tuple(self._players)
        played, faults = (_sum(got, np.zeros(n, np.int64)) for got in (self._played, self._faults))
        points = _sum(self._points, np.zeros(n))
        return PairTable(
            first, second, outcome, match, rounds, table, played, points, faults, names, self._fault_rule
        )


PerPlayer = TypeVar("PerPlayer", Ints, Floats)


def _sum(total: PerPlayer, more: PerPlayer) -> PerPlayer:
    """Return the sum by player; `more` may have further players."""
    found = more.copy()
    found[: total.size] += total
    return found


def _extend_numbers(numbers: Ints, used: Ints, names: NameNumbers, into: dict[str, int]) -> Ints:
    """Return the numbers in `into` of `names`, -1 if never `used`; new ones come in the order of use."""
    if len(names) > len(numbers):
        numbers = np.append(numbers, np.full(len(names) - len(numbers), -1))
    new = used[numbers[used] < 0]
    if new.size:
        texts = tuple(names)
        for name in dict.fromkeys(new.tolist()):
            numbers[name] = into.setdefault(texts[name], len(into))
    return numbers


def _number_cells(number: Callable[[str], int], cells: Sequence[str]) -> Ints:
    """Return the number of each cell; often all are the same."""
    if cells.count(cells[0]) == len(cells):
        return np.full(len(cells), number(cells[0]))
    return np.fromiter(map(number, cells), np.int64, len(cells))
