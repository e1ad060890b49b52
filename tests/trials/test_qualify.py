"""Players tried before their first round: who fails is suspended, each entry is tried once."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError, VoidMatch
from arbiter.season.administration import give_orders, reinstate, suspend
from arbiter.season.config import Config, load
from arbiter.season.order_effects import effective_orders
from arbiter.season.season import Season
from arbiter.store import OrderKind, Store
from arbiter.trials.botcheck import STEPS, Step
from arbiter.trials.qualify import (
    AT_ONCE,
    check_players,
    find_entries,
    judge_steps,
    qualify,
    reinstatement_hints,
    unchecked_entries,
)
from tests.fixtures.executor import Scripted
from tests.fixtures.records import by_name

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIG = (
    "game: planning\nisolation: plain\nrounds: 3\nseed: abc\nhouse_bots: [h]\nqualify: true\nplayers:\n"
    "  - {name: h, command: [python3], house: true}\n"
) + "".join(f"  - {{name: p{n}, command: [python3]}}\n" for n in range(4))


def configured(folder: Path, old: str = "", new: str = "") -> Config:
    path = folder / "s.yaml"
    path.write_text(CONFIG.replace(old, new) if old else CONFIG)
    return load(path)


class Trials(Executor):
    """Tells who is tried; some players fail a step, and one is not tried to the end."""

    def __init__(self, failing: dict[str, str] | None = None, void: str = "", stop: str = "") -> None:
        self.tried: list[str] = []
        self._failing, self._void, self._stop = failing or {}, void, stop

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        player = args[2].name
        if player == self._stop:
            raise KeyboardInterrupt
        self.tried.append(player)
        future: Future[Any] = Future()
        if player == self._void:
            future.set_exception(VoidMatch("no memory"))
        else:
            future.set_result(steps(self._failing.get(player, "")))
        return future


def steps(*failed: str) -> list[Step]:
    return [
        Step(name, name not in failed, detail="broken: by its words", fix="mend it", public="broken")
        for name in STEPS
    ]


@pytest.fixture
def opened_season(tmp_path: Path, store: Store) -> Season:
    return Season.open(configured(tmp_path), store)


def tried(opened_season: Season, trials: Trials) -> list[str]:
    list(qualify(opened_season.results, trials))
    return trials.tried


def test_who_fails_is_suspended_before_round_1_with_the_reason(opened_season: Season) -> None:
    assert tried(opened_season, Trials({"p2": "rules"})) == ["h", "p0", "p1", "p2", "p3"]
    plan = opened_season.rounds.plan()
    assert plan is not None
    assert dict(plan.suspended) == {"p2": "failed qualification: rules: broken"}
    assert {name for names in plan.stored.tables for name in names} == {"p0", "p1", "p3", "h"}


def test_each_entry_is_tried_once(opened_season: Season) -> None:
    with pytest.raises(KeyboardInterrupt):
        tried(opened_season, Trials(stop="p2"))
    # What was under way when it was interrupted is tried again.
    assert tried(opened_season, Trials()) == ["p1", "p2", "p3"]
    assert unchecked_entries(opened_season.results) == []
    list(opened_season.play(Scripted(lambda spec: by_name(spec, {"h": 0})), only_one=True))
    assert unchecked_entries(opened_season.results) == []


def test_who_joins_or_changes_later_is_tried_before_its_first_round(
    opened_season: Season, store: Store, tmp_path: Path
) -> None:
    tried(opened_season, Trials())
    list(opened_season.play(Scripted(lambda spec: by_name(spec, {"h": 0})), only_one=True))
    more = configured(tmp_path, "  - {name: p0,", "  - {name: p9, command: [sh]}\n  - {name: p0, version: 2,")
    now = Season.open(more, store)
    assert [entry.player.name for entry in unchecked_entries(now.results)] == ["p9", "p0@2"]
    assert tried(now, Trials()) == ["p9", "p0@2"]
    assert unchecked_entries(now.results) == []


def test_a_mended_entry_that_passes_plays_again(opened_season: Season, store: Store, tmp_path: Path) -> None:
    tried(opened_season, Trials({"p2": "starts"}))
    mended = Season.open(configured(tmp_path, "{name: p2,", "{name: p2, env: {A: b},"), store)
    tried(mended, Trials())
    assert effective_orders(mended.stored.orders.read().given).suspended == {}


def with_files(folder: Path, store: Store) -> Season:
    """The season with a file for p2, which failed its first trial."""
    (folder / "p2.py").write_text("# broken\n")
    opened_season = Season.open(
        configured(folder, "{name: p2, command: [python3]", "{name: p2, command: [python3, p2.py]"), store
    )
    tried(opened_season, Trials({"p2": "starts"}))
    assert unchecked_entries(opened_season.results) == []
    (folder / "p2.py").write_text("# mended\n")
    return opened_season


def test_a_mended_file_is_tried_again_and_plays(store: Store, tmp_path: Path) -> None:
    opened_season = with_files(tmp_path, store)
    assert tried(opened_season, Trials()) == ["p2"]
    assert effective_orders(opened_season.stored.orders.read().given).suspended == {}


def test_a_new_failure_replaces_the_old_reason(store: Store, tmp_path: Path) -> None:
    opened_season = with_files(tmp_path, store)
    assert tried(opened_season, Trials({"p2": "rules"})) == ["p2"]
    reason = effective_orders(opened_season.stored.orders.read().given).suspended["p2"].because
    assert reason == "failed qualification: rules: broken"


def test_who_passes_by_hand_hears_how_to_come_back(store: Store, tmp_path: Path) -> None:
    opened_season = with_files(tmp_path, store)
    suspend(opened_season.results, "p1", "it reads the files of others")
    by_order = f"arbiter reinstate {tmp_path / 's.yaml'} p2"
    said = f"p2 is suspended because it failed before: the next run, or {by_order}, reinstates it"
    assert list(reinstatement_hints(opened_season.config, opened_season.stored, ["p0", "p1", "p2"])) == [said]
    asked_for = replace(opened_season.config, qualify=False)
    assert list(reinstatement_hints(asked_for, opened_season.stored, ["p2"])) == [
        f"p2 is suspended because it failed before: {by_order} reinstates it"
    ]
    assert list(reinstatement_hints(opened_season.config, opened_season.stored, ["p0"])) == []


def test_whom_the_organiser_suspended_or_reinstated_stays_so(
    opened_season: Season, store: Store, tmp_path: Path
) -> None:
    tried(opened_season, Trials({"p2": "starts"}))
    suspend(opened_season.results, "p1", "it reads the files of others")
    reinstate(opened_season.results, "p2")
    assert tried(opened_season, Trials({"p2": "starts"})) == []
    changed = Season.open(configured(tmp_path, "{name: p1,", "{name: p1, env: {A: b},"), store)
    assert tried(changed, Trials()) == ["p1"]
    assert list(effective_orders(changed.stored.orders.read().given).suspended) == ["p1"]


def test_whom_the_organiser_suspended_stays_so_whatever_the_reason_says(opened_season: Season) -> None:
    suspend(opened_season.results, "p1", "failed qualification: rules: broken")
    tried(opened_season, Trials())
    assert list(effective_orders(opened_season.stored.orders.read().given).suspended) == ["p1"]
    assert list(reinstatement_hints(opened_season.config, opened_season.stored, ["p1"])) == []


def test_who_did_not_qualify_and_passes_plays_again_whatever_the_reason_says(opened_season: Season) -> None:
    give_orders(opened_season.results, lambda _: [(OrderKind.FAILED, "p1", "the organiser is to look at it")])
    assert len(list(reinstatement_hints(opened_season.config, opened_season.stored, ["p1"]))) == 1
    tried(opened_season, Trials())
    assert effective_orders(opened_season.stored.orders.read().given).suspended == {}


def test_one_version_that_passes_frees_none_that_failed(tmp_path: Path, store: Store) -> None:
    two = configured(tmp_path, "{name: p2,", "{name: p3, version: 2,")
    opened_season = Season.open(two, store)
    tried(opened_season, Trials({"p3@2": "starts"}))
    assert list(effective_orders(opened_season.stored.orders.read().given).suspended) == ["p3"]


def test_by_default_nobody_is_tried_and_the_key_is_free_of_the_digest(tmp_path: Path, store: Store) -> None:
    asked = configured(tmp_path)
    silent = configured(tmp_path, "qualify: true\n")
    assert unchecked_entries(Season.open(silent, store).results) == []
    assert asked.digest == silent.digest


def test_our_own_failure_suspends_nobody(opened_season: Season) -> None:
    with pytest.raises(VoidMatch, match="p1 could not be checked: no memory"):
        tried(opened_season, Trials(void="p1"))
    assert [entry.player.name for entry in unchecked_entries(opened_season.results)] == ["p1", "p2", "p3"]
    assert effective_orders(opened_season.stored.orders.read().given).suspended == {}


@pytest.mark.parametrize(
    ("step", "must"),
    [
        ("starts", True),
        ("time", True),
        *((name, False) for name in ("unknown-command", "line-ends", "quit", "batched")),
    ],
)
def test_a_step_that_no_match_of_the_season_comes_to_is_advice(step: str, must: bool, tmp_path: Path) -> None:
    config = configured(tmp_path)
    verdict = judge_steps(config.entries[0].player, config.limits, steps(step))
    assert (verdict.failed is not None, verdict.advice is not None) == (must, not must)
    words = f"{step}: broken: by its words; fix: mend it"
    assert verdict.text() == (f"FAIL h: {words}" if must else f"ok h (advice: {words})")


def test_what_the_season_asks_for_is_no_advice(tmp_path: Path) -> None:
    config = configured(tmp_path)
    player = replace(config.entries[0].player, batched=True)
    terms = replace(config.limits, delivery="batched", end="quit")
    for step in ("batched", "quit"):
        assert judge_steps(player, terms, steps(step)).failed is not None


def test_two_players_at_most_are_tried_at_once(tmp_path: Path) -> None:
    config = configured(tmp_path)
    trials = Trials()
    verdicts = check_players(config, config.entries, trials)
    for done in range(len(config.entries)):
        assert next(verdicts).player == config.entries[done].player.name
        assert len(trials.tried) <= done + AT_ONCE


def test_an_unknown_player_is_refused(tmp_path: Path) -> None:
    config = configured(tmp_path)
    assert [entry.player.name for entry in find_entries(config, ["p1", "h"])] == ["p1", "h"]
    with pytest.raises(ConfigError, match="no player 'p7'"):
        find_entries(config, ["p7"])
