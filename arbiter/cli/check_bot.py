"""`check-bot` and `qualify`: bots walked through named steps."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.bot_arguments import (
    config_option,
    prepare,
    problems_of_command,
    read_entries,
    read_options,
    with_tier,
)
from arbiter.cli.options import (
    OF_SEASON,
    config_argument,
    format_option,
    game_key_option,
    game_option,
    limit_options,
)
from arbiter.cli.output import note, print_json, say
from arbiter.errors import BotCheckFailed, ConfigError, NoStore
from arbiter.games import make
from arbiter.match.limits import USUAL, override_limits
from arbiter.sandbox.player_command import reading_problem, registered
from arbiter.text import counted, first_few

if TYPE_CHECKING:
    from arbiter.season.config import Config


@click.command("check-bot")
@game_option
@config_option
@click.option("--player", "name", help="With --config: whose command, under the season's limits.")
@limit_options("time", "start_time", "memory", "isolation", whose="the bot", unset=OF_SEASON)
@game_key_option
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
    from arbiter.sandbox.cpu_affinity import take_core
    from arbiter.sandbox.launcher import Launcher
    from arbiter.trials.botcheck import Subject
    from arbiter.trials.botcheck import check_bot as steps_of

    given = read_options(options)
    if config_file is not None:
        if name is None or command or game_name is not None:
            raise ConfigError(
                "--config takes the command and the game from the season's file",
                hint="write --config CONFIG --player NAME, without --game and COMMAND",
            )
        config, (player,) = read_entries(config_file, [name], limits, given)
        game, allowed = config.game, config.limits
    else:
        if name is not None:
            raise ConfigError("--player names an entry of a season's file", hint="add --config CONFIG")
        if game_name is None or not command:
            raise ConfigError("what is to be tried: --game G -- COMMAND, or --config CONFIG --player NAME")
        game = make(game_name, given)
        for message in problems_of_command(command, {}):
            raise ConfigError(f"{' '.join(command)}: {message}")
        player = registered("bot", command, Path())
        allowed = with_tier(override_limits(USUAL.limits(), **limits))
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
    from arbiter.table.executors import processes
    from arbiter.trials.qualify import AT_ONCE, check_players, find_entries

    settled = prepare(config)
    verdicts = []
    with processes(AT_ONCE) as executor:
        for verdict in check_players(settled, find_entries(settled, players), executor):
            verdicts.append(verdict)
            if style == "text":
                say(verdict.text())
    passed = [verdict.player for verdict in verdicts if verdict.failed is None]
    _tell_ways_back(settled, passed)
    failed = [verdict.player for verdict in verdicts if verdict.failed is not None]
    if style == "json":
        shapes = [verdict.to_json() for verdict in verdicts]
        print_json({"season": settled.season, "ok": not failed, "players": shapes})
    if failed:
        raise BotCheckFailed(
            f"{len(failed)} of {counted(len(verdicts), 'player')} failed: {first_few(failed)}"
        )


def _tell_ways_back(config: Config, passed: list[str]) -> None:
    """Say how players that passed come back who are suspended since they failed."""
    from arbiter.store import Store
    from arbiter.trials.qualify import reinstatement_hints

    with suppress(NoStore), closing(Store(config.store, create=False)) as store:
        if (stored := store.season(config.season)) is not None:
            for line in reinstatement_hints(config, stored, passed):
                note(line)
