"""The command line that plays a match again."""

from __future__ import annotations

import os
import shlex
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from arbiter.config.limits import NO_START, USUAL
from arbiter.games import make

if TYPE_CHECKING:
    from arbiter.match import Limits, MatchSpec, Player


def play_command(spec: MatchSpec) -> str:
    """``arbiter play`` with what the match was planned with, as typed in the current folder."""
    words = ["arbiter", "play", "--game", spec.game, "--seed", spec.seed]
    if spec.round is not None:
        words += ["--round", str(spec.round)]
    usual = make(spec.game, {}).options
    options = [(key, value) for key, value in spec.options.items() if value != usual.get(key)]
    words += chain.from_iterable(("--option", f"{key}={_yaml(value)}") for key, value in options)
    words += _limits(spec.limits)
    words += chain.from_iterable(("--bot", _bot(player)) for player in spec.players)
    return shlex.join(words)


def _limits(limits: Limits) -> list[str]:
    """The options of the limits that differ from the command's defaults."""
    time, start = limits.time, limits.start_ns
    control = _duration(time.budget_ns) + (f"+{_duration(time.increment_ns)}" if time.increment_ns else "")
    memory, rest = divmod(limits.memory_bytes, 10**6)
    given = {
        "time": control + ("/request" if time.per_request else ""),
        "start_time": NO_START if start is None else _duration(start),
        "memory": f"{limits.memory_bytes}" if rest else f"{memory}MB",
        "clock": limits.clock,
        "delivery": limits.delivery,
        "end": limits.end,
        "isolation": limits.isolation,
    }
    return [
        word
        for key, value in given.items()
        if value != getattr(USUAL, key)
        for word in (f"--{key.replace('_', '-')}", value)
    ]


def _duration(ns: int) -> str:
    """``10s``, ``1.5ms``."""
    seconds, rest = divmod(ns, 10**9)
    return f"{ns / 10**6:.6f}".rstrip("0").rstrip(".") + "ms" if rest else f"{seconds}s"


def _bot(player: Player) -> str:
    env = [f"{key}={value}" for key, value in player.env.items()]
    return shlex.join([*env, *map(_near, player.command)])


def _near(word: str) -> str:
    """A file below the current folder by its path from there."""
    try:
        return str(Path(word).relative_to(Path.cwd())) if os.path.isabs(word) else word
    except ValueError:
        return word


def _yaml(value: object) -> str:
    return yaml.safe_dump(value, default_flow_style=True, width=10**6).removesuffix("...\n").strip()
