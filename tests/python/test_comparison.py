"""Two bots compared from Python, by the test of `arbiter regress`."""

from __future__ import annotations

from typing import Any

import pytest

import arbiter
from arbiter.errors import BotCheckFailed, ConfigError
from tests.envs.forms import first, last

SHORT: dict[str, Any] = {"options": {"deals": [[2, 1]]}, "seed": 1}


def raising(observation: Any, mask: Any) -> int:
    raise ValueError("no idea")


def test_a_better_function_is_found_better() -> None:
    found = arbiter.compare("planning", last, first, elo1=200.0, **SHORT)
    assert (found.verdict, found.better) == ("better", True)
    assert found.elo is not None
    assert found.elo > 0.0
    assert str(found).startswith("better: the results favour +200 rather than +0 Elo")
    assert len(found.results) == found.figures["matches"]
    assert "better" in found._repr_html_()


def test_the_same_seed_is_the_same_comparison() -> None:
    one, again = (arbiter.compare("planning", "random", first, max_blocks=2, **SHORT) for _ in range(2))
    assert one.figures == again.figures
    assert (one.verdict, one.figures["blocks"]) == ("out_of_budget", 2)


def test_a_function_that_raises_loses() -> None:
    found = arbiter.compare("planning", first, raising, max_blocks=1, **SHORT)
    assert found.figures["faults"]["candidate"] == {"crash": 4}
    assert found.figures["losses"] == 4
    *_, first_fault, _, _, more = str(found).splitlines()
    assert "candidate forfeits (crash): its function raised: ValueError: no idea" in first_fault
    assert more == "and 1 more"
    with pytest.raises(BotCheckFailed) as caught:
        arbiter.compare("planning", first, raising, strict=True, **SHORT)
    assert isinstance(caught.value.__cause__, ValueError)


def test_the_first_fault_ends_a_test_that_fails_by_faults() -> None:
    found = arbiter.compare("planning", first, raising, faults="fail", **SHORT)
    assert (found.verdict, len(found.results)) == ("candidate_faulty", 1)
    assert arbiter.compare("planning", raising, first, faults="fail", **SHORT).verdict == "base_faulty"


def test_every_game_is_compared_in_its_duels() -> None:
    for game in ("codepiece", "dou_dizhu"):
        found = arbiter.compare(game, first, "random", max_blocks=1, seed=1)
        assert not found.results.forfeits.records
        assert found.figures["blocks"] == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"elo0": 5.0, "elo1": 2.0}, "elo0 below elo1"),
        ({"faults": "stop"}, "faults: expected count or fail, got 'stop'"),
        ({"max_blocks": 0}, "max_blocks: expected an integer from 1, got 0"),
        ({"candidate": 5}, "candidate: 5 is not a player"),
        ({"base": ["greedy", "random"]}, "base: expected one player, got a list of 2 .a list has the words"),
        ({"base": [first, last]}, "base: expected one player, got a list of 2"),
        ({"game": "planing"}, "unknown game"),
    ],
)
def test_a_wrong_call_is_one_line(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        arbiter.compare(**{"game": "planning", "base": first, "candidate": last, **given})
    assert "\n" not in str(caught.value)
