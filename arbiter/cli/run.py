"""`run-round` and `run-season`: play, store, rate, print."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NoReturn

import click

from arbiter.cli.journal import Journal, journal_option
from arbiter.cli.options import (
    accept_option,
    config_argument,
    format_option,
    scheduler_option,
    store_option,
    workers_option,
)
from arbiter.cli.output import note, print_json, show_standings
from arbiter.cli.progress import match_line, progress, round_line
from arbiter.config import load, within_reach
from arbiter.errors import ConfigError, NoStore, Stopped
from arbiter.executors import cluster, processes, slots
from arbiter.players import readers, refuse_strays
from arbiter.season.season import Tournament, open_season, play_round, standings_after, time_for_another
from arbiter.season.slices import Slice, open_part, slice_plans
from arbiter.store import Store
from arbiter.store.hold import held
from arbiter.table.isolation import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from arbiter.config import Config
    from arbiter.executors import Slots
    from arbiter.packing import PackedMatch
    from arbiter.season.season import RoundPlan
    from arbiter.store import SeasonStore


SHOWN = 4
"""So many names stand for a list of them."""


@click.command("run-round")
@config_argument
@workers_option
@scheduler_option
@store_option
@accept_option
@journal_option
@format_option
def run_round(
    config: str,
    workers: int | None,
    scheduler: str | None,
    store_url: str | None,
    accept_changes: bool,
    log: str | None,
    style: str,
) -> None:
    """Play the next round of a season, or finish a broken one; rate; print the standings.

    After an interruption of any kind the same command goes on: no match is lost or played twice.

    Example: arbiter run-round configs/demo.yaml
    """
    settled = prepared(config, store_url)
    with played(settled) as season, running(settled, None, workers, scheduler, log) as run:
        standings = run.rounds(season, accept_changes, only_one=True)
    show_standings(standings, style)


@click.command("run-season")
@config_argument
@click.option("--rounds", type=click.IntRange(min=1), help="Until so many are complete, not the config's.")
@click.option(
    "--slice", "part", help="Play only part i of n, such as 2/5, into a store of its own (--store)."
)
@workers_option
@scheduler_option
@store_option
@accept_option
@journal_option
@format_option
def run_season(
    config: str,
    rounds: int | None,
    part: str | None,
    workers: int | None,
    scheduler: str | None,
    store_url: str | None,
    accept_changes: bool,
    log: str | None,
    style: str,
) -> None:
    """Play a season until all its rounds are complete; print the standings.

    The same command goes on after any interruption, Ctrl-C or `kill -9`, at once. With --slice,
    tables of the rounds that can be planned now are shared out; `arbiter merge` puts them together.

    Example: arbiter run-season configs/demo.yaml --rounds 12
    """
    if part is not None:
        if store_url is None:
            raise ConfigError("--slice needs a store of its own", hint="give --store sqlite:///part.sqlite")
        own = Slice.parse(part)
        with running(prepared(config), rounds, workers, scheduler, log) as run:
            done = run.slice(own, store_url, accept_changes)
        if style == "json":
            print_json(done)
        return
    settled = prepared(config, store_url)
    with played(settled) as season, running(settled, rounds, workers, scheduler, log) as run:
        standings = run.rounds(season, accept_changes)
    show_standings(standings, style)


@contextmanager
def played(config: Config) -> Iterator[SeasonStore]:
    """The season in its store, which nobody else plays on meanwhile."""
    store = Store(config.store)
    try:
        with held(store, config.season):
            yield open_season(config, store)
    finally:
        store.close()


def prepared(path: str, store_url: str | None = None) -> Config:
    """The config, checked with its commands, its isolation settled; warnings go to stderr."""
    config = load(path, check_commands=True)
    config = replace(config, store=store_url or config.store)
    if config.store.startswith("sqlite://") and config.store.rpartition("/")[2] in ("", ":memory:"):
        raise ConfigError(f"--store {config.store} keeps nothing", hint="name a file")
    tier, warning = choose(config.limits.isolation, config.require_isolation)
    for text in (*config.warnings, warning):
        if text:
            note(text)
    if tier != "plain":
        if reasons := list(within_reach(config)):
            hint = "keep bots in folders of their own, or set isolation: plain and trust them"
            raise ConfigError(reasons[0], str(config.file), hint)
        refuse_strays([entry.player for entry in config.entries], str(config.file))
        for reader, others in readers(entry.player for entry in config.entries).items():
            some = ", ".join(others[:SHOWN]) + (", ..." if len(others) > SHOWN else "")
            note(f"{reader} can read the files of {some}")
    return replace(config, limits=replace(config.limits, isolation=tier))


@contextmanager
def running(
    config: Config, rounds: int | None, workers: int | None, scheduler: str | None, log: str | None
) -> Iterator[Run]:
    """What plays matches, on this machine or on a cluster, and the journal that says so."""
    if scheduler is not None and workers is not None:
        message = "--workers is for this machine"
        raise ConfigError(message, hint="with --scheduler the cluster's workers are used, all of them")
    with Journal(log) as journal, _executor(config, workers, scheduler) as executor:
        yield Run(config, rounds, executor, journal)


def _executor(config: Config, workers: int | None, scheduler: str | None) -> AbstractContextManager[Slots]:
    if scheduler is None:
        return processes(slots(workers or config.workers))
    players = [entry.player for entry in config.entries]
    return cluster(scheduler, players, config.ship, config.limits.isolation, note)


class Run:
    """Rounds on their way, seen on the terminal and in the journal.

    `rounds` are to be complete in place of the config's.
    """

    def __init__(self, config: Config, rounds: int | None, executor: Slots, journal: Journal) -> None:
        self._whole = config
        self._config = replace(config, rounds=rounds, until=None) if rounds else config
        self._executor, self._journal = executor, journal
        self._suspended: set[str] = set()

    def rounds(self, season: SeasonStore, accept_changes: bool, only_one: bool = False) -> dict[str, Any]:
        """Play the next round, or all there are; the standings after the last."""
        season.ask_to_stop(False)
        tournament = Tournament(self._config, season)
        begun = False
        if accept_changes and (what := tournament.changes()):
            self._tell(f"accepted: {what}")
        while plan := tournament.next_round(accept_changes and not begun, self._more(season)):
            if not begun:
                self._announce(plan, season.seed)
            begun = True
            start = time.monotonic()
            self._play(season, plan, match_line if only_one else None)
            standings = tournament.finish_round(plan.stored.number)
            line = round_line(standings, len(plan.missing), time.monotonic() - start)
            self._journal.write(line)
            if only_one:
                return standings
            note(line)
            if season.asked_to_stop():
                self._stopped(season)
        return self._ended(season)

    def slice(self, own: Slice, store_url: str, accept_changes: bool) -> dict[str, Any]:
        """Play a slice's share of the rounds that can be planned now."""
        config = self._config
        rounds: list[int] = []
        matches = 0
        with ExitStack() as stack:
            base = None
            with suppress(NoStore):
                base = stack.enter_context(closing(Store(config.store, create=False)))
            before = base.season(config.season) if base else None
            part = stack.enter_context(closing(Store(store_url)))
            if base is not None and base.place == part.place:
                raise ConfigError("--slice needs a store of its own", hint="not the config's")
            stack.enter_context(held(part, config.season))
            season = open_part(config, before, part)
            season.ask_to_stop(False)
            for plan in slice_plans(config, before, season, own, accept_changes):
                if not rounds:
                    self._announce(plan, season.seed)
                self._play(season, plan, None)
                rounds.append(plan.stored.number)
                matches += len(plan.missing)
                self._tell(f"slice {own}, round {rounds[-1]}: {len(plan.missing)} matches played")
        if not rounds:
            note(f"slice {own}: nothing to play: all {config.rounds} rounds are complete")
        return {"season": config.season, "slice": str(own), "rounds": rounds, "matches": matches}

    def _announce(self, plan: RoundPlan, seed: str) -> None:
        """What is about to be played; before the first match, what commits us to the deals."""
        there = plan.total - len(plan.missing)
        text = f"{self._config.season}, round {plan.stored.number}: {len(plan.missing)} matches, "
        text += f"{min(self._executor.size, plan.total)} at once"
        self._tell(text + (f" ({there} are stored already)" if there else ""))
        if plan.stored.number == 1 and not there:
            digest = sha256(seed.encode()).hexdigest()
            self._tell(f"the seed's SHA-256 is {digest}; the seed is shown when the season ends")

    def _play(self, season: SeasonStore, plan: RoundPlan, line: Callable[..., str] | None) -> None:
        """Play what is missing of a round; Stopped where somebody asked for it."""
        for name in sorted(set(plan.suspended) - self._suspended):
            self._tell(
                f"{name} is suspended and sits out round {plan.stored.number}: its last"
                f" {self._config.suspend_after} matches or more ended by its own fault"
            )
        self._suspended = set(plan.suspended)
        title = f"round {plan.stored.number} of {max(self._config.rounds, plan.stored.number)}"
        with progress(len(plan.missing), line, title) as seen:

            def stored(match: PackedMatch) -> None:
                self._journal.write(f"{match_line(match.summary)} ({match.wall_ns / 1e9:.2f} s)")
                seen(match.summary)

            whole = play_round(season, plan, self._executor, stored, self._void)
        if not whole:
            self._stopped(season)

    @staticmethod
    def _stopped(season: SeasonStore) -> NoReturn:
        season.ask_to_stop(False)
        raise Stopped("stopped as asked; the same command goes on")

    def _more(self, season: SeasonStore) -> bool:
        return time_for_another(self._config, season, self._executor.size, datetime.now(UTC))

    def _ended(self, season: SeasonStore) -> dict[str, Any]:
        """The standings; of a season that has all its rounds the seed is no secret any more."""
        last, name = len(season.rounds()), self._config.season
        if last < self._whole.rounds:
            self._tell(f"{last} of {self._whole.rounds} rounds of {name} are complete")
        elif time_for_another(self._whole, season, self._executor.size, datetime.now(UTC)):
            self._tell(f"{last} rounds of {name} are complete, and there is time for more")
        else:
            self._journal.write(f"all {last} rounds of {name} are complete")
            note(f"all {last} rounds of {name} are complete; its seed was {season.seed}")
        return standings_after(self._config, season, last)

    def _void(self, match_id: str, why: str) -> None:
        """A match that our side spoilt."""
        self._tell(f"{match_id}: void, to be played again: {why}")

    def _tell(self, text: str) -> None:
        self._journal.write(text)
        note(text)
