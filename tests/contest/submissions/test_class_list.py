"""`authors add --csv` with teams and students: all or nothing, the same file twice, a token for each student."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.submissions.author_accounts import hash_of
from arbiter.contest.submissions.class_list import class_rows, read_rows
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.store import SeasonStore
    from tests.fixtures.commands import Run

CLASS = "Team,student,email\nfoxes,ann,ann@uni.example\nfoxes,ben\n\nowls,=Dora,d@uni.example\nsolo,solo,\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "class.csv"
    made.write_text(CLASS)
    return made


def add(arbiter: Run, kept: Kept, file: Path, *more: object) -> tuple[int, str, str]:
    return arbiter("authors", "add", kept.file, "--csv", file, *more)


def people(season: SeasonStore) -> dict[str, list[str]]:
    return {team: [one.name for one in found] for team, found in season.members.all().items()}


def test_each_student_gets_a_token_and_acts_for_the_team(arbiter: Run, kept: Kept, file: Path) -> None:
    codes = file.with_name("codes.csv")
    code, out, err = add(arbiter, kept, file, "--codes", codes)
    assert (code, out) == (0, "")
    assert "3 teams and 4 students added of 4 lines" in err
    assert codes.stat().st_mode & 0o777 == 0o600
    rows = list(csv.DictReader(codes.read_text().splitlines()))
    assert [(row["team"], row["student"], row["email"]) for row in rows] == [
        ("foxes", "ann", "ann@uni.example"),
        ("foxes", "ben", ""),
        ("owls", "'=Dora", "d@uni.example"),
        ("solo", "solo", ""),
    ]
    found = [kept.season.authors.by_token(hash_of(row["token"])) for row in rows]
    assert [one and one.who for one in found] == ["foxes/ann", "foxes/ben", "owls/=Dora", "solo"]
    assert b"uni.example" not in kept.file.with_suffix(".sqlite").read_bytes()


def test_a_file_separated_by_semicolons_is_read_alike(tmp_path: Path) -> None:
    file = tmp_path / "teams.csv"
    file.write_text("team;student;email\nfoxes;ann;ann@uni.example\n")
    assert class_rows(read_rows(str(file))) == [(2, "foxes", "ann", "ann@uni.example")]


def test_the_same_file_again_changes_nothing_and_keeps_the_tokens(
    arbiter: Run, kept: Kept, file: Path
) -> None:
    codes = file.with_name("codes.csv")
    add(arbiter, kept, file, "--codes", codes)
    before, log = codes.read_bytes(), kept.season.audit.last(99)
    code, out, err = add(arbiter, kept, file, "--codes", codes)
    assert (code, out, "0 students added of 4 lines" in err) == (0, "", True)
    assert (codes.read_bytes(), kept.season.audit.last(99)) == (before, log)


def test_a_student_who_comes_late_is_the_only_one_added(arbiter: Run, kept: Kept, file: Path) -> None:
    add(arbiter, kept, file)
    file.write_text(CLASS + "owls,emil,\n")
    code, out, _ = add(arbiter, kept, file)
    assert (code, [line.split(",")[:2] for line in out.splitlines()[1:]]) == (0, [["owls", "emil"]])
    assert people(kept.season)["owls"] == ["=Dora", "emil"]


WRONG = {
    "foxes,ann,": ":6:1: ann is on line 2 already",
    "owls,ann,": ":6:1: ann is on line 2 already",
    "f0xes,kim,": ":6:1: the name f0xes looks like foxes, which is taken",
    "foxes,Änn,": ":6:1: the name Änn looks like ann, which is taken",
    "bears,,": ":6:1: the student is empty",
    ",kim,": ":6:1: the team is empty",
    "foxes,kim/x,": ":6:1: not a name: 'kim/x'",
    "p0,kim,": ":6:1: the name p0 is taken",
    "foxes,kim,nowhere": ":6:1: expected an address of mail, got 'nowhere'",
    "foxes,kim,": ":6:1: kim is one too many for the team foxes: at most 2 students",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_line_is_named_and_nothing_is_stored(arbiter: Run, kept: Kept, file: Path, line: str) -> None:
    file.write_text(CLASS.replace("\n\n", "\n") + f"{line}\nbears,gil,\nbears,gil,\n")
    code, out, err = add(arbiter, kept, file, "--team-size", "2", "--codes", file.with_name("codes.csv"))
    assert (code, out) == (2, "")
    assert err.removeprefix(str(file)).startswith(WRONG[line])
    assert f"{file}:8:1: gil is on line 7 already" in err
    assert (people(kept.season), kept.season.authors.all()) == ({}, [])
    assert not file.with_name("codes.csv").exists()


def test_a_student_of_another_team_is_refused(arbiter: Run, kept: Kept, file: Path) -> None:
    add(arbiter, kept, file)
    file.write_text("team,student\nowls,ann\n")
    code, _, err = add(arbiter, kept, file)
    assert (code, "ann is in the team foxes" in err) == (2, True)


def test_a_file_of_tokens_is_never_overwritten(arbiter: Run, kept: Kept, file: Path) -> None:
    codes = file.with_name("codes.csv")
    codes.write_text("mine")
    code, _, err = add(arbiter, kept, file, "--codes", codes)
    assert (code, "File exists" in err, codes.read_text()) == (2, True, "mine")
    assert people(kept.season) == {}


def test_options_for_teams_need_a_file_of_teams(arbiter: Run, kept: Kept, file: Path) -> None:
    file.write_text("name\nann\n")
    for option in (["--codes", file.with_name("codes.csv")], ["--team-size", "3"]):
        code, _, err = add(arbiter, kept, file, *option)
        assert (code, "need a file with the columns team and student" in err) == (2, True)


def test_marks_by_student_are_those_of_the_team(arbiter: Run, kept: Kept, file: Path) -> None:
    add(arbiter, kept, file)
    kept.season.authors.add("alone", "alone", "token", False, "test")
    kept.season.authors.add("gone", "gone", "gone", False, "test")
    kept.season.authors.set_token("gone", None, "test")
    kept.file.write_text(kept.file.read_text() + "submissions: {}\n")
    found = json.loads(arbiter("marks", kept.file, "--students", "--format", "json")[1])
    assert [(one["student"], one["author"]) for one in found] == [
        ("alone", "alone"), ("ann", "foxes"), ("ben", "foxes"), ("", "gone"), ("=Dora", "owls"), ("solo", "solo"),
    ]  # fmt: skip
    lines = arbiter("marks", kept.file, "--students")[1].splitlines()
    assert lines[0].startswith("student,author,version,rank,")
    assert lines[2].startswith("ann,foxes,")
