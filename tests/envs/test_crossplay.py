"""Policies at each other's tables, and responses that learn against one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arbiter import envs
from arbiter.errors import ArbiterError, ConfigError
from tests.envs.forms import first, last
from tests.fixtures.commands import RANDOM

pytestmark = pytest.mark.slow

SHORT: dict[str, Any] = {"deals": [[3, 0]]}


@pytest.fixture(scope="module")
def found() -> envs.Crossplay:
    return envs.crossplay({"least": first, "most": last, "again": first}, "planning", rounds=6, **SHORT)


def test_each_cell_is_that_of_the_other_way_round_turned(found: envs.Crossplay) -> None:
    assert set(found.cells) == {(a, b) for a in found.names for b in found.names if a != b}
    for (row, column), cell in found.cells.items():
        other = found.cells[column, row]
        assert (cell.elo, cell.low, cell.high) == pytest.approx((-other.elo, -other.high, -other.low))
    assert found.cells["least", "most"].low > 0.0
    assert found.elo["least"] > found.elo["most"]


def test_copies_are_level_with_each_other_and_alike_against_others(found: envs.Crossplay) -> None:
    same = found.cells["least", "again"]
    assert same.low <= 0.0 <= same.high
    assert found.cells["least", "most"] == found.cells["again", "most"]


def test_as_text_it_is_a_row_for_each_the_best_first(found: envs.Crossplay) -> None:
    assert [line.split()[0] for line in str(found).splitlines()] == ["Elo", "least", "again", "most"]


def test_its_table_is_a_row_for_each_cell(found: envs.Crossplay) -> None:
    columns = found.table()
    assert [*columns] == ["player", "opponent", "points_a_match", "elo", "low", "high"]
    with pytest.raises(ConfigError, match=f"no policy '{found.names[0]}x'"):
        _ = found.cells[f"{found.names[0]}x", found.names[1]]
    assert columns["elo"] == [found.cells[pair].elo for pair in zip(*list(columns.values())[:2], strict=True)]


@pytest.mark.parametrize("policies", [{"one": first}, [first, last]])
def test_fewer_than_two_policies_with_names_are_refused(policies: Any) -> None:
    with pytest.raises(ConfigError, match="two or more policies"):
        envs.crossplay(policies, "planning")


def test_an_illegal_policy_is_named() -> None:
    def wrong(observation: Any, mask: Any) -> int:
        return int(np.flatnonzero(mask == 0)[0])

    def no_id(observation: Any, mask: Any) -> int:
        return 99

    def raising(observation: Any, mask: Any) -> int:
        raise ValueError("no idea")

    named = r"seat \d, round 1, deal 1, decision \d: .*the policy mine"
    for one in (wrong, no_id, raising):
        for other in (first, "random"):
            for names in (("other", "mine"), ("mine", "other")):
                players: dict[str, Any] = {name: one if name == "mine" else other for name in names}
                with pytest.raises(ArbiterError, match=named):
                    envs.crossplay(players, "planning", rounds=1, **SHORT)


def test_a_response_learns_to_beat_whom_it_met() -> None:
    found = envs.best_response(last, "planning", decisions=2000, rounds=15, **SHORT)
    (rung,) = found.evaluation.rungs
    assert rung.low is not None
    assert rung.low > 0.0
    assert (rung.opponent, rung.illegal) == ("last", 0)
    assert found.matches == 500


def test_the_same_seed_is_the_same_response() -> None:
    one, other, third = (
        envs.best_response(first, "planning", decisions=400, rounds=2, seed=seed, **SHORT)
        for seed in (1, 1, 2)
    )
    assert one.evaluation == other.evaluation
    ids, seen = np.arange(5), np.ones(one.policy.cells)
    assert np.array_equal(one.policy.values(seen, ids), other.policy.values(seen, ids))
    assert not np.array_equal(one.policy.values(seen, ids), third.policy.values(seen, ids))


@pytest.mark.parametrize("given", [{"decisions": 0}, {"decisions": 1.5}, {"width": 0}])
def test_a_budget_that_is_none_is_refused(given: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="an integer from 1"):
        envs.best_response(first, "planning", **given)


def test_random_players_and_pools_are_met_and_meet() -> None:
    pool = envs.Pool()
    pool.add(last, "past")
    found = envs.crossplay({"least": first, "random": "random", "pool": pool}, "planning", rounds=3, **SHORT)
    assert set(found.cells) == {(a, b) for a in found.names for b in found.names if a != b}
    assert found.elo["least"] > found.elo["pool"]
    again = envs.crossplay({"least": first, "random": "random", "pool": pool}, "planning", rounds=3, **SHORT)
    assert again.cells == found.cells


@pytest.mark.process
def test_programs_are_met_and_meet_each_other() -> None:
    limits = {"isolation": "plain"}
    players: dict[str, Any] = {"program": RANDOM, "least": first, "beginner": "beginner"}
    found = envs.crossplay(players, "planning", rounds=1, limits=limits, **SHORT)
    assert set(found.cells) == {(a, b) for a in found.names for b in found.names if a != b}


def test_what_is_no_player_is_refused() -> None:
    with pytest.raises(ConfigError, match="policies: five: 5 is not a player"):
        envs.crossplay({"least": first, "five": 5}, "planning", **SHORT)  # type: ignore[dict-item]
