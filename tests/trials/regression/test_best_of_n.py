"""A choice among several candidates, in memory: who stays in the race, faults, going on, mistakes."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.cli.regress_report import Documents, EndedTest, print_report
from arbiter.cli.regress_watch import Watch
from arbiter.errors import ConfigError
from arbiter.match.spec import original
from arbiter.store import Store
from arbiter.trials.regression.best_of_n import ChoiceTrial
from arbiter.trials.regression.choice_text import figures, headline, rows
from arbiter.trials.regression.experiment import load_experiment
from arbiter.trials.regression.program_identity import ProgramChanges, compare_programs
from arbiter.trials.regression.runner import open_experiment, play_until_verdict, resume
from tests.fixtures.simulated_regression import (
    COMMAND,
    LADDER,
    SMALL,
    InMemory,
    alike,
    by_lot,
    experiment,
    skilled,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from arbiter.match.in_memory import Policy
    from arbiter.match.spec import MatchSpec
    from arbiter.trials.regression.experiment import Experiment

NAMES = ("lot", "fast", "again")
"""The candidates, at the tables 1, 2, 3."""


def choice(names: Collection[str] = NAMES, **keys: Any) -> Experiment:
    commands = {name: [*COMMAND, name] for name in names}
    return experiment(**{"candidate": None, "candidates": commands, "elo1": 200.0, **keys})


def skilled_at(*tables: int) -> Callable[[MatchSpec], Policy]:
    """Candidates at these tables play better; all others by lot."""
    return lambda spec: (skilled("candidate") if spec.table in tables else by_lot)(spec)


SECOND = skilled_at(2)


def faulty_at(table: int, block: int, version: str = "candidate") -> Callable[[MatchSpec], list[int]]:
    """One seat of the version never answers at a table in a block."""
    return lambda spec: [
        seat
        for seat, player in enumerate(spec.players)
        if original(player.name) == version and (spec.table, spec.round) == (table, block)
    ][:1]


def play_choice(
    test: Experiment, table: InMemory, store: Store, at_once: int = 1, steps: int | None = None
) -> tuple[ChoiceTrial, EndedTest]:
    """A choice played on in a store for so many events, or to its end."""
    season = open_experiment(test, store)
    trial = resume(ChoiceTrial(test), season)
    events = play_until_verdict(trial, season, table, at_once)
    for _ in islice(events, steps):
        pass
    # An interruption.
    events.close()
    return trial, EndedTest.of(trial, season, 1.5)


def test_the_best_is_found_and_told_in_every_form(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Callable[[str, str], None]
) -> None:
    trial, end = play_choice(choice(elo1=60.0), InMemory(SECOND), store)
    assert (trial.verdict, trial.exit_code) == ("best", 0)
    assert headline(trial) == "best: fast, better than the base and all others"
    print_report(end)
    files = [str(tmp_path / name) for name in ("j.xml", "s.md", "o.json")]
    Documents(files[0], files[1], files[2], None).write_verdict(end)
    golden("regress_best.txt", f"{capsys.readouterr().out}\n----\n\n{(tmp_path / 's.md').read_text()}")
    assert ET.parse(files[0]).getroot().get("failures") == "0"
    found = json.loads((tmp_path / "o.json").read_text())
    assert (found["verdict"], found["best"], found["groups"][0], found["alpha"]) == (
        "best",
        "fast",
        ["fast"],
        0.05,
    )
    assert found["exit"] == 0
    assert found["e"] >= 20.0
    by_name = {each["name"]: each for each in found["candidates"]}
    assert by_name["lot"]["state"] == "behind"
    assert by_name["fast"]["low"] > 0.0 > by_name["lot"]["low"]
    assert found["matches"] == 4 * sum(each["blocks"] for each in by_name.values())
    assert by_name["fast"]["blocks"] == found["blocks"] > by_name["lot"]["blocks"] - 1


def test_who_has_left_is_not_played_on_and_all_have_the_same_deals(store: Store) -> None:
    table = InMemory(SECOND)
    trial, _ = play_choice(choice(), table, store)
    blocks = {name: trial.scores_of(at).size for at, name in enumerate(NAMES, 1)}
    assert len(table.played) == 4 * sum(blocks.values())
    assert len(set(table.played)) == len(table.played)
    test = trial.experiment
    specs = [spec for many in islice(trial.__class__(test).matches_to_play("s"), 3) for spec in many]
    deals = {repr(table.record(spec).deals) for spec in specs if spec.rotation == 0}
    assert ({spec.table for spec in specs}, len(deals)) == ({1, 2, 3}, 1)


def test_an_interrupted_choice_ends_like_a_whole_one(store: Store) -> None:
    test = choice(seed="t")
    whole, _ = play_choice(test, InMemory(SECOND), store)
    for steps, at_once in ((1, 1), (30, 5)):
        with closing(Store("sqlite://")) as other:
            play_choice(test, InMemory(SECOND), other, at_once, steps)
            trial, _ = play_choice(test, InMemory(SECOND), other, at_once)
            assert trial.from_store == steps
            assert figures(trial) == figures(whole)
    again, _ = play_choice(test, InMemory(), store)
    assert figures(again) == figures(whole)


def test_where_none_is_better_or_the_budget_is_spent_it_says_so(store: Store) -> None:
    trial, _ = play_choice(choice(), InMemory(alike), store)
    assert (trial.verdict, trial.exit_code, figures(trial)["best"]) == ("none", 1, None)
    assert {each["state"] for each in figures(trial)["candidates"]} == {"no_better"}
    trial, end = play_choice(choice(max_blocks=3, seed="u"), InMemory(), store)
    assert (trial.verdict, trial.exit_code, end.trial.blocks_taken) == ("out_of_budget", 4, 3)
    awaited = "; a verdict needs 16 blocks that are not level, and 2 were"
    assert headline(trial) == f"undecided after 3 blocks: the budget is spent{awaited}"
    assert figures(trial)["groups"] == [figures(trial)["groups"][0]]


def test_against_a_field_each_candidate_meets_the_same_players(store: Store, tmp_path: Path) -> None:
    (tmp_path / "ladder.yaml").write_text(LADDER)
    test = choice(field=str(tmp_path / "ladder.yaml"), max_blocks=2)
    trial, _ = play_choice(test, InMemory(SECOND), store)
    assert (trial.verdict, trial.experiment.block_size) == ("out_of_budget", 8)
    assert trial.scores_of(2).size == 2


def test_a_fault_loses_a_match_or_puts_its_candidate_out(store: Store) -> None:
    bad = InMemory(SECOND, faulty_at(2, 2))
    trial, _ = play_choice(choice(), bad, store)
    assert (trial.verdict, trial.faults_of("candidate", 2)) == ("best", {"crash": 4})
    trial, end = play_choice(choice(faults="fail", seed="out"), bad, store)
    assert trial.state_of(2) == "faulty"
    assert trial.verdict == "none"
    assert ("fast", "out by a fault: b0002/t02/m0: candidate forfeits (crash)") in rows(trial)
    assert [match.match.id for match in trial.worst()][:1] == ["b0002/t02/m0"]
    assert "b0002/t02/m0" in end.records
    assert trial.competing == [1, 3]


def test_fault_lines_name_the_candidate_and_are_few(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    trial, _ = play_choice(choice(), InMemory(SECOND, faulty_at(2, 2)), store)
    with Watch(trial.experiment, 1) as watch:
        for _, fault in trial.faults:
            watch.show_match(trial, fault.match)
    err = [line for line in capsys.readouterr().err.splitlines() if "fault" in line or "forfeits" in line]
    assert [line.startswith("arbiter: fast: b0002/t02/m") for line in err] == [True] * 3 + [False]
    assert err[-1] == "arbiter: and 1 more fault"


def test_where_all_or_the_base_make_faults_nothing_is_chosen(store: Store) -> None:
    def everybody(spec: MatchSpec) -> list[int]:
        return [seat for seat, player in enumerate(spec.players) if original(player.name) == "candidate"]

    trial, end = play_choice(choice(faults="fail"), InMemory(faulty=everybody), store)
    assert (trial.verdict, trial.exit_code) == ("candidates_faulty", 3)
    assert headline(trial).startswith("candidates faulty: b0001/t01/m0: candidate forfeits (crash)")
    assert figures(trial)["groups"] == []
    assert len(end.records) == 3
    trial, _ = play_choice(choice(seed="v"), InMemory(SECOND, faulty_at(1, 1, "base")), store)
    assert (trial.verdict, trial.exit_code, trial.left_out) == ("base_faulty", 3, [1])
    assert headline(trial).startswith(
        "base faulty: no verdict is possible while the base makes faults: b0001/t01"
    )


def test_candidates_and_their_names_make_it_another_choice(tmp_path: Path) -> None:
    assert choice().name == choice(max_blocks=3).name
    assert choice().name.startswith("choice-")
    assert choice().name != choice(("fast", "lot", "again")).name != choice(("fast", "lot")).name
    bot = tmp_path / "bot.sh"
    bot.write_text("one")
    both = {"a": ["/bin/sh", str(bot)], "b": COMMAND}
    first = choice(candidates=both)
    bot.write_text("two")
    second = choice(candidates=both)
    assert second.name != first.name
    assert compare_programs(second.settings, first.settings) == ProgramChanges((str(bot),), ())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "season.yaml").write_text(LADDER)
    path = tmp_path / "choice.yaml"
    path.write_text("config: season.yaml\nbase: [base]\ncandidates: [two, three]\n")
    return path


def test_players_of_a_season_are_named_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = load_experiment(str(file), {})
    assert [(player.name, player.env, player.batched) for player in test.candidates] == [
        ("two", {"LEVEL": "2"}, False),
        ("three", {}, True),
    ]
    assert (test.base.name, test.base.command[-1], test.game.options["deals"]) == (
        "base",
        "last",
        SMALL["deals"],
    )
    assert test.limits.time.budget_ns == 3 * 10**9
    monkeypatch.chdir(file.parent)
    typed = {"config": "season.yaml", "base": ["base"], "candidates": {"two": None, "three": None}}
    assert load_experiment(None, typed).name == test.name


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"candidates": {"a": COMMAND}}, "--candidate: expected 2 to 99, got 1 (write one alone as `candidate`)"),
        ({"candidates": {"a": COMMAND, "base": COMMAND}}, "--candidate.base: is the name of the other side (choose another name)"),
        ({"candidates": {"a#": COMMAND, "b": COMMAND}}, "--candidate.a#: not a name: 'a#' (up to 64"),
        ({"candidates": {"a": None, "b": None}}, "--candidate.b: has no command (write NAME=COMMAND, or give the season's --config)"),
        ({"candidates": {"a": ["no-such-program"], "b": COMMAND}}, "--candidate.a: there is no program no-such-program"),
        ({"candidates": ["a", "a"]}, "--candidate: 'a' appears twice (give each another name)"),
        ({"measure": "points"}, "--measure: is for a test of one candidate; a choice uses results and Elo"),
        ({"non_regression": True}, "--non-regression: is for a test of one candidate"),
        ({"candidates": None, "candidate": COMMAND, "config": "x.yaml"}, "--config: x.yaml: cannot be read"),
    ],
    ids=str,
)  # fmt: skip
def test_mistakes_are_named(keys: dict[str, Any], line: str) -> None:
    with pytest.raises(ConfigError) as error:
        choice(**keys)
    assert any(each.startswith(line) for each in str(error.value).splitlines()), str(error.value)


def test_names_that_no_player_of_the_season_has_are_listed(file: Path) -> None:
    file.write_text("config: season.yaml\nbase: [base]\ncandidates: [tow, nobody]\n")
    with pytest.raises(ConfigError) as error:
        load_experiment(str(file), {})
    assert str(error.value).splitlines() == [
        f"{file}:3:1: candidates.tow: no such player in season.yaml (did you mean two?)",
        f"{file}:3:1: candidates.nobody: no such player in season.yaml (known: base, one, three, two)",
    ]
    file.write_text("config: season.yaml\nbase: [base]\ncandidate: [two]\n")
    with pytest.raises(ConfigError, match="config: is for several candidates, and here is only one"):
        load_experiment(str(file), {})


def test_a_choice_belongs_to_no_family() -> None:
    with pytest.raises(ConfigError, match="family: is for tests"):
        choice(family="nightly")
