"""`plan`: estimate how long a season takes, and what fits into a given time."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.bot_arguments import load_to_play
from arbiter.cli.open_season import with_roster
from arbiter.cli.options import config_argument, format_option, workers_option
from arbiter.cli.output import duration_text, note, print_json, say
from arbiter.cli.plan_dates import plan_dates, print_dates, warn_of_dates
from arbiter.cli.progress import Bar
from arbiter.errors import ConfigError, NoStore, StoreError
from arbiter.match.clock import SECOND, parse_duration
from arbiter.season.forecast import (
    CONTEST_BUDGETS,
    longest_time,
    remaining_of,
    season_size,
    trial_specs,
    with_number_of_players,
)
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.table import play_match
from arbiter.table.executors import processes, slots
from arbiter.text import counted, first_few

if TYPE_CHECKING:
    from arbiter.match.clock import TimeControl
    from arbiter.season.config import Config
    from arbiter.season.forecast import RemainingSeason, SeasonSize


@click.command()
@config_argument
@click.option(
    "--players",
    type=click.IntRange(1, 100_000),
    help="Plan for this many players beside rungs and house bots, instead of those there are.",
)
@click.option("--within", help="The time available, such as 48h.  [default: up to the config's `until`]")
@click.option(
    "--trial", type=click.IntRange(min=0), default=4, show_default=True, help="Number of trial matches."
)
@workers_option
@format_option
def plan(
    config: str, players: int | None, within: str | None, trial: int, workers: int | None, style: str
) -> None:
    """Estimate how long a season takes.

    The time of the season, or of its remaining part, is given at worst and at the pace of trial matches, with
    what fits into --within. With a calendar (`opens`, `every`, `until`) it names the dates, and warns if a
    round takes longer than `every`, or the last one ends after `until`. Trial matches have other deals than
    the season, and are not stored. With --players programs of the file play the trial matches.

    Example: arbiter plan configs/demo.yaml --within 48h
    """
    settled = load_to_play(config)
    left = _remaining_season(settled)
    if players is None:
        settled = with_roster(settled)
    else:
        settled = with_number_of_players(settled, players)
        left = None if left is None else replace(left, suspended=())
    season = season_size(settled, slots(workers or settled.workers), left)
    available = _available_ns(settled, within)
    # A season that is over is timed only to answer what more would fit.
    tried = _play_trial(settled, season, trial) if trial and (season.turns_left or available) else []
    mean = sum(tried) / len(tried) if tried else None
    dates = plan_dates(settled, season, mean)
    figures = {
        "season": settled.season,
        "players": season.players,
        "suspended": list(season.left.suspended),
        "tables": season.tables,
        "matches_per_round": season.matches,
        "at_once": season.at_once,
        "rounds": season.rounds,
        "complete": season.left.complete,
        "every_s": None if settled.every is None else settled.every.total_seconds(),
        "rounds_left": season.left.unfinished,
        "matches_left": season.matches_left,
        "worst": _lengths_s(season, season.match_ns),
        "trial": None
        if mean is None
        else {"matches": len(tried), "faults": trial - len(tried), **_lengths_s(season, mean)},
        "within": None if available is None else _figures_within(settled, season, available, mean),
        "dates": dates,
    }
    if style == "json":
        print_json(figures)
    else:
        _print_plan(figures, settled.limits.time)
    if dates is not None:
        warn_of_dates(settled, season, mean, dates)


def _remaining_season(config: Config) -> RemainingSeason | None:
    """Read what is left of the season from its store; None if it has not begun."""
    try:
        with closing(Store(config.store, create=False)) as store:
            if store.season(config.season) is not None:
                return remaining_of(config, Season.open(config, store).stored)
    except NoStore:
        pass
    except StoreError as error:
        note(f"{error}; the plan assumes that nothing has been played")
    return None


def _available_ns(config: Config, within: str | None) -> int | None:
    """Return the time of --within or until the season's end in ns, None if unlimited."""
    if within is not None:
        ns = parse_duration(within)
        if not ns:
            raise ConfigError(f"--within: expected more than 0, got {within}")
        return ns
    if config.until is None:
        return None
    left = int((config.until - datetime.now(UTC)).total_seconds() * SECOND)
    if left <= 0:
        note("--within shows what fits into another time")
        return None
    return left


def _play_trial(config: Config, season: SeasonSize, number: int) -> list[int]:
    """Play `number` matches, as many at once as the season will; return the ns of each without a fault."""
    taken: list[int] = []
    specs = trial_specs(config, number, season.left.suspended)
    with processes(season.at_once) as executor, Bar() as bar:
        bar.show("trial", number)
        for future in [executor.submit(play_match, spec) for spec in specs]:
            record = future.result()
            bar.show_match(record.summary())
            if record.forfeit is None:
                taken.append(record.wall_ns)
    if not taken:
        note(f"{counted(number, 'trial match')} ended by a fault of a bot: the pace is unknown")
    return taken


def _lengths_s(season: SeasonSize, match_ns: float) -> dict[str, float]:
    """Return the seconds of a match, a round and the rest of the season, by the duration of a match."""
    ns = {"match_s": match_ns, "round_s": season.round_ns(match_ns), "season_s": season.season_ns(match_ns)}
    return {name: round(length / SECOND, 3) for name, length in ns.items()}


def _figures_within(config: Config, season: SeasonSize, ns: int, mean: float | None) -> dict[str, Any]:
    """Return what fits into `ns`; `mean` are the ns of a trial match, None without trials."""
    longest, time = longest_time(config, season, ns), config.limits.time
    least, most = CONTEST_BUDGETS
    contest = None if longest < least or time.match_ns is None else min(longest, most) // SECOND
    return {
        "within_s": ns / SECOND,
        "rounds_at_worst": season.rounds_within(ns, season.match_ns),
        "rounds_at_trial_pace": None if mean is None else season.rounds_within(ns, mean),
        "longest_time_s": longest / SECOND,
        "per_request": time.per_request,
        "contest_budget_s": contest,
    }


def _print_plan(figures: dict[str, Any], time: TimeControl) -> None:
    per_round, rounds, left = figures["matches_per_round"], figures["rounds"], figures["rounds_left"]
    out = figures["suspended"]
    sitting = f" ({first_few(out)} {'is' if len(out) == 1 else 'are'} suspended)" if out else ""
    say(
        f"{figures['season']}: {counted(figures['players'], 'player')}{sitting},"
        f" {counted(figures['tables'], 'table')}, {counted(per_round, 'match')} a round,"
        f" {figures['at_once']} at once; {rounds * per_round} matches in {counted(rounds, 'round')}"
    )
    if not left:
        click.echo(f"all {counted(figures['complete'], 'round')} are complete: nothing is left to play")
    elif (matches := figures["matches_left"]) != rounds * per_round:
        click.echo(
            f"{figures['complete']} of {rounds} rounds are complete:"
            f" {counted(matches, 'match')} in {counted(left, 'round')} are left"
        )
    if (every := figures["every_s"]) is not None:
        last = f", the last of {rounds} {duration_text((rounds - 1) * every)} after the first" * (rounds > 1)
        click.echo(f"a round begins every {duration_text(every)}{last}")
    click.echo(f"at worst: {_lengths_text(figures['worst'], figures)}")
    if trial := figures["trial"]:
        early = f" ({trial['faults']} more ended by a fault)" if trial["faults"] else ""
        pace = f"{counted(trial['matches'], 'trial match')}{early}"
        click.echo(f"at the pace of {pace}: {_lengths_text(trial, figures)}")
    if figures["dates"] is not None:
        print_dates(figures["dates"])
    if figures["within"] is not None:
        _print_figures_within(figures["within"], left, time, figures["every_s"] is not None)


def _print_figures_within(fits: dict[str, Any], left: int, time: TimeControl, waits: bool) -> None:
    pace = fits["rounds_at_trial_pace"]
    at_pace = "" if pace is None else f", {pace} at the trial pace"
    more = "" if left else " more"
    click.echo(
        f"within {duration_text(fits['within_s'])}{', without waiting for `every`' if waits else ''}:"
        f" {counted(fits['rounds_at_worst'], f'{more} round'.strip())} at worst{at_pace}"
    )
    if not left:
        return
    longest, rounds = fits["longest_time_s"], counted(left, "round")
    if not longest:
        click.echo(f"{rounds} do not fit at worst, even with the shortest time for the players")
        return
    click.echo(
        f"{rounds} fit at worst with {duration_text(longest)} a {time.unit}{_comparison_text(fits, time)}"
    )


def _comparison_text(fits: dict[str, Any], time: TimeControl) -> str:
    """Compare the longest time with the contest's budget if the season has that, else with its own.

    "" if the season's own time fits.
    """
    least, most = CONTEST_BUDGETS
    if time.match_ns is not None and least <= time.match_ns <= most:
        if fits["contest_budget_s"] is not None:
            return f"; of the contest's 3 to 15 min take {duration_text(fits['contest_budget_s'])}"
        whose, own = "contest", least / SECOND
    else:
        whose, own = "season", time.budget_ns / SECOND
    if fits["longest_time_s"] >= own:
        return ""
    return f", less than the {whose}'s {duration_text(own)}: play fewer rounds, or more matches at once"


def _lengths_text(lengths: dict[str, float], figures: dict[str, Any]) -> str:
    """Describe lengths in words; of a season that has begun only the rest, of a finished one none."""
    text = f"a match {duration_text(lengths['match_s'])}, a round {duration_text(lengths['round_s'])}"
    if not figures["rounds_left"]:
        return text
    whole = figures["matches_left"] == figures["rounds"] * figures["matches_per_round"]
    return f"{text}, {'the season' if whole else 'the rest'} {duration_text(lengths['season_s'])}"
