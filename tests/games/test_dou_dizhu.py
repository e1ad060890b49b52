"""The rules of Dou Dizhu: recorded games, every promise of a game, words, options, given deals."""

from __future__ import annotations

import gzip
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import ConfigError, IllegalAction
from arbiter.games import make
from arbiter.games.cards import Stream
from arbiter.games.dou_dizhu import DouDizhu
from arbiter.games.dou_dizhu.combinations import PASS, table
from arbiter.games.game import Deal, Tell
from arbiter.match.record import Fault
from arbiter.replay.score_sheet import score_sheet, sheets_of
from arbiter.testing import (
    Said,
    ScriptedBot,
    check_game,
    match_spec,
    play_by_policy,
    play_in_memory,
    random_policy,
)
from tests.fixtures.profiles import examples

GAME = DouDizhu()
DATA = Path(__file__).parents[1] / "data" / "dou_dizhu"
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


def recorded_games():
    with gzip.open(DATA / "rlcard_games.jsonl.gz", "rt") as lines:
        return [game for game in map(json.loads, lines) if game["type"] == "game"]


def smallest_policy(state, seat):
    """Longest lead from the smallest ids' end, cheapest answer: deterministic, and looks at its own hand alone."""
    return state.legal(seat)[0]


# Rules


def test_recorded_games_are_played_with_the_same_legal_moves_to_the_same_points():
    for game in recorded_games():
        state = GAME.start(deal_of(game["hands"], extra=game["extra"]))
        for number, step in enumerate(game["steps"]):
            seat = step["p"]
            assert state.to_act == (seat,)
            assert list(state.legal(seat)) == step["legal"], (game["seed"], number)
            state = state.apply(seat, step["a"])
        assert state.to_act == ()
        assert [won > 0 for won in state.points()] == [won > 0 for won in game["payoffs"]]
        assert [len(GAME.hand(state, seat)) for seat in range(3)] == game["num_left"]


def test_recorded_games_can_be_played_in_any_seats():
    for number, game in enumerate(recorded_games()[:30]):
        shift = number % 3
        state = GAME.start(deal_of(game["hands"], landlord=shift, extra=game["extra"]))
        for step in game["steps"]:
            (seat,) = state.to_act
            assert seat == (step["p"] + shift) % 3
            assert list(state.legal(seat)) == step["legal"]
            state = state.apply(seat, step["a"])
        assert (state.points()[shift] > 0) == (game["payoffs"][0] > 0)


@pytest.mark.parametrize(
    "game", [DouDizhu(), DouDizhu(bombs="double"), DouDizhu([2]), DouDizhu([1, 1, 0, 2])], ids=repr
)
def test_the_promises_of_a_game_are_kept(game):
    check_game(game, copies=True)


def test_the_landlord_leads_and_play_goes_round():
    state = state_after(landlord=2)
    order = []
    for word in ("3", "4", "8", "9"):
        order.append(state.to_act)
        state = state.apply(state.to_act[0], GAME.parse(state, state.to_act[0], word))
    assert order == [(2,), (0,), (1,), (2,)]


def test_after_two_passes_whoever_played_last_leads():
    state = state_after("3", "4", "pass", "pass")
    assert state.to_act == (1,)
    assert PASS not in state.legal(1)
    assert table().ids["3"] in state.legal(1)


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


def test_after_the_rocket_there_is_only_pass():
    state = state_after("3", "4", "8", "BR")
    assert list(state.legal(1)) == [PASS]


def test_a_bomb_beats_all_but_a_higher_bomb_and_the_rocket():
    state = state_after("3", "7777")
    words = [table().names[action] for action in state.legal(2)]
    assert words == ["QQQQ", "pass"]
    state = state.apply(2, table().ids["QQQQ"])
    assert [table().names[action] for action in state.legal(0)] == ["BR", "pass"]


def test_four_with_two_cards_is_no_bomb():
    with pytest.raises(IllegalAction, match="38QQQQ, four with two cards, does not beat 4, a single card"):
        state_after("3", "4", "QQQQ83")


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


@given(seed=st.integers(0, 2**32))
@examples(25)
def test_a_random_deal_keeps_its_cards_and_ends_with_an_empty_hand(seed):
    policy = random_policy(seed)
    deal = GAME.next_deal(seed % 3, Stream(seed), None)
    assert deal is not None
    state = GAME.start(deal)
    left = [sum(len(GAME.hand(state, seat)) for seat in range(3))]
    while state.to_act:
        (seat,) = state.to_act
        action = policy(state, seat)
        played = 0 if action == PASS else len(table().names[action])
        state = state.apply(seat, action)
        left.append(sum(len(GAME.hand(state, seat)) for seat in range(3)))
        assert left[-2] - left[-1] == played
    assert left[0] == 54
    assert [len(GAME.hand(state, seat)) for seat in range(3)].count(0) == 1


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


# Dealing


def test_the_deck_is_dealt_in_hands_of_17_and_the_last_three_go_to_the_landlord():
    for number in range(3):
        stream = Stream.of_deal("any", 1, number)
        order = Stream.of_deal("any", 1, number).shuffled(54)
        deal = GAME.next_deal(number, stream, None)
        assert deal is not None
        assert deal.seat == number
        assert list(deal.extra) == order[51:]
        expected = [
            order[17 * seat : 17 * seat + 17] + (order[51:] if seat == number else []) for seat in range(3)
        ]
        assert [list(hand) for hand in deal.hands] == expected
    assert GAME.next_deal(3, Stream("any"), None) is None


def test_cards_are_numbered_rank_by_rank_and_named_by_rank():
    names = [GAME.card_name(card) for card in range(54)]
    assert "".join(names) == "".join(4 * rank for rank in "3456789TJQKA2") + "BR"
    assert [GAME.card_of(name) for name in "34A2BR"] == [0, 4, 44, 48, 52, 53]
    for name in ("1", "", "34", "pass"):
        with pytest.raises(KeyError):
            GAME.card_of(name)


def test_a_deal_goes_round_with_landlord_and_extra_cards():
    deal = GAME.next_deal(0, Stream("round"), None)
    assert deal is not None
    moved = deal.rotated(1)
    assert (moved.seat, moved.hands[1], moved.extra) == (1, deal.hands[0], deal.extra)


def test_a_table_of_three_is_played_in_three_cyclic_shifts():
    assert (GAME.table_size, GAME.sides) == (3, None)
    assert GAME.seatings == ((0, 1, 2), (2, 0, 1), (1, 2, 0))


# Words


def test_the_greeting_names_rules_seat_and_landlords():
    assert [wording[2] for wording in DouDizhu([2, 0]).greeting()] == [
        "set_rules dou_dizhu 1",
        "set_players 3 2",
        "set_game 2 2 0",
    ]
    assert next(iter(DouDizhu(bombs="double").greeting()))[0] == "set_rules dou_dizhu 1 double"


def test_each_seat_hears_its_hand_and_all_the_three_extra_cards():
    deal = deal_of(landlord=1, extra="R3B")
    assert list(GAME.dealt(deal)) == [
        ("set_cards 11 38TTTQQQQAA", "set_cards 12 3344558899BR", "set_cards 11 34456667777"),
        ("show_cards 3 3BR",) * 3,
    ]


def test_plays_and_passes_are_told_to_all_and_the_points_after_the_last():
    told: list[Tell] = []
    state = state_after(hands=["334", "5", "6"])
    for word in ("33", "pass", "pass", "4"):
        (seat,) = state.to_act
        action = GAME.parse(state, seat, word)
        after = state.apply(seat, action)
        told += GAME.news(state, seat, action, after)
        state = after
    lines = ["play 0 33", "play 1 pass", "play 2 pass", "play 0 4", "end_deal 1 -1 -1"]
    assert told == [Tell((0, 1, 2), line) for line in lines]


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


@pytest.mark.parametrize(
    ("reply", "fault", "detail"),
    [
        (b"= pass\n\n", "illegal", "pass: the seat that leads may not pass"),
        (b"= 6\n\n", "illegal", "6 is not in hand, which has no 6"),
        (b"= 34\n\n", "illegal", "34: these cards are no combination of the rules"),
        (b"= 3 3\n\n", "malformed", "more than one word in an answer: 3 3"),
        (b"=\n\n", "malformed", "an answer without a word"),
        (b"33\n\n", "malformed", "a reply starts with = or"),
        (b"? no\n\n", "refused", "refused to answer gen_move"),
        (None, "crash", "its program ended"),
    ],
)
def test_a_fault_in_an_answer_becomes_the_right_forfeit(reply, fault, detail):
    game = GAME.given([deal_of()])
    bots = [ScriptedBot(["33"], {("gen_move", 0): reply}), ScriptedBot(), ScriptedBot()]
    forfeit = play_in_memory(game, bots).forfeit
    assert forfeit is not None
    assert (forfeit.seat, forfeit.fault) == (0, Fault(fault))
    assert forfeit.detail.startswith(detail)


def test_a_match_is_word_for_word_the_golden_one(golden):
    transcript: list[Said] = []
    play_by_policy(GAME, random_policy("golden"), cost=250_000, transcript=transcript)
    lines = [f"{seat} {command} | {reply.decode().strip()}" for seat, command, reply in transcript]
    golden("dou_dizhu_match.txt", "\n".join(lines) + "\n")


def test_all_cards_are_known_to_all_before_the_first_request():
    transcript: list[Said] = []
    play_by_policy(GAME, random_policy("order"), transcript=transcript)
    heard = [(said.seat, said.command.split()[0]) for said in transcript]
    names = ("set_rules", "set_players", "set_game", "set_cards", "show_cards")
    assert heard[:15] == [(seat, name) for name in names for seat in range(3)]
    assert heard[15:17] == [(0, "time_left"), (0, "gen_move")]


def test_the_deals_and_play_of_a_seed_are_the_golden_ones(golden):
    record = play_by_policy(DouDizhu(bombs="double"), random_policy("game"), match_spec(GAME, seed="golden"))
    lines = []
    for dealt, steps in sheets_of(record, GAME):
        deal = dealt.deal
        lines.append(f"deal {dealt.number}, landlord {deal.seat}, extra {''.join(dealt.shape['extra'])}")
        lines += [f"{seat}: {GAME.hand_text(sorted(hand))}" for seat, hand in enumerate(deal.hands)]
        lines += score_sheet(GAME, dealt.state, steps)
    lines.append(f"points {record.points}")
    golden("dou_dizhu_game.txt", "\n".join(lines) + "\n")


# Options and given deals


def test_the_default_is_a_deal_for_each_landlord():
    assert GAME.options == {"landlords": [0, 1, 2], "bombs": "single"}
    assert (GAME.seats, GAME.actions, GAME.seat_word) == (3, 27472, "landlord")
    assert make("dou_dizhu", {}) == GAME


@pytest.mark.parametrize(
    ("options", "path", "message"),
    [
        ({"landlords": []}, ["landlords"], "[] is not a list of seats"),
        ({"landlords": 1}, ["landlords"], "1 is not a list of seats"),
        ({"landlords": "012"}, ["landlords"], "'012' is not a list of seats"),
        ({"landlords": [0, 3]}, ["landlords", 1], "landlord 3 is not a seat 0..2"),
        ({"landlords": [-1]}, ["landlords", 0], "landlord -1 is not a seat 0..2"),
        ({"landlords": [True]}, ["landlords", 0], "landlord True is not a seat"),
        ({"landlords": [1.0]}, ["landlords", 0], "landlord 1.0 is not a seat"),
        ({"bombs": "triple"}, ["bombs"], "'triple' is not known"),
        ({"bombs": True}, ["bombs"], "True is not known"),
        ({"bombs": ["double"]}, ["bombs"], "['double'] is not known"),
    ],
)
def test_a_wrong_option_is_refused_with_its_path(options, path, message):
    with pytest.raises(ConfigError) as caught:
        DouDizhu(**options)
    (problem,) = caught.value.problems
    assert list(problem.path) == path
    assert message in problem.message


def test_all_wrong_options_are_told_at_once():
    with pytest.raises(ConfigError) as caught:
        make("dou_dizhu", {"landlords": [3, 4], "bombs": 2, "landlord": 1})
    assert len(caught.value.problems) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hands": [["3"], ["4"]]}, "needs 3 hands of 1 to 20 cards"),
        ({"hands": [["3"], ["4"], []]}, "needs 3 hands of 1 to 20 cards"),
        ({"hands": [list("33"), list("33"), ["3"]]}, "has a 3 more than the deck"),
        ({"hands": [["B"], ["B"], ["3"]]}, "has a B more than the deck"),
        ({"hands": [["3"], ["4"], ["1"]]}, "has no '1', or there is no such card"),
        ({"hands": [["3"], ["4"], ["10"]]}, "has no '10', or there is no such card"),
        ({"hands": [["3"], ["4"], [3]]}, 'is not {"hands"'),
        ({"hands": 3}, 'is not {"hands"'),
        ({"extra": ["4"]}, "extra card 4 is not in the landlord's hand"),
        ({"extra": ["3", "3"]}, "extra card 3 is not in the landlord's hand"),
        ({"landlord": 3}, "landlord is not a seat 0..2"),
        ({"landlord": True}, "landlord is not a seat 0..2"),
        ({"starter": 1}, "unknown key 'starter'"),
    ],
)
def test_a_given_deal_that_cannot_be_one_is_refused(change, message):
    shape = {"hands": [["3"], ["4"], ["5"]], **change}
    with pytest.raises(ConfigError) as caught:
        GAME.deal_from_json(shape)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("shape", [[], None, {"landlord": 1}])
def test_a_given_deal_without_hands_is_refused(shape):
    with pytest.raises(ConfigError, match="a given deal"):
        GAME.deal_from_json(shape)


@given(seed=st.integers(0, 2**32))
@examples(30)
def test_a_deal_survives_its_json_but_for_the_suits(seed):
    deal = GAME.next_deal(seed % 3, Stream(seed), None)
    assert deal is not None
    shape = GAME.deal_json(deal)
    read = GAME.deal_from_json(json.loads(json.dumps(shape)))
    assert GAME.deal_json(read) == shape
    assert sorted(card for hand in read.hands for card in hand) == [*range(54)]
    assert set(read.extra) <= set(read.hands[deal.seat])
    assert GAME.start(read) == GAME.start(deal)


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


def test_hands_for_people_are_one_word():
    state = state_after("334455", hands=["334455", "4", "8BR"])
    assert [GAME.hand_text(GAME.hand(state, seat)) for seat in range(3)] == ["-", "4", "8BR"]


@pytest.mark.process
def test_the_table_is_not_made_by_importing_the_game():
    code = (
        "import arbiter.games.dou_dizhu as d; d.DouDizhu(); "
        "from arbiter.games.dou_dizhu.combinations import table; print(table.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


def test_points_of_a_match_are_those_of_its_deals():
    record = play_by_policy(GAME, random_policy("sum"))
    ends = []
    for number, shape in enumerate(record.deals):
        state = GAME.start(GAME.deal_from_json(shape))
        for move in record.moves:
            if move.deal == number:
                state = state.apply(move.seat, GAME.parse(state, move.seat, move.action))
        ends.append(state.points())
    assert tuple(map(sum, zip(*ends, strict=True))) == record.points


def test_equal_cards_in_other_hands_make_no_difference_to_what_a_seat_hears():
    deal = Deal(((0, 4), (1, 5), (2, 8)))
    other = Deal(((0, 4), (2, 5), (1, 8)))
    assert list(GAME.dealt(deal)) == list(GAME.dealt(other))
