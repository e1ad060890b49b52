"""The newest exchanges between the table and its seats, for people to read."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arbiter.games.game import Command, Seat  # needed at run time for a schema
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.games.game import AnyGame
    from arbiter.match.position import Position
    from arbiter.table.interactive.setup import TranscriptEntry

MOST = 20_000
"""The most exchanges kept."""
MOST_CHARACTERS = 16_000_000
"""The most characters of replies and standard error kept."""
LONGEST = 4_000
"""The most bytes kept of one reply, one command and one piece of standard error."""


@dataclass(frozen=True, slots=True)
class LoggedExchange:
    """One command, numbered from 1, and its reply, after `at` decisions; JSON values, times in ms.

    `raw` has escapes for all but printable ASCII; `stderr` is the output there meanwhile.
    `secret_command` and `secret_answer` are True if the words reveal cards that other seats do not know.
    """

    n: int
    seat: Seat
    command: Command
    raw: str
    wall_ms: float
    charged_ms: float
    kind: str
    problem: str
    explanation: str
    stderr: str
    at: int
    by_hand: bool
    secret_command: bool
    secret_answer: bool

    def lines(self) -> Iterator[str]:
        """Yield the lines of the exchange in a log file: command, reply, standard error."""
        by_hand = "  by hand" if self.by_hand else ""
        yield f"{self.n}  seat {self.seat}  > {self.command}{by_hand}"
        if self.raw:
            yield f"    < {self.raw}  {self.wall_ms:.1f} ms, charged {self.charged_ms:.1f} ms"
        if self.problem:
            yield f"    {self.kind}: {self.problem}"
        for line in self.stderr.splitlines():
            yield f"    stderr: {line}"


class SecretCommands:
    """Learns from play which of a game's commands contain hidden cards, and which answers are hidden."""

    def __init__(self) -> None:
        self._commands: set[str] = set()
        self._requests: set[str] = set()

    def classify(self, entry: TranscriptEntry, position: Position) -> tuple[bool, bool]:
        """Learn from an exchange in a position; return whether its command and its good answer are secret."""
        game, state = position.game, position.state
        heard = Counter(spoken.command for spoken in position.news)
        private = {_command_name(command) for command, seats in heard.items() if seats < game.seats}
        # Greetings, such as the seat numbers, reveal no cards.
        self._commands |= private - {_command_name(said) for wording in game.greeting() for said in wording}
        verb = _command_name(entry.command)
        if not entry.word:
            return verb in self._commands, verb in self._requests and not entry.problem
        action = position.parse(entry.word)
        revealed = game.revealed(state, entry.seat, action, state.apply(entry.seat, action))
        if is_hidden := all(seat != entry.seat for seat, _ in revealed):
            self._requests.add(verb)
        return verb in self._commands, is_hidden


class Exchanges:
    """The newest exchanges; one thread adds, any thread reads."""

    def __init__(self) -> None:
        self._kept: deque[LoggedExchange] = deque()
        self._size = 0
        self._secrets: dict[AnyGame, SecretCommands] = {}
        self.number = 0
        """The number of the last exchange."""

    def add(self, entry: TranscriptEntry, stderr: bytes, explanation: str, position: Position | None) -> None:
        """Add an exchange in a position, and drop the oldest above the limits."""
        self.number += 1
        secret = (False, False)
        if position is not None:
            secret = self._secrets.setdefault(position.game, SecretCommands()).classify(entry, position)
        exchange = LoggedExchange(
            self.number,
            entry.seat,
            escaped_text(entry.command.encode(errors="surrogateescape")),
            escaped_text(entry.raw),
            entry.wall_ns / 1e6,
            entry.charged_ns / 1e6,
            entry.kind,
            entry.problem[:LONGEST],
            explanation,
            stderr_text(stderr),
            0 if position is None else position.made,
            entry.by_hand,
            *secret,
        )
        self._kept.append(exchange)
        self._size += _size(exchange)
        while len(self._kept) > MOST or self._size > MOST_CHARACTERS:
            self._size -= _size(self._kept.popleft())

    def forget(self, number: int) -> None:
        """Drop all exchanges up to a number."""
        while self._kept and self._kept[0].n <= number:
            self._size -= _size(self._kept.popleft())

    def after(self, number: int, most: int = MOST) -> list[LoggedExchange]:
        """Return at most `most` exchanges after a number, in order."""
        # An atomic copy, since another thread may add.
        kept = list(self._kept)
        first = max(0, number + 1 - kept[0].n) if kept else 0
        return kept[first : first + most]

    @property
    def oldest(self) -> int:
        """The number of the oldest kept exchange, or of the next one if the log is empty."""
        kept = list(self._kept)
        return kept[0].n if kept else self.number + 1


def _command_name(command: Command) -> str:
    return command.partition(" ")[0]


def escaped_text(raw: bytes) -> str:
    r"""Return bytes with escapes such as ``\n``, ``\x07`` and ``\xff``, as in the console."""
    return repr(raw[:LONGEST])[2:-1] + ("..." if len(raw) > LONGEST else "")


def stderr_text(said: bytes) -> str:
    """Return the end of standard error as text, with escapes for control characters."""
    return printable(said[-LONGEST:].decode(errors="backslashreplace"))


def _size(exchange: LoggedExchange) -> int:
    return len(exchange.raw) + len(exchange.stderr) + len(exchange.command) + len(exchange.problem)
