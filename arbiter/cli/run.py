"""`run-round` and `run-season`: play, store, rate, print."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.options import accept_option, config_argument, format_option, store_option, workers_option
from arbiter.cli.output import note, show_standings
from arbiter.cli.progress import match_line, progress, round_line
from arbiter.config import load
from arbiter.executors import processes, slots
from arbiter.store import Store
from arbiter.store.hold import held
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
    from concurrent.futures import Executor

    from arbiter.config import Config
    from arbiter.store import SeasonStore
    from arbiter.tournament import RoundPlan


@click.command("run-round")
@config_argument
@workers_option
@store_option
@accept_option
@format_option
def run_round(
    config: str, workers: int | None, store_url: str | None, accept_changes: bool, style: str
) -> None:
    """Play the next round of a season, or finish a broken one; rate; print the standings.

    After an interruption of any kind the same command goes on: no match is lost or played twice.

    Example: arbiter run-round configs/demo.yaml
    """
    settled = prepared(config, store_url)
    with played(settled) as season:
        plan = next_round(settled, season, accept_changes)
        if plan is None:
            standings = complete(settled, season)
        else:
            workers = slots(workers or settled.workers)
            announce(settled, plan, workers, season.seed)
            with processes(min(workers, plan.total)) as executor:
                standings = play(settled, season, plan, executor, match_line)
    show_standings(standings, style)


@click.command("run-season")
@config_argument
@click.option("--rounds", type=click.IntRange(min=1), help="Until so many are complete, not the config's.")
@workers_option
@store_option
@accept_option
@format_option
def run_season(
    config: str,
    rounds: int | None,
    workers: int | None,
    store_url: str | None,
    accept_changes: bool,
    style: str,
) -> None:
    """Play a season until all its rounds are complete; print the standings.

    The same command goes on after any interruption, Ctrl-C or `kill -9`, at once.

    Example: arbiter run-season configs/demo.yaml --rounds 12
    """
    settled = prepared(config, store_url)
    settled = replace(settled, rounds=rounds or settled.rounds)
    workers = slots(workers or settled.workers)
    with played(settled) as season:
        plan = next_round(settled, season, accept_changes)
        if plan is not None:
            announce(settled, plan, workers, season.seed)
            with processes(workers) as executor:
                while plan is not None:
                    start = time.monotonic()
                    standings = play(settled, season, plan, executor, None)
                    note(round_line(standings, len(plan.missing), time.monotonic() - start))
                    plan = next_round(settled, season)
        standings = complete(settled, season)
    show_standings(standings, style)


@contextmanager
def played(config: Config) -> Iterator[SeasonStore]:
    """The season in its store, which nobody else plays on meanwhile."""
    store = Store(config.store)
    try:
        with held(store):
            yield open_season(config, store)
    finally:
        store.close()


def announce(config: Config, plan: RoundPlan, workers: int, seed: str) -> None:
    """What is about to be played; before the first match, what commits us to the deals."""
    there = plan.total - len(plan.missing)
    text = f"{config.season}, round {plan.stored.number}: {len(plan.missing)} matches, {workers} at once"
    note(text + (f" ({there} are stored already)" if there else ""))
    if plan.stored.number == 1 and not there:
        digest = sha256(seed.encode()).hexdigest()
        note(f"the seed's SHA-256 is {digest}; the seed is shown when the season ends")


def play(
    config: Config,
    season: SeasonStore,
    plan: RoundPlan,
    executor: Executor,
    line: Callable[..., str] | None,
) -> dict[str, Any]:
    """Play what is missing of a round and rate; the standings after it."""
    with progress(len(plan.missing), line, f"round {plan.stored.number}") as seen:
        play_round(season, plan, executor, seen, on_void)
    return finish_round(config, season, plan)


def complete(config: Config, season: SeasonStore) -> dict[str, Any]:
    """The standings of a season that has all its rounds; its seed is no secret any more."""
    last = len(season.rounds())
    note(f"all {last} rounds of {config.season} are complete; its seed was {season.seed}")
    return season.standings(last) or compute_standings(config, season, last)


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
