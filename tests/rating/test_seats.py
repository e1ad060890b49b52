"""Seats that are not rated, as if nobody had sat there; several seats of one player, which count once a side."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating import Match, PairTable, ResultError
from rating.multiplayer import games_of
from rating.reading.files import read_results
from tests.fixtures.profiles import examples


@given(
    points=st.lists(st.integers(0, 3), min_size=4, max_size=4),
    faulty=st.none() | st.integers(0, 2),
    sides=st.none() | st.just((0, 1, 0, 1)),
)
@examples(100)
def test_the_others_have_the_results_of_a_match_without_that_seat(
    points: list[int], faulty: int | None, sides: tuple[int, ...] | None
) -> None:
    whole = Match("abcx", points, faulty=faulty, sides=sides, unrated=[3])
    three = Match("abc", points[:3], faulty=faulty, sides=sides and sides[:3])
    tables = [PairTable.from_matches([match]) for match in (whole, three)]
    assert tables[0].players == tables[1].players == ("a", "b", "c")
    for name in ("first", "second", "outcome", "played", "points", "faults"):
        assert getattr(tables[0], name).tolist() == getattr(tables[1], name).tolist()
    assert games_of([whole], (), "seed") == games_of([three], (), "seed")


@pytest.mark.parametrize(
    "match",
    [
        Match("abcx", faulty=3, unrated=[3]),
        Match("ax", [1, 0], unrated=[1]),
        Match("abxy", [1, 0, 2, 3], unrated=[0, 2, 3]),
    ],
)
def test_a_match_without_anything_to_rate_is_forgotten(match: Match) -> None:
    table = PairTable.from_matches([match], players="abcxy")
    assert (table.first.size, table.played.tolist(), table.faults.tolist()) == (0, [0] * 5, [0] * 5)
    assert games_of([match], (), "seed") == ([], ())


@pytest.mark.parametrize("unrated", [[4], [-1], ["a"]])
def test_a_seat_that_there_is_not_is_refused(unrated: list[int]) -> None:
    with pytest.raises(ResultError, match="seats are 0 to 3"):
        Match("abcd", [1, 2, 3, 4], unrated=unrated)


def test_the_substitute_of_a_match_record_is_not_rated() -> None:
    records = [
        {"id": "m+", "players": ["a", "b", "x"], "points": [1, 2, 3], "substitute": 2},
        {"id": "n+", "players": ["a", "b", "x"], "forfeit": {"seat": 2}, "substitute": 2},
    ]
    text = "".join(json.dumps(record) + "\n" for record in records)
    table = read_results(["-"], form="jsonl", stdin=io.BytesIO(text.encode())).table
    assert (table.players, table.played.tolist(), table.first.size) == (("a", "b"), [1, 1], 1)


SIDES = (0, 1, 0, 1)


@pytest.mark.parametrize(
    ("match", "results"),
    [
        (Match(["a", "b", "a", "b"], points=[8, -8, 8, -8], sides=SIDES), [("a", "b", 1)]),
        (Match(["a", "b", "a", "b"], places=[2, 1, 2, 1], sides=SIDES), [("a", "b", -1)]),
        (Match(["a", "b", "a", "b"], faulty=2, sides=SIDES), [("a", "b", -1)]),
        (Match(["a", "b", "a", "c"], points=[8, -8, 8, -8], sides=SIDES), [("a", "b", 1), ("a", "c", 1)]),
        # Without sides each seat plays for itself, and only its own player is no rival.
        (Match(["a", "b", "a"], points=[3, 2, 1]), [("a", "b", 1), ("b", "a", 1)]),
    ],
)
def test_the_seats_of_a_side_count_once(match: Match, results: list[tuple[str, str, int]]) -> None:
    table = PairTable.from_matches([match])
    rows = zip(table.first.tolist(), table.second.tolist(), table.outcome.tolist(), strict=True)
    assert [(table.players[i], table.players[j], outcome) for i, j, outcome in rows] == results


def test_a_player_gains_the_points_of_all_its_seats() -> None:
    table = PairTable.from_matches([Match(["a", "b", "a", "b"], points=[8, -8, 8, -8], sides=SIDES)])
    assert dict(zip(table.players, table.points.tolist(), strict=True)) == {"a": 16.0, "b": -16.0}
    assert table.played.tolist() == [1, 1]
