"""A season opened from Python shows what the commands show."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import arbiter
from arbiter.cli import exit_code
from arbiter.errors import ConfigError, StoreError
from arbiter.match.packing import pack_match
from arbiter.season import administration
from arbiter.season.results import SeasonResults
from arbiter.store import OrderKind
from arbiter.text import UNMARKED
from tests.fixtures.zoo import CLEAN, Kept

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def season(shown: Kept) -> Iterator[arbiter.SeasonReader]:
    with arbiter.open_season(shown.file) as opened:
        yield opened


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    """What a command prints as JSON."""
    assert exit_code([*map(str, words), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def as_json(value: object) -> Any:
    return json.loads(json.dumps(value))


def test_methods_return_what_the_commands_print(
    season: arbiter.SeasonReader, shown: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    assert as_json(season.standings()) == printed(capsys, "standings", shown.file)
    assert as_json(season.standings(1)) == printed(capsys, "standings", shown.file, "--after-round", 1)
    official = printed(capsys, "standings", shown.file, "--after-round", 1, "--official")
    first = official["first"]
    plain = first["say"].translate(UNMARKED)
    assert plain != first["say"]
    expected = {**official, "first": {**first, "say": plain}}
    assert as_json(season.standings(1, official=True)) == expected
    assert as_json(season.history()) == printed(capsys, "standings", shown.file, "--history")
    assert as_json(season.crosstable()) == printed(capsys, "crosstable", shown.file)
    for given, words in (((), ()), ((1,), ("--round", 1)), ((None, "p1"), ("--player", "p1"))):
        listed = printed(capsys, "matches", shown.file, *words)["matches"]
        unmarked = [{**row, "say": row["say"].translate(UNMARKED)} for row in listed]
        assert as_json(season.matches(*given)) == unmarked != listed
    status = printed(capsys, "status", shown.file)
    assert {**as_json(season.status()), "moment": ""} == {**status, "moment": ""}
    assert as_json(season.record(CLEAN).to_json()) == printed(capsys, "show", shown.file, CLEAN)


def test_earlier_runs_of_a_match_are_in_words_without_marks(kept: Kept) -> None:
    results = SeasonResults(kept.config, kept.season)
    administration.annul(results, [CLEAN], "power cut", replay=True)
    match = pack_match(kept.match(CLEAN))
    administration.replace_match(results, match, OrderKind.REPLAYED, lambda _: True)
    with arbiter.open_season(kept.file) as season:
        (row,) = (row for row in season.matches() if "rejudged" in row)
    assert "\u2068" not in row["rejudged"][0]["before"]["say"]


def test_rounds_have_their_progress(season: arbiter.SeasonReader) -> None:
    found = [(one["round"], one["complete"], one["stored"], one["matches"]) for one in season.rounds()]
    assert found == [(1, True, 8, 8), (2, True, 8, 8), (3, False, 3, 8)]
    assert len(season.records(1)) == 8


def test_a_fit_of_a_season_is_its_standings(season: arbiter.SeasonReader) -> None:
    rows = {row["player"]: row["elo"] for row in season.standings()["players"]}
    for results in (season, season.counted()):
        assert {row.player: row.elo for row in arbiter.fit(results)} == pytest.approx(rows)


def test_a_season_shows_its_standings_and_a_match_in_a_notebook(season: arbiter.SeasonReader) -> None:
    assert season._repr_html_().count("<tr>") == 1 + len(season.standings()["players"])
    assert str(season).splitlines()[1].split()[1] == season.standings()["players"][0]["player"]
    shown = season.replay(CLEAN)
    assert "<iframe" in shown._repr_html_()
    assert not {"\u2068", "\u2069"} & {*shown.replay["result"]["say"]}


def test_reading_changes_no_file(shown: Kept) -> None:
    before = {path: path.read_bytes() for path in shown.file.parent.glob("*.sqlite")}
    assert before
    with arbiter.open_season(shown.file) as opened:
        opened.standings(), opened.matches(), opened.crosstable(), opened.rounds(), arbiter.fit(opened)
    assert {path: path.read_bytes() for path in before} == before


def test_what_was_played_since_is_read_again(kept: Kept) -> None:
    with arbiter.open_season(kept.file) as opened:
        assert opened.status()["complete"] == 2
        kept.play()
        assert opened.status()["complete"] == 2
        opened.refresh()
        assert opened.status()["complete"] == 3


def test_mistakes_are_one_line(season: arbiter.SeasonReader, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected a complete round, 1 to 2, got 3"):
        season.standings(3)
    with pytest.raises(ConfigError, match="small has no match r009/t01/m0"):
        season.record("r009/t01/m0")
    with pytest.raises(ConfigError, match="no player 'p9'"):
        season.matches(player="p9")
    with pytest.raises(ConfigError, match="round 9"):
        season.matches(9)
    with pytest.raises(ConfigError, match="cannot be read"):
        arbiter.open_season(tmp_path / "none.yaml")
    (tmp_path / "season.yaml").touch()
    with pytest.raises(ConfigError, match=r"is a folder.*season\.yaml"):
        arbiter.open_season(tmp_path)
    (tmp_path / "new.yaml").write_text(
        "game: planning\nplayers: [{name: a, command: [python3]}]\nhouse_bots: [a]\n"
    )
    with pytest.raises(StoreError):
        arbiter.open_season(tmp_path / "new.yaml")
