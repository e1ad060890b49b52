"""The occupants of a seat in interactive play: a bot's process, a person, a random player."""

from __future__ import annotations

import shlex
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from arbiter.errors import VoidMatch
from arbiter.match.exchange import Reply
from arbiter.match.in_memory import random_policy
from arbiter.match.protocol import DONE, Answer
from arbiter.sandbox.launcher import Launcher
from arbiter.table.conductor import QUIT_SECONDS
from arbiter.table.single_bot import RawReply, SingleBot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.games.game import Command, Seat
    from arbiter.match.position import Position
    from arbiter.match.spec import Limits, Player

Result = TypeVar("Result")


class SeatCommand(NamedTuple):
    """One command to a seat, the time allowed for it in ns, and the position of the match."""

    seat: Seat
    command: Command
    allowed_ns: int
    position: Position


class Occupant:
    """An occupant of a seat; `person` is True if its decisions are typed.

    `who` is its name in commands and options: ``bot:COMMAND``, ``human``, ``random``.
    """

    title: str
    who: str
    person = False

    def begin(self, seat: Seat) -> None:
        """Restart, before any command; nothing by default."""

    def reply_to(self, line: SeatCommand) -> RawReply:  # noqa: ARG002
        """Reply to one command; by default accept it, with no output and at no cost."""
        return RawReply(b"", Reply(DONE, 0, 0))

    @property
    def has_left(self) -> bool:
        """True between `leave` and the next `begin`, if it must be restarted; by default False."""
        return False

    def leave(self) -> None:
        """Leave at the end of a match, or on undo, until `begin`; nothing by default."""

    def end(self) -> str:
        """End for good. Return how it ended, for people; by default ""."""
        return ""

    def new_errors(self) -> bytes:
        """Return its standard error since the last call; by default nothing."""
        return b""

    def interrupt(self) -> None:
        """Make a `reply_to` in another thread raise KeyboardInterrupt; nothing by default."""


class ProcessBot(Occupant):
    """A bot's process, with a separate launcher so that it can be restarted alone."""

    def __init__(self, title: str, player: Player, limits: Limits) -> None:
        self.title, self.who = title, f"bot:{shlex.join(player.command)}"
        self._player, self._limits = player, limits
        self._launcher: Launcher | None = None
        self._bot: SingleBot | None = None
        self._said: str | None = None
        self._hears = self._interrupted = False
        self._hearing = Lock()
        """Guards `_hears` and `_interrupted`, and the kill by `interrupt`."""

    def begin(self, seat: Seat) -> None:
        """Call `leave`, then start a new process, the first time with a new launcher; VoidMatch."""
        self.leave()
        self._said = None
        if self._launcher is None:
            self._launcher = Launcher()
        self._bot = SingleBot(self._launcher, self._player, self._limits, seat)

    def reply_to(self, line: SeatCommand) -> RawReply:
        """Send a command and wait for the reply; KeyboardInterrupt after `interrupt`, or VoidMatch."""
        if self._bot is None:
            raise VoidMatch("the bot's process could not be started")
        with self._hearing:
            self._hears, self._interrupted = True, False
        try:
            heard = self._bot.send(f"{line.command}\n".encode(errors="surrogateescape"), 1, line.allowed_ns)
        finally:
            with self._hearing:
                self._hears = False
        if self._interrupted:
            raise KeyboardInterrupt
        return heard

    def interrupt(self) -> None:
        """Kill the process if `reply_to` waits for it."""
        with self._hearing:
            if self._hears and self._bot is not None:
                self._interrupted = True
                self._bot.kill()

    @property
    def has_left(self) -> bool:
        return self._said is not None

    def leave(self) -> None:
        """Send ``quit``, as a match under ``end: quit`` does, and kill the bot if it does not end in time."""
        bot, self._bot = self._bot, None
        if bot is None:
            return
        end = bot.say_goodbye(QUIT_SECONDS)
        bot.stop()
        self._said = f"killed, it did not end on quit in {QUIT_SECONDS:g} s"
        if end is not None:
            self._said = f"ended with status {end.exit}"

    def end(self) -> str:
        """End the process by `leave`, and the launcher. Return how the process ended, or ""."""
        try:
            self.leave()
        finally:
            if self._launcher is not None:
                self._launcher.close()
                self._launcher = None
        return self._said or ""

    def new_errors(self) -> bytes:
        return b"" if self._bot is None else self._bot.new_errors()


class Person(Occupant):
    """A seat whose decisions are typed."""

    title = who = "human"
    person = True


class RandomPlayer(Occupant):
    """Plays random legal actions, always the same in the same position."""

    title = who = "random"

    def reply_to(self, line: SeatCommand) -> RawReply:
        """Answer the position's own request at random; accept any other command."""
        position = line.position
        if position.to_act != line.seat or line.command != position.request:
            return super().reply_to(line)
        # Seeded by the position, so that undone decisions are repeated.
        policy = random_policy(f"{position.seed}|{line.seat}|{position.made}")
        action = policy(position.state, line.seat)
        word = position.game.action_text(position.state, line.seat, action).encode()
        raw = b"= %s\n\n" % word
        return RawReply(raw, Reply(Answer(True, word, raw), 0, 0))


def call_in_parallel(do: Callable[[Occupant], Result], occupants: Sequence[Occupant]) -> list[Result]:
    """Call a function for all occupants in parallel. Return its results by seat."""
    with ThreadPoolExecutor(len(occupants)) as pool:
        return list(pool.map(do, occupants))


def dismiss(occupants: Sequence[Occupant]) -> None:
    """Make all occupants leave; errors are ignored, since `begin` restarts them."""
    with suppress(VoidMatch):
        call_in_parallel(lambda occupant: occupant.leave(), occupants)
