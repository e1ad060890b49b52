"""A killed season and its undisturbed twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fixtures import killed_twin
from tests.fixtures.commands import RANDOM
from tests.fixtures.round_processes import assert_all_end, run, start, until_a_match_is_stored, watched

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.nightly
@pytest.mark.process
def test_a_season_killed_again_and_again_equals_its_undisturbed_twin(tmp_path: Path) -> None:
    game = "{name: planning, deals: [[1, 0], [3, 1], [5, 2]]}"
    bots = {f"p{number}": [*RANDOM.split(), "--seed", str(number)] for number in range(8)}
    calm, killed = (killed_twin.write_config(tmp_path, name, 3, bots, game) for name in ("calm", "killed"))
    assert run("run-season", calm, "--workers", "1")[0] == 0
    for matches, goes_on in ((3, "run-round"), (5, "run-season")):
        process = start("run-round", killed, "--workers", "2")
        for _ in range(matches):
            until_a_match_is_stored(process)
        watching = watched(process.pid)
        process.kill()
        process.communicate()
        assert_all_end(watching)
        code, _, err = run(goes_on, killed, "--workers", "1")
        assert (code, "are stored already" in err) == (0, True)
    assert list(killed_twin.differences(calm, killed)) == []
    for config in (calm, killed):
        found = killed_twin.verified(config)
        assert (found["ok"], found["checked"]["complete"], found["checked"]["forfeits"]) == (True, 3, 0)
