"""Matches as rows, one row an event, for whoever learns from them.

`rows` makes them, from records and from games in progress; `files` writes them as they come.
"""

from arbiter.datasets.files import RowFile
from arbiter.datasets.rows import (
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
    "Recording",
    "RowFile",
    "chefs_hat_events",
    "events",
    "write_events",
]
