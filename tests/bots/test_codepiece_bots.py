"""The Codepiece bots: they play legally in every seat, the same with the same seed, and in the promised order."""

from __future__ import annotations

import pytest
from codepiece_kit import Bot as Kit
from codepiece_pimc import Bot as Pimc

from arbiter.games.codepiece import Codepiece
from arbiter.testing import match_spec, play_in_memory
from tests.bench.measure_bots import NAMES, codepiece, maker
from tests.fixtures.bot_programs import Voice


def play_match(name, seat, seed="bots"):
    """A match in memory with a bot in one seat and random ones beside it."""
    bots = [Voice(maker("codepiece", name if place == seat else "random")(place)) for place in range(4)]
    return play_in_memory(Codepiece([3, 0]), bots, match_spec(Codepiece([3, 0]), seed=seed))


@pytest.mark.parametrize("name", NAMES["codepiece"])
@pytest.mark.parametrize("seat", range(4))
def test_a_bot_plays_legally_in_every_seat(name, seat) -> None:
    record = play_match(name, seat)
    assert record.forfeit is None, record.forfeit


@pytest.mark.parametrize("name", NAMES["codepiece"])
def test_the_same_seed_plays_the_same(name) -> None:
    one, other = play_match(name, 1), play_match(name, 1)
    assert one.moves == other.moves


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("better", "worse", "number"),
    [
        ("small_bids", "random", 4),
        ("aces", "small_bids", 10),
        ("high", "aces", 20),
        ("rules", "high", 20),
        ("few worlds", "rules", 2),
    ],
)
def test_the_ladder_is_in_the_promised_order(better, worse, number) -> None:
    def few_worlds(seed):
        return Pimc(seed, worlds=15, clock=False)

    first = few_worlds if better == "few worlds" else maker("codepiece", better)
    outcomes, _ = codepiece(first, maker("codepiece", worse), number)
    assert sum(outcomes) > 0


class Valuing(Kit):
    """A bot of the kit that says which request is due, and values the first answer to it."""

    def values(self, due):
        return {due: (self.rng.random(), None)}


class Asked:
    """A bot that is asked for values before each answer, and anything but its options is a mistake."""

    def __init__(self, bot):
        self.bot, self.spoken, self.values_asked = bot, Voice(bot), 0

    def __call__(self, line):
        if line.startswith("gen_"):
            self.values_asked += 1
            words = self.bot.reply("gen_values").split()
            assert words
            if isinstance(self.bot, Valuing):
                assert words[0].startswith(f"{line.strip()}:")
            else:
                options = {word.split(":")[0] for word in words}
                reply = self.spoken(line)
                assert reply[2:-2].decode() in options
                for word in words:
                    _, points, win = word.split(":")
                    assert -26 <= float(points) <= 26
                    assert 0 <= float(win) <= 1
                return reply
        return self.spoken(line)


@pytest.mark.parametrize(
    "make", [lambda seed: Pimc(seed, worlds=2, clock=False), Valuing], ids=["pimc", "kit"]
)
def test_values_are_of_what_is_due_and_change_nothing_that_is_played(make) -> None:
    game = Codepiece([3, 0])
    asked = [Asked(make(seat)) for seat in range(4)]
    valued = play_in_memory(game, asked, match_spec(game, seed="values"))
    plain = play_in_memory(game, [Voice(make(seat)) for seat in range(4)], match_spec(game, seed="values"))
    assert valued.forfeit is None
    assert valued.moves == plain.moves
    assert all(bot.values_asked > 10 for bot in asked)


def test_a_kit_bot_without_values_refuses() -> None:
    bot = Kit()
    for line in ("set_players 4 1", "set_game 1 0", "set_cards 13" + 13 * " AS"):
        assert bot.reply(line) == ""
    assert bot.due() == "gen_bid"
    assert bot.reply("gen_values") is None


def test_values_of_pimc_are_refused_to_who_is_not_to_act() -> None:
    bot = Pimc(worlds=2, clock=False)
    for line in (
        "set_players 4 2",
        "set_game 1 0",
        "set_cards 13 " + " ".join(f"{v}S" for v in "23456789TJQKA"),
    ):
        assert bot.reply(line) == ""
    assert bot.reply("gen_values") is None
    assert bot.reply("bid 1 pass") == ""
    assert bot.reply("gen_values").split()[-1].startswith("bid_13:")
