"""The rules and words of Codepiece, against a published engine's games and a plain second telling."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import IllegalAction
from arbiter.games.cards import Stream
from arbiter.games.codepiece import DECK, IDS, WORDS, Codepiece
from arbiter.games.game import Deal, Tell
from arbiter.testing import (
    ScriptedBot,
    match_spec,
    play_by_policy,
    play_in_memory,
    random_policy,
)
from tests.fixtures.profiles import examples
from tests.fixtures.recorded_games import games, lines

GAME = Codepiece()
WORDS_SHA256 = "d5f1bbf13740ab0cf7b6c2b667238b3b00dc18a1898effe14815910b629772fa"


def dealt(hands, dealer=0):
    return Deal(tuple(tuple(GAME.card_of(name) for name in hand) for hand in hands), dealer)


def after(state, *words):
    for word in words:
        state = state.apply(state.to_act[0], IDS[word])
    return state


def test_the_words_are_the_published_ones() -> None:
    assert sha256(" ".join(WORDS).encode()).hexdigest() == WORDS_SHA256
    assert list(WORDS) == lines("codepiece/codepiece_games")[0]["actions"]
    assert len(WORDS) == GAME.actions == 63


def test_every_legal_set_and_point_is_the_engines() -> None:
    for engine in games("codepiece/codepiece_games"):
        state = GAME.start(dealt(engine["hands"], engine["dealer"]))
        for step in engine["steps"]:
            seat = step["p"]
            assert state.to_act == (seat,)
            assert list(state.legal(seat)) == step["mask"]
            state = state.apply(seat, step["id"])
        assert list(state.points()) == engine["payoffs"]


BIDDING = GAME.start(dealt([["2C"], ["3C"], ["4C"], ["5C"]], 1))


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["bid_9"], "bid_8"),
        (["bid_9"], "bid_9"),
        (["bid_13"], "bid_13"),
        ([], "trump_S"),
        ([], "4C"),
        (["pass", "pass", "pass", "bid_8"], "pass"),
        (["pass", "pass", "pass", "pass"], "bid_8"),
    ],
)
def test_what_the_engine_let_pass_is_illegal(words, wrong) -> None:
    state = after(BIDDING, *words)
    with pytest.raises(IllegalAction):
        after(state, wrong)


@pytest.mark.parametrize("word", ["bid_7", "bid_14", "trump_N", "1C", "PASS", "bid", ""])
def test_words_of_no_action_are_illegal(word) -> None:
    with pytest.raises(IllegalAction):
        GAME.parse(BIDDING, 2, word)


def test_a_bid_of_13_leaves_only_pass() -> None:
    assert list(after(BIDDING, "bid_13").legal(3)) == [IDS["pass"]]


def test_four_passes_force_seven_on_the_seat_at_the_dealers_left() -> None:
    state = after(BIDDING, "pass", "pass", "pass", "pass")
    assert (state.to_act, state.bid, state.bids[-1]) == ((2,), 7, (2, 7))
    assert GAME.request(state, 2) == "gen_trump"


def book_legal(hand, trick, trump):
    """The cards that may be played by the rule book's words alone; `trick` is (seat, name), `hand` names."""
    values = DECK.values
    led = trick[0][1][1] if trick else ""

    def worth(name):
        if name[1] == trump:
            return 200 + values.index(name[0])
        return 100 + values.index(name[0]) if name[1] == led else 0

    if not trick:
        return set(hand)
    cards = {card for card in hand if card[1] == led} or set(hand)
    winner, best = max(trick, key=lambda played: worth(played[1]))
    mine = (trick[-1][0] + 1) % 4
    over = {card for card in cards if worth(card) > worth(best)}
    return over if (winner - mine) % 2 and over else cards


@examples(60)
@given(seed=st.integers(0, 10**6))
def test_play_follows_the_rule_book(seed) -> None:
    deal = GAME.next_deal(0, Stream.of_deal(seed, 1, 0), None)
    assert deal is not None
    policy = random_policy(seed)
    state = GAME.start(deal)
    while state.to_act:
        seat = state.to_act[0]
        if state.trump >= 0:
            order = [((state.opened + place) % 4, WORDS[card]) for place, card in enumerate(state.trick)]
            hand = [GAME.card_name(card) for card in GAME.hand(state, seat)]
            expected = book_legal(hand, order, DECK.suits[state.trump])
            assert {WORDS[action] for action in state.legal(seat)} == expected
        state = state.apply(seat, policy(state, seat))
    defended = state.won[1 - (state.leader & 1)]
    assert sum(state.won) == 13 or defended == 14 - state.bid
    points = state.points()
    assert points[0] == points[2] == -points[1] == -points[3]
    assert abs(points[0]) in (state.bid, 2 * state.bid)


def test_the_forced_bid_is_told_before_the_trump_is_asked_for() -> None:
    before = after(BIDDING, "pass", "pass", "pass")
    state = after(before, "pass")
    everybody = (0, 1, 2, 3)
    assert list(GAME.news(before, 1, IDS["pass"], state)) == [
        Tell(everybody, "bid 1 pass"),
        Tell(everybody, "bid 2 bid_7"),
    ]


def test_mixed_partners_meet_in_all_partnerings_and_shifts() -> None:
    seatings = GAME.seatings
    assert (len(seatings), len(set(seatings)), GAME.table_size) == (12, 12, 4)
    partners = [{frozenset(places[::2]), frozenset(places[1::2])} for places in seatings]
    assert partners[:4] == [{frozenset({0, 2}), frozenset({1, 3})}] * 4
    assert partners[4:8] == [{frozenset({0, 1}), frozenset({2, 3})}] * 4
    assert partners[8:] == [{frozenset({0, 3}), frozenset({1, 2})}] * 4
    for start in (0, 4, 8):
        for one, other in pairwise(seatings[start : start + 4]):
            assert other == (one[-1], *one[:-1])


def test_same_partners_change_sides() -> None:
    game = Codepiece(partners="same")
    assert (game.seatings, game.table_size) == (((0, 1, 0, 1), (1, 0, 1, 0)), 2)


def test_same_partners_give_one_result_and_a_fault_is_one_loss() -> None:
    game = Codepiece([0], "same")
    names = ["a", "b", "a", "b"]
    spec = match_spec(game, names=names)
    record = play_by_policy(game, random_policy("same"), spec)
    assert record.points is not None
    assert list(record.results()) == [(0, 1, float(record.points[0] > record.points[1]))]
    bots = [ScriptedBot.replaying(record, seat) for seat in range(4)]
    bots[2] = ScriptedBot(["nonsense"])
    fault = play_in_memory(game, bots, spec)
    assert list(fault.results()) == [(2, 1, 0.0)]
