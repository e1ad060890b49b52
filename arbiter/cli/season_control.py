"""`status`, `stop`, `pause`, `resume`, `accept`: control a season while it is played."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from arbiter.cli.open_season import read_state
from arbiter.cli.options import season_options, season_output_options
from arbiter.cli.output import note, print_json, say, time_text
from arbiter.errors import ConfigError
from arbiter.season.consent import record_deadlines, require_consent_now
from arbiter.season.snapshot import season_figures
from arbiter.store.audit import CONSOLE
from arbiter.store.controls import STOP
from arbiter.text import counted

if TYPE_CHECKING:
    from arbiter.season.snapshot.schema import VoidPlays

LOOK_SECONDS = 0.2
"""Interval of polling: short for a user who waits, and cheap for the store."""
MOST_NAMED = 4
"""Number of players that the line about voids names: those of one table."""


@click.command()
@season_output_options
def status(config: str, store_url: str | None, style: str) -> None:
    """Show the progress of a season and who plays it.

    Example: arbiter status configs/demo.yaml
    """
    state = read_state(config, store_url)
    shape = season_figures.status(state)
    if style == "json":
        print_json(shape)
        return
    complete, until = shape["complete"], state.file.until
    of = f"{complete} of {state.file.rounds} rounds"
    known = complete <= state.file.rounds and until is None
    say(f"{state.name}: {of if known else counted(complete, 'round')} complete")
    if begun := shape["round"]:
        say(f"round {begun['round']}: {begun['stored']} of {begun['matches']} matches stored")
    if state.following is not None:
        say(f"round {state.following.number} is due at {time_text(state.following.begins)}")
    if until is not None and state.closed is None and state.seed is None:
        say(f"no round begins that would not end before {time_text(until)}")
    if state.frozen is not None:
        say(f"results after round {state.frozen} are hidden from the public until the season is over")
    if shape["annulled"]:
        again = f", {shape['to_replay']} to be replayed" if shape["to_replay"] else ""
        say(f"{counted(shape['annulled'], 'match')} annulled{again}")
    if voids := voids_in_words(shape["voids"]):
        say(f"{voids} (docs/explanation/exceptional-situations.md)")
    if waiting := state.stored.clarifications.open():
        say(f"{counted(waiting, 'question')} without an answer (arbiter questions list)")
    for name, reason in shape["suspended"].items():
        say(f"suspended: {name}: {reason}")
    for what, since in (("paused", state.paused), ("closed", state.closed)):
        if since is not None:
            say(f"{what} since {since}")
    if shape["asks"] is not None:
        say(f"to be accepted before it continues (arbiter accept): {shape['asks']}")
    stopping = ", which was asked to stop" if state.holder and state.stopping else ""
    say(f"played by {state.holder}{stopping}" if state.holder else "not being played")


def voids_in_words(voids: VoidPlays) -> str:
    """Name the players in most void matches: ``3 of 3 voids in matches of eve``; "" without voids."""
    named = list(voids["players"].items())
    most = [name for name, number in named[:MOST_NAMED] if number == named[0][1]]
    if not most:
        return ""
    more = ", ..." if len(named) > MOST_NAMED and named[MOST_NAMED][1] == named[0][1] else ""
    return f"{named[0][1]} of {counted(voids['all'], 'void')} in matches of {', '.join(most)}{more}"


@click.command()
@season_options
def pause(config: str, store_url: str | None) -> None:
    """Pause a season until it is resumed.

    Matches in flight are finished. A site that plays it (`serve --play`) stays up.

    Example: arbiter pause configs/demo.yaml
    """
    season = read_state(config, store_url).stored
    if (since := season.running.read().paused) is not None:
        note(f"{season.name} is paused since {since}")
    season.running.pause(CONSOLE)


@click.command()
@season_options
def resume(config: str, store_url: str | None) -> None:
    """Resume a paused or stopped season.

    This includes a season that stopped with an error. A site that plays it (`serve --play`) continues by
    itself; otherwise use `run-season`.

    Example: arbiter resume configs/demo.yaml
    """
    season = read_state(config, store_url).stored
    if season.running.read().paused is None and (who := season.holder()) is not None:
        note(f"{who} plays {season.name} already; it reads the calendar in the file before each round")
    season.running.resume(CONSOLE)


@click.command()
@season_options
def accept(config: str, store_url: str | None) -> None:
    """Accept the changes in a season file.

    This is what --accept-changes does for a run. A moved deadline (`until`, also of `submissions`) counts
    without it; its old and new time are printed and go into the audit log. A site that plays the season
    (`serve --play`) applies the changes by itself; matches in flight are finished under the old settings.

    Example: arbiter accept configs/demo.yaml
    """
    from arbiter.cli.bot_arguments import load_to_play
    from arbiter.season.settings import open_to_read

    settled = load_to_play(config, store_url)
    season = open_to_read(config, store_url)[1]
    moved = record_deadlines(settled, season)
    for what in moved:
        say(f"deadline moved: {what}")
    try:
        require_consent_now(settled, season)
    except ConfigError:
        say(f"accepted: {season.running.accept(CONSOLE)}")
    else:
        if not moved:
            note(f"{season.name}: nothing to accept")
        return
    if (who := season.holder()) is not None:
        # The coordinator read the file when it began.
        season.ask_to_stop()
        note(f"asked {who} to stop after the matches in flight; a site then continues by itself")


@click.command()
@click.option("--wait", is_flag=True, help="Wait until it has stopped.")
@season_options
def stop(config: str, wait: bool, store_url: str | None) -> None:
    """Stop a season after the matches in flight.

    They are finished and stored; then the command that plays the season exits with 130. Run it again to
    continue. A site that plays it stays up: continue with `arbiter resume`.

    Example: arbiter stop configs/demo.yaml --wait
    """
    season = read_state(config, store_url).stored
    who = season.holder()
    if who is None:
        note(f"{season.name} is not being played")
        return
    season.audit.add(CONSOLE, STOP, "")
    season.ask_to_stop()
    note(f"asked {who} to stop after the matches in flight")
    while wait and season.holder() is not None:
        time.sleep(LOOK_SECONDS)
