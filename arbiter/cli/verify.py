"""`verify`: is what the store holds what the seed and the moves make of it?"""

from __future__ import annotations

from dataclasses import asdict

import click

from arbiter.cli.opening import open_stored
from arbiter.cli.options import config_argument, format_option, store_option
from arbiter.cli.output import counted, note, print_json, say
from arbiter.errors import StoreError
from arbiter.season.plan import commitment
from arbiter.season.verify import Coverage, Finding, Kind
from arbiter.season.verify import verify as findings

NO = 1


@click.command()
@config_argument
@store_option
@format_option
def verify(config: str, store_url: str | None, style: str) -> None:
    """Deal every round again, play every match again, rate again; name each difference.

    Exit code 0 if nothing differs, 1 if something does, 5 if something cannot be read.

    Example: arbiter verify configs/demo.yaml
    """
    settled, season = open_stored(config, store_url)
    found: dict[Kind, list[Finding]] = {kind: [] for kind in Kind}
    counts = dict.fromkeys(Kind, 0)
    run = findings(settled, season)
    while True:
        try:
            finding = next(run)
        except StopIteration as done:
            checked: Coverage = done.value
            break
        counts[finding.kind] += 1
        if style == "json":
            found[finding.kind].append(finding)
        elif finding.kind is Kind.UNCHECKED:
            note(str(finding))
        else:
            say(str(finding))
    differences, unreadable = counts[Kind.DIFFERENCE], counts[Kind.UNREADABLE]
    if style == "json":
        print_json(
            {
                "season": settled.season,
                "ok": not differences and not unreadable,
                "seed_sha256": commitment(season.seed),
                "checked": asdict(checked),
                "differences": [_plain(finding) for finding in found[Kind.DIFFERENCE]],
                "unreadable": [_plain(finding) for finding in found[Kind.UNREADABLE]],
                "unchecked": [_plain(finding) for finding in found[Kind.UNCHECKED]],
            }
        )
    elif not differences and not unreadable:
        say(f"{settled.season}: nothing differs: {_amount(checked)}")
    else:
        note(
            f"{settled.season}: {counted(differences, 'difference')}, {unreadable} unreadable:"
            f" {_amount(checked)}"
        )
    code = StoreError.exit_code if unreadable else NO if differences else 0
    click.get_current_context().exit(code)


def _amount(checked: Coverage) -> str:
    """One line of what was checked."""
    return (
        f"{checked.rounds} rounds ({checked.complete} complete) dealt again,"
        f" {checked.matches} matches with {checked.moves} moves and {checked.forfeits} forfeits played again,"
        " ratings computed again" + (", the seed is the one committed to" if checked.commitment else "")
    )


def _plain(finding: Finding) -> dict[str, str]:
    return {"place": finding.place, "text": finding.text}
