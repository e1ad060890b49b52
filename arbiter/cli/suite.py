"""`suite`: the named checks of one bot."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ET
from dataclasses import asdict, replace

import click

from arbiter.cli.options import format_option, workers_option
from arbiter.cli.output import note, print_json, printable
from arbiter.errors import ConfigError, did_you_mean

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
    from arbiter.cli.regress_documents import checked_path, document, written, xml_text
    from arbiter.executors import processes, slots
    from arbiter.suite import checked, load_suite
    from arbiter.table.isolation import choose

    checked_path(junit_file)
    loaded = load_suite(file)
    names = [check.name for check in loaded.checks]
    for name in only:
        if name not in names:
            raise ConfigError(f"--only {name!r}: there is no such check", file, did_you_mean(name, names))
    tier, warning = choose(loaded.limits.isolation)
    if warning:
        note(warning)
    chosen = tuple(
        replace(check, limits=replace(check.limits, isolation=tier))
        for check in loaded.checks
        if not only or check.name in only
    )
    loaded = replace(loaded, checks=chosen)
    begun = time.monotonic()
    found = []
    with processes(slots(workers or loaded.workers)) as executor:
        for result in checked(loaded, executor):
            found.append(result)
            if style == "text":
                word = click.style("PASSED", fg="green") if result.ok else click.style("FAILED", fg="red")
                click.echo(
                    f"{word} {printable(result.name)}: {printable(result.detail)} ({result.seconds:.1f} s)"
                )
    seconds = time.monotonic() - begun
    failed = sum(not result.ok for result in found)
    if junit_file is not None:
        tree = ET.Element("testsuite", name="arbiter suite", tests=str(len(found)), failures=str(failed))
        tree.set("time", f"{seconds:.3f}")
        for result in found:
            case = ET.SubElement(tree, "testcase", classname="arbiter.suite", name=xml_text(result.name))
            case.set("time", f"{result.seconds:.3f}")
            if result.ok:
                ET.SubElement(case, "system-out").text = xml_text(result.detail)
            else:
                ET.SubElement(case, "failure", message=xml_text(result.detail))
        written(junit_file, document(tree))
    if style == "json":
        print_json(
            {"ok": not failed, "seconds": round(seconds, 3), "checks": [asdict(result) for result in found]}
        )
    else:
        click.echo(f"{len(found) - failed} passed, {failed} failed in {seconds:.0f} s")
    if failed:
        raise click.exceptions.Exit(FAILED)
