"""The rules of Dou Dizhu: recorded games, words, given deals."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import IllegalAction
from arbiter.games.dou_dizhu import DouDizhu
from arbiter.games.dou_dizhu.combinations import PASS, table
from arbiter.testing import Said, ScriptedBot, play_by_policy, play_in_memory
from tests.fixtures.profiles import examples
from tests.fixtures.recorded_games import games

GAME = DouDizhu()
HANDS = ["3344558899BR", "34456667777", "38TTTQQQQAA"]
"""The landlord's, then in order of play; for positions that a few words reach."""


def deal_of(hands=HANDS, landlord=0, extra="", game=GAME):
    """A given deal; `hands` begin with the landlord's."""
    by_seat = [list(hands[(seat - landlord) % 3]) for seat in range(3)]
    return game.deal_from_json({"hands": by_seat, "landlord": landlord, "extra": list(extra)})


def state_after(*words, game=GAME, **deal):
    """The state that the words lead to, in order of play."""
    state = game.start(deal_of(game=game, **deal))
    for word in words:
        (seat,) = state.to_act
        state = state.apply(seat, game.parse(state, seat, word))
    return state


def smallest_policy(state, seat):
    """Longest lead from the smallest ids' end, cheapest answer: deterministic, and looks at its own hand alone."""
    return state.legal(seat)[0]


# Rules


def test_recorded_games_are_played_with_the_same_legal_moves_to_the_same_points():
    for game in games("dou_dizhu/rlcard_games"):
        state = GAME.start(deal_of(game["hands"], extra=game["extra"]))
        for number, step in enumerate(game["steps"]):
            seat = step["p"]
            assert state.to_act == (seat,)
            assert list(state.legal(seat)) == step["legal"], (game["seed"], number)
            state = state.apply(seat, step["a"])
        assert state.to_act == ()
        assert [won > 0 for won in state.points()] == [won > 0 for won in game["payoffs"]]
        assert [len(GAME.hand(state, seat)) for seat in range(3)] == game["num_left"]


def test_on_the_table_lie_the_best_play_and_the_passes_after_it():
    words = ["3", "4", "pass", "9", "pass"]
    tables = [state_after(*words[:played]).trick for played in range(len(words) + 1)]
    three, four, nine = (table().ids[word] for word in "349")
    assert tables == [(), (three,), (four,), (four, PASS), (nine,), (nine, PASS)]


def test_the_leader_may_not_pass():
    with pytest.raises(IllegalAction, match=r"^the seat that leads may not pass$"):
        state_after("pass")
    with pytest.raises(IllegalAction, match=r"^the seat that leads may not pass$"):
        state_after("3", "pass", "pass", "pass")


@pytest.mark.parametrize(
    ("words", "seat", "word", "reason"),
    [
        ("", 1, "3", "it is not seat 1's turn"),
        ("", 0, "6", "6 is not in hand, which has no 6"),
        ("", 0, "333", "333 is not in hand, which has 2 3"),
        ("", 0, "3333", "3333 is not in hand, which has 2 3"),
        ("33", 1, "6", "6, a single card, does not beat 33, a pair"),
        ("4", 1, "4", "4, a single card, does not beat 4, a single card"),
        ("", 0, "345", "these cards are no combination of the rules"),
        ("", 0, "1", "'1' is no card: a move is cards of 3456789TJQKA2BR as one word, or pass"),
        ("", 0, "10", "'1' is no card"),
        ("", 0, "b", "'b' is no card"),
        ("", 0, "PASS", "'P' is no card"),
        ("", 0, "3" * 17, "these cards are no combination of the rules"),
        ("", 0, "3" * 50_000, "these cards are no combination of the rules"),
        ("", 0, "", "these cards are no combination of the rules"),
    ],
)
def test_an_illegal_action_is_refused_with_its_reason(words, seat, word, reason):
    state = state_after(*words.split())
    with pytest.raises(IllegalAction) as caught:
        state.apply(seat, GAME.parse(state, seat, word))
    assert str(caught.value).startswith(reason)


@pytest.mark.parametrize(("bombs", "points"), [("single", (1, -1, -1)), ("double", (2, -2, -2))])
def test_a_rocket_doubles_the_points_where_the_option_says_so(bombs, points):
    state = state_after("33", "pass", "pass", "BR", game=DouDizhu(bombs=bombs), hands=["33BR", "4", "5"])
    assert (state.to_act, state.points()) == ((), points)


def test_two_bombs_make_four_of_one():
    game = DouDizhu(bombs="double")
    words = ["3", "7777", "QQQQ", "pass", "pass", "TTTAA", "pass", "pass", "3", "pass", "pass", "8"]
    assert state_after(*words, game=game).points() == (-4, 4, 4)


def test_both_peasants_win_when_one_is_rid_of_its_cards():
    words = ["3", "pass", "8", "pass", "pass", "TTTAA", "pass", "pass", "QQQQ", "pass", "pass", "3"]
    assert state_after(*words).points() == (-1, 1, 1)


# Words


def test_a_table_of_three_is_played_in_three_cyclic_shifts():
    assert (GAME.table_size, GAME.sides) == (3, None)
    assert GAME.seatings == ((0, 1, 2), (2, 0, 1), (1, 2, 0))


def test_the_greeting_names_rules_seat_and_landlords():
    assert [wording[2] for wording in DouDizhu([2, 0]).greeting()] == [
        "set_rules dou_dizhu 1",
        "set_players 3 2",
        "set_game 2 2 0",
    ]
    assert next(iter(DouDizhu(bombs="double").greeting()))[0] == "set_rules dou_dizhu 1 double"


@given(word=st.sampled_from(table().names[:PASS]).flatmap(lambda name: st.permutations(name).map("".join)))
@examples(100)
def test_cards_may_be_named_in_any_order(word):
    action = GAME.parse(state_after(), 0, word)
    assert sorted(GAME.action_text(state_after(), 0, action)) == sorted(word)


def test_a_move_in_another_order_is_announced_in_rank_order_and_noted():
    game = GAME.given([deal_of(["334", "5", "6"], extra="334")])
    transcript: list[Said] = []
    bots = [ScriptedBot(words) for words in (["33", "4"], ["pass"], ["pass"])]
    plain = play_in_memory(game, bots)
    game = GAME.given([deal_of(["3456789", "5", "6"])])
    record = play_in_memory(
        game, [ScriptedBot(["9854673"]), ScriptedBot(), ScriptedBot()], transcript=transcript
    )
    assert [move.action for move in record.moves] == ["3456789"]
    assert (0, "play 0 3456789") in [said[:2] for said in transcript]
    assert record.bots[0].notes == ("actions not in canonical form",)
    assert plain.bots[0].notes == ()
    assert (plain.points, record.points) == ((1, -1, -1), (1, -1, -1))


# Options and given deals


def test_given_deals_replace_the_programme():
    game = GAME.given([deal_of(landlord=2), deal_of(landlord=1)])
    assert [wording[0] for wording in game.greeting()][2] == "set_game 2 2 1"
    assert type(game) is DouDizhu
    record = play_by_policy(game, smallest_policy)
    assert [shape["landlord"] for shape in record.deals] == [2, 1]


def test_a_deal_without_extra_cards_shows_none():
    assert [wording[0] for wording in GAME.dealt(deal_of())] == ["set_cards 12 3344558899BR"]


def test_a_state_is_hashable_and_survives_pickling():
    state = state_after("3", "4", "pass")
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert hash(again) == hash(state)
    # The table stays at home.
    assert len(pickle.dumps(state)) < 1000


@pytest.mark.process
def test_the_table_is_not_made_by_importing_the_game():
    code = (
        "import arbiter.games.dou_dizhu as d; d.DouDizhu(); "
        "from arbiter.games.dou_dizhu.combinations import table; print(table.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
