"""A regression test's course: verdicts, faults, order, resumption."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import ConfigError, VoidMatch
from arbiter.match.packing import pack_match
from arbiter.store import Store
from arbiter.trials.regression.blocks import block_specs
from arbiter.trials.regression.experiment import Experiment
from arbiter.trials.regression.program_identity import CONTENTS, Changed, what_changed
from arbiter.trials.regression.runner import attempt, open_experiment
from arbiter.trials.regression.trial_state import Trial
from tests.fixtures.profiles import examples
from tests.fixtures.records import play_trial
from tests.fixtures.simulated_regression import InMemory, alike, experiment, seats_of, skilled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import MatchSpec
    from arbiter.store import SeasonStore


def play_test(folder: Path, table: InMemory, name: str = "test", **keys: Any) -> tuple[Trial, SeasonStore]:
    """A test played in memory, into a store of its own."""
    test = experiment(**keys)
    store = Store(f"sqlite:///{folder / name}.sqlite")
    with closing(store):
        season = open_experiment(test, store)
        trial = play_trial(test, season, table, 2)
    return trial, season


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
    policy: Any, keys: dict[str, Any], verdict: str, exit_code: int, blocks: int | None, tmp_path: Path
) -> None:
    trial, _ = play_test(tmp_path, InMemory(policy), **keys)
    assert (trial.verdict, trial.exit_code) == (verdict, exit_code)
    assert blocks in (None, trial.run.blocks)
    assert (verdict == "better") <= ((trial.report.elo or 0.0) > 0)


def test_a_faulty_candidate_loses_its_matches(tmp_path: Path) -> None:
    table = InMemory(skilled("candidate"), seats_of("candidate"))
    trial, _ = play_test(tmp_path, table)
    assert trial.verdict == "not_better"
    assert trial.run.total == 0.0
    assert trial.faults_of("candidate") == {"crash": trial.run.blocks * 4}


def test_with_fail_the_first_fault_of_the_candidate_ends_it(tmp_path: Path) -> None:
    def late(spec: MatchSpec) -> list[int]:
        return seats_of("candidate")(spec)[:1] if spec.round == 3 else []

    trial, _ = play_test(tmp_path, InMemory(faulty=late), faults="fail")
    assert (trial.verdict, trial.exit_code) == ("candidate_faulty", 3)
    assert trial.faults[0].match.id == "b0003/m0"


def test_the_bases_faults_never_make_the_candidate_better(tmp_path: Path) -> None:
    trial, _ = play_test(tmp_path, InMemory(skilled("candidate"), seats_of("base")))
    assert (trial.verdict, trial.exit_code) == ("base_faulty", 3)
    assert trial.run.blocks == 0
    assert trial.left_out == [1, 2, 3]


def test_one_fault_of_the_base_keeps_a_better_candidate_out(tmp_path: Path) -> None:
    def once(spec: MatchSpec) -> list[int]:
        return seats_of("base")(spec)[:1] if spec.id == "b0002/m1" else []

    trial, _ = play_test(tmp_path, InMemory(skilled("candidate"), once), elo1=30)
    assert (trial.verdict, trial.run.verdict, trial.left_out) == ("base_faulty", "better", [2])


def sometimes(spec: MatchSpec) -> list[int]:
    """Faults of the base in one block, of the candidate in a later one, and of both after that."""
    seats = []
    if spec.id in ("b0019/m2", "b0021/m1"):
        seats += seats_of("base")(spec)[:1]
    if spec.id in ("b0020/m3", "b0021/m0"):
        seats += seats_of("candidate")(spec)[:1]
    return seats


@pytest.mark.parametrize("keys", [{"elo1": 30.0}, {"elo1": 3.0}, {"elo1": 3.0, "faults": "fail"}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_faults_count_in_the_order_of_blocks_whenever_they_come(seed: int, keys: dict[str, Any]) -> None:
    """With 30 Elo the verdict falls before the first of them."""
    test = experiment(**keys)
    table = InMemory(skilled("candidate"), sometimes)
    matches = FAULTY.setdefault("matches", matches_of(test, table, 24))
    straight, mixed = Trial(test), Trial(test)
    for match in matches:
        straight.add(match)
    for match in random.Random(seed).sample(matches, len(matches)):
        mixed.add(match)
    assert mixed.verdict == straight.verdict
    assert (mixed.run, mixed.faults, mixed.left_out) == (straight.run, straight.faults, straight.left_out)


def counted(trial: Trial) -> Any:
    """What is known of the matches that count."""
    return trial.tally(), trial.worst(), trial.scores, trial.way(300)


FAULTY: dict[str, list[MatchSummary]] = {}


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 17])
def test_blocks_that_are_left_out_are_part_of_the_budget(tmp_path: Path, most: int) -> None:
    def last(spec: MatchSpec) -> list[int]:
        return seats_of("base")(spec)[:1] if spec.id == f"b{most:04d}/m3" else []

    trial, _ = play_test(tmp_path, InMemory(faulty=last), max_blocks=most, elo1=3)
    assert (trial.verdict, trial.left_out, trial.blocks_taken) == ("out_of_budget", [most], most)


@examples(20)
@given(st.integers(0, 10**6))
def test_the_order_in_which_matches_end_changes_nothing(seed: int) -> None:
    luck = random.Random(seed)
    test = experiment(elo1=60.0)
    matches = ORDERED.setdefault("matches", matches_of(test, InMemory(), 40))
    straight, mixed = Trial(test), Trial(test)
    for match in matches:
        straight.add(match)
    # As far from their order as matches in flight can be, and farther.
    shuffled = sorted(range(len(matches)), key=lambda place: place + luck.random() * 30)
    for place in shuffled:
        mixed.add(matches[place])
    assert (mixed.verdict, mixed.run, counted(mixed)) == (straight.verdict, straight.run, counted(straight))


ORDERED: dict[str, list[MatchSummary]] = {}


@pytest.mark.slow
@pytest.mark.parametrize("stops_after", [1, 7, 30])
def test_an_interrupted_test_goes_on_to_the_same_end(tmp_path: Path, stops_after: int) -> None:
    class Breaking(InMemory):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            if len(self.played) == stops_after:
                raise KeyboardInterrupt
            return super().submit(fn, *args, **kwargs)

    whole, _ = play_test(tmp_path, InMemory(), name="whole", max_blocks=18)
    with pytest.raises(KeyboardInterrupt):
        play_test(tmp_path, Breaking(), max_blocks=18)
    table = InMemory()
    rest, _ = play_test(tmp_path, table, max_blocks=18)
    assert (rest.verdict, rest.run, counted(rest)) == (whole.verdict, whole.run, counted(whole))
    # Two were in flight.
    assert 0 <= len(table.played) - (18 * 4 - stops_after) <= 2


def test_a_test_with_a_verdict_plays_nothing_more(tmp_path: Path) -> None:
    play_test(tmp_path, InMemory(alike))
    table = InMemory()
    trial, _ = play_test(tmp_path, table)
    assert (trial.verdict, table.played) == ("identical_play", [])


def test_a_void_match_is_played_again_and_twice_void_is_our_failure(tmp_path: Path) -> None:
    trial, _ = play_test(tmp_path, InMemory(alike, void=["b0001/m2"]))
    assert trial.verdict == "identical_play"
    with pytest.raises(VoidMatch, match="twice in a row"):
        play_test(tmp_path, InMemory(alike, void=["b0001/m2"] * 2), name="other")


def test_every_match_is_left_to_the_number_of_blocks_asked_for(tmp_path: Path) -> None:
    table = InMemory()
    test = experiment(max_blocks=3)
    with closing(Store(f"sqlite:///{tmp_path}/t.sqlite")) as store:
        trial = play_trial(test, open_experiment(test, store), table, 9)
    assert sorted(table.played) == [f"b{block:04d}/m{n}" for block in (1, 2, 3) for n in range(4)]
    assert replace(test).test.most_blocks == trial.run.blocks


def test_a_test_begun_anew_has_other_deals_and_leaves_the_old_one(tmp_path: Path) -> None:
    test = experiment(seed="auto")
    with closing(Store(f"sqlite:///{tmp_path / 'test'}.sqlite")) as store:
        assert attempt(test, store, fresh=True).name == test.name
        first = open_experiment(test, store)
        again = attempt(test, store, fresh=True)
        second = open_experiment(again, store)
        assert (again.attempt, attempt(test, store).name) == (2, again.name)
        assert attempt(test, store, fresh=True).attempt == 3
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
        return attempt(now, self.store, tell=said.append, **how).name, said


def of_folder(folder: Path, elo1: float = 10.0) -> Experiment:
    return experiment(candidate=["/bin/sh", str(folder / "run.sh")], elo1=elo1, max_blocks=9)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    folder = tmp_path / "bot"
    folder.mkdir()
    for name in ("run.sh", "weights.bin", "state.txt"):
        (folder / name).write_text("one")
    with closing(Store(f"sqlite:///{tmp_path / 'test'}.sqlite")) as store:
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
    assert said == [f"begun anew: {file} changed since {kept.test.name}, which stays in the store"]


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


def test_a_decided_test_is_left_for_a_changed_program_without_asking(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "run.sh").write_text("one")
    with closing(Store(f"sqlite:///{tmp_path / 'test'}.sqlite")) as store:
        test = of_folder(folder)
        trial = play_trial(test, open_experiment(test, store), InMemory(alike), 1)
        assert trial.verdict is not None
        (folder / "run.sh").write_text("two")
        assert attempt(of_folder(folder), store).name not in store.seasons()
        assert attempt(of_folder(folder, elo1=11.0), store).name not in store.seasons()


def test_a_test_without_digests_of_single_files_names_the_folder(kept: Kept) -> None:
    settings = {key: value for key, value in kept.test.settings.items() if key != CONTENTS}
    (kept.folder / "weights.bin").write_text("two")
    now = of_folder(kept.folder).settings
    assert what_changed(now, settings) == Changed((str(kept.folder),), ())
