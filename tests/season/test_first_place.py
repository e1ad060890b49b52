"""Who stands first: the highest rating, shared by equals, with how sure it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from arbiter.season.snapshot.standing_marks import WorstRank, first_place, in_rank, with_marks
from arbiter.text import UNMARKED

if TYPE_CHECKING:
    from arbiter.season.config.settings_diff import Role
    from arbiter.season.snapshot.schema import Row


def rows(**elos: float | None) -> list[Row]:
    """Rows as they are marked, house bots being those called so."""
    standings: Any = {"players": [{"rank": 0, "player": name, "elo": elo} for name, elo in elos.items()]}
    roles: dict[str, Role] = {"house": "house", "rung": "rung"}
    players = {name: roles.get(name, "") for name in elos if name != "gone"}
    return with_marks(in_rank(standings, players, official=True), players, {})


@pytest.mark.parametrize(
    ("elos", "over", "worst", "said"),
    [
        ({"a": 90.0, "b": 10.0}, False, 1, "a leads clearly, 80 Elo ahead of b"),
        ({"a": 90.0, "b": 10.0}, True, 1, "a wins clearly, 80 Elo ahead of b"),
        ({"a": 40.0, "b": 28.0}, False, 2, "a is ahead after 2 rounds; its true rank is between 1 and 2 of 3"),
        ({"a": 40.0, "b": 28.0}, True, 2, "a won; by these results places 1 to 2 are possible"),
        ({"a": 40.0, "b": 28.0}, True, 3, "a wins by rating, but cannot be told apart from any other player"),
        ({"a": 40.0, "b": 28.0}, False, 3, "a is ahead after 2 rounds, but cannot be told apart from any other player"),
        ({"rung": 99.0, "a": 40.0, "b": 28.0}, True, None, "a wins by rating, 12 Elo ahead of b"),
        ({"house": 99.0, "a": 40.0, "gone": 35.0, "b": 28.0}, False, None, "a leads by rating, 12 Elo ahead of b"),
        ({"a": 40.0, "b": 40.0, "c": 1.0}, True, 3, "a and b share the first place: their ratings are equal"),
        ({"a": 40.0}, True, 1, "a wins by rating"),
    ],
)  # fmt: skip
def test_the_first_place_goes_by_rating_and_is_as_sure_as_its_rank(
    elos: dict[str, float | None], over: bool, worst: int | None, said: str
) -> None:
    found = first_place(rows(**elos), over, None, 2, None if worst is None else WorstRank(worst, 3))
    assert found is not None
    assert (found["say"].translate(UNMARKED), found["rule"]) == (said, "rating")


def test_before_anybody_is_rated_nobody_is_first() -> None:
    assert first_place(rows(a=None, b=None), False, None, 0) is None
    assert first_place(rows(house=3.0), True, None, 1) is None


def test_equals_share_a_rank_and_the_next_one_is_left_out() -> None:
    found = {row["player"]: row["rank"] for row in rows(a=40.0, house=39.0, b=40.0, c=1.0, d=None, e=None)}
    assert found == {"a": 1, "b": 1, "c": 3, "d": 4, "e": 4, "house": None}
