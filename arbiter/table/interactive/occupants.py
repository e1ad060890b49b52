"""The occupants of a seat of the referee by hand: a bot's process, a person, a player in memory."""

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
from arbiter.table.single_bot import Heard, SingleBot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.games.game import Command, Seat
    from arbiter.match.position import Position
    from arbiter.match.spec import Limits, Player

Result = TypeVar("Result")


class SeatCommand(NamedTuple):
    """One command to a seat, the time allowed for it in ns, and where the match stands."""

    seat: Seat
    command: Command
    allowed_ns: int
    position: Position


class Occupant:
    """An occupant of a seat; `person` is True when its decisions are typed, not asked for.

    `who` is how it is named where a seat is given: ``bot:COMMAND``, ``human``, ``random``.
    """

    title: str
    who: str
    person = False

    def begin(self, seat: Seat) -> None:
        """Start anew, with nothing heard."""

    def hear(self, line: SeatCommand) -> Heard:  # noqa: ARG002
        """Hear one command and reply."""
        return Heard(b"", Reply(DONE, 0, 0))

    @property
    def has_left(self) -> bool:
        """True between `leave` and the next `begin`, where that makes a difference."""
        return False

    def leave(self) -> None:
        """Leave at the end of a match, or of what is taken back; `begin` starts it anew."""

    def end(self) -> str:
        """End for good; how that went in words, "" for nothing to tell."""
        return ""

    def errors(self) -> bytes:
        """Return what it wrote to standard error since the last call."""
        return b""

    def interrupt(self) -> None:
        """From another thread: have what it hears now raise KeyboardInterrupt, if it hears anything."""


class ProcessBot(Occupant):
    """A bot's process, with a launcher of its own so that it can be restarted alone."""

    def __init__(self, title: str, player: Player, limits: Limits) -> None:
        self.title, self.who = title, f"bot:{shlex.join(player.command)}"
        self._player, self._limits = player, limits
        self._launcher: Launcher | None = None
        self._bot: SingleBot | None = None
        self._said: str | None = None
        self._hears = self._interrupted = False
        self._hearing = Lock()
        """Held where it begins and ends to hear something, and while it is killed for that."""

    def begin(self, seat: Seat) -> None:
        self.leave()
        self._said = None
        if self._launcher is None:
            self._launcher = Launcher()
        self._bot = SingleBot(self._launcher, self._player, self._limits, seat)

    def hear(self, line: SeatCommand) -> Heard:
        if self._bot is None:
            raise VoidMatch("the bot's process could not be started")
        with self._hearing:
            self._hears, self._interrupted = True, False
        try:
            heard = self._bot.say(f"{line.command}\n".encode(errors="surrogateescape"), 1, line.allowed_ns)
        finally:
            with self._hearing:
                self._hears = False
        if self._interrupted:
            raise KeyboardInterrupt
        return heard

    def interrupt(self) -> None:
        with self._hearing:
            if self._hears and self._bot is not None:
                self._interrupted = True
                self._bot.kill()

    @property
    def has_left(self) -> bool:
        return self._said is not None

    def leave(self) -> None:
        """Send ``quit``, as a match under ``end: quit`` does, and kill what lives after its patience."""
        bot, self._bot = self._bot, None
        if bot is None:
            return
        end = bot.say_goodbye(QUIT_SECONDS)
        bot.stop()
        self._said = f"killed, it did not end on quit in {QUIT_SECONDS:g} s"
        if end is not None:
            self._said = f"ended with status {end.exit}"

    def end(self) -> str:
        try:
            self.leave()
        finally:
            if self._launcher is not None:
                self._launcher.close()
                self._launcher = None
        return self._said or ""

    def errors(self) -> bytes:
        return b"" if self._bot is None else self._bot.new_errors()


class Person(Occupant):
    """A seat whose decisions are typed."""

    title = who = "human"
    person = True


class RandomPlayer(Occupant):
    """Plays any legal action; the same one whenever the match is in the same position."""

    title = who = "random"

    def hear(self, line: SeatCommand) -> Heard:
        position = line.position
        if position.to_act != line.seat or line.command != position.request:
            return super().hear(line)
        # Seeded by the place in the match, so that a decision taken back comes out the same.
        policy = random_policy(f"{position.seed}|{line.seat}|{position.made}")
        action = policy(position.state, line.seat)
        word = position.game.action_text(position.state, line.seat, action).encode()
        raw = b"= %s\n\n" % word
        return Heard(raw, Reply(Answer(True, word, raw), 0, 0))


def at_once(do: Callable[[Occupant], Result], occupants: Sequence[Occupant]) -> list[Result]:
    """Do something with all occupants, none waiting for another; what it returned, by seat."""
    with ThreadPoolExecutor(len(occupants)) as pool:
        return list(pool.map(do, occupants))


def dismiss(occupants: Sequence[Occupant]) -> None:
    """Have all occupants leave; what our machine fails to end there `begin` starts anew all the same."""
    with suppress(VoidMatch):
        at_once(lambda occupant: occupant.leave(), occupants)
