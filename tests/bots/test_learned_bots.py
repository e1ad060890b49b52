"""The learned players: what they see, legal and repeatable matches, and a training that repeats itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.fixtures.bot_programs import BOTS, Process, Voice, spoken

pytestmark = pytest.mark.slow

LEARNED = BOTS / "learned"
sys.path.append(str(LEARNED))

import chefs_hat_learned  # noqa: E402 -- found through the line above
import codepiece_learned  # noqa: E402 -- found through the line above
import curve  # noqa: E402 -- found through the line above
import dou_dizhu_learned  # noqa: E402 -- found through the line above
import export  # noqa: E402
import features_dou_dizhu  # noqa: E402
import memory_codepiece  # noqa: E402
import planning_kit  # noqa: E402
import planning_learned  # noqa: E402
import self_play_chefs_hat  # noqa: E402
import self_play_codepiece  # noqa: E402
import self_play_dou_dizhu  # noqa: E402
import self_play_planning  # noqa: E402
import worth_chefs_hat  # noqa: E402
import yardstick  # noqa: E402

from arbiter import envs  # noqa: E402
from arbiter.envs.match_state import Play  # noqa: E402
from arbiter.games import make  # noqa: E402
from arbiter.games.dou_dizhu.combinations import table  # noqa: E402
from arbiter.games.game import AnyGame  # noqa: E402
from arbiter.match.record import MatchRecord  # noqa: E402
from arbiter.testing import match_spec, play_by_policy, play_in_memory, random_policy  # noqa: E402

GAMES = ("planning", "codepiece", "dou_dizhu", "chefs_hat")
WITHOUT_KIT = {"dou_dizhu": dou_dizhu_learned, "chefs_hat": chefs_hat_learned}


def learned(game: str, seed: int = 1) -> tuple[Any, Callable[[str], bytes]]:
    if game == "planning":
        session = planning_kit.Session(planning_learned.Learned(seed))
        return session.bot, lambda line: f"{session.answer(line)}\n\n".encode()
    bot = codepiece_learned.Learned(seed) if game == "codepiece" else WITHOUT_KIT[game].Bot(seed)
    return bot, Voice(bot)


def match(name: str, game: AnyGame | None = None, seed: int = 1) -> MatchRecord:
    game = game or make(name, {})
    record = play_in_memory(game, [learned(name, seed)[1] for _ in range(game.seats)], match_spec(game))
    assert record.forfeit is None, record.forfeit
    assert not any(report.notes for report in record.bots)
    return record


# Their weights


@pytest.mark.parametrize("name", GAMES)
def test_the_weights_are_small(name: str) -> None:
    assert (LEARNED / f"{name}_weights.npz").stat().st_size < 500_000


def test_the_search_of_planning_is_built_with_the_learned_network() -> None:
    built = (BOTS / "cpp" / "planning_search.weights").read_bytes()
    assert export.exported(planning_learned.WEIGHTS) == built


# At a table


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_match_is_legal_and_the_same_again(name: str) -> None:
    assert spoken(match(name)) == spoken(match(name))


def test_planning_with_another_deck_and_number_of_players_is_played_legally() -> None:
    match("planning", make("planning", {"seats": 3, "deck": "12345 XYZ", "deals": [[3, 2], [5, 0]]}))


def test_codepiece_is_played_legally_in_any_number_of_deals() -> None:
    match("codepiece", make("codepiece", {"dealers": [3, 3, 0, 1, 2]}))


def test_dou_dizhu_is_played_legally_with_double_points_and_any_landlord() -> None:
    match("dou_dizhu", make("dou_dizhu", {"bombs": "double", "landlords": [2, 2, 1]}))


@pytest.mark.parametrize("options", [{"points": 9}, {"matches": 4}, {"rules": "gym2", "matches": 2}])
def test_chefs_hat_of_any_length_and_by_other_rules_is_played_legally(options: dict[str, Any]) -> None:
    match("chefs_hat", make("chefs_hat", options))


UNKNOWN = {
    "codepiece": ["gen_move", "hello", "bid 0 bid_8", "set_rules planning 1", "play 0 x", "trump 1 trump_X"]
}
"""What each does not know, or not yet; the kits take what cannot come in a match."""


@pytest.mark.process
@pytest.mark.parametrize("name", GAMES)
def test_as_processes_they_refuse_what_they_do_not_know_and_end_politely(name: str, tmp_path: Path) -> None:
    bot = Process([sys.executable, str(LEARNED / f"{name}_learned.py")], cwd=tmp_path)
    others = ["gen_move", "hello", "set_players 9 9", "set_cards", "set_cards x", "play 0"]
    replies = bot.ask([*UNKNOWN.get(name, others), "quit"])
    assert [reply[0] for reply in replies] == ["?"] * 6 + ["="]
    assert bot.close() == 0
    assert not list(tmp_path.iterdir())


def test_planning_values_every_answer_in_points_and_does_not_change_its_play() -> None:
    session = planning_kit.Session(planning_learned.Learned())
    for line in ("set_deck 23456789TJQKA CDHS", "set_players 4 1", "set_game 1 2 0", "set_cards 2 AC 2D"):
        assert session.answer(line) == "="
    before = session.bot.rng.getstate()
    said = [session.answer("gen_values")]
    for line in (*(f"declare {seat} 1" for seat in range(4)), "play 0 3D"):
        assert session.answer(line) == "="
    said.append(session.answer("gen_values"))
    values = [dict(word.split(":") for word in (answer or "")[2:].split()) for answer in said]
    assert [list(options) for options in values] == [["0", "1", "2"], ["2D"]]
    assert max(values[0], key=lambda option: float(values[0][option])) == "1"
    assert all(0 <= float(points) <= 4 for options in values for points in options.values())
    assert session.bot.rng.getstate() == before


# The same features at the table and in training


Cells = list[tuple[np.ndarray, np.ndarray]]
"""What a network was asked: what is seen, and the choices."""


class RawReply:
    """A network that keeps the cells that it was asked about."""

    def __init__(self, network: Any, heard: Cells) -> None:
        self.network, self.heard = network, heard

    def __call__(self, seen: np.ndarray, done: np.ndarray, rows: np.ndarray) -> np.ndarray:
        # The order of the choices means nothing.
        self.heard.append((seen, done[np.lexsort(done.T)]))
        return self.network(seen, done, rows)


def heard_by(networks: dict[str, Any], heard: Cells) -> dict[str, Any]:
    return {name: RawReply(network, heard) for name, network in networks.items()}


def assert_alike(table: Cells, training: Cells) -> None:
    for mine, theirs in zip(table, training, strict=False):
        np.testing.assert_array_equal(mine[0], theirs[0])
        np.testing.assert_array_equal(mine[1], theirs[1])


def test_planning_is_seen_alike_at_the_table_and_in_training() -> None:
    table, training = Cells(), Cells()
    bots, voices = zip(*(learned("planning") for _ in range(4)), strict=True)
    for bot in bots:
        bot.declaring = RawReply(bot.declaring, table)
        bot.playing = RawReply(bot.playing, table)
    play_in_memory(
        make("planning", {}), voices, match_spec(make("planning", {}), seed="seen/0", round_number=1)
    )
    bot = planning_learned.Learned()
    networks = {"declare": RawReply(bot.declaring, training), "play": RawReply(bot.playing, training)}
    matches = self_play_planning.Matches(envs.batch("planning", n=1, seed="seen"), bot.weight)
    matches.careless = 0
    matches.play(networks, np.random.default_rng(1), explore=0)
    assert len(table) == len(training) == 416
    assert_alike(table, training)


@pytest.mark.slow
def test_codepiece_is_seen_alike_at_the_table_and_in_training() -> None:
    table, training = Cells(), Cells()
    game: Any = make("codepiece", {})
    bots, voices = zip(*(learned("codepiece") for _ in range(4)), strict=True)
    for bot in bots:
        bot.networks = heard_by(bot.networks, table)
    record = play_in_memory(game, voices, match_spec(game, seed="seen/0", round_number=1))
    matches = self_play_codepiece.Matches(envs.batch("codepiece", n=1, seed="seen"), game.dealers)
    matches.careless = 0
    networks = heard_by(codepiece_learned.Learned().networks, training)
    matches.play(networks, np.random.default_rng(1), explore=0, steps=len(record.moves))
    assert len(table) > 150
    assert len(table) == len(training)
    assert_alike(table, training)


def test_what_codepiece_remembers_is_what_happened_and_excludes_no_card_that_is_held() -> None:
    game: Any = make("codepiece", {})
    play, chance = Play(game), np.random.default_rng(5)
    play.reset(seed=3)
    memory, one = memory_codepiece.Memory(1, game.dealers), np.zeros(1, np.int64)
    for _ in range(8):
        while not play.over:
            state, seat, deals = play.state, play.turn, len(play.played)
            held = [[at for at in range(52) if hand >> 11 + at & 1] for hand in state.hands]
            assert memory.deal == [deals]
            heard = memory.bid[0], memory.leader[0], memory.trump[0]
            assert heard == (state.bid, state.leader, state.trump)
            # Here by side, there the bidders first.
            won = memory.won[0, :: -1 if state.leader % 2 else 1].tolist()
            assert (memory.on_table[0], won) == (len(state.trick), [*state.won])
            for holder, cards in enumerate(held):
                assert all(card % 13 < memory.below[0, holder, card // 13] for card in cards)
                assert not memory.gone[0, cards].any()
            legal = play.legal(seat)
            action = chance.choice(legal[:2] if legal[0] == memory_codepiece.PASS else legal)
            over = memory.hear(one, np.array([seat]), np.array([action]))
            play.act(seat, int(action))
            assert over == [len(play.played) > deals]
            if over:
                assert memory.points()[0] == play.played[-1].points[memory.leader[0]]
                memory.end(one)
        assert memory.deal == [0]
        play.reset()


@pytest.mark.slow
def test_dou_dizhu_is_seen_alike_at_the_table_and_in_training() -> None:
    table, training = Cells(), Cells()
    game = make("dou_dizhu", {"landlords": [0]})
    bots, voices = zip(*(learned("dou_dizhu") for _ in range(3)), strict=True)
    for bot in bots:
        bot.network = RawReply(bot.network, table)
    record = play_in_memory(game, voices, match_spec(game, seed="seen/0", round_number=1))
    network = RawReply(dou_dizhu_learned.Bot().network, training)
    matches = self_play_dou_dizhu.Matches(envs.batch("dou_dizhu", n=1, seed="seen", landlords=[0]))
    _, landlords = matches.play(network, np.random.default_rng(1), explore=0, steps=len(table))
    assert len(table) == len(training) == len(record.moves) > 20
    assert_alike(table, training)
    assert landlords == (record.points is not None and record.points[0] > 0)


@pytest.mark.slow
def test_chefs_hat_is_seen_alike_at_the_table_and_in_training() -> None:
    """Gifts, special actions and what each seat alone knows of the exchange are among it."""
    game, asked = make("chefs_hat", {}), set()
    for number in range(4):
        table, training = Cells(), Cells()
        bots, voices = zip(*(learned("chefs_hat") for _ in range(4)), strict=True)
        for bot in bots:
            bot.networks = heard_by(bot.networks, table)
        record = play_in_memory(game, voices, match_spec(game, seed=f"seen/{number}", round_number=1))
        asked |= {move.request for move in record.moves}
        bot = chefs_hat_learned.Bot()
        batch = envs.batch("chefs_hat", n=1, seed=0)
        batch.begin([f"seen/{number}"])
        matches = self_play_chefs_hat.Matches(batch, np.random.default_rng(1))
        matches.finished, matches.shares, matches.kind[:] = bot.chances.copy(), (1, 0, 0), 0
        # The Chef gives its two cards in two steps.
        steps = len(record.moves) + sum(move.request == "gen_exchange 2" for move in record.moves)
        matches.play(heard_by(bot.networks, training), explore=0, steps=steps)
        training = [heard for heard in training if len(heard[1])]
        assert len(table) == len(training) > 60
        assert_alike(table, training)
    assert asked == {"gen_special", "gen_exchange 1", "gen_exchange 2", "gen_move"}


def test_all_plays_of_dou_dizhu_are_those_of_the_rules() -> None:
    assert sorted(features_dou_dizhu.all_plays().cards.tolist()) == sorted(table().cards)


def test_what_may_follow_a_play_of_dou_dizhu_is_what_the_rules_say() -> None:
    plays, cards = features_dou_dizhu.all_plays(), np.array(table().cards)
    numbers = {held: number for number, held in enumerate(plays.cards.tolist())}
    game, compared = make("dou_dizhu", {}), 0

    def compare(state: Any, seat: int) -> int:
        nonlocal compared
        legal = state.legal(seat)
        found = features_dou_dizhu.legal(plays, state.hands[seat], numbers[table().cards[state.best]])
        assert sorted(plays.cards[found].tolist()) == sorted(cards[list(legal)].tolist())
        compared += 1
        return random_policy(compared)(state, seat)

    play_by_policy(game, compare)
    assert compared > 100


def test_turns_of_a_hand_are_counted_by_chains_and_what_trios_take_along() -> None:
    hands = {
        "34567": 1,
        "3344556": 2,
        "333444": 1,
        "33344456": 1,
        "34567789TJ": 2,
        "BR": 2,
        "33367": 2,
        "": 0,
    }
    counts = np.array([dou_dizhu_learned.count(hand) for hand in hands])
    assert features_dou_dizhu.turns(counts).tolist() == list(hands.values())


def test_values_of_codepiece_are_points_and_chances_of_every_answer() -> None:
    bot = codepiece_learned.Learned()
    hand = "2C 3C 4C 5C 6C 2D 3D 2H 3H KS QS JS AS"
    for line in ("set_rules codepiece 1", "set_players 4 1", "set_game 1 0", f"set_cards 13 {hand}"):
        assert bot.reply(line) == ""

    def values() -> dict[str, list[float]]:
        said = (bot.reply("gen_values") or "").split()
        return {option: [*map(float, numbers)] for option, *numbers in (part.split(":") for part in said)}

    before = bot.rng.getstate()
    found = [values()]
    assert [*found[0]] == ["pass", *(f"bid_{bid}" for bid in range(8, 14))]
    for seat in (1, 2, 3, 0):
        bot.reply(f"bid {seat} pass")
    bot.reply("bid 1 bid_7")
    found.append(values())
    assert [*found[1]] == ["trump_S", "trump_H", "trump_D", "trump_C"]
    bot.reply("trump 1 trump_S")
    found.append(values())
    assert {*found[2]} == {*hand.split()}
    assert all(-26 <= points <= 26 and 0 <= win <= 1 for part in found for points, win in part.values())
    # A bid of seven, made or failed.
    assert all(-14 <= points <= 7 for part in found[1:] for points, _ in part.values())
    assert bot.rng.getstate() == before
    assert bot.reply("gen_move") == max(found[2], key=lambda card: found[2][card])


def test_values_of_dou_dizhu_are_of_every_legal_play() -> None:
    bot = dou_dizhu_learned.Bot()
    bot.answer("set_rules", ["dou_dizhu", "1", "double"])
    bot.answer("set_players", ["3", "1"])
    bot.answer("set_game", ["1", "0"])
    assert bot.answer("gen_values", []) is None
    bot.answer("set_cards", ["6", "455569"])
    for news in ("0 8888", "1 pass", "2 pass", "0 3"):
        bot.answer("play", news.split())
    said = dict(part.split(":") for part in bot.answer("gen_values", []).split())
    assert set(said) == {"pass", "4", "5", "6", "9"}
    assert all(-2 <= float(points) <= 2 for points in said.values())
    assert bot.choose() == next(iter(said))
    bot.answer("set_game", ["1", "0"])
    bot.answer("set_cards", ["1", "9"])
    bot.answer("play", ["0", "3"])
    assert bot.answer("gen_values", []).startswith("9:1.000 ")


def valued(bot: chefs_hat_learned.Bot, *lines: str) -> list[set[str]]:
    """The options that its answers to gen_values name, after each is found to be worth what can be."""
    found = []
    for command, *words in map(str.split, lines):
        reply = bot.answer(command, words)
        if command == "gen_values":
            told = dict(word.split(":", 1) for word in reply.split())
            numbers = [tuple(map(float, worth.split(":"))) for worth in told.values()]
            assert all(0 <= points <= 3 and 0 <= win <= 1 for points, win in numbers)
            found.append(set(told))
    return found


def test_values_of_chefs_hat_are_of_every_legal_answer_and_do_not_change_its_play() -> None:
    bot = chefs_hat_learned.Bot()
    valued(bot, "set_rules chefs_hat 1", "set_players 4 0", "set_game matches 3")
    assert bot.answer("gen_values", []) is None
    valued(bot, "set_cards 5 2 3 3 12 12", "set_roles Chef Souschef Waiter Dishwasher")
    before = bot.rng.getstate()
    exchange = "exchange 3 0 2 1 5", "exchange 0 3 2 3 3", "exchange 1 2 1", "exchange 2 1 1"
    special, gifts, move = valued(
        bot, *("time_left 9", "gen_values") * 2, *exchange, "play 3 C11;Q2;J0", "gen_values"
    )
    assert special == {"none", "dinner_served"}
    assert gifts == {"2_3", "2_12", "3_3", "3_12", "12_12"}
    assert move == {"C1;Q1;J1", "C1;Q1;J2", "C2;Q1;J1", "C2;Q1;J2", "C5;Q1;J1", "C5;Q1;J2", "pass"}
    assert bot.rng.getstate() == before


@pytest.mark.parametrize(
    ("role", "gifts"), [("Chef", {"2_3", "2_11", "3_11"}), ("Souschef", {"2", "3", "11"})]
)
def test_values_of_chefs_hat_are_of_every_gift_that_a_role_may_choose(role: str, gifts: set[str]) -> None:
    bot, others = chefs_hat_learned.Bot(), {"Chef": "Souschef", "Souschef": "Chef"}
    valued(bot, "set_rules chefs_hat 1", "set_players 4 0", "set_game matches 3", "set_cards 3 2 3 11")
    assert valued(bot, f"set_roles {role} {others[role]} Waiter Dishwasher", "gen_values") == [gifts]


def test_the_last_deal_of_chefs_hat_is_worth_the_rivals_left_behind() -> None:
    order = worth_chefs_hat.number_of(np.array([3, 0, 1, 2]))
    worth = worth_chefs_hat.aims(np.array([[5, 2, 2, 0]]), 0, np.full(24, 1 / 24))[0, order]
    # 5, 5, 4 and 1 points, of which 0, 3, 2 and 1 come from this deal.
    trifles = worth_chefs_hat.TRIFLE * np.array([0, 3, 2, 1])
    np.testing.assert_allclose(worth, np.array([5 / 6, 5 / 6, 1 / 3, 0]) + trifles)


def test_more_deals_of_chefs_hat_leave_the_same_worth_to_share() -> None:
    for deals in (0, 1, 2, 5):
        worth = worth_chefs_hat.aims(np.array([[0, 6, 4, 2]]), deals, np.full(24, 1 / 24))
        wins = worth_chefs_hat.wins(np.array([[0, 6, 4, 2]]), deals, np.full(24, 1 / 24))
        np.testing.assert_allclose(worth.sum(axis=-1), 2 + 6 * worth_chefs_hat.TRIFLE)
        np.testing.assert_allclose(wins.sum(axis=-1), 1)


# Strength, and the training


@pytest.mark.nightly
def test_planning_was_learned() -> None:
    mine, theirs = yardstick.planning(planning_learned.WEIGHTS, "greedy", rounds=2).sum(axis=0)
    assert mine > theirs


@pytest.mark.nightly
def test_codepiece_was_learned() -> None:
    assert yardstick.codepiece(codepiece_learned.WEIGHTS, "high", rounds=5).mean() > 0.5


@pytest.mark.nightly
def test_dou_dizhu_was_learned() -> None:
    won, _ = yardstick.dou_dizhu(dou_dizhu_learned.WEIGHTS, "smallest", deals=10)
    assert won.mean() > 0.5


@pytest.mark.nightly
def test_chefs_hat_was_learned() -> None:
    assert yardstick.chefs_hat(chefs_hat_learned.WEIGHTS, "keep_jokers", rounds=4)[:, 2].mean() > 0.5


@pytest.mark.parametrize("name", GAMES)
def test_the_training_repeats_itself(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the training of the learned players needs torch")
    made = []
    for number in range(2):
        out = tmp_path / f"{number}.npz"
        words = ["--game", name, "--rounds", "2", "--matches", "4", "--seed", "3", "--out", str(out)]
        import_module("train").main(words)
        with np.load(out) as arrays:
            made.append({name: arrays[name] for name in arrays.files})
    assert made[0].keys() == made[1].keys()
    assert all(np.array_equal(made[0][name], made[1][name]) for name in made[0])


def test_the_curve_is_a_picture_with_its_figures_in_words() -> None:
    figures = [(0.5, [10.0, 20.0]), (60.0, [30.0, 90.0])]
    picture = curve.drawn("Learning <fast>", "points", 100, (("chance", 0), ("greedy", 1)), figures)
    root = ElementTree.fromstring(picture)
    told = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    assert told == [
        "Learning <fast>",
        "20.0 after 0.5 min",
        "90.0 after 60.0 min",
        "10.0 after 0.5 min",
        "30.0 after 60.0 min",
    ]
