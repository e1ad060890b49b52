"""Show a season while it is played: a bar on a terminal, lines elsewhere and in a journal."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from arbiter import errors
from arbiter.cli.output import counted, note, number, result_text, tell
from arbiter.season.events import (
    ChangesAccepted,
    FinishedAsBegun,
    MatchesAgain,
    MatchStored,
    MatchVoid,
    PartComplete,
    ProgramChanged,
    RoundComplete,
    RoundPlanned,
    RoundsOver,
    SeasonComplete,
    Stopped,
    Suspended,
)
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arbiter.cli.journal import Journal
    from arbiter.match import MatchSummary
    from arbiter.season.events import Event


def match_line(match: MatchSummary) -> str:
    """One line about one match."""
    return f"{match.id}: {result_text(match)}"


def void_line(event: MatchVoid) -> str:
    """One line about a match that failed by no fault of a bot."""
    return f"{event.id}: void, to be played again: {event.why}"


def stopped() -> errors.Interrupted:
    """The error that ends a command when somebody asked its season to stop."""
    return errors.Interrupted("stopped as asked; the same command goes on")


def present(events: Iterable[Event], name: str, journal: Journal, each_match: bool = False) -> None:
    """Tell a terminal and a journal what happens to the season `name`; `errors.Interrupted` at its stop.

    Where no terminal moves a bar, a line about each match, or without `each_match` about forfeits alone. With
    it, too, a round's end is told by the journal only: the command's own output says it. All but the first of
    voids in a row that have one reason are told by the journal only.
    """
    with ExitStack() as bar:
        announced = False
        seen: Callable[[MatchSummary], None] | None = None
        why = ""
        for event in events:
            if isinstance(event, MatchStored):
                match, why = event.match, ""
                journal.write(f"{match_line(match.summary)} ({match.wall_ns / 1e9:.2f} s)")
                if seen is not None:
                    seen(match.summary)
                continue
            if isinstance(event, RoundPlanned):
                for text in [] if announced else _plan_lines(event, name):
                    journal.tell(text)
                announced = True
                title = f"round {event.number} of {event.rounds}"
                seen = bar.enter_context(progress(event.missing, match_line if each_match else None, title))
                continue
            if isinstance(event, MatchVoid):
                if event.why == why:
                    journal.write(void_line(event))
                    continue
                why = event.why
            else:
                bar.close()
            if isinstance(event, Stopped):
                raise stopped()
            if isinstance(event, RoundComplete) and each_match:
                journal.write(_line(event, name))
            elif isinstance(event, SeasonComplete):
                # The seed is for whoever looks now; the journal may be public before the season's end is.
                journal.write(_line(event, name))
                note(f"{_line(event, name)}; its seed was {event.seed}")
            else:
                journal.tell(_line(event, name))


def _plan_lines(event: RoundPlanned, name: str) -> Iterator[str]:
    """What is about to be played, and before the first match the commitment to the deals."""
    there = event.total - event.missing
    text = f"{name}, round {event.number}: {event.missing} matches, {event.at_once} at once"
    yield text + (f" ({there} are stored already)" if there else "")
    if event.commitment is not None:
        yield f"the seed's SHA-256 is {event.commitment}; the seed is shown when the season ends"


def _line(event: Event, name: str) -> str:
    """One line about an event other than a match or a plan."""
    match event:
        case ChangesAccepted(what):
            return f"accepted: {what}"
        case FinishedAsBegun(round_number, what):
            return (
                f"round {round_number} was begun under other settings and is finished under those;"
                f" changed since: {what}"
            )
        case MatchesAgain(matches):
            return f"{counted(matches, 'annulled match')} {'is' if matches == 1 else 'are'} played again"
        case Suspended(player, round_number, reason):
            return f"{player} is suspended and sits out round {round_number}: {reason}"
        case ProgramChanged():
            return str(event)
        case MatchVoid():
            return void_line(event)
        case RoundComplete(standings, matches, seconds):
            leader = standings["players"][0]
            return (
                f"round {standings['rounds_played']}: {matches} matches in {seconds:.0f} s;"
                f" {leader['player']} leads with {number(leader['elo'])} Elo"
            )
        case PartComplete(part, round_number, played):
            return f"slice {part}, round {round_number}: {played} matches played"
        case RoundsOver(complete, rounds) if complete < rounds:
            return f"{complete} of {rounds} rounds of {name} are complete"
        case RoundsOver(complete):
            return f"{complete} rounds of {name} are complete, and there is time for more"
        case SeasonComplete(rounds):
            return f"all {rounds} rounds of {name} are complete"
    raise TypeError(f"no line is known for {event!r}")


@contextmanager
def progress(
    total: int, line: Callable[[MatchSummary], str] | None, title: str
) -> Iterator[Callable[[MatchSummary], None]]:
    """Give a function to call for each match.

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
