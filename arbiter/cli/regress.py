"""`regress`: test whether a new version of a bot is better."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli import INTERNAL_ERROR, INTERRUPTED
from arbiter.cli.bot_arguments import read_options, shipped_hint, split_command, with_isolation
from arbiter.cli.options import format_option, limit_options, programs_option, seed_option, workers_option
from arbiter.cli.output import note, print_result
from arbiter.errors import ConfigError
from arbiter.games.samples import bot_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.cli.regress_report import EndedTest
    from arbiter.store import SeasonStore
    from arbiter.trials.regression.experiment import Experiment


@click.command()
@click.argument("file", required=False, type=click.Path())
@click.option("--game", help="The game; `arbiter games` lists them.")
@click.option("--option", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--base", help="The old version's command.")
@click.option(
    "--candidate",
    multiple=True,
    metavar="COMMAND",
    help="The new version's command; of several, each NAME=COMMAND, or NAME with --config.",
)
@click.option("--config", type=click.Path(), help="A season's file: candidates may be its players.")
@click.option(
    "--field", help="A season's file: both versions meet its players in turn, instead of each other."
)
@click.option(
    "--measure",
    type=click.Choice(["results", "points"]),
    help="Compare who was ahead, or by how many points.  [default: results]",
)
@click.option("--elo0", type=float, help="Elo difference that is not enough.  [default: 0]")
@click.option("--elo1", type=float, help="Elo difference that is expected.  [default: 10]")
@click.option("--family", metavar="NAME", help="Tests that share one alpha, such as those of a night of CI.")
@click.option("--alpha", type=float, help="Risk of a false `better`.  [default: 0.05]")
@click.option("--beta", type=float, help="Risk of a false `not better`.  [default: 0.05]")
@click.option(
    "--bounds",
    type=click.Choice(["logistic", "normalized"]),
    help="The unit of elo0 and elo1.  [default: logistic]",
)
@click.option("--non-regression", is_flag=True, default=None, help="Test for not worse: elo0 -10, elo1 0.")
@click.option("--max-blocks", type=click.IntRange(min=1), help="Stop undecided after this many blocks.")
@click.option(
    "--faults",
    type=click.Choice(["count", "fail"]),
    help="A fault counts as a loss, or ends the test.  [default: count]",
)
@click.option("--fresh", is_flag=True, default=None, help="Start over, even if begun or decided before.")
@programs_option
@seed_option
@limit_options("time", "start_time", "memory", "clock", "delivery", "isolation")
@workers_option
@click.option("--store", help="URL of the store of the matches.  [default: regress.sqlite]")
@click.option("--junit", type=click.Path(), help="Write the verdict as JUnit XML.")
@click.option("--summary", type=click.Path(), help="Write a summary in Markdown.")
@click.option("--json", type=click.Path(), help="Write everything as JSON.")
@click.option("--records", type=click.Path(), help="Write the worst matches' records to this folder.")
@click.option(
    "--report",
    metavar="URL",
    help="URL of a site that shows the store (serve --tests): link to the test's page.",
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
    """Test whether a new version of a bot is better.

    Candidate and base play the same deals until the test is decided, at the earliest after 16 blocks that
    are not level. Of several candidates it finds the best of those better than the base.

    Exit 0: yes, better, or the best is found (with --non-regression: no worse, or identical play). 1: no, or
    of one candidate, the budget is spent. 3: a bot failed. 2, 4, 5: wrong usage, a fault of this machine (or
    of several candidates, the budget is spent), of the store.

    Run the same command again to continue after an interruption. FILE is YAML with the options as keys.

    Example: arbiter regress --game planning --base "python3 old.py" --candidate "python3 new.py"
    """
    from arbiter.cli.regress_report import Documents, print_report, report_json

    documents = Documents(junit, summary, json, records)
    # A key without a value is left to the file.
    keys = {key: value for key, value in given.items() if value not in (None, ())}
    begun = time.monotonic()
    try:
        ended = _load_and_play(file, keys, documents.paths, begun, report)
    except BaseException as error:
        code = (
            INTERRUPTED
            if isinstance(error, KeyboardInterrupt)
            else getattr(error, "exit_code", INTERNAL_ERROR)
        )
        documents.write_failure(str(error) or "interrupted", code, time.monotonic() - begun)
        raise
    print_result(style, report_json(ended), lambda: print_report(ended))
    documents.write_verdict(ended)
    if ended.trial.exit_code:
        raise click.exceptions.Exit(ended.trial.exit_code)


def _load_and_play(
    file: str | None, keys: dict[str, Any], written: Iterable[str], begun: float, report: str | None
) -> EndedTest:
    """Load the experiment, hold its season in the store, and play until there is a verdict."""
    from arbiter.cli.regress_report import page_url
    from arbiter.store import Store
    from arbiter.trials.regression.runner import find_attempt, open_experiment
    from arbiter.trials.regression.test_series import assign_level

    fresh, accept = keys.pop("fresh", False), keys.pop("accept_changes", False)
    if report is not None:
        page_url(report, "")
    experiment = _load_experiment(file, keys, written)
    if report is not None and experiment.candidates:
        raise ConfigError(
            "--report: a test of several candidates has no page", hint="serve --tests shows tests of one"
        )
    with ExitStack() as stack:
        store = stack.enter_context(closing(Store(experiment.store)))
        experiment = find_attempt(experiment, store, fresh, accept, note)
        if fresh and experiment.attempt > 1:
            note(f"started over as {experiment.name}; earlier attempts stay in the store, and count as tries")
        stack.enter_context(store.hold(experiment.name))
        experiment = assign_level(experiment, store)
        season = open_experiment(experiment, store)
        page = None if report is None else page_url(report, experiment.name)
        if page is not None:
            note(f"test page: {page}")
        return play_test(experiment, season, begun, page)


def play_test(
    experiment: Experiment, season: SeasonStore, begun: float, page: str | None = None
) -> EndedTest:
    """Clear a stop request and play missing matches until there is a verdict, showing the progress."""
    from arbiter.cli.progress import stored_matches
    from arbiter.cli.regress_report import EndedTest
    from arbiter.cli.regress_watch import Watch
    from arbiter.table.executors import processes, slots
    from arbiter.trials.regression.runner import play_until_verdict, resume, trial_of

    season.ask_to_stop(False)
    with processes(slots(experiment.workers)) as executor, Watch(experiment, executor.size) as watch:
        trial = resume(trial_of(experiment), season)
        watch.start(trial)
        for match in stored_matches(play_until_verdict(trial, season, executor, executor.size + 1)):
            watch.show_match(trial, match.summary)
        if trial.verdict is not None and executor.running:
            # Their matches cannot change the verdict.
            executor.shutdown(cancel_futures=True)
    return EndedTest.of(trial, season, time.monotonic() - begun, page)


def _load_experiment(file: str | None, keys: dict[str, Any], written: Iterable[str]) -> Experiment:
    """Build the experiment from file and options; warnings go to stderr. `written` are output files."""
    from arbiter.trials.regression.experiment import load_experiment

    options = read_options(keys.pop("option", ()))
    # With a season's file, names are those of its players.
    game = None if "config" in keys else keys.get("game")
    if "base" in keys:
        keys["base"] = _parse_version(keys["base"], f"--base {keys['base']!r}", game)
    if len(candidates := keys.pop("candidate", ())) == 1:
        keys["candidate"] = _parse_version(candidates[0], f"--candidate {candidates[0]!r}", game)
    elif candidates:
        keys["candidates"] = _parse_candidates(candidates, game)
    experiment = load_experiment(file, keys, options, written)
    for text in experiment.notes:
        note(text)
    return replace(experiment, limits=with_isolation(experiment.limits))


def _parse_version(command: str, given_by: str, game: str | None) -> dict[str, Any]:
    given = split_command(command, given_by, game)
    if game is not None and (hint := shipped_hint(given.words, game)):
        raise ConfigError(f"{given_by}: there is no program {given.words[0]}", hint=hint)
    return {"command": given.words, "env": given.env}


def _parse_candidates(candidates: Sequence[str], game: str | None) -> dict[str, dict[str, Any] | None]:
    """Parse candidates by name; a player of a season is None. ConfigError for a repeated name."""
    found: dict[str, dict[str, Any] | None] = {}
    for given in candidates:
        name, equals, command = given.partition("=")
        if equals and " " in name:
            raise ConfigError(f"--candidate {given!r}: expected NAME=COMMAND")
        if name in found:
            raise ConfigError(
                f"--candidate {given!r}: the name {name} appears twice", hint="use different names"
            )
        shipped = game is not None and given in bot_names(game)
        command = given if shipped else command
        found[name] = _parse_version(command, f"--candidate {given!r}", game) if equals or shipped else None
    return found
