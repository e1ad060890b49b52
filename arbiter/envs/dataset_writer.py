"""Matches of an environment as a data set, in the rows of `arbiter export --as events-csv`."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, NoReturn

from arbiter.envs.match_state import Play, answers
from arbiter.envs.minari_folder import PREFIX, MinariFolder
from arbiter.games.game import Action, AnyGame, Deal, Seat
from arbiter.match.record import Fault, Forfeit, MatchRecord, Move
from arbiter.replay.export.columns import EVENT_COLUMNS, facts
from arbiter.replay.export.event_rows import events
from arbiter.replay.export.row_files import RowFile


class DatasetWriter:
    """Writes finished matches; the data set is complete after `close`.

    A file, .csv or .parquet, has one row per event; ``minari:FOLDER`` is a data set of Minari
    (`MinariFolder`). ConfigError if it cannot be written.
    """

    def __init__(self, file: str, game: AnyGame) -> None:
        self._file: RowFile | MinariFolder
        if isinstance(file, str) and file.startswith(PREFIX):
            self._file = MinariFolder(file.removeprefix(PREFIX), game)
        else:
            self._file = RowFile(file, EVENT_COLUMNS, facts=facts(game))
        self._matches = 0
        # Also without a call of `close`.
        weakref.finalize(self, self._file.close)

    def __reduce__(self) -> NoReturn:
        raise TypeError("an environment that writes a data set cannot be copied")

    def add(self, play: Play, names: Sequence[str], fault: tuple[Seat, str] | None = None) -> None:
        """Write a match that is over; `fault` is the seat and the reason of an illegal move that ended it."""
        self._matches += 1
        record = record_of(play, f"m{self._matches}", names, fault)
        if isinstance(self._file, MinariFolder):
            self._file.write([record])
        else:
            self._file.write(events(record, play.game))

    def close(self) -> None:
        """Complete the file. May be called twice."""
        self._file.close()


def record_of(
    play: Play, name: str, names: Sequence[str], fault: tuple[Seat, str] | None = None
) -> MatchRecord:
    """Return the record of a match that is over, without times; `name` is its id, `names` are by seat.

    `fault` is as in `DatasetWriter.add`.
    """
    game = play.game
    parts: list[tuple[Deal, Any, Sequence[Seat], Sequence[Action]]] = [
        (deal.deal, deal.state, deal.seats, deal.actions) for deal in play.played
    ]
    forfeit = None
    if fault is not None:
        parts.append((play.deal, play.state, play.seats, play.actions))
        seat, reason = fault
        request = game.request(play.state, seat) if seat in play.state.to_act else ""
        forfeit = Forfeit(seat, names[seat], Fault.ILLEGAL, reason, request, "")
    return MatchRecord(
        id=name,
        season="",
        round=None,
        table=None,
        rotation=0,
        game=game.name,
        options=game.options,
        seed="",
        deal_hash="",
        players=tuple(names),
        deals=tuple(game.deal_record(deal, state) for deal, state, _, _ in parts),
        moves=tuple(
            Move(number, seat, request, words, 0, 0, 0, 0, 0)
            for number, (deal, _, seats, actions) in enumerate(parts)
            for seat, request, words in answers(game, deal, seats, actions)
        ),
        points=None if fault is not None else play.totals,
        forfeit=forfeit,
        sides=game.sides,
    )
