"""`status` and `stop`: a season from another terminal while it is played."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import click

from arbiter.cli.opening import look, open_season
from arbiter.cli.options import config_argument, format_option, store_option
from arbiter.cli.output import counted, moment_text, note, print_json, say
from arbiter.errors import ConfigError
from arbiter.season.calendar import next_round
from arbiter.season.consent import consent_now
from arbiter.season.orders import force, suspended_now
from arbiter.season.schedule import matches_of
from arbiter.season.substitutes import number_of_substitutes
from arbiter.store.audit import CONSOLE
from arbiter.store.running import STOP

LOOK_SECONDS = 0.2
"""Between two looks at who plays: short for whoever waits, and cheap for the store."""


@click.command()
@config_argument
@store_option
@format_option
def status(config: str, store_url: str | None, style: str) -> None:
    """How many rounds are complete, how far the one begun is, and who plays it now.

    Example: arbiter status configs/demo.yaml
    """
    found = look(config, store_url)
    season, store = found.season, found.store
    rounds = season.rounds()
    complete = sum(stored.complete for stored in rounds)
    begun = next((stored for stored in rounds if not stored.complete), None)
    planned = matches_of(found.game, begun.tables) if begun else 0
    if begun and (season.settings(begun.digest) or {}).get("after_fault") == "substitute":
        from arbiter.season.settings import config_of

        then = config_of(found.config(), season, begun)
        planned += number_of_substitutes(then, season, begun.number) if then is not None else 0
    holds, running = force(season.orders.read().given), season.running.read()
    over = running.closed is not None or season.seed_told() is not None
    until = None if found.whole is None else found.whole.until
    following = None if found.whole is None else next_round(found.whole, rounds, over, datetime.now(UTC))
    asked = season.running.question() if store.holder(found.name) is None else None
    frozen = season.frozen_after() if found.whole is not None and found.whole.freeze else None
    shape: dict[str, Any] = {
        "season": found.name,
        "rounds": found.rounds,
        "complete": complete,
        "round": begun.number if begun else None,
        "matches": planned,
        "stored": len(season.match_ids(begun.number)) if begun else 0,
        "played_by": store.holder(found.name),
        "stop_asked": season.asked_to_stop(),
        "next": None
        if following is None
        else {"round": following.number, "begins": following.begins.isoformat()},
        "until": None if until is None else until.isoformat(),
        "frozen_after": frozen,
        "paused": running.paused,
        "closed": running.closed,
        "asks": None if asked is None else asked.because,
        "suspended": suspended_now(season, complete),
        "annulled": len(holds.annulled),
        "to_replay": len(holds.to_replay),
    }
    if style == "json":
        print_json(shape)
        return
    of = f"{complete} of {found.rounds} rounds" if complete <= found.rounds and until is None else ""
    say(f"{found.name}: {of or counted(complete, 'round')} complete")
    if begun:
        say(f"round {begun.number}: {shape['stored']} of {shape['matches']} matches stored")
    if following is not None:
        say(f"round {following.number} is due at {moment_text(following.begins)}")
    if until is not None and not over:
        say(f"rounds are begun as long as they end before {moment_text(until)}")
    if frozen is not None:
        say(f"the public sees no results after round {frozen} until the season is over")
    if holds.annulled:
        again = f", {shape['to_replay']} to be played again" if holds.to_replay else ""
        say(f"{counted(len(holds.annulled), 'match')} annulled{again}")
    for name, reason in shape["suspended"].items():
        say(f"suspended: {name}: {reason}")
    for what, since in (("paused", running.paused), ("closed", running.closed)):
        if since is not None:
            say(f"{what} since {since}")
    if asked is not None:
        say(f"to be accepted before it goes on (arbiter accept): {asked.because}")
    stopping = ", which was asked to stop" if shape["played_by"] and shape["stop_asked"] else ""
    say(f"played by {shape['played_by'] or 'nobody now'}{stopping}")


@click.command()
@config_argument
@store_option
def pause(config: str, store_url: str | None) -> None:
    """Let the matches in flight be a season's last ones until it is resumed, whoever plays it.

    Where `serve --play` plays it, the site stays.

    Example: arbiter pause configs/demo.yaml
    """
    season = look(config, store_url).season
    if (since := season.running.read().paused) is not None:
        note(f"{season.name} is paused since {since}")
    season.running.pause(CONSOLE)


@click.command()
@config_argument
@store_option
def resume(config: str, store_url: str | None) -> None:
    """Let a season go on that was paused or stopped, or that ended because somebody had to look at it.

    A site that plays it (`serve --play`) begins again by itself; else `run-season` does.

    Example: arbiter resume configs/demo.yaml
    """
    season = look(config, store_url).season
    if season.running.read().paused is None and (who := season.holder()) is not None:
        note(f"{who} plays {season.name} already")
    season.running.resume(CONSOLE)


@click.command()
@config_argument
@store_option
def accept(config: str, store_url: str | None) -> None:
    """Accept what has changed in a season's file since the last round, as --accept-changes does.

    A site that plays it (`serve --play`) takes it over by itself: matches in flight are played to their end
    under the old settings.

    Example: arbiter accept configs/demo.yaml
    """
    from arbiter.cli.bots import prepare

    settled = prepare(config, store_url)
    season = open_season(config, store_url)[1]
    try:
        consent_now(settled, season)
    except ConfigError:
        say(f"accepted: {season.running.accept(CONSOLE)}")
    else:
        note(f"{season.name}: nothing has to be accepted")
        return
    if (who := season.holder()) is not None:
        # Whoever plays it read the file when it began.
        season.ask_to_stop()
        note(f"asked {who} to stop when the matches in flight are over; a site then begins again by itself")


@click.command()
@config_argument
@click.option("--wait", is_flag=True, help="Return only when nobody plays any more.")
@store_option
def stop(config: str, wait: bool, store_url: str | None) -> None:
    """Ask whoever plays a season to stop: matches in flight are played to their end and stored.

    The one that plays then exits with 130, and the same command goes on later. A site that plays it stays:
    `arbiter resume` lets it begin again.

    Example: arbiter stop configs/demo.yaml --wait
    """
    found = look(config, store_url)
    season, store = found.season, found.store
    who = store.holder(found.name)
    if who is None:
        note(f"nobody plays {found.name} now")
        return
    season.audit.add(CONSOLE, STOP, "")
    season.ask_to_stop()
    note(f"asked {who} to stop when the matches in flight are over")
    while wait and store.holder(found.name) is not None:
        time.sleep(LOOK_SECONDS)
