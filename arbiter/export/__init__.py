"""All ways out: matches as files for other programs, and as data sets for whoever learns from them.

| module | job |
|---|---|
| `matches` | stored matches as PGN, CSV, JSON lines, Parquet |
| `columns` | what every column of a data set holds |
| `rows` | matches as rows, one row an event, from records |
| `row_files` | files of rows, written as the rows come |
| `whole_files` | files that appear when they are complete |
"""

from arbiter.export.columns import (
    CHEFS_HAT_COLUMNS,
    EVENT_COLUMNS,
    RESULT_COLUMNS,
    SEAT_COLUMNS,
    Column,
    Columns,
    facts,
)
from arbiter.export.matches import (
    OUTCOMES,
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
    FORMS,
    chefs_hat_events,
    events,
    write_events,
)

__all__ = [
    "CHEFS_HAT_COLUMNS",
    "EVENT_COLUMNS",
    "FORMS",
    "OUTCOMES",
    "RESULT_COLUMNS",
    "SEAT_COLUMNS",
    "Column",
    "Columns",
    "RowFile",
    "TextForm",
    "chefs_hat_events",
    "events",
    "facts",
    "pgn_games",
    "results",
    "seat_rows",
    "text",
    "write_events",
    "write_parquet",
    "write_text",
]
