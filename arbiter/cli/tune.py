"""`tune`: tune a bot's numeric parameters by self-play."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.options import format_option, programs_option, workers_option
from arbiter.cli.output import note, print_result, print_table, say
from arbiter.text import counted, faults_text, signed

if TYPE_CHECKING:
    from arbiter.cli.regress_report import EndedTest
    from arbiter.store import Store
    from arbiter.table.executors import Slots
    from arbiter.trials.tuning.tuning_file import Tuning
    from arbiter.trials.tuning.tuning_run import TuningRun
    from rating.descent import Values

EVERY = 10.0
"""Seconds between two lines without a terminal."""
ROWS = 10
"""Number of iterations in the printed table."""
LEVEL = 8
"""Iterations that all end level before a warning that the bot may ignore its numbers."""


@click.command()
@click.argument("file", type=click.Path())
@click.option("--iterations", type=click.IntRange(min=1), help="Iterations in all, instead of the file's.")
@click.option("--no-test", is_flag=True, help="Do not test the result against the start values.")
@click.option("--picture", type=click.Path(), help="Write the course of the values as SVG.")
@click.option("--fresh", is_flag=True, help="Start over, even if begun or done before.")
@programs_option
@workers_option
@click.option("--store", help="URL of the store of the matches.  [default: the file's name with .sqlite]")
@format_option
def tune(
    file: str,
    no_test: bool,
    picture: str | None,
    fresh: bool,
    accept_changes: bool,
    style: str,
    **given: Any,
) -> None:
    """Tune a bot's numeric parameters by self-play.

    The parameters are numbers in the bot's command or variables. FILE is YAML: base, parameters, iterations,
    and keys as in regress. Each iteration moves all numbers up or down at random, and plays both sides on the
    same deals in all seats. At the end a regression test compares the result with the start values. Run the
    same command again to continue after an interruption.

    Exit 0: done, with any result of the test. 3: the bot failed in all its matches.

    Example: arbiter tune configs/tune.yaml --picture way.svg
    """
    from arbiter.cli.ci_reports import check_writable
    from arbiter.replay.export.atomic_files import write_atomically
    from arbiter.store import Store
    from arbiter.trials.tuning.chart import tuning_svg as drawn
    from arbiter.trials.tuning.tuning_run import find_tuning

    check_writable(picture)
    keys = {key: value for key, value in given.items() if value is not None}
    tuning = _load_tuning(file, keys, [] if picture is None else [picture])
    with closing(Store(tuning.store)) as store:
        course = _run_tuning(find_tuning(tuning, store, fresh, accept_changes, note), store)
        if picture is not None:
            write_atomically(picture, drawn(course.descent))
        ended = None if no_test else _run_test(course, store, fresh, accept_changes)
    print_result(style, _result_json(course, ended), lambda: _print_result(course, ended))


def _load_tuning(file: str, keys: dict[str, Any], written: list[str]) -> Tuning:
    """Load the file; its notes go to stderr. The isolation is chosen for this machine."""
    from arbiter.cli.bot_arguments import with_isolation
    from arbiter.trials.tuning.tuning_file import load_tuning

    tuning = load_tuning(file, keys, written)
    for text in tuning.digests.notes:
        note(text)
    return replace(tuning, limits=with_isolation(tuning.limits))


def _run_tuning(tuning: Tuning, store: Store) -> TuningRun:
    """Hold the tuning's season in the store, and play the iterations left."""
    from arbiter.table.executors import processes, slots
    from arbiter.trials.tuning.tuning_run import TuningRun, open_tuning

    with store.hold(tuning.name):
        season = open_tuning(tuning, store)
        season.ask_to_stop(False)
        course = TuningRun(tuning, season)
        there = len(season.summaries())
        if there:
            note(f"continuing: {counted(there, 'match')} from the store ({tuning.name})")
        with processes(slots(tuning.workers)) as executor:
            if not there:
                _note_plan(tuning, executor.size)
            _play_iterations(course, executor, there)
    return course


def _note_plan(tuning: Tuning, at_once: int) -> None:
    from arbiter.trials.tuning.tuning_file import is_variable

    size = f"{counted(tuning.iterations, 'iteration')} of {counted(tuning.matches, 'match')}"
    note(f"{tuning.game.name}, {size}, {at_once} at once")
    for parameter in tuning.parameters:
        where = " as a variable" if is_variable(tuning.model.base, parameter.name) else ""
        bounds = f"within {parameter.low:g} to {parameter.high:g}"
        step = f"first step {parameter.first_step:g}"
        note(f"{parameter.name}{where}: from {parameter.start:g} {bounds}, {step}")


def _play_iterations(course: TuningRun, executor: Slots, there: int) -> None:
    """Play and store the iterations left, showing the progress."""
    from arbiter.cli.progress import Bar, progress_text, stored_matches

    tuning, played, begun = course.tuning, 0, time.monotonic()
    total, told = tuning.iterations * tuning.matches, begun
    with Bar() as bar:
        while not course.over:
            title = f"iteration {course.descent.iteration + 1}: {_values(course.descent.values)}"
            for match in stored_matches(course.play_iteration(executor)):
                if not played:
                    bar.show(title, total, there)
                bar.show_match(match.summary)
                played += 1
            if not played:
                continue
            bar.show(title, total, there + played)
            if course.level == course.descent.iteration == LEVEL:
                note(f"all of {LEVEL} iterations ended level: does the bot read its numbers?")
            if not sys.stderr.isatty() and time.monotonic() - told >= EVERY:
                told = time.monotonic()
                note(f"{title}; {progress_text(there + played, total, played, told - begun)}")


def _run_test(course: TuningRun, store: Store, fresh: bool, accept: bool) -> EndedTest:
    """Run the test of the estimate against the start values, or continue it; flags as in `find_name`."""
    from arbiter.cli.regress import play_test
    from arbiter.trials.regression.runner import find_attempt, open_experiment

    tuning = course.tuning
    experiment = tuning.test(course.season.seed, course.descent.estimate)
    experiment = find_attempt(replace(experiment, limits=tuning.limits), store, fresh, accept, note)
    begun = time.monotonic()
    note(
        f"testing {_values(course.descent.estimate)} (candidate) against the start values ({experiment.name})"
    )
    with store.hold(experiment.name):
        return play_test(experiment, open_experiment(experiment, store), begun)


def _values(values: Values) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in values.items())


def _result_json(course: TuningRun, ended: EndedTest | None) -> dict[str, Any]:
    from arbiter.cli.regress_report import report_json

    descent, tuning = course.descent, course.tuning
    return {
        "iteration": descent.iteration,
        "values": descent.values,
        "estimate": descent.estimate,
        "worth": {name: found._asdict() for name, found in descent.worth.items()},
        "test": None if ended is None else report_json(ended),
        "start": {parameter.name: parameter.start for parameter in tuning.parameters},
        "matches": descent.iteration * tuning.matches,
        "faults": course.faults,
        "name": tuning.name,
    }


def _print_result(course: TuningRun, ended: EndedTest | None) -> None:
    from arbiter.cli.regress_report import print_report

    descent, last = course.descent, course.descent.iteration
    names = [parameter.name for parameter in descent.parameters]
    steps = sorted({round(step * last / ROWS) for step in range(ROWS + 1)})
    rows: list[list[object]] = [[step, *(f"{value:.4g}" for value in descent.path[step])] for step in steps]
    rows.append(["estimate", *(f"{descent.estimate[name]:.4g}" for name in names)])
    if worth := descent.worth:
        shown = [worth[name] for name in names]
        rows.append(["gain of up", *(f"{signed(lead, 2)} ± {error:.2f}" for lead, error in shown)])
    print_table(["iteration", *names], rows)
    made = {side: many for side, many in course.faults.items() if many}
    faults = f"faults of {faults_text(made)}" if made else "no faults"
    matches = counted(last * course.tuning.matches, "match")
    say(f"{matches}, {faults}; the estimate is the mean of the second half")
    if worth:
        say("gain of up: points a match of moving the number up against down, ± error, in the first quarter")
    if ended is not None:
        say("\nThe estimate (candidate) against the start values (base):")
        print_report(ended)
