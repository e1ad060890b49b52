"""Chef's Hat under `gym2`: recorded games step by step, and what the table makes of them."""

from __future__ import annotations

import hashlib
import random
from array import array
from dataclasses import replace

import pytest

from arbiter.errors import IllegalAction
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import DECK, JOKER, STEP_NAMES
from arbiter.games.chefs_hat.deal import ROLES, hands_after
from arbiter.match.record import Fault
from arbiter.testing import Said, ScriptedBot, match_spec, play_by_policy, play_in_memory, random_policy
from tests.fixtures.recorded_games import games, shape_of

pytestmark = pytest.mark.slow

GAME = ChefsHat("gym2")
OBSERVED = 228


def game_of(recorded):
    """Our game with the limit of a recorded one."""
    return ChefsHat("gym2", max_rounds=recorded["maxRounds"] if recorded["maxRounds"] > 0 else None)


def observation(state, seat):
    """What the published environment shows: the board, the hand, the possible actions."""
    can, listed = state.legal(seat), state.refused(seat)
    cells = [card / 13 for card in (*state.board, *state.hands[seat])] + [0.0] * 200
    for value, actions in ((1, can), (2, listed)):
        for action in actions:
            cells[28 + action] = value
    assert len(cells) == OBSERVED
    return hashlib.sha1(array("f", cells).tobytes()).hexdigest()[:16]


class Source:
    """The random numbers of a recorded game, in the order in which it draws them."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def deal(self):
        cards = list(DECK)
        self.random.shuffle(cards)
        return [sorted(cards[17 * seat : 17 * seat + 17]) for seat in range(4)]

    def opener(self, hands):
        seats, others = [0, 1, 2, 3], [0, 1, 2, 3]
        self.random.shuffle(seats)
        self.random.shuffle(others)
        seat = seats[others[0]]
        while JOKER not in hands[seat]:
            seat = (seat + 1) % 4
        return seat

    def lot(self, actions):
        actions = list(actions)
        self.random.shuffle(actions)
        return actions[0]


def test_a_recorded_game_comes_out_the_same_from_its_seed():
    for recorded in games("chefs_hat/chefshat_games"):
        game, source = game_of(recorded), Source(recorded["seed"])
        totals, roles = [0] * 4, [""] * 4
        hands = source.deal()
        for match in recorded["matches"]:
            assert (match["deal"], match["roles"]) == (hands, roles)
            assert source.opener(match["hands"]) == match["start"]
            state = game.start(game.deal_from_json(shape_of(match)))
            assert [list(hand) for hand in state.hands] == match["hands"]
            for step in match["steps"]:
                state = compared(state, step, source)
            assert not state.to_act
            totals = [total + won for total, won in zip(totals, state.points(), strict=True)]
            roles = [ROLES[3 - won] for won in state.points()]
            # The next deal is drawn although it may never be played.
            if match is not recorded["matches"][-1]:
                hands = source.deal()
        assert totals == list(recorded["end"]["score"].values())
        assert roles == list(recorded["end"]["roles"].values())


def compared(before, step, source):
    """The state after a recorded step, everything about it being as recorded."""
    seat, info = step["p"], step["info"]
    can, listed = before.legal(seat), before.refused(seat)
    assert (before.to_act, list(can), list(listed)) == ((seat,), step["pa1"], step["pa2"])
    assert (list(before.board), list(before.hands[seat])) == (step["board"], step["hand"])
    assert observation(before, seat) == step["obs"]
    assert before.forced(seat) == info["Action_Random"]
    state = before.advance(seat, step["try"], source.lot(can) if before.forced(seat) else None)
    done = state.random_actions[-1][1] if before.forced(seat) else step["try"]
    assert (done, STEP_NAMES[done]) == (step["a"], info["Action_Decoded"])
    assert (step["a"] in can) == info["Action_Valid"]
    assert (state.rounds > before.rounds, not state.to_act) == (info["Is_Pizza"], step["over"])
    assert state.rounds == info["Rounds"]
    if state.to_act:
        assert state.to_act == (info["Next_Player"],)
        cards = [len(state.hand(other)) for other in range(4)]
        assert cards == info["Cards_Per_Player"]
        assert [count == 0 for count in cards] == info["Finished_Players"]
    return state


def test_the_card_got_takes_the_place_of_the_card_given_and_hands_stay_unsorted():
    traded = [
        match
        for recorded in games("chefs_hat/chefshat_games")
        for match in recorded["matches"]
        if match["exchange"]
    ]
    deals = [GAME.deal_from_json(shape_of(match)) for match in traded]
    after = [[list(hand) for hand in hands_after(deal.hands, deal.exchange or ())] for deal in deals]
    assert after == [match["hands"] for match in traded]
    assert any(hand != sorted(hand) for hands in after for hand in hands)


# At the table


def test_the_opener_holds_a_joker_after_the_exchange():
    for seed in range(3):
        record = play_by_policy(GAME, random_policy(seed), match_spec(GAME, seed=str(seed)))
        for shape in record.deals:
            state = GAME.start(GAME.deal_from_json(shape))
            assert JOKER in state.hand(shape["opener"])


def test_a_random_action_is_announced_in_place_of_the_answer_and_recorded():
    transcript: list[Said] = []
    record = play_by_policy(GAME, random_policy("forced"), transcript=transcript)
    played = [
        command.split()[2] for seat, command, _ in transcript if seat == 0 and command.startswith("play")
    ]
    answered = [move for move in record.moves if move.request == "gen_move"]
    different = 0
    for move, announced in zip(answered, played, strict=True):
        if move.action != announced:
            different += 1
            assert [move.seat, announced] in record.deals[move.deal]["forced"]
    assert different


def given(*hands, opener=0, **more):
    """A state with these hands."""
    return GAME.start(
        GAME.deal_from_json({"hands": [hand.split() for hand in hands], "opener": opener, **more})
    )


def passed(state, times):
    for _ in range(times):
        state = state.advance(state.to_act[0], 199)
    return state


def test_two_jokers_are_refused_but_in_the_opening_play():
    state = given("11 3 12 12", "5", "6", "7")
    assert [STEP_NAMES[a] for a in state.legal(0)] == ["C11;Q1;J0", "C11;Q1;J1", "C11;Q1;J2", "pass"]
    state = given("11 8", "5 12 12", "6", "7").apply(0, 165)
    assert [[STEP_NAMES[a] for a in actions] for actions in (state.legal(1), state.refused(1))] == [
        ["C5;Q1;J0", "C5;Q1;J1", "pass"],
        ["C5;Q1;J2"],
    ]
    with pytest.raises(IllegalAction, match="C5;Q1;J2 has two jokers, which only the opening play may have"):
        state.apply(1, 32)


def test_at_the_table_a_refused_try_is_a_fault():
    deal = GAME.deal_from_json({"hands": [["11", "8"], ["5"], ["6"], ["7"]], "opener": 0})
    record = play_in_memory(GAME.given([deal]), [ScriptedBot(["C8;Q1;J0"]), *[ScriptedBot()] * 3])
    assert record.forfeit is not None
    assert (record.forfeit.seat, record.forfeit.fault) == (0, Fault.ILLEGAL)
    assert record.forfeit.detail == "C8;Q1;J0: the first play is elevens in hand, or a pass"


def with_seat_1_forced(luck=0, **more):
    """A state in which the action of seat 1 is random, in a deal of this luck."""
    deal = GAME.deal_from_json(
        {"hands": [["11", "8", "8"], ["1", "2"], ["6", "6"], ["7", "7"]], "opener": 0, **more}
    )
    state = passed(GAME.start(replace(deal, luck=luck)).apply(0, 165), 19)
    while state.to_act != (1,):
        state = state.advance(state.to_act[0], 199)
    assert state.forced(1)
    return state


def test_a_known_random_action_is_done_again():
    state = with_seat_1_forced(forced=[[1, "C2;Q1;J0"]])
    assert STEP_NAMES.index("C2;Q1;J0") in state.legal(1)
    assert state.apply(1, 199).random_actions == ((1, STEP_NAMES.index("C2;Q1;J0")),)


def test_a_random_action_is_by_the_luck_of_the_deal():
    once, again = (
        [with_seat_1_forced(luck).apply(1, 199).random_actions for luck in range(16)] for _ in range(2)
    )
    assert once == again
    assert len(set(once)) == len(with_seat_1_forced().legal(1))


def test_when_the_rounds_are_used_up_places_are_shared_as_published():
    game = ChefsHat("gym2", max_rounds=1)
    state = game.start(
        game.deal_from_json({"hands": [["11"], ["5", "5"], ["6"], ["7", "7", "8"]], "opener": 0})
    )
    state = passed(state.apply(0, 165), 3)
    # Seat 0 had finished with 3 points, and is placed anew where one has finished.
    assert (state.to_act, state.points()) == ((), (2, 1, 2, 0))


def test_roles_that_seats_share_leave_no_exchange():
    state = given("11 3", "5 5", "6 6", "7 7", roles=["Souschef", "Waiter", "Souschef", "Dishwasher"])
    assert GAME.request(state, 0) == "gen_move"
