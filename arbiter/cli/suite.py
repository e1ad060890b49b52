"""`suite`: run the checks of one bot as a regression suite."""

from __future__ import annotations

import shlex
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.options import format_option, workers_option
from arbiter.cli.output import ignore_closed_stdout, print_json, result_text, say
from arbiter.cli.rerun_command import play_command
from arbiter.errors import ConfigError, Interrupted, did_you_mean
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.trials.suite.checks import CheckResult

FAILED = 1
PRINTED = 3
"""Number of matches printed for a failed check."""


@click.command()
@click.argument("file", type=click.Path())
@click.option("--bot", metavar="COMMAND", help="Test this bot instead of the file's.")
@click.option("--only", multiple=True, metavar="NAME", help="Run only this check; may be repeated.")
@click.option("--junit", type=click.Path(), help="Write the results as JUnit XML.")
@click.option(
    "--records", type=click.Path(), help="Write the records of failed checks' worst matches to this folder."
)
@workers_option
@format_option
def suite(
    file: str,
    bot: str | None,
    only: tuple[str, ...],
    junit: str | None,
    records: str | None,
    workers: int | None,
    style: str,
) -> None:
    """Run the checks of one bot as a regression suite.

    Checks are: check-bot, beats X, no faults, plays as recorded. Exit 0 if all pass, 1 if one fails.

    Example: arbiter suite configs/suite.yaml
    """
    from arbiter.cli.ci_reports import check_writable, write_records
    from arbiter.trials.suite.checks import CheckResult

    check_writable(junit)
    words = ["arbiter", "suite", file, *([] if bot is None else ["--bot", bot])]
    begun = time.monotonic()
    try:
        found = _run_checks(file, bot, words, only, workers, style)
    except BaseException as error:
        interrupted = isinstance(error, KeyboardInterrupt)
        with suppress(ConfigError):
            failure = CheckResult(False, "interrupted" if interrupted else str(error), name="suite")
            _write_junit(junit, words, [failure], time.monotonic() - begun)
        if interrupted:
            raise Interrupted("interrupted: run the same command again to start over") from None
        raise
    seconds = time.monotonic() - begun
    failed = sum(not result.ok for result in found)
    with ignore_closed_stdout():
        if style == "json":
            shapes = [_result_json(result) for result in found]
            print_json({"ok": not failed, "seconds": round(seconds, 3), "checks": shapes})
        else:
            click.echo(f"{len(found) - failed} passed, {failed} failed in {seconds:.0f} s")
    _write_junit(junit, words, found, seconds)
    if records is not None:
        numbered = enumerate(found, 1)
        shown = [(number, match) for number, result in numbered for match in result.shown]
        write_records(records, {f"{number}/{match.spec.id}": match.record for number, match in shown})
    if failed:
        raise click.exceptions.Exit(FAILED)


def _run_checks(
    file: str, bot: str | None, words: Sequence[str], only: tuple[str, ...], workers: int | None, style: str
) -> list[CheckResult]:
    """Run the checks, all or `only` those named, and return the results; as text, print each when done."""
    from arbiter.cli.bot_arguments import parse_players, with_isolation
    from arbiter.table.executors import processes, slots
    from arbiter.trials.suite.checks import run_checks
    from arbiter.trials.suite.suite_file import load_suite

    loaded = load_suite(file, None if bot is None else parse_players((bot,))[0])
    names = [check.name for check in loaded.checks]
    for name in only:
        if name not in names:
            raise ConfigError(f"--only {name!r}: unknown check", file, did_you_mean(name, names))
    isolation = with_isolation(loaded.limits).isolation
    chosen = tuple(
        replace(check, limits=replace(check.limits, isolation=isolation))
        for check in loaded.checks
        if not only or check.name in only
    )
    found = []
    with processes(slots(workers or loaded.workers)) as executor:
        for result in run_checks(replace(loaded, checks=chosen), executor):
            found.append(result)
            if style == "text":
                word = click.style("PASSED", fg="green") if result.ok else click.style("FAILED", fg="red")
                line = printable(f"{result.name}: {result.detail} ({result.seconds:.1f} s)")
                with ignore_closed_stdout():
                    click.echo(f"{word} {line}")
                    for text in _evidence(words, result):
                        say(text)
    return found


def _evidence(words: Sequence[str], result: CheckResult) -> Iterator[str]:
    """Yield a failed check's worst matches with commands to replay them, or the command of the check."""
    if result.ok:
        return
    for match in result.shown[:PRINTED]:
        yield f"  {match.spec.id}: {result_text(match.record.summary())}"
        yield f"    again   {play_command(match.spec)}"
        yield from (f"    stderr  {line}" for line in match.stderr)
    if not result.shown:
        yield f"    again   {shlex.join([*words, '--only', result.name])}"
        yield from (f"    stderr  {line}" for line in result.stderr)


def _result_json(result: CheckResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "ok": result.ok,
        "detail": result.detail,
        "seconds": result.seconds,
        "e": result.e,
        "worst": [
            {
                "match": match.spec.id,
                "text": result_text(match.record.summary()),
                "again": play_command(match.spec),
                "stderr": match.stderr,
            }
            for match in result.shown
        ],
        "stderr": list(result.stderr),
    }


def _write_junit(
    path: str | None, words: Sequence[str], found: Sequence[CheckResult], seconds: float
) -> None:
    """Write the JUnit file of the results; without a path nothing."""
    from arbiter.cli.ci_reports import Case, junit
    from arbiter.replay.export.atomic_files import write_atomically

    if path is None:
        return
    cases = []
    for result in found:
        details = "\n".join(_evidence(words, result))
        line = result.detail
        cases.append(Case("arbiter.trials.suite", result.name, result.seconds, not result.ok, line, details))
    write_atomically(path, junit("arbiter suite", cases, seconds))
