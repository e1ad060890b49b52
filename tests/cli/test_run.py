"""`run-round` and `run-season`: what they say before the first match."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from arbiter.cli.run import note_new_season
from arbiter.store import Store
from tests.fixtures.commands import RANDOM

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "spring.yaml"
    lines = ["game: {name: planning, deals: [[1, 0]]}", "isolation: plain", "rounds: 2", "players:"]
    lines += [f"  - {{name: p{n}, command: {json.dumps(RANDOM.split())}}}" for n in range(4)]
    path.write_text("\n".join(lines))
    return path


def with_seasons(file: Path, *names: str) -> None:
    store = Store(f"sqlite:///{file}")
    for name in names:
        store.make_season(name, "planning", "1")
    store.close()


@pytest.mark.process
def test_a_new_season_in_an_old_store_is_announced_once(config: Path, arbiter: Run) -> None:
    file = config.with_suffix(".sqlite")
    with_seasons(file, "autumn", "winter")
    told = f"arbiter: the store {file} has the seasons autumn, winter; a new season spring begins in it\n"
    for times in (1, 0):
        code, _, err = arbiter("run-round", config)
        assert (code, err.count(told), err.count("begins in it")) == (0, times, times)


@pytest.mark.parametrize(
    ("before", "there", "text"),
    [
        (["autumn"], True, "the store s has the season autumn; a new season spring begins in it"),
        ([], True, "the file s exists and has no season; a new season spring begins in it"),
        ([], False, ""),
        (["spring"], True, ""),
    ],
)
def test_a_season_is_announced_where_another_may_be_expected(
    before: list[str], there: bool, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    note_new_season("spring", "s", before, there)
    assert capsys.readouterr().err.removeprefix("arbiter: ").strip() == text
