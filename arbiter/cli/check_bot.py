"""`check-bot` and `qualify`: test bots step by step."""

from __future__ import annotations

import os
import shlex
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.bot_arguments import (
    config_option,
    load_to_play,
    problems_of_command,
    read_entries,
    read_options,
    shipped_hint,
    split_command,
    with_isolation,
)
from arbiter.cli.interpreter import differences, interpreter_of, site_versions
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
from arbiter.sandbox.player_command import reading_problem, register
from arbiter.text import counted, first_few

if TYPE_CHECKING:
    from arbiter.season.config import Config


@click.command("check-bot")
@game_option
@config_option
@click.option("--player", "name", help="With --config: the player to test, under the season's limits.")
@limit_options("time", "start_time", "memory", "isolation", whose="the bot", unset=OF_SEASON)
@game_key_option
@click.option(
    "--read", "read", multiple=True, metavar="PATH", help="A path it may read besides its own folder."
)
@click.option(
    "--site-version",
    "versions",
    multiple=True,
    metavar="WORD=VERSION",
    help="The site's interpreter, such as python3=3.11.2: warn if another runs here.",
)
@format_option
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def check_bot(
    game_name: str | None,
    config_file: str | None,
    name: str | None,
    options: tuple[str, ...],
    read: tuple[str, ...],
    versions: tuple[str, ...],
    style: str,
    command: tuple[str, ...],
    **limits: str | None,
) -> None:
    """Test a bot for everything a tournament requires.

    Exit 3 if it fails a required step. Give its COMMAND after two dashes, or an entry of a season with
    --config CONFIG --player NAME. Steps that cannot occur under these settings are advisory.

    Example: arbiter check-bot --game planning -- python3 bots/python/planning_greedy.py
    """
    from arbiter.sandbox.cpu_affinity import take_core
    from arbiter.sandbox.launcher import Launcher
    from arbiter.trials.botcheck import Subject
    from arbiter.trials.botcheck import check_bot as steps_of

    given, expected = read_options(options), site_versions(versions)
    programs: dict[str, str] = {}
    if config_file is not None:
        if name is None or command or game_name is not None:
            raise ConfigError(
                "--config takes the command and the game from the season's file",
                hint="write --config CONFIG --player NAME, without --game and COMMAND",
            )
        config, (player,) = read_entries(config_file, [name], limits, given)
        game, allowed = config.game, config.limits
        programs = {word: language.program for word, language in config.languages.items()}
    else:
        if name is not None:
            raise ConfigError("--player names an entry of a season's file", hint="add --config CONFIG")
        if game_name is None or not command:
            raise ConfigError("expected --game G -- COMMAND, or --config CONFIG --player NAME")
        game = make(game_name, given)
        if len(command) == 1:
            # The name of a bot that comes with the game; a path may contain blanks.
            command = (*split_command(shlex.quote(command[0]), command[0], game.name).words,)
        for message in problems_of_command(command, {}):
            raise ConfigError(f"{' '.join(command)}: {message}", hint=shipped_hint(command, game.name))
        player, allowed = (
            register("bot", command, Path()),
            with_isolation(override_limits(USUAL.limits(), **limits)),
        )
    if missing := [path for path in read if not os.path.exists(path)]:  # noqa: PTH110
        raise ConfigError(f"--read {missing[0]}: no such file or folder")
    if problem := reading_problem(read):
        raise ConfigError(f"--{problem}")
    player = replace(player, read=(*player.read, *map(os.path.abspath, read)))
    cores = sorted(os.sched_getaffinity(0))
    take_core(cores[os.getpid() % len(cores)])
    here = interpreter_of(player)
    if here is not None and style == "text":
        say(f"interpreter: {here.text()}")
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
        interpreter = None if here is None else here._asdict()
        print_json({**shape, "interpreter": interpreter, "steps": [step.to_json() for step in steps]})
    for text in () if here is None else differences(here, expected, programs):
        note(text)
    if advice := ", ".join(step.name for step in steps if step.ok is False and not step.required):
        note(f"{advice}: not needed under these settings: advice, not a failure")
    if failed:
        names = ", ".join(step.name for step in failed)
        raise BotCheckFailed(f"the bot failed {names}; first {failed[0].name}: {failed[0].detail}")


@click.command()
@config_argument
@click.option("--player", "players", multiple=True, help="Test only this player; may be repeated.")
@format_option
def qualify(config: str, players: tuple[str, ...], style: str) -> None:
    """Run check-bot for every player of a season.

    Exit 3 if one fails. House bots are tested, too. Each player has the season's limits, isolation, env and
    read. Steps that cannot occur in the season are advisory. Nothing is stored: with `qualify: true` in
    CONFIG, each player is tested before its first round, and suspended if it fails.

    Example: arbiter qualify configs/demo.yaml --player greedy
    """
    from arbiter.table.executors import processes
    from arbiter.trials.qualify import AT_ONCE, check_players, find_entries

    settled = load_to_play(config)
    verdicts = []
    with processes(AT_ONCE) as executor:
        for verdict in check_players(settled, find_entries(settled, players), executor):
            verdicts.append(verdict)
            if style == "text":
                say(verdict.text())
    passed = [verdict.player for verdict in verdicts if verdict.failed is None]
    _print_ways_back(settled, passed)
    failed = [verdict.player for verdict in verdicts if verdict.failed is not None]
    if style == "json":
        shapes = [verdict.to_json() for verdict in verdicts]
        print_json({"season": settled.season, "ok": not failed, "players": shapes})
    if failed:
        raise BotCheckFailed(
            f"{len(failed)} of {counted(len(verdicts), 'player')} failed: {first_few(failed)}"
        )


def _print_ways_back(config: Config, passed: list[str]) -> None:
    """Print how to reinstate players that passed and are suspended because they failed before."""
    from arbiter.store import Store
    from arbiter.trials.qualify import reinstatement_hints

    with suppress(NoStore), closing(Store(config.store, create=False)) as store:
        if (stored := store.season(config.season)) is not None:
            for line in reinstatement_hints(config, stored, passed):
                note(line)
