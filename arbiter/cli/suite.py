"""`suite`: the named checks of one bot."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ET
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import format_option, workers_option
from arbiter.cli.output import even_unread, print_json
from arbiter.errors import ConfigError, Interrupted, did_you_mean
from arbiter.text import printable, xml_text

if TYPE_CHECKING:
    from arbiter.suite import CheckResult

FAILED = 1


@click.command()
@click.argument("file", type=click.Path())
@click.option("--only", multiple=True, metavar="NAME", help="This check alone; may be given several times.")
@click.option("--junit", "junit_file", type=click.Path(), help="Write the results as JUnit XML.")
@workers_option
@format_option
def suite(file: str, only: tuple[str, ...], junit_file: str | None, workers: int | None, style: str) -> None:
    """Run the named checks of one bot: check-bot, beats X, no faults, plays as recorded.

    Exit 0 if all pass, 1 if one fails.

    Example: arbiter suite configs/suite.yaml
    """
    from arbiter.cli.regress_documents import check_path
    from arbiter.suite import CheckResult

    check_path(junit_file)
    begun = time.monotonic()
    try:
        found = _results(file, only, workers, style)
    except BaseException as error:
        interrupted = isinstance(error, KeyboardInterrupt)
        if junit_file is not None:
            with suppress(ConfigError):
                failure = CheckResult("suite", False, "interrupted" if interrupted else str(error), 0.0)
                _write_junit(junit_file, [failure], time.monotonic() - begun)
        if interrupted:
            raise Interrupted("interrupted; a suite begins anew") from None
        raise
    seconds = time.monotonic() - begun
    failed = sum(not result.ok for result in found)
    with even_unread():
        if style == "json":
            shapes = [asdict(result) for result in found]
            print_json({"ok": not failed, "seconds": round(seconds, 3), "checks": shapes})
        else:
            click.echo(f"{len(found) - failed} passed, {failed} failed in {seconds:.0f} s")
    if junit_file is not None:
        _write_junit(junit_file, found, seconds)
    if failed:
        raise click.exceptions.Exit(FAILED)


def _results(file: str, only: tuple[str, ...], workers: int | None, style: str) -> list[CheckResult]:
    """What came of the checks asked for, each told as it comes."""
    from arbiter.cli.bots import choose_tier
    from arbiter.executors import processes, slots
    from arbiter.suite import load_suite, run_checks

    loaded = load_suite(file)
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
                line = printable(f"{result.name}: {result.detail} ({result.seconds:.1f} s)")
                with even_unread():
                    click.echo(f"{word} {line}")
    return found


def _write_junit(path: str, found: list[CheckResult], seconds: float) -> None:
    from arbiter.cli.regress_documents import document
    from arbiter.export.whole_files import write_whole

    failed = sum(not result.ok for result in found)
    tree = ET.Element("testsuite", name="arbiter suite", tests=str(len(found)), failures=str(failed))
    tree.set("time", f"{seconds:.3f}")
    for result in found:
        case = ET.SubElement(tree, "testcase", classname="arbiter.suite", name=xml_text(result.name))
        case.set("time", f"{result.seconds:.3f}")
        if result.ok:
            ET.SubElement(case, "system-out").text = xml_text(result.detail)
        else:
            ET.SubElement(case, "failure", message=xml_text(result.detail))
    write_whole(path, document(tree))
