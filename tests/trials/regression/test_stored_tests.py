"""A stored test read again says what its command said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import StoreError
from arbiter.season.order_effects import now_text
from arbiter.store import Order, OrderKind, Store
from arbiter.trials.regression import runner
from arbiter.trials.regression.report_text import headline, rows
from arbiter.trials.regression.runner import experiment_from, find_attempt, open_experiment
from arbiter.trials.regression.trial_state import Trial
from tests.fixtures.records import play_trial
from tests.fixtures.simulated_regression import (
    COMMAND,
    LADDER,
    InMemory,
    alike,
    experiment,
    seats_of,
    skilled,
)

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.store import SeasonStore
    from arbiter.trials.regression.experiment import Experiment

BETTER, WORSE = skilled("candidate"), skilled("base")


def stored_trial(season: SeasonStore) -> Trial:
    """A test of one candidate, read again."""
    found = runner.stored_trial(season)
    assert isinstance(found, Trial)
    return found


def again(test: Experiment, table: InMemory, store: Store) -> tuple[Trial, Trial]:
    """A test as its command leaves it, and as it is read again."""
    season = open_experiment(test, store)
    return play_trial(test, season, table), stored_trial(season)


@pytest.mark.parametrize(
    ("policy", "keys", "field"),
    [
        (BETTER, {"elo1": 100.0}, True),
        (WORSE, {"elo1": 100.0, "measure": "points", "bounds": "normalized", "alpha": 0.1}, True),
        (WORSE, {"non_regression": True, "elo0": -100.0, "beta": 0.2}, False),
        (alike, {"time": "1s", "delivery": "batched"}, False),
    ],
)
def test_the_verdict_and_the_ratio_are_those_of_the_command(
    policy: Any, keys: dict[str, Any], field: bool, store: Store, tmp_path: Path
) -> None:
    if field:
        (tmp_path / "ladder.yaml").write_text(LADDER)
        keys = {**keys, "field": str(tmp_path / "ladder.yaml")}
    test = experiment(**keys)
    told, read = again(test, InMemory(policy), store)
    assert told.verdict is not None
    assert read.verdict == told.verdict
    assert read.report == told.report
    assert (headline(read), rows(read)) == (headline(told), rows(told))
    assert (read.worst(), read.run, read.exit_code) == (told.worst(), told.run, told.exit_code)
    assert (read.ratio_history(300), read.scores, read.tally()) == (
        told.ratio_history(300),
        told.scores,
        told.tally(),
    )
    mine, other = read.experiment, test
    assert (mine.base, mine.candidate, mine.field) == (other.base, other.candidate, other.field)
    assert (mine.limits, mine.test, mine.attempt) == (other.limits, other.test, 1)


def test_a_fault_that_ends_a_test_ends_it_again(store: Store) -> None:
    table = InMemory(faulty=seats_of("candidate"))
    told, read = again(experiment(faults="fail"), table, store)
    assert read.verdict == told.verdict == "candidate_faulty"
    assert headline(read) == headline(told)


def test_of_a_budget_nothing_is_kept_and_an_annulled_match_is_left_out(store: Store) -> None:
    test = experiment(max_blocks=3)
    told, read = again(test, InMemory(), store)
    assert (told.verdict, read.verdict) == ("out_of_budget", None)
    awaited = "; a verdict needs 16 blocks that are not level, and 3 were"
    assert headline(told) == f"undecided after 3 blocks: the budget is spent{awaited}"
    assert headline(read) == f"undecided after 3 blocks{awaited}"
    assert read.report.llr == told.report.llr
    season = store.season(test.name)
    assert season is not None
    order = Order(OrderKind.ANNUL, "b0002/m0", "wrong cards", now_text(), 0, 0)
    season.orders.give([order], season.orders.read().revision, None)
    assert stored_trial(season).run.blocks == 1
    replayed = play_trial(test, season, InMemory())
    assert (replayed.run, len(season.orders.earlier("b0002/m0"))) == (told.run, 1)


def test_attempts_are_tests_and_seasons_are_none(store: Store) -> None:
    test = experiment()
    store.make_season("ladder", "planning", "s")
    names = [test.name, f"{test.name}-2"]
    for name in names:
        store.make_season(name, "planning", "s").keep_settings(name, test.settings)
    second = store.season(names[1])
    assert second is not None
    assert stored_trial(second).experiment.attempt == 2


@pytest.mark.parametrize(
    "wrong",
    [{"game": "chess"}, {"elo0": 20.0}, {"players": []}, {"time": "soon"}, {"measure": 1}, {"game": None}],
)
def test_settings_that_say_no_test_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="the settings of regress-1 describe no test"):
        experiment_from("regress-1", {**experiment(candidate=COMMAND).settings, **wrong})


def test_without_settings_there_is_no_test(store: Store) -> None:
    season = store.make_season("regress-1", "planning", "s")
    with pytest.raises(StoreError, match="the store has no settings of regress-1"):
        stored_trial(season)


@pytest.mark.parametrize("most", [2, 7, 300])
def test_few_points_stand_for_many_blocks(most: int, store: Store) -> None:
    told, _ = again(experiment(max_blocks=20), InMemory(), store)
    found = told.ratio_history(most)
    assert len(found) == min(most, 20)
    assert found[-1] == (20, told.report.llr, told.run.log_e)
    assert [block for block, *_ in found] == sorted({block for block, *_ in found})


def test_a_test_begun_before_evidence_was_needed_keeps_its_rule_and_its_name(store: Store) -> None:
    """By the ratio alone it is decided, and stays so: read on a page and by its own command."""
    test = experiment(elo1=100.0)
    settings = {key: value for key, value in test.settings.items() if key != "evidence"}
    assert find_attempt(test, store) == test
    season = store.make_season(test.name, "planning", "s")
    season.keep_settings(test.name, settings)
    begun = find_attempt(test, store)
    assert (begun.name, begun.test.evidence) == (test.name, False)
    told, read = play_trial(begun, season, InMemory(BETTER)), stored_trial(season)
    assert told.verdict == read.verdict == "better"
    assert told.report.llr >= told.report.bounds[1]
    assert told.experiment.test.evidence is False
    assert "for +100" in dict(rows(read))["LLR"]
    assert find_attempt(test, store, fresh=True).test.evidence
