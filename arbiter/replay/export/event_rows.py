"""Matches as rows, one row per event, for learning.

`events` is a table for every game. Chef's Hat also has the 15 columns of its published data sets
(`chefs_hat_events`); its environments write those of games in progress.

Records are replayed through the rules, one at a time, so that hands and points are those of the
rules and the cost of a match does not grow with the number of matches.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, did_you_mean
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.dataset_rows import ChefsHatRows
from arbiter.match.position import Dealt, Moved, retrace
from arbiter.replay.export.columns import CHEFS_HAT_COLUMNS, EVENT_COLUMNS
from arbiter.replay.export.row_files import RowFile

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame, Seat
    from arbiter.match.record import MatchRecord

FORMS = ("events-csv", "events-parquet", "chefs-hat-csv", "chefs-hat-pkl", "chefs-hat-parquet")


def events(record: MatchRecord, game: AnyGame) -> Iterator[dict[str, Any]]:
    """Yield a match of any game as rows with the `EVENT_COLUMNS`; columns without a value are null.

    `number` counts the rows of a match from 0. The events: ``deal``, a row for each seat, with the `hand`
    as dealt and in `detail` the deal's other keys as JSON; ``move``, with the `hand` held when asked, and
    the time charged; ``end_deal``, a row for each seat with its `points` of the deal; ``end_match``, a
    row for each seat with its `points` of the match, null after a fault, which is in the `detail` of the
    seat that faulted.
    """
    for number, row in enumerate(_match_events(record, game)):
        row["number"] = number
        yield row


def _match_events(record: MatchRecord, game: AnyGame) -> Iterator[dict[str, Any]]:
    """Yield the rows of `events`, without their numbers."""
    blank: dict[str, Any] = dict.fromkeys(EVENT_COLUMNS)
    blank |= {
        "season": record.season,
        "match": record.id,
        "game": record.game,
        "round": record.round,
        "table": record.table,
        "rotation": record.rotation,
    }

    def make_row(event: str, deal: int | None, seat: Seat, **more: object) -> dict[str, Any]:
        place = {"event": event, "deal": deal, "seat": seat, "player": record.players[seat]}
        return blank | place | more

    seats = range(len(record.players))
    for what in retrace(record, game):
        if isinstance(what, Moved):
            move = what.move
            yield make_row(
                "move",
                move.deal,
                move.seat,
                request=move.request,
                action=move.action,
                hand=" ".join(map(game.card_name, game.hand(what.before, move.seat))),
                charged_ms=move.charged_ns / 1e6,
            )
        elif isinstance(what, Dealt):
            rest = json.dumps({key: value for key, value in what.shape.items() if key != "hands"})
            for seat, hand in zip(seats, what.shape["hands"], strict=True):
                yield make_row("deal", what.number, seat, hand=" ".join(hand), detail=rest)
        else:
            points = what.state.points()
            for seat in seats:
                yield make_row("end_deal", what.number, seat, points=points[seat])
    forfeit = record.forfeit
    for seat in seats:
        fault = None
        if forfeit is not None and forfeit.seat == seat:
            fault = f"{forfeit.fault}: {forfeit.detail}"
        own = None if record.points is None else record.points[seat]
        yield make_row("end_match", None, seat, points=own, detail=fault)


def chefs_hat_events(record: MatchRecord, game: AnyGame) -> Iterator[dict[str, Any]]:
    """Yield a match of Chef's Hat as rows with the 15 `CHEFS_HAT_COLUMNS`; ConfigError for another game.

    After a fault the rows end there, and END_EXPERIMENT names it.
    """
    if not isinstance(game, ChefsHat):
        raise ConfigError(f"{record.id} is a match of {record.game}, and this form is for chefs_hat")
    rows = ChefsHatRows(record.players)
    yield from rows.begin()
    for what in retrace(record, game):
        if isinstance(what, Dealt):
            yield from rows.dealt(what.state)
        elif isinstance(what, Moved):
            action = what.before.carried_out(what.action, what.after)
            yield from rows.done(what.before, what.move.seat, action, what.after)
    forfeit = record.forfeit
    yield from rows.end("" if forfeit is None else f"{forfeit.fault} of {forfeit.player}: {forfeit.detail}")


def write_events(
    form: str,
    records: Iterable[MatchRecord],
    file: str,
    game: Callable[[MatchRecord], AnyGame],
    known: Mapping[str, str] | None = None,
) -> None:
    """Write a file in one of the `FORMS`, one record at a time.

    `game` returns the game of a record, with its options; `known` are the file's `facts`. ConfigError for
    another form, for a file that cannot be written, or without the package for it; StoreError for a record
    that cannot be replayed.
    """
    if form not in FORMS:
        raise ConfigError(f"{form!r} is not a form of events", hint=did_you_mean(form, FORMS))
    table, _, kind = form.rpartition("-")
    rows_of = events if table == "events" else chefs_hat_events
    columns = EVENT_COLUMNS if table == "events" else CHEFS_HAT_COLUMNS
    with RowFile(file, columns, kind, known) as out:
        for record in records:
            out.write(rows_of(record, game(record)))
