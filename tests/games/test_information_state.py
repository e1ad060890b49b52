"""A match as one of its seats hears it: the rules go on with cards that are unknown."""

from __future__ import annotations

import pytest

from arbiter.games import hearing_of, make
from arbiter.games.cards import UNKNOWN
from arbiter.games.chefs_hat.actions import JOKER
from arbiter.games.information_state import BadCommand


def heard(game, seat, *lines):
    hearing = hearing_of(game, seat)
    for line in lines:
        hearing.hear(line)
    return hearing


def names(hearing, seat):
    """The cards of a hand that are known, and how many are not."""
    hand = hearing.game.hand(hearing.state, seat)
    known = [card for card in hand if card < UNKNOWN]
    return [hearing.game.card_name(card) for card in known], len(hand) - len(known)


def small(seats, cards, starter=0):
    return make("planning", {"deck": "2345 CDH", "seats": seats, "deals": [[cards, starter]]})


DECLARED = ("set_cards 4 2H 3H 2C 2D", "declare 0 0", "declare 1 0", "declare 2 0")


def test_cards_of_others_are_unknown_until_they_are_laid():
    hearing = heard(small(3, 4, 1), 0, *DECLARED, "play 1 4H", "play 2 3C")
    assert names(hearing, 0) == (["2C", "2D", "2H", "3H"], 0)
    assert names(hearing, 1) == ([], 3)
    assert names(hearing, 2) == ([], 3)
    assert hearing.game.table(hearing.state) == ((1, "4H"), (2, "3C"))
    assert [card < UNKNOWN for card in hearing.deal.hands[1]] == [True, False, False, False]


def test_the_rules_go_on_with_unknown_cards():
    hearing = heard(small(3, 4, 1), 0, *DECLARED, "play 1 4H", "play 2 3C", "play 0 2H")
    assert hearing.state.taken == (0, 0, 1)
    assert hearing.state.to_act == (2,)


def test_the_same_is_known_whatever_was_asked_before_it_was_told():
    lines = ("declare 0 3", "declare 1 1", "declare 2 0")
    told = heard(small(3, 4, 0), 1, "set_cards 4 2H 3H 2C 2D")
    told.asked("gen_declare")
    assert told.state.to_act == (1, 2)
    for line in lines:
        told.hear(line)
    assert told.state == heard(small(3, 4, 0), 1, "set_cards 4 2H 3H 2C 2D", *lines).state
    assert told.state.declared == (3, 1, 0)


def test_a_command_that_only_looks_like_news_changes_nothing():
    hearing = heard(small(2, 4), 0, "set_cards 4 2H 2C 3C 2D", "declare 0 0", "declare 1 0", "play 0 2H")
    before = hearing.deal, hearing.state
    with pytest.raises(BadCommand, match="cannot do laid"):
        hearing.hear("laid 1 4D")
    assert (hearing.deal, hearing.state) == before
    hearing.hear("play 1 4H")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("play 0 2D", "that cannot be done in this deal"),
        ("play 0 4C", "more such cards than the deck has"),
        ("play 1 4C", "cannot do play"),
        ("gen_move", "cannot do gen_move"),
    ],
)
def test_what_the_rules_do_not_allow_is_refused_and_changes_nothing(line, reason):
    lines = ("set_cards 4 2H 3H 4D 2D", "declare 0 0", "declare 1 0", "play 0 2H", "play 1 4H", "play 1 5H")
    hearing = heard(small(2, 4), 0, *lines)
    before = hearing.deal, hearing.state
    with pytest.raises(BadCommand, match=reason):
        hearing.hear(line)
    assert (hearing.deal, hearing.state) == before


def test_a_deal_is_begun_when_all_of_it_has_been_told():
    game = make("dou_dizhu", {"landlords": [1]})
    hearing = heard(game, 0, "set_cards 17 33334444555566667")
    with pytest.raises(BadCommand, match="show_cards comes first"):
        hearing.hear("play 1 8")
    hearing.hear("show_cards 3 2BR")
    assert [game.card_name(card) for card in hearing.deal.extra] == ["2", "B", "R"]
    hearing.hear("play 1 8")
    assert names(hearing, 1) == (["2", "B", "R"], 16)


def test_a_deal_may_have_fewer_cards_than_those_of_the_programme():
    hearing = heard(make("dou_dizhu", {"landlords": [0]}), 1, "set_cards 3 347", "play 0 5", "play 1 7")
    assert names(hearing, 0) == ([], 2)
    assert names(hearing, 1) == (["3", "4"], 0)


def test_cards_that_two_others_gave_each_other_are_unknown():
    lines = (
        "set_cards 4 1 2 3 12", "set_roles Waiter Souschef Chef Dishwasher",
        "exchange 3 2 2", "exchange 2 3 2", "exchange 0 1 1 1", "exchange 1 0 1 9", "play 2 pass",
    )  # fmt: skip
    hearing = heard(make("chefs_hat", {"rules": "gym2"}), 0, *lines)
    assert [gift.cards for gift in hearing.state.setting.exchange] == [
        (UNKNOWN,) * 2,
        (UNKNOWN,) * 2,
        (1,),
        (9,),
    ]
    assert names(hearing, 0) == (["2", "3", "9", str(JOKER)], 0)
    assert names(hearing, 1) == (["1"], 3)
    assert names(hearing, 3) == ([], 4)
