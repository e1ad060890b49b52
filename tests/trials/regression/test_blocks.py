"""Blocks: who sits where, and what a block's matches say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.match.record import Fault, MatchSummary
from arbiter.match.spec import original
from arbiter.trials.regression.blocks import block_score, block_specs, match_score
from tests.fixtures.simulated_regression import LADDER, SMALL, InMemory, experiment

if TYPE_CHECKING:
    from pathlib import Path

GAMES = {
    "planning": (SMALL, 4),
    "planning of three": ({"name": "planning", "seats": 3, "deals": [[1, 0]]}, 6),
    "planning of two": ({"name": "planning", "seats": 2, "deals": [[1, 0]]}, 2),
    "codepiece": ({"name": "codepiece", "dealers": [0]}, 2),
    "dou_dizhu": ("dou_dizhu", 2),
    "chefs_hat": ("chefs_hat", 4),
}


def summary(
    names: str, points: list[int] | None, sides: Any = None, faulty: int | None = None
) -> MatchSummary:
    players = tuple(names.split())
    fault = None if faulty is None else Fault.CRASH
    return MatchSummary(
        "b0001/m0", 1, 1, 0, players, None if points is None else tuple(points), sides, faulty, fault
    )


@pytest.mark.parametrize("name", GAMES)
def test_each_version_holds_each_seat_equally_often(name: str) -> None:
    game, matches = GAMES[name]
    specs = list(block_specs(experiment(game), "s", 3))
    assert len(specs) == matches
    held = Counter((seat, original(p.name)) for spec in specs for seat, p in enumerate(spec.players))
    assert all(held[seat, "base"] == held[seat, "candidate"] for seat in range(len(specs[0].players)))


@pytest.mark.parametrize("name", GAMES)
def test_a_block_is_one_set_of_deals_and_the_next_block_another(name: str) -> None:
    test = experiment(GAMES[name][0])
    table = InMemory()
    first = {table.record(spec).deal_hash for spec in block_specs(test, "s", 1)}
    assert len(first) == 1
    assert {table.record(spec).deal_hash for spec in block_specs(test, "s", 2)}.isdisjoint(first)


@pytest.mark.parametrize("name", ["codepiece", "dou_dizhu"])
def test_partners_are_of_one_version(name: str) -> None:
    for spec in block_specs(experiment(GAMES[name][0]), "s", 1):
        names = [original(player.name) for player in spec.players]
        partners = [(0, 2), (1, 3)] if name == "codepiece" else [(1, 2)]
        assert all(names[one] == names[other] for one, other in partners)


@pytest.mark.parametrize(
    ("names", "points", "sides", "faulty", "score"),
    [
        ("candidate candidate#2 base base#2", [4, 3, 2, 1], None, None, 1.0),
        ("candidate base candidate#2 base#2", [4, 3, 2, 1], None, None, 0.75),
        ("base base#2 candidate candidate#2", [4, 4, 4, 4], None, None, 0.5),
        ("candidate base", [1, 2], None, None, 0.0),
        ("candidate base candidate base", [9, 1, 9, 1], (0, 1, 0, 1), None, 1.0),
        ("candidate ann bob cid", [3, 1, 3, 5], None, None, 0.5),
        ("candidate ann bob cid", [3, 1, 3, 5], (0, 1, 0, 1), None, 0.5),
        ("candidate ann bob cid", [3, 1, 9, 2], (0, 1, 0, 1), None, 1.0),
        # A fault loses the match, and gives nobody anything.
        ("candidate candidate#2 base base#2", None, None, 1, 0.0),
        ("candidate candidate#2 base base#2", None, None, 3, None),
        ("candidate ann bob cid", None, None, 0, 0.0),
        ("base ann bob cid", None, None, 0, 0.0),
        ("base ann bob cid", None, None, 2, None),
    ],
)
def test_the_score_of_a_match_is_the_mean_of_its_results(
    names: str, points: list[int] | None, sides: Any, faulty: int | None, score: float | None
) -> None:
    match = summary(names, points, sides, faulty)
    assert match_score(match) == score
    if names.startswith("candidate"):
        assert block_score(False, [match]).score == score


def test_a_block_has_the_mean_lead_in_points_and_what_faults_take() -> None:
    whole = [
        summary("candidate candidate#2 base base#2", [4, 3, 2, 1]),
        summary("candidate base candidate#2 base#2", [4, 3, 2, 1]),
    ]
    ids = [replace(match, id=str(number)) for number, match in enumerate(whole)]
    assert block_score(False, ids)[2:] == (1.5, 0.0)
    lost = replace(summary("candidate candidate#2 base base#2", None, faulty=0), id="2")
    assert block_score(False, [ids[0], lost])[2:] == (1.0, -0.25)
    field = [
        replace(summary("candidate ann bob cid", [4, 1, 1, 1]), id="3"),
        replace(summary("base ann bob cid", [2, 1, 1, 1]), id="4"),
    ]
    assert block_score(True, field)[2:] == (2.0, 0.0)


def test_versions_swapped_have_the_other_half_of_each_block() -> None:
    table = InMemory()
    swap = {"candidate": "base", "base": "candidate"}
    for spec in block_specs(experiment(), "s", 1):
        one = table.record(spec).summary()
        names = tuple(name.replace(original(name), swap[original(name)]) for name in one.players)
        other = summary(" ".join(names), list(one.points or ()))
        score = match_score(one)
        assert score is not None
        assert match_score(other) == 1.0 - score


def test_with_a_field_both_versions_meet_the_same_players(tmp_path: Path) -> None:
    league = tmp_path / "league.yaml"
    league.write_text(LADDER)
    test = experiment(None, field=str(league))
    specs = list(block_specs(test, "s", 1))
    assert test.game.options["deals"] == SMALL["deals"]
    assert len(specs) == 8
    tables = [[player.name for player in spec.players] for spec in specs]
    for ours, theirs in zip(tables[:4], tables[4:], strict=True):
        assert ["base" if name == "candidate" else name for name in ours] == theirs
    many = [spec for block in range(1, 9) for spec in block_specs(test, "s", block)]
    names = {"one", "two", "three", "base@field", "candidate", "base"}
    assert {player.name for spec in many for player in spec.players} == names


def test_the_score_against_a_field_is_the_difference_of_both() -> None:
    played = [
        ("candidate ann", [1, 0]),
        ("ann candidate", [1, 0]),
        ("base ann", [0, 1]),
        ("ann base", [1, 1]),
    ]
    matches = [replace(summary(*match), id=f"m{number}") for number, match in enumerate(played)]
    assert block_score(True, matches).score == (1 + 0.5 - 0.25) / 2
