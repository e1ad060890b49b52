"""A class in one CSV file: a line for each student, with the team, an author whose people they are.

All lines are checked before anything is stored; what is there already is left as it is, so that the same file
can be read again. Addresses are only passed on to the list of tokens, and not stored.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arbiter.contest.submissions.author_accounts import hash_of, looks, new_token, refuse_alike, settled_name
from arbiter.errors import ConfigError, Problem
from arbiter.store.members import NewMember
from arbiter.store.people import MOST_PEOPLE, audit_name

if TYPE_CHECKING:
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

TEAM, STUDENT, EMAIL = "team", "student", "email"
LONGEST_EMAIL = 254
MOST_BYTES = 10_000_000


class ClassRow(NamedTuple):
    """A line of the file: its number, from 1, and the cells."""

    line: int
    team: str
    student: str
    email: str


class Enrolled(NamedTuple):
    """A student who was added, with the token."""

    team: str
    student: str
    email: str
    token: str


def read_rows(path: str) -> list[tuple[int, list[str]]]:
    """Read CSV, separated by commas or semicolons; return the rows that are not empty, each with its line.

    ConfigError if the file is unreadable, or has no row below the heading.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ConfigError(f"has more than {MOST_BYTES} characters", path)
        heading = text.partition("\n")[0]
        # Spreadsheets separate by semicolons where the comma is a decimal mark.
        mark = ";" if ";" in heading and "," not in heading else ","
        reader, rows, line = csv.reader(io.StringIO(text), strict=True, delimiter=mark), [], 1
        for row in reader:
            if any(map(str.strip, row)):
                rows.append((line, [cell.strip() for cell in row]))
            line = reader.line_num + 1
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"is not CSV in UTF-8: {error}", path, "save it as CSV in UTF-8") from None
    if len(rows) < 2:
        raise ConfigError("has no names", path, "expected a heading, then one author a line")
    return rows


def class_rows(rows: list[tuple[int, list[str]]]) -> list[ClassRow] | None:
    """Return the students of rows with the columns `team` and `student`; None without these."""
    heading = [cell.casefold() for cell in rows[0][1]]
    if not {TEAM, STUDENT} <= set(heading):
        return None
    found = []
    for line, row in rows[1:]:
        cells = dict(zip(heading, row, strict=False))
        found.append(ClassRow(line, *(cells.get(name, "") for name in (TEAM, STUDENT, EMAIL))))
    return found


@dataclass
class _Class:
    """The teams and students so far: those of the season, then those of the lines read."""

    config: Config
    stored: SeasonStore
    most: int
    teams: dict[str, str] = field(default_factory=dict)
    """By the looks of the name."""
    students: dict[str, str] = field(default_factory=dict)
    """The team of each by name."""
    alike: dict[tuple[str, str], str] = field(default_factory=dict)
    """Students by team and the looks of the name."""
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each student who was read."""
    sizes: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        authors = self.stored.authors.all()
        self.organisers = {author.name for author in authors if author.organiser}
        self.revoked = {author.name for author in authors if not author.alive}
        self.there = {author.name for author in authors}
        self.others = {looks(entry.registered_name): entry.registered_name for entry in self.config.entries}
        self.teams.update((looks(author.name), author.name) for author in authors)
        for team, people in self.stored.members.all().items():
            if team not in self.organisers:
                self.sizes[team] = len(people)
                for one in people:
                    self._note(team, one.name)

    def _note(self, team: str, student: str) -> None:
        """Record a student of a team, by name and by looks."""
        self.students[student] = team
        self.alike[team, looks(student)] = student

    def add(self, row: ClassRow) -> NewMember | None:
        """Take a line; return the person to add, None if there already. ConfigError if the line is wrong."""
        for column, cell in ((TEAM, row.team), (STUDENT, row.student)):
            if not cell:
                raise ConfigError(f"the {column} is empty", hint="write team,student on each line")
        if len(row.email) > LONGEST_EMAIL or (row.email and "@" not in row.email):
            raise ConfigError(f"expected an address of mail, got {row.email[:60]!r}")
        team, student = settled_name(row.team), settled_name(row.student)
        self._check_team(team)
        if student in self.lines:
            raise ConfigError(
                f"{student} is on line {self.lines[student]} already", hint="write each student once"
            )
        before = self.students.get(student)
        if before not in (None, team):
            hint = f"arbiter authors remove CONFIG {before} {student} takes the student out"
            raise ConfigError(f"{student} is in the team {before}", hint=hint)
        self.lines[student] = row.line
        return self._enter(team, student) if before is None else None

    def _check_team(self, team: str) -> None:
        """Record a team; ConfigError if it looks like another name, is an organiser or revoked."""
        key = looks(team)
        refuse_alike(team, [self.others[key]] if key in self.others else [])
        if self.teams.setdefault(key, team) != team:
            refuse_alike(team, [self.teams[key]])
        if team in self.organisers:
            raise ConfigError(f"{team} is an organiser, who has no members", hint="choose another name")
        if team in self.revoked:
            raise ConfigError(f"the team {team} was revoked", hint="arbiter authors renew gives it a token")

    def _enter(self, team: str, student: str) -> NewMember:
        """Count a new student of a team and return the person; ConfigError for a taken name or full team."""
        member = None if student == team else student
        if member is None and team in self.there:
            raise ConfigError(f"the first person of {team} was removed", hint="arbiter authors renew adds it")
        if member is not None:
            if "/" in member:
                raise ConfigError(f"not a name: {member!r}", hint="leave out the /")
            known = self.alike.get((team, looks(member)))
            refuse_alike(member, [team] if known is None else [team, known])
            named = looks(audit_name(team, member))
            refuse_alike(audit_name(team, member), [self.teams[named]] if named in self.teams else [])
        if self.sizes[team] >= self.most:
            raise ConfigError(f"{student} is one too many for the team {team}: at most {self.most} students")
        self.sizes[team] += 1
        self._note(team, student)
        return NewMember(team, member, (looks(team), looks(student)), "", team not in self.there)


def new_students(
    config: Config, stored: SeasonStore, rows: list[ClassRow], file: str, most: int = MOST_PEOPLE
) -> tuple[list[NewMember], list[Enrolled]]:
    """Return the people to add, and as many lines with their new tokens, without those stored already.

    `most` is the largest number of students in a team. ConfigError has every wrong line of the `file`.
    """
    known, people, given, problems = _Class(config, stored, most), [], [], []
    for row in rows:
        try:
            new = known.add(row)
        except ConfigError as error:
            first = error.problems[0]
            problems.append(Problem((), first.message, first.hint, row.line, 1))
            continue
        if new is not None:
            token = new_token()
            people.append(new._replace(token=hash_of(token)))
            given.append(Enrolled(new.player, new.member or new.player, row.email, token))
    if problems:
        raise ConfigError(problems, file)
    return people, given
