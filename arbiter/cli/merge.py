"""`merge`: the parts of a season, played apart with `run-season --slice`, into one store."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import asdict, replace

import click

from arbiter.cli.opening import open_parts
from arbiter.cli.options import config_argument, format_option, store_option
from arbiter.cli.output import counted, note, print_json, say
from arbiter.config import load
from arbiter.errors import ConfigError
from arbiter.season.slices import merge as put_together
from arbiter.store import Store


@click.command()
@config_argument
@click.argument("parts", nargs=-1, required=True)
@store_option
@format_option
def merge(config: str, parts: tuple[str, ...], store_url: str | None, style: str) -> None:
    """Put the matches of other stores into the season's own, and rate the rounds that are then complete.

    PARTS are stores, as URLs or as files. They stay as they are, and merging twice changes nothing.

    Example: arbiter merge configs/demo.yaml part1.sqlite part2.sqlite
    """
    settled = load(config)
    settled = replace(settled, store=store_url or settled.store)
    with ExitStack() as stack:
        opened = open_parts(stack, parts)
        # Not before the parts: nothing is made for a mistyped name.
        target = stack.enter_context(closing(Store(settled.store)))
        stack.enter_context(target.held(settled.season))
        for store in opened:
            if store.place == target.place:
                raise ConfigError(f"{store.name} is the store to merge into", hint="name the others only")
        merged = put_together(settled, target, opened)
    if style == "json":
        print_json({"season": settled.season, **asdict(merged)})
        return
    if merged.complete >= settled.rounds:
        note(f"all {merged.complete} rounds of {settled.season} are complete: run-season shows the seed")
    kept = f" ({merged.there} were there already)" if merged.there else ""
    say(
        f"{settled.season}: {counted(merged.added, 'match')} added{kept};"
        f" {counted(merged.complete, 'round')} complete"
    )
    for number, missing, total in merged.missing:
        note(f"round {number}: {missing} of {total} matches are missing")
