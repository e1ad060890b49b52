"""What a regression test is kept under: its name in the store.

It holds a digest of everything that the blocks' scores or the stop rule depend on, files by their contents.
So the same command goes on where it stood, and a changed program, bound or clock begins anew: a test that has
been looked at cannot be continued by another rule. Begun anew although nothing has changed, it has the number
of the attempt behind its name.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arbiter.config import digest_of
from arbiter.match import Player
from arbiter.season.beginning import REGRESS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from arbiter.regress.programs import Digests

PREFIX = REGRESS
"""How the names of tests begin in a store."""
FREE = {"store", "workers", "max_blocks", "faults", "field"}
"""Keys that change no score and no ratio; the players of the field are kept apart."""

BASE, CANDIDATE = "base", "candidate"


def name_of(settings: Mapping[str, Any]) -> str:
    """The name of a test's first attempt."""
    return f"{PREFIX}{digest_of(_identity(settings))[:16]}"


def attempt_of(name: str) -> int:
    """The number of the attempt that a test's name tells."""
    return int(name.removeprefix(PREFIX).partition("-")[2] or 1)


def last_attempt(name: str, there: Collection[str], fresh: bool = False) -> str:
    """The name of the last attempt that is `there`, of the next one if it is to be `fresh`."""
    names = [other for other in there if other == name or other.startswith(f"{name}-")]
    if not names:
        return name
    last = max(names, key=attempt_of)
    return f"{name}-{attempt_of(last) + 1}" if fresh else last


def _identity(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What identifies a test on any machine: programs by their files' contents, not their paths."""
    return {
        **{key: value for key, value in settings.items() if key not in (BASE, CANDIDATE, *FREE)},
        "players": [program(player) for player in _programs(settings)],
    }


def program(player: Mapping[str, Any]) -> dict[str, Any]:
    """What identifies a kept player's program on any machine."""
    return {
        "name": player["name"],
        "command": [_digests(player).get(word, word) for word in player["command"]],
        "places": list(player.get("folders", {}).values()),
        "env": player["env"],
        "batched": player["batched"],
    }


def what_changed(now: Mapping[str, Any], then: Mapping[str, Any]) -> list[str]:
    """The files and folders of a test, by its settings, that are others than `then`; none where more is."""
    with suppress(KeyError, TypeError, AttributeError):
        if _without_digests(now) == _without_digests(then):
            changed = [
                path
                for player, before in zip(_programs(now), _programs(then), strict=True)
                for path, digest in _digests(player).items()
                if _digests(before).get(path) != digest
            ]
            return list(dict.fromkeys(changed))
    return []


def _without_digests(settings: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in settings.items() if key not in FREE and key != "players"}
    players = [
        {key: value for key, value in player.items() if key not in ("files", "folders")}
        for player in _programs(settings)
    ]
    return kept | {"players": players}


def _programs(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    players = settings["players"]
    return [players[BASE], players[CANDIDATE], *players["field"]]


def _digests(player: Mapping[str, Any]) -> dict[str, str]:
    """The digests of a kept player by path."""
    return {**player["files"], **player.get("folders", {})}


def kept(player: Player, digests: Digests) -> dict[str, Any]:
    """A player as JSON values, with digests of its files and folders."""
    values = asdict(player) | {"command": list(player.command), "read": list(player.read)}
    languages = {"languages": list(map(list, player.languages))} if player.languages else {}
    # Tests that were begun before there were languages have no such key.
    del values["languages"]
    return values | languages | digests.of(player)


def kept_player(shape: Mapping[str, Any]) -> Player:
    """The player that `kept` wrote."""
    command, read = tuple(shape["command"]), tuple(shape["read"])
    # Earlier versions kept the digest of all scripts there, under no name.
    files = tuple(filter(None, shape["files"]))
    values = {key: value for key, value in shape.items() if key != "folders"}
    values["languages"] = tuple(map(tuple, shape.get("languages", ())))
    return Player(**values | {"command": command, "read": read, "files": files})
