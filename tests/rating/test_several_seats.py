"""Who holds several seats: no result with oneself, and one result for all seats of a side."""

from __future__ import annotations

import pytest

from rating import PairTable
from rating.matches import Match

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
