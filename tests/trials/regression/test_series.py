"""Tests of one family: numbers given once, levels that add up, and no more false verdicts than one test has."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from arbiter.store import Store
from arbiter.trials.regression.figures import figures
from arbiter.trials.regression.program_identity import PREFIX
from arbiter.trials.regression.report_text import rows
from arbiter.trials.regression.runner import find_attempt, open_experiment, stored_trial
from arbiter.trials.regression.test_series import assign_level, level_of
from rating.sequential.gsprt import Gsprt
from tests.fixtures.records import play_trial
from tests.fixtures.simulated_blocks import evidence_of, rare_losses
from tests.fixtures.simulated_regression import COMMAND, InMemory, experiment, skilled

if TYPE_CHECKING:
    from arbiter.trials.regression.experiment import Experiment


def begin(test: Experiment, store: Store, fresh: bool = False) -> Experiment:
    """As the command does."""
    begun = assign_level(find_attempt(test, store, fresh), store)
    open_experiment(begun, store)
    return begun


def test_the_levels_add_up_to_alpha() -> None:
    levels = [level_of(number, 0.05) for number in range(1, 2001)]
    assert levels == sorted(levels, reverse=True)
    assert sum(levels) == pytest.approx(0.05 * (1.0 - 1.0 / np.sqrt(2001.0)))
    assert level_of(1, 0.05) == pytest.approx(0.05 * (1.0 - np.sqrt(0.5)))
    assert level_of(10**12, 0.05) == pytest.approx(0.05 * 0.5e-18, rel=1e-6)


def test_a_test_keeps_the_number_with_which_it_began(store: Store) -> None:
    tests = [experiment(family="night", candidate=[*COMMAND, str(number)]) for number in range(3)]
    begun = [begin(test, store) for test in tests]
    assert [test.test.alpha for test in begun] == [level_of(number, 0.05) for number in (1, 2, 3)]
    assert [begin(test, store).test.alpha for test in reversed(tests)] == [
        test.test.alpha for test in reversed(begun)
    ]
    assert begin(tests[0], store, fresh=True).test.alpha == level_of(4, 0.05)
    other = begin(experiment(family="day"), store)
    assert other.test.alpha == level_of(1, 0.05)
    assert sum(name.startswith(PREFIX) for name in store.seasons()) == 5


def test_who_was_numbered_and_stopped_before_it_was_kept_has_its_number_again(store: Store) -> None:
    first, second = (experiment(family="night", candidate=[*COMMAND, word]) for word in "ab")
    assert assign_level(first, store).test.alpha == level_of(1, 0.05)
    assert assign_level(second, store).test.alpha == level_of(2, 0.05)
    assert assign_level(first, store).test.alpha == level_of(1, 0.05)


def test_tests_that_begin_at_once_get_a_number_each(database: str) -> None:
    tests = [experiment(family="night", candidate=[*COMMAND, str(number)]) for number in range(8)]
    Store(database).close()

    def numbered(test: Experiment) -> float:
        with closing(Store(database)) as store:
            return assign_level(test, store).test.alpha

    with ThreadPoolExecutor(len(tests)) as runners:
        levels = list(runners.map(numbered, tests))
    assert sorted(levels, reverse=True) == [level_of(number, 0.05) for number in range(1, 9)]
    assert [numbered(test) for test in tests] == levels


def test_a_family_makes_another_test_and_none_leaves_the_name_as_it_was() -> None:
    alone, member = experiment(), experiment(family="night")
    assert alone.name != member.name
    assert "family" not in alone.settings
    assert experiment(family="day").name != member.name


def test_no_worse_takes_more_level_blocks_at_a_smaller_level(store: Store) -> None:
    test = experiment(family="night", non_regression=True)
    assert assign_level(test, store).test.level_blocks > test.test.level_blocks


def test_its_family_is_told_by_its_command_and_read_again(store: Store) -> None:
    begun = assign_level(experiment(family="night", elo1=100.0), store)
    season = open_experiment(begun, store)
    told, read = play_trial(begun, season, InMemory(skilled("candidate"))), stored_trial(season)
    assert told.verdict == read.verdict == "better"
    assert told.report.e >= 1.0 / level_of(1, 0.05)
    assert dict(rows(read))["family"] == dict(rows(told))["family"] == "night: test 1, at 1.5 % of its 5 %"
    found = figures(read)
    assert found["family"] == {"name": "night", "number": 1, "alpha": 0.05}
    assert found["test"]["alpha"] == level_of(1, 0.05)


def test_of_twenty_idle_changes_seldom_any_is_called_better() -> None:
    """Alone two thirds of such nights would have one."""
    levels = [level_of(number, 0.05) for number in range(1, 21)]
    wrong, alone = 0, 0
    for night in range(100):
        made = rare_losses(20, 300, (0.4, 1 / 8), (0.4, -1 / 8), seed=night)
        highest = evidence_of(Gsprt(0.0, 30.0), made).max(axis=1)
        wrong += bool((highest >= -np.log(levels)).any())
        alone += bool((highest >= np.log(20.0)).any())
    assert wrong <= 10
    assert alone >= 30
