"""`integrity`: possible collusion, near-identical play and copied sources."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from arbiter.cli.open_season import with_roster
from arbiter.cli.options import season_output_options
from arbiter.cli.output import note, print_result, say
from arbiter.text import counted, first_few

if TYPE_CHECKING:
    from arbiter.contest.integrity.schema import Integrity

KINDS = {"soft_play": "soft play", "twins": "twins", "copies": "copies"}


@click.command()
@click.option(
    "--against",
    "against",
    multiple=True,
    metavar="STORE",
    help="Also compare with the sources of another store's seasons; may be repeated.",
)
@season_output_options
def integrity(config: str, against: tuple[str, ...], store_url: str | None, style: str) -> None:
    """Report possible collusion, near-identical play and copied sources.

    Each finding is a question to review, with its evidence: it is no accusation and has no consequence. The
    findings are stored, and shown on the organiser's page `/admin/integrity`.

    Example: arbiter integrity configs/demo.yaml
    """
    from arbiter.cli.progress import Bar
    from arbiter.contest.integrity.integrity_report import make_report
    from arbiter.contest.integrity.program_sources import without_files
    from arbiter.season.settings import open_to_read

    settled, stored, store = open_to_read(config, store_url)
    with closing(store), Bar() as bar:
        if gone := without_files(settled, stored):
            note(f"not compared, as their files are missing: {first_few(gone)}")
        bar.show("reading", sum(len(stored.match_ids(number + 1)) for number in range(stored.complete)))
        report = make_report(with_roster(settled), stored, against, bar.step)
        stored.questions.keep(report)
    print_result(style, report, lambda: _print_report(report))


def _print_report(report: Integrity) -> None:
    say(f"{report['season']}: after {counted(report['round'], 'round')}")
    for kind, words in KINDS.items():
        reach = report["reach"][kind]  # type: ignore[literal-required]
        asked = len(report[kind])  # type: ignore[literal-required]
        said = counted(asked, "question") if asked else "nothing to ask" if reach["able"] else ""
        say(f"{words}: {said}{'; ' * bool(said)}{reach['say']}")
        for helped in report["soft_play"] if kind == "soft_play" else ():
            say(f"  {helped['say']}")
    for group in report["groups"]:
        members, pairs = group["members"], len(group["twins"]) + len(group["copies"])
        say(f"group of {len(members)}, {counted(pairs, 'question')}: {', '.join(members)}")
        for row in [report["twins"][at] for at in group["twins"]]:
            say(f"  {row['say']}")
        for question in [report["copies"][at] for at in group["copies"]]:
            say(f"  {question['say']}")
