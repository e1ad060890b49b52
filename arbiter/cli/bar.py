"""Matches as they end: a bar with the pace and the time left on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from arbiter.cli.output import duration, result_text, tell
from arbiter.text import printable

if TYPE_CHECKING:
    from typing import Self

    from rich.progress import Progress, TaskID

    from arbiter.match import MatchSummary


def match_line(match: MatchSummary) -> str:
    """One line about one match."""
    return f"{match.id}: {result_text(match)}"


class Bar:
    """Shows one thing after another that has many matches.

    On a terminal a bar moves, and forfeits are named above it, as is what else goes to standard error.
    Elsewhere there is a line for each match, or without `each` for forfeits alone.
    """

    def __init__(self, each: bool = False) -> None:
        self._each = each
        self._bar: tuple[Progress, TaskID] | None = None
        self._done = self._total = self._played = 0
        self._begun = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def show(self, title: str, total: int, done: int = 0) -> None:
        """Show from now on what `title` names, of whose matches so many are done already."""
        self._total, self._done = total, done
        self._begun = self._begun or time.monotonic()
        if sys.stderr.isatty():
            progress, task = self._bar = self._bar or _drawn()
            progress.update(task, description=printable(title), total=total)
            self._tell_figures()
            progress.start()

    def seen(self, match: MatchSummary) -> None:
        """One more match has ended."""
        self._done += 1
        self._played += 1
        if self._bar is None:
            if self._each or match.faulty is not None:
                tell(match_line(match))
            return
        if match.faulty is not None:
            self._bar[0].console.print(printable(match_line(match)), highlight=False)
        self._tell_figures()

    def close(self) -> None:
        """Leave what there is, and draw no more; what is shown later has a pace of its own."""
        self._played, self._begun = 0, 0.0
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None

    def _tell_figures(self) -> None:
        assert self._bar is not None
        progress, task = self._bar
        told = figures(self._done, self._total, self._played, time.monotonic() - self._begun)
        progress.update(task, completed=self._done, figures=told)


def figures(done: int, total: int, played: int, seconds: float) -> str:
    """``45 of 1600 matches, 120 a minute, 13 min left``: `played` of those that are done took so long."""
    text = f"{done} of {total} matches"
    if not played:
        return text
    a_minute = 60 * played / max(seconds, 1e-3)
    text += f", {a_minute:.{0 if a_minute >= 10 else 1}f} a minute"
    if done >= total:
        return text
    return f"{text}, {duration(max(1, round((total - done) * seconds / played)))} left"


def _drawn() -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.table import Column

    columns = (
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        BarColumn(bar_width=None, table_column=Column(ratio=1)),
        TextColumn("{task.fields[figures]}", table_column=Column(no_wrap=True)),
    )
    progress = Progress(*columns, console=Console(stderr=True, markup=False, emoji=False), expand=True)
    return progress, progress.add_task("", total=None, figures="")
