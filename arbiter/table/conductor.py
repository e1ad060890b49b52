"""A match from start to end: start the bots, drive the referee, kill the bots, report."""

from __future__ import annotations

import json
import os
import platform
import signal
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from arbiter.errors import MalformedReply, NotPrepared, ProviderOutage, VoidMatch
from arbiter.games import make
from arbiter.match.clock import MS, SECOND
from arbiter.match.exchange import Reply, drive
from arbiter.match.follower import RandomPlayers, conduct_with
from arbiter.match.notes import notes_by_move
from arbiter.match.packing import pack_match
from arbiter.match.position import Position
from arbiter.match.protocol import NONE
from arbiter.match.record import Fault
from arbiter.match.referee import referee
from arbiter.match.spec import SITS_OUT
from arbiter.sandbox.cgroup import group_settings
from arbiter.sandbox.core_accounts import NS_PER_TICK
from arbiter.sandbox.failure_hints import STACK, refused_note, tier_hint, wrong_folder_hint
from arbiter.sandbox.files_needed import confinement
from arbiter.sandbox.forkserver import OURS
from arbiter.sandbox.landlock import own_folders, real_program, search_path
from arbiter.sandbox.launcher import Launcher
from arbiter.sandbox.process_meter import schedstat_available
from arbiter.sandbox.program_files import first_problem, link_problem, script_problem
from arbiter.sandbox.runtimes import settings
from arbiter.sandbox.stderr import FULL
from arbiter.sandbox.tiers import control_groups, probe, stage_enforces
from arbiter.table.channel import Channel
from arbiter.table.llm_seats import Models

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from arbiter.games.game import AnyGame, Seat
    from arbiter.match.exchange import SeatChannel, Send
    from arbiter.match.follower import Follower
    from arbiter.match.packing import PackedMatch
    from arbiter.match.record import BotReport, Forfeit, MatchRecord, Move
    from arbiter.match.spec import Absence, Limits, MatchSpec, Player
    from arbiter.sandbox.launcher import End

QUIT_SECONDS = 1.0
"""The time for a bot to end after ``quit``."""
SHORTEST_TOLD_NS = SECOND // 20
"""The shortest stop of the referee that is reported: shorter ones are 0.0 s."""
BESIDE_NS = 20 * MS
"""CPU time after answers that needs no note, such as writing a log."""
_table: Conductor | None = None


def play_match(spec: MatchSpec, in_memory: Follower | None = None) -> MatchRecord:
    """Play one match with this process's conductor, made if there is no usable one; see `Conductor.play`."""
    global _table
    if _table is None or not _table.usable:
        _table = Conductor()
    return _table.play(spec, in_memory)


def play_packed(spec: MatchSpec) -> PackedMatch:
    """Play a match and pack its record in the same process, as a season's workers do."""
    return pack_match(play_match(spec))


def close_table() -> None:
    """End this process's conductor and its bots, if any."""
    global _table
    if _table is not None:
        _table.close()
        _table = None


class Conductor:
    """Plays matches one after another, with one launcher."""

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
        """True if the launcher is alive and belongs to this process."""
        return self._launcher.alive

    def close(self) -> None:
        """End the launcher's processes."""
        self._launcher.close()

    def play(self, spec: MatchSpec, in_memory: Follower | None = None) -> MatchRecord:
        """Start the bots, conduct the match, end them; `in_memory` has seats without a command. VoidMatch."""
        game = _cached_game(spec.game, json.dumps(spec.options, sort_keys=True))
        if spec.deals is not None:
            game = game.given([game.deal_from_json(shape) for shape in spec.deals])
        seats = [seat for seat in playing_seats(spec) if in_memory is None or spec.players[seat].command]
        with Models(game, spec, seats) as models:
            try:
                return self._play(game, spec, models, seats, in_memory)
            except VoidMatch as void:
                void.billed = models.billed()
                if isinstance(void, ProviderOutage):
                    void.question = models.unanswered()
                raise

    def _play(
        self,
        game: AnyGame,
        spec: MatchSpec,
        models: Models,
        seats: Sequence[Seat],
        in_memory: Follower | None,
    ) -> MatchRecord:
        """Start the programs of `seats`, conduct the match, end them; return its record."""
        started = datetime.now(UTC)
        steal, suspended = stolen_ns(), suspended_ns()
        begin = time.monotonic_ns()
        requests = [start_request(spec.players[seat], spec.limits) for seat in seats]
        processes = self._launcher.start(requests, models.harness_sockets)
        channels = {
            seat: Channel(seat, process, self._launcher, spec.limits, models.away_clock_of(seat))
            for seat, process in zip(seats, processes, strict=True)
        }
        for channel in channels.values():
            channel.others = [other.presence for other in channels.values() if other is not channel]
        notes: dict[Seat, list[str]] = {seat: [] for seat in seats}
        try:
            record = conduct(game, spec, models.start_seats(channels), in_memory)
            ended = time.monotonic_ns()
            if spec.limits.end == "quit":
                for seat, channel in channels.items():
                    faulty = record.forfeit is not None and record.forfeit.seat == seat
                    if not faulty and channel.say_goodbye(QUIT_SECONDS) is None:
                        notes[seat].append("did not end on quit")
        finally:
            try:
                ends = self._launcher.stop()
            finally:
                for channel in channels.values():
                    channel.close()
        check_starts(spec.players, channels, ends, record.forfeit)
        reports, views = list(record.bots), dict(zip(channels, self._launcher.views, strict=True))
        tier = spec.limits.isolation
        for seat, channel in channels.items():
            player, remarks = spec.players[seat], [*notes[seat], *models.notes(seat)]
            said = channel.stderr.ending if has_crashed(channel.seat, record.forfeit) else b""
            if helps := wrong_folder_hint(said, player.folder) or tier_hint(said, tier):
                remarks.append(helps)
            if has_crashed(channel.seat, record.forfeit) and ends[channel.pid].exit == -signal.SIGSEGV:
                remarks.append(STACK)
            if channel.stderr.is_full:
                remarks.append(FULL)
            if large := [path for path in own_folders(player.read) if path in self._launcher.in_place]:
                remarks.append(f"read where they are, not copied to memory: {', '.join(large)}")
            if (view := views[seat]) and (missing := view.missing()):
                remarks.append(f"no room in its share of the system in memory: {missing}")
            report = complete_report(reports[seat], channel, ends[channel.pid], remarks, record.moves)
            reports[seat] = replace(report, model=models.record_part(seat))
        notebooks = {seat: channel.connection.notebook for seat, channel in channels.items()}
        noted = notes_by_move(notebooks, [move.seat for move in record.moves])
        if (forfeit := record.forfeit) is not None and (ending := channels.get(forfeit.seat)) is not None:
            sent, over = (moment_text(started, at - begin) for at in (ending.sent_ns, ended))
            forfeit = replace(forfeit, sent=sent if ending.sent_ns else "", ended=over)
        return replace(
            record,
            forfeit=forfeit,
            bots=tuple(reports),
            move_notes=noted,
            notes_public=public_seats(spec, {record.moves[number - 1].seat for number in noted or ()}),
            isolation={
                "tier": tier,
                **self._tiers[tier].enforces,
                **stage_enforces(
                    self._launcher.staged,
                    self._launcher.own_user,
                    self._launcher.own_numbers,
                    self._launcher.in_place,
                    self._launcher.paths_in_place,
                ),
                **control_groups().enforces,
            },
            host={
                **self._host,
                "steal_ns": stolen_ns() - steal,
                "stopped_ns": sum(channel.stopped_ns for channel in channels.values()),
                "suspended_ns": max(0, suspended_ns() - suspended) // MS * MS,
            },
            started=moment_text(started),
            wall_ns=(time.monotonic_ns() - begin) // 1000 * 1000,
        )


def moment_text(started: datetime, later_ns: int = 0) -> str:
    """Return a moment of a match as records have it: ISO 8601, UTC, in ms."""
    return (started + timedelta(microseconds=later_ns // 1000)).isoformat(timespec="milliseconds")


def playing_seats(spec: MatchSpec) -> list[Seat]:
    """Return the seats whose programs play; none if an absent player is at fault."""
    if spec.absence is None:
        return list(range(len(spec.players)))
    return [] if spec.absence.at_fault else [s for s in range(len(spec.players)) if s != spec.absence.seat]


def public_seats(spec: MatchSpec, noted: Collection[Seat]) -> tuple[Seat, ...]:
    """Return the seats in `noted` whose notes are published, by the player's setting or else the season's."""
    own = [(seat, spec.players[seat].publish_notes) for seat in sorted(noted)]
    return tuple(seat for seat, publish in own if (spec.publish_notes if publish is None else publish))


def conduct(
    game: AnyGame, spec: MatchSpec, channels: Mapping[Seat, SeatChannel], in_memory: Follower | None = None
) -> MatchRecord:
    """Conduct the match; an absent player plays at random, or is at fault."""
    match = referee(game, spec)
    if in_memory is not None:
        return conduct_with(match, channels, in_memory)
    if spec.absence is None:
        return drive(match, list(channels.values()))
    position = Position.opening(game, spec.seed, spec.round or 1)
    return conduct_with(match, channels, _Absent(position, spec.absence))


class _Absent(RandomPlayers):
    """Replaces the absent player, and all others if the absence is a fault."""

    def __init__(self, position: Position, absence: Absence) -> None:
        super().__init__(position, position.seed)
        self._absence = absence

    def exchange(self, send: Send) -> Reply | int:
        """As in `Follower`, but a fault (``crash``) for the absent player if its absence is one."""
        seat, at_fault = self._absence
        if at_fault and seat in send.seats:
            return Reply(NONE, 0, 0, fault=MalformedReply(Fault.CRASH, SITS_OUT))
        return super().exchange(send)


def check_starts(
    players: Sequence[Player],
    channels: Mapping[Seat, Channel],
    ends: Mapping[int, End],
    forfeit: Forfeit | None,
) -> None:
    """Raise VoidMatch if a program was never executed, or ended at once because a file of it is gone.

    NotPrepared if we failed before.
    """
    for seat, channel in channels.items():
        player = players[seat]
        if why := ends[channel.pid].not_started:
            program, folder = player.command[0], player.folder
            why = (
                script_problem(program, folder, player.env.get("PATH"))
                or link_problem(program, folder)
                or why
            )
            kind = NotPrepared if why.startswith(OURS) else VoidMatch
            raise kind(f"cannot start {player.command[0]} of player {player.name}: {why}")
    if forfeit is not None and forfeit.seat in channels and not channels[forfeit.seat].answered:
        player = players[forfeit.seat]
        if what := first_problem(player):
            raise VoidMatch(f"a file of player {player.name} is gone: {what}")


def has_crashed(seat: int, forfeit: Forfeit | None) -> bool:
    """Return True if this seat's program crashed."""
    return forfeit is not None and forfeit.seat == seat and forfeit.fault is Fault.CRASH


@lru_cache(maxsize=8)
def _cached_game(name: str, options: str) -> AnyGame:
    """Return a game by its name and options, cached: a worker plays the same one all season."""
    return make(name, json.loads(options))


def complete_report(
    report: BotReport, channel: Channel, end: End, notes: list[str], moves: Sequence[Move]
) -> BotReport:
    """Return a report with the data of the ended process; adds to `notes`. `moves` are those of the match."""
    own = [number for number, move in enumerate(moves, 1) if move.seat == channel.seat]
    if channel.stopped_ns >= SHORTEST_TOLD_NS:
        stopped = f"the referee was stopped for {channel.stopped_ns / SECOND:.1f} s"
        notes.append(f"{stopped} while it waited for this bot: not charged")
    beside = end.cpu_ns - channel.start_cpu_ns - report.charged_ns
    if channel.start_cpu_ns and beside > max(BESIDE_NS, report.charged_ns // 4):
        more = f"{beside // MS} ms of CPU beyond what it was charged"
        notes.append(f"{more}: in threads, or after its answers")
    if end.refused:
        notes.append(refused_note(end.refused))
    if channel.presence.wary:
        notes.append("it computed while others were to move, and was stopped until its next command")
    return replace(
        report,
        notes=(*report.notes, *channel.connection.notes, *notes),
        exit=end.exit,
        cpu_ns=end.cpu_ns // 1000 * 1000,
        peak_memory_bytes=end.peak_memory_bytes,
        stderr_head=channel.stderr.head.decode(errors="replace"),
        stderr_tail=channel.stderr.tail.decode(errors="replace"),
        stderr_at=tuple(channel.stderr.marks(own, len(moves) + 1)),
    )


def start_request(player: Player, limits: Limits) -> dict[str, Any]:
    """Return what the launcher needs to start a bot, as JSON values."""
    env = bot_environment(player)
    # The real program: a version manager's script could not start it.
    program = real_program(player)
    request: dict[str, Any] = {
        "argv": [program, *player.command[1:]],
        "program": program,
        "env": env,
        "folder": player.folder,
        "memory_bytes": limits.memory_bytes,
        "stage": False,
        "held": True,
        "seat": 0,
        "folders": [],
        "confine": None,
        "wrapped": False,
        "line": player.model is not None,
        "root": None,
        "system": None,
        "cgroups": group_settings(limits.memory_bytes),
    }
    if limits.isolation == "landlock":
        request |= confinement(player, program)
    temporary = request["root"]["scratch"] if request["root"] else ""
    set_for_it = settings(limits.memory_bytes, limits.isolation == "landlock", temporary)
    return request | {"env": set_for_it | env}


def bot_environment(player: Player) -> dict[str, str]:
    """Return a bot's environment: the referee's variables and the player's, none of the organiser's."""
    return {
        "PATH": search_path(player.languages),
        "HOME": player.folder,
        "LANG": "C.UTF-8",
        # For Python bots: repeatable play, and no files left in the bot's folder.
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **player.env,
    }


def stolen_ns() -> int:
    """Read the ns that the hypervisor took from all cores since boot; 0 if the kernel has no figure."""
    with suppress(OSError, IndexError, ValueError), open("/proc/stat") as stat:
        return int(stat.readline().split()[8]) * NS_PER_TICK
    return 0


def suspended_ns() -> int:
    """Return for how long the machine was suspended since boot: then the monotonic clock stops."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()
