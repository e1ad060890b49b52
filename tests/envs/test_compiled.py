"""Batches in C show what the rules in Python show, and refuse what they refuse."""

from __future__ import annotations

import copy
import pickle
import shutil
import sys
from hashlib import sha256
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from arbiter.envs import dou_dizhu_v4
from arbiter.envs.batches import Batch, batch
from arbiter.envs.compiled import CompiledBatch
from arbiter.envs.core import AGAIN, WHOLE, ZEROS, core_of
from arbiter.envs.match_state import Play
from arbiter.envs.observers import observer_of
from arbiter.games.cards import Stream
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.codepiece import Codepiece
from arbiter.games.dou_dizhu import DouDizhu
from arbiter.games.game import AnyGame
from arbiter.games.planning import Planning
from tests.envs.same_matches import both, choice, compare, digest
from tests.fixtures.profiles import tries

COMPILED = ["planning", "codepiece", "dou_dizhu", "chefs_hat"]
GOLDEN = {
    "chefs_hat": "7f49df7ebc2022e5d27a8d2390b4d747ffe7e4e1a266ce9be84e7fcba2ffcf34",
    "codepiece": "3420faf34cb3d2215b1f860ca2ed38e6a88e53b9d2c85c1d1233b27824f02525",
    "dou_dizhu": "e488e6b19ffa39b96680cfb91071e18a271c1577964286bc7d632e3b9104983b",
    "planning": "fdf1328937f0c088834ccde97f96b7e9eaf52381200e5a1ae36be03d9c9b3482",
}
"""Of 500 random steps of 8 matches."""


@pytest.fixture(autouse=True)
def _built() -> None:
    if any(core_of(name) is None for name in COMPILED):
        if shutil.which("cc") is None:
            pytest.skip("needs a C compiler")
        pytest.fail("the rules in C are not built: make .venv/dev.stamp")


def planning(seats: int, deck: str, deals: list[list[int]]) -> Planning:
    return Planning(seats, deck, deals)


def dealt(game: AnyGame, count: int) -> list[Any]:
    deals = [game.deal(number, Stream.of_deal("given", 1, number), None) for number in range(count)]
    return [deal for deal in deals if deal is not None]


def few_cards() -> list[Any]:
    """Deals of Dou Dizhu with what is hardly ever dealt: chains of trios, fours, and what goes along with both."""
    game = DouDizhu()
    hands = (
        ["333444555666777BR22", "888899TTTJJJQ", "KKKKAA", "2"],
        ["KKKAAA", "33344455566678999TTT", "4JJJJQQQQ22BR", "9"],
        ["9", "5", "33334444666677778888", "8"],
    )
    return [
        game.deal_from_json({"hands": [[*cards] for cards in given], "extra": [extra], "landlord": seat})
        for seat, (*given, extra) in enumerate(hands)
    ]


SMALL = planning(3, "12345 ab", [[3, 2], [1, 0]])
GAMES: dict[str, AnyGame] = {
    "planning": Planning(),
    "two seats": planning(2, "0123456789ABCDEF abcd", [[32, 1], [5, 0]]),
    "three seats": SMALL,
    "a card for each": planning(4, "AB cd", [[1, 3]]),
    "one suit": planning(3, "ABCDEFGHIJ x", [[3, 0], [2, 1]]),
    "given deals": SMALL.given(dealt(planning(3, "12345 ab", [[3, 1], [2, 1], [3, 0]]), 3)),
    "given deals first": SMALL.begun(dealt(SMALL, 1)),
    "codepiece": Codepiece(),
    "a dealer": Codepiece([3]),
    "given hands": Codepiece([2, 1]).given(dealt(Codepiece([0, 3, 1]), 3)),
    "given hands first": Codepiece([2, 1]).begun(dealt(Codepiece([0]), 1)),
    "chefs_hat": ChefsHat(),
    "one deal": ChefsHat(matches=1),
    "until there are points": ChefsHat(points=9),
    "dou_dizhu": DouDizhu(),
    "a landlord": DouDizhu([2], "double"),
    "given counts": DouDizhu([2, 1]).given(few_cards()),
    "given counts first": DouDizhu([2, 1], "double").begun(few_cards()),
}


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_matches_are_those_of_the_rules(game: AnyGame) -> None:
    quick, plain, plays = both(game, 7, "a seed")
    assert isinstance(quick, CompiledBatch)
    assert compare(quick, plain, tries(40), plays=plays)


@pytest.mark.parametrize("name", COMPILED)
def test_a_playthrough_is_the_golden_one(name: str) -> None:
    assert digest(batch(name, 8, seed="golden"), 500) == GOLDEN[name]


def test_seeds_of_any_length_deal_alike() -> None:
    for seed in ("", "ß" * 20, *("s" * length for length in range(25, 130, 3))):
        quick, plain, _ = both(SMALL, 1, seed)
        assert np.array_equal(quick.observations(), plain.observations())


@pytest.mark.parametrize("quick", [True, False])
def test_digests_are_those_of_sha_256(quick: bool) -> None:
    digest_of = import_module("arbiter.envs.core.planning").digest
    for length in range(200):
        text = bytes((length * 7 + place * 31) % 256 for place in range(length))
        assert digest_of(text, quick) == sha256(text).digest()


def test_matches_go_on_where_no_seed_is_given() -> None:
    quick, plain = batch(SMALL, 4, seed=1), Batch(SMALL, 4, seed=1)
    compare(quick, plain, 9)
    for games in (quick, plain):
        games.begin([None, 5, None, "x"])
    compare(quick, plain, 9)


def situations(game: AnyGame, count: int) -> list[Play]:
    """Matches somewhere in the middle, seats having declared in any order."""
    chance, plays, observer = np.random.default_rng(3), [], observer_of(game)
    for number in range(count):
        play = Play(game)
        play.reset(number)
        for _ in range(number):
            seat = int(chance.choice(play.to_act))
            observer.act(play, seat, int(chance.choice(observer.legal(play, seat))))
            if play.over:
                play.reset()
        plays.append(play)
    return plays


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_situations_are_those_of_the_rules(game: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    plays = situations(game, 8)
    quick = Batch.of(plays)
    monkeypatch.setitem(sys.modules, f"arbiter.envs.core.{game.name}", None)
    plain = Batch.of(plays)
    assert (isinstance(quick, CompiledBatch), isinstance(plain, CompiledBatch)) == (True, False)
    compare(quick, plain, tries(40))
    for games in (quick, plain):
        games.reset(4)
    compare(quick, plain, 5)


def test_given_deals_of_one_match_are_those_of_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Planning()
    deals = [game.deal_json(deal) for deal in dealt(planning(4, "23456789TJQKA CDHS", [[2, 1], [3, 0]]), 2)]
    play, other = Play(game), Play(game)
    play.reset(1, deals=deals)
    other.reset(2)
    quick = Batch.of([play, other])
    monkeypatch.setitem(sys.modules, "arbiter.envs.core.planning", None)
    compare(quick, Batch.of([play, other]), 30)


@pytest.mark.parametrize("name", COMPILED)
def test_without_a_compiler_python_plays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, f"arbiter.envs.core.{name}", None)
    assert core_of(name) is None
    assert not isinstance(batch(name, 2), CompiledBatch)


@pytest.mark.parametrize("visible", [False, True])
def test_roles_are_dealt_and_seen_alike_with_and_without_a_compiler(
    visible: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = dou_dizhu_v4.batch(8, 3, opponents_hand_visible=visible)
    monkeypatch.setitem(sys.modules, "arbiter.envs.core.dou_dizhu", None)
    plain = dou_dizhu_v4.batch(8, 3, opponents_hand_visible=visible)
    assert isinstance(quick, CompiledBatch) > isinstance(plain, CompiledBatch)
    compare(quick, plain, 20)
    for games in (quick, plain):
        games.begin([None, 5] * 4)
    compare(quick, plain, 10)
    for games in (quick, plain):
        games.reset(4)
    compare(quick, plain, 10)


def test_python_plays_what_the_core_does_not_know() -> None:
    class Mine(Planning):
        """Whose rules may be others."""

    class RawReply(Play):
        """Whose cards may be unknown."""

    heard = RawReply(game := Planning())
    heard.reset(1)
    assert observer_of(Mine()).batch == observer_of(Planning(deck="0123456789ABCDEFGHIJ abcd")).batch
    assert type(Batch.of([heard])) is Batch
    hat = ChefsHat()
    (deal,) = dealt(hat, 1)
    given = Play(hat)
    given.reset(1, deals=[hat.deal_json(deal)])
    assert type(Batch.of([given])) is Batch
    for other in (ChefsHat("gym2"), hat.given([deal])):
        assert type(batch(other, 1)) is Batch
    assert isinstance(batch(game, 1), CompiledBatch)


@pytest.mark.parametrize("name", COMPILED)
def test_what_is_no_action_changes_nothing(name: str) -> None:
    games, shown = batch(name, 3), batch(name, 3).observations()
    wrongs = ([0, 0, games.actions], [-1, 0, 0], [0, 0, -(2**63)], np.array([0, 0, 2**63], np.uint64))
    for wrong in wrongs:
        with pytest.raises(ValueError, match="an action is an integer from 0 to"):
            games.step(wrong)
    assert np.array_equal(games.observations(), shown)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, ">i8"])
def test_ids_are_integers_of_any_kind(kind: Any) -> None:
    games, same = batch("planning", 4), batch("planning", 4)
    ids, starts = games.legal_ids()
    chosen = ids[starts[:-1]].astype(kind)
    apart = np.zeros((4, 3), kind)
    apart[:, 1] = chosen
    games.step(chosen)
    same.step(apart[:, 1])
    assert np.array_equal(games.observations(), same.observations())


def test_arrays_of_any_kind_are_written_over() -> None:
    games = batch("planning", 4)
    games.step([0] * 4)
    looks: list[Any] = [games.observations, games.masks]
    for look in looks:
        expected = look()
        turned = np.empty(expected.shape[::-1], np.int8).T
        wide, apart = (
            np.empty(expected.shape, np.float64),
            np.empty((4, 2 * expected.shape[1]), np.int8)[:, ::2],
        )
        outs: list[Any] = [turned, wide, apart]
        for out in outs:
            assert look(out) is out
            assert np.array_equal(out, expected)
        fixed = expected.copy()
        fixed.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            look(fixed)
        with pytest.raises(ValueError, match="broadcast"):
            look(np.empty((3, 5), np.int8))


# What our own code does not hand over is refused, too: nothing is read or written out of bounds.


def loaded(name: str = "planning") -> tuple[Any, np.ndarray[Any, Any], Batch]:
    """A core of one match, the numbers of one, and what it was made for."""
    games = batch(name, 1, seed=1)
    assert isinstance(games, CompiledBatch)
    return games._core, games._core_numbers(games._plays[0]), games


def test_arrays_of_another_size_are_refused() -> None:
    core, numbers, _ = loaded()
    small = np.zeros(3, np.int8)
    for write in (core.turns, core.starts, core.ids, core.observations):
        with pytest.raises(ValueError, match="bytes"):
            write(small)
    for how in (ZEROS, WHOLE, AGAIN):
        with pytest.raises(ValueError, match="bytes"):
            core.masks(small, how)
    with pytest.raises(ValueError, match="bytes"):
        core.step(small, small, small, None)
    with pytest.raises(ValueError, match="match 1 cannot be this one"):
        core.load(1, b"", numbers)
    with pytest.raises(IndexError, match="no match 7"):
        core.match(7)


def test_matches_are_loaded_first() -> None:
    made = core_of("planning")
    assert made is not None
    right = [4, 52, 13, 1, 0]
    core = made(1, np.array(right, np.uint64))
    with pytest.raises(ValueError, match="not loaded"):
        core.turns(np.zeros(1, np.int64))
    changed = [[*right[:at], wrong, *right[at + 1 :]] for at, wrong in enumerate((5, 65, 0, 14, 4))]
    for options in ([], [4], right[:3], *changed):
        with pytest.raises(ValueError, match="not those of Planning"):
            made(1, np.array(options, np.uint64))
    with pytest.raises(ValueError, match="a number of matches"):
        made(0, np.array(right, np.uint64))


def test_tables_are_those_of_dou_dizhu() -> None:
    games = batch("dou_dizhu", 1)
    assert isinstance(games, CompiledBatch)
    right, made = games._option_numbers(games.game), type(games._core)
    first = 2 + len(games.game.options["landlords"])
    # Landlords, ids of families that leave some out or go too far, and cards that are none.
    wrongs = ((1, 4), (2, 3), (first, 1), (first + 3, 14), (first + 3, 10**6), (first + 1, 27472))
    for at, wrong in (*wrongs, (-1, 1), (-2, 15), (-2, 2**63), (-2, 2 << 52)):
        numbers = np.array(right, np.uint64)
        numbers[at] = wrong
        with pytest.raises(ValueError, match="not those of Dou Dizhu"):
            made(1, numbers)
    for count in (0, 1, first, len(right) - 1):
        with pytest.raises(ValueError, match="not those of Dou Dizhu"):
            made(1, np.array(right[:count], np.uint64))


def test_options_are_those_of_chefs_hat() -> None:
    made = core_of("chefs_hat")
    assert made is not None
    for options in ([], [3], [0, 0], [3, 9], [3, 0, 0]):
        with pytest.raises(ValueError, match="not those of Chef's Hat"):
            made(1, np.array(options, np.uint64))


MORE = {"planning": [1, 0, 1, 2, 4, 8], "dou_dizhu": [1, 1 << 4, 2, 3, 1 << 52], "chefs_hat": [0]}
"""The numbers of a given deal, which a match of Chef's Hat has not."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE)
def test_whatever_is_loaded_stays_within_bounds(name: str) -> None:
    core, right, games = loaded(name)
    chance, taken = np.random.default_rng(5), 0
    ids, starts = np.empty(games.actions, np.int64), np.empty(2, np.int64)
    seen, rewards = games.observations(), np.zeros((1, games.seats), np.float32)
    masks, over = games.masks(), np.empty(1, np.bool_)
    core.masks(masks, WHOLE)
    for _ in range(tries(3000)):
        numbers = right.copy()
        if chance.random() < 0.3:
            numbers = np.concatenate((numbers, np.array(MORE[name], np.uint64)))
        for _ in range(chance.integers(1, 4)):
            most = 70 if chance.random() < 0.7 else 2**64
            numbers[chance.integers(len(numbers))] = chance.integers(most, dtype=np.uint64)
        if chance.random() < 0.1:
            numbers = numbers[: chance.integers(len(numbers) + 1)]
        try:
            core.load(0, b"", numbers)
        except ValueError:
            continue
        taken += 1
        for _ in range(60):
            core.starts(starts)
            core.ids(ids[: starts[1]])
            core.masks(masks, AGAIN)
            assert masks[0].nonzero()[0].tolist() == ids[: starts[1]].tolist()
            core.observations(seen)
            rewards[:] = 0
            core.step(
                choice(ids, starts, chance) if starts[1] else np.zeros(1, np.int64), rewards, over, seen
            )
    assert taken > 25


@pytest.mark.parametrize("name", [*COMPILED, "given deals", "given counts first"])
def test_a_copy_goes_on_as_the_original_does(name: str) -> None:
    game = GAMES[name]
    one, _, _ = both(game, 3, "a seed")
    chance = np.random.default_rng(5)

    def step(some: Batch, lots: list[float]) -> tuple[list[Any], ...]:
        ids, starts = some.legal_ids()
        chosen = [
            ids[start + int(lot * (end - start))]
            for lot, start, end in zip(lots, starts, starts[1:], strict=False)
        ]
        rewards, over = some.step(chosen)
        return rewards.tolist(), over.tolist(), some.observations().tolist(), some.turns.tolist()

    masks = one.masks()
    for _ in range(5):
        one.masks(masks)
        step(one, chance.random(3).tolist())
    copies = [copy.deepcopy(one), pickle.loads(pickle.dumps(one))]
    for _ in range(60):
        lots = chance.random(3).tolist()
        expected = step(one, lots)
        assert [step(other, lots) for other in copies] == [expected, expected]
    for other in copies:
        assert np.array_equal(other.masks(masks), one.masks())
