"""PGN as rating programs read it: the tags of a game say who met whom and how it ended; moves are skipped.

    [Event "Spring"]      [Round "3"]      [White "a"]      [Black "b"]      [Result "1/2-1/2"]

    1/2-1/2

White, Black and Result are needed; Round, Event, Table and MatchId (games of one match share it) are taken
where they stand. A game ends where tags begin again. Line by line, so a file may be of any size.

A game that cannot be counted is a Problem with its line, never left out in silence: one of these tags is
missing or broken, a result is none of `1-0`, `0-1`, `1/2-1/2` (an unfinished game, `*`, is one), the moves
end in another result than the tag says (`*` says nothing), moves without tags, a comment never closed.
Other tags may be broken, and an Event may hold quotes that are not escaped.
Comments stand in braces or after a semicolon and may hold anything; a line that starts with % is skipped
(PGN standard of 1994, sections 5, 6 and 8).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rating.errors import Problem

__all__ = ["OUTCOMES", "Game", "read_pgn", "whole_number"]

OUTCOMES = {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "1/2": 0, "½-½": 0}
"""What is written for a result, and what it means for whoever is named first."""

_TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_NAME = re.compile(r"\s*\[\s*([^\W\d][^\s\"\[\]]*)\s")
_QUOTED = re.compile(r'\s*\[\s*\w+\s+"(.*)"\s*\]\s*$')
_READ = {"White", "Black", "Result", "Round", "Event", "Table", "MatchId"}
_ESCAPED = re.compile(r"\\(.)")
_LEADING = re.compile(r"\d{1,15}")
_ENDS = {"1-0", "0-1", "1/2-1/2", "*"}


@dataclass(frozen=True, slots=True)
class Game:
    """One result: `outcome` is +1 where `white` won, 0 for a draw, -1 where `black` won.

    `round` and `table` are -1, `event` and `match` empty where not given; `line` is the game's first.
    """

    white: str
    black: str
    outcome: int
    round: int = -1
    table: int = -1
    event: str = ""
    match: str = ""
    line: int = 0


def whole_number(text: str) -> int:
    """The number that a Round or Table tag starts with, 3 for `3` and `3.2`; -1 for `?`, `-` and `final`."""
    found = _LEADING.match(text)
    return int(found.group()) if found else -1


def read_pgn(lines: Iterable[str], file: str) -> Iterator[Game | Problem]:
    """The games of a PGN file, in order, or what is wrong with them; `file` names it in problems."""
    reader = _Reader(file)
    for number, line in enumerate(lines, start=1):
        yield from reader.take(number, line)
    yield from reader.finish()


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self._comment = 0
        self._begin()

    def _begin(self) -> None:
        """A new game, its first line not met yet."""
        self._first = 0
        self._tags: dict[str, tuple[str, int]] = {}
        self._moves = False
        self._end: tuple[str, int] | None = None
        self._bad: Problem | None = None

    def take(self, number: int, line: str) -> list[Game | Problem]:
        """What this line ends: mostly nothing, a game where tags begin again."""
        done: list[Game | Problem] = []
        if self._comment:
            closed = line.find("}")
            if closed < 0:
                return done
            self._comment = 0
            line = line[closed + 1 :]
        elif line.startswith("%"):
            return done
        elif line.lstrip().startswith("["):
            if self._moves:
                done = self.finish()
            while found := _TAG.match(line):
                name, value = found.groups()
                if name in self._tags:
                    done += self.finish()
                self._first = self._first or number
                self._tags[name] = (value, number)
                line = line[found.end() :]
            if line.lstrip().startswith("["):
                self._first = self._first or number
                self._strange(number, line)
                return done
        if not line.isspace():
            self._movetext(number, line)
        return done

    def _strange(self, number: int, line: str) -> None:
        """A tag that breaks the rules: a fault only where something is to be read from it."""
        named = _NAME.match(line)
        name = named.group(1) if named else ""
        if name == "Event" and (whole := _QUOTED.match(line)):
            # Quotes that were not escaped; it tells events apart all the same.
            self._tags.setdefault(name, (whole.group(1), number))
        elif not name or name in _READ:
            self._fault(number, f'{line.strip()[:40]!r} is no tag: write [Name "value"]')

    def _movetext(self, number: int, line: str) -> None:
        if "{" in line or ";" in line:
            line = self._uncommented(number, line)
        tokens = line.split()
        if not tokens:
            return
        self._first = self._first or number
        self._moves = True
        if not self._tags:
            self._fault(number, "moves without tags: a game starts with [White], [Black] and [Result]")
        if self._end:
            self._fault(number, "moves after the result: the next game lacks its tags")
        if tokens[-1] in _ENDS:
            self._end = (tokens[-1], number)

    def _uncommented(self, number: int, line: str) -> str:
        kept = []
        while line:
            at = min((place for mark in "{;" if (place := line.find(mark)) >= 0), default=len(line))
            kept.append(line[:at])
            if line[at : at + 1] != "{":
                break
            closed = line.find("}", at)
            if closed < 0:
                self._comment = number
                break
            line = line[closed + 1 :]
        return " ".join(kept)

    def _fault(self, number: int, text: str) -> None:
        if self._bad is None:
            self._bad = Problem(self._file, number, text)

    def finish(self) -> list[Game | Problem]:
        """What the lines since the last game amount to, if there are any."""
        if self._comment:
            self._first = self._first or self._comment
            self._fault(self._comment, "this comment is never closed: everything after it is lost")
        done: list[Game | Problem] = [self._bad or self._game()] if self._first else []
        self._begin()
        return done

    def _game(self) -> Game | Problem:
        values: dict[str, str] = {}
        for name in ("White", "Black", "Result"):
            values[name] = self._value(name)
            if not values[name]:
                line = self._tags.get(name, ("", self._first))[1]
                return Problem(self._file, line, f"the game has no {name}")
        result, line = values["Result"], self._tags["Result"][1]
        if result == "*":
            return Problem(self._file, line, "the game is not finished: its result is *")
        if result not in OUTCOMES:
            return Problem(self._file, line, f"{result!r} is no result: write 1-0, 0-1 or 1/2-1/2")
        if values["White"] == values["Black"]:
            return Problem(self._file, self._first, f"{values['White']} plays against itself")
        if self._end and self._end[0] != "*" and OUTCOMES[self._end[0]] != OUTCOMES[result]:
            text = f"the moves end {self._end[0]}, the tag says {result}"
            return Problem(self._file, self._end[1], text)

        return Game(
            values["White"],
            values["Black"],
            OUTCOMES[result],
            whole_number(self._value("Round")),
            whole_number(self._value("Table")),
            self._value("Event").strip("?"),
            self._value("MatchId"),
            self._first,
        )

    def _value(self, name: str) -> str:
        value = self._tags.get(name, ("", 0))[0]
        return (_ESCAPED.sub(r"\1", value) if "\\" in value else value).strip()
