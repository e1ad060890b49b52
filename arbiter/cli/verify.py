"""`verify`: replay a stored season and report differences."""

from __future__ import annotations

from dataclasses import asdict

import click

from arbiter.cli.open_season import open_stored
from arbiter.cli.options import season_output_options
from arbiter.cli.output import note, print_json, say
from arbiter.errors import StoreError
from arbiter.games.cards import commitment
from arbiter.season.verify import verify as findings
from arbiter.season.verify_findings import Coverage, Finding, FindingKind
from arbiter.text import counted

DIFFERENCES = 1
REMARKS = {FindingKind.UNCHECKED, FindingKind.REMARK}
"""Kinds of findings that do not change the exit code."""


@click.command()
@season_output_options
def verify(config: str, store_url: str | None, style: str) -> None:
    """Replay a stored season and report differences.

    All deals, moves and ratings are computed again from the seed and the stored moves. Exit 0 if nothing
    differs, 1 if something does, 5 if something cannot be read.

    Example: arbiter verify configs/demo.yaml
    """
    settled, season = open_stored(config, store_url)
    found: dict[FindingKind, list[Finding]] = {kind: [] for kind in FindingKind}
    run = findings(settled, season)
    while True:
        try:
            finding = next(run)
        except StopIteration as done:
            checked: Coverage = done.value
            break
        found[finding.kind].append(finding)
        if style == "text":
            (note if finding.kind in REMARKS else say)(str(finding))
    plain = {
        kind: [{"place": finding.place, "text": finding.text} for finding in found[kind]]
        for kind in FindingKind
    }
    differences, unreadable = len(found[FindingKind.DIFFERENCE]), len(found[FindingKind.UNREADABLE])
    if style == "json":
        print_json(
            {
                "season": settled.season,
                "ok": not differences and not unreadable,
                "seed_sha256": commitment(season.seed),
                "checked": asdict(checked),
                "differences": plain[FindingKind.DIFFERENCE],
                "unreadable": plain[FindingKind.UNREADABLE],
                "unchecked": plain[FindingKind.UNCHECKED],
                "remarks": plain[FindingKind.REMARK],
            }
        )
    elif not differences and not unreadable:
        say(f"{settled.season}: no differences: {_coverage_text(checked)}")
    else:
        note(
            f"{settled.season}: {counted(differences, 'difference')}, {unreadable} unreadable:"
            f" {_coverage_text(checked)}"
        )
    code = StoreError.exit_code if unreadable else DIFFERENCES if differences else 0
    click.get_current_context().exit(code)


def _coverage_text(checked: Coverage) -> str:
    return (
        f"{counted(checked.rounds, 'round')} ({checked.complete} complete) dealt again,"
        f" {checked.matches} matches with {checked.moves} moves and {checked.forfeits} forfeits replayed,"
        " ratings computed again"
        + (f", {counted(checked.replayed, 'match')} played again" if checked.replayed else "")
        + (f", {counted(checked.annulled, 'match')} annulled" if checked.annulled else "")
        + (", the seed matches its commitment" if checked.commitment else "")
    )
