"""Every error of the project, each with its exit code.

    ArbiterError                                                 1
    ├─ ConfigError       file, line, column, hint                2
    ├─ RulesError
    │  └─ IllegalAction  becomes a fault ``illegal``; never leaves the referee
    ├─ MalformedReply    becomes a fault; never leaves the table
    ├─ BotCheckFailed    a bot failed where it must not          3
    ├─ VoidMatch         our machine failed, not a bot           4
    │  ├─ ProviderOutage  who serves a model failed; no bot is suspected
    │  └─ WorkerLost     a cluster's worker is gone; the match did nothing
    ├─ Anomaly           so many faults that somebody must look  4
    ├─ StoreError        unreachable, locked, newer schema       5
    │  └─ NoStore        none there yet
    └─ Interrupted       somebody asked to stop                  130

A message is one line that names the thing and, where there is one, the fix.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class ArbiterError(Exception):
    """Base of all errors; `exit_code` is what the command line returns for it."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a configuration: where it stands and what to do about it.

    `path` leads to the key (mapping keys and list indices); `line` and `column` count from 1,
    0 where the mistake is not tied to a place; `about` names whose mistake it is, "" where the path says it.
    """

    path: tuple[str | int, ...]
    message: str
    hint: str = ""
    line: int = 0
    column: int = 0
    about: str = ""

    def text(self, file: str = "") -> str:
        """The problem as one line, ``file:line:column: path: message (hint)``."""
        place = file
        if self.line:
            place += f":{self.line}:{self.column}"
        parts = [place, ".".join(map(str, self.path)), self.about, self.message]
        line = ": ".join(part for part in parts if part)
        return f"{line} ({self.hint})" if self.hint else line


class ConfigError(ArbiterError):
    """The configuration or the command line is wrong; carries every problem found at once."""

    exit_code = 2

    def __init__(self, problems: Sequence[Problem] | str, file: str = "", hint: str = "") -> None:
        if isinstance(problems, str):
            problems = [Problem((), problems, hint)]
        self.problems = tuple(problems)
        self.file = file
        super().__init__("\n".join(problem.text(file) for problem in self.problems))


class RulesError(ArbiterError):
    """The rules of a game were used wrongly."""


class IllegalAction(RulesError):
    """An action that the rules do not allow; the text gives the reason in the game's words.

    `named` is the action's word where the reason begins with it; `fix` what its author changes, "" where the
    reason says that already.
    """

    def __init__(self, reason: str, named: str = "", fix: str = "") -> None:
        super().__init__(reason)
        self.named, self.fix = named, fix

    def with_word(self, word: str) -> str:
        """The reason, with the word that was refused in front unless the reason begins with it."""
        return str(self) if word == self.named else f"{word[:60]}: {self}"


class MalformedReply(ArbiterError):
    """Bytes from a bot that are no reply; `kind` is the kind of fault.

    `seat` is None but where the fault is that of another bot than the one that was to reply. `private` is
    what the bot itself wrote of it, for its author; `detail` is that and the reason.
    """

    def __init__(
        self, kind: str, reason: str, reply: bytes = b"", seat: int | None = None, private: str = ""
    ) -> None:
        self.kind, self.reason, self.reply, self.seat, self.private = kind, reason, reply, seat, private
        self.detail = f"{reason}: {private}" if private else reason
        super().__init__(self.detail)


class BotCheckFailed(ArbiterError):
    """A bot failed where it must not."""

    exit_code = 3


class VoidMatch(ArbiterError):
    """Our own failure ended a match: no result, to be played again under the same id.

    `billed` maps each player to the tokens of questions and of answers that its language model had used.
    """

    exit_code = 4
    billed: Mapping[str, tuple[int, int]] = {}


class ProviderOutage(VoidMatch):
    """The provider of a language model failed: nobody at the table has made the match void."""


class WorkerLost(VoidMatch):
    """The worker of a cluster that was to play a match is gone or paused; workers come and go."""


class Anomaly(ArbiterError):
    """A round has so many faults that the organiser should look before more is played."""

    exit_code = 4


class StoreError(ArbiterError):
    """The store cannot be reached, is locked, read-only, damaged or of a newer schema."""

    exit_code = 5


class NoStore(StoreError):
    """There is no store yet at the address that is to be read."""


class Interrupted(ArbiterError):
    """Somebody asked a command to stop, and it did, in good order."""

    exit_code = 130


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word, or lists the known ones where none is near.

    >>> did_you_mean("comand", ["command", "name"])
    'did you mean command?'
    """
    known = list(known)
    return slip_of(word, known) or "known: " + ", ".join(known)


def slip_of(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word, "" where none is near."""
    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else ""


def came_of_a_signal(error: BaseException) -> bool:
    """True where an error arose while an interrupt was on its way, as of a library that it left half done."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause is not None
