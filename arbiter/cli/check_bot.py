"""`check-bot`: an author's bot walked through named steps."""

from __future__ import annotations

import os
from pathlib import Path

import click

from arbiter.cli.bots import choose_tier, problems_of_command, read_options
from arbiter.cli.options import format_option, limit_options
from arbiter.cli.output import note, print_json, say
from arbiter.config.limits import WrittenLimits
from arbiter.errors import BotCheckFailed, ConfigError
from arbiter.games import make
from arbiter.players import registered


@click.command("check-bot")
@click.option("--game", "game_name", required=True, help="Which game; `arbiter games` lists them.")
@limit_options("time", "start_time", "memory", "isolation", whose="the bot")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@format_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def check_bot(
    game_name: str, options: tuple[str, ...], style: str, command: tuple[str, ...], **limits: str
) -> None:
    """Try a bot in every way that a tournament will; exit 3 if it fails a required step.

    The words of its COMMAND come after two dashes.

    Example: arbiter check-bot --game planning -- python3 bots/python/planning_greedy.py
    """
    from arbiter.botcheck import Subject
    from arbiter.botcheck import check_bot as steps_of
    from arbiter.table.launcher import Launcher
    from arbiter.table.placement import take_core

    game = make(game_name, read_options(options))
    for message in problems_of_command(command, {}):
        raise ConfigError(f"{' '.join(command)}: {message}")
    limits["isolation"] = choose_tier(limits["isolation"])
    allowed = WrittenLimits(**limits).limits()
    cores = sorted(os.sched_getaffinity(0))
    take_core(cores[os.getpid() % len(cores)])
    launcher = Launcher()
    steps = []
    try:
        for step in steps_of(Subject(game, registered("bot", command, Path()), allowed, launcher)):
            steps.append(step)
            if style == "text":
                say(step.text())
    finally:
        launcher.close()
    failed = [step for step in steps if step.fails]
    if style == "json":
        shape = {"ok": not failed, "game": game.name, "isolation": allowed.isolation}
        print_json({**shape, "steps": [step.to_json() for step in steps]})
    if advice := ", ".join(step.name for step in steps if step.ok is False and not step.required):
        note(f"no match under these terms comes to {advice}: advice, not a failure")
    if failed:
        names = ", ".join(step.name for step in failed)
        raise BotCheckFailed(f"the bot failed {names}; first {failed[0].name}: {failed[0].detail}")
