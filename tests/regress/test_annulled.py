"""A regression test and matches that its organiser annulled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from arbiter.store import Store
from tests.commands import RANDOM, arbiter

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands import Run

__all__ = ["arbiter"]


@pytest.mark.process
def test_annulled_matches_are_played_again(
    arbiter: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["regress", "--game", "planning", "--candidate", RANDOM, "--base", f"{RANDOM} --seed 7"]
    line += ["--option", "deals=[[1,0]]", "--max-blocks", "2", "--isolation", "plain", "--format", "json"]
    first = json.loads(arbiter(*line)[1])
    store = Store("sqlite:///regress.sqlite")
    (name,) = store.seasons()
    season = store.season(name)
    assert season is not None
    ids = [match.id for match in season.summaries()]
    code, out, _ = arbiter("annul", name, ids[0], ids[-1], "--because", "cut")
    assert (code, out) == (0, f"annulled: 2 matches, {ids[0]}, {ids[-1]}\n")
    again = json.loads(arbiter(*line)[1])
    assert (again["matches"], again["blocks"]) == (first["matches"], first["blocks"])
    assert all(len(season.orders.earlier_records(name)) == 1 for name in (ids[0], ids[-1]))
    assert arbiter("annul", "regress-none", ids[0], "--because", "cut")[2].startswith(
        "arbiter: no test regress-none in "
    )
    store.close()
