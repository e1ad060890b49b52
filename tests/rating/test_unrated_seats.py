"""Seats that are not rated: results as if nobody had sat there."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating import Match, PairTable, ResultError
from rating.multiplayer import games_of
from rating.reading.files import read_results
from tests.profiles import examples


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
