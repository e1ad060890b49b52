"""Show matches while they are played: a progress bar on a terminal, lines elsewhere, and a journal."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from arbiter import errors
from arbiter.cli.output import (
    NO_CHANGE,
    change_rows,
    duration_text,
    note,
    print_stderr_line,
    result_text,
    suspended_line,
    time_text,
)
from arbiter.season import events
from arbiter.season.administration import rank_changes
from arbiter.text import counted, number, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from rich.progress import Progress, TaskID

    from arbiter.match.packing import PackedMatch
    from arbiter.match.record import MatchSummary


PAUSES = (
    events.RoundAwaited, events.PlayersAwaited, events.StopRuleMet, events.Stopped, events.RoundsOver,
    events.SeasonComplete,
)  # fmt: skip
"""Events that close the progress bar."""
MOST_CHANGES = 20
"""Players whose change by replays is printed."""

journal_option = click.option(
    "--log", type=click.Path(dir_okay=False), help="Append each match and event to this file."
)


class Journal:
    """A log file, flushed after each line; without a path nothing is written.

    The last line is the reason why the run ended. ConfigError if the file cannot be opened.
    """

    def __init__(self, path: str | None) -> None:
        try:
            self._file = None if path is None else open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115
        except OSError as error:
            raise errors.ConfigError(f"--log {path}: cannot be written: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: object) -> None:
        if error is not None:
            what = str(error) or type(error).__name__
            self.write("interrupted" if errors.came_of_a_signal(error) else f"ended: {what}")
        if self._file is not None:
            self._file.close()

    def write_and_note(self, text: str) -> None:
        """Write a line to the file and to standard error."""
        self.write(text)
        note(text)

    def write(self, text: str) -> None:
        """Write one line, ``2026-11-20T13:00:00+00:00 r001/t01/m0: ...``.

        If that fails, print a note and write no more.
        """
        if self._file is None:
            return
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            self._file.write(f"{moment} {printable(' '.join(text.split()))}\n")
        except OSError as error:
            # The matches matter more than the log: go on without it.
            note(f"--log {self._file.name}: {error.strerror}: no longer written")
            self._file = None


def stored_matches(
    happened: Iterable[events.MatchStored | events.MatchVoid | events.Stopped],
) -> Iterator[PackedMatch]:
    """Yield matches as they are stored; report void matches; errors.Interrupted at a stop."""
    for event in happened:
        if isinstance(event, events.MatchStored):
            yield event.match
        elif isinstance(event, events.MatchVoid):
            note(_event_line(event, ""))
        else:
            raise _stop_error()


def _stop_error() -> errors.Interrupted:
    return errors.Interrupted("stopped as asked: run the same command again to continue")


def show_progress(
    happened: Iterable[events.Event],
    name: str,
    journal: Journal,
    each_match: bool = False,
    whole: bool = False,
) -> None:
    """Show the events of the season `name` on standard error and in a journal; errors.Interrupted at a stop.

    A terminal has a bar over each round, or over the `whole` season. Elsewhere there is a line for each
    match, or without `each_match` for each forfeit. With `each_match`, only the journal has the end of a
    round, which the command prints itself, and repeated void matches with the same reason.
    """
    with Bar(each_match) as bar:
        announced, done, more, why = False, 0, 0, ""
        for event in happened:
            if isinstance(event, events.MatchStored):
                match, why = event.match, ""
                journal.write(f"{match_line(match.summary)} ({match.wall_ns / 1e9:.2f} s)")
                bar.show_match(match.summary)
                done += 1
                continue
            if isinstance(event, events.RoundPlanned):
                for text in [] if announced else _plan_lines(event, name):
                    journal.write_and_note(text)
                there = event.total - event.missing
                if not whole:
                    done = there
                elif not announced:
                    # Earlier rounds may have had more or fewer players: about as many matches as this one.
                    done = there + (event.number - 1) * event.total
                announced = True
                more = (event.rounds - event.number) * event.total if whole else 0
                bar.show(f"round {event.number} of {event.rounds}", done + event.missing + more, done)
                continue
            if isinstance(event, events.MatchVoid):
                if event.why == why:
                    journal.write(_event_line(event, name))
                    continue
                why = event.why
            if isinstance(event, events.ReplaysRated):
                for text in _change_lines(event):
                    journal.write_and_note(text)
                continue
            if isinstance(event, PAUSES):
                bar.close()
            if isinstance(event, events.Stopped):
                raise _stop_error()
            if isinstance(event, events.RoundComplete) and each_match:
                journal.write(_event_line(event, name))
            elif isinstance(event, events.SeasonComplete):
                # The journal may be public before the seed is.
                journal.write(_event_line(event, name))
                note(f"{_event_line(event, name)}; its seed was {event.seed}")
            else:
                journal.write_and_note(_event_line(event, name))
            if isinstance(event, events.AnnulledReplayed):
                bar.show("again", event.number)
            elif isinstance(event, events.SubstitutesPlanned):
                title = f"round {event.number} of {event.rounds}, substitutes"
                bar.show(title, done + event.missing + more, done)


def _plan_lines(event: events.RoundPlanned, name: str) -> Iterator[str]:
    """Yield what is about to be played, and before the first match the commitment to the deals."""
    there = event.total - event.missing
    text = f"{name}, round {event.number}: {event.missing} matches, {event.at_once} at once"
    yield text + (f" ({there} are stored already)" if there else "")
    if event.commitment is not None:
        yield f"the seed's SHA-256 is {event.commitment}; the seed is shown when the season ends"


def _change_lines(event: events.ReplaysRated) -> Iterator[str]:
    """Yield what annulment and replays changed in the standings, of at most `MOST_CHANGES` players."""
    rows = change_rows(rank_changes(event.outcome))
    yield (
        "standings before the decision -> now:"
        if rows
        else f"standings before the decision and now: {NO_CHANGE}"
    )
    for player, rank, elo, points in rows[:MOST_CHANGES]:
        yield f"  {player}: rank {rank}, Elo {elo}, points {points}"
    if len(rows) > MOST_CHANGES:
        yield f"  and {len(rows) - MOST_CHANGES} more"


def _is_or_are(many: int) -> str:
    return "is" if many == 1 else "are"


def _event_line(event: events.Event, name: str) -> str:
    """Return a line of the journal for an event of the season `name`."""
    match event:
        case events.ChangesAccepted(what):
            return f"accepted: {what}"
        case events.FinishedAsBegun(round_number, what):
            return (
                f"round {round_number} began under other settings and is finished under those;"
                f" changed since: {what}"
            )
        case events.HostRemark(text):
            return text
        case events.AnnulledReplayed(matches):
            return f"{counted(matches, 'annulled match')} {_is_or_are(matches)} replayed"
        case events.Suspended(player, round_number, reason):
            return f"{player} is suspended and sits out round {round_number}: {reason}"
        case events.RoundAwaited(round_number, moment):
            return f"{name}, round {round_number} begins at {time_text(moment)}"
        case events.PlayersAwaited(round_number, reason):
            return f"{name}, round {round_number} waits for programs of authors: {reason}"
        case events.StillSuspended(players):
            return suspended_line(players)
        case events.ProgramChanged():
            return str(event)
        case events.SubstitutesPlanned(round_number, _, missing, total, at_once):
            text = f"{name}, round {round_number}: {counted(missing, 'match')} once more after a fault"
            there = f" ({total - missing} are stored already)" if total > missing else ""
            return f"{text}, with substitutes, {at_once} at once{there}"
        case events.MatchVoid():
            return f"{event.id}: void, will be replayed: {event.why}"
        case events.RoundComplete(standings, matches, seconds):
            leader = standings["players"][0]
            return (
                f"round {standings['rounds_played']}: {matches} matches in {seconds:.0f} s;"
                f" {leader['player']} leads with {number(leader['elo'])} Elo"
            )
        case events.StopRuleMet(reason):
            return f"{name}: {reason}"
        case events.RoundsOver(complete, rounds) if complete < rounds:
            return f"{complete} of {counted(rounds, 'round')} of {name} {_is_or_are(complete)} complete"
        case events.RoundsOver(complete):
            done = f"{counted(complete, 'round')} of {name} {_is_or_are(complete)} complete"
            return f"{done}, and there is time for more"
        case events.SeasonComplete(rounds):
            return f"all {rounds} rounds of {name} are complete"
    raise TypeError(f"no line is known for {event!r}")


def match_line(match: MatchSummary) -> str:
    return f"{match.id}: {result_text(match)}"


class Bar:
    """Shows the progress of rounds, one after the other.

    A terminal has a progress bar, with forfeits and other lines of standard error above it. Elsewhere there
    is a line for each match, or without `each` for each forfeit.
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
        """Show the progress of `title` from now on: `done` of `total` matches are done."""
        self._total, self._done = total, done
        self._begun = self._begun or time.monotonic()
        if sys.stderr.isatty():
            progress, task = self._bar = self._bar or _make_bar()
            progress.update(task, description=printable(title), total=total)
            self._show_figures()
            progress.start()

    def show_match(self, match: MatchSummary) -> None:
        """Count a match; print its line if it is a forfeit, or without a bar if `each` is set."""
        if match.faulty is not None or (self._each and self._bar is None):
            print_stderr_line(match_line(match))
        self.step()

    def step(self) -> None:
        """Count one more match as done, and redraw the bar."""
        self._done += 1
        self._played += 1
        if self._bar is not None:
            self._show_figures()

    def close(self) -> None:
        """Stop the bar; a later one starts with a new pace."""
        self._played, self._begun = 0, 0.0
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None

    def _show_figures(self) -> None:
        assert self._bar is not None
        progress, task = self._bar
        words = progress_text(self._done, self._total, self._played, time.monotonic() - self._begun)
        progress.update(task, completed=self._done, figures=words)


def progress_text(done: int, total: int, played: int, seconds: float) -> str:
    """``45 of 1600 matches, 120 a minute, 13 min left``, by the pace of `played` matches in `seconds`."""
    text = f"{done} of {total} matches"
    if not played:
        return text
    a_minute = 60 * played / max(seconds, 1e-3)
    text += f", {a_minute:.{0 if a_minute >= 10 else 1}f} a minute"
    if done >= total:
        return text
    return f"{text}, {duration_text(max(1, round((total - done) * seconds / played)))} left"


def _make_bar() -> tuple[Progress, TaskID]:
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
