"""The marks of a course: a line for each author, whoever of them is rated."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.submissions.author_accounts import add_authors
from arbiter.season.config import load
from arbiter.season.config.settings_diff import changes
from arbiter.season.snapshot.grades import Grade, grades
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from tests.fixtures.commands import Run


def row(player: str, elo: float | None, **more: Any) -> dict[str, Any]:
    ends = {"low": None, "high": None} if elo is None else {"low": elo - 30, "high": elo + 30}
    return {"player": player, "rank": 0, "elo": elo, **ends, "matches": 8, "faults": {}, **more}


def graded(*rows: dict[str, Any], suspended: dict[str, str] | None = None) -> list[Grade]:
    standings: Any = {"players": list(rows), "suspended": suspended or {}}
    return grades(standings, ["ann", "Ben", "cid"], {"lesson", "greedy"}, ["ann@12", "Ben@1", "cid@1"])


LADDER = row("greedy", 50.0), row("lesson", -200.0)


def test_a_mark_counts_the_rungs_below_and_names_the_best_of_them() -> None:
    ben = row("Ben@1", 60.0, faults={"crash": 2, "illegal": 1})
    found = graded(*LADDER, row("ann@12", 0.0), ben, row("cid@1", -300.0))
    assert found[0] == Grade("Ben", "1", 1, 60.0, 30.0, 90.0, 2, 2, "greedy", 8, 3, "")
    assert [(one.author, one.rank, one.mark, one.above) for one in found] == [
        ("Ben", 1, 2, "greedy"),
        ("ann", 2, 1, "lesson"),
        ("cid", 3, 0, ""),
    ]


def test_the_version_that_plays_counts_and_until_it_is_rated_the_last_one_that_is() -> None:
    versions = row("ann@9", 300.0), row("ann@10", 20.0), row("Ben@1", 0.0), row("Ben@2", 90.0)
    found = {one.author: one for one in graded(*LADDER, *versions, row("ann@12", None))}
    assert (found["ann"].version, found["Ben"].version) == ("10", "1")


def test_equals_share_a_rank_and_who_has_no_rating_is_there_all_the_same() -> None:
    found = graded(*LADDER, row("ann@12", 10.0), row("cid@1", 10.0), suspended={"Ben": "it cheats"})
    assert [(one.author, one.rank, one.elo) for one in found] == [
        ("ann", 1, 10.0),
        ("cid", 1, 10.0),
        ("Ben", None, None),
    ]
    assert found[-1].note == "it cheats"


def test_the_command_writes_a_line_for_each_author_and_none_for_organisers(kept: Kept, arbiter: Run) -> None:
    kept.file.write_text(kept.file.read_text() + "submissions: {}\n")
    add_authors(kept.config, kept.season, ["ann", "ben"], False, "test")
    add_authors(kept.config, kept.season, ["olga"], True, "test")
    code, out, err = arbiter("marks", kept.file)
    assert (code, err) == (0, "")
    found = list(csv.DictReader(io.StringIO(out)))
    assert [(line["author"], line["rank"], line["mark"], line["rungs"]) for line in found] == [
        ("ann", "", "0", "6"),
        ("ben", "", "0", "6"),
    ]
    assert [line["note"] for line in found] == ["sent nothing", "sent nothing"]


def test_where_no_rung_is_rated_a_line_says_why_every_mark_is_none(kept: Kept, arbiter: Run) -> None:
    # As where authors fill all tables: whoever played is one.
    text = kept.file.read_text().replace(", house: true", "") + "submissions: {}\n"
    kept.file.write_text(text)
    for name in {entry.registered_name for entry in kept.config.entries}:
        assert kept.season.authors.add(name, name, f"token of {name}", False, "test")
    code, out, err = arbiter("marks", kept.file)
    assert (code, {line["rungs"] for line in csv.DictReader(io.StringIO(out))}) == (0, {"0"})
    assert "no rung is rated, so every mark is 0" in err


@pytest.mark.parametrize("sent", ["", "submissions: {}\n"])
def test_rungs_of_the_file_are_counted_and_never_ranked(kept: Kept, arbiter: Run, sent: str) -> None:
    text = kept.file.read_text().replace("name: p1,", "name: p1, rung: true,")
    kept.file.write_text(text.replace("name: p4,", "name: p4, rung: true,") + sent)
    now = load(kept.file)
    kept.season.add_round(4, now.digest, [["p0", "p1", "p2", "p3"]], now.settings)
    standings = json.loads(arbiter("standings", kept.file, "--format", "json")[1])["players"]
    elo = {one["player"]: one["elo"] for one in standings}
    found = json.loads(arbiter("marks", kept.file, "--format", "json")[1])
    assert {one["author"] for one in found} == {"p0", "p2", "p3", "p5"}
    for one in found:
        below = [name for name in ("p1", "p4") if elo[name] < one["elo"]]
        assert (one["rungs"], one["mark"]) == (2, len(below))
    official = json.loads(arbiter("standings", kept.file, "--official", "--format", "json")[1])
    assert {row["player"]: row["rank"] for row in official["players"]}.keys() == {"p0", "p2", "p3", "p5"}
    assert not {"p1", "p4"} & set(official["first"]["players"])
    assert [row["marks"] for row in standings if row["player"] == "p4"] == [["rung"]]


def test_a_house_bot_is_no_rung(kept: Kept, arbiter: Run) -> None:
    code, out, err = arbiter("marks", kept.file)
    assert (code, {line["rungs"] for line in csv.DictReader(io.StringIO(out))}) == (0, {"0"})
    assert "rung: true" in err
    kept.file.write_text(kept.file.read_text().replace("house: true", "house: true, rung: true"))
    code, _, err = arbiter("check-config", kept.file)
    assert (code, "a rung plays in every round, and a house bot only to fill up" in err) == (2, True)


def test_a_rung_that_is_one_no_more_is_a_change_that_is_named(kept: Kept) -> None:
    plain = load(kept.file).settings
    kept.file.write_text(kept.file.read_text().replace("name: p1,", "name: p1, rung: true,"))
    marked = load(kept.file).settings
    assert list(changes(plain, marked)) == ["p1 has another rung: null -> true"]
    assert list(changes(marked, plain)) == ["p1 has another rung: true -> null"]
    kept.file.write_text(kept.file.read_text().replace("rung: true", "rung: false"))
    assert load(kept.file).settings == plain


def test_csv_says_how_sure_a_rank_is_and_who_is_not_told_apart(kept: Kept, arbiter: Run) -> None:
    found = {}
    for command in ("standings", "marks"):
        rows = list(csv.DictReader(io.StringIO(arbiter(command, kept.file, "--format", "csv")[1])))
        found[command] = {row["player" if command == "standings" else "author"]: row for row in rows}
        assert all(int(row["rank_low"]) <= int(row["rank"]) <= int(row["rank_high"]) for row in rows)
    close = {name: set(row["not_apart"].split("; ")) - {""} for name, row in found["standings"].items()}
    chance = {
        (row, column): cell["los"]
        for table in [json.loads(arbiter("crosstable", kept.file, "--format", "json")[1])]
        for row, cells in zip(table["players"], table["cells"], strict=True)
        for column, cell in zip(table["players"], cells, strict=True)
        if cell is not None
    }
    assert len(chance) > 6
    assert all((b in close[a]) == (0.025 < better < 0.975) for (a, b), better in chance.items())
    assert all(a in close[b] for a in close for b in close[a])
    assert not any("random" in row["not_apart"] for row in found["marks"].values())
