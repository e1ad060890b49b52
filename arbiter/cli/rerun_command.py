"""The command line that replays a match, and the players that can no longer take part."""

from __future__ import annotations

import os
import re
import shlex
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from arbiter.cli.match_text import moves_before_fault
from arbiter.games import make
from arbiter.match.limits import AT_HOME, options_of
from arbiter.match.spec import original
from arbiter.sandbox.landlock import search_path
from arbiter.sandbox.player_command import missing_programs, register
from arbiter.season.config.settings_diff import is_sent, rated_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import Limits, MatchSpec, Player
    from arbiter.store import SeasonStore

_PLAIN = re.compile(r"[a-z][\w.-]*")


def play_command(spec: MatchSpec) -> str:
    """Return the ``arbiter play`` command of a planned match, with paths relative to the current folder."""
    words = ["arbiter", "play", "--game", spec.game, "--seed", spec.seed]
    if spec.round is not None:
        words += ["--round", str(spec.round)]
    usual = make(spec.game, {}).options
    options = [(key, value) for key, value in spec.options.items() if value != usual.get(key)]
    words += chain.from_iterable(("--option", f"{key}={_yaml_line(value)}") for key, value in options)
    words += options_of(spec.limits)
    words += chain.from_iterable(("--bot", _named(player)) for player in spec.players)
    return shlex.join(words)


def replay_command(
    record: MatchRecord, source: str, player: Player | None = None, limits: Limits | None = None
) -> str:
    """Return the ``arbiter console`` command that leads to a fault in a file's record.

    `player` made the fault, under `limits`; None for a record alone, which has no commands.
    """
    words = ["arbiter", "console", "--record", source, "--from", record.id]
    words += ["--until", str(moves_before_fault(record))]
    words += [] if limits is None else options_of(limits, AT_HOME)
    assert record.forfeit is not None, "the match has no forfeit"
    command = "COMMAND" if player is None else _bot_option(player)
    return shlex.join([*words, "--seat", f"{record.forfeit.seat}=bot:{command}"])


def _named(player: Player) -> str:
    """Return a bot's option with its name in front, if the name can be told from a variable."""
    name = original(player.name)
    return f"{name}={_bot_option(player)}" if _PLAIN.fullmatch(name) else _bot_option(player)


def settings_of_match(record: MatchRecord, season: SeasonStore) -> dict[str, Any] | None:
    """Load the settings of a stored match's round; None if they are not stored."""
    digests = {stored.number: stored.digest for stored in season.rounds()}
    return season.settings(digests[record.round]) if record.round in digests else None


def unavailable_players(
    record: MatchRecord, settings: Mapping[str, Any] | None, folder: Path
) -> Iterator[tuple[int, str]]:
    """Yield (seat, reason) for each player of a match who can no longer take part.

    `settings` are those of the match, None if they are not stored; their paths are relative to `folder`.
    """
    players = {} if settings is None else _stored_players(settings, folder)
    for seat, name in enumerate(record.players):
        player = players.get(original(name))
        if record.bots and record.bots[seat].model is not None:
            yield seat, f"{name} is a language model, which plays only in whole matches"
        elif player is None:
            yield seat, f"the command of {name} is unknown: the settings of that round are not stored"
        elif messages := list(missing_programs(player)):
            yield seat, f"the program of {name} is missing: {messages[0]}"


def _stored_players(settings: Mapping[str, Any], folder: Path) -> dict[str, Player]:
    """Return the players of stored settings by rated name, as started now; without models."""
    languages = {
        word: str(folder / language["program"]) for word, language in settings.get("languages", {}).items()
    }
    path, found = search_path((program,) for program in languages.values()), {}
    for player in settings["players"]:
        if "model" in player:
            continue
        name, (first, *words) = rated_name(player["name"], player.get("version")), player["command"]
        command = (languages.get(first, first), *words)
        env = {"PATH": path} if is_sent(player) else {}
        found[name] = register(name, command, folder, env, read=player.get("read", ()))
    return found


def _bot_option(player: Player) -> str:
    env = [f"{key}={value}" for key, value in player.env.items()]
    return shlex.join([*env, *map(_relative, player.command)])


def _relative(word: str) -> str:
    """Make the path of a file below the current folder relative."""
    try:
        return str(Path(word).relative_to(Path.cwd())) if os.path.isabs(word) else word
    except ValueError:
        return word


def _yaml_line(value: object) -> str:
    return yaml.safe_dump(value, default_flow_style=True, width=10**6).removesuffix("...\n").strip()
