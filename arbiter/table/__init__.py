"""The table: real processes, pipes and clocks around the referee.

`play_match`, or `play_packed` of a season, is the one function that crosses a process or machine
border.
"""

from __future__ import annotations

from arbiter.table.conduct import Table, play_match, play_packed

__all__ = ["Table", "play_match", "play_packed"]
