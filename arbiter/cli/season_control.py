"""`status` and `stop`: a season from another terminal while it is played."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from arbiter.cli.open_season import look, open_season
from arbiter.cli.options import season_options, season_output_options
from arbiter.cli.output import moment_text, note, print_json, say
from arbiter.errors import ConfigError
from arbiter.season.consent import require_consent_now
from arbiter.season.snapshot import season_figures
from arbiter.store.audit import CONSOLE
from arbiter.store.controls import STOP
from arbiter.text import counted

if TYPE_CHECKING:
    from arbiter.season.snapshot.schema import VoidPlays

LOOK_SECONDS = 0.2
"""Between two looks at who plays: short for a user who waits, and cheap for the store."""
MOST_NAMED = 4
"""Players who are named where voids are counted in one line: those of one table."""


@click.command()
@season_output_options
def status(config: str, store_url: str | None, style: str) -> None:
    """Show how many rounds are complete, how far the one begun is, and who plays it now.

    Example: arbiter status configs/demo.yaml
    """
    state = look(config, store_url)
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
        say(f"round {state.following.number} is due at {moment_text(state.following.begins)}")
    if until is not None and state.closed is None and state.seed is None:
        say(f"rounds are begun as long as they end before {moment_text(until)}")
    if state.frozen is not None:
        say(f"the public sees no results after round {state.frozen} until the season is over")
    if shape["annulled"]:
        again = f", {shape['to_replay']} to be played again" if shape["to_replay"] else ""
        say(f"{counted(shape['annulled'], 'match')} annulled{again}")
    if voids := voids_in_words(shape["voids"]):
        say(f"{voids} (docs/explanation/exceptional-situations.md)")
    for name, reason in shape["suspended"].items():
        say(f"suspended: {name}: {reason}")
    for what, since in (("paused", state.paused), ("closed", state.closed)):
        if since is not None:
            say(f"{what} since {since}")
    if shape["asks"] is not None:
        say(f"to be accepted before it goes on (arbiter accept): {shape['asks']}")
    stopping = ", which was asked to stop" if state.holder and state.stopping else ""
    say(f"played by {state.holder or 'nobody now'}{stopping}")


def voids_in_words(voids: VoidPlays) -> str:
    """Who sat in most plays that were void: ``3 of 3 voids in matches of eve``; "" for none."""
    named = list(voids["players"].items())
    most = [name for name, number in named[:MOST_NAMED] if number == named[0][1]]
    if not most:
        return ""
    more = ", ..." if len(named) > MOST_NAMED and named[MOST_NAMED][1] == named[0][1] else ""
    return f"{named[0][1]} of {counted(voids['all'], 'void')} in matches of {', '.join(most)}{more}"


@click.command()
@season_options
def pause(config: str, store_url: str | None) -> None:
    """Let the matches in flight be a season's last ones until it is resumed, here or elsewhere.

    Where `serve --play` plays it, the site stays.

    Example: arbiter pause configs/demo.yaml
    """
    season = look(config, store_url).stored
    if (since := season.running.read().paused) is not None:
        note(f"{season.name} is paused since {since}")
    season.running.pause(CONSOLE)


@click.command()
@season_options
def resume(config: str, store_url: str | None) -> None:
    """Let a season go on that was paused or stopped, or that ended because somebody had to look at it.

    A site that plays it (`serve --play`) begins again by itself; else `run-season` does.

    Example: arbiter resume configs/demo.yaml
    """
    season = look(config, store_url).stored
    if season.running.read().paused is None and (who := season.holder()) is not None:
        note(f"{who} plays {season.name} already; it takes a changed calendar of the file before each round")
    season.running.resume(CONSOLE)


@click.command()
@season_options
def accept(config: str, store_url: str | None) -> None:
    """Accept what has changed in a season's file since the last round, as --accept-changes does.

    A site that plays it (`serve --play`) takes it over by itself: matches in flight are played to their end
    under the old settings.

    Example: arbiter accept configs/demo.yaml
    """
    from arbiter.cli.bot_arguments import prepare

    settled = prepare(config, store_url)
    season = open_season(config, store_url)[1]
    try:
        require_consent_now(settled, season)
    except ConfigError:
        say(f"accepted: {season.running.accept(CONSOLE)}")
    else:
        note(f"{season.name}: nothing has to be accepted")
        return
    if (who := season.holder()) is not None:
        # The coordinator read the file when it began.
        season.ask_to_stop()
        note(f"asked {who} to stop when the matches in flight are over; a site then begins again by itself")


@click.command()
@click.option("--wait", is_flag=True, help="Return only when nobody plays any more.")
@season_options
def stop(config: str, wait: bool, store_url: str | None) -> None:
    """Ask the coordinator of a season to stop: matches in flight are played to their end and stored.

    The one that plays then exits with 130, and the same command goes on later. A site that plays it stays:
    `arbiter resume` lets it begin again.

    Example: arbiter stop configs/demo.yaml --wait
    """
    season = look(config, store_url).stored
    who = season.holder()
    if who is None:
        note(f"nobody plays {season.name} now")
        return
    season.audit.add(CONSOLE, STOP, "")
    season.ask_to_stop()
    note(f"asked {who} to stop when the matches in flight are over")
    while wait and season.holder() is not None:
        time.sleep(LOOK_SECONDS)
