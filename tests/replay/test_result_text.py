"""Who won, in words: of a match by its points, of a deal by its game."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arbiter.games import make, names
from arbiter.games.labels import SUITS
from arbiter.match.position import DealOver, Moved, retrace
from arbiter.match.record import Fault, MatchSummary
from arbiter.replay.result_text import outcome_for, say_match, winners
from arbiter.testing import match_spec, play_by_policy, random_policy


def said(
    points: tuple[int, ...] | None, players: tuple[str, ...] = ("ada", "bert", "cleo"), **more: Any
) -> str:
    summary = MatchSummary("r001/t01/m0", 1, 1, 0, players, points, **more)
    return say_match(summary).replace("\u2068", "").replace("\u2069", "")


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ((91, 79, 60), "ada wins with 91 points, 12 ahead of bert"),
        ((1, 0, 0), "ada wins with 1 point, 1 ahead of bert and cleo"),
        ((5, 5, 4), "ada and bert share the win with 5 points, 1 ahead of cleo"),
        ((3, 3, 3), "all draw with 3 points"),
        ((1, 1, -2), "ada and bert share the win with +1 point, 3 ahead of cleo"),
        (None, "no result"),
    ],
)
def test_a_match_is_said_by_its_points(points: tuple[int, ...] | None, words: str) -> None:
    assert said(points) == words


def test_a_match_is_won_drawn_or_lost_for_its_author() -> None:
    match = MatchSummary("r001/t01/m0", 1, 1, 0, ("ada@1", "bert", "ada@2"), (1, 2, 2))
    assert outcome_for(match, {"ada@1", "ada@2"}) == "won"
    assert outcome_for(match, {"ada@1"}) == "lost"
    assert outcome_for(replace(match, points=(2, 2, 2)), {"ada@1"}) == "drawn"
    by_fault = replace(match, points=None, faulty=1)
    assert (outcome_for(by_fault, {"bert"}), outcome_for(by_fault, {"ada@1"})) == ("lost", "")


def test_partners_win_together() -> None:
    four = ("ada", "bert", "cleo", "dora")
    words = "ada and cleo win together with +20 points, 40 ahead of bert and dora"
    assert said((20, -20, 20, -20), four, sides=(0, 1, 0, 1)) == words


def test_a_fault_is_said_with_its_kind() -> None:
    assert said(None, faulty=1, fault=Fault.TIMEOUT) == "bert forfeits: timeout"


def test_equal_names_are_told_by_their_seats() -> None:
    assert said((2, 1), ("ada", "ada")) == "ada (seat 0) wins with 2 points, 1 ahead of ada (seat 1)"


def test_nobody_wins_a_draw_or_a_forfeit() -> None:
    assert winners((4, 4)) == winners(None) == ()
    assert winners((1, 7, 7)) == (1, 2)


@pytest.mark.parametrize("name", names())
def test_every_game_says_what_it_is_and_what_a_deal_came_to(name: str) -> None:
    game = make(name, {})
    assert 1 <= game.about.count(". ") < 5
    record = play_by_policy(game, random_policy("deals"), match_spec(game, seed="deals"))
    players = [f"player {seat}" for seat in range(game.seats)]
    over = [event for event in retrace(record, game) if isinstance(event, DealOver)]
    assert over
    for event in over:
        words = game.says_deal(event.state, players)
        assert words
        assert words[-1] != "."


def test_codepiece_says_bid_and_tricks() -> None:
    game = make("codepiece", {})
    record = play_by_policy(game, random_policy("a"), match_spec(game, seed="a"))
    state = next(event.state for event in retrace(record, game) if isinstance(event, DealOver))
    made = state.won[state.leader & 1]
    words = game.says_deal(state, ["north", "east", "south", "west"])
    assert f"{state.bid} bid" in words
    assert words.endswith(f"{made} made: {'made' if made >= state.bid else 'failed'}")


@pytest.mark.parametrize("name", ["planning", "codepiece"])
def test_who_holds_the_suit_led_must_follow_it(name: str) -> None:
    game = make(name, {})
    record = play_by_policy(game, random_policy("b"), match_spec(game, seed="b"))
    asked = 0
    for event in retrace(record, game):
        if isinstance(event, Moved) and event.move.request == "gen_move":
            state, seat = event.before, event.move.seat
            table = game.table(state)
            led = game.face(table[0][1]).suit if 0 < len(table) < game.seats else ""
            held = {game.face(game.card_name(card)).suit for card in game.hand(state, seat)}
            words = game.must(state, seat)
            assert words == (f"follow {SUITS[led]}" if led in held else "")
            asked += bool(words)
    assert asked
