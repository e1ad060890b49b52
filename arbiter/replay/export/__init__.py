"""Exports: matches as files for other programs, and as data sets for learning."""

from arbiter.replay.export.columns import facts
from arbiter.replay.export.event_rows import write_events
from arbiter.replay.export.match_files import OUTCOMES, TextForm, results, text, write_parquet, write_text

__all__ = ["OUTCOMES", "TextForm", "facts", "results", "text", "write_events", "write_parquet", "write_text"]
