"""`qualify`: every player of a season tried before it plays."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from arbiter.cli.bots import prepare
from arbiter.cli.options import config_argument, format_option
from arbiter.cli.output import counted, note, print_json, say
from arbiter.errors import BotCheckFailed, NoStore
from arbiter.executors import processes
from arbiter.store import Store
from arbiter.text import first_few

if TYPE_CHECKING:
    from arbiter.config import Config


@click.command()
@config_argument
@click.option("--player", "players", multiple=True, help="Only this one; may be repeated.")
@format_option
def qualify(config: str, players: tuple[str, ...], style: str) -> None:
    """Walk every player, house bots too, through the steps of check-bot; exit 3 if one fails.

    Each is tried under the season's own limits, isolation, env and read. Steps that no match of the season
    comes to are advice. Nothing is kept: with `qualify: true` in CONFIG a run does the same before a
    player's first round, and suspends who fails.

    Example: arbiter qualify configs/demo.yaml --player greedy
    """
    from arbiter.season.qualify import AT_ONCE, chosen, try_players

    settled = prepare(config)
    verdicts = []
    with processes(AT_ONCE) as executor:
        for verdict in try_players(settled, chosen(settled, players), executor):
            verdicts.append(verdict)
            if style == "text":
                say(verdict.text())
    passed = [verdict.player for verdict in verdicts if verdict.failed is None]
    for line in _ways_back(settled, passed):
        note(line)
    failed = [verdict.player for verdict in verdicts if verdict.failed is not None]
    if style == "json":
        shapes = [verdict.to_json() for verdict in verdicts]
        print_json({"season": settled.season, "ok": not failed, "players": shapes})
    if failed:
        raise BotCheckFailed(
            f"{len(failed)} of {counted(len(verdicts), 'player')} failed: {first_few(failed)}"
        )


def _ways_back(config: Config, passed: list[str]) -> list[str]:
    """How players that passed come back who are suspended since they failed; none where no store is yet."""
    from arbiter.season.qualify import ways_back

    try:
        with closing(Store(config.store, create=False)) as store:
            stored = store.season(config.season)
            return [] if stored is None else list(ways_back(config, stored, passed))
    except NoStore:
        return []
