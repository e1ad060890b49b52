"""A tuning under way: what matches say about numbers, faults, and the same end after any interruption."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from arbiter.errors import BotCheckFailed, ConfigError, StoreError
from arbiter.match.packing import pack_match
from arbiter.match.spec import original
from arbiter.store import Store
from arbiter.trials.regression.blocks import block_specs
from arbiter.trials.regression.runner import find_attempt, open_experiment
from arbiter.trials.tuning.tuning_run import find_tuning
from tests.fixtures.simulated_regression import InMemory, alike, seats_of
from tests.fixtures.simulated_tuning import SKILL, by_skill, course, play_tuning, tuning, weak

CONFIGS = Path(__file__).parents[3] / "configs"


def test_better_numbers_are_found(tmp_path: Path) -> None:
    found = play_tuning(tuning(tmp_path, iterations=40))
    assert found.over
    assert found.descent.estimate["skill"] >= 5


def test_both_sides_meet_on_the_same_deals_with_the_numbers_that_are_kept(tmp_path: Path) -> None:
    of = tuning(tmp_path, iterations=3, blocks=2)
    found = play_tuning(of)
    for number in (1, 2, 3):
        sides = found.season.settings(f"{number:06d}")
        assert sides is not None
        assert sides["candidate"] != sides["base"]
        matches = found.season.summaries(last_round=2 * number, first_round=2 * number - 1)
        assert len(matches) == of.matches == 8
        assert {match.round for match in matches} == {2 * number - 1, 2 * number}
        assert all(
            sorted(map(original, match.players)) == ["base"] * 2 + ["candidate"] * 2 for match in matches
        )
        assert len({record.deal_hash for record in found.season.records(2 * number)}) == 1


class Killed(Exception):
    pass


class Dying(InMemory):
    """Plays so many matches, and no more."""

    def __init__(self, matches: int) -> None:
        super().__init__(by_skill)
        self._left = matches

    def submit(self, *args: object, **kwargs: object):  # type: ignore[no-untyped-def]
        if not self._left:
            raise Killed
        self._left -= 1
        return super().submit(*args, **kwargs)  # type: ignore[arg-type]


@pytest.mark.parametrize("matches", [0, 1, 4, 13, 30])
def test_interrupted_anywhere_it_ends_alike(matches: int, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
    expected = play_tuning(tuning(whole, iterations=8))
    with pytest.raises(Killed):
        play_tuning(tuning(cut, iterations=8), Dying(matches))
    rest = InMemory(by_skill)
    found = play_tuning(tuning(cut, iterations=8), rest)
    assert (found.descent.path, found.descent.estimate) == (expected.descent.path, expected.descent.estimate)
    assert len(found.season.summaries()) == 32


def test_more_iterations_add_to_what_there_is(tmp_path: Path) -> None:
    before = play_tuning(tuning(tmp_path, iterations=4))
    rest = InMemory(by_skill)
    after = play_tuning(tuning(tmp_path, iterations=6), rest)
    assert after.descent.path[:5] == before.descent.path
    assert len(rest.played) == 2 * 4


def test_a_tuning_and_its_test_go_on_whatever_the_bot_writes_and_ask_for_what_it_is_made_of(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot").mkdir()
    bot = tmp_path / "bot" / "bot.sh"
    bot.write_text("one")
    keys = {"base": ["/bin/sh", str(bot), "{skill}"], "iterations": 4}
    first = tuning(tmp_path, **keys)
    found = play_tuning(first, iterations=2)
    with closing(Store(first.store)) as store:
        tested = first.test("s", found.descent.estimate)
        season = open_experiment(tested, store)
        season.add_packed(pack_match(InMemory(by_skill).record(next(block_specs(tested, "s", 1)))))
        (bot.parent / "games.txt").write_text("lost")
        now = find_tuning(tuning(tmp_path, **keys), store)
        assert now.name == first.name
        assert find_attempt(now.test("s", found.descent.estimate), store).name == tested.name
        bot.write_text("two")
        with pytest.raises(ConfigError, match=rf"bot\.sh changed since {first.name} .*, which has 8 matches"):
            find_tuning(tuning(tmp_path, **keys), store)
        assert find_tuning(tuning(tmp_path, **keys), store, fresh=True).name != first.name
    assert len(found.season.summaries()) == 8


def test_a_tuning_that_is_begun_anew_is_another_one(tmp_path: Path) -> None:
    first = tuning(tmp_path, iterations=1)
    play_tuning(first)
    with closing(Store(first.store)) as store:
        assert find_tuning(first, store).name == first.name
        assert find_tuning(first, store, fresh=True).name == f"{first.name}-2"


def test_who_faults_loses_whole_and_numbers_go_away_from_there(tmp_path: Path) -> None:
    start = {**SKILL, "start": 4, "step": 2}
    found = play_tuning(tuning(tmp_path, iterations=20, parameters=[start]), InMemory(alike, weak(4)))
    assert found.descent.estimate["skill"] >= 5
    assert found.faults["candidate"] + found.faults["base"] > 0


def test_a_bot_that_fails_in_all_matches_is_named(tmp_path: Path) -> None:
    of = tuning(tmp_path)
    with pytest.raises(
        BotCheckFailed, match="every match of 3 iterations in a row ended by a fault, the last"
    ):
        play_tuning(of, InMemory(by_skill, weak(9)))
    assert course(of).season.match_ids(3)


def test_faults_of_the_field_leave_their_blocks_out(tmp_path: Path) -> None:
    keys = {
        "field": str(CONFIGS / "demo.yaml"),
        "iterations": 2,
        "game": {"name": "planning", "deals": [[1, 0]]},
    }
    of = tuning(tmp_path, **keys)
    field = [player.name for player in of.field]
    found = play_tuning(of, InMemory(alike, lambda spec: seats_of(field[0])(spec)[:1]), iterations=2)
    assert of.matches == 8
    assert found.faults["field"] > 0
    assert found.descent.path == [(1.0,)] * 3


def test_against_a_field_both_sides_meet_the_same_players(tmp_path: Path) -> None:
    of = tuning(tmp_path, field=str(CONFIGS / "demo.yaml"), iterations=1, game=None)
    found = course(of)
    list(found.play_iteration(InMemory(alike)))
    players = [set(map(original, match.players)) for match in found.season.summaries()]
    assert [("candidate" in names, "base" in names) for names in players] == [(True, False)] * 4 + [
        (False, True)
    ] * 4
    assert {frozenset(names - {"candidate", "base"}) for names in players} == {
        frozenset(players[0] - {"candidate"})
    }


def test_level_iterations_are_counted_while_there_are_no_others(tmp_path: Path) -> None:
    assert play_tuning(tuning(tmp_path), InMemory(alike), iterations=3).level == 3
    assert play_tuning(tuning(tmp_path, seed="t"), iterations=3).level < 3


def test_other_numbers_than_those_that_were_played_are_refused(tmp_path: Path) -> None:
    found = play_tuning(tuning(tmp_path), iterations=2)
    found.season.keep_settings("000003", {"candidate": {"skill": 99}, "base": {"skill": 0}})
    with pytest.raises(StoreError, match=r"iteration 3 of tune-.* was stored with other numbers"):
        list(found.play_iteration(InMemory(by_skill)))


def test_the_result_is_tested_against_the_start_on_other_deals(tmp_path: Path) -> None:
    of = tuning(tmp_path, iterations=5, blocks=2, test={"elo1": 30})
    test = of.test("s", {"skill": 6})
    assert (test.base.command[-1], test.candidate.command[-1]) == ("1", "6")
    assert (test.test.elo1, test.test.measure, test.test.most_blocks) == (30, "points", 10)
    assert test.seed != of.seed
    assert of.test("s", {"skill": 6}).name == test.name != of.test("s", {"skill": 5}).name
    assert next(block_specs(test, test.seed, 1)).players[0].name == "candidate"
    with closing(Store(of.store)) as store:
        assert store.season(test.name) is None
