"""The commands `annul`, `suspend`, `reinstate`, and what the others then say."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.season.snapshot.reader import read_state
from arbiter.season.snapshot.season_figures import row_of
from tests.fixtures.zoo import CLEAN, ILLEGAL

if TYPE_CHECKING:
    from arbiter.season.snapshot.season_state import SeasonState
    from tests.fixtures.commands import Run
    from tests.fixtures.zoo import Kept


@pytest.fixture
def run(kept: Kept, arbiter: Run) -> Run:
    """A command on the kept season: three complete rounds and a fourth begun."""
    return lambda command, *words: arbiter(command, kept.file, *words)


def test_matches_are_annulled_listed_and_taken_back(kept: Kept, run: Run) -> None:
    before = run("standings", "--format", "json")
    code, out, err = run(
        "annul", CLEAN, ILLEGAL, CLEAN.replace("/", " ").upper(), "--because", " a power\ncut "
    )
    assert (code, err) == (0, "")
    assert out.startswith(f"annulled: 2 matches, {CLEAN}, {ILLEGAL}\n")
    assert " -> " in out
    listed = json.loads(run("annul", "--list", "--format", "json")[1])
    assert [(row["match"], row["state"], row["because"], row["until"]) for row in listed] == [
        (CLEAN, "annulled", "a power cut", None),
        (ILLEGAL, "annulled", "a power cut", None),
    ]
    for number, public in ((1, True), (2, False)):
        kept.season.clarifications.ask("p1", "p1", f"What of {CLEAN}?", 9)
        kept.season.clarifications.answer(number, "It does not count.", public, "olga")
    code, out, err = run("annul", "--undo", "--round", "1", "--because", "the lamp lied")
    assert (err.count("names such a match"), "answer to question 1 names" in err) == (1, True)
    assert out.startswith("counted again: 2 matches")
    assert " -> " in out
    listed = json.loads(run("annul", "--list", "--format", "json")[1])
    assert [(row["state"], row["undone_because"]) for row in listed] == [
        ("counted again", "the lamp lied")
    ] * 2
    assert run("annul", "--list")[1].count("the lamp lied") == 2
    assert run("standings", "--format", "json") == before


def test_standings_name_one_who_sits_out_and_count_several(run: Run) -> None:
    run("suspend", "p1", "--because", "x")
    assert "note: p1 is suspended: x\n" in run("standings")[1]
    run("suspend", "p2", "--because", "y")
    out = run("standings")[1]
    assert "note: 2 players are suspended (arbiter status names them)\n" in out
    assert "p1 is suspended" not in out


def test_a_player_without_matches_has_none(kept: Kept, run: Run) -> None:
    kept.file.write_text(kept.file.read_text() + "  - {name: late, command: [python3]}\n")
    assert run("annul", "--player", "late", "--because", "x")[::2] == (2, "arbiter: late has no match\n")


def test_of_another_season_those_are_named_that_the_store_holds(kept: Kept, run: Run) -> None:
    kept.file.write_text(kept.file.read_text().replace("season: small", "season: large"))
    code, _, err = run("status")
    assert code == 5
    assert err.endswith("has no season large yet; it has small: check season: in the file\n")


def test_a_round_or_a_players_matches_are_annulled_at_once(kept: Kept, run: Run) -> None:
    code, out, _ = run("annul", "--round", "2", "--player", "p3", "--because", "x", "--format", "json")
    assert code == 0
    playing = [match.id for match in kept.season.summaries() if match.round == 2 and "p3" in match.players]
    assert json.loads(out)["subjects"] == playing
    assert run("annul", "--round", "2", "--player", "p3", "--because", "x")[2] == (
        f"arbiter: each of these {len(playing)} matches is annulled already\n"
    )


def test_every_command_says_what_is_annulled(kept: Kept, run: Run, tmp_path: object) -> None:
    run("annul", CLEAN, "--because", "the wrong <cards>")
    assert "annulled: the wrong <cards>" in run("matches", "--round", "1")[1]
    (row,) = [
        row for row in json.loads(run("matches", "--format", "json")[1])["matches"] if row["id"] == CLEAN
    ]
    assert row["annulled"] == "the wrong <cards>"
    assert run("show", CLEAN)[1].startswith(f"{CLEAN} annulled since ")
    code, out, err = run("export", "--as", "jsonl", "--output", "-")
    assert f"left out: 1 annulled match, {CLEAN}" in err
    assert CLEAN not in [json.loads(line)["id"] for line in out.splitlines()]
    code, out, err = run("verify")
    assert code == 0
    assert f"{CLEAN}: annulled since " in err
    assert "1 match annulled" in out


def test_who_is_suspended_is_shown_with_the_reason(kept: Kept, run: Run) -> None:
    code, out, err = run("suspend", "p2", "--because", "it reads others' files")
    assert (code, out.splitlines()[0], err) == (0, "p2 is suspended from the next round on", "")
    assert json.loads(run("standings", "--format", "json")[1])["suspended"] == {
        "p2": "it reads others' files"
    }
    assert json.loads(run("status", "--format", "json")[1])["suspended"] == {"p2": "it reads others' files"}
    assert "suspended: p2: it reads others' files\n" in run("status")[1]
    out = run("standings")[1]
    assert any(line.split()[1:2] == ["p2"] and line.endswith("suspended") for line in out.splitlines())
    assert "note: p2 is suspended: it reads others' files" in out
    assert run("reinstate", "p2")[:2] == (0, "p2 plays again from the next round on\n")
    assert json.loads(run("status", "--format", "json")[1])["suspended"] == {}


def test_standings_mark_house_and_withdrawn_players_and_official_ones_leave_them_out(
    kept: Kept, run: Run
) -> None:
    kept.file.write_text(kept.file.read_text().replace("  - {name: p5, command: [python3]}\n", ""))
    now = load(kept.file)
    kept.season.add_round(4, now.digest, [["p0", "p1", "p2", "p3"]], now.settings)
    rows = json.loads(run("standings", "--format", "json")[1])["players"]
    marks = {row["player"]: row["marks"] for row in rows}
    assert marks["p5"] == ["withdrawn"]
    assert {name for name, found in marks.items() if found == ["house"]} >= {"random"}
    official = json.loads(run("standings", "--official", "--format", "json")[1])["players"]
    assert {row["player"] for row in official} == {f"p{n}" for n in range(5)}
    assert [row["rank"] for row in official] == sorted(row["rank"] for row in official)
    assert " is ahead after 2 rounds" in run("standings", "--official")[1]


@pytest.mark.parametrize(
    "words", [("suspend", "revoke"), ("revoke", "suspend")], ids=["suspended first", "revoked first"]
)
def test_an_author_who_is_suspended_and_has_no_token_leaves_the_official_table(
    kept: Kept, arbiter: Run, words: tuple[str, str]
) -> None:
    kept.file.write_text(kept.file.read_text() + "submissions: {}\n")
    assert kept.season.authors.add("p5", "p5", "token", False, "test")
    commands = {
        "suspend": ["suspend", kept.file, "p5", "--because", "withdrew"],
        "revoke": ["authors", "revoke", kept.file, "p5"],
        "renew": ["authors", "renew", kept.file, "p5"],
    }

    def place(before: SeasonState | None) -> tuple[SeasonState, int | None]:
        """The state as a site reads it, and the official rank of p5."""
        now = read_state(config, kept.season, before)
        return now, {row["player"]: rank for row, rank in now.official}["p5"]

    config = load(kept.file)
    state, rank = place(None)
    assert rank is not None
    assert arbiter(*commands[words[0]])[0] == 0
    state, rank = place(state)
    assert rank is not None
    assert arbiter(*commands[words[1]])[0] == 0
    state, rank = place(state)
    assert rank is None
    row = row_of(state, "p5")
    assert row is not None
    assert "withdrawn" in row["marks"]
    assert arbiter(*commands["renew"])[0] == 0
    assert place(state)[1] is not None


def test_nobody_has_won_a_season_that_goes_on_after_its_seed_was_told(kept: Kept, run: Run) -> None:
    *_, last, begun = kept.season.rounds()
    kept.season.publish_seed(last.number)
    assert " is ahead after 2 rounds" in run("standings", "--official")[1]
    kept.season.drop_round(begun.number)
    assert " won; by these results places " in run("standings", "--official")[1]


def test_the_csv_of_standings_has_faults(run: Run) -> None:
    rows = {row["player"]: row for row in csv.DictReader(io.StringIO(run("standings", "--format", "csv")[1]))}
    shape = json.loads(run("standings", "--format", "json")[1])["players"]
    assert {row["player"]: sum(row["faults"].values()) for row in shape} == {
        name: int(row["faults"]) for name, row in rows.items()
    }
    assert any(row["fault_kinds"] for row in rows.values())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("annul", "expected match ids, or --round or --player"),
        ("annul r001/t01/m0 --round 2 --because x", "expected match ids, or --round or --player"),
        ("annul r001/t01/m0", "--because is missing"),
        ("annul r001/t01/m9 --because x", "there is no match 'r001/t01/m9'"),
        ("annul --round 9 --because x", "there is no round 9; the last is 3"),
        ("annul --round 9 --player p3 --because x", "there is no round 9; the last is 3"),
        ("annul --undo --round 9", "there is no round 9; the last is 3"),
        ("annul --player p2@7 --because x", "p2@7 has no match"),
        ("annul --player p99 --because x", "no player 'p99'"),
        ("annul --undo --round 1", "each of these 8 matches counts"),
        ("annul --undo r001/t01/m0", "r001/t01/m0 is not annulled now"),
        ("annul --undo r001/t01/m0 --replay", "--undo cannot be combined"),
        ("annul --list r001/t01/m0", "--list takes no other option and no match"),
        ("suspend p2", "--because is missing"),
        ("suspend nobody --because x", "no player 'nobody'"),
        ("suspend \udcff --because x", r"no player '\udcff'"),
        ("suspend p2 --because \udcff", "the reason has a NUL or half a surrogate pair"),
        ("reinstate p2", "p2 is not suspended"),
        ("standings --official --history", "--official cannot be combined with --history"),
    ],
)
def test_mistakes_are_one_line_and_change_nothing(kept: Kept, run: Run, words: str, message: str) -> None:
    command, *rest = words.split()
    code, out, err = run(command, *rest)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert kept.season.orders.read().given == ()


def test_whoever_plays_hears_of_it(kept: Kept, run: Run) -> None:
    with kept.store.hold(kept.config.season):
        code, _, err = run("annul", CLEAN, "--because", "x")
    assert code == 0
    assert err.endswith("plays the season; the order applies before it plans or rates a round\n")
    assert CLEAN not in [match.id for match in Season(kept.config, kept.season).results.counted()]


def test_commands_that_start_nobody_need_no_house_bot(kept: Kept, run: Run) -> None:
    kept.file.write_text(kept.file.read_text().replace("house_bots: [random]\n", ""))
    commands: list[tuple[str, ...]] = [
        ("standings",),
        ("status",),
        ("verify",),
        ("annul", CLEAN, "--because", "x"),
        ("suspend", "p1", "--because", "x"),
        ("reinstate", "p1"),
    ]
    for command in commands:
        assert (command[0], *run(*command))[:2] == (command[0], 0)
    code, _, err = run("check-config")
    assert code == 2
    assert "6 players do not fill tables of 4" in err
