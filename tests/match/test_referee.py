"""The referee with bots in memory: order, delivery, faults, time, and what is recorded."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import replace

import pytest

from arbiter.errors import IllegalAction
from arbiter.games.planning import Planning
from arbiter.match.clock import MS, SECOND
from arbiter.match.exchange import Send, timeout_reason
from arbiter.match.protocol import OUTPUT_LIMIT, REPLY_LIMIT
from arbiter.match.record import Fault, MatchRecord
from arbiter.match.referee import SHOWN_REPLY
from arbiter.testing import (
    Bot,
    Said,
    ScriptedBot,
    match_spec,
    play_by_policy,
    play_in_memory,
    random_policy,
)

GAME = Planning()
PLAYED = play_by_policy(GAME, random_policy("golden"), match_spec(GAME))
SHORT = Planning(deals=[[1, 0], [2, 1]])
SHORT_PLAYED = play_by_policy(SHORT, random_policy("short"), match_spec(SHORT))
ASKED_FOR_NOTHING = ["set_deck", "set_players", "set_game", "set_cards", "time_left", "declare", "play"]


def replayed(record=PLAYED, game=GAME, seat=2, raw=None, cost=0, transcript=None, **spec):
    """A recorded match once more, with single replies of one seat replaced."""
    bots = [ScriptedBot.replaying(record, s, raw if s == seat else None) for s in range(game.seats)]
    return play_in_memory(game, bots, match_spec(game, **spec), cost=cost, transcript=transcript)


def disturbed(raw, seat=2, **more):
    """The short match with single replies of one seat replaced."""
    return replayed(SHORT_PLAYED, SHORT, seat, raw, **more)


def spoken(record):
    """Who did what, without times."""
    return [(move.deal, move.seat, move.request, move.action) for move in record.moves]


def hands_to(seat_cards, starter=0):
    """The tournament game with one given deal."""
    return GAME.given([GAME.deal_from_json({"hands": seat_cards, "starter": starter})])


# Order


def test_the_moves_replay_to_the_points_recorded():
    totals = [0] * 4
    for number, shape in enumerate(PLAYED.deals):
        state = GAME.start(GAME.deal_from_json(shape))
        for move in PLAYED.moves:
            if move.deal == number:
                state = state.apply(move.seat, GAME.parse(state, move.seat, move.action))
        assert state.to_act == ()
        totals = [total + won for total, won in zip(totals, state.points(), strict=True)]
    assert tuple(totals) == PLAYED.points


# Delivery


def test_batches_say_the_same_in_the_same_order_to_every_seat_and_give_the_same_match():
    heard, played = [], []
    for delivery in ("strict", "batched"):
        transcript: list[Said] = []
        record = replayed(transcript=transcript, delivery=delivery)
        assert record.delivery == delivery
        heard.append([[said.command for said in transcript if said.seat == seat] for seat in range(4)])
        played.append((spoken(record), record.points))
    assert heard[0] == heard[1]
    assert played == [(spoken(PLAYED), PLAYED.points)] * 2


def test_batched_delivery_makes_one_exchange_of_a_decision():
    exchanges: list[Send] = []

    def cost(send, _):
        exchanges.append(send)
        return 0

    replayed(cost=cost, delivery="batched")
    # Each first command alone, each decision one, and each seat's last news.
    assert len(exchanges) == 4 + 416 + 4
    assert Counter(send.replies for send in exchanges if not send.asks)[1] >= 4
    assert sum(send.replies for send in exchanges) == 2560


# Faults


@pytest.mark.parametrize("delivery", ["strict", "batched"])
@pytest.mark.parametrize(
    ("name", "reply", "fault", "detail"),
    [
        ("gen_declare", b"= 2\n\n", "illegal", "2: a declaration is an integer from 0 to 1"),
        ("gen_declare", b"= -1\n\n", "illegal", "-1: a declaration is an integer"),
        ("gen_declare", b"= one\n\n", "illegal", "one: a declaration is an integer"),
        ("gen_move", b"= XX\n\n", "illegal", "XX: there is no such card"),
        ("gen_move", b"= td\n\n", "illegal", "td: there is no such card"),
        ("gen_move", b"= T\xff\n\n", "illegal", r"T\\xff: there is no such card"),
        ("gen_move", b"TD\n\n", "malformed", "a reply starts with = or"),
        ("gen_move", b"=\n\n", "malformed", "an answer without a word"),
        ("gen_move", b"= \t\r\n\r\n", "malformed", "an answer without a word"),
        ("gen_move", b"= TD TC\n\n", "malformed", "more than one word in an answer: TD TC"),
        ("gen_move", b"= 12 TD\n\n", "malformed", "more than one word in an answer: 12 TD"),
        ("gen_move", b"= T\x00D\n\n", "malformed", "a NUL byte in a reply"),
        ("gen_move", b"=" + b"x" * REPLY_LIMIT + b"\n\n", "malformed", "a reply longer than 65536"),
        ("gen_move", b"? I resign\n\n", "refused", "refused to answer gen_move"),
        ("gen_declare", b"?\n\n", "refused", "refused to answer gen_declare"),
        ("gen_move", b"= TD\n", "timeout", "no complete reply"),
        ("gen_move", b"", "timeout", "no complete reply"),
        ("gen_move", None, "crash", "its program ended"),
        ("gen_declare", None, "crash", "its program ended"),
        ("gen_move", b"#" * OUTPUT_LIMIT, "output", "more than 1048576 bytes of output"),
    ],
)
def test_a_fault_in_an_answer_becomes_the_right_forfeit(name, reply, fault, detail, delivery):
    record = disturbed({(name, 0): reply}, delivery=delivery)
    forfeit = record.forfeit
    assert (forfeit.seat, forfeit.player, forfeit.fault) == (2, "player-2", Fault(fault))
    assert re.match(detail, forfeit.detail)
    assert forfeit.command == name
    assert record.points is None


@pytest.mark.parametrize("name", ASKED_FOR_NOTHING)
@pytest.mark.parametrize(
    ("reply", "fault"),
    [(b"ok\n\n", "malformed"), (b"= \x00\n\n", "malformed"), (b"=\n", "timeout"), (None, "crash")],
)
def test_a_fault_in_a_reply_to_news_becomes_the_right_forfeit(name, reply, fault):
    forfeit = disturbed({(name, 0): reply}).forfeit
    assert (forfeit.seat, forfeit.fault) == (2, Fault(fault))
    assert forfeit.command.split()[0] == name


def test_a_card_that_is_not_held_is_illegal():
    game = hands_to([["2D"], ["3D"], ["4D"], ["5D"]])
    record = play_in_memory(game, [ScriptedBot(["0", "AS"]) for _ in range(4)])
    assert record.forfeit is not None
    assert (record.forfeit.fault, record.forfeit.detail) == (Fault.ILLEGAL, "AS is not in hand")


def test_a_card_that_does_not_follow_suit_is_illegal():
    game = hands_to([["2D", "2H"], ["3D", "3S"], ["4D", "4S"], ["5D", "5S"]])
    record = play_in_memory(game, [ScriptedBot(["0", "2D"]), *(ScriptedBot(["0", "3S"]) for _ in range(3))])
    detail = "3S does not follow suit (2D was led)"
    assert record.forfeit is not None
    assert (record.forfeit.seat, record.forfeit.detail) == (1, detail)


@pytest.mark.parametrize(
    ("word", "reason", "named", "text"),
    [
        ("2S", "2S is not in hand", "2S", "2S is not in hand"),
        ("2S", "2S is not in hand", "", "2S: 2S is not in hand"),
        ("a", "a declaration is an integer", "", "a: a declaration is an integer"),
        ("A", "A declaration is an integer", "", "A: A declaration is an integer"),
        ("42", "24 is not in hand", "24", "42: 24 is not in hand"),
    ],
)
def test_a_refused_word_is_told_once_where_the_game_says_that_its_reason_has_it(word, reason, named, text):
    assert IllegalAction(reason, named).with_word(word) == text


@pytest.mark.parametrize("delivery", ["strict", "batched"])
def test_a_surplus_reply_is_out_of_turn_at_the_next_exchange_with_that_seat(delivery):
    forfeit = disturbed({("gen_declare", 0): b"= 0\n\n= 1\n\n"}, delivery=delivery).forfeit
    assert (forfeit.seat, forfeit.fault, forfeit.reply) == (2, Fault.OUT_OF_TURN, "= 1\n\n")


def test_a_stale_answer_is_never_taken_for_the_next():
    record = disturbed({("time_left", 0): b"=\n\n= 1\n\n"})
    assert (record.forfeit.fault, record.forfeit.command) == (Fault.OUT_OF_TURN, "gen_declare")


def test_a_surplus_reply_within_a_batch_is_out_of_turn():
    # Two replies to time_left: the second would stand for the answer, the answer is left over.
    words = [move.action for move in SHORT_PLAYED.moves if move.seat == 2]
    raw = {("time_left", 0): b"=\n\n= %s\n\n" % words[0].encode()}
    record = disturbed(raw, delivery="batched")
    assert (record.forfeit.seat, record.forfeit.fault) == (2, Fault.OUT_OF_TURN)


def test_output_after_the_last_answer_is_no_fault():
    last_play = ("play", 4 * 3 - 1)
    record = disturbed({last_play: b"=\n\n= TD\n\n"})
    assert (record.forfeit, record.points) == (None, SHORT_PLAYED.points)


def test_running_out_of_memory_is_a_fault_of_its_own():
    def hog(_):
        raise MemoryError

    bots: list[Bot] = [*(ScriptedBot.replaying(SHORT_PLAYED, seat) for seat in range(3)), hog]
    forfeit = play_in_memory(SHORT, bots).forfeit
    assert forfeit is not None
    assert (forfeit.seat, forfeit.fault) == (3, Fault.MEMORY)


def test_the_first_fault_in_seat_order_is_the_only_one():
    bots = [
        ScriptedBot(raw={("set_deck", 0): None}) if seat in (1, 3) else ScriptedBot() for seat in range(4)
    ]
    record = play_in_memory(SHORT, bots)
    assert record.forfeit is not None
    assert (record.forfeit.seat, record.forfeit.command) == (1, "set_deck 23456789TJQKA CDHS")


def test_nobody_hears_anything_after_a_fault():
    transcript: list[Said] = []
    disturbed({("gen_move", 1): b"? no\n\n"}, transcript=transcript)
    assert (transcript[-1].seat, transcript[-1].reply) == (2, b"? no\n\n")


def test_a_forfeit_holds_the_raw_reply():
    assert disturbed({("gen_move", 0): b"# hm\n= T\xff X \r\n\n"}).forfeit.reply == "= T\\xff X \r\n\n"


def test_a_forfeit_holds_no_more_of_a_reply_than_is_shown():
    forfeit = disturbed({("gen_move", 0): b"=" + b"x" * REPLY_LIMIT + b"\n\n"}).forfeit
    assert len(forfeit.reply) == SHOWN_REPLY


def test_a_forfeit_keeps_the_moves_before_it():
    record = disturbed({("gen_move", 1): b"? no\n\n"})
    before = spoken(SHORT_PLAYED)[: len(record.moves)]
    assert spoken(record) == before
    assert sum(move.seat == 2 for move in record.moves) == 3  # two declarations and a card


def test_a_forfeit_lists_the_deals_that_were_started():
    assert disturbed({("gen_move", 0): None}).deals == SHORT_PLAYED.deals[:1]
    assert disturbed({("set_deck", 0): None}).deals == ()


# Liberties


@pytest.mark.parametrize("delivery", ["strict", "batched"])
@pytest.mark.parametrize("name", ASKED_FOR_NOTHING)
def test_a_refusal_of_what_asks_for_nothing_is_no_fault(name, delivery):
    raw = {(name, number): b"? unknown \xff\n\n" for number in range(20)}
    record = disturbed(raw, delivery=delivery)
    assert (record.forfeit, record.points) == (None, SHORT_PLAYED.points)
    assert record.bots[2].notes == ("refusals (?)",)


def test_liberties_are_noted_for_the_bot_that_took_them():
    record = disturbed({("set_deck", 0): b"# hi\n=\r\n\r\n", ("play", 3): b"=\nfine\n\n"})
    notes = ["comment lines", "line ends of carriage return and newline", "several lines in a reply"]
    assert [list(bot.notes) for bot in record.bots] == [[], [], notes, []]


def test_an_answer_with_leading_zeros_is_recorded_in_canonical_form():
    declared = next(move.action for move in SHORT_PLAYED.moves if move.seat == 2)
    record = disturbed({("gen_declare", 0): b"= 00%s\n\n" % declared.encode()})
    assert spoken(record) == spoken(SHORT_PLAYED)
    assert record.bots[2].notes == ("actions not in canonical form",)


# Time


def test_a_budget_that_is_just_enough_is_enough():
    # 640 exchanges, the first of which is the start.
    assert replayed(cost=MS, time="639ms").forfeit is None


def test_a_nanosecond_over_the_budget_is_a_timeout():
    forfeit = replayed(cost=lambda send, seat: MS + (seat == 3 and send.asks), time="639ms").forfeit
    assert (forfeit.seat, forfeit.fault, forfeit.command[:4]) == (3, Fault.TIMEOUT, "play")
    charged = forfeit.detail.partition("; budget ")[0]
    assert re.fullmatch(r"charged 1\.0\d+ ms where it was allowed 0\.9\d+ ms", charged)


def test_a_forfeit_has_the_times_of_the_request_that_its_fault_ended():
    def cost(send, seat):
        return 700 * MS if send.asks and seat == 3 else MS

    record = replayed(cost=cost, time="639ms")
    times = record.forfeit.times
    assert (times["wall_ns"], times["left_ns"] < 0) == (700 * MS, True)
    assert MatchRecord.from_json(record.to_json()).forfeit == record.forfeit
    earlier = sum(move.charged_ns for move in record.moves if move.seat == 3)
    assert earlier + times["charged_ns"] == record.bots[3].charged_ns
    assert 639 * MS - record.bots[3].charged_ns == times["left_ns"]
    assert "times" not in replace(record.forfeit, times=None).to_json()


def longer_and_longer():
    """Seat 2 takes 20 ms for its first answer, and 20 ms more for each one after it."""
    asked = []

    def cost(send, seat):
        if not send.asks or seat != 2:
            return 0
        asked.append(send)
        return 20 * MS * len(asked)

    return cost


@pytest.mark.parametrize("delivery", ["strict", "batched"])
@pytest.mark.parametrize(
    ("time", "raw"), [("190ms", None), ("1s", {("gen_move", 1): b"=\n"})], ids=["late", "none"]
)
def test_a_timeout_says_how_the_budget_went_before(time, raw, delivery):
    forfeit = disturbed(raw, cost=longer_and_longer(), time=time, delivery=delivery).forfeit
    assert (forfeit.seat, forfeit.fault) == (2, Fault.TIMEOUT)
    budget = "190 ms" if raw is None else "1 s"
    words = f"; budget {budget}: 120 ms on earlier answers, slowest gen_declare in deal 2: 60 ms"
    assert forfeit.detail.endswith(words)


@pytest.mark.parametrize(
    ("charged", "words"),
    [
        (300_400_000, "charged 300.4 ms where it was allowed 299.7 ms"),
        (299_740_000, "charged 299.74 ms where it was allowed 299.70 ms"),
        (299_700_001, "charged 299.700001 ms where it was allowed 299.700000 ms"),
    ],
)
def test_a_timeout_has_the_digits_that_tell_its_times_apart(charged, words):
    send = Send((3,), b"play\n", 1, (0, 0, 0, 299_700_000))
    assert timeout_reason(3, send, charged) == words


def test_the_start_is_off_the_clock_up_to_its_own_limit():
    record = replayed(cost=lambda send, _: 5 * SECOND if send.starting else 0, time="1ms")
    assert (record.forfeit, record.bots[0].charged_ns) == (None, 0)


def test_a_start_beyond_its_limit_is_a_timeout():
    forfeit = replayed(cost=lambda send, seat: (5 * SECOND + 1) * (send.starting and seat == 1)).forfeit
    assert (forfeit.seat, forfeit.fault) == (1, Fault.TIMEOUT)
    assert forfeit.detail == "charged 5000.000001 ms where its start was allowed 5000.000000 ms"


def test_a_start_can_be_on_the_clock():
    assert replayed(cost=MS, time="640ms", start_ns=None).forfeit is None
    assert replayed(cost=MS, time="639ms", start_ns=None).forfeit.fault is Fault.TIMEOUT


@pytest.mark.parametrize("delivery", ["strict", "batched"])
def test_a_limit_per_request_is_each_commands_own(delivery):
    def cost(send, seat):
        return 500 * MS * send.replies

    transcript: list[Said] = []
    record = replayed(cost=cost, time="500ms/request", delivery=delivery, transcript=transcript)
    assert record.forfeit is None
    told = {said.command for said in transcript if said.command.startswith("time_left")}
    assert told == {"time_left 500"}


def test_a_command_over_the_limit_per_request_is_a_timeout():
    forfeit = replayed(cost=lambda send, _: 500 * MS + send.asks, time="500ms/request").forfeit
    assert (forfeit.seat, forfeit.fault, forfeit.command) == (0, Fault.TIMEOUT, "gen_declare")


@pytest.mark.parametrize("time", ["2s", "160ms+1ms"])
def test_time_left_is_what_is_left_rounded_down(time):
    budget, increment = (2 * SECOND, 0) if time == "2s" else (160 * MS, MS)
    cost = 234_567
    transcript: list[Said] = []
    replayed(cost=cost, time=time, transcript=transcript)
    exchanges, answers = [-1] * 4, [0] * 4  # the start is not charged
    for seat, command, _ in transcript:
        if command.startswith("time_left"):
            left = budget - cost * exchanges[seat] + increment * answers[seat]
            assert command == f"time_left {left // MS}"
        exchanges[seat] += 1
        answers[seat] += command.startswith("gen_")


# What is recorded


def uneven(send, seat):
    """A cost that differs from exchange to exchange, in odd nanoseconds."""
    return 1_000 + 37 * len(send.payload) + 1_111 * seat


@pytest.mark.parametrize("delivery", ["strict", "batched"])
def test_charges_of_moves_and_the_rest_sum_to_the_total(delivery):
    total, since_move = [0] * 4, [0] * 4

    def cost(send, seat):
        ns = uneven(send, seat)
        if not send.starting:
            total[seat] += ns
            since_move[seat] = 0 if send.asks else since_move[seat] + ns
        return ns

    record = replayed(cost=cost, delivery=delivery)
    for seat, bot in enumerate(record.bots):
        moves = sum(move.charged_ns for move in record.moves if move.seat == seat)
        assert bot.charged_ns == (total[seat] + 500) // 1000 * 1000
        assert abs(bot.charged_ns - moves - since_move[seat]) <= 1000


def test_an_unfinished_request_is_in_the_total_charged():
    record = disturbed({("gen_declare", 0): b"? no\n\n"}, cost=MS)
    assert record.bots[2].charged_ns == 5 * MS  # players, game, cards, time_left, gen_declare
    assert record.moves[-1].seat == 1


def test_the_deal_hash_is_the_same_whatever_the_bots_do():
    others = [
        play_by_policy(GAME, random_policy("another")),
        replayed(raw={("set_deck", 0): None}),
        replayed(raw={("gen_move", 40): b"? no\n\n"}, delivery="batched"),
    ]
    assert {record.deal_hash for record in others} == {PLAYED.deal_hash}


def test_the_deal_hash_is_that_of_the_canonical_json_of_the_deals():
    text = json.dumps(list(PLAYED.deals), sort_keys=True, separators=(",", ":"))
    assert PLAYED.deal_hash == hashlib.sha256(text.encode()).hexdigest()


def test_outside_a_season_the_deals_are_those_of_round_1():
    season = play_by_policy(SHORT, random_policy(0), match_spec(SHORT, round_number=1))
    assert season.deals == SHORT_PLAYED.deals


def test_the_record_names_the_match_as_specified():
    names = ["anna", "bert", "cleo", "dora"]
    record = replayed(names=names, rotation=3, seed="1", round_number=1)
    assert (record.players, record.rotation, record.round, record.seed) == (tuple(names), 3, 1, "1")
    assert [bot.player for bot in record.bots] == names
    assert (record.game, record.options) == ("planning", GAME.options)


@pytest.mark.parametrize("time", ["10s", "10s+7ms"])
def test_what_is_left_is_what_was_granted_less_what_was_charged(time):
    record = replayed(cost=uneven, time=time)
    charged, answers = [0] * 4, [0] * 4
    for move in record.moves:
        charged[move.seat] += move.charged_ns
        answers[move.seat] += 1
        granted = 10 * SECOND + (7 * MS * answers[move.seat] if "+" in time else 0)
        assert {ns % 1000 for ns in move[4:]} == {0}
        assert move.left_ns == granted - charged[move.seat]
