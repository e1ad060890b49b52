"""Bots' processes in the other seats of a single-agent environment, on Linux only.

They play under the referee of tournaments (`arbiter.match.referee`), while all other seats answer in
memory: so each receives the same commands in the same order as in a tournament, under the same clock.
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
from arbiter.sandbox.player_command import command_problems, register
from arbiter.sandbox.tiers import choose
from arbiter.table.channel import Channel
from arbiter.table.conductor import start_request


def default_limits() -> Limits:
    """Return the limits of ``arbiter play``, with the strongest available isolation."""
    tier, warning = choose(USUAL.isolation)
    if warning:
        warnings.warn(warning, stacklevel=2)
    return WrittenLimits(isolation=tier).limits()


def program_player(command: str | Sequence[str] | Player, names: Sequence[str]) -> Player:
    """Return the player that a command starts, without starting it; ConfigError if there is no such program.

    The player may also read this package. `names` are words to suggest for a misspelt command.
    """
    check_system()
    player = command if isinstance(command, Player) else _player_of_command(_split_command(command), names)
    for _, message in command_problems(player.command, Path(player.folder)):
        raise ConfigError(message, hint=slip_of(str(command), names))
    return player


def shipped_player(name: str, words: Sequence[str]) -> Player:
    """Return the player of a shipped bot, which needs no packages; see `program_player`."""
    player = program_player([sys.executable, "-S", *words], ())
    return replace(player, name=name)


def _split_command(command: str | Sequence[str]) -> list[str]:
    if not isinstance(command, str):
        return list(command)
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"the command {command!r}: {error}") from None


def _player_of_command(words: list[str], names: Sequence[str]) -> Player:
    if not words or not words[0]:
        raise ConfigError("an opponent's command names no program")
    for _, message in command_problems(words, Path()):
        raise ConfigError(message, hint=slip_of(words[0], names))
    files = [word for word in words if Path(word).is_file()]
    name = Path(files[-1] if files else words[0]).stem
    return register(name, words, Path(), read=[str(Path(arbiter.__file__).parent)])


class ProgramOpponents:
    """The bots' processes of successive matches, and their referee.

    Call `advance`, `answer` and `send_decision` in the order of the match. They raise Forfeited, or VoidMatch
    if the machine failed and not a bot. A fault after a legal decision is raised by the next call.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._launcher: Launcher | None = None
        self._channels: list[Channel] = []
        self._steps: Generator[tuple[Seat, Send], Reply | int | None, MatchRecord] | None = None
        self._answer: Answer = NONE
        """The last answer of a process."""
        self._made = -1
        """The number of decisions given to the referee; -1 before the greeting."""
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
        self._steps = drive_by_step(referee(game, spec), seats, self._store_answer)
        self._made, self._record = -1, None

    def advance(self) -> None:
        """Send all commands before the next request."""
        if self._made < 0:
            self._advance(None)
        if self._record is not None and self._record.forfeit is not None:
            raise Forfeited(self._record.forfeit)

    def answer(self, number: int) -> str:
        """Request the decision of a process, and return its answer of `number` words."""
        self.advance()
        self._advance(None)
        if self._record is not None and len(self._record.moves) < self._made:
            self.advance()
        return words_of(self._answer, number)

    def send_decision(self, words: str) -> None:
        """Give the referee the decision of the seat to act, which is in memory."""
        self.advance()
        raw = words.encode()
        self._advance(Reply(Answer(True, raw, b"= %s\n\n" % raw), 0, 0))

    def end(self) -> None:
        """Kill the processes of the match, if any."""
        self._steps = None
        channels, self._channels = self._channels, []
        try:
            if channels and self._launcher is not None and self._launcher.alive:
                self._launcher.stop()
        finally:
            for channel in channels:
                channel.close()

    def close(self) -> None:
        """End all processes, the launcher too."""
        try:
            self.end()
        finally:
            launcher, self._launcher = self._launcher, None
            # A copy in a forked process does not own the launcher.
            if launcher is not None and launcher.owner == os.getpid():
                launcher.close()

    def _advance(self, decision: Reply | None) -> None:
        """Give the referee a decision, None for the answer of a process, and run it to the next request."""
        assert self._steps is not None
        self._made += 1
        try:
            self._steps.send(decision)
        except StopIteration as done:
            self._record = done.value

    def _store_answer(self, _seat: Seat, send: Send, reply: Reply | int) -> None:
        if send.asks and isinstance(reply, Reply):
            self._answer = reply.answer


class _InMemory:
    """The agent's seat, or an opponent's in memory: it receives no commands, and uses no time."""

    def exchange(self, send: Send) -> int:  # noqa: ARG002
        return 0
