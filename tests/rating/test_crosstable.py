"""From matches to counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rating import Match, OptionError, PairTable, ResultError, rate
from rating.crosstable import Pairs
from rating.matches import FaultRule
from tests.rating.recorded_results import recorded, recorded_table, simulate_season


def listed(table: PairTable) -> set[tuple[str, str, int]]:
    names = table.players
    rows = zip(table.first, table.second, table.outcome, strict=True)
    return {(names[a], names[b], int(outcome)) for a, b, outcome in rows}


def test_points_of_four_seats_give_six_results() -> None:
    table = PairTable.from_matches([Match("dbac", [5, 7, 5, 1])])
    assert table.players == ("d", "b", "a", "c")
    assert listed(table) == {
        ("d", "b", -1),
        ("d", "a", 0),
        ("d", "c", 1),
        ("b", "a", 1),
        ("b", "c", 1),
        ("a", "c", 1),
    }
    assert table.results.tolist() == [[1, 3, 1, 0], [1, 0, 1, 0], [1, 0, 1, 3]]
    assert table.points.tolist() == [5, 7, 5, 1]


def test_low_places_win() -> None:
    assert listed(PairTable.from_matches([Match("abc", places=[2, 1, 2])])) == {
        ("a", "b", -1),
        ("a", "c", 0),
        ("b", "c", 1),
    }


@pytest.mark.parametrize(
    ("rule", "results", "faults", "matches_played"),
    [("seed", 3, 1, 1), ("separate", 0, 1, 1), ("drop", 0, 0, 0)],
)
def test_a_faulty_player_loses_to_each_of_the_others(
    rule: FaultRule, results: int, faults: int, matches_played: int
) -> None:
    match = Match("abcd", [1, 2, 3, 4], faulty=2, sides=(0, 1, 0, 1))
    table = PairTable.from_matches([match], players="abcd", faults=rule)
    assert table.first.size == results
    assert table.faults.tolist() == [0, 0, faults, 0]
    assert table.played.tolist() == [matches_played] * 4
    assert not table.points.any()
    if results:
        assert listed(table) == {("a", "c", 1), ("b", "c", 1), ("c", "d", -1)}


def test_partners_have_no_result() -> None:
    table = PairTable.from_matches([Match("abcd", [3, 0, 3, 0], sides=(0, 1, 0, 1))])
    assert listed(table) == {("a", "b", 1), ("a", "d", 1), ("c", "d", 1), ("b", "c", -1)}


def test_copies_of_a_house_bot_have_no_result_with_each_other() -> None:
    table = PairTable.from_matches([Match(["a", "random", "random"], [1, 2, 3])])
    assert listed(table) == {("a", "random", -1)}
    assert table.played.tolist() == [1, 1]
    assert table.points.tolist() == [1, 5]


@pytest.mark.parametrize(
    ("faulty", "expected"),
    [
        (
            None,
            {
                ("a", "random", -1),
                ("a", "b", -1),
                ("a", "random#2", -1),
                ("random", "b", -1),
                ("b", "random#2", -1),
            },
        ),
        (1, {("a", "random", 1), ("random", "b", -1)}),
        (3, {("a", "random#2", 1), ("b", "random#2", 1)}),
    ],
)
def test_seats_of_one_owner_have_no_result_with_each_other(
    faulty: int | None, expected: set[tuple[str, str, int]]
) -> None:
    owners = ["a", "random", "b", "random"]
    match = Match(["a", "random", "b", "random#2"], [1, 2, 3, 4], faulty=faulty, owners=owners)
    table = PairTable.from_matches([match])
    assert listed(table) == expected
    assert table.players == ("a", "random", "b", "random#2")
    assert table.played.tolist() == [1, 1, 1, 1]


def test_matches_with_different_numbers_of_seats() -> None:
    table = PairTable.from_matches([Match("ab", [1, 0]), Match("abc", [1, 2, 3]), Match("ca", [0, 0])])
    assert table.first.size == 5
    assert table.played.tolist() == [3, 2, 2]
    assert table.clusters("match") is not None
    assert np.bincount(table.match).tolist() == [1, 3, 1]


def test_players_keep_the_order_given_and_may_be_idle() -> None:
    table = PairTable.from_matches([Match("zb", [1, 0])], players=["b", "idle", "a"])
    assert table.players == ("b", "idle", "a", "z")


def test_appending_equals_reading_at_once() -> None:
    matches = simulate_season(8, 6)
    grown = PairTable.from_matches([])
    for number in range(1, 7):
        grown = grown.append(match for match in matches if match.round == number)
    whole = PairTable.from_matches(matches)
    for name in ("first", "second", "outcome", "match", "round", "table", "played", "points"):
        assert getattr(grown, name).tolist() == getattr(whole, name).tolist()
    assert [row.elo for row in rate(grown).rows] == [row.elo for row in rate(whole).rows]


def test_arrays_are_read_only_and_copies() -> None:
    first = np.array([0, 1])
    table = PairTable.from_results("ab", first, [1, 0], [1, 1])
    first[0] = 1
    assert table.first.tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        table.first[0] = 1


@pytest.mark.parametrize("oriented", [False, True])
def test_sorting_and_counting_agree(monkeypatch: pytest.MonkeyPatch, oriented: bool) -> None:
    def rows(pairs: Pairs) -> list[list[float]]:
        return [pairs.i.tolist(), pairs.j.tolist(), *pairs.counts.tolist()]

    names, matches = [f"p{k}" for k in range(12)], simulate_season(12, 4)
    counted = PairTable.from_matches(matches, players=names).pairs(oriented)
    monkeypatch.setattr("rating.crosstable._MOST_BINS", 0)
    assert rows(PairTable.from_matches(matches, players=names).pairs(oriented)) == rows(counted)


@pytest.mark.parametrize("name", ["small4", "small12_ties", "medium40", "bridge"])
def test_recorded_matches_give_the_recorded_counts(name: str) -> None:
    pairs, expected = recorded_table(name).pairs(oriented=True), {}
    for a, b, wins, draws, losses in recorded(name)["condensed"]:
        expected[a, b] = [wins, draws, losses]
    found = {}
    for i, j, counts in zip(pairs.i.tolist(), pairs.j.tolist(), pairs.counts.T.tolist(), strict=True):
        if sum(counts[:3]):
            found[i, j] = counts[:3]
        if sum(counts[3:]):
            found[j, i] = counts[5:2:-1]
    assert found == expected


def test_clusters() -> None:
    table = PairTable.from_matches(simulate_season(8, 3))
    for kind, number in (("round", 3), ("table", 6), ("match", 24)):
        clusters = table.clusters(kind)  # type: ignore[arg-type]
        assert clusters is not None
        assert clusters[1] == number
        assert np.unique(clusters[0]).tolist() == list(range(number))
    assert PairTable.from_results("ab", [0], [1], [1]).clusters("round") is None
    far = PairTable.from_results("ab", [0, 1], [1, 0], [1, 1], round=[3, 10**9])
    assert far.clusters("round") is not None


def test_matches_played_from_results() -> None:
    table = PairTable.from_results("abc", [0, 0, 1], [1, 2, 2], [1, 1, 1], match=[7, 7, 10**12])
    assert table.played.tolist() == [1, 2, 2]


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Match("a", [1]), "at least two"),
        (lambda: Match("ab", [1]), "points for 1 of 2 seats"),
        (lambda: Match("ab"), "points, places or a faulty seat"),
        (lambda: Match("ab", [1, 2], [2, 1]), "exactly one"),
        (lambda: Match("ab", [1, float("nan")], id="r001/t01/m0"), "match r001/t01/m0"),
        (lambda: Match("ab", faulty=2), "faulty seat 2"),
        (lambda: Match("ab", [1, 2], sides=(0,)), "sides for 1 of 2"),
        (lambda: Match("ab", [1, 2], owners="a"), "owners for 1 of 2"),
        (lambda: Match("ab", [1, 2], round=-1), "round -1"),
        (lambda: PairTable.from_results("ab", [0], [2], [1]), "outside 0 to 1"),
        (lambda: PairTable.from_results("ab", [0], [0], [1]), "against itself"),
        (lambda: PairTable.from_results("ab", [0], [1], [2]), "not 1, 0 or -1"),
        (lambda: PairTable.from_results("ab", [0, 1], [1], [1]), "differ in length"),
        (lambda: PairTable.from_results("ab", [0.5], [1], [1]), "whole numbers"),
        (lambda: PairTable.from_results("aa", [0], [1], [1]), "same name"),
    ],
)
def test_what_cannot_be_counted_is_refused(build: object, says: str) -> None:
    with pytest.raises(ResultError, match=says):
        build()  # type: ignore[operator]


def test_unknown_fault_rule() -> None:
    with pytest.raises(OptionError, match="seed, drop or separate"):
        PairTable.from_matches([], faults="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"points": [1, float("inf")]}, "points that are not numbers"),
        ({"points": [1, float("nan")]}, "points that are not numbers"),
        ({"points": [1, None]}, "points that are not numbers"),
        ({"points": [1, "0"]}, "points that are not numbers"),
        ({"points": [1, 10**400]}, "points that are not numbers"),
        ({"places": [1, float("inf")]}, "places that are not numbers"),
        ({"points": [1, 0], "sides": [0, 0.5]}, "sides that are not whole"),
        ({"points": [1, 0], "sides": ["a", "b"]}, "sides that are not whole"),
        ({"points": [1, 0], "round": 1.5}, "round 1.5"),
        ({"points": [1, 0], "table": "2"}, "table '2'"),
        ({"faulty": 0.5}, "faulty seat 0.5"),
        ({"players": ["a", 3], "points": [1, 0]}, "players that are not text"),
        ({"players": ["a", None], "points": [1, 0]}, "players that are not text"),
    ],
)
def test_matches_with_values_of_another_kind_are_refused(parts: dict[str, Any], says: str) -> None:
    with pytest.raises(ResultError, match=says):
        Match(**({"players": ["a", "b"]} | parts))


def test_matches_may_hold_numbers_of_arrays() -> None:
    match = Match(["a", "b"], np.array([1.5, 0.0]), sides=[np.int64(0), np.int64(1)], round=np.int64(3))  # type: ignore[arg-type, list-item]
    assert PairTable.from_matches([match]).round.tolist() == [3]
