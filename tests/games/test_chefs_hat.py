"""Chef's Hat by the book: recorded games as far as they keep to it, and by hand what none of them shows."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import IllegalAction
from arbiter.games.cards import Stream
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import (
    ACTIONS,
    DECK,
    JOKER,
    STEP_NAMES,
    card_of_step,
    cards_laid,
    cards_of,
    gift,
    gift_cards,
    ids_of,
    mask_after,
    mask_of,
    step_of_card,
)
from arbiter.games.chefs_hat.deal import ROLES
from arbiter.games.chefs_hat.rule_book_play import BookState
from arbiter.games.game import Tell
from arbiter.match.record import Fault
from arbiter.replay.score_sheet import SheetStep, score_sheet, sheets_of
from arbiter.testing import (
    Said,
    ScriptedBot,
    match_spec,
    play_by_policy,
    play_in_memory,
    random_policy,
)
from tests.fixtures.profiles import examples
from tests.fixtures.recorded_games import games, shape_of

GAME = ChefsHat()
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "chefs_hat.md"
FIRST = ["Chef", "Souschef", "Waiter", "Dishwasher"]
FULL = [
    [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 12],
    [6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8],
    [8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10, 10, 10, 12],
    [10, 10, 10, 10, 10, 10, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11],
]


def dealt(*hands, game=GAME, **more):
    """A deal with hands written as texts."""
    return game.deal_from_json(
        {"hands": [hand.split() if isinstance(hand, str) else hand for hand in hands], **more}
    )


def after(*words, hands, game=GAME, **more):
    """The state after words in the order of play."""
    state = game.start(dealt(*hands, game=game, **more))
    for word in words:
        state = apply_word(state, word, game)[0]
    return state


def apply_word(state, word, game=GAME):
    """The state after a word, and the news."""
    seat = state.to_act[0]
    action = game.parse(state, seat, word)
    then = state.apply(seat, action)
    return then, list(game.news(state, seat, action, then))


def commands(state, *words, game=GAME):
    """All that seat 0 hears while the words are said."""
    heard = []
    for word in words:
        state, news = apply_word(state, word, game)
        heard += [command for seats, command in news if 0 in seats]
    return heard


def words(state, game=GAME):
    """What whoever is to act may say."""
    seat = state.to_act[0]
    return [game.action_text(state, seat, action) for action in state.legal(seat)]


def refusal(state, word):
    """Why seat 0 may not say a word."""
    with pytest.raises(IllegalAction) as error:
        state.apply(0, GAME.parse(state, 0, word))
    return str(error.value)


# Actions


def test_the_names_of_the_actions_are_the_published_ones():
    names = " ".join(STEP_NAMES)
    digest = "a6cff6ddb52b406fb939ec8ac57b04994a49d9c1abbca6c0866266aa791b39ac"
    assert (len(STEP_NAMES), hashlib.sha256(names.encode()).hexdigest()) == (200, digest)


def test_the_deck_has_each_value_that_often_and_two_jokers():
    assert Counter(DECK) == {**{value: value for value in range(1, 12)}, JOKER: 2}


@given(st.permutations(DECK), st.integers(0, 17))
@examples(100)
def test_a_mask_is_the_hand_and_what_it_can_lead(cards, size):
    hand = sorted(cards[:size])
    mask = mask_of(hand)
    assert list(cards_of(mask)) == hand
    for action in range(199):
        laid = Counter(laid_cards(action))
        possible = not laid - Counter(hand)
        assert possible == bool(mask >> action & 1)
        if possible:
            assert cards_of(mask_after(mask, action)) == tuple(sorted((Counter(hand) - laid).elements()))


@given(st.integers(0, (1 << 200) - 1))
def test_the_ids_of_a_mask(mask):
    assert ids_of(mask) == tuple(i for i in range(200) if mask >> i & 1)


def test_the_cards_of_a_discard():
    assert [list(cards_laid(action)) for action in range(198)] == [
        laid_cards(action) for action in range(198)
    ]
    assert (cards_laid(198), cards_laid(199)) == ((12,), ())


def laid_cards(action):
    """The cards of a discard, read off its name."""
    value, quantity, jokers = (int(part[1:]) for part in STEP_NAMES[action].split(";"))
    return [value] * quantity + [JOKER] * jokers


def test_gifts_have_ids_after_those_of_the_special_actions():
    ids = [gift([card]) for card in range(1, 13)]
    ids += [gift([one, two]) for one in range(1, 13) for two in range(one, 13)]
    assert ids == list(range(203, ACTIONS))
    assert gift([9, 4]) == gift([4, 9])
    assert gift_cards(gift([9, 4])) == (4, 9)


def test_a_card_given_alone_has_an_id_among_the_200():
    assert [STEP_NAMES[step_of_card(card)] for card in (1, 11, 12)] == ["C1;Q1;J0", "C11;Q1;J0", "C0;Q0;J1"]
    assert [card_of_step(step_of_card(card)) for card in range(1, 13)] == list(range(1, 13))
    for action in (-1, 1, 199, 200):
        with pytest.raises(LookupError):
            card_of_step(action)


# Recorded games


def test_recorded_games_are_legal_play_until_they_depart_from_the_book():
    steps = [
        compare(match)
        for game in games("chefs_hat/chefshat_games")
        if game["maxRounds"] <= 0
        for match in game["matches"]
    ]
    assert (len(steps), sum(steps)) == (112, 4132)


def compare(match):
    """Plays a recorded match as far as the book goes with it; how many steps that is."""
    state = GAME.start(GAME.deal_from_json(shape_of(match)))
    assert [list(state.hand(seat)) for seat in range(4)] == [sorted(hand) for hand in match["hands"]]
    for number, step in enumerate(match["steps"]):
        if step["tags"]:
            return number
        seat, info = step["p"], step["info"]
        empty = step["board"][0] == 13
        legal = sorted({*step["pa1"], *step["pa2"]} - ({199} if empty else set()))
        assert (state.to_act, list(state.legal(seat))) == ((seat,), legal)
        assert list(state.hand(seat)) == sorted(card for card in step["hand"] if card)
        before, state = state, state.apply(seat, step["a"])
        if not step["over"]:
            assert [len(state.hand(other)) for other in range(4)] == info["Cards_Per_Player"]
        if info["Is_Pizza"] and state.rounds == before.rounds and state.to_act:
            assert isinstance(state, BookState)
            waiting = [s for s in range(4) if s != info["Pizza_Author"] and not state.out >> s & 1]
            assert waiting, "a pizza that the book has, too"
            return number
        assert (not state.to_act) == step["over"]
        if state.to_act:
            assert (state.rounds > before.rounds, state.to_act[0]) == (info["Is_Pizza"], info["Next_Player"])
            assert state.rounds == info["Rounds"]
    if "scores" not in match["steps"][-1]["tags"]:
        assert sorted(state.points()) == [0, 1, 2, 3]
    return len(match["steps"])


# A plain second implementation


class Plain:
    """The play by the rule book, from cards in lists alone."""

    def __init__(self, hands, opener):
        self.hands = [sorted(hand) for hand in hands]
        self.turn, self.last, self.table = opener, opener, []
        self.opening, self.passed, self.finished, self.pizzas = True, set(), [], 0

    def possible(self):
        """All discards of whoever is to act, as sorted tuples of cards, () for a pass."""
        hand = self.hands[self.turn]
        found: set[tuple[int, ...]] = {() for _ in self.table[:1]}
        for value in set(hand) - {JOKER}:
            for quantity in range(1, hand.count(value) + 1):
                for jokers in range(hand.count(JOKER) + 1):
                    found.add((value,) * quantity + (JOKER,) * jokers)
        if JOKER in hand:
            found.add((JOKER,))
        if self.opening:
            return {cards for cards in found if cards[:1] == (11,)}
        if not self.table:
            return found
        beats = {c for c in found if c and c[0] < self.table[0] and len(c) >= len(self.table)}
        return beats | {()}

    def play(self, cards):
        """Lay cards, or pass without any."""
        self.opening = False
        if cards:
            for card in cards:
                self.hands[self.turn].remove(card)
            self.table, self.last = cards, self.turn
            if not self.hands[self.turn]:
                self.finished.append(self.turn)
        else:
            self.passed.add(self.turn)
        live = [seat for seat in range(4) if self.hands[seat]]
        if len(live) == 1:
            self.finished += live
            return
        if all(seat in self.passed for seat in live if seat != self.last):
            self.table, self.passed = [], set()
            self.pizzas += 1
            self.turn = self.last
            while not self.hands[self.turn]:
                self.turn = (self.turn + 1) % 4
        else:
            self.turn = (self.turn + 1) % 4
            while not self.hands[self.turn] or self.turn in self.passed:
                self.turn = (self.turn + 1) % 4


@given(seed=st.integers(0, 2**32), choices=st.randoms(use_true_random=False), keen=st.booleans())
@examples(60)
def test_turns_legal_discards_and_order_agree_with_a_plain_implementation(seed, choices, keen):
    deal = GAME.next_deal(0, Stream.of_deal(seed, 1, 0), None)
    assert deal is not None
    state, plain = GAME.start(deal), Plain(deal.hands, deal.opener)
    while state.to_act:
        seat = state.to_act[0]
        legal = state.legal(seat)
        by_cards = {() if action == 199 else tuple(laid_cards(action)): action for action in legal}
        assert (seat, set(by_cards)) == (plain.turn, plain.possible())
        # Keen players discard while they can, so that many of them are in every round.
        options = [cards for cards in by_cards if cards] if keen and len(by_cards) > 1 else list(by_cards)
        cards = choices.choice(sorted(options))
        state = state.apply(seat, by_cards[cards])
        plain.play(cards)
        assert state.rounds == plain.pizzas + 1
    assert list(state.order) == plain.finished
    assert state.points() == tuple(3 - plain.finished.index(seat) for seat in range(4))


# Following


LEAD = "C11;Q1;J0"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("pass", "a seat that plays to an empty table must discard"),
        ("C10;Q1;J0", "the first play of a match is elevens, with or without jokers"),
        ("C9;Q1;J0", "C9;Q1;J0 is not in hand"),
        ("C11;Q2;J0", "C11;Q2;J0 is not in hand"),
        ("C0;Q0;J1", "C0;Q0;J1 is not in hand"),
        ("PASS", "there is no such discard; it is written C11;Q2;J1, or pass"),
        ("C12;Q1;J0", "there is no such discard; it is written C11;Q2;J1, or pass"),
    ],
)
def test_what_may_not_be_done_is_refused_with_the_reason(said, reason):
    assert refusal(after(hands=("11 10", "5", "5", "5"), opener=0), said) == reason


def test_what_does_not_beat_the_table_is_refused():
    state = after("C11;Q2;J0", hands=("11 11 9", "10 8", "5", "5"), opener=0)
    with pytest.raises(IllegalAction, match="C10;Q1;J0 does not beat C11;Q2;J0"):
        state.apply(1, GAME.parse(state, 1, "C10;Q1;J0"))
    with pytest.raises(IllegalAction, match="it is not seat 2's turn"):
        state.apply(2, 199)


# Opening


@pytest.mark.parametrize(("golden", "opener"), [(0, 0), (1, 0), (2, 2), (3, 3), (4, 3), (10, 3)])
def test_the_holder_of_the_golden_eleven_opens(golden, opener):
    hands = ("11 3 11", "5", "7 11", "11 " * 8)
    assert after(hands=hands, golden=golden).to_act == (opener,)


def test_the_golden_eleven_is_counted_after_the_exchange():
    # Seat 0 gives two elevens to seat 3, so the first one is seat 1's.
    hands = ("9 11 11", "11 4 2", "2 3 5", "1 6 11")
    state = after(hands=hands, golden=0, roles=FIRST)
    state, _ = apply_word(state, "11 11")
    state, _ = apply_word(state, "4")
    assert (state.to_act, state.hand(0), state.hand(3)) == ((1,), (1, 6, 9), (11, 11, 11))
    state = after("11 11", "4", hands=hands, golden=1, roles=FIRST)
    assert state.to_act == (3,)


# Rounds


def test_a_rival_who_has_not_passed_is_asked_before_a_finished_players_pizza():
    state = after(LEAD, "pass", "C1;Q1;J0", hands=("11 9", "10 2", "1", "7 4"), opener=0)
    assert state.to_act == (3,)
    state, news = apply_word(state, "pass")
    assert (state.to_act, len(news)) == ((0,), 1)
    state, news = apply_word(state, "pass")
    # Seat 2 has no cards left: the next on its left leads.
    assert [command for _, command in news] == ["play 0 pass", "pizza 3"]


# Special actions and exchange


def test_the_chef_and_then_the_souschef_choose_from_their_own_cards():
    state = after(hands=FULL, roles=FIRST)
    assert (state.to_act, GAME.request(state, 0), GAME.answer_words(state, 0)) == ((0,), "gen_exchange 2", 2)
    assert words(state)[:4] == ["1 2", "1 3", "1 4", "1 5"]
    assert "1 1" not in words(state)
    assert "2 2" in words(state)
    state, news = apply_word(state, "12 6")
    assert (news, state.to_act) == ([], (1,))
    assert (GAME.request(state, 1), GAME.answer_words(state, 1)) == ("gen_exchange 1", 1)
    assert words(state) == ["6", "7", "8"]


def test_what_was_chosen_and_the_strongest_cards_change_hands():
    state = after("6 12", "8", hands=FULL, roles=FIRST, golden=0)
    assert [list(state.hand(seat)) for seat in range(4)] == [
        [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 10, 10],
        [6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8],
        [8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10, 10, 10, 12],
        [6, 10, 10, 10, 10, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 12],
    ]


def test_all_four_gifts_are_told_and_only_giver_and_taker_hear_the_cards():
    state = after(hands=FULL, roles=FIRST)
    state, _ = apply_word(state, "12 6")
    _, news = apply_word(state, "8")
    assert news == [
        Tell((0,), "exchange 3 0 2 10 10"), Tell((1, 2), "exchange 3 0 2"), Tell((3,), "exchange 3 0 2 10 10"),
        Tell((0,), "exchange 0 3 2 6 12"), Tell((1, 2), "exchange 0 3 2"), Tell((3,), "exchange 0 3 2 6 12"),
        Tell((0,), "exchange 2 1 1"), Tell((1, 2), "exchange 2 1 1 8"), Tell((3,), "exchange 2 1 1"),
        Tell((0,), "exchange 1 2 1"), Tell((1, 2), "exchange 1 2 1 8"), Tell((3,), "exchange 1 2 1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("13 2", "a card is a number from 1 to 12"),
        ("0 2", "a card is a number from 1 to 12"),
        ("C2;Q1;J0 2", "a card is a number from 1 to 12"),
        ("7 8", "7 8 is not in hand"),
        ("1 1", "1 1 is not in hand"),
    ],
)
def test_a_gift_of_what_is_no_card_or_not_held_is_refused(said, reason):
    assert refusal(after(hands=FULL, roles=FIRST), said) == reason


BOTH_JOKERS = [[12 if card == 6 and seat == 0 else card for card in hand] for seat, hand in enumerate(FULL)]
BOTH_JOKERS[2] = [6 if card == 12 else card for card in BOTH_JOKERS[2]]


@pytest.mark.parametrize("role", ROLES[:3])
def test_a_holder_of_both_jokers_may_say_that_dinner_is_served_and_nobody_exchanges(role):
    roles = [role, *(other for other in ROLES if other != role)]
    state = after(hands=BOTH_JOKERS, roles=roles, golden=0)
    assert (GAME.request(state, 0), words(state)) == ("gen_special", ["none", "dinner_served"])
    state, news = apply_word(state, "dinner_served")
    assert news == [Tell((0, 1, 2, 3), "special 0 dinner_served")]
    assert (GAME.request(state, 3), state.to_act) == ("gen_move", (3,))
    assert list(state.hand(0)) == BOTH_JOKERS[0]


def test_a_food_fight_reverses_the_roles_and_then_cards_are_exchanged():
    roles = ["Dishwasher", "Chef", "Waiter", "Souschef"]
    state = after(hands=BOTH_JOKERS, roles=roles, golden=0)
    assert words(state) == ["none", "food_fight"]
    state, news = apply_word(state, "food_fight")
    everybody = (0, 1, 2, 3)
    assert news == [
        Tell(everybody, "special 0 food_fight"),
        Tell(everybody, "set_roles Chef Dishwasher Souschef Waiter"),
    ]
    assert (state.to_act, GAME.request(state, 0)) == ((0,), "gen_exchange 2")
    state, _ = apply_word(state, "5 5")
    assert state.to_act == (2,)
    state, news = apply_word(state, "9")
    assert [command for seats, command in news if 0 in seats] == [
        "exchange 1 0 2 6 6", "exchange 0 1 2 5 5", "exchange 3 2 1", "exchange 2 3 1",
    ]  # fmt: skip
    record = GAME.deal_record(dealt(*BOTH_JOKERS, roles=roles, golden=0), state)
    assert (record["roles"], record["special"]) == (roles, [0, "food_fight"])


def test_no_special_action_is_not_told():
    state, news = apply_word(after(hands=BOTH_JOKERS, roles=FIRST), "none")
    assert (news, state.to_act, GAME.request(state, 0)) == ([], (0,), "gen_exchange 2")


@pytest.mark.parametrize(
    ("roles", "said", "reason"),
    [
        (FIRST, "food_fight", "only the Dishwasher may declare a food fight"),
        (FIRST[::-1], "dinner_served", "the Dishwasher may declare a food fight, not that dinner is served"),
        (FIRST, "pizza", "a special action is one of none, food_fight, dinner_served"),
    ],
)
def test_the_special_action_of_another_role_is_refused(roles, said, reason):
    assert refusal(after(hands=BOTH_JOKERS, roles=roles), said) == reason


# Given deals


def test_a_deal_with_its_exchange_asks_nobody():
    first = after("12 6", "8", hands=FULL, roles=FIRST, golden=0)
    shape = GAME.deal_record(dealt(*FULL, roles=FIRST, golden=0), first)
    deal = GAME.deal_from_json(shape)
    state = GAME.start(deal)
    assert isinstance(state, BookState)
    assert (state.hands, state.to_act, GAME.request(state, 3)) == (first.hands, first.to_act, "gen_move")
    assert [wording[1].split()[0] for wording in GAME.dealt(deal)] == [
        "set_cards",
        "set_roles",
        *["exchange"] * 4,
    ]
    assert GAME.deal_record(deal, state) == shape


@pytest.mark.parametrize("action", ["food_fight", "dinner_served"])
def test_a_deal_with_its_special_action_is_told_so(action):
    roles = FIRST[::-1] if action == "food_fight" else FIRST
    more = {"roles": roles, "special": [0, action], "exchange": None}
    deal = dealt(*BOTH_JOKERS, **more)
    heard = [wording[0] for wording in GAME.dealt(deal)][1:]
    expected = [f"set_roles {' '.join(roles)}", f"special 0 {action}"]
    assert heard == expected + ([f"set_roles {' '.join(FIRST)}"] if action == "food_fight" else [])
    assert GAME.request(GAME.start(deal), 3) == "gen_move"


def test_given_deals_get_roles_from_the_one_before():
    deals = [dealt("11 3", "10", "9", "8", opener=0), dealt(*FULL)]
    game = GAME.given(deals)
    assert list(game.greeting())[2] == ("set_game matches 2",) * 4
    last = after(
        "C11;Q1;J0", "C10;Q1;J0", "C9;Q1;J0", "C8;Q1;J0", hands=("11 3", "10", "9", "8"), opener=0, game=game
    )
    deal = game.deal(1, Stream("unused"), last)
    assert deal is not None
    assert (last.points(), deal.roles, deal.totals) == ((0, 3, 2, 1), (3, 0, 1, 2), (0, 3, 2, 1))
    assert game.deal(2, Stream("unused"), last) is None


def test_hands_of_too_few_cards_are_not_exchanged():
    state = after(hands=("11 3", "10", "9", "8"), roles=FIRST)
    assert (GAME.request(state, 0), state.to_act) == ("gen_move", (0,))


# The game


def test_planned_deals_after_the_first_have_cards_and_golden_eleven_alone():
    deal = GAME.next_deal(1, Stream.of_deal("seed", 1, 1), None)
    assert set(GAME.deal_json(deal)) == {"hands", "golden"}


@pytest.mark.parametrize(("options", "deals"), [({}, 3), ({"matches": 1}, 1), ({"matches": 7}, 7)])
def test_a_game_has_as_many_matches_as_it_says(options, deals):
    record = play_by_policy(ChefsHat(**options), random_policy("length"))
    assert record.points is not None
    assert (len(record.deals), sum(record.points)) == (deals, 6 * deals)


@pytest.mark.parametrize("seed", range(2))
def test_a_game_to_points_ends_after_the_match_in_which_someone_reaches_them(seed):
    game = ChefsHat(points=15)
    record = play_by_policy(game, random_policy(seed), match_spec(game, seed=str(seed)))
    assert record.points is not None
    assert max(record.points) >= 15
    finals = game.start(game.deal_from_json(record.deals[-1]))
    for move in record.moves:
        if move.deal == len(record.deals) - 1 and move.request == "gen_move":
            finals = finals.apply(move.seat, game.parse(finals, move.seat, move.action))
    before = [total - won for total, won in zip(record.points, finals.points(), strict=True)]
    assert max(before) < 15


# For people


def test_a_sheet_tells_the_special_action_the_roles_and_the_gifts():
    roles = ["Dishwasher", "Chef", "Waiter", "Souschef"]
    first = GAME.start(dealt(*BOTH_JOKERS, roles=roles, golden=0))
    said = [(0, "gen_special", "food_fight"), (0, "gen_exchange 2", "5 5"), (2, "gen_exchange 1", "9")]
    state, steps = first, []
    for seat, request, word in said:
        action = GAME.parse(state, seat, word)
        then, _ = apply_word(state, word)
        steps.append(SheetStep(seat, request, word, action, state, then))
        state = then
    assert [" ".join(line.split()) for line in score_sheet(GAME, first, steps)] == [
        "role 0:Dishwasher 1:Chef 2:Waiter 3:Souschef",
        "round 1",
        "special 0:food_fight",
        "exchange 0:5 5 2:9",
        "gift seat 1 gives seat 0 6 6",
        "gift seat 0 gives seat 1 5 5",
        "gift seat 3 gives seat 2 10",
        "gift seat 2 gives seat 3 9",
        "role 0:Chef 1:Dishwasher 2:Souschef 3:Waiter",
        "special food fight",
    ]


# The protocol


def test_the_dialogue_of_the_page_is_that_of_the_golden_match():
    text = PAGE.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    dialogue = [block.split("\n") for block in text.removeprefix("> ").strip().split("\n\n> ")]
    transcript: list[Said] = []
    play_by_policy(GAME, random_policy("golden"), match_spec(GAME, seed="golden"), transcript=transcript)
    heard = [[said.command, said.reply.decode().strip()] for said in transcript if said.seat == 3]
    start = heard.index(dialogue[0])
    assert heard[start : start + len(dialogue)] == dialogue


def refereed(replies, hands=FULL, **more):
    """One deal with scripted answers; which seat is asked when follows from the cards."""
    game = GAME.given([dealt(*hands, **more)])
    return play_in_memory(game, [ScriptedBot(replies.get(seat, ())) for seat in range(4)])


@pytest.mark.parametrize(
    ("replies", "more", "seat", "fault", "detail"),
    [
        ({0: ["5"]}, {"roles": FIRST}, 0, "malformed", "an answer: 5"),
        ({0: ["7 7"]}, {"roles": FIRST}, 0, "illegal", "7 7 is not in hand"),
        ({0: ["5 5"], 1: ["6 6"]}, {"roles": FIRST}, 1, "malformed", "more than one word in an answer: 6 6"),
        ({3: ["C11;Q1;J0"], 0: ["C7;Q1;J0"]}, {"golden": 0}, 0, "illegal", "C7;Q1;J0 is not in hand"),
        ({3: ["11"]}, {"golden": 0}, 3, "illegal", "11: there is no such discard"),
        ({0: ["food_fight"]}, {"hands": BOTH_JOKERS, "roles": FIRST}, 0, "illegal", "food_fight: only the Dishwasher"),
        ({0: ["dinner served"]}, {"hands": BOTH_JOKERS, "roles": FIRST}, 0, "malformed", "more than one word"),
    ],
)  # fmt: skip
def test_a_wrong_answer_becomes_the_right_forfeit(replies, more, seat, fault, detail):
    forfeit = refereed(replies, **more).forfeit
    assert (forfeit.seat, forfeit.fault) == (seat, Fault(fault))
    assert detail in forfeit.detail


def test_cards_given_in_another_order_or_with_zeros_are_recorded_in_canonical_form():
    record = refereed({0: ["12 06"], 1: ["8"]}, roles=FIRST)
    assert [move.action for move in record.moves] == ["6 12", "8"]
    assert record.bots[0].notes == ("actions not in canonical form",)


def test_a_deal_that_breaks_off_before_the_exchange_has_null_for_what_it_did_not_come_to():
    record = refereed({0: ["5 5"]}, roles=FIRST, golden=4)
    assert {key: value for key, value in record.deals[0].items() if key != "hands"} == {
        "golden": 4, "opener": None, "roles": FIRST, "special": None, "exchange": None,
    }  # fmt: skip


@pytest.mark.parametrize("rules", ["book", "gym2"])
def test_the_winner_has_more_points_or_the_better_last_place(rules: str) -> None:
    game = ChefsHat(rules)
    for seed in range(6):
        record = play_by_policy(game, random_policy(seed), match_spec(game, seed=str(seed)))
        points = record.points
        assert points is not None
        state = sheets_of(record, game)[-1][1][-1].after
        last = state.points()
        first = max(range(4), key=lambda seat: (points[seat], last[seat]))
        assert game.conclusion(points, state).startswith(f"winner: seat {first} (")
