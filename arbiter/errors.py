"""All errors of the project, with their exit codes.

    ArbiterError                                                 1
    ├─ ConfigError       file, line, column, hint                2
    ├─ RulesError
    │  └─ IllegalAction  becomes a fault ``illegal``; never leaves the referee
    ├─ MalformedReply    becomes a fault; never leaves the table
    ├─ BotCheckFailed    a bot failed a required check           3
    ├─ VoidMatch         the machine failed, not a bot           4
    │  ├─ ProviderOutage  the provider of a model failed, not a bot
    │  ├─ NotPrepared     a bot's root, limits or confinement could not be set up
    │  └─ WorkerLost     a cluster's worker is gone
    ├─ Anomaly           too many faults: check before playing   4
    ├─ StoreError        unreachable, locked, newer schema       5
    │  └─ NoStore        the store does not exist yet
    ├─ MissingPackage    an extra is not installed               1
    └─ Interrupted       stopped on request                      130

A message is one line: what is wrong, where, and the fix if there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class ArbiterError(Exception):
    """Base of all errors; `exit_code` is the exit code of the command line."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a configuration: its place, a message and a hint.

    `path` leads to the key (mapping keys and list indices); `line` and `column` count from 1, 0 if unknown;
    `about` names the subject, "" if the path does.
    """

    path: tuple[str | int, ...]
    message: str
    hint: str = ""
    line: int = 0
    column: int = 0
    about: str = ""

    def text(self, file: str = "") -> str:
        """Return the problem as one line, ``file:line:column: path: message (hint)``."""
        place = file
        if self.line:
            place += f":{self.line}:{self.column}"
        parts = [place, ".".join(map(str, self.path)), self.about, self.message]
        line = ": ".join(part for part in parts if part)
        return f"{line} ({self.hint})" if self.hint else line


class ConfigError(ArbiterError):
    """The configuration or the command line is wrong; has all problems found."""

    exit_code = 2

    def __init__(self, problems: Sequence[Problem] | str, file: str = "", hint: str = "") -> None:
        if isinstance(problems, str):
            problems = [Problem((), problems, hint)]
        self.problems = tuple(problems)
        self.file = file
        super().__init__("\n".join(problem.text(file) for problem in self.problems))

    def in_one_line(self, place: str = "") -> Self:
        """Return the error with all problems in one line, for callers in Python; `place` comes first."""
        parts = [problem.text(self.file) for problem in self.problems]
        return type(self)((f"{place}: " if place else "") + "; ".join(parts))


class RulesError(ArbiterError):
    """Wrong use of a game's rules."""


class IllegalAction(RulesError):
    """An action that the rules do not allow; the message is the reason in the game's terms.

    `named` is the action's word if the reason starts with it; `fix` is a hint for the author, or "".
    """

    def __init__(self, reason: str, named: str = "", fix: str = "") -> None:
        super().__init__(reason)
        self.named, self.fix = named, fix

    def with_word(self, word: str) -> str:
        """Return the reason, preceded by the refused word unless it starts with it."""
        return str(self) if word == self.named else f"{word[:60]}: {self}"


class MalformedReply(ArbiterError):
    """Bytes from a bot that are not a valid reply; `kind` is the kind of fault.

    `seat` is the seat at fault if it is not the seat asked. `private` is the bot's own output, for
    its author; `detail` is the reason with it.
    """

    def __init__(
        self, kind: str, reason: str, reply: bytes = b"", seat: int | None = None, private: str = ""
    ) -> None:
        self.kind, self.reason, self.reply, self.seat, self.private = kind, reason, reply, seat, private
        self.detail = f"{reason}: {private}" if private else reason
        super().__init__(self.detail)


class BotCheckFailed(ArbiterError):
    """A bot failed a required check."""

    exit_code = 3


class VoidMatch(ArbiterError):
    """A failure of the machine ended a match: it has no result, and is replayed under the same id.

    `billed` maps each player to the input and output tokens that its language model has used. From
    `arbiter.play` and `arbiter.compare`, `results` are the `MatchResults` of the matches played.
    """

    exit_code = 4
    billed: Mapping[str, tuple[int, int]] = {}
    results: Any = ()


class ProviderOutage(VoidMatch):
    """The provider of a language model failed: no player caused the void match.

    `question` is a model's part of a record whose only call has no answer; {} before any question.
    """

    question: Mapping[str, Any] = {}


class NotPrepared(VoidMatch):
    """A bot's root, limits or confinement could not be set up: no player caused the void match."""


class WorkerLost(VoidMatch):
    """The cluster worker assigned to a match is gone or paused."""


class Anomaly(ArbiterError):
    """A round has too many faults: the organiser should check before more is played."""

    exit_code = 4


class StoreError(ArbiterError):
    """The store cannot be reached, is locked, read-only, damaged or of a newer schema."""

    exit_code = 5


class NoStore(StoreError):
    """The store to read does not exist yet."""


class MissingPackage(ArbiterError, ModuleNotFoundError):
    """A package of an extra is not installed."""


class Interrupted(ArbiterError):
    """A command was stopped on request."""

    exit_code = 130


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint with the nearest known word, or with all known words.

    >>> did_you_mean("comand", ["command", "name"])
    'did you mean command?'
    """
    known = list(known)
    return slip_of(word, known) or "known: " + ", ".join(known)


def slip_of(word: str, known: Iterable[str]) -> str:
    """Return a hint with the nearest known word, "" if none is near."""
    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else ""


def came_of_a_signal(error: BaseException) -> bool:
    """True if an interrupt caused an error, for example in a library that it left in a broken state."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause is not None
