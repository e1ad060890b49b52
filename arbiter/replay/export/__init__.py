"""All ways out: matches as files for other programs, and as data sets for learning.

| module | job |
|---|---|
| `match_files` | stored matches as PGN, CSV, JSON lines, Parquet |
| `columns` | what every column of a data set holds |
| `event_rows` | matches as rows, one row an event |
| `row_files` | files of rows, written as the rows come |
| `card` | what a data set is, for people |
| `whole_files` | files that appear when they are complete |
"""

from arbiter.replay.export.columns import facts
from arbiter.replay.export.event_rows import write_events
from arbiter.replay.export.match_files import OUTCOMES, TextForm, results, text, write_parquet, write_text

__all__ = ["OUTCOMES", "TextForm", "facts", "results", "text", "write_events", "write_parquet", "write_text"]
