"""`gauntlet`: one player of a season against the others, unrated."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.options import programs_option, season_output_options, workers_option
from arbiter.cli.output import note, print_result, print_table, say
from arbiter.errors import BotCheckFailed, NoStore
from arbiter.text import counted, faults_text, interval_text, number

if TYPE_CHECKING:
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.table.executors import Slots
    from arbiter.trials.gauntlet import Gauntlet


@click.command()
@click.option("--player", required=True, metavar="NAME", help="The player that meets the others.")
@click.option(
    "--against",
    multiple=True,
    metavar="NAME",
    help="An opponent, may be a house bot; may be repeated.  [default: all but house bots]",
)
@click.option("--rounds", type=click.IntRange(min=1), default=10, show_default=True, help="Rounds in all.")
@click.option("--strict", is_flag=True, help="Exit 3 if the player made a fault.")
@click.option("--fresh", is_flag=True, help="Start over, even if begun or done before.")
@programs_option
@workers_option
@season_output_options
def gauntlet(
    config: str,
    player: str,
    against: tuple[str, ...],
    rounds: int,
    strict: bool,
    fresh: bool,
    accept_changes: bool,
    workers: int | None,
    store_url: str | None,
    style: str,
) -> None:
    """Play one player against all others, unrated.

    In each round it meets every opponent in all seats, on the same deals; its Elo is printed after each. The
    matches do not count in the season. Run the same command again to continue; a larger --rounds adds rounds.

    Example: arbiter gauntlet configs/demo.yaml --player greedy --rounds 2
    """
    from arbiter.cli.bot_arguments import load_to_play
    from arbiter.cli.open_season import with_roster
    from arbiter.season.config.readable_secrets import check_bot_access
    from arbiter.store import Store
    from arbiter.table.executors import processes, slots
    from arbiter.trials.gauntlet import Gauntlet

    settled = with_roster(load_to_play(config, store_url))
    check_bot_access(settled)
    chosen = Gauntlet.of(settled, player, against)
    for text in chosen.notes:
        note(text)
    standings = _season_standings(settled, config)
    with closing(Store(settled.store)) as store:
        chosen = chosen.resume(store, rounds, fresh, accept_changes, note)
        with store.hold(chosen.name), processes(slots(workers or settled.workers)) as executor:
            found = _play(chosen, chosen.open(store), executor, rounds, standings)
    print_result(style, found, lambda: _print_result(found))
    if strict and found["faults"]:
        raise BotCheckFailed(f"{chosen.player} made faults: {faults_text(found['faults'])}")


def _season_standings(settled: Config, path: str) -> dict[str, Any] | None:
    """Load the standings after the season's last complete round, or compute them; None before its first.

    None also without a store; `path` is the season's file, `settled` its config.
    """
    from arbiter.season.config import load
    from arbiter.season.season import Season
    from arbiter.store import Store

    try:
        with closing(Store(load(path).store, create=False)) as store:
            stored = store.season(settled.season)
            complete = [] if stored is None else [known.number for known in stored.rounds() if known.complete]
            if stored is None or not complete:
                return None
            return stored.standings(complete[-1]) or Season(settled, stored).results.standings(complete[-1])
    except NoStore:
        return None


def _play(
    chosen: Gauntlet, stored: SeasonStore, executor: Slots, rounds: int, standings: dict[str, Any] | None
) -> dict[str, Any]:
    """Play the missing matches of all rounds, print the outcome after each, and return the last."""
    from arbiter.cli.progress import Bar, stored_matches
    from arbiter.trials.gauntlet import gauntlet_result
    from arbiter.trials.regression.own_season import play_blocks

    stored.ask_to_stop(False)
    if there := len(stored.summaries(rounds)):
        note(f"continuing: {counted(there, 'match')} from the store ({stored.name})")
    with Bar() as bar:
        for played in range(1, rounds + 1):
            every, there = len(chosen.specs(stored.seed, played)), len(stored.match_ids(played))
            if there == every:
                continue
            bar.show(f"round {played} of {rounds}", every, there)
            for match in stored_matches(play_blocks(stored, [chosen.specs(stored.seed, played)], executor)):
                bar.show_match(match.summary)
            bar.close()
            result = gauntlet_result(chosen, stored.summaries(played), standings)
            note(f"round {played} of {rounds}: {_result_line(result)}")
    return gauntlet_result(chosen, stored.summaries(rounds), standings)


def _result_line(found: dict[str, Any]) -> str:
    """``Elo +12.3 (95 %: -4.5 to +29.1), 48 matches, 512 points, no faults``."""
    faults = faults_text(found["faults"]) or "no faults"
    return f"{_elo_text(found)}, {counted(found['matches'], 'match')}, {found['points']:g} points, {faults}"


def _elo_text(found: dict[str, Any]) -> str:
    if found["elo"] is None:
        return "no rating yet"
    return "Elo " + interval_text(found["elo"], found["low"], found["high"])


def _print_result(found: dict[str, Any]) -> None:
    say(f"{found['player']}: {found['game']}, {counted(found['rounds'], 'round')}: {_result_line(found)}")
    rows = []
    for row in found["opponents"]:
        score = "-" if row["score"] is None else f"{100 * row['score']:.1f} %"
        counts = [row[key] for key in ("matches", "wins", "draws", "losses")]
        rows.append([row["player"], number(row["elo"], 1), *counts, score, row["faults"]])
    print_table(["against", "Elo", "matches", "won", "drawn", "lost", "score", "its faults"], rows)
    where = "from the season, taken as exact" if found["anchored"] else "fitted here, with mean 0"
    say(f"ratings of the others: {where}")
