"""A season opened to be read: its standings, rounds, matches and replays."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Self, SupportsIndex, cast

from arbiter.errors import ConfigError, did_you_mean
from arbiter.python.match_results import MatchResults
from arbiter.season.administration import unknown_round
from arbiter.season.settings import open_to_read
from arbiter.season.snapshot import listings
from arbiter.season.snapshot import season_figures as figures
from arbiter.season.snapshot.ranking import ranking_after
from arbiter.season.snapshot.season_state import SeasonState
from arbiter.season.snapshot.viewer import AS_ORGANISER
from arbiter.text import UNMARKED, counted, html_table, in_columns, number, unmarked

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from arbiter.match.record import MatchRecord, MatchSummary
    from arbiter.notebook import ShownReplay
    from arbiter.season.snapshot.match_schema import MatchRow
    from arbiter.season.snapshot.schema import Crosstable, History, Progress, Standings, Status

_RESULTS = {
    ".jsonl": "arbiter.load_results(file) reads match records",
    ".sqlite": "a store is named by its season's file",
}
"""Hints by suffix of other files."""
HEADER = ("#", "player", "Elo", "±", "matches", "points", "won", "drawn", "lost")


def open_season(file: str | os.PathLike[str], store: str | None = None) -> SeasonReader:
    """Open a season by its file, to read what was played; `store` is the URL of another store.

    ConfigError for a file with mistakes, StoreError for a season that is not begun.
    """
    return SeasonReader(file, store)


class SeasonReader:
    """A season as its store had it when opened, or at the last `refresh`; close it, or use it in ``with``.

    Methods return what the commands of their names print as JSON, with sentences (`say`) without
    bidirectional isolation marks. All results are visible, also what a site holds back.
    """

    def __init__(self, file: str | os.PathLike[str], store: str | None = None) -> None:
        if not isinstance(file, str | PathLike):
            raise ConfigError(f"expected the path of a season's file, got {file!r}")
        if Path(file).suffix in _RESULTS:
            raise ConfigError("expected a season's file, in YAML", str(file), _RESULTS[Path(file).suffix])
        if Path(file).is_dir():
            inside = Path(file) / "season.yaml"
            hint = f"open_season({str(inside)!r})" if inside.exists() else "name the YAML file in it"
            raise ConfigError("is a folder, expected a season's file", str(file), hint)
        self._config, self._stored, self._store = open_to_read(str(file), store)
        self.refresh()

    def refresh(self) -> None:
        """Read what was played since."""
        self._state = SeasonState.of(self._config, self._stored)

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        return self._state.name

    @property
    def game(self) -> str:
        return self._state.file.game.name

    def status(self) -> Status:
        """Return the season in short, as ``arbiter status`` does."""
        return figures.status(self._state)

    def standings(self, after_round: int | None = None, official: bool = False) -> Standings:
        """Return the standings after a round, by default the last complete one.

        ``pandas.DataFrame(season.standings()["players"])`` is the table. If `official`, without house bots,
        rungs and withdrawn players. ConfigError for a round that is not complete.
        """
        state, last = self._state, self._state.complete
        check_integer("after_round", after_round)
        if after_round is not None and not 1 <= after_round <= last:
            raise ConfigError(f"after_round: expected a complete round, 1 to {last}, got {after_round!r}")
        earlier = official and after_round not in (None, last)
        ranking = ranking_after(state.config, state.stored, after_round or last) if earlier else None
        shape = figures.standings(state, after_round, official, ranking)
        if official:
            shape["players"] = [row for row in shape["players"] if row["rank"] is not None]
        if (first := shape["first"]) is not None:
            shape["first"] = {**first, "say": first["say"].translate(UNMARKED)}
        return shape

    def history(self) -> History:
        """Return the ratings after each complete round, as ``arbiter standings --history`` does."""
        return figures.history(self._state, official=False)

    def crosstable(self) -> Crosstable:
        """Return the results of all pairs in complete rounds, as ``arbiter crosstable`` does."""
        table = figures.crosstable(self._state, official=False)
        # None for an unknown page alone.
        assert table is not None
        return table

    def rounds(self) -> Sequence[Progress]:
        """Return the rounds begun: round, complete, stored and planned matches."""
        return [figures.round_in_short(self._state, known) for known in self._state.rounds]

    def matches(self, round_number: int | None = None, player: str | None = None) -> Sequence[MatchRow]:
        """Return the stored matches of a round, of a player, or all, as ``arbiter matches`` does.

        ConfigError for a round that is not begun, and for an unknown player.
        """
        last = max((stored.number for stored in self._state.rounds), default=0)
        check_integer("round_number", round_number)
        if round_number is not None and not 1 <= round_number <= last:
            raise unknown_round(round_number, last)
        if player is not None and player not in self._state.names:
            raise ConfigError(f"no player {player!r}", hint=did_you_mean(player, sorted(self._state.names)))
        listed = listings.matches(self._state, round_number, player, viewer=AS_ORGANISER)
        rows = (listings.match_with_reason(self._state, match) for match in listed.part(0, len(listed)))
        return cast("list[MatchRow]", unmarked([*rows]))

    def record(self, match_id: str) -> MatchRecord:
        """Return the record of a match; ConfigError for an unknown id."""
        record = self._state.record(match_id)
        if record is None:
            raise ConfigError(f"{self.name} has no match {match_id}", hint="matches() lists them")
        return record

    def records(self, round_number: int | None = None) -> MatchResults:
        """Return the records of a round, or of all stored matches, annulled ones too; ConfigError."""
        return MatchResults(self.record(str(row["id"])) for row in self.matches(round_number))

    def replay(self, match_id: str, reader: str = "full") -> ShownReplay:
        """Return a match to step through in a notebook; see `MatchResults.replay`."""
        from arbiter.notebook import ShownReplay

        return ShownReplay(self.record(match_id), reader)

    def counted(self) -> list[MatchSummary]:
        """Return the matches that the standings rest on: of complete rounds, without annulled ones."""
        state = self._state
        return [
            match
            for match in state.matches
            if state.is_complete(match.round) and match.id not in state.annulled
        ]

    def _rows(self) -> list[list[str]]:
        return [
            [number(row["rank"]), row["player"], number(row["elo"])]
            + [number(None if row["high"] is None or row["low"] is None else (row["high"] - row["low"]) / 2)]
            + [number(row[key]) for key in ("matches", "points", "wins", "draws", "losses")]
            for row in (self.standings()["players"] if self._state.complete else ())
        ]

    def __str__(self) -> str:
        return in_columns([HEADER, *self._rows()])

    def __repr__(self) -> str:
        return f"<SeasonReader: {self.name}, {self.game}, {counted(self._state.complete, 'round')} complete>"

    def _repr_html_(self) -> str:
        return html_table(HEADER, self._rows())


def check_integer(name: str, value: object) -> None:
    """Raise ConfigError for a value that is neither an integer, NumPy's included, nor None."""
    if value is not None and not isinstance(value, SupportsIndex):
        raise ConfigError(f"{name}: expected an integer, got {value!r}")
