"""What is seen of matches while they are played: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from arbiter.cli.output import number, tell
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arbiter.match import MatchSummary


def match_line(match: MatchSummary) -> str:
    """One line about one match."""
    if match.faulty is not None:
        return f"{match.id}: {match.players[match.faulty]} forfeits ({match.fault}): {match.detail}"
    points = zip(match.players, match.points or (), strict=True)
    return f"{match.id}: " + ", ".join(f"{player} {point}" for player, point in points)


def round_line(standings: dict[str, Any], matches: int, seconds: float) -> str:
    """One line about a round that is complete."""
    leader = standings["players"][0]
    return (
        f"round {standings['rounds_played']}: {matches} matches in {seconds:.0f} s; "
        f"{leader['player']} leads with {number(leader['elo'])} Elo"
    )


@contextmanager
def progress(
    total: int, line: Callable[[MatchSummary], str] | None, title: str
) -> Iterator[Callable[[MatchSummary], None]]:
    """A call to make for each match.

    On a terminal it moves a bar and names forfeits; elsewhere it prints `line` of each match, or
    without one the forfeits alone.
    """
    if not sys.stderr.isatty():

        def lines(match: MatchSummary) -> None:
            if line is not None or match.faulty is not None:
                tell((line or match_line)(match))

        yield lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        TimeRemainingColumn(),
    )
    start = time.monotonic()
    with Progress(*columns, console=Console(stderr=True, markup=False, emoji=False)) as bar:
        task = bar.add_task(printable(title), total=total, pace="")
        done = 0

        def move(match: MatchSummary) -> None:
            nonlocal done
            done += 1
            if match.faulty is not None:
                bar.console.print(printable(match_line(match)), highlight=False)
            minutes = max(time.monotonic() - start, 1e-3) / 60
            bar.update(task, advance=1, pace=f"{done / minutes:.0f} matches a minute, left")

        yield move
