"""Bots' processes in the other seats of a single-agent environment, on Linux only.

They play under the referee of tournaments (`arbiter.match.referee`), while all other seats answer in
memory: so each receives the same commands in the same order as in a tournament, under the same clock.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from typing import NoReturn

from arbiter.envs.argument_checks import Forfeited
from arbiter.games.game import AnyGame, Seat
from arbiter.match.exchange import Reply, SeatChannel, Send, drive_by_step
from arbiter.match.protocol import NONE, Answer, words_of
from arbiter.match.record import MatchRecord
from arbiter.match.referee import referee
from arbiter.match.spec import Limits, MatchSpec, Player
from arbiter.sandbox.launcher import Launcher
from arbiter.table.channel import Channel
from arbiter.table.conductor import start_request


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
