"""The rules of Planning, against a plain second implementation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import ConfigError, IllegalAction
from arbiter.games import find, make
from arbiter.games.cards import Stream
from arbiter.games.game import Deal
from arbiter.games.planning import Planning
from arbiter.testing import play_by_policy, random_policy
from tests.fixtures.profiles import examples

TOURNAMENT = Planning()


@st.composite
def games(draw):
    """Any deck, number of seats and list of deals that fit each other."""
    seats = draw(st.integers(2, 4))
    values = "".join(draw(st.lists(st.sampled_from("23456789TJQKAxyz"), min_size=4, unique=True)))
    suits = "".join(draw(st.lists(st.sampled_from("CDHSabc"), min_size=1, unique=True)))
    most = len(values) * len(suits) // seats
    deal = st.tuples(st.integers(1, most), st.integers(0, seats - 1))
    deals = draw(st.lists(deal, min_size=1, max_size=3))
    return Planning(seats, f"{values} {suits}", deals)


def deals_of(game, seed):
    return [
        game.next_deal(number, Stream.of_deal(seed, 1, number), None) for number in range(len(game.programme))
    ]


def play_deal(game, deal, policy):
    """All states of a deal and who did what."""
    state = game.start(deal)
    states, actions = [state], []
    while state.to_act:
        seat = state.to_act[0]
        action = policy(state, seat)
        actions.append((seat, action))
        state = state.apply(seat, action)
        states.append(state)
    return states, actions


def play_by_the_book(game, deal, cards):
    """Who plays each card, what each could have played, and tricks taken, from names alone.

    Hands are sets of names; `cards` is the names in the order played.
    """
    values, (trump, *_) = game.deck.values, game.deck.suits
    hands = [{game.card_name(card) for card in hand} for hand in deal.hands]
    taken, leader, could = [0] * game.seats, deal.seat, []
    for start in range(0, len(cards), game.seats):
        trick = cards[start : start + game.seats]
        for place, name in enumerate(trick):
            seat = (leader + place) % game.seats
            following = {held for held in hands[seat] if held[1] == trick[0][1]}
            could.append((seat, following if place and following else set(hands[seat])))
            hands[seat].remove(name)
        trumps = [name for name in trick if name[1] == trump]
        candidates = trumps or [name for name in trick if name[1] == trick[0][1]]
        best = max(candidates, key=lambda name: values.index(name[0]))
        leader = (leader + trick.index(best)) % game.seats
        taken[leader] += 1
    return could, tuple(taken)


# Rules


@given(game=games(), seed=st.integers(0, 2**32))
@examples(60)
def test_turns_legal_cards_and_tricks_agree_with_a_plain_implementation(game, seed):
    for deal in deals_of(game, seed):
        states, actions = play_deal(game, deal, random_policy(seed))
        play = range(game.seats, len(actions))
        cards = [game.action_text(states[i], *actions[i]) for i in play]
        could, taken = play_by_the_book(game, deal, cards)
        ours = [
            (seat, {game.action_text(states[i], seat, action) for action in states[i].legal(seat)})
            for i in play
            for seat in states[i].to_act
        ]
        assert ours == could
        assert states[-1].taken == taken


@given(game=games(), seed=st.integers(0, 2**32))
@examples(40)
def test_points_are_tricks_and_the_bonus_for_an_exact_declaration(game, seed):
    for deal in deals_of(game, seed):
        states, actions = play_deal(game, deal, random_policy(seed))
        declared = [action for _, action in actions[: game.seats]]
        expected = [
            taken + (len(deal.hands[0]) if taken == said else 0)
            for taken, said in zip(states[-1].taken, declared, strict=True)
        ]
        assert list(states[-1].points()) == expected


def state_after(*words, hands, starter=0):
    """A state of the tournament game, reached by words in the order of play."""
    cards = tuple(tuple(map(TOURNAMENT.card_of, hand.split())) for hand in hands)
    state = TOURNAMENT.start(Deal(cards, starter))
    for word in words:
        seat = state.to_act[0]
        state = state.apply(seat, TOURNAMENT.parse(state, seat, word))
    return state


HANDS = ("2D 3S", "4D 5H", "6S 7S", "8C 9D")


@pytest.mark.parametrize(
    ("words", "seat", "word", "reason"),
    [
        ("", 0, "3", "a declaration is an integer from 0 to 2"),
        ("0", 0, "0", "it is not seat 0's turn"),
        ("0 0 0 0", 0, "AS", "AS is not in hand"),
        ("0 0 0 0", 1, "4D", "it is not seat 1's turn"),
        ("0 0 0 0 2D", 1, "5H", r"5H does not follow suit \(2D was led\)"),
    ],
)
def test_an_illegal_action_is_refused_with_its_reason(words, seat, word, reason):
    state = state_after(*words.split(), hands=HANDS)
    with pytest.raises(IllegalAction, match=f"^{reason}$"):
        state.apply(seat, TOURNAMENT.parse(state, seat, word))


def test_a_declaration_in_place_of_a_card_is_refused():
    state = state_after("0", "0", "0", "0", hands=HANDS)
    with pytest.raises(IllegalAction, match="a card is to be played, not a declaration"):
        state.apply(0, 1)


# Words


@pytest.mark.parametrize(
    ("word", "action"), [("0", 0), ("2", 2), ("03", 3), ("000", 0), ("0002", 2), ("999", 999)]
)
def test_declarations_are_read_with_leading_zeros(word, action):
    assert TOURNAMENT.parse(state_after(hands=HANDS), 0, word) == action


@pytest.mark.parametrize(
    "word", ["-1", "+1", "1.0", "two", "0x1", "1e0", "\u0663", "\u00b2", "1000", "9" * 5000]
)
def test_what_is_no_plain_integer_is_no_declaration(word):
    with pytest.raises(IllegalAction, match="a declaration is an integer"):
        TOURNAMENT.parse(state_after(hands=HANDS), 0, word)


@pytest.mark.parametrize("word", ["2d", "td", "D2", "10D", "2D3S", "1", "2DD", "*"])
def test_a_word_that_names_no_card_of_the_deck_is_refused(word):
    state = state_after("0", "0", "0", "0", hands=HANDS)
    with pytest.raises(IllegalAction, match="there is no such card in the deck"):
        TOURNAMENT.parse(state, 0, word)


def test_tournament_ids_are_declarations_0_to_13_then_the_cards_in_index_order():
    declaring = state_after(hands=HANDS)
    playing = state_after("0", "0", "0", "0", hands=HANDS)
    words = [TOURNAMENT.action_text(declaring, 0, action) for action in range(14)]
    words += [TOURNAMENT.action_text(playing, 0, action) for action in range(14, TOURNAMENT.actions)]
    assert words == [*map(str, range(14)), *TOURNAMENT.deck.names]


# Matches


def lowest_card_and_half_the_tricks(state, seat):
    """A deterministic player that looks at its own hand and at the table only."""
    legal = state.legal(seat)
    return legal[len(legal) // 2] if state.trick is None else legal[0]


# Options


def test_an_unknown_game_is_refused_with_the_nearest_known_one():
    with pytest.raises(ConfigError, match=r"unknown game 'planing' \(did you mean planning\?\)"):
        find("planing")


@given(game=games())
@examples(30)
def test_options_build_an_equal_game_by_name(game):
    assert make("planning", game.options) == game


def test_more_than_a_hundred_deals_are_all_played():
    game = Planning(2, "23 CD", [[1, 0]] * 130)
    record = play_by_policy(game, random_policy("long"))
    assert len(record.moves) == 130 * 4


def test_given_deals_replace_the_programme():
    shapes = [{"hands": [["AC"], ["KC"], ["QC"], ["JC"]], "starter": 2}]
    game = TOURNAMENT.given([TOURNAMENT.deal_from_json(shape) for shape in shapes])
    record = play_by_policy(game, lowest_card_and_half_the_tricks)
    assert list(record.deals) == shapes
    assert [move.action for move in record.moves[4:]] == ["QC", "JC", "AC", "KC"]


def test_a_game_derived_from_planning_stays_itself_with_given_deals():
    class Derived(Planning):
        pass

    deals = deals_of(TOURNAMENT, "given")[:2]
    assert type(Derived(3).given([Deal(deal.hands[:3], 0) for deal in deals])) is Derived
