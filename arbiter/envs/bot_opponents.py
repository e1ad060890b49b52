"""Bots' processes in the other seats of a single-agent environment, which are started on Linux alone.

They are conducted by the referee of tournaments (`arbiter.match.referee`), with all other seats answering in
memory: so each hears what it would hear there, in the same words and order, and is judged by the
same clock.
"""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import arbiter
from arbiter.envs.argument_checks import Forfeited
from arbiter.errors import ConfigError, slip_of
from arbiter.games.game import AnyGame, Seat
from arbiter.match.exchange import Reply, SeatChannel, Send, drive_by_step
from arbiter.match.limits import USUAL, WrittenLimits
from arbiter.match.protocol import NONE, Answer, words_of
from arbiter.match.record import MatchRecord
from arbiter.match.referee import referee
from arbiter.match.spec import Limits, MatchSpec, Player
from arbiter.sandbox.forkserver_client import check_system
from arbiter.sandbox.launcher import Launcher
from arbiter.sandbox.player_command import command_problems, registered
from arbiter.sandbox.tiers import choose
from arbiter.table.channel import Channel
from arbiter.table.conductor import start_request


def default_limits() -> Limits:
    """Those of ``arbiter play``, with the strongest isolation there is."""
    tier, warning = choose(USUAL.isolation)
    if warning:
        warnings.warn(warning, stacklevel=2)
    return WrittenLimits(isolation=tier).limits()


def program(command: str | Sequence[str] | Player, names: Sequence[str]) -> Player:
    """The player of a command, as a season registers it; ConfigError where it cannot be started.

    It may read this package too, wherever that lies. `names` are words that may have been meant instead.
    """
    check_system()
    player = command if isinstance(command, Player) else _registered(_words(command), names)
    for _, message in command_problems(player.command, Path(player.folder)):
        raise ConfigError(message, hint=slip_of(str(command), names))
    return player


def shipped(name: str, words: Sequence[str]) -> Player:
    """A shipped bot, which needs no packages, under its name; see `program`."""
    player = program([sys.executable, "-S", *words], ())
    return replace(player, name=name)


def _words(command: str | Sequence[str]) -> list[str]:
    if not isinstance(command, str):
        return list(command)
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"the command {command!r}: {error}") from None


def _registered(words: list[str], names: Sequence[str]) -> Player:
    if not words or not words[0]:
        raise ConfigError("an opponent's command names no program")
    for _, message in command_problems(words, Path()):
        raise ConfigError(message, hint=slip_of(words[0], names))
    files = [word for word in words if Path(word).is_file()]
    name = Path(files[-1] if files else words[0]).stem
    return registered(name, words, Path(), read=[str(Path(arbiter.__file__).parent)])


class Programs:
    """The bots' processes of one match after the other, and the referee who speaks to them.

    `reach`, `answer` and `tell` follow the order of the match, and raise Forfeited, or VoidMatch where our
    machine failed and not a bot. A fault that comes after a legal decision is raised by the next call.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._launcher: Launcher | None = None
        self._channels: list[Channel] = []
        self._steps: Generator[tuple[Seat, Send], Reply | int | None, MatchRecord] | None = None
        self._answer: Answer = NONE
        """The last one that a process gave."""
        self._made = -1
        """Decisions that the referee has been given; -1 before the greeting."""
        self._record: MatchRecord | None = None

    def __reduce__(self) -> NoReturn:
        raise TypeError("an environment whose opponents are processes cannot be copied")

    def begin(self, game: AnyGame, seed: str, match: int, players: Mapping[Seat, Player]) -> None:
        """Start the processes of `players`; the deals are those of round `match` of a season."""
        self.end()
        if self._launcher is None or not self._launcher.alive:
            self.close()
            self._launcher = Launcher()
        launcher = self._launcher
        spec = MatchSpec(
            id=f"match {match}",
            season="",
            round=match,
            table=None,
            rotation=0,
            game=game.name,
            options=game.options,
            seed=seed,
            players=tuple(players.get(seat, Player("", ())) for seat in range(game.seats)),
            limits=self._limits,
        )
        limits = self._limits
        processes = launcher.start([start_request(player, limits) for player in players.values()])
        seats: list[SeatChannel] = [_InMemory()] * game.seats
        for seat, process in zip(players, processes, strict=True):
            seats[seat] = channel = Channel(seat, process, launcher, limits)
            self._channels.append(channel)
        self._steps = drive_by_step(referee(game, spec), seats, self._listen)
        self._made, self._record = -1, None

    def reach(self) -> None:
        """Say all that is to be said before the next decision."""
        if self._made < 0:
            self._go_on(None)
        if self._record is not None and self._record.forfeit is not None:
            raise Forfeited(self._record.forfeit)

    def answer(self, number: int) -> str:
        """Ask a process for its decision; the words of its answer, of which there are to be `number`."""
        self.reach()
        self._go_on(None)
        if self._record is not None and len(self._record.moves) < self._made:
            self.reach()
        return words_of(self._answer, number)

    def tell(self, words: str) -> None:
        """Pass on what an opponent in memory has decided, whose turn it is."""
        self.reach()
        raw = words.encode()
        self._go_on(Reply(Answer(True, raw, b"= %s\n\n" % raw), 0, 0))

    def end(self) -> None:
        """Kill the processes of the match; nothing happens where there are none."""
        self._steps = None
        channels, self._channels = self._channels, []
        try:
            if channels and self._launcher is not None and self._launcher.alive:
                self._launcher.stop()
        finally:
            for channel in channels:
                channel.close()

    def close(self) -> None:
        """Leave no process behind."""
        try:
            self.end()
        finally:
            launcher, self._launcher = self._launcher, None
            # A copy in a forked process is not the owner's to end.
            if launcher is not None and launcher.owner == os.getpid():
                launcher.close()

    def _go_on(self, decision: Reply | None) -> None:
        """A decision, by default the process's that is asked, and all that follows up to the next one."""
        assert self._steps is not None
        self._made += 1
        try:
            self._steps.send(decision)
        except StopIteration as done:
            self._record = done.value

    def _listen(self, _seat: Seat, send: Send, reply: Reply | int) -> None:
        if send.asks and isinstance(reply, Reply):
            self._answer = reply.answer


class _InMemory:
    """The agent's seat, or an opponent's in memory: it hears nothing by the protocol."""

    def exchange(self, send: Send) -> int:  # noqa: ARG002
        """At no cost."""
        return 0
