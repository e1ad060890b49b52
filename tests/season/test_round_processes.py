"""Whole rounds through the command line with real processes: rated, logged, finished, waited for."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from arbiter.store import Store, db_schema
from tests.fixtures.commands import RANDOM
from tests.fixtures.round_processes import (
    GONE_WITHIN_MS,
    ROUND_1,
    quick_config,
    run,
    start,
    stored,
    watched,
    write_config,
)

__all__ = ["quick_config"]

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a season whose first round is complete, with its log and the standings as printed."""
    folder = tmp_path_factory.mktemp("played")
    config = write_config(folder)
    code, out, _ = run("run-round", config, "--format", "json", "--log", folder / "season.log")
    assert code == 0
    (folder / "standings.json").write_text(out)
    return folder


@pytest.fixture
def played(played_once: Path, tmp_path: Path) -> Path:
    """A copy of that, by its season's file."""
    return Path(shutil.copytree(played_once, tmp_path / "played")) / "season.yaml"


def test_a_round_is_rated_and_logged(played: Path) -> None:
    first = json.loads(played.with_name("standings.json").read_text())
    assert first["rounds_played"] == 1
    assert all(row["matches"] == 4 and row["results"] == 12 for row in first["players"])
    assert all(row["low"] < row["elo"] < row["high"] for row in first["players"])
    lines = played.with_name("season.log").read_text().splitlines()
    assert {line.split()[1].rstrip(":") for line in lines if " r001/" in line} == ROUND_1
    assert all(line[:2] == "20" for line in lines)
    assert any("round 1: 8 matches in" in line for line in lines)
    code, _, err = run("run-round", played, "--log", played.parent)
    assert (code, "is a directory" in err.lower()) == (2, True)


def test_after_the_last_round_the_command_says_so_and_tells_the_seed(played: Path) -> None:
    code, out, _ = run("run-round", played)
    assert (code, "2 rounds played" in out, len(stored(played))) == (0, True, 16)
    code, out, err = run("run-round", played)
    assert (code, "2 rounds played" in out) == (0, True)
    assert "all 2 rounds of season are complete; its seed was " + "s" * 32 in err


def test_a_begun_round_is_finished_under_its_settings_though_the_file_says_others(played: Path) -> None:
    before = stored(played)
    file = played.with_suffix(".sqlite")
    with closing(Store(f"sqlite:///{file}")) as store, store.transaction() as connection:
        connection.execute(sa.delete(db_schema.matches).where(db_schema.matches.c.id.like("r001/t02/%")))
        connection.execute(sa.delete(db_schema.ratings))
        connection.execute(sa.update(db_schema.rounds).values(complete=False))
    played.write_text(played.read_text().replace("time: 60s", "time: 50s", 1))
    code, _, err = run("run-round", played, "--accept-changes")
    assert code == 0
    assert (
        "arbiter: round 1 began under other settings and is finished under those;"
        " changed since: time: 60s -> 50s" in err
    )
    assert "accepted" not in err
    assert stored(played) == before
    code, _, err = run("run-round", played)
    assert (code, "changed since round 1, which is complete: time: 60s -> 50s" in err) == (2, True)


def test_a_second_coordinator_is_told_who_plays_and_so_is_status(played: Path) -> None:
    with closing(Store(f"sqlite:///{played.with_suffix('.sqlite')}")) as store, store.hold():
        code, _, err = run("run-round", played)
        shape = json.loads(run("status", played, "--format", "json")[1])
    me = f"process {os.getpid()} on {platform.node()} since "
    assert (code, me in err) == (5, True)
    assert (shape["complete"], shape["round"], shape["played_by"].startswith(me)) == (1, None, True)
    assert run("status", played)[1] == "season: 1 of 2 rounds complete\nnot being played\n"


def test_who_waits_for_a_round_needs_no_worker_and_can_be_ended(played: Path) -> None:
    played.write_text(played.read_text() + "\nevery: 1h\n")
    process = start("run-season", played)
    assert process.stderr is not None
    assert any("round 2 begins at" in line for line in process.stderr)
    assert not watched(process.pid)
    assert f"played by process {process.pid} " in run("status", played)[1]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=GONE_WITHIN_MS / 1000)
    assert process.returncode == 130
    assert stored(played).keys() == ROUND_1


def test_who_sits_with_a_broken_bot_plays_once_more_with_a_substitute_and_without_it_in_the_next_round(
    quick_config: Path,
) -> None:
    own = json.dumps([*RANDOM.split(), "--seed", "3"])
    text = quick_config.read_text().replace(own, '["false"]')
    text += f"\n  - {{name: h, house: true, command: {json.dumps(RANDOM.split())}}}"
    quick_config.write_text(text + "\nhouse_bots: [h]\nafter_fault: substitute\nsuspend_after: 4\n")
    code, out, err = run("run-round", quick_config)
    assert code == 0
    assert "season, round 1: 4 matches once more after a fault, with substitutes, " in err
    assert "by faults" in out
    ids = set(stored(quick_config))
    again = sorted(ids - ROUND_1)
    assert [match_id[:-1] in ROUND_1 and match_id.endswith("+") for match_id in again] == [True] * 4
    shown = run("show", quick_config, again[0])[1].splitlines()[0]
    assert "h is the substitute in seat " in shown
    assert f"for p3 after a fault in {again[0][:-1]}, and gets no results" in shown
    first = run("show", quick_config, again[0][:-1])[1].splitlines()[0]
    assert first.startswith("played once more for the others' results, with a substitute in seat ")
    assert first.endswith(f", h ({again[0]})")
    assert run("matches", quick_config)[1].count("h (substitute) ") == 4
    games = run("export", quick_config, "--as", "pgn", "--output", "-")[1]
    assert '"h"' not in games
    assert games.count(f'[MatchId "{again[0]}"]') == 3
    rows = {
        row["player"]: row
        for row in json.loads(run("standings", quick_config, "--format", "json")[1])["players"]
    }
    assert sorted(row["wins_by_fault"] for row in rows.values()) == [0] * 6 + [4] * 3
    assert [rows["h"][key] for key in ("matches", "results", "elo")] == [0, 0, None]
    heading = run("standings", quick_config, "--format", "csv")[1].splitlines()[0]
    assert "wins_by_fault" in heading.split(",")
    assert run("verify", quick_config)[0] == 0
    folder = shutil.copytree(quick_config.parent, quick_config.parent / "copy")
    with closing(Store(f"sqlite:///{folder / 'season.sqlite'}")) as store, store.transaction() as connection:
        connection.execute(sa.update(db_schema.rounds).values(complete=False))
        connection.execute(sa.delete(db_schema.matches).where(db_schema.matches.c.id == again[0]))
    shape = json.loads(run("status", folder / "season.yaml", "--format", "json")[1])
    assert (shape["round"]["matches"], shape["round"]["stored"]) == (12, 11)
    code, out, err = run("run-round", quick_config, "--format", "json")
    assert code == 0
    assert "arbiter: p3 is suspended and sits out round 2: its last 4 matches ended by its own fault" in err
    matches = {row["player"]: row["matches"] for row in json.loads(out)["players"]}
    assert (matches["p3"], matches["h"]) == (4, 4)
    assert any("p3: its last 4 matches" in text for text in json.loads(out)["warnings"])


def test_who_fails_the_qualification_is_told_and_suspended_before_round_1(quick_config: Path) -> None:
    text = quick_config.read_text().replace("planning,", "planning, seats: 2,")
    for number in (1, 2, *range(4, 8)):
        text = "\n".join(line for line in text.splitlines() if f"name: p{number}," not in line)
    own = json.dumps([*RANDOM.split(), "--seed", "3"])
    text = text.replace(own, json.dumps([sys.executable, "-c", "import nothing"]))
    text += f"\n  - {{name: h, house: true, command: {json.dumps(RANDOM.split())}}}\nhouse_bots: [h]\n"
    quick_config.write_text(text + "qualify: true\n")
    code, out, err = run("run-round", quick_config, "--format", "json")
    assert (code, "3 players to test" in err, "FAIL p3: starts" in err) == (0, True, True)
    # What it wrote is for its author alone.
    said = "failed qualification: starts: it exited with status 1"
    assert json.loads(out)["suspended"]["p3"] == said
    assert {row["player"]: row["matches"] for row in json.loads(out)["players"]}["p3"] == 0
    assert run("verify", quick_config)[0] == 0
    code, out, _ = run("qualify", quick_config, "--player", "p3")
    assert (code, out.startswith("FAIL p3: starts: ")) == (3, True)
    assert "No module named 'nothing'" in out or "; fix: " in out
    code, out, err = run("qualify", quick_config, "--player", "p3", "--player", "p0", "--format", "json")
    shape = json.loads(out)
    assert (code, shape["ok"], "1 of 2 players failed: p3" in err) == (3, False, True)
    assert [player["failed"] for player in shape["players"]] == ["starts", None]
