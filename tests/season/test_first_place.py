"""Who stands first: the highest rating, shared by equals, with how sure it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from arbiter.season.snapshot.standing_marks import first_place, in_rank, in_words, with_marks

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
    ("elos", "over", "chance", "said"),
    [
        ({"a": 40.0, "b": 28.0}, True, 0.87, "a wins by rating, 12 Elo ahead of b; the two are not told apart (better with a probability of 87.0%)"),
        ({"a": 90.0, "b": 10.0}, False, 0.99, "a leads by rating, 80 Elo ahead of b (better with a probability of 99.0%)"),
        ({"rung": 99.0, "a": 40.0, "b": 28.0}, True, None, "a wins by rating, 12 Elo ahead of b"),
        ({"house": 99.0, "a": 40.0, "gone": 35.0, "b": 28.0}, True, None, "a wins by rating, 12 Elo ahead of b"),
        ({"a": 40.0, "b": 40.0, "c": 1.0}, True, 0.5, "a and b share the first place: their ratings are equal"),
        ({"a": 40.0}, True, 0.5, "a wins by rating"),
    ],
)  # fmt: skip
def test_the_first_place_goes_by_rating(
    elos: dict[str, float | None], over: bool, chance: float | None, said: str
) -> None:
    found = first_place(rows(**elos), over, None if chance is None else lambda *_: chance)
    assert found is not None
    assert (in_words(found), found["rule"]) == (said, "rating")


def test_before_anybody_is_rated_nobody_is_first() -> None:
    assert first_place(rows(a=None, b=None), False, None) is None
    assert first_place(rows(house=3.0), True, None) is None


def test_equals_share_a_rank_and_the_next_one_is_left_out() -> None:
    found = {row["player"]: row["rank"] for row in rows(a=40.0, house=39.0, b=40.0, c=1.0, d=None, e=None)}
    assert found == {"a": 1, "b": 1, "c": 3, "d": 4, "e": 4, "house": None}
