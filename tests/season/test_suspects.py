"""A player whose presence makes matches void sits out; nobody does where the machine fails."""

from __future__ import annotations

import json
import random
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.cli.season_control import voids_in_words
from arbiter.errors import NotPrepared, ProviderOutage, VoidMatch
from arbiter.games import make
from arbiter.match.token_usage import BilledTokens
from arbiter.season.match_runner import SWEEPS, find_culprit
from arbiter.table.conductor import conduct
from tests.fixtures.commands import RANDOM
from tests.fixtures.made_up_seasons import play, players
from tests.fixtures.records import by_name
from tests.fixtures.round_processes import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.season import Season
    from arbiter.store import SeasonStore
    from tests.fixtures.made_up_seasons import Outcome

CONFIG = f"game: planning\nisolation: plain\nrounds: 1\nseed: abc\nplayers:\n{players(8)}"
KILLER = "import os, signal; os.kill(os.getppid(), signal.SIGKILL); input()"


def play_round(opened_season: Season, outcome: Outcome) -> SeasonStore:
    play(opened_season, outcome, only_one=True)
    return opened_season.stored


def play_with_voids(opened_season: Season, fails: Callable[[MatchSpec], bool]) -> SeasonStore:
    """The matches of a round, of which those are void that have not lost a player and that `fails` picks."""

    def outcome(spec: MatchSpec) -> MatchRecord:
        if spec.absence is not None and spec.absence.at_fault:
            # By the table, as no program is started.
            return conduct(make(spec.game, spec.options), spec, {})
        if fails(spec):
            raise VoidMatch("it was killed")
        return by_name(spec)

    return play_round(opened_season, outcome)


def present(spec: MatchSpec) -> set[str]:
    away = None if spec.absence is None else spec.absence.seat
    return {player.name for seat, player in enumerate(spec.players) if seat != away}


def test_who_makes_its_matches_void_loses_them_and_the_others_play(opened_season: Season) -> None:
    stored = play_with_voids(opened_season, lambda spec: "p3" in present(spec))
    matches = list(stored.summaries(1))
    assert len(matches) == 8
    for match in matches:
        at_fault = None if match.faulty is None else match.players[match.faulty]
        assert at_fault == ("p3" if "p3" in match.players else None)
        assert match.detail == (
            "sits out: its matches are void, and without it they are not" if at_fault else ""
        )


def test_what_models_used_in_plays_that_are_not_stored_is_kept(opened_season: Season) -> None:
    def outcome(spec: MatchSpec) -> MatchRecord:
        if "p3" in present(spec) and not (spec.absence and spec.absence.at_fault):
            void = VoidMatch("it was killed")
            void.billed = {"p3": BilledTokens(10, 1)}
            raise void
        return by_name(spec)

    play_round(opened_season, outcome)
    voids = opened_season.stored.unstored_tokens.all()["p3"].output
    assert voids > 8
    assert opened_season.stored.unstored_tokens.all() == {"p3": BilledTokens(10 * voids, voids)}


@pytest.mark.parametrize("failure", [ProviderOutage, NotPrepared])
def test_nobody_is_suspected_of_an_outage_and_two_in_a_row_stop_the_run(
    failure: type[VoidMatch], opened_season: Season
) -> None:
    tried: list[MatchSpec] = []

    def outcome(spec: MatchSpec) -> MatchRecord:
        if "p3" not in present(spec):
            return by_name(spec)
        tried.append(spec)
        raise failure("the provider of player p3, llm.example.org failed: HTTP 503")

    with pytest.raises(VoidMatch, match=r"in a row.*: the provider of player p3, llm\.example\.org"):
        play_round(opened_season, outcome)
    assert all(spec.absence is None for spec in tried)
    assert all(match.faulty is None for match in opened_season.stored.summaries(1))


def test_an_outage_in_between_costs_nobody_a_match(opened_season: Season) -> None:
    asked: set[str] = set()

    def outcome(spec: MatchSpec) -> MatchRecord:
        if spec.rotation == 2 and spec.id not in asked:
            asked.add(spec.id)
            raise ProviderOutage("the provider of player p3, llm.example.org failed: HTTP 503")
        return by_name(spec)

    play_round(opened_season, outcome)
    assert [match.faulty for match in opened_season.stored.summaries(1)] == [None] * 8


def test_who_makes_every_other_match_void_loses_or_plays(opened_season: Season) -> None:
    chance = random.Random(1)
    stored = play_with_voids(opened_season, lambda spec: "p3" in present(spec) and chance.random() < 0.5)
    at_fault = {match.players[match.faulty] for match in stored.summaries(1) if match.faulty is not None}
    assert len(stored.match_ids(1)) == 8
    assert at_fault <= {"p3"}


def test_nobody_is_blamed_where_a_match_is_void_whoever_plays(opened_season: Season) -> None:
    with pytest.raises(VoidMatch, match=r"^match r001/t02/m0 was void twice in a row: it was killed$"):
        play_with_voids(opened_season, lambda spec: spec.id == "r001/t02/m0")


def test_nobody_is_blamed_where_a_match_is_void_by_two_players_together(opened_season: Season) -> None:
    def both(spec: MatchSpec) -> bool:
        names = sorted(player.name for player in spec.players)
        return {names[0], names[-1]} <= present(spec)

    with pytest.raises(VoidMatch, match="in a row"):
        play_with_voids(opened_season, both)


@pytest.mark.slow
@given(st.integers(2, 4), st.floats(0.1, 0.9), st.integers(0, 2**32))
def test_a_machine_that_fails_at_random_seldom_looks_like_a_player(
    players: int, share: float, seed: int
) -> None:
    # The first sweep at which somebody is blamed is the only one that counts.
    chance, tries, wrong = random.Random(seed), 200, 0
    for _ in range(tries):
        voids = [0] * players
        for sweep in range(1, SWEEPS + 1):
            voids = [number + (chance.random() < share) for number in voids]
            if all(voids) or not any(voids):
                break
            if find_culprit(voids, sweep) is not None:
                wrong += 1
                break
    assert wrong < 0.12 * tries


@pytest.mark.parametrize(("players", "sweeps"), [(2, 4), (3, 3), (4, 3)])
def test_a_few_sweeps_tell_who_it_is(players: int, sweeps: int) -> None:
    found = [find_culprit([0] + [sweep] * (players - 1), sweep) for sweep in range(1, sweeps + 1)]
    assert found == [None] * (sweeps - 1) + [0]


@pytest.mark.process
def test_a_bot_that_kills_what_starts_it_sits_out(tmp_path: Path) -> None:
    """Under `plain`, where a bot may signal whatever is its user's."""
    lines = [
        "season: contest", "game: {name: planning, seats: 3, deals: [[1, 0]]}", "seed: abc", "rounds: 1", "workers: 1",
        "isolation: plain", "players:",
        *(f"  - {{name: {name}, command: {json.dumps(RANDOM.split())}}}" for name in ("a", "b")),
        f"  - {{name: killer, command: {json.dumps([sys.executable, '-c', KILLER])}}}",
    ]  # fmt: skip
    config = tmp_path / "contest.yaml"
    config.write_text("\n".join(lines))
    code, _, errors = run("run-round", config)
    assert code == 0, errors
    rows: list[dict[str, Any]] = json.loads(run("standings", config, "--format", "json")[1])["players"]
    assert {row["player"]: row["faults"] for row in rows} == {"a": {}, "b": {}, "killer": {"crash": 3}}
    assert run("verify", config)[0] == 0


def test_voids_are_counted_by_player_also_those_that_come_alone(opened_season: Season) -> None:
    plays: list[bool] = [False]

    def now_and_then(spec: MatchSpec) -> bool:
        plays.append("p3" in present(spec) and not plays[-1] and sum(plays) < 2)
        return plays[-1]

    stored = play_with_voids(opened_season, now_and_then)
    voids = stored.voids.count()
    assert (voids.all, voids.players["p3"], sum(voids.players.values())) == (2, 2, 8)
    assert all(match.faulty is None for match in stored.summaries(1))


def test_an_outage_of_a_provider_is_counted_as_nobody_s_void(opened_season: Season) -> None:
    asked = 0

    def outcome(spec: MatchSpec) -> MatchRecord:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise ProviderOutage("no answer")
        return by_name(spec)

    play_round(opened_season, outcome)
    assert opened_season.stored.voids.count() == (0, {})


@pytest.mark.parametrize(
    ("voids", "text"),
    [
        ({"all": 0, "players": {}}, ""),
        ({"all": 3, "players": {"eve": 3, "ada": 1}}, "3 of 3 voids in matches of eve"),
        ({"all": 1, "players": dict.fromkeys("abcd", 1)}, "1 of 1 void in matches of a, b, c, d"),
        ({"all": 2, "players": dict.fromkeys("abcde", 1)}, "1 of 2 voids in matches of a, b, c, d, ..."),
    ],
)
def test_who_sat_in_most_voids_is_named(voids: Any, text: str) -> None:
    assert voids_in_words(voids) == text
