"""`request`: request unrated matches of a version from a site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.authors import token_of, token_option
from arbiter.cli.options import format_option
from arbiter.cli.output import note, print_json, say
from arbiter.errors import BotCheckFailed
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command()
@click.argument("url")
@click.argument("kind", type=click.Choice(["match", "gauntlet", "regress"]))
@click.option("--season", required=True, help="The season's name on the site.")
@click.option(
    "--version", type=click.IntRange(min=1), required=True, help="The number of your version that plays."
)
@click.option("--against", multiple=True, metavar="NAME", help="A player, or a version as NAME@VERSION.")
@click.option(
    "--deals", "deals_file", type=click.Path(), help="JSON file with the deals of a match, or a match record."
)
@click.option("--matches", type=click.IntRange(min=1), help="Maximum number of matches.")
@token_option
@click.option("--no-wait", is_flag=True, help="Do not wait for the result.")
@format_option
def request(
    url: str,
    kind: str,
    season: str,
    version: int,
    against: tuple[str, ...],
    deals_file: str | None,
    matches: int | None,
    token_file: Path | None,
    no_wait: bool,
    style: str,
) -> None:
    """Request unrated matches of your version from a site.

    The command waits for the result. match: one table, in all seats on the same deals. gauntlet: all other
    players in turn. regress: test whether the version is better than the one of --against. Exit 0: played; 3:
    refused or cancelled; 2: invalid request; 1: the site does not answer.

    Example: arbiter request http://127.0.0.1:8000/ match --season demo --version 2 --against greedy
    """
    from arbiter.cli.bot_arguments import extract_deals
    from arbiter.cli.options import read_json
    from arbiter.contest.submissions.client import Site

    wish: dict[str, Any] = {"kind": kind, "version": version, "against": list(against)}
    if deals_file is not None:
        wish["deals"] = list(extract_deals(read_json(deals_file), deals_file))
    if matches is not None:
        wish["matches"] = matches
    site = Site(url, season, token_of(token_file), "requests")
    found: Mapping[str, Any] = site.ask(wish)
    note(f"request {found['id']}, number {found.get('place')} in the queue, {_eta_text(found)}")
    last: tuple[object, object] = (found.get("state"), 0)
    for looked in () if no_wait else site.states(found["id"]):
        found, now = looked, (looked.get("state"), looked.get("played"))
        if now != last:
            last = now
            note(f"{printable(str(now[0]))}, {now[1]} matches{_eta_text(found, ', ')}")
    if style == "json":
        print_json(dict(found))
    else:
        say(f"{printable(str(found.get('player')))} {printable(str(found.get('say')))}")
        for row in (found.get("outcome") or {}).get("opponents", ()):
            counts = f"{row['wins']} won, {row['draws']} drawn, {row['losses']} lost"
            say(f"  against {printable(str(row['player']))}: {counts}")
    if found.get("state") in ("refused", "cancelled"):
        raise BotCheckFailed(f"request {found['id']} was {found['state']}")


def _eta_text(found: Mapping[str, Any], before: str = "") -> str:
    seconds = found.get("eta_s")
    return "" if seconds is None else f"{before}done in about {seconds:.0f} s"
