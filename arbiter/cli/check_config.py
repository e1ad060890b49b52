"""`check-config`, `config`, `games`, `isolation`: inspect settings, games and machine; play nothing."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import config_argument, format_option, season_options
from arbiter.cli.output import note, print_json, print_table, say
from arbiter.errors import ConfigError, ProviderOutage, StoreError
from arbiter.text import counted

if TYPE_CHECKING:
    from arbiter.season.config import Config


@click.command("check-config")
@config_argument
@click.option("--ask", is_flag=True, help="Ask each language model for a decision, and try its settings.")
@format_option
def check_config(config: str, ask: bool, style: str) -> None:
    """Check a season file without playing.

    Example: arbiter check-config configs/demo.yaml
    """
    from arbiter.cli.open_season import apply_begun_settings
    from arbiter.season.config import load
    from arbiter.season.config.readable_secrets import check_bot_access

    checked = load(config, check_commands=True, check_store=True, check_secrets=True)
    check_bot_access(checked)
    rule = apply_begun_settings(checked).after_fault
    for warning in checked.warnings:
        note(warning)
    players = [entry.player.name for entry in checked.entries]
    asked = []
    if ask:
        from arbiter.cli.asked_models import ask_models, print_asked_model

        asked = ask_models(checked)
    if style == "json":
        print_json(
            {
                "ok": True,
                "season": checked.season,
                "game": checked.game.name,
                "players": players,
                "rounds": checked.rounds,
                "store": checked.store,
                "digest": checked.digest,
                "after_fault": rule,
                "warnings": list(checked.warnings),
                **({"asked": asked} if ask else {}),
            }
        )
    else:
        size = f"{counted(len(players), 'player')}, {counted(checked.rounds, 'round')}"
        say(f"{config}: ok: {checked.game.title}, {size}")
        if checked.submissions is not None or rule != "end":
            say(f"after_fault: {rule}, {_after_fault_reason(checked, rule)}")
        for model in asked:
            print_asked_model(model)
    if failed := [model for model in asked if model["outage"]]:
        raise ProviderOutage("; ".join(f"{model['player']}: {model['outage']}" for model in failed))


def _after_fault_reason(config: Config, rule: str) -> str:
    if "after_fault" not in config.left_open:
        return "as in the file"
    if rule != config.after_fault:
        return "as in the season's last round, since the file leaves it open"
    if rule == "substitute":
        return "since authors submit: a friend's fault must not decide which of their results count"
    return "the contest's rule, as no house bot can substitute"


@click.command()
@format_option
def games(style: str) -> None:
    """List the games, their options, and the bots that come with them.

    Example: arbiter games
    """
    from arbiter.games import find, names
    from arbiter.games.samples import bot_names

    found = [find(name) for name in names()]
    if style == "json":
        print_json(
            [
                {
                    "name": game.name,
                    "title": game.title,
                    "options": dict(game.option_help),
                    "bots": bot_names(game.name),
                }
                for game in found
            ]
        )
        return
    rows = []
    for game in found:
        for number, (option, text) in enumerate((game.option_help or {"": ""}).items()):
            rows.append([*([game.name, game.title] if number == 0 else ["", ""]), option, text])
    print_table(["game", "title", "option", "meaning"], rows, left=range(4))
    for game in found:
        if bots := bot_names(game.name):
            say(f"{game.name}: the bots {', '.join(bots)}, by name in place of a command")


@click.command()
@click.option(
    "--explain", "call", metavar="CALL", help="Show whether a bot may make this system call, and why."
)
@format_option
def isolation(call: str | None, style: str) -> None:
    """Show how well this machine can isolate bots.

    Example: arbiter isolation --explain socket
    """
    from arbiter.sandbox.tiers import choose, control_groups, probe, stage

    if call is not None:
        _print_call_policy(call, style)
        return
    tiers, (default, _) = probe() | {"stage": stage(), "cgroup": control_groups()}, choose("auto")
    if style == "json":
        shapes = {name: asdict(tier) for name, tier in tiers.items()}
        print_json({"tiers": shapes, "default": default})
        return
    marks = {default: "default", "stage": "beneath all but plain", "cgroup": "on top of each"}
    rows = [
        [name, "yes" if tier.available else "no", marks.get(name, ""), tier.reason]
        for name, tier in tiers.items()
    ]
    print_table(["tier", "available", "", "why not"], rows, left=range(4))
    stage_of_default = tiers["stage"].enforces if tiers["stage"].available and default != "plain" else {}
    for what, how in {**tiers[default].enforces, **stage_of_default, **tiers["cgroup"].enforces}.items():
        say(f"{default}: {what.replace('_', ' ')}: {_enforcement_text(how)}")


def _print_call_policy(call: str, style: str) -> None:
    from arbiter.sandbox.explained import explain

    try:
        found = explain(call)
    except KeyError:
        message = f"--explain {call}: unknown system call"
        raise ConfigError(message, hint="names are those of man 2 syscalls, such as openat") from None
    if style == "json":
        print_json({"call": call, "tiers": {"landlock": found}})
        return
    say(f"landlock: {found}")
    say("plain: allowed, as is every call")


def _enforcement_text(how: object) -> str:
    return {True: "yes", False: "not enforced"}[how] if isinstance(how, bool) else str(how)


@click.command("config")
@click.option("--stored", is_flag=True, help="Print the settings of a played round, from the store.")
@click.option(
    "--round", "number", type=click.IntRange(min=1), help="The round, with --stored.  [default: the last]"
)
@season_options
def config(config: str, stored: bool, number: int | None, store_url: str | None) -> None:
    """Print a season's settings, current or of a past round.

    All defaults are included, and `run-round` accepts this YAML from any folder. Keys that may change
    freely, such as `rounds`, are printed as in the file. A seed that is not in the file is not printed.

    Example: arbiter config configs/demo.yaml
    """
    from arbiter.season.config.writer import config_text

    if stored:
        found = _load_stored(config, store_url, number)
    elif number is not None or store_url is not None:
        raise ConfigError("--round and --store need --stored")
    else:
        from arbiter.season.config import load

        found = load(config)
    click.echo(config_text(found), nl=False)


def _load_stored(path: str, store_url: str | None, number: int | None) -> Config:
    """Load the stored config of a round, by default of the last; ConfigError or StoreError if missing."""
    from arbiter.cli.open_season import open_stored
    from arbiter.season.administration import unknown_round
    from arbiter.season.config import as_it_was
    from arbiter.store.address import resolve_address

    given, season = open_stored(path, store_url)
    rounds = season.rounds()
    if not rounds:
        raise ConfigError(f"{season.name} has no rounds yet", path, "arbiter run-round plays the first")
    if number is not None and number > len(rounds):
        raise unknown_round(number, len(rounds))
    stored = rounds[-1 if number is None else number - 1]
    settings = season.settings(stored.digest)
    found = None if settings is None else as_it_was(given, settings)
    if found is None:
        raise StoreError(f"the settings of round {stored.number} of {season.name} are not stored")
    return replace(
        found,
        seed=given.seed if given.seed == season.seed else "auto",
        store=resolve_address(store_url, Path.cwd()) if store_url else given.store,
    )
