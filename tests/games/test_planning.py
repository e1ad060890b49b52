"""The rules of Planning, against a plain second implementation and the numbers of its page."""

from __future__ import annotations

from fractions import Fraction
from math import comb, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import ConfigError, IllegalAction
from arbiter.games import find, make
from arbiter.games.cards import Stream
from arbiter.games.game import Deal, Tell
from arbiter.games.planning import Planning
from arbiter.testing import match_spec, play_by_policy, random_policy
from tests.fixtures.profiles import examples

TOURNAMENT = Planning()
EXPECTED_OF_A_MATCH = sum(Fraction(c, 4) + Fraction(c, c + 1) for c in range(1, 14))


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


def simulated(matches):
    """Points of whole tournament matches with random declarations and cards, by seat."""
    policy = random_policy("simulated")
    for match in range(matches):
        finals = [play_deal(TOURNAMENT, deal, policy)[0][-1] for deal in deals_of(TOURNAMENT, f"sim{match}")]
        yield [sum(points) for points in zip(*(final.points() for final in finals), strict=True)]


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
def test_tricks_of_a_deal_sum_to_its_cards(game, seed):
    for deal in deals_of(game, seed):
        states, _ = play_deal(game, deal, random_policy(seed))
        assert sum(states[-1].taken) == len(deal.hands[0])


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


@given(count=st.integers(1, 13), seed=st.integers(0, 2**32), seat=st.integers(0, 3))
@examples(30)
def test_over_all_declarations_a_seat_gets_one_bonus_whatever_the_play(count, seed, seat):
    # So uniform declarations earn c / (c + 1) on average beside the tricks.
    deal = deals_of(TOURNAMENT, seed)[count - 1]
    _, actions = play_deal(TOURNAMENT, deal, random_policy(seed))
    total = taken = 0
    for declared in range(count + 1):
        state = TOURNAMENT.start(deal)
        for number, (actor, action) in enumerate(actions):
            state = state.apply(actor, declared if number == seat else action)
        taken = state.taken[seat]
        total += state.points()[seat]
    assert total == (count + 1) * taken + count


def test_the_expectation_of_a_tournament_match_is_the_documented_figure():
    assert f"{float(EXPECTED_OF_A_MATCH):.6f}" == "33.498438"


@pytest.mark.slow
def test_random_declarations_earn_the_expected_points():
    means = [sum(points) / 4 for points in simulated(1000)]
    mean = sum(means) / len(means)
    variance = sum((x - mean) ** 2 for x in means) / (len(means) - 1)
    assert abs(mean - float(EXPECTED_OF_A_MATCH)) < 3 * sqrt(variance / len(means))


def test_a_one_card_deal_is_won_by_the_starter_with_the_documented_probability():
    winner, cards = TOURNAMENT.tricks.winner, range(14, 66)
    ways = 0
    for led in cards:
        weaker = sum(winner((led, other)) == 0 for other in cards if other != led)
        ways += comb(weaker, 3)
    assert Fraction(ways, 52 * comb(51, 3)) == Fraction(30029, 83300)


@pytest.mark.parametrize(
    ("trick", "place"),
    [
        ("2D 3D AD KD", 2),
        ("2D AS AH 3D", 3),
        ("AD 2C AS KD", 1),
        ("2C 3D AD AH", 0),
        ("KD TC JC AD", 2),
    ],
)
def test_the_highest_trump_or_else_the_highest_of_the_suit_led_takes_the_trick(trick, place):
    actions = tuple(TOURNAMENT.card_of(name) + 14 for name in trick.split())
    assert TOURNAMENT.tricks.winner(actions) == place


def state_after(*words, hands, starter=0):
    """A state of the tournament game, reached by words in the order of play."""
    cards = tuple(tuple(map(TOURNAMENT.card_of, hand.split())) for hand in hands)
    state = TOURNAMENT.start(Deal(cards, starter))
    for word in words:
        seat = state.to_act[0]
        state = state.apply(seat, TOURNAMENT.parse(state, seat, word))
    return state


HANDS = ("2D 3S", "4D 5H", "6S 7S", "8C 9D")


def test_the_winner_of_a_trick_leads_the_next():
    state = state_after("0", "0", "0", "0", "2D", "4D", "6S", "9D", hands=HANDS)
    assert state.to_act == (3,)


def test_the_starter_of_the_deal_leads_the_first_trick():
    assert state_after("0", "0", "0", "0", hands=HANDS, starter=2).to_act == (2,)


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


def test_the_greeting_names_deck_seat_and_programme():
    assert [wording[2] for wording in TOURNAMENT.greeting()] == [
        "set_deck 23456789TJQKA CDHS",
        "set_players 4 2",
        "set_game 13 1 0 2 1 3 2 4 3 5 0 6 1 7 2 8 3 9 0 10 1 11 2 12 3 13 0",
    ]


def test_each_seat_is_dealt_its_own_cards_in_the_order_dealt():
    deal = Deal(((3, 1), (2, 0)), 1)
    game = Planning(2, "23 CD", [[2, 1]])
    assert list(game.dealt(deal)) == [("set_cards 2 3D 3C", "set_cards 2 2D 2C")]


def test_declarations_are_told_only_when_the_last_has_declared():
    state, told = state_after(hands=HANDS), []
    for seat, declared in enumerate((2, 0, 1, 2)):
        after = state.apply(seat, declared)
        told.append(list(TOURNAMENT.news(state, seat, declared, after)))
        state = after
    everybody = (0, 1, 2, 3)
    lines = [Tell(everybody, f"declare {seat} {n}") for seat, n in enumerate((2, 0, 1, 2))]
    assert told == [[], [], [], lines]


# Matches


def lowest_card_and_half_the_tricks(state, seat):
    """A deterministic player that looks at its own hand and at the table only."""
    legal = state.legal(seat)
    return legal[len(legal) // 2] if state.trick is None else legal[0]


def test_identical_bots_get_equal_sums_over_the_four_rotations():
    totals = dict.fromkeys("abcd", 0)
    for shift in range(4):
        names = [("abcd"[seat - shift]) for seat in range(4)]
        spec = match_spec(TOURNAMENT, names=names, rotation=shift, round_number=5)
        record = play_by_policy(TOURNAMENT, lowest_card_and_half_the_tricks, spec)
        for name, points in zip(record.players, record.points or (), strict=True):
            totals[name] += points
    assert len(set(totals.values())) == 1


def test_totals_of_a_match_are_91_and_the_bonuses():
    record = play_by_policy(TOURNAMENT, random_policy("bonus"))
    bonuses = 0
    for number, deal in enumerate(deals_of(TOURNAMENT, "1")):
        actions = [move.action for move in record.moves if move.deal == number]
        _, taken = play_by_the_book(TOURNAMENT, deal, actions[4:])
        exact = sum(int(said) == won for said, won in zip(actions[:4], taken, strict=True))
        bonuses += exact * len(deal.hands[0])
    assert sum(record.points or ()) == 91 + bonuses


# Options


def test_the_default_is_the_tournament():
    deals = [[count, (count - 1) % 4] for count in range(1, 14)]
    assert TOURNAMENT.options == {"seats": 4, "deck": "23456789TJQKA CDHS", "deals": deals}


@pytest.mark.parametrize(
    ("options", "path", "message"),
    [
        ({"seats": 1}, ["seats"], "1 is not a number of players from 2 to 4"),
        ({"seats": 5}, ["seats"], "5 is not a number of players"),
        ({"seats": "4"}, ["seats"], "'4' is not a number of players"),
        ({"seats": True}, ["seats"], "True is not a number of players"),
        ({"seats": 4.0}, ["seats"], "4.0 is not a number of players"),
        ({"deck": ""}, ["deck"], "'' is not a deck"),
        ({"deck": "2345"}, ["deck"], "'2345' is not a deck"),
        ({"deck": "23 CD HS"}, ["deck"], "'23 CD HS' is not a deck"),
        ({"deck": 52}, ["deck"], "52 is not a deck"),
        ({"deck": "2234 CDHS"}, ["deck"], "'2234 CDHS' names something twice"),
        ({"deck": "2345 CDHC"}, ["deck"], "'2345 CDHC' names something twice"),
        ({"deck": "2345 CD\u2665S"}, ["deck"], "has a character that is not plain"),
        ({"deck": "".join(map(chr, range(33, 127))) + " CDH"}, ["deck"], "has 282 cards, not 4 to 256"),
        ({"deals": []}, ["deals"], "not a list of"),
        ({"deals": "13"}, ["deals"], "not a list of"),
        ({"deals": {"1": 0}}, ["deals"], "not a list of"),
        ({"deals": [[1, 0], 2]}, ["deals", 1], "2 is not a pair"),
        ({"deals": [[1, 0, 0]]}, ["deals", 0], "is not a pair"),
        ({"deals": [[1.0, 0]]}, ["deals", 0], "is not a pair"),
        ({"deals": [[1, True]]}, ["deals", 0], "is not a pair"),
        ({"deals": [[1, 0], [0, 0]]}, ["deals", 1, 0], "0 cards each: 52 cards give 4 players 1 to 13"),
        ({"deals": [[14, 0]]}, ["deals", 0, 0], "14 cards each"),
        ({"deals": [[1, 4]]}, ["deals", 0, 1], "starter 4 is not a seat 0..3"),
        ({"deals": [[1, -1]]}, ["deals", 0, 1], "starter -1 is not a seat 0..3"),
        ({"seats": 3, "deals": [[1, 3]]}, ["deals", 0, 1], "starter 3 is not a seat 0..2"),
        ({"deck": "2 CD"}, ["deck"], "has 2 cards, not 4 to 256"),
    ],
)
def test_a_wrong_option_is_refused_with_its_path(options, path, message):
    with pytest.raises(ConfigError) as caught:
        Planning(**options)
    (problem,) = caught.value.problems
    assert list(problem.path) == path
    assert message in problem.message


def test_an_unknown_option_is_refused_with_the_nearest_known_one():
    with pytest.raises(ConfigError, match=r"deels: unknown option of planning \(did you mean deals\?\)"):
        make("planning", {"deels": []})


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


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"hands": [["AC"], ["KC"], ["QC"]]}, "needs 4 hands"),
        ({"hands": [["AC"], ["AC"], ["QC"], ["JC"]]}, "without a card twice"),
        ({"hands": [["AC"], ["KC"], ["QC"], ["1C"]]}, "has no '1C', or there is no such card"),
        ({"hands": [["AC"], ["KC"], ["QC"], ["JC"]], "starter": 4}, "starter is not a seat 0..3"),
        ({"hands": [["AC"], ["KC"], ["QC"], ["JC"]], "dealer": 1}, "unknown key 'dealer'"),
        ({"starter": 1}, "has no 'hands'"),
        ([], "is not {"),
    ],
)
def test_a_given_deal_that_cannot_be_one_is_refused(shape, message):
    with pytest.raises(ConfigError, match=message):
        TOURNAMENT.deal_from_json(shape)


def test_a_game_derived_from_planning_stays_itself_with_given_deals():
    class Derived(Planning):
        pass

    deals = deals_of(TOURNAMENT, "given")[:2]
    assert type(Derived(3).given([Deal(deal.hands[:3], 0) for deal in deals])) is Derived


def test_given_hands_of_different_sizes_are_refused():
    with pytest.raises(ConfigError, match="given deal 0: all hands must have the same size"):
        TOURNAMENT.given([Deal(((1, 2), (3,), (4,), (5,)))])
