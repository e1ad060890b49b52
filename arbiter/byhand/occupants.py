"""Who may sit in a seat of the referee by hand: a bot's process, a person, a player in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from arbiter.protocol import DONE, Answer
from arbiter.referee import Reply
from arbiter.table.launcher import Launcher
from arbiter.table.single import Heard, SingleBot
from arbiter.testing import random_policy

if TYPE_CHECKING:
    from arbiter.course import Position
    from arbiter.match import Limits, Player
    from arbiter.rules import Command, Seat

QUIT_SECONDS = 1.0


class Line(NamedTuple):
    """One command on its way: to whom, within what time in ns, and where the match stands."""

    seat: Seat
    command: Command
    allowed_ns: int
    position: Position


class Occupant(Protocol):
    """What sits in a seat. `person`: its decisions are typed and not asked for by a command."""

    title: str
    person: bool

    def begin(self, seat: Seat) -> None:
        """Sit down anew, with nothing heard."""

    def hear(self, line: Line) -> Heard:
        """One command, and what comes of it."""

    def end(self) -> str:
        """Leave for good; how that went, in words, "" where there is nothing to tell."""

    def errors(self) -> bytes:
        """What it has written to standard error, as far as that is read."""


class ProcessBot:
    """A bot's process with a launcher of its own, so that it can be started anew alone."""

    person = False

    def __init__(self, title: str, player: Player, limits: Limits) -> None:
        self.title = title
        self._player, self._limits = player, limits
        self._launcher: Launcher | None = None
        self._bot: SingleBot | None = None

    def begin(self, seat: Seat) -> None:
        """Kill the process there is, and start another."""
        if self._bot is not None:
            self._bot.stop()
        if self._launcher is None:
            self._launcher = Launcher()
        self._bot = SingleBot(self._launcher, self._player, self._limits, seat)

    def hear(self, line: Line) -> Heard:
        """The line to its input; its reply."""
        assert self._bot is not None
        return self._bot.say(f"{line.command}\n".encode(errors="surrogateescape"), 1, line.allowed_ns)

    def end(self) -> str:
        """Say ``quit``, wait a moment, kill what is left."""
        said = ""
        try:
            if self._bot is not None:
                end = self._bot.say_goodbye(QUIT_SECONDS)
                self._bot.stop()
                said = f"killed, it did not end on quit in {QUIT_SECONDS:g} s"
                if end is not None:
                    said = f"ended with status {end.exit}"
        finally:
            self._bot = None
            if self._launcher is not None:
                self._launcher.close()
                self._launcher = None
        return said

    def errors(self) -> bytes:
        """The tail of its standard error."""
        return b"" if self._bot is None else self._bot.stderr()


class Person:
    """A seat whose decisions are typed; it reads along."""

    title = "human"
    person = True

    def begin(self, seat: Seat) -> None:
        """Nothing to start."""

    def hear(self, line: Line) -> Heard:  # noqa: ARG002
        """Taken note of."""
        return Heard(b"", Reply(DONE, 0, 0))

    def end(self) -> str:
        """Nothing to end."""
        return ""

    def errors(self) -> bytes:
        """None."""
        return b""


class RandomPlayer:
    """Plays any legal action; the same in every match with the same course."""

    title = "random"
    person = False

    def begin(self, seat: Seat) -> None:
        """Nothing to start."""

    def hear(self, line: Line) -> Heard:
        """``=``, and a legal word to a request."""
        position = line.position
        if position.to_act != line.seat or line.command != position.request:
            return Heard(b"", Reply(DONE, 0, 0))
        # Of the place in the match alone, so that a decision taken back comes out the same.
        policy = random_policy(f"{position.seed}|{line.seat}|{len(position.decisions)}")
        action = policy(position.state, line.seat)
        word = position.game.action_text(position.state, line.seat, action).encode()
        raw = b"= %s\n\n" % word
        return Heard(raw, Reply(Answer(True, word, raw), 0, 0))

    def end(self) -> str:
        """Nothing to end."""
        return ""

    def errors(self) -> bytes:
        """None."""
        return b""
