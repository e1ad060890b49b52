"""The card beside a data set says what it is, what it holds, and what to know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.games import make
from arbiter.match.record import Fault, Forfeit
from arbiter.replay.export.card import DataCard
from arbiter.replay.export.columns import EVENT_COLUMNS, facts
from arbiter.testing import match_spec, play_by_policy, random_policy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from arbiter.match.record import MatchRecord

GAME = make("planning", {"deals": [[2, 0]]})
RECORD = play_by_policy(GAME, random_policy("1"), match_spec(GAME, seed="1"))


def card_of(folder: Path, form: str, records: Sequence[MatchRecord]) -> str:
    card = DataCard(form, facts(GAME, "spring", "a seed that is long enough"))
    assert list(card.count(records)) == list(records)
    file = card.write(str(folder / "games.csv"))
    with open(file) as lines:
        return lines.read()


def test_it_says_how_much_there_is_and_of_what(tmp_path: Path) -> None:
    text = card_of(tmp_path, "events-csv", [replace(RECORD, round=number, table=1) for number in (1, 1, 2)])
    assert text.startswith("# games.csv\n\n3 matches of 2 rounds, 36 decisions; one row for each event")
    assert "| game | `planning` |" in text
    assert "| season | `spring` |" in text
    assert "a seed that is long enough" not in text
    assert "split by rounds" in text
    assert all(f"| `{column}` |" in text for column in EVENT_COLUMNS)


def test_it_says_how_columns_by_name_are_read(tmp_path: Path) -> None:
    assert "lists of `name` and `value` in Parquet" in card_of(tmp_path, "chefs-hat-csv", [RECORD])


def test_a_match_outside_of_a_season_is_not_split_by_rounds(tmp_path: Path) -> None:
    text = card_of(tmp_path, "parquet", [replace(RECORD, round=None, table=None)])
    assert "1 match, 12 decisions; one row for each seat" in text
    assert "split by rounds" not in text


def test_faults_are_counted(tmp_path: Path) -> None:
    forfeit = Forfeit(0, "a", Fault.TIMEOUT, "", "gen_move", "")
    text = card_of(tmp_path, "events-csv", [RECORD, replace(RECORD, points=None, forfeit=forfeit)])
    assert "Matches that a fault ended: timeout 1." in text
    assert "Matches that a fault ended: none." in card_of(tmp_path, "events-csv", [RECORD])


def test_a_hostile_name_stays_within_its_cell(tmp_path: Path) -> None:
    text = card_of(tmp_path, "parquet", [replace(RECORD, players=("a|b`<script>", "b", "c", "d"))])
    assert "<script>" not in text.replace(r"\<script", "")
    assert r"| a\|b" in text


def test_of_a_folder_it_is_the_readme(tmp_path: Path) -> None:
    (tmp_path / "spring-v0").mkdir()
    assert DataCard("minari", {}).write(str(tmp_path / "spring-v0")) == f"{tmp_path}/spring-v0/README.md"
