"""Rounds against the rungs: what counts, what is known, which matches went wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.agents import gauntlet_rounds
from arbiter.contest.agents.answer_limits import MOST
from arbiter.contest.agents.arena import AgentArena
from arbiter.contest.agents.gauntlet_rounds import standings
from arbiter.contest.agents.version_matches import list_matches
from arbiter.errors import ConfigError
from arbiter.sandbox.tiers import choose
from arbiter.trials.regression import own_season
from tests.contest.agents.standing_in import AGES, arena_of, giving, play

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from arbiter.match.spec import MatchSpec

WHOLE = 4
"""Matches of a round: two rungs, two seatings each."""


def won(spec: MatchSpec) -> Sequence[int]:
    """The agent's bot beats `weak` and loses to all others."""
    return [
        3 if player.name == "weak" else 4 if player.name.startswith("agent") else 5 for player in spec.players
    ]


def test_nothing_is_said_before_it_is_known(tmp_path: Path) -> None:
    arena = arena_of(tmp_path)
    assert standings(arena)["say"] == "no complete round yet: nothing is known"
    once = play(arena, giving(won), 1, AGES)
    assert (once["played"], once["rounds"], once["score"]) == (WHOLE, 1, 0.5)
    assert once["say"] == "undecided against strong, weak; play more rounds"
    assert [row["interval"] for row in once["opponents"]] == [[0.0, 1.0]] * 2
    often = play(arena, giving(won), 9, AGES)
    assert (often["rounds"], often["say"]) == (10, "better than weak, worse than strong")
    assert [row["verdict"] for row in often["opponents"]] == ["worse", "better"]
    assert often == {**standings(arena), "played": 9 * WHOLE, "worst": often["worst"]}


def test_after_the_time_no_match_begins_and_only_whole_rounds_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena, moments = arena_of(tmp_path), iter(range(100))
    for module in (gauntlet_rounds, own_season):
        monkeypatch.setattr(module, "monotonic", lambda: next(moments))
    first = play(arena, giving(won), 9, WHOLE + 2)
    assert (first["played"], first["rounds"], first["matches"], first["of_next_round"]) == (5, 1, WHOLE, 1)
    then = play(arena, giving(won), 1, AGES)
    assert (then["played"], then["rounds"], then["of_next_round"]) == (3, 2, 0)


def test_versions_stand_beside_each_other_on_results_of_their_own(tmp_path: Path) -> None:
    arena = arena_of(tmp_path, versions=2)
    play(arena, giving(won), 1, AGES, version=1)
    found = play(arena, giving(lambda _: [0, 0]), 2, AGES)
    assert (found["player"], found["score"]) == ("agent@2", 0.5)
    assert [(row["version"], row["rounds"]) for row in found["versions"]] == [(2, 2), (1, 1)]
    assert standings(arena, 1)["rounds"] == 1


def test_matches_come_with_the_worst_first_and_why(tmp_path: Path) -> None:
    arena = arena_of(tmp_path)
    found = play(arena, giving(lambda spec: None if spec.id == "r001/t02/m1" else won(spec)), 1, AGES)
    rows = list_matches(arena)["matches"]
    outcomes = [row["outcome"] for row in rows]
    assert outcomes == sorted(outcomes, key=["fault", "lost", "won"].index)
    assert set(outcomes) == {"fault", "lost", "won"}
    assert rows[0]["reason"].startswith("illegal: 2C is not in hand")
    assert (found["worst"], found["faults"]) == (rows, {"illegal": 1})


def test_answers_about_many_rungs_are_bounded(tmp_path: Path) -> None:
    arena = arena_of(tmp_path, [f"{number}{'n' * 60}" for number in range(60)])
    found = play(arena, giving(lambda _: None), 2, AGES)
    assert len(found["opponents"]) == 24
    first = list_matches(arena)
    assert first["pages"] == 5
    assert max(len(json.dumps(answer, indent=2)) for answer in (found, first)) < MOST


def test_bots_are_isolated_as_this_machine_can_unless_the_season_says_otherwise(tmp_path: Path) -> None:
    assert arena_of(tmp_path).config.limits.isolation == "plain"
    file = tmp_path / "season.yaml"
    file.write_text(file.read_text().replace("isolation: plain\n", ""))
    assert AgentArena.read(tmp_path).config.limits.isolation == choose("auto")[0]


def test_without_a_version_nothing_is_played(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no program of yours has been accepted yet"):
        play(arena_of(tmp_path, versions=0), giving(won), 1, AGES)


def test_a_version_that_there_is_not_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"version 7 is not accepted \(accepted versions: 2, 1\)"):
        standings(arena_of(tmp_path, versions=2), 7)
