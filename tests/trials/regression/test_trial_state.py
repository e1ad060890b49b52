"""A regression test's course: verdicts, faults, order, resumption."""

from __future__ import annotations

import random
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import ConfigError, VoidMatch
from arbiter.match.packing import pack_match
from arbiter.store import Store
from arbiter.trials.regression.blocks import block_specs
from arbiter.trials.regression.experiment import Experiment
from arbiter.trials.regression.program_identity import CONTENTS, ProgramChanges, compare_programs
from arbiter.trials.regression.runner import find_attempt, open_experiment
from arbiter.trials.regression.trial_state import Trial
from tests.fixtures.profiles import examples
from tests.fixtures.records import play_trial
from tests.fixtures.simulated_regression import InMemory, alike, experiment, seats_of, skilled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import MatchSpec


def play_test(store: Store, table: InMemory, at_once: int = 2, **keys: Any) -> Trial:
    """A test played in memory."""
    test = experiment(**keys)
    return play_trial(test, open_experiment(test, store), table, at_once)


def matches_of(test: Experiment, table: InMemory, blocks: int) -> list[MatchSummary]:
    return [
        table.record(spec).summary()
        for block in range(1, blocks + 1)
        for spec in block_specs(test, "s", block)
    ]


@pytest.mark.parametrize(
    ("policy", "keys", "verdict", "exit_code", "blocks"),
    [
        (skilled("candidate"), {"elo1": 30}, "better", 0, None),
        (skilled("base"), {"elo1": 30}, "not_better", 1, None),
        (alike, {}, "identical_play", 1, 16),
        (alike, {"game": "dou_dizhu"}, "identical_play", 1, 16),
        (alike, {"game": {"name": "codepiece", "dealers": [0]}}, "identical_play", 1, 16),
        # 1 - (1 - 2 (1/2 - s(-40)))^n is at least 95 %.
        (alike, {"non_regression": True, "elo0": -40.0}, "identical_play", 0, 25),
        (None, {"max_blocks": 20, "elo1": 5}, "out_of_budget", 1, 20),
    ],
)
def test_a_test_ends_by_a_verdict(
    policy: Any, keys: dict[str, Any], verdict: str, exit_code: int, blocks: int | None, store: Store
) -> None:
    trial = play_test(store, InMemory(policy), **keys)
    assert (trial.verdict, trial.exit_code) == (verdict, exit_code)
    assert blocks in (None, trial.run.blocks)
    assert (verdict == "better") <= ((trial.report.elo or 0.0) > 0)


def test_a_faulty_candidate_loses_its_matches(store: Store) -> None:
    table = InMemory(skilled("candidate"), seats_of("candidate"))
    trial = play_test(store, table)
    assert trial.verdict == "not_better"
    assert trial.run.total == 0.0
    assert trial.faults_of("candidate") == {"crash": trial.run.blocks * 4}


def once(version: str, place: str) -> Callable[[MatchSpec], list[int]]:
    """A fault of one seat of a version in the matches whose ids begin so."""
    return lambda spec: seats_of(version)(spec)[:1] if spec.id.startswith(place) else []


@pytest.mark.parametrize(
    ("policy", "faulty", "keys", "verdict", "left_out"),
    [
        (None, once("candidate", "b0003/"), {"faults": "fail"}, "candidate_faulty", []),
        (skilled("candidate"), seats_of("base"), {}, "base_faulty", [1, 2, 3]),
        # One fault of the base keeps a better candidate out.
        (skilled("candidate"), once("base", "b0002/m1"), {"elo1": 30}, "base_faulty", [2]),
        (None, once("base", "b0001/m3"), {"max_blocks": 1, "elo1": 3}, "out_of_budget", [1]),
        (None, once("base", "b0017/m3"), {"max_blocks": 17, "elo1": 3}, "out_of_budget", [17]),
    ],
)
def test_faults_end_a_test_or_leave_blocks_of_its_budget_out(
    policy: Any,
    faulty: Callable[[MatchSpec], list[int]],
    keys: dict[str, Any],
    verdict: str,
    left_out: list[int],
    store: Store,
) -> None:
    trial = play_test(store, InMemory(policy, faulty), **keys)
    assert (trial.verdict, trial.exit_code) == (verdict, 1 if verdict == "out_of_budget" else 3)
    assert (trial.left_out, trial.blocks_taken) == (left_out, trial.run.blocks + len(left_out))
    assert trial.blocks_taken == keys.get("max_blocks", trial.blocks_taken)
    assert (trial.run.verdict == "better") == ("elo1" in keys and keys["elo1"] == 30)


def sometimes(spec: MatchSpec) -> list[int]:
    """Faults of the base in one block, of the candidate in a later one, and of both after that."""
    seats = []
    if spec.id in ("b0019/m2", "b0021/m1"):
        seats += seats_of("base")(spec)[:1]
    if spec.id in ("b0020/m3", "b0021/m0"):
        seats += seats_of("candidate")(spec)[:1]
    return seats


def counted(trial: Trial) -> Any:
    """What is known of the matches that count."""
    known = trial.verdict, trial.run, trial.faults, trial.left_out, trial.tally(), trial.worst()
    return known, trial.scores, trial.ratio_history(300)


DECIDED_BY_FAULTS: list[dict[str, Any]] = [{"elo1": 30.0}, {"elo1": 3.0}, {"elo1": 3.0, "faults": "fail"}]
"""With 30 Elo the verdict comes before the first of them."""


@cache
def ended_matches(blocks: int, faulty: bool) -> list[MatchSummary]:
    table = InMemory(skilled("candidate"), sometimes) if faulty else InMemory()
    return matches_of(experiment(), table, blocks)


@examples(20)
@given(
    st.sampled_from([(40, False, {"elo1": 60.0}), *((24, True, keys) for keys in DECIDED_BY_FAULTS)]),
    st.integers(0, 10**6),
)
def test_the_order_in_which_matches_end_changes_nothing(
    case: tuple[int, bool, dict[str, Any]], seed: int
) -> None:
    blocks, faulty, keys = case
    luck = random.Random(seed)
    test, matches = experiment(**keys), ended_matches(blocks, faulty)
    straight, mixed = Trial(test), Trial(test)
    for match in matches:
        straight.add(match)
    # As far from their order as matches in flight can be, and farther.
    shuffled = sorted(range(len(matches)), key=lambda place: place + luck.random() * 30)
    for place in shuffled:
        mixed.add(matches[place])
    assert counted(mixed) == counted(straight)


@pytest.mark.slow
@pytest.mark.parametrize("stops_after", [1, 7, 30])
def test_an_interrupted_test_goes_on_to_the_same_end(store: Store, stops_after: int) -> None:
    class Breaking(InMemory):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            if len(self.played) == stops_after:
                raise KeyboardInterrupt
            return super().submit(fn, *args, **kwargs)

    with closing(Store("sqlite://")) as other:
        whole = play_test(other, InMemory(), max_blocks=18)
    with pytest.raises(KeyboardInterrupt):
        play_test(store, Breaking(), max_blocks=18)
    table = InMemory()
    rest = play_test(store, table, max_blocks=18)
    assert (rest.verdict, rest.run, counted(rest)) == (whole.verdict, whole.run, counted(whole))
    # Two were in flight.
    assert 0 <= len(table.played) - (18 * 4 - stops_after) <= 2


def test_a_test_with_a_verdict_plays_nothing_more(store: Store) -> None:
    play_test(store, InMemory(alike))
    table = InMemory()
    trial = play_test(store, table)
    assert (trial.verdict, table.played) == ("identical_play", [])


def test_a_void_match_is_played_again_and_twice_void_is_our_failure(store: Store) -> None:
    trial = play_test(store, InMemory(alike, void=["b0001/m2"]))
    assert trial.verdict == "identical_play"
    with pytest.raises(VoidMatch, match="twice in a row"):
        play_test(store, InMemory(alike, void=["b0001/m2"] * 2), seed="other")


def test_every_match_is_left_to_the_number_of_blocks_asked_for(store: Store) -> None:
    table = InMemory()
    trial = play_test(store, table, 9, max_blocks=3)
    assert sorted(table.played) == [f"b{block:04d}/m{n}" for block in (1, 2, 3) for n in range(4)]
    assert trial.run.blocks == 3


def test_a_test_begun_anew_has_other_deals_and_leaves_the_old_one(store: Store) -> None:
    test = experiment(seed="auto")
    assert find_attempt(test, store, fresh=True).name == test.name
    first = open_experiment(test, store)
    again = find_attempt(test, store, fresh=True)
    second = open_experiment(again, store)
    assert (again.attempt, find_attempt(test, store).name) == (2, again.name)
    assert find_attempt(test, store, fresh=True).attempt == 3
    assert second.seed != first.seed
    assert again.name.startswith(test.name)


class Kept(NamedTuple):
    """A store with a test that has matches, and the folder of its candidate."""

    store: Store
    folder: Path
    test: Experiment

    def again(self, **how: Any) -> tuple[str, list[str]]:
        """The name under which the same command goes on, and what is told."""
        said: list[str] = []
        now = of_folder(self.folder, self.test.settings["elo1"])
        return find_attempt(now, self.store, tell=said.append, **how).name, said


def of_folder(folder: Path, elo1: float = 10.0) -> Experiment:
    return experiment(candidate=["/bin/sh", str(folder / "run.sh")], elo1=elo1, max_blocks=9)


@pytest.fixture
def kept(store: Store, tmp_path: Path) -> Iterator[Kept]:
    folder = tmp_path / "bot"
    folder.mkdir()
    for name in ("run.sh", "weights.bin", "state.txt"):
        (folder / name).write_text("one")
    test = of_folder(folder)
    season = open_experiment(test, store)
    for spec in list(block_specs(test, season.seed, 1))[:2]:
        season.add_packed(pack_match(InMemory(alike).record(spec)))
    yield Kept(store, folder, test)


@pytest.mark.parametrize("name", ["nohup.out", "deep/games.txt", "bot.log", "state.log.1"])
def test_a_test_goes_on_whatever_file_its_runs_write_into_a_programs_folder(kept: Kept, name: str) -> None:
    (kept.folder / name).parent.mkdir(exist_ok=True)
    for text in ("one", "more"):
        (kept.folder / name).write_text(text)
        found, said = kept.again()
        assert found == kept.test.name
        assert [name in line for line in said] == [True] * ("games" in name)


@pytest.mark.parametrize("name", ["run.sh", "weights.bin"])
def test_played_matches_are_not_left_behind_for_a_changed_file_unless_it_is_said(
    kept: Kept, name: str
) -> None:
    (kept.folder / name).write_text("two")
    file = str(kept.folder / name)
    with pytest.raises(ConfigError) as caught:
        kept.again()
    assert f"{file} changed since {kept.test.name} was begun, which has 2 matches" in str(caught.value)
    assert "--accept-changes" in str(caught.value)
    fresh, said = kept.again(fresh=True)
    assert fresh != kept.test.name
    assert said == [f"started again: {file} changed since {kept.test.name}, which stays in the store"]


def test_a_file_that_is_gone_has_changed(kept: Kept) -> None:
    (kept.folder / "weights.bin").unlink()
    with pytest.raises(ConfigError, match=r"weights\.bin changed since"):
        kept.again()


def test_a_change_is_accepted_once_and_another_one_is_not(kept: Kept) -> None:
    (kept.folder / "state.txt").write_text("two")
    file = str(kept.folder / "state.txt")
    assert kept.again(accept=True) == (
        kept.test.name,
        [f"accepted: {file} changed since {kept.test.name} was begun"],
    )
    assert kept.again() == (kept.test.name, [])
    (kept.folder / "state.txt").write_text("one")
    assert kept.again() == (kept.test.name, [])
    (kept.folder / "state.txt").write_text("three")
    with pytest.raises(ConfigError, match=r"state\.txt changed since"):
        kept.again()


def test_a_decided_test_is_left_for_a_changed_program_without_asking(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "run.sh").write_text("one")
    test = of_folder(folder)
    trial = play_trial(test, open_experiment(test, store), InMemory(alike), 1)
    assert trial.verdict is not None
    (folder / "run.sh").write_text("two")
    assert find_attempt(of_folder(folder), store).name not in store.seasons()
    assert find_attempt(of_folder(folder, elo1=11.0), store).name not in store.seasons()


def test_a_test_without_digests_of_single_files_names_the_folder(kept: Kept) -> None:
    settings = {key: value for key, value in kept.test.settings.items() if key != CONTENTS}
    (kept.folder / "weights.bin").write_text("two")
    now = of_folder(kept.folder).settings
    assert compare_programs(now, settings) == ProgramChanges((str(kept.folder),), ())
