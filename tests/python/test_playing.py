"""Matches from Python: functions, programs and random players in any mix, at the referee of tournaments."""

from __future__ import annotations

import os
import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arbiter
from arbiter.errors import BotCheckFailed, ConfigError, VoidMatch
from arbiter.games import make
from arbiter.match.record import MatchRecord
from arbiter.replay.visibility import Reader, replay_of
from arbiter.table import match_progress
from tests.envs.forms import SHORT as FEW
from tests.envs.forms import first, last

SHORT: dict[str, Any] = {"options": {"deals": [[2, 1]]}, "seed": 1}
RANDOM_BOT = f"{sys.executable} -S {Path(__file__).parents[2] / 'bots' / 'python' / 'planning_random.py'}"


def illegal(observation: Any, mask: Any) -> int:
    return int(np.flatnonzero(mask == 0)[0])


def raising(observation: Any, mask: Any) -> int:
    raise ValueError("no idea")


def leaving(observation: Any, mask: Any) -> int:
    sys.exit(3)


def played(results: arbiter.MatchResults) -> list[Any]:
    """The results, and the moves without their times."""
    return [(m.id, m.players, m.points, [move[:4] for move in m.moves]) for m in results]


def test_a_round_is_all_seatings_on_the_same_deals() -> None:
    results = arbiter.play("planning", [first, last, "random", first], **SHORT)
    assert [m.players for m in results] == [
        ("first", "last", "random", "first#2"),
        ("first#2", "first", "last", "random"),
        ("random", "first#2", "first", "last"),
        ("last", "random", "first#2", "first"),
    ]
    assert {row.player: row.matches for row in arbiter.fit(results)} == {"first": 4, "last": 4, "random": 4}
    assert len({m.deal_hash for m in results}) == 1
    rounds = arbiter.play("planning", [first] * 4, matches=8, **SHORT)
    assert [m.round for m in rounds] == [1] * 4 + [2] * 4
    assert len({m.deal_hash for m in rounds}) == 2


def test_the_same_seed_is_the_same_play() -> None:
    players: list[arbiter.Contestant] = [first, "random", "random", last]
    one, again = (arbiter.play("planning", players, **SHORT) for _ in range(2))
    other = arbiter.play("planning", players, **SHORT | {"seed": 2})
    assert played(one) == played(again) != played(other)


@pytest.mark.process
def test_functions_and_programs_meet_at_one_table() -> None:
    limits = {"isolation": "plain"}
    results = arbiter.play(
        "planning", [first, RANDOM_BOT, "greedy", "random"], limits=limits, matches=2, **SHORT
    )
    assert [m.forfeit for m in results] == [None, None]
    assert results[0].players == ("first", "planning_random", "greedy", "random")
    assert [bot.cpu_ns > 0 for bot in results[0].bots] == [False, True, True, False]


@pytest.mark.process
def test_a_function_is_asked_alike_beside_programs_and_in_memory() -> None:
    seen: dict[str, list[Any]] = {"memory": [], "processes": []}

    def watching(name: str) -> Any:
        def watch(observation: Any, mask: Any) -> int:
            seen[name].append((observation.tolist(), mask.tolist()))
            return first(observation, mask)

        return watch

    # The second seat decides nothing that the first sees before its own first decision.
    for name, other in (("memory", first), ("processes", RANDOM_BOT)):
        arbiter.play(
            "planning",
            [watching(name), other, other, other],
            matches=1,
            limits={"isolation": "plain"},
            **SHORT,
        )
    assert seen["memory"][0] == seen["processes"][0]


def test_an_illegal_answer_and_an_exception_are_forfeits() -> None:
    results = arbiter.play("planning", [illegal, first, first, first], matches=1, **SHORT)
    assert [(f.player, f.fault) for m in results if (f := m.forfeit)] == [("illegal", "illegal")]
    crashed = arbiter.play("planning", [first, raising, first, first], matches=1, **SHORT)[0].forfeit
    assert crashed is not None
    assert (crashed.player, crashed.fault) == ("raising", "crash")
    assert crashed.detail.startswith("its function raised: ValueError: no idea (test_playing.py:")
    left = arbiter.play("planning", [first, leaving, first, first], matches=1, **SHORT)[0].forfeit
    assert left is not None
    assert left.detail.startswith("its function raised: SystemExit: 3 (test_playing.py:")


def test_an_answer_that_is_no_id_is_illegal() -> None:
    def words(observation: Any, mask: Any) -> str:
        return "2C"

    forfeit = arbiter.play("planning", [words, first, first, first], matches=1, **SHORT)[0].forfeit
    assert forfeit is not None
    assert forfeit.fault == "illegal"
    assert "'2C'" in forfeit.detail


def test_strict_raises_from_the_function_s_own_exception() -> None:
    with pytest.raises(BotCheckFailed, match=r"raising forfeits \w+/r001/t01/m0 \(crash\)") as caught:
        arbiter.play("planning", [first, raising, first, first], strict=True, **SHORT)
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_model_and_partners_play() -> None:
    class Model:
        def predict(self, observation: Any, action_masks: Any) -> tuple[int, None]:
            return int(np.flatnonzero(action_masks)[0]), None

    results = arbiter.play("codepiece", {"model": Model(), "a": first, "b": last, "c": "random"}, seed=3)
    assert {"model", "a", "b", "c"} == set(results[0].players)
    assert results.forfeits.records == ()
    assert all(isinstance(m, MatchRecord) and m.sides for m in results)


@pytest.mark.parametrize("game", sorted(FEW))
def test_every_game_is_played_by_functions_round_after_round(game: str) -> None:
    seats = make(game, FEW[game]).table_size
    a_round = len(make(game, FEW[game]).seatings)
    players: list[arbiter.Contestant] = [first, last, "random", first]
    results = arbiter.play(game, players[:seats], matches=2 * a_round, options=FEW[game], seed=1)
    assert [m.forfeit for m in results] == [None] * 2 * a_round
    assert [replay_of(m, Reader("full"))["result"]["points"] for m in results] == [
        list(m.points or ()) for m in results
    ]


def test_the_seats_follow_from_the_players() -> None:
    options = {"deck": "789TJQKA SH", "deals": [[1, 0]]}
    assert len(arbiter.play("planning", [first, last], options=options, seed=1)[0].players) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"game": "planing"}, "unknown game 'planing' .did you mean planning"),
        ({"game": 5}, "game: expected its name or a Game, got 5"),
        ({"game": "codepiece", "players": [first] * 3}, "codepiece: expected 4 players, got 3"),
        ({"players": [first, first, first, 7]}, "7 is not a player"),
        (
            {"players": [first, first, first, lambda _: 0]},
            r"lambda is not a player .*got <lambda>\(_\)",
        ),
        ({"players": "greedy"}, "players: expected a list, or a mapping"),
        (
            {"players": dict.fromkeys(("random", "random#2", "a", "b"), first)},
            "random#2 means a copy of random",
        ),
        ({"players": dict.fromkeys(("", "a", "b", "c"), first)}, "expected a name of printable text, got ''"),
        ({"players": dict.fromkeys((1, "a", "b", "c"), first)}, "expected a name of printable text, got 1"),
        ({"matches": 5}, "matches: expected a multiple of 4, got 5"),
        ({"matches": 0}, "matches: expected an integer from 1, got 0"),
        ({"workers": 0}, "workers: expected an integer from 1"),
        ({"progress": 1}, "progress: expected a boolean or a function, got 1"),
        ({"seed": -1}, "seed: expected an integer from 0"),
        ({"options": {"deels": 1}}, "deels: unknown option of planning"),
        ({"limits": {"tme": "1s"}}, "limits: tme: unknown .did you mean time"),
        ({"limits": {"time": "10"}}, "limits: time: not a time control: '10'"),
        ({"options": {"deels": 1, "foo": 2}}, "deels: .*; foo: unknown option of planning"),
        ({"limits": {"isolation": "none"}}, "isolation: expected auto or landlock or plain, got 'none'"),
        ({"limits": {"time": 10}}, "limits: time: expected text"),
    ],
)
def test_a_wrong_call_is_one_line(call: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        arbiter.play(**{"game": "planning", "players": [first] * 4, "seed": 1, **call})
    assert "\n" not in str(caught.value)


def test_a_player_is_named_after_its_function_or_class() -> None:
    class Bold:
        def __call__(self, observation: Any, action_mask: Any) -> int:
            return first(observation, action_mask)

    results = arbiter.play("planning", [partial(first), Bold(), Bold().__call__, last], **SHORT)
    assert sorted(results[0].players) == ["Bold", "Bold-2", "first", "last"]


def test_ids_of_other_seeds_options_and_names_differ() -> None:
    calls: list[dict[str, Any]] = [SHORT, {**SHORT, "seed": 2}, {**SHORT, "options": {"deals": [[1, 0]]}}]
    ids = [arbiter.play("planning", [first] * 4, matches=1, **call)[0].id for call in calls]
    renamed = arbiter.play("planning", {"a": first, "b": first, "c": first, "d": first}, matches=1, **SHORT)
    assert len({*ids, renamed[0].id}) == 4


def test_ctrl_c_keeps_what_was_played() -> None:
    shown: list[Any] = []

    def progress(done: int, planned: int | None) -> None:
        shown.append((done, planned))
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(arbiter.PlayInterrupted) as caught:
        arbiter.play("planning", [first] * 4, matches=8, progress=progress, **SHORT)
    assert shown == [(1, 8), (2, 8), (3, 8)]
    assert len(caught.value.results) == 3
    assert caught.value.results[0].programs


def test_progress_is_a_line_that_a_terminal_rewrites_and_no_log(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call: dict[str, Any] = {"matches": 1, "progress": True, **SHORT}
    arbiter.play("planning", [first] * 4, **call)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(match_progress, "LOG_SECONDS", 0.0)
    arbiter.play("planning", [first] * 4, **call)
    assert capsys.readouterr().err == "1 of 1 matches, 0 s left\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    arbiter.play("planning", [first] * 4, **call)
    assert capsys.readouterr().err == "\r1 of 1 matches, 0 s left   \n"


@pytest.mark.process
def test_workers_play_what_one_process_plays() -> None:
    calls = []

    def counting(observation: Any, mask: Any) -> int:
        calls.append(1)
        return first(observation, mask)

    players: list[arbiter.Contestant] = [counting, "random", last, "random"]
    at_once = arbiter.play("planning", players, matches=8, workers=2, **SHORT)
    assert calls == []
    alone = arbiter.play("planning", players, matches=8, **SHORT)
    assert played(at_once) == played(alone)
    assert at_once[0].programs == alone[0].programs


@pytest.mark.process
def test_workers_seed_the_global_generators_for_each_match() -> None:
    def drawing(_: Any, mask: Any) -> int:
        return random.choice([*np.flatnonzero(mask), np.random.choice(np.flatnonzero(mask))])

    players: list[arbiter.Contestant] = [drawing] * 4
    one = arbiter.play("planning", players, matches=8, workers=2, **SHORT)
    random.seed(len(one))
    np.random.seed(len(one))
    assert played(arbiter.play("planning", players, matches=8, workers=2, **SHORT)) == played(one)


@pytest.mark.process
def test_a_void_match_names_its_players_and_has_the_results_so_far() -> None:
    calls = []

    def dying(observation: Any, mask: Any) -> int:
        calls.append(1)
        # In a worker's second match.
        if len(calls) > 5:
            os._exit(1)
        return first(observation, mask)

    named = r"match \w+/r00\d/t01/m\d between .*dying.*: the worker process that played it died"
    with pytest.raises(VoidMatch, match=named) as caught:
        arbiter.play("planning", [first, dying, last, "random"], matches=8, workers=2, **SHORT)
    assert 1 <= len(caught.value.results) <= 2
    assert caught.value.results[0].forfeit is None


@pytest.mark.process
def test_a_command_that_names_no_program_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"there is no program \./nope"):
        arbiter.play("planning", ["./nope", first, first, first], **SHORT)
