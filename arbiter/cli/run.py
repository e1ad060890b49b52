"""`run-round` and `run-season`: play, store, rate, print."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.bot_arguments import prepare
from arbiter.cli.options import (
    accept_option,
    config_argument,
    format_option,
    scheduler_option,
    store_option,
    together,
    workers_option,
)
from arbiter.cli.output import note
from arbiter.cli.progress import Journal, journal_option, present
from arbiter.cli.standings import show_standings
from arbiter.errors import ConfigError
from arbiter.season.season import Season
from arbiter.season.settings import CHOICE, FAMILY, GAUNTLET, REGRESS, TUNE
from arbiter.season.snapshot import season_figures
from arbiter.season.snapshot.season_state import SeasonState
from arbiter.store import Store
from arbiter.store.address import file_of
from arbiter.table.executors import cluster, processes, slots
from arbiter.text import counted, first_few

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from arbiter.match.spec import Player
    from arbiter.season.config import Config
    from arbiter.season.snapshot.schema import Standings
    from arbiter.table.executors import Slots


_playing_options = together(
    config_argument, workers_option, scheduler_option, store_option, accept_option, journal_option
)


@click.command("run-round")
@_playing_options
@format_option
def run_round(style: str, **given: Any) -> None:
    """Play the next round of a season, or finish a broken one; rate; print the standings.

    After an interruption of any kind the same command goes on: no match is lost or played twice.

    Example: arbiter run-round configs/demo.yaml
    """
    show_standings(_play(**given, one=True), style)


@click.command("run-season")
@_playing_options
@click.option("--rounds", type=click.IntRange(min=1), help="Until so many are complete, not the config's.")
@format_option
def run_season(rounds: int | None, style: str, **given: Any) -> None:
    """Play a season until all its rounds are complete; print the standings.

    The same command goes on after any interruption, Ctrl-C or `kill -9`, at once.

    Example: arbiter run-season configs/demo.yaml --rounds 12
    """
    show_standings(_play(**given, rounds=rounds), style)


def _play(
    config: str,
    workers: int | None,
    scheduler: str | None,
    store_url: str | None,
    accept_changes: bool,
    log: str | None,
    rounds: int | None = None,
    one: bool = False,
) -> Standings:
    """Play a season, or only `one` round of it, and return its standings."""
    settled = prepare(config, store_url)
    file = file_of(settled.store)
    there = file is not None and os.path.exists(file)  # noqa: PTH110 -- False where it may not be looked for
    with closing(Store(settled.store)) as store, store.hold(settled.season):
        kept = store.seasons()
        before = [name for name in kept if not name.startswith((REGRESS, CHOICE, GAUNTLET, FAMILY, TUNE))]
        season = Season.open(settled, store, accept_changes)
        announce(settled.season, store.name, before, there and not kept)
        chosen = choose_executor(settled, season.rounds.players(), workers, scheduler)
        with Journal(log) as journal, chosen as executor:
            _qualify(season, journal)
            events = season.play(executor, rounds, accept_changes, only_one=one)
            present(events, settled.season, journal, each_match=one, whole=not one)
            return season_figures.standings(SeasonState.of(settled, season.stored), official=False)


def _qualify(season: Season, journal: Journal) -> None:
    """Try whom `qualify: true` wants tried before the next round; say who fails."""
    if not season.config.qualify:
        return
    from arbiter.trials.qualify import AT_ONCE, qualify, unchecked_entries

    if not (left := unchecked_entries(season.results)):
        return
    journal.tell(f"{season.config.season}: {counted(len(left), 'player')} to be tried before the next round")
    with processes(AT_ONCE) as executor:
        for verdict in qualify(season.results, executor):
            (journal.write if verdict.failed is None else journal.tell)(verdict.text())


def announce(season: str, store: str, before: Sequence[str], there: bool) -> None:
    """Say that a season is new where one might expect to go on with another."""
    if before and season not in before:
        held = f"{'season' if len(before) == 1 else 'seasons'} {first_few(before)}"
        note(f"the store {store} holds the {held}; a new season {season} begins in it")
    elif there and not before:
        note(f"the file {store} was there already and holds no season; a new season {season} begins in it")


def choose_executor(
    config: Config, players: Sequence[Player], workers: int | None, scheduler: str | None
) -> AbstractContextManager[Slots]:
    if scheduler is not None and workers is not None:
        message = "--workers is for this machine"
        raise ConfigError(message, hint="with --scheduler the cluster's workers are used, all of them")
    if scheduler is None:
        return processes(slots(workers or config.workers))
    return cluster(scheduler, players, config.ship, config.limits.isolation, note)
