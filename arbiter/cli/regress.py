"""`regress`: is the new version better than the old one?"""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli import INTERRUPTED, OUR_FAULT
from arbiter.cli.bot_arguments import read_options, split_command, with_tier
from arbiter.cli.options import format_option, limit_options, programs_option, seed_option, workers_option
from arbiter.cli.output import note, print_result
from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.cli.regress_report import EndedTest
    from arbiter.store import SeasonStore
    from arbiter.trials.regression.experiment import Experiment


@click.command()
@click.argument("file", required=False, type=click.Path())
@click.option("--game", help="Which game; `arbiter games` lists them.")
@click.option("--option", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--base", help="The old version's command.")
@click.option(
    "--candidate",
    multiple=True,
    metavar="COMMAND",
    help="The new version's command; of several NAME=COMMAND each, or NAME with --config.",
)
@click.option("--config", type=click.Path(), help="A season's file: several candidates may be its players.")
@click.option("--field", help="A season's file: both meet its players in turn, and not each other.")
@click.option(
    "--measure",
    type=click.Choice(["results", "points"]),
    help="What is compared: who was ahead, or by how much.  [default: results]",
)
@click.option("--elo0", type=float, help="Strength that is not enough.  [default: 0]")
@click.option("--elo1", type=float, help="Strength that is hoped for.  [default: 10]")
@click.option("--family", metavar="NAME", help="Tests that share one alpha, such as those of a night of CI.")
@click.option("--alpha", type=float, help="Risk of a false `better`.  [default: 0.05]")
@click.option("--beta", type=float, help="Risk of a false `not better`.  [default: 0.05]")
@click.option(
    "--bounds",
    type=click.Choice(["logistic", "normalized"]),
    help="What elo0 and elo1 are.  [default: logistic]",
)
@click.option("--non-regression", is_flag=True, default=None, help="Not worse will do: elo0 -10, elo1 0.")
@click.option("--max-blocks", type=click.IntRange(min=1), help="Give up after so many blocks.")
@click.option(
    "--faults", type=click.Choice(["count", "fail"]), help="A fault loses, or ends it.  [default: count]"
)
@click.option(
    "--fresh", is_flag=True, default=None, help="Begin anew, although it was begun or decided before."
)
@programs_option
@seed_option
@limit_options("time", "start_time", "memory", "clock", "delivery", "isolation")
@workers_option
@click.option("--store", help="Where matches are kept, as a URL.  [default: regress.sqlite]")
@click.option("--junit", type=click.Path(), help="Write the verdict as JUnit XML.")
@click.option("--summary", type=click.Path(), help="Write a summary in Markdown.")
@click.option("--json", type=click.Path(), help="Write everything as JSON.")
@click.option("--records", type=click.Path(), help="Write the worst matches' records to this folder.")
@click.option(
    "--report", metavar="URL", help="A site that shows the store (serve --tests): link the test's page there."
)
@format_option
def regress(
    file: str | None,
    junit: str | None,
    summary: str | None,
    json: str | None,
    records: str | None,
    report: str | None,
    style: str,
    **given: Any,
) -> None:
    """Is the candidate better than the base? Play identical deals until the answer is sure.

    Of several candidates, on the same deals, it finds the best that is better than the base. Then exit 0: one
    was found. 1: none is better. 4: the budget is spent.

    Exit 0: better (with --non-regression: no worse, or identical play). 1: not better, identical play, or the
    budget is spent. 3: a bot failed. 2, 4, 5: wrong usage, our machine, the store. The same command goes on
    after any interruption. FILE is YAML with the same keys as the options.

    Example: arbiter regress --game planning --base "python3 old.py" --candidate "python3 new.py"
    """
    from arbiter.cli.regress_report import Documents, print_ended, shape

    documents = Documents(junit, summary, json, records)
    # Without a value each key is left to the file.
    keys = {key: value for key, value in given.items() if value not in (None, ())}
    begun = time.monotonic()
    try:
        ended = _play(file, keys, documents.paths, begun, report)
    except BaseException as error:
        code = INTERRUPTED if isinstance(error, KeyboardInterrupt) else getattr(error, "exit_code", OUR_FAULT)
        documents.failed(str(error) or "interrupted", code, time.monotonic() - begun)
        raise
    print_result(style, shape(ended), lambda: print_ended(ended))
    documents.ended(ended)
    if ended.trial.exit_code:
        raise click.exceptions.Exit(ended.trial.exit_code)


def _play(
    file: str | None, keys: dict[str, Any], written: Iterable[str], begun: float, report: str | None
) -> EndedTest:
    from arbiter.cli.regress_report import page_of
    from arbiter.store import Store
    from arbiter.trials.regression.runner import find_attempt, open_experiment
    from arbiter.trials.regression.test_series import assign_level

    fresh, accept = keys.pop("fresh", False), keys.pop("accept_changes", False)
    if report is not None:
        page_of(report, "")
    experiment = _experiment(file, keys, written)
    if report is not None and experiment.candidates:
        raise ConfigError("--report: a choice among several candidates has no page", hint="leave it out")
    with ExitStack() as stack:
        store = stack.enter_context(closing(Store(experiment.store)))
        experiment = find_attempt(experiment, store, fresh, accept, note)
        if fresh and experiment.attempt > 1:
            note(f"begun anew as {experiment.name}; earlier attempts stay in the store, and count as tries")
        stack.enter_context(store.hold(experiment.name))
        experiment = assign_level(experiment, store)
        season = open_experiment(experiment, store)
        page = None if report is None else page_of(report, experiment.name)
        if page is not None:
            note(f"its page: {page}")
        return play_test(experiment, season, begun, page)


def play_test(
    experiment: Experiment, season: SeasonStore, begun: float, page: str | None = None
) -> EndedTest:
    """Play what is missing until there is a verdict, and say on the way where it stands."""
    from arbiter.cli.progress import matches_of
    from arbiter.cli.regress_report import EndedTest
    from arbiter.cli.regress_watch import Watch
    from arbiter.table.executors import processes, slots
    from arbiter.trials.regression.runner import play_until_verdict, resume, trial_of

    season.ask_to_stop(False)
    with processes(slots(experiment.workers)) as executor, Watch(experiment, executor.size) as watch:
        trial = resume(trial_of(experiment), season)
        watch.start(trial)
        for match in matches_of(play_until_verdict(trial, season, executor, executor.size + 1)):
            watch.seen(trial, match.summary)
        if trial.verdict is not None and executor.running:
            # They cannot change it.
            executor.shutdown(cancel_futures=True)
    return EndedTest.of(trial, season, time.monotonic() - begun, page)


def _experiment(file: str | None, keys: dict[str, Any], written: Iterable[str]) -> Experiment:
    """From the file and the options, `written` being our own documents; its isolation settled."""
    from arbiter.trials.regression.experiment import load_experiment

    options = read_options(keys.pop("option", ()))
    if "base" in keys:
        keys["base"] = _version(keys["base"], f"--base {keys['base']!r}")
    if len(candidates := keys.pop("candidate", ())) == 1:
        keys["candidate"] = _version(candidates[0], f"--candidate {candidates[0]!r}")
    elif candidates:
        keys["candidates"] = _several(candidates)
    experiment = load_experiment(file, keys, options, written)
    for text in experiment.notes:
        note(text)
    return replace(experiment, limits=with_tier(experiment.limits))


def _version(command: str, given_by: str) -> dict[str, Any]:
    env, words = split_command(command, given_by)
    return {"command": words, "env": env}


def _several(candidates: Sequence[str]) -> dict[str, dict[str, Any] | None]:
    """Candidates by their names; None for players of a season. ConfigError for a name twice."""
    found: dict[str, dict[str, Any] | None] = {}
    for given in candidates:
        name, equals, command = given.partition("=")
        if equals and " " in name:
            raise ConfigError(f"--candidate {given!r}: has no name", hint="write NAME=COMMAND")
        if name in found:
            raise ConfigError(
                f"--candidate {given!r}: {name} is named twice", hint="give each a name of its own"
            )
        found[name] = _version(command, f"--candidate {given!r}") if equals else None
    return found
