"""Worlds of a seat that hears a match: all agree with what it heard, and nothing hidden shapes them."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from arbiter.envs.determinization import Worlds, _deck
from arbiter.envs.protocol_bot import ProtocolBot
from arbiter.games import hearing_of, make
from arbiter.games.chefs_hat.actions import JOKER
from arbiter.testing import match_spec, play_in_memory
from tests.envs.test_policy_bot import Foreign, game_of

pytestmark = pytest.mark.slow


class Drawing(ProtocolBot):
    """Plays by lot, and draws worlds at some of its decisions."""

    def __init__(self, game, seat, check, rarely=4):
        super().__init__(game)
        self.lots, self.check, self.rarely = Random(seat), check, rarely

    def begin(self, match):
        self.worlds = Worlds(match)

    def decide(self, match):
        if not self.lots.randrange(self.rarely):
            self.check(match, self.worlds, self.heard)
        return self.lots.choice(match.state.legal(match.seat))

    def say(self, line):
        verb = line.split()[0]
        if verb == "set_cards":
            self.heard = []
        if verb in ("play", "declare", "bid", "trump"):
            self.heard.append(line.strip())
        reply = self.answer(line)
        assert str(reply).startswith("="), (line, reply)
        return f"{reply}\n\n".encode()


def play_match(game, check, seed="1", rarely=4):
    bots = [Drawing(game, seat, check, rarely) for seat in range(game.seats)]
    record = play_in_memory(game, [bot.say for bot in bots], match_spec(game, seed=seed))
    assert record.forfeit is None
    return record


def commands_heard(play, seat):
    """What a seat hears of all that is done in a match with one deal."""
    state, heard = play.first, []
    for who, action in zip(play.seats, play.actions, strict=True):
        after = state.apply(who, action)
        news = play.game.news(state, who, action, after)
        heard += [command for hearers, command in news if seat in hearers]
        state = after
    return [line for line in heard if line.split()[0] != "pizza"]


@pytest.mark.parametrize(
    "kind",
    [
        "planning, few cards",
        "planning of three",
        "codepiece",
        "dou_dizhu",
        "chefs_hat",
        "chefs_hat, gym2 in few rounds",
    ],
)
def test_worlds_agree_with_everything_that_was_heard(kind):
    def check(match, worlds, lines):
        game, seat = match.game, match.seat
        for play in worlds.draw(3, Random(1)):
            assert sorted(game.hand(play.state, seat)) == sorted(game.hand(match.state, seat))
            assert seat in play.to_act or not play.actions  # the Chef chooses before the Souschef
            assert commands_heard(play, seat) == lines
            cards = Counter(card for hand in play.deal.hands for card in hand)
            assert not cards - Counter(_deck(game))
            assert list(map(len, play.deal.hands)) == list(map(len, match.deal.hands))

    play_match(game_of(kind), check)


def test_worlds_of_a_game_of_another_package_agree_with_what_was_heard():
    def check(match, worlds, lines):
        for play in worlds.draw(3, Random(1)):
            assert commands_heard(play, match.seat) == lines

    play_match(Foreign([1, 2]), check)


@pytest.mark.parametrize("kind", ["planning, few cards", "codepiece", "dou_dizhu"])
def test_nothing_hidden_shapes_the_worlds(kind):
    """A world in the place of the truth: the seat would have heard the same, and gets the same worlds."""
    game = game_of(kind)

    def check(match, worlds, lines):
        if match.played:
            return
        other = hearing_of(game, match.seat)
        truth = worlds.draw(1, Random(3))[0]
        for line in [wording[match.seat] for wording in game.dealt(truth.deal)] + commands_heard(
            truth, match.seat
        ):
            other.hear(line)
        other.asked(match.due_request(further=False))
        assert drawn(worlds) == drawn(Worlds(other))

    play_match(game, check)


def drawn(worlds):
    """The cards of some worlds, by name: of equal ones it does not matter which."""
    game = worlds.hearing.game
    return [
        [Counter(map(game.card_name, hand)) for hand in play.deal.hands] for play in worlds.draw(4, Random(2))
    ]


def heard(game, seat, *lines):
    match = hearing_of(game, seat)
    for line in lines:
        match.hear(line)
    return match


def hands(match, number=200):
    """The names of the cards of each seat in worlds."""
    return [
        [
            [play.game.card_name(card) for card in play.game.hand(play.state, seat)]
            for seat in range(play.game.seats)
        ]
        for play in Worlds(match).draw(number, Random(1))
    ]


PLANNING = make("planning", {"deck": "2345 CDH", "seats": 3, "deals": [[4, 1]]})
DECLARED = ("set_cards 4 2H 3H 2C 2D", "declare 0 0", "declare 1 0", "declare 2 0")


def test_who_did_not_follow_suit_has_none_of_it_in_any_world():
    match = heard(PLANNING, 0, *DECLARED, "play 1 4H", "play 2 3C")
    assert match.state.to_act == (0,)
    found = hands(match)
    assert not any(card[1] == "H" for _, _, third in found for card in third)
    assert any("5H" in second for _, second, _ in found)


def test_who_did_not_overtake_could_not():
    lines = ("bid 3 pass", "bid 0 bid_8", "bid 1 pass", "bid 2 pass", "trump 0 trump_S")
    tricks = ("play 0 6C", "play 1 3C", "play 2 7C", "play 3 8C", "play 3 TH")
    cards = "set_cards 13 6C 2D 3D 4D 5D 6D 7D 2H 3H 4H 2S 3S 4S"
    match = heard(make("codepiece", {"dealers": [2]}), 0, cards, *lines, *tricks)
    found = {card for world in hands(match) for card in world[1] if card[1] == "C"}
    assert found == {"2C", "4C", "5C"}


def test_unseen_cards_are_equally_likely_where_nothing_is_known():
    match = heard(PLANNING, 0, *DECLARED)
    places = Counter((card, seat) for world in hands(match, 2000) for seat in (1, 2) for card in world[seat])
    # Eight unseen cards in eight places: each is with either seat in half of the worlds.
    assert len(places) == 16
    assert all(900 < count < 1100 for count in places.values())


def test_all_ways_to_deal_are_equally_likely_where_something_is_known():
    match = heard(PLANNING, 0, *DECLARED, "play 1 4H", "play 2 3C")
    ways = Counter(tuple(sorted(third)) for _, _, third in hands(match, 2000))
    # Of 5H, 4C, 5C, 3D, 4D, 5D three are with seat 2, and not 5H: ten ways.
    assert len(ways) == 10
    assert all(140 < count < 260 for count in ways.values())


def test_cards_that_were_not_dealt_may_be_any_unseen_ones():
    game = make("planning", {"deck": "2345 CDH", "seats": 2, "deals": [[2, 0]]})
    found = hands(heard(game, 0, "set_cards 2 2H 3H", "declare 0 0", "declare 1 0"))
    assert {card for _, other in found for card in other} == set(game.card_names()) - {"2H", "3H"}


def test_declarations_that_were_not_told_are_still_to_be_made():
    match = heard(PLANNING, 1, "set_cards 4 2H 3H 2C 2D")
    match.asked("gen_declare")
    assert Worlds(match).draw(1, Random(1))[0].to_act == (0, 1, 2)


def test_the_landlord_has_the_cards_that_were_shown():
    game = make("dou_dizhu", {"landlords": [1]})
    found = hands(heard(game, 0, "set_cards 17 33334444555566667", "show_cards 3 2BR", "play 1 8"))
    assert all({"2", "B", "R"} <= set(landlord) for _, landlord, _ in found)
    assert len({tuple(landlord) for _, landlord, _ in found}) > 1


KITCHEN = (
    "set_cards 17 11 11 11 11 11 10 10 10 10 10 9 9 9 9 8 8 8", "set_roles Chef Souschef Waiter Dishwasher",
)  # fmt: skip


def test_what_a_dishwasher_gave_were_its_lowest_cards():
    gifts = ("exchange 3 0 2 3 4", "exchange 0 3 2 11 11", "exchange 2 1 1", "exchange 1 2 1")
    match = heard(make("chefs_hat", {}), 0, *KITCHEN, *gifts)
    match.asked("gen_move")
    for world in hands(match):
        own = Counter(world[3]) - Counter(["11", "11"])
        assert min(map(int, own)) >= 4
        assert min(map(int, world[1])) <= sorted(map(int, world[2]))[1]


def test_who_declares_a_special_action_has_both_jokers():
    match = heard(make("chefs_hat", {}), 0, *KITCHEN, "special 1 dinner_served", "play 3 C10;Q1;J0")
    found = [world[1] for world in hands(match)]
    assert all(hand.count(str(JOKER)) == 2 for hand in found)
