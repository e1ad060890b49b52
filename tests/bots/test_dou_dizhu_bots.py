"""The Dou Dizhu bots: legal and repeatable matches as processes, their rules, and their strength."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path

import pytest

from arbiter.games.cards import Stream
from arbiter.games.dou_dizhu import DouDizhu
from arbiter.games.dou_dizhu.combinations import FIRST_BOMB, PASS, table
from arbiter.match.record import MatchRecord
from arbiter.testing import match_spec, play_in_memory
from tests.bench.measure_bots import NAMES as KNOWN
from tests.bench.measure_bots import dou_dizhu, maker
from tests.fixtures.bot_programs import BOTS, Voice, at_table, spoken

GAME = DouDizhu()
NAMES = KNOWN["dou_dizhu"]
RULES = import_module("dou_dizhu_random")
"""The rules that all bots share."""


def command(name: str) -> list[str]:
    return [sys.executable, str(BOTS / "python" / f"dou_dizhu_{name}.py")]


@pytest.fixture(params=NAMES)
def process(request: pytest.FixtureRequest) -> list[str]:
    return command(request.param)


def match(
    commands: Sequence[list[str]], game: DouDizhu = GAME, seed: str = "bots", **options: object
) -> MatchRecord:
    """A match of three processes under the real rules and protocol."""
    with at_table(commands, **options) as bots:
        record = play_in_memory(game, bots, match_spec(game, seed=seed))
    assert record.forfeit is None
    assert [report.notes for report in record.bots] == [()] * 3
    return record


# As processes


@pytest.mark.process
def test_a_match_is_legal_and_the_same_again(process: list[str], tmp_path: Path) -> None:
    first = match([process] * 3, cwd=tmp_path)
    # Another folder, another hash seed: nothing of that may change the play.
    assert spoken(match([process] * 3, env={**os.environ, "PYTHONHASHSEED": "77"})) == spoken(first)
    assert not list(tmp_path.iterdir())


@pytest.mark.process
@pytest.mark.parametrize("names", [NAMES[:3], NAMES[3:]], ids="-".join)
def test_all_bots_play_each_other_with_double_points(names: tuple[str, ...]) -> None:
    game = DouDizhu([2, 1, 0, 0], bombs="double")
    record = match([command(name) for name in names], game)
    assert record.points is not None and {move.seat for move in record.moves} == {0, 1, 2}


@pytest.mark.process
def test_the_random_bot_has_other_luck_with_another_seed() -> None:
    default = spoken(match([command("random")] * 3))
    assert spoken(match([[*command("random"), "--seed", "1"]] * 3)) == default
    assert spoken(match([[*command("random"), "--seed", "2"]] * 3)) != default


def test_a_bot_may_tell_what_plays_are_worth() -> None:
    class Judge(RULES.Bot):  # type: ignore[misc, name-defined]
        def values(self) -> dict[str, tuple[float, float | None]]:
            return {"pass": (-1, None), "7": (0.5, 0.25)}

    start = ["set_players 3 0", "set_game 1 0", "set_cards 1 7"]
    replies = [[player.answer(line.split()[0], line.split()[1:]) for line in (*start, "gen_values")]
               for player in (Judge(), RULES.Bot())]  # fmt: skip
    assert [said[-1] for said in replies] == ["pass:-1.000 7:0.500:0.2500", None]
    assert Judge().answer("gen_values", []) is None


# Their rules


def test_a_bot_knows_every_combination_by_its_cards() -> None:
    entries = table()
    sample = range(0, PASS, 10)
    shapes = [
        (entries.ceiling[action] if action < FIRST_BOMB else PASS, RULES.shape(entries.names[action]))
        for action in sample
    ]
    for _, group in groupby(shapes, key=lambda both: both[0]):
        forms, mains = zip(*(shape for _, shape in group), strict=True)
        assert len(set(forms)) == 1 and list(mains) == sorted(mains)
    assert len({form for _, (form, _) in shapes}) == len({ceiling for ceiling, _ in shapes})


def test_a_bot_finds_the_main_parts_that_the_rules_find() -> None:
    """One choice of kickers stands for all, so forms and main ranks are what can be compared."""
    for number in range(25):
        deal = GAME.next_deal(number % 3, Stream("main parts", number), None)
        assert deal is not None
        state = GAME.start(deal)
        for best in (PASS, *list(state.legal(deal.seat))[::97]):
            state = state._replace(best=best, to_act=(deal.seat,))
            legal = [
                entry for entry in map(table().names.__getitem__, state.legal(deal.seat)) if entry != "pass"
            ]
            held = RULES.count(GAME.hand_text(GAME.hand(state, deal.seat)))
            target = None if best == PASS else RULES.shape(table().names[best])
            found = RULES.plays(held, target, RULES.spread(held))
            words = [word for words in found.values() for word in words]
            assert {RULES.shape(word) for word in words} == {RULES.shape(word) for word in legal}
            assert set(words) <= set(legal)


# Strength


def test_the_same_cards_give_the_same_play_in_every_seat() -> None:
    deal = GAME.next_deal(0, Stream("seats"), None)
    assert deal is not None
    played = []
    for shift in range(3):
        turned = [(seat - shift) % 3 for seat in range(3)]
        voices = [
            Voice(maker("dou_dizhu", ("random", "smallest", "fewest_turns")[place])(7)) for place in turned
        ]
        record = play_in_memory(GAME.given([deal.rotated(shift)]), voices)
        played.append([((move.seat - shift) % 3, move.action) for move in record.moves])
    assert played[0] == played[1] == played[2]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("landlord", "peasants", "least", "most"),
    [
        ("smallest", "random", 0.9, 1),
        ("fewest_turns", "random", 0.93, 1),
        ("random", "fewest_turns", 0, 0.05),
        ("lowest", "random", 0.7, 1),
        ("longest", "lowest", 0.5, 0.75),
        ("lowest", "longest", 0.2, 0.5),
        ("smallest", "longest", 0.55, 0.8),
        ("longest", "smallest", 0.05, 0.35),
    ],
)
def test_the_better_bot_wins_on_either_side(landlord: str, peasants: str, least: float, most: float) -> None:
    assert least <= dou_dizhu(landlord, peasants, 150) / 150 <= most


@pytest.mark.nightly
def test_fewest_turns_beats_smallest_over_both_sides_of_the_same_deals() -> None:
    won = dou_dizhu("fewest_turns", "smallest", 75)
    lost = dou_dizhu("smallest", "fewest_turns", 75)
    assert won - lost >= 7
