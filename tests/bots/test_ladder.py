"""The ladders of opponents: their seasons, what the page says of them, and the tool that writes it."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from arbiter.match.clock import TimeControl
from arbiter.season.config import load
from tests.bench import ladder
from tests.bench.ladder import CONFIGS, GAMES, PAGE, ROOT

RUNGS = {"planning": 6, "codepiece": 6, "dou_dizhu": 6, "chefs_hat": 5}
APART = {"codepiece": 70}
"""Elo between two rungs, else 80: in Codepiece aces and high seldom meet, and stand 75 apart, give or take 65."""
ROW = re.compile(r"\| *(\d*) \| ([\w-]+) \| ([+-]\d+) ± (\d+) \| (.*) \| ([\d.]+) \| (\d+) \|")


@pytest.mark.parametrize("game", GAMES)
def test_a_ladder_is_a_long_season_under_the_limits_it_tells(game: str) -> None:
    config = load(str(CONFIGS / f"{game}.yaml"))
    assert config.game.name == game
    assert config.rounds >= 100
    assert config.limits.time == TimeControl.parse("10s")
    assert config.limits.isolation == "auto"


@pytest.mark.parametrize("game", GAMES)
def test_the_page_tells_every_bot_of_a_ladder_as_it_is(game: str) -> None:
    text = ladder.kept(PAGE.read_text())[GAMES[game]]
    bots = ladder.bots_of(CONFIGS / f"{game}.yaml")
    assert {row[2] for row in ROW.finditer(text)} == set(bots)
    assert set(ladder.entries(bots, bots)) <= set(text.splitlines())


@pytest.mark.parametrize("game", GAMES)
def test_an_idea_is_told_in_two_sentences(game: str) -> None:
    for bot in ladder.bots_of(CONFIGS / f"{game}.yaml").values():
        told = ladder.idea(ROOT / bot.file)
        assert len(re.findall(r"[.?!](?= |$)", told)) == 2, (bot.file, told)


@pytest.mark.parametrize("game", GAMES)
def test_rungs_stand_apart_and_nobody_faulted_in_the_season_of_the_page(game: str) -> None:
    text = ladder.kept(PAGE.read_text())[GAMES[game]]
    assert ", no faults." in text
    rungs = [(int(row[1]), int(row[3])) for row in ROW.finditer(text) if row[1]]
    assert [number for number, _ in rungs] == list(range(len(rungs), 0, -1))
    assert len(rungs) >= RUNGS[game]
    assert all(above - below >= APART.get(game, 80) for (_, above), (_, below) in pairwise(rungs)), rungs


@pytest.mark.process
def test_a_section_has_a_row_and_an_entry_for_each_bot(tmp_path: Path) -> None:
    bots = Path(os.path.relpath(ROOT / "bots" / "python", tmp_path))
    config = tmp_path / "small.yaml"
    config.write_text(
        f"""
season: small
game: {{name: planning, seats: 2, deals: [[1, 0]]}}
rounds: 1
seed: {"s" * 32}
isolation: plain
players:
  - {{name: chance, command: [python3, -S, {bots}/planning_random.py]}}
  - {{name: other, command: [python3, -S, {bots}/planning_random.py, --seed, "2"]}}
"""
    )
    assert ladder.play(config) == 0
    text = ladder.section(config)
    assert ": 1 rounds, 2 matches, no faults." in text
    rows = list(ROW.finditer(text))
    assert [row[1] for row in rows] == ["2", "1"]
    assert [row[5].endswith("% of 2") for row in rows] == [True, False]
    command = "`python3 -S bots/python/planning_random.py --seed 2`"
    assert any(line.startswith("- **other**: ") and line.endswith(command) for line in text.splitlines())


def test_bots_whose_packages_are_missing_are_skipped_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ladder, "distributions", lambda name: [] if name == "rlcard" else [name])
    monkeypatch.setattr(ladder, "play", lambda _: pytest.fail("played"))
    ladder.main(["dou_dizhu_adapters"])
    assert "skipped, not installed: rlcard==1.2.0 (rlcard)\n" in capsys.readouterr().out


def test_a_page_keeps_what_it_has_of_other_games() -> None:
    sections = {"Planning": "\nfirst\n", "Dou Dizhu": "\nsecond\n"}
    assert ladder.kept(ladder.page(sections)) == sections


@pytest.mark.parametrize("file", sorted((ROOT / "bots" / "cpp").glob("*.[ch]*")), ids=lambda file: file.name)
def test_a_bot_in_cpp_can_be_read_at_a_sitting(file: Path) -> None:
    assert len(file.read_text().splitlines()) < 600
