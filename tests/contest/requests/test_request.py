"""What an author may ask for, and what is said of what he may not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.games.cards import Stream
from arbiter.season.administration import suspend
from arbiter.season.results import SeasonResults

if TYPE_CHECKING:
    from tests.contest.requests.asked import AskedSeason


def test_a_match_is_one_table_in_all_seats(asked: AskedSeason) -> None:
    wish = asked.wish("ann", "match", 2, "greedy", "ann@1")
    assert (wish.player, wish.against, wish.most) == ("ann@2", ("greedy", "ann@1"), 4)
    assert asked.wish("ann", "match", 2, "greedy", matches=11).most == 8


def test_a_gauntlet_meets_everybody_who_may_be_met(asked: AskedSeason) -> None:
    wish = asked.wish("ann", "gauntlet", 2)
    # Two opponents and their copies are met at two tables.
    assert (wish.against, wish.most) == (("greedy", "random"), 8)


def test_a_test_takes_as_many_matches_as_a_request_may_have(asked: AskedSeason) -> None:
    assert asked.wish("ann", "regress", 2, "ann@1").most == 40
    assert asked.wish("ann", "regress", 2, "ann@1", matches=9).most == 8


def test_others_are_met_where_the_season_allows_it(asked_openly: AskedSeason) -> None:
    assert asked_openly.wish("ann", "match", 2, "ben").against == ("ben@1",)
    assert asked_openly.wish("ann", "gauntlet", 2).against == ("greedy", "random", "ben@1")


WRONG: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "version: 3 is not an accepted version of yours (accepted versions: 1, 2)": (("match", 3, "greedy"), {}),
    "against: 'ben@1' is another author's; this season does not allow that": (("match", 2, "ben@1"), {}),
    "against: 'ben' is another author's; this season does not allow that": (("match", 2, "ben"), {}),
    "against: no player 'greedi' (did you mean greedy?)": (("match", 2, "greedi"), {}),
    "against: no player 'ann@7'": (("match", 2, "ann@7"), {}),
    "against: ann@2 cannot meet itself": (("match", 2, "ann@2"), {}),
    "against: no opponents": (("match", 2), {}),
    "against: expected one base for a test, got 2": (("regress", 2, "ann@1", "greedy"), {}),
    "matches: expected at most 40, got 41": (("match", 2, "greedy"), {"matches": 41}),
    "deals: only a match takes given deals": (("gauntlet", 2), {"deals": [{}]}),
    "deals: deal 0: ": (("match", 2, "greedy"), {"deals": [{"hands": [["XX"]]}]}),
}


@pytest.mark.parametrize("said", WRONG)
def test_what_cannot_be_played_is_named_with_what_can(asked: AskedSeason, said: str) -> None:
    arguments, more = WRONG[said]
    with pytest.raises(ConfigError) as caught:
        asked.wish("ann", *arguments, **more)
    assert str(caught.value).startswith(said)


def test_a_table_has_room_for_its_seats(asked_openly: AskedSeason) -> None:
    with pytest.raises(ConfigError, match="expected at most 3 for a table, got 4"):
        asked_openly.wish("ann", "match", 2, "ann@1", "greedy", "random", "ben")


def test_who_is_suspended_by_order_asks_for_nothing(asked: AskedSeason) -> None:
    suspend(SeasonResults(asked.config, asked.season), "ann", "it cheats")
    with pytest.raises(ConfigError, match=r"ann is suspended \(it cheats\)"):
        asked.wish("ann", "match", 2, "greedy")


def test_deals_are_given_as_records_have_them(asked: AskedSeason) -> None:
    game = make("planning", asked.config.game.options)
    deals = [game.deal_json(game.deal(number, Stream(f"a {number}"), None)) for number in range(2)]  # type: ignore[arg-type]
    assert asked.wish("ann", "match", 2, "greedy", deals=deals).deals == tuple(deals)
