"""`plan`: how long a season takes, and what fits into the hours there are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.bar import Bar
from arbiter.cli.bots import prepare
from arbiter.cli.options import config_argument, format_option, workers_option
from arbiter.cli.output import counted, duration, note, print_json
from arbiter.clock import SECOND, parse_duration
from arbiter.errors import ConfigError
from arbiter.executors import processes, slots
from arbiter.season.forecast import CONTEST_BUDGETS, longest_time, shape, trial_specs
from arbiter.table import play_match

if TYPE_CHECKING:
    from arbiter.config import Config
    from arbiter.season.forecast import Shape


@click.command()
@config_argument
@click.option("--within", help="The time there is, such as 48h; by default up to the config's `until`.")
@click.option(
    "--trial", type=click.IntRange(min=0), default=4, show_default=True, help="Matches to try; 0 for none."
)
@workers_option
@format_option
def plan(config: str, within: str | None, trial: int, workers: int | None, style: str) -> None:
    """How long a season takes at worst and at the pace of a few trial matches, and what fits.

    The trial matches are played on other deals than the season's, and nothing of them is kept.

    Example: arbiter plan configs/demo.yaml --within 48h
    """
    settled = prepare(config)
    season = shape(settled, slots(workers or settled.workers))
    there_is = _within(settled, within)
    mean = _play_trial(settled, season, trial) if trial else None
    figures = {
        "season": settled.season,
        "players": season.players,
        "tables": season.tables,
        "matches_per_round": season.matches,
        "at_once": season.at_once,
        "rounds": season.rounds,
        "worst": _lengths(season, season.match_ns),
        "trial": None if mean is None else {"matches": trial, **_lengths(season, mean)},
        "within": None if there_is is None else _fitting(settled, season, there_is, mean),
    }
    if style == "json":
        print_json(figures)
    else:
        _print(figures)


def _within(config: Config, within: str | None) -> int | None:
    """The time there is, in ns; None where nothing limits it."""
    if within is not None:
        ns = parse_duration(within)
        if not ns:
            raise ConfigError(f"--within {within}: nothing fits into no time")
        return ns
    if config.until is None:
        return None
    left = int((config.until - datetime.now(UTC)).total_seconds() * SECOND)
    if left <= 0:
        note("--within says what fits into another time")
        return None
    return left


def _play_trial(config: Config, season: Shape, number: int) -> float:
    """Play trial matches, as many at once as the season will; the mean time of one in ns."""
    taken: list[int] = []
    with processes(season.at_once) as executor, Bar() as bar:
        bar.show("trial", number)
        for future in [executor.submit(play_match, spec) for spec in trial_specs(config, number)]:
            record = future.result()
            taken.append(record.wall_ns)
            bar.seen(record.summary())
    return sum(taken) / len(taken)


def _lengths(season: Shape, match_ns: float) -> dict[str, float]:
    seconds = {
        "match_s": match_ns,
        "round_s": season.round_ns(match_ns),
        "season_s": season.season_ns(match_ns),
    }
    return {name: round(ns / SECOND, 3) for name, ns in seconds.items()}


def _fitting(config: Config, season: Shape, ns: int, mean: float | None) -> dict[str, Any]:
    longest, per_request = longest_time(config, season, ns), config.limits.time.per_request
    least, most = CONTEST_BUDGETS
    return {
        "within_s": ns / SECOND,
        "rounds_at_worst": season.rounds_within(ns, season.match_ns),
        "rounds_at_trial_pace": None if mean is None else season.rounds_within(ns, mean),
        "longest_time_s": longest / SECOND,
        "per_request": per_request,
        "contest_budget_s": None if longest < least or per_request else min(longest, most) // SECOND,
    }


def _print(figures: dict[str, Any]) -> None:
    per_round, rounds = figures["matches_per_round"], figures["rounds"]
    click.echo(
        f"{figures['season']}: {counted(figures['players'], 'player')},"
        f" {counted(figures['tables'], 'table')}, {counted(per_round, 'match')} a round,"
        f" {figures['at_once']} at once; {rounds * per_round} matches in {counted(rounds, 'round')}"
    )
    click.echo(f"at worst: {_told(figures['worst'])}")
    if figures["trial"]:
        click.echo(
            f"at the pace of {counted(figures['trial']['matches'], 'trial match')}: {_told(figures['trial'])}"
        )
    fits = figures["within"]
    if fits is None:
        return
    pace = fits["rounds_at_trial_pace"]
    at_pace = "" if pace is None else f", {pace} at the trial pace"
    click.echo(
        f"within {duration(fits['within_s'])}: {counted(fits['rounds_at_worst'], 'round')} at worst{at_pace}"
    )
    longest, contest = fits["longest_time_s"], fits["contest_budget_s"]
    if not longest:
        click.echo(f"{counted(rounds, 'round')} do not fit at worst, however little time the players have")
        return
    each = f"{duration(longest)} a {'command' if fits['per_request'] else 'player and match'}"
    if contest is not None:
        more = f"; of the contest's 3 to 15 min take {duration(contest)}"
    elif fits["per_request"]:
        more = ""
    else:
        least = duration(CONTEST_BUDGETS[0] / SECOND)
        more = f", less than the contest's {least}: play fewer rounds, or more matches at once"
    click.echo(f"{counted(rounds, 'round')} fit at worst with {each}{more}")


def _told(lengths: dict[str, float]) -> str:
    match, round_, season = (duration(lengths[f"{name}_s"]) for name in ("match", "round", "season"))
    return f"a match {match}, a round {round_}, the season {season}"
