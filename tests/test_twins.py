"""A killed season and its undisturbed twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import twins
from tests.round_processes import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.process
def test_a_season_killed_again_and_again_equals_its_undisturbed_twin(tmp_path: Path) -> None:
    game = "{name: planning, deals: [[1, 0], [3, 1], [5, 2]]}"
    calm, killed = (twins.write_config(tmp_path, name, 3, game) for name in ("calm", "killed"))
    assert run("run-season", calm)[0] == 0
    twins.play_killed(killed, kills=2, about_seconds=6)
    assert list(twins.differences(calm, killed)) == []
    for config in (calm, killed):
        found = twins.verified(config)
        assert (found["ok"], found["checked"]["complete"], found["checked"]["forfeits"]) == (True, 3, 0)
