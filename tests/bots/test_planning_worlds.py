"""Worlds and play-outs agree with the rules; greedy and pimc in memory."""

from __future__ import annotations

import random

import planning_kit as kit
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_greedy import Greedy
from planning_pimc import Pimc
from planning_worlds import Deck, Position, bits, first

from tests.bench import measure_bots
from tests.bots.planning_referee import Memory, Rules, Valued, play
from tests.fixtures.profiles import examples

RULES = [
    Rules(deals=[(13, 2), (5, 0)]),
    Rules("9TJQKA", "SHDC", 4, [(6, 3)]),
    Rules("0123456789", "xyz", 3, [(10, 1), (4, 2)]),
    Rules("12345", "abcdef", 2, [(7, 1), (15, 0)]),
    Rules("123456789", "T", 4, [(2, 1)]),
]


class Watcher(kit.Bot):
    """Plays at random and checks a few worlds before every move against the hands it is told of."""

    def __init__(self, seed: int, me: int, hands: list[list[list[str]]]) -> None:
        super().__init__(seed)
        self.me, self.hands, self.constrained = me, hands, 0

    def declare(self, table: kit.Table) -> int:
        self.check(table)
        return 0

    def move(self, table: kit.Table) -> str:
        self.check(table)
        return self.rng.choice(table.legal())

    def check(self, table: kit.Table) -> None:
        deck = Deck(table.values, table.suits)
        position = Position(deck, table)
        self.constrained += any(table.void)
        gone = {card for _, card in table.played}
        for _ in range(3):
            world = position.world(self.rng)
            assert world[0] == deck.mask(table.hand)
            seen: set[str] = set()
            for offset, hand in enumerate(world):
                seat = (table.me + offset) % table.seats
                cards = {deck.name(card) for card in bits(hand)}
                true = set(self.hands[table.deal][seat]) - gone
                assert len(cards) == len(true)
                assert not cards & gone and not cards & seen
                assert not {card[1] for card in cards} & table.void[seat]
                seen |= cards


@examples(15)
@given(st.integers(0, 10**6), st.sampled_from(RULES))
def test_worlds_agree_with_what_is_known(seed: int, rules: Rules) -> None:
    hands = rules.hands(seed)
    seats = [Memory(kit.Session(Watcher(seed + i, i, hands))) for i in range(rules.seats)]
    play(rules, seats, hands)


def test_a_world_is_found_where_few_are_left() -> None:
    # Both cards of suit a can only be with player 1, who has no trump: most shuffles need cards to move on.
    table = kit.Table()
    table.set_deck(["123", "tabc"])
    table.set_players(["4", "0"])
    table.set_game(["1", "3", "0"])
    table.set_cards(["3", "1t", "1a", "1b"])
    table.void = [set(), {"t"}, {"a", "c"}, {"a", "b"}]
    deck = Deck("123", "tabc")
    position = Position(deck, table)
    worlds = {tuple(position.world(random.Random(seed))) for seed in range(300)}
    for _, one, second, third in worlds:
        assert all(len(bits(hand)) == 3 for hand in (one, second, third))
        assert one & deck.mask(["2a", "3a"]) == deck.mask(["2a", "3a"])
        assert not one & deck.suit["t"] and not second & deck.suit["c"] and not third & deck.suit["b"]
    # Player 1 has one b and the others 3 c, or 1 has one c: 2 and 2 trumps among 2 and 3 are then settled by
    # count.
    assert len(worlds) == 8


class Simple(kit.Bot):
    """The simple player of the play-outs, wanting as many tricks as it was told."""

    wish = 0

    def declare(self, table: kit.Table) -> int:
        return min(self.wish, table.size)

    def move(self, table: kit.Table) -> str:
        deck = Deck(table.values, table.suits)
        need = (table.declared[table.me] or 0) - table.taken[table.me]
        return deck.name(deck.choose(Position(deck, table), need))


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from(RULES), st.lists(st.integers(0, 13), min_size=4, max_size=4))
def test_a_play_out_is_what_the_rules_make_of_simple_players(
    seed: int, rules: Rules, wishes: list[int]
) -> None:
    cards, starter = rules.deals[0]
    one = Rules(rules.values, rules.suits, rules.seats, [(cards, starter)])
    hands = one.hands(seed)
    bots = [Simple() for _ in range(one.seats)]
    for bot, wish in zip(bots, wishes, strict=False):
        bot.wish = wish
    points = play(one, [Memory(kit.Session(bot)) for bot in bots], hands).points
    deck = Deck(one.values, one.suits)
    declared = [min(bot.wish, cards) for bot in bots]
    need = list(declared)
    deck.play_out([deck.mask(hand) for hand in hands[0]], need, starter, tricks=cards)
    assert points == [d - n + (0 if n else cards) for d, n in zip(declared, need, strict=True)]


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("rules", RULES)
def test_moving_the_table_round_moves_the_play_with_it(rules: Rules, batched: bool) -> None:
    """The same cards at the same distance from the starter: the same declarations and cards, whatever the
    seat."""
    n = rules.seats
    turned = Rules(
        rules.values, rules.suits, n, [(cards, (starter + 1) % n) for cards, starter in rules.deals]
    )
    hands = rules.hands(5)

    def bots() -> list[Memory]:
        kinds = [
            lambda: Pimc(7, 3, None),
            lambda: Greedy(7, 5),
            lambda: Pimc(8, 3, None),
            lambda: measure_bots.Random(7),
        ]
        return [Memory(kit.Session(kind())) for kind in kinds[:n]]

    straight = play(rules, bots(), hands)
    seats = bots()
    moved = play(turned, seats[-1:] + seats[:-1], [deal[-1:] + deal[:-1] for deal in hands], batched)
    assert moved.answers == straight.answers[-1:] + straight.answers[:-1]
    assert moved.points == straight.points[-1:] + straight.points[:-1]


class Ticking:
    """A clock that goes on by a fixed time whenever it is read: time passes as work is done, on any
    machine."""

    def __init__(self, tick: float) -> None:
        self.now, self.tick = 0.0, tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


@pytest.mark.parametrize("budget", [0, 50, 150, 1000])
def test_pimc_keeps_to_its_time(budget: int) -> None:
    rules = Rules()
    clock = Ticking(0.0001)
    pimc = Pimc(1, 30, clock)
    seats = [Memory(kit.Session(bot)) for bot in (pimc, *(measure_bots.Random(i) for i in range(3)))]

    def left(_: int) -> int:
        return max(0, int(budget - 1000 * clock.now))

    result = play(rules, seats, rules.hands(1), time_left=left)
    decisions = len(result.answers[0])
    # With no time at all it still reads the clock to find that out, at most twice a decision.
    assert clock.now <= max(budget / 1000, 2 * decisions * clock.tick + 1e-9)
    if budget == 1000:
        assert clock.now > 0.3  # and it does use what it has


def test_pimc_samples_less_with_less_time_and_everything_without_a_clock() -> None:
    opening = [
        "set_deck 23456789TJQKA CDHS",
        "set_players 4 0",
        "set_game 1 5 0",
        "set_cards 5 2C AS KD 7H 8H",
    ]

    def sampled(clock: Ticking | None, time_left: int) -> int:
        bot = Pimc(1, 30, clock)
        session = kit.Session(bot)
        for line in [*opening, f"time_left {time_left}", "gen_declare"]:
            session.answer(line)
        return bot.sampled

    def noted(time_left: int, noting: bool) -> list[str]:
        bot = Pimc(1, 30, Ticking(0.001), noting)
        session = kit.Session(bot)
        for line in [*opening, f"time_left {time_left}", "gen_declare"]:
            session.answer(line)
        return bot.notes

    assert noted(10**6, False) == []
    assert noted(0, True) == ["tag no-time"]
    (note,) = noted(10**6, True)
    assert 0 < float(note.split()[1]) <= 10
    assert note.endswith(" 30 worlds")
    assert sampled(None, 0) == 30
    assert sampled(Ticking(0.001), 10**6) == 30
    assert 0 < sampled(Ticking(0.001), 300) < 30
    assert sampled(Ticking(0.001), 0) == 0


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("names", "rounds"), [(["greedy", "random", "random"], 4), (["pimc", "greedy", "greedy"], 3)]
)
def test_strength_is_in_the_promised_order(names: list[str], rounds: int) -> None:
    # Fixed seeds: the figures are the same every time.
    best, *others = [mean for mean, _, _ in measure_bots.planning(names, rounds)]
    assert best > max(others) + 5


@pytest.mark.parametrize("rules", RULES)
def test_a_tilt_moves_declarations_of_greedy_one_way(rules: Rules) -> None:
    """A large one declares as many tricks as any world gives, or as few."""
    table = kit.Table()
    table.set_deck([rules.values, rules.suits])
    table.set_players([str(rules.seats), "0"])
    table.set_game([str(word) for word in (1, rules.deals[0][0], 0)])
    table.set_cards([str(rules.deals[0][0]), *rules.hands(1)[0][0]])
    declared = [Greedy(worlds=20, tilt=tilt).declare(table) for tilt in (-99.0, -0.5, 0.0, 0.5, 99.0)]
    assert declared == sorted(declared)
    assert declared[0] < declared[-1]


@pytest.mark.parametrize(
    "rules",
    [Rules(deals=[(4, 0), (3, 1)]), Rules("0123", "xyz", 3, [(4, 1), (0, 2), (1, 0)])],
    ids=["four", "three"],
)
def test_values_of_pimc_change_nothing_that_it_plays(rules: Rules) -> None:
    def seats() -> list[Memory]:
        return [Memory(kit.Session(Pimc(seat, worlds=3, clock=None))) for seat in range(rules.seats)]

    valued = [Valued(seat) for seat in seats()]
    assert play(rules, valued, rules.hands(2)) == play(rules, seats(), rules.hands(2))
    assert all(seat.values_asked for seat in valued)


def test_values_of_pimc_at_the_last_trick_are_what_comes_of_it() -> None:
    session = kit.Session(Pimc(worlds=3, clock=None))
    news = ["set_deck 23456789TJQKA CDHS", "set_players 4 3", "set_game 1 1 0", "set_cards 1 AS"]
    news += [
        "declare 0 0",
        "declare 1 0",
        "declare 2 0",
        "declare 3 1",
        "play 0 5S",
        "play 1 6S",
        "play 2 KS",
    ]
    assert {session.answer(line) for line in news} == {"="}
    assert session.answer("gen_values") == "= AS:2.000:1.0000"


@pytest.mark.parametrize(
    ("ahead", "later", "chance"),
    [([1, 2, 3], 0, 1), ([0, 0, 3], 0, 1 / 3), ([-1, 5, 5], 0, 0), ([0, 0, 0], 5, 1 / 4), ([0], 3, 1 / 2)],
)
def test_the_chance_to_come_first(ahead: list[float], later: float, chance: float) -> None:
    assert first(ahead, later) == pytest.approx(chance, abs=0.002)
