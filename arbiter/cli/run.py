"""`run-round`: play, store, rate, print."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from arbiter.cli.output import format_option, note, print_json, print_standings, printable, tell
from arbiter.config import load
from arbiter.executors import processes, slots
from arbiter.store import Store
from arbiter.table.isolation import choose
from arbiter.tournament import (
    compute_standings,
    finish_round,
    next_round,
    open_season,
    play_round,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arbiter.config import Config
    from arbiter.match import MatchRecord


@click.command()
@click.argument("config", type=click.Path())
@click.option("--workers", type=click.IntRange(min=1), help="Matches at once; never more than cores.")
@click.option("--store", "store_url", help="Another store than the config's, as a URL.")
@click.option("--accept-changes", is_flag=True, help="Go on although the config has changed.")
@format_option
def run_round(
    config: str, workers: int | None, store_url: str | None, accept_changes: bool, style: str
) -> None:
    """Play the next round of a season, or finish a broken one; rate; print the standings.

    After an interruption of any kind the same command goes on: no match is lost or played twice.

    Example: arbiter run-round configs/demo.yaml
    """
    settled = prepared(config, store_url)
    store = Store(settled.store)
    season = open_season(settled, store)
    plan = next_round(settled, season, accept_changes)
    if plan is None:
        note(f"all {settled.rounds} rounds of {settled.season} are complete; its seed was {season.seed}")
        standings = season.standings(settled.rounds) or compute_standings(settled, season, settled.rounds)
    else:
        workers = slots(workers or settled.workers)
        there = plan.total - len(plan.missing)
        note(
            f"{settled.season}, round {plan.stored.number}: {len(plan.missing)} matches, {workers} at once"
            + (f" ({there} are stored already)" if there else "")
        )
        with progress(len(plan.missing)) as show, processes(min(workers, plan.total)) as executor:
            play_round(season, plan, executor, show, on_void)
        standings = finish_round(settled, season, plan)
    if style == "json":
        print_json(standings)
    else:
        print_standings(standings)


def prepared(path: str, store_url: str | None = None) -> Config:
    """The config, checked with its commands, its isolation settled; warnings go to stderr."""
    config = load(path, check_commands=True)
    tier, warning = choose(config.limits.isolation, config.require_isolation)
    for text in (*config.warnings, warning):
        if text:
            note(text)
    limits = replace(config.limits, isolation=tier)
    return replace(config, limits=limits, store=store_url or config.store)


def on_void(match_id: str, why: str) -> None:
    """A match that our side spoilt."""
    note(f"{match_id}: void, to be played again: {why}")


def outcome(record: MatchRecord) -> str:
    """One line about one match."""
    if record.forfeit is not None:
        forfeit = record.forfeit
        return f"{record.id}: {forfeit.player} forfeits ({forfeit.fault}): {forfeit.detail}"
    points = zip(record.players, record.points or (), strict=True)
    return f"{record.id}: " + ", ".join(f"{player} {point}" for player, point in points)


@contextmanager
def progress(total: int) -> Iterator[Callable[[MatchRecord], None]]:
    """Calls to make for each match: a bar on a terminal, a line a match elsewhere."""
    if not sys.stderr.isatty():
        yield lambda record: tell(outcome(record))
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.0f} matches a minute, left"),
        TimeRemainingColumn(),
    )
    start = time.monotonic()
    with Progress(*columns, console=Console(stderr=True, markup=False)) as bar:
        task = bar.add_task("", total=total, rate=0.0)
        done = 0

        def show(record: MatchRecord) -> None:
            nonlocal done
            done += 1
            if record.forfeit is not None:
                bar.console.print(printable(outcome(record)), highlight=False)
            minutes = max(time.monotonic() - start, 1e-3) / 60
            bar.update(task, advance=1, rate=done / minutes)

        yield show
