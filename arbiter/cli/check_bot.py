"""`check-bot`: an author's bot walked through named steps."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.bots import choose_tier, problems_of_command, read_options
from arbiter.cli.entries import config_option, read_entries
from arbiter.cli.options import OF_SEASON, format_option, limit_options
from arbiter.cli.output import note, print_json, say
from arbiter.config.limits import USUAL, changed
from arbiter.errors import BotCheckFailed, ConfigError
from arbiter.games import make
from arbiter.players import reading_problem, registered

if TYPE_CHECKING:
    from arbiter.match import Limits, Player
    from arbiter.rules import AnyGame


@click.command("check-bot")
@click.option("--game", "game_name", help="Which game; `arbiter games` lists them.")
@config_option
@click.option("--player", "name", help="With --config: whose command, under the season's limits.")
@limit_options("time", "start_time", "memory", "isolation", whose="the bot", unset=OF_SEASON)
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option(
    "--read", "read", multiple=True, metavar="PATH", help="What it may read besides its own folder."
)
@format_option
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def check_bot(
    game_name: str | None,
    config_file: str | None,
    name: str | None,
    options: tuple[str, ...],
    read: tuple[str, ...],
    style: str,
    command: tuple[str, ...],
    **limits: str | None,
) -> None:
    """Try a bot in every way that a tournament will; exit 3 if it fails a required step.

    The words of its COMMAND come after two dashes; or --config CONFIG --player NAME tries an entry of a
    season as it stands there. Steps that no match of the season comes to are advisory.

    Example: arbiter check-bot --game planning -- python3 bots/python/planning_greedy.py
    """
    from arbiter.botcheck import Subject
    from arbiter.botcheck import check_bot as steps_of
    from arbiter.table.launcher import Launcher
    from arbiter.table.placement import take_core

    if config_file is not None:
        if name is None or command or game_name is not None:
            raise ConfigError(
                "--config takes the command and the game from the season's file",
                hint="write --config CONFIG --player NAME, without --game and COMMAND",
            )
        game, player, allowed = _entered(config_file, name, options, limits)
    else:
        if name is not None:
            raise ConfigError("--player names an entry of a season's file", hint="add --config CONFIG")
        if game_name is None or not command:
            raise ConfigError("what is to be tried: --game G -- COMMAND, or --config CONFIG --player NAME")
        game, player, allowed = _written(game_name, command, options, limits)
    if missing := [path for path in read if not os.path.exists(path)]:  # noqa: PTH110
        raise ConfigError(f"--read {missing[0]}: there is no such file or folder")
    if problem := reading_problem(read):
        raise ConfigError(f"--{problem}")
    player = replace(player, read=(*player.read, *map(os.path.abspath, read)))
    cores = sorted(os.sched_getaffinity(0))
    take_core(cores[os.getpid() % len(cores)])
    launcher = Launcher()
    steps = []
    try:
        for step in steps_of(Subject(game, player, allowed, launcher)):
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


def _entered(
    path: str, name: str, options: tuple[str, ...], written: dict[str, str | None]
) -> tuple[AnyGame, Player, Limits]:
    """A player of a season, with the season's game and limits where nothing else is given."""
    config, (entry,) = read_entries(path, [name], written)
    given = read_options(options)
    game = make(config.game.name, {**config.game.options, **given}) if given else config.game
    return game, entry.player, config.limits


def _written(
    game_name: str, command: tuple[str, ...], options: tuple[str, ...], written: dict[str, str | None]
) -> tuple[AnyGame, Player, Limits]:
    """A player from the words of a command line."""
    game = make(game_name, read_options(options))
    for message in problems_of_command(command, {}):
        raise ConfigError(f"{' '.join(command)}: {message}")
    limits = changed(USUAL.limits(), **written)
    tier = choose_tier(limits.isolation)
    return game, registered("bot", command, Path()), replace(limits, isolation=tier)
