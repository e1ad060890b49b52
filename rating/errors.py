"""Errors of `rating`: one tree; each is one line that names the problem and the fix.

    RatingError
    ├─ ResultError      a match, result or table that cannot be counted
    ├─ ReadError        files that cannot be read, or that hold malformed games: each with its line
    └─ OptionError      an argument out of range

Degenerate *results* (an undefeated player, groups that never met, one game, no game) are not errors: they
give finite numbers and a named `Notice` (see `rating.notices`).
"""

from __future__ import annotations

from dataclasses import dataclass


class RatingError(Exception):
    """Base of all errors; the text is one line for people."""


class ResultError(RatingError):
    """A match or result that cannot be counted, such as points for three of four seats."""


@dataclass(frozen=True, slots=True)
class MalformedGame:
    """A malformed game: the file's name, the line (from 1), and the problem."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class ReadError(RatingError):
    """A file that cannot be read or holds malformed games; `problems` lists them, in the order found."""

    def __init__(self, text: str, problems: tuple[MalformedGame, ...] = ()) -> None:
        super().__init__(text)
        self.problems = problems


class OptionError(RatingError):
    """An argument out of range, such as a negative prior."""
