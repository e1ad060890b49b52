"""One match from start to end: start the bots, drive the referee, kill the bots, report."""

from __future__ import annotations

import json
import os
import platform
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from arbiter.clock import MS
from arbiter.games import make
from arbiter.packing import packed
from arbiter.referee import drive, referee
from arbiter.table.channel import Channel
from arbiter.table.launcher import Launcher
from arbiter.table.meter import ClockKind, schedstat_available
from arbiter.table.sandbox.bubblewrap import wrapping
from arbiter.table.sandbox.calls import call_name
from arbiter.table.sandbox.cgroup import groups
from arbiter.table.sandbox.isolation import on_top, probe, stage_enforces
from arbiter.table.sandbox.landlock import confinement, own_folders

if TYPE_CHECKING:
    from arbiter.match import BotReport, Limits, MatchRecord, MatchSpec, Player
    from arbiter.packing import PackedMatch
    from arbiter.rules import AnyGame
    from arbiter.table.launcher import End

QUIT_SECONDS = 1.0
BESIDE_NS = 20 * MS
"""So much CPU may go into what comes between an answer and the next command, and is not worth a word."""
_table: Table | None = None


def play_match(spec: MatchSpec) -> MatchRecord:
    """Play one match with this process's own table; VoidMatch if our side failed."""
    global _table
    if _table is None or not _table.usable:
        _table = Table()
    return _table.play(spec)


def play_packed(spec: MatchSpec) -> PackedMatch:
    """The same, packed where it was played: what a season hands to its workers."""
    return packed(play_match(spec))


def close_table() -> None:
    """End this process's table and every bot at it; nothing happens where there is none."""
    global _table
    if _table is not None:
        _table.close()
        _table = None


class Table:
    """Plays matches one at a time, with one launcher for all of them."""

    def __init__(self, launcher: Launcher | None = None) -> None:
        self._launcher = launcher or Launcher()
        self._tiers = probe()
        self._host = {
            "name": platform.node(),
            "cores": os.cpu_count(),
            "kernel": platform.release(),
            "schedstat": schedstat_available(),
        }

    @property
    def usable(self) -> bool:
        """Whether the launcher lives and belongs to this process."""
        return self._launcher.alive

    def close(self) -> None:
        """Leave no process behind."""
        self._launcher.close()

    def play(self, spec: MatchSpec) -> MatchRecord:
        """Start the bots, conduct the match, kill the bots; VoidMatch if our side failed."""
        game = _game(spec.game, json.dumps(spec.options, sort_keys=True))
        if spec.deals is not None:
            game = game.given([game.deal_from_json(shape) for shape in spec.deals])
        kind = ClockKind(spec.limits.clock)
        started = datetime.now(UTC)
        steal = stolen_ns()
        begin = time.monotonic_ns()
        memory, tier = spec.limits.memory_bytes, spec.limits.isolation
        processes = self._launcher.start([start_request(player, spec.limits) for player in spec.players])
        channels = [
            Channel(seat, process, self._launcher, kind, memory, family=tier != "landlock")
            for seat, process in enumerate(processes)
        ]
        for channel in channels:
            channel.others = [other.presence for other in channels if other is not channel]
        goodbyes: dict[int, End | None] = {}
        try:
            record = drive(referee(game, spec), channels)
            if spec.limits.end == "quit":
                for seat, channel in enumerate(channels):
                    if record.forfeit is None or record.forfeit.seat != seat:
                        goodbyes[seat] = channel.say_goodbye(QUIT_SECONDS)
        finally:
            try:
                ends = self._launcher.stop()
            finally:
                for channel in channels:
                    channel.close()
        reports = []
        for seat, (channel, report) in enumerate(zip(channels, record.bots, strict=True)):
            notes = ["did not end on quit"] if seat in goodbyes and goodbyes[seat] is None else []
            if large := [
                place for place in own_folders(spec.players[seat].read) if place in self._launcher.in_place
            ]:
                notes.append(f"read where they are, not copied to memory: {', '.join(large)}")
            reports.append(with_process(report, channel, ends[channel.pid], tuple(notes)))
        return replace(
            record,
            bots=tuple(reports),
            isolation={
                "tier": tier,
                **self._tiers[tier].enforces,
                **stage_enforces(self._launcher.staged, self._launcher.in_place),
                **on_top().enforces,
            },
            host={**self._host, "steal_ns": stolen_ns() - steal},
            started=started.isoformat(timespec="milliseconds"),
            wall_ns=(time.monotonic_ns() - begin) // 1000 * 1000,
        )


@lru_cache(maxsize=8)
def _game(name: str, options: str) -> AnyGame:
    """A game by its name and options; a worker plays the same one all season."""
    return make(name, json.loads(options))


def with_process(report: BotReport, channel: Channel, end: End, notes: tuple[str, ...]) -> BotReport:
    """A report completed by what the process left."""
    beside = end.cpu_ns - channel.start_cpu_ns - report.charged_ns
    if channel.start_cpu_ns and beside > max(BESIDE_NS, report.charged_ns // 4):
        ms = beside // MS
        notes = (
            *notes,
            f"{ms} ms of CPU beyond what it was charged: in threads, or while others were to move",
        )
    if end.refused:
        notes = (*notes, f"system calls refused: {', '.join(map(call_name, end.refused))}")
    return replace(
        report,
        notes=(*report.notes, *channel.connection.notes, *notes),
        exit=end.exit,
        cpu_ns=end.cpu_ns // 1000 * 1000,
        peak_memory_bytes=end.peak_memory_bytes,
        stderr_tail=channel.stderr_tail.decode(errors="replace"),
    )


def start_request(player: Player, limits: Limits) -> dict[str, Any]:
    """What the launcher needs to know of a bot."""
    env = bot_environment(player)
    request: dict[str, Any] = {
        "argv": list(player.command),
        "env": env,
        "folder": player.folder,
        "memory_bytes": limits.memory_bytes,
        "stage": False,
        "folders": [],
        "confine": None,
        "wrapped": False,
        "cgroups": groups(limits.memory_bytes),
    }
    if limits.isolation == "landlock":
        request |= confinement(player, env)
    elif limits.isolation == "bwrap":
        request |= wrapping(player, env)
    return request


def bot_environment(player: Player) -> dict[str, str]:
    """A small environment of the referee's choosing: nothing of the organiser's leaks into a bot."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": player.folder,
        "LANG": "C.UTF-8",
        # Python bots: play that can be repeated, and no files left in the bot's folder.
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **player.env,
    }


def stolen_ns() -> int:
    """Time that the hypervisor took from all cores since boot, 0 where the kernel does not tell."""
    with suppress(OSError, IndexError, ValueError), open("/proc/stat") as stat:
        ticks = int(stat.readline().split()[8])
        return ticks * (1_000_000_000 // os.sysconf("SC_CLK_TCK"))
    return 0
