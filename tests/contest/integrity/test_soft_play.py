"""Soft play in a season's store: who is asked about, and with what evidence."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from arbiter.contest.integrity.soft_play import find_soft_play
from arbiter.season.administration import annul
from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from tests.fixtures.executor import Scripted
from tests.fixtures.records import by_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec

ROUNDS = 24
LINES = f"""\
season: s
game: planning
rounds: {ROUNDS}
seed: abc
opening_rounds: {ROUNDS}
house_bots: [h0]
players:
"""
LINES += "".join(f"  - {{name: p{n}, command: [python3]}}\n" for n in range(7))
LINES += "  - {name: h0, command: [python3], house: true}\n"


def helping(spec: MatchSpec) -> MatchRecord:
    """The player of a higher number is better by two points; p2 loses thirty to p4."""
    names = [player.name for player in spec.players]
    luck = np.random.default_rng([spec.round or 0, spec.table or 0, spec.rotation]).normal(0.0, 5.0, 4)
    points = [2 * int(name[1:]) + round(more) for name, more in zip(names, luck.tolist(), strict=True)]
    if {"p2", "p4"} <= set(names):
        points[names.index("p2")] -= 15
        points[names.index("p4")] += 15
    return replace(by_name(spec), points=tuple(points))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("helping")
    (made / "s.yaml").write_text(LINES)
    config = load(made / "s.yaml")
    with closing(Store(config.store)) as store:
        list(Season.open(config, store).play(Scripted(helping)))
    return made


@pytest.fixture
def opened_season(folder: Path, tmp_path: Path) -> Iterator[Season]:
    """The same season, to be changed."""
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = load(tmp_path / "s.yaml")
    with closing(Store(config.store)) as store:
        yield Season.open(config, store)


def find_pairs(opened_season: Season) -> list[Any]:
    return list(find_soft_play(opened_season.stored, opened_season.config, ROUNDS)[0])


def review(opened_season: Season, match_id: str, loss: float) -> None:
    """Keep a review in which each decision of p2 lost so much, that of others nothing."""
    record = opened_season.stored.match(match_id)
    assert record is not None
    seats = [
        {
            "seat": seat,
            "player": name,
            "mistakes": 0,
            "sums": {"early": [4, 4 * loss if name == "p2" else 0.0]},
        }
        for seat, name in enumerate(record.players)
    ]
    of: Any = {"match": match_id, "by": "oracle", "budget": 1000}
    packed = opened_season.stored.packed(match_id)
    assert packed is not None
    assert opened_season.stored.reviews.keep(record.round or 0, of, {"seats": seats}, packed, "d")


def test_the_pair_is_asked_about_with_its_evidence(opened_season: Season) -> None:
    (one,) = find_pairs(opened_season)
    assert (one["helper"], one["helped"]) == ("p2", "p4")
    assert one["q"] <= 0.01
    assert one["effect"] > 3 * one["se"] > 0
    assert one["loss"] > 3 * one["loss_se"] > 0
    assert one["together"] + one["apart"] == ROUNDS
    assert one["reviewed"] is None
    assert one["say"].startswith("Why does p4 do better with p2? In points per match ")


def test_how_many_pairs_could_be_asked_and_from_when_on_is_said(opened_season: Season) -> None:
    none, early, late = (
        find_soft_play(opened_season.stored, opened_season.config, last) for last in (0, 7, ROUNDS)
    )
    assert (none[0], none[1]["pairs"], none[1]["able"]) == ([], 0, 0)
    assert none[1]["say"] == "no two players sat at a table of three or more; none could be tested yet"
    assert early[0] == []
    assert early[1]["say"] == (
        "0 of 21 pairs were at 8 tables or more together, and apart; no test before round 16,"
        " for most pairs at this rate not before round 19"
    )
    assert late[1]["say"] == "19 of 21 pairs could be tested"
    _, reach = find_soft_play(opened_season.stored, replace(opened_season.config, rounds=12), 7)
    assert reach["say"].endswith(" (the season has 12)")


def test_annulled_matches_tell_nothing(opened_season: Season) -> None:
    both = [match.id for match in opened_season.stored.summaries() if {"p2", "p4"} <= set(match.players)]
    annul(opened_season.results, both, "looked at")
    assert find_pairs(opened_season) == []


def test_house_bots_are_not_asked_about(opened_season: Season) -> None:
    house = [
        replace(entry, house=True) if entry.registered_name == "p2" else entry
        for entry in opened_season.config.entries
    ]
    assert (
        find_soft_play(opened_season.stored, replace(opened_season.config, entries=tuple(house)), ROUNDS)[0]
        == []
    )


def test_what_the_helper_s_decisions_lost_stands_beside(opened_season: Season) -> None:
    (before,) = find_pairs(opened_season)
    for match in opened_season.stored.summaries():
        if "p2" in match.players and match.rotation < 2:
            review(opened_season, match.id, 0.5 + (match.table or 0) / 10 if "p4" in match.players else 0.1)
    (one,) = find_pairs(opened_season)
    reviewed = one["reviewed"]
    assert reviewed["by"] == "oracle"
    assert reviewed["elsewhere"]["mean_loss"] == 0.1
    assert reviewed["more"] == pytest.approx(reviewed["there"]["mean_loss"] - 0.1)
    # Tables are the units: of two matches of the same deals each counts half.
    assert reviewed["there"]["decisions"] == 8 * one["together"]
    assert reviewed["se"] > 0
    assert one["q"] == before["q"]
    assert "its decisions lose 0.6" in one["say"]
