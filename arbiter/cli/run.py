"""`run-round` and `run-season`: play a season."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.bot_arguments import load_to_play
from arbiter.cli.options import (
    accept_option,
    combine_options,
    config_argument,
    format_option,
    scheduler_option,
    store_option,
    workers_option,
)
from arbiter.cli.output import note
from arbiter.cli.progress import Journal, journal_option, show_progress
from arbiter.cli.standings import show_standings
from arbiter.errors import ConfigError
from arbiter.season.rounds import rounds_to_replay
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


_playing_options = combine_options(
    config_argument, workers_option, scheduler_option, store_option, accept_option, journal_option
)


@click.command("run-round")
@_playing_options
@click.option("--replays-only", is_flag=True, help="Replay annulled matches only, without the next round.")
@format_option
def run_round(style: str, **given: Any) -> None:
    """Play the next round, or finish an interrupted one.

    Then rate the players, and print the standings. Matches annulled with --replay are played first. After any
    interruption, run the same command again to continue: no match is lost or played twice.

    Example: arbiter run-round configs/demo.yaml
    """
    show_standings(_play(**given, one=True), style)


@click.command("run-season")
@_playing_options
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds in all, instead of the config's.")
@format_option
def run_season(rounds: int | None, style: str, **given: Any) -> None:
    """Play all rounds of a season.

    Then print the standings. After any interruption, even `kill -9`, run the same command again to continue.

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
    replays_only: bool = False,
) -> Standings:
    """Play a season until it has `rounds`, or `one` further round, and return its standings.

    With `replays_only` play annulled matches again, and no round.

    `accept_changes` consents to changes as in `Rounds.plan`; `log` is the path of a journal.
    """
    settled = load_to_play(config, store_url)
    file = file_of(settled.store)
    there = file is not None and os.path.exists(file)  # noqa: PTH110 -- False without permission
    with closing(Store(settled.store)) as store, store.hold(settled.season):
        kept = store.seasons()
        before = [name for name in kept if not name.startswith((REGRESS, CHOICE, GAUNTLET, FAMILY, TUNE))]
        season = Season.open(settled, store, accept_changes)
        note_new_season(settled.season, store.name, before, there and not kept)
        chosen = choose_executor(settled, season.rounds.players(), workers, scheduler)
        with Journal(log) as journal, chosen as executor:
            if replays_only:
                if not rounds_to_replay(season.stored):
                    note("no annulled match waits for its replay")
            else:
                _qualify(season, journal)
                if one and rounds_to_replay(season.stored):
                    note("after the annulled matches the next round is played; --replays-only leaves it out")
            events = season.play(executor, rounds, accept_changes, one, replays_only)
            show_progress(events, settled.season, journal, each_match=one, whole=not one)
            return season_figures.standings(SeasonState.of(settled, season.stored), official=False)


def _qualify(season: Season, journal: Journal) -> None:
    """Test players that `qualify: true` requires, suspend failing ones, and log the results."""
    if not season.config.qualify:
        return
    from arbiter.trials.qualify import AT_ONCE, qualify, unchecked_entries

    if not (left := unchecked_entries(season.results)):
        return
    journal.write_and_note(f"{season.config.season}: {counted(len(left), 'player')} to test before the round")
    with processes(AT_ONCE) as executor:
        for verdict in qualify(season.results, executor):
            (journal.write if verdict.failed is None else journal.write_and_note)(verdict.text())


def note_new_season(season: str, store: str, before: Sequence[str], there: bool) -> None:
    """Print a note if a new season begins although the store exists, in case another one was meant.

    `before` are the seasons that it has; `there` is True if its file existed.
    """
    if before and season not in before:
        held = f"{'season' if len(before) == 1 else 'seasons'} {first_few(before)}"
        note(f"the store {store} has the {held}; a new season {season} begins in it")
    elif there and not before:
        note(f"the file {store} exists and has no season; a new season {season} begins in it")


def choose_executor(
    config: Config, players: Sequence[Player], workers: int | None, scheduler: str | None
) -> AbstractContextManager[Slots]:
    """Return the executor of matches: worker processes here, or those of the cluster at `scheduler`.

    `workers` is by default the config's; ConfigError if it is given together with `scheduler`.
    """
    if scheduler is not None and workers is not None:
        message = "--workers cannot be combined with --scheduler"
        raise ConfigError(message, hint="a cluster uses all of its workers")
    if scheduler is None:
        return processes(slots(workers or config.workers))
    return cluster(scheduler, players, config.ship, config.limits.isolation, note)
