"""All ways out: matches as files for other programs, and as data sets for whoever learns from them.

| module | job |
|---|---|
| `matches` | stored matches as PGN, CSV, JSON lines, Parquet |
| `rows` | matches as rows, one row an event, from records and from games in progress |
| `row_files` | files of rows, written as the rows come |
| `whole_files` | files that appear when they are complete |
"""

from arbiter.export.matches import (
    OUTCOMES,
    SEAT_COLUMNS,
    TextForm,
    pgn_games,
    results,
    seat_rows,
    text,
    write_parquet,
    write_text,
)
from arbiter.export.row_files import RowFile
from arbiter.export.rows import (
    EVENT_COLUMNS,
    FORMS,
    Recording,
    chefs_hat_events,
    events,
    write_events,
)
from arbiter.games.chefs_hat.rows import CHEFS_HAT_COLUMNS

__all__ = [
    "CHEFS_HAT_COLUMNS",
    "EVENT_COLUMNS",
    "FORMS",
    "OUTCOMES",
    "SEAT_COLUMNS",
    "Recording",
    "RowFile",
    "TextForm",
    "chefs_hat_events",
    "events",
    "pgn_games",
    "results",
    "seat_rows",
    "text",
    "write_events",
    "write_parquet",
    "write_text",
]
