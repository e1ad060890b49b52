"""`suite`: the named checks of one bot."""

from __future__ import annotations

import shlex
import time
import xml.etree.ElementTree as ET
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.again import play_command
from arbiter.cli.options import format_option, workers_option
from arbiter.cli.output import even_unread, print_json, result_text, say
from arbiter.errors import ConfigError, Interrupted, did_you_mean
from arbiter.text import printable, xml_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.match import MatchRecord
    from arbiter.suite import CheckResult

FAILED = 1
PRINTED = 3
"""Matches of a failed check that are printed."""


@click.command()
@click.argument("file", type=click.Path())
@click.option("--bot", metavar="COMMAND", help="Try this bot in place of the file's.")
@click.option("--only", multiple=True, metavar="NAME", help="This check alone; may be given several times.")
@click.option("--junit", "junit_file", type=click.Path(), help="Write the results as JUnit XML.")
@click.option(
    "--records", type=click.Path(), help="Write the records of failed checks' worst matches to this folder."
)
@workers_option
@format_option
def suite(
    file: str,
    bot: str | None,
    only: tuple[str, ...],
    junit_file: str | None,
    records: str | None,
    workers: int | None,
    style: str,
) -> None:
    """Run the named checks of one bot: check-bot, beats X, no faults, plays as recorded.

    Exit 0 if all pass, 1 if one fails.

    Example: arbiter suite configs/suite.yaml
    """
    from arbiter.cli.regress_documents import check_path, write_records
    from arbiter.suite import CheckResult, Made

    check_path(junit_file)
    words = ["arbiter", "suite", file, *([] if bot is None else ["--bot", bot])]
    begun = time.monotonic()
    try:
        found = _results(file, bot, words, only, workers, style)
    except BaseException as error:
        interrupted = isinstance(error, KeyboardInterrupt)
        if junit_file is not None:
            with suppress(ConfigError):
                failure = Made(False, "interrupted" if interrupted else str(error))
                _write_junit(
                    junit_file, words, [CheckResult("suite", failure, 0.0)], time.monotonic() - begun
                )
        if interrupted:
            raise Interrupted("interrupted; a suite begins anew") from None
        raise
    seconds = time.monotonic() - begun
    failed = sum(not result.ok for result in found)
    with even_unread():
        if style == "json":
            shapes = [_shape(result) for result in found]
            print_json({"ok": not failed, "seconds": round(seconds, 3), "checks": shapes})
        else:
            click.echo(f"{len(found) - failed} passed, {failed} failed in {seconds:.0f} s")
    if junit_file is not None:
        _write_junit(junit_file, words, found, seconds)
    if records is not None:
        write_records(records, _records(found))
    if failed:
        raise click.exceptions.Exit(FAILED)


def _results(
    file: str,
    bot: str | None,
    words: Sequence[str],
    only: tuple[str, ...],
    workers: int | None,
    style: str,
) -> list[CheckResult]:
    """What came of the checks asked for, each told as it comes."""
    from arbiter.cli.bots import choose_tier, players_of
    from arbiter.executors import processes, slots
    from arbiter.suite import load_suite, run_checks

    loaded = load_suite(file, None if bot is None else players_of((bot,))[0])
    names = [check.name for check in loaded.checks]
    for name in only:
        if name not in names:
            raise ConfigError(f"--only {name!r}: there is no such check", file, did_you_mean(name, names))
    tier = choose_tier(loaded.limits.isolation)
    chosen = tuple(
        replace(check, limits=replace(check.limits, isolation=tier))
        for check in loaded.checks
        if not only or check.name in only
    )
    found = []
    with processes(slots(workers or loaded.workers)) as executor:
        for result in run_checks(replace(loaded, checks=chosen), executor):
            found.append(result)
            if style == "text":
                word = click.style("PASSED", fg="green") if result.ok else click.style("FAILED", fg="red")
                line = printable(f"{result.name}: {result.made.detail} ({result.seconds:.1f} s)")
                with even_unread():
                    click.echo(f"{word} {line}")
                    for text in _evidence(words, result):
                        say(text)
    return found


def _evidence(words: Sequence[str], result: CheckResult) -> Iterator[str]:
    """The worst matches of a failed check, each with the command that plays it; else the check's own."""
    if result.ok:
        return
    for match in result.made.shown[:PRINTED]:
        yield f"  {match.spec.id}: {result_text(match.record.summary())}"
        yield f"    again   {play_command(match.spec)}"
        yield from (f"    stderr  {line}" for line in match.stderr)
    if not result.made.shown:
        yield f"    again   {shlex.join([*words, '--only', result.name])}"
        yield from (f"    stderr  {line}" for line in result.made.stderr)


def _shape(result: CheckResult) -> dict[str, Any]:
    """The JSON of a check."""
    return {
        "name": result.name,
        "ok": result.ok,
        "detail": result.made.detail,
        "seconds": result.seconds,
        "worst": [
            {
                "match": match.spec.id,
                "text": result_text(match.record.summary()),
                "again": play_command(match.spec),
                "stderr": match.stderr,
            }
            for match in result.made.shown
        ],
        "stderr": list(result.made.stderr),
    }


def _records(found: Sequence[CheckResult]) -> dict[str, MatchRecord]:
    """Records by the number of their check and their match."""
    return {
        f"{number}/{match.spec.id}": match.record
        for number, result in enumerate(found, 1)
        for match in result.made.shown
    }


def _write_junit(path: str, words: Sequence[str], found: list[CheckResult], seconds: float) -> None:
    from arbiter.cli.regress_documents import document
    from arbiter.export.whole_files import write_whole

    failed = sum(not result.ok for result in found)
    tree = ET.Element("testsuite", name="arbiter suite", tests=str(len(found)), failures=str(failed))
    tree.set("time", f"{seconds:.3f}")
    for result in found:
        case = ET.SubElement(tree, "testcase", classname="arbiter.suite", name=xml_text(result.name))
        case.set("time", f"{result.seconds:.3f}")
        if result.ok:
            ET.SubElement(case, "system-out").text = xml_text(result.made.detail)
        else:
            failure = ET.SubElement(case, "failure", message=xml_text(result.made.detail))
            failure.text = xml_text("\n".join(_evidence(words, result)))
    write_whole(path, document(tree))
