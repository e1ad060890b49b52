"""`status`: how far a season is, from another terminal while it is played."""

from __future__ import annotations

import click

from arbiter.cli.options import config_argument, format_option, store_option
from arbiter.cli.output import print_json
from arbiter.cli.tables import opened_store
from arbiter.schedule import match_specs
from arbiter.store.hold import holder


@click.command()
@config_argument
@store_option
@format_option
def status(config: str, store_url: str | None, style: str) -> None:
    """How many rounds are complete, how far the one begun is, and who plays it now.

    Example: arbiter status configs/demo.yaml
    """
    settled, season, store = opened_store(config, store_url)
    rounds = season.rounds()
    complete = sum(stored.complete for stored in rounds)
    begun = rounds[-1] if rounds and not rounds[-1].complete else None
    shape = {
        "season": settled.season,
        "rounds": settled.rounds,
        "complete": complete,
        "round": begun.number if begun else None,
        "matches": 0,
        "stored": 0,
        "played_by": holder(store),
    }
    if begun:
        shape["matches"] = len(list(match_specs(settled, season.seed, begun.number, begun.tables)))
        shape["stored"] = len(season.match_ids(begun.number))
    if style == "json":
        print_json(shape)
        return
    click.echo(f"{settled.season}: {complete} of {settled.rounds} rounds complete")
    if begun:
        click.echo(f"round {begun.number}: {shape['stored']} of {shape['matches']} matches stored")
    click.echo(f"played by {shape['played_by'] or 'nobody now'}")
