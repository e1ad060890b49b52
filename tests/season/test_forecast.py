"""How long a season takes: counted, tried, and what fits."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.cli.output import duration_text
from arbiter.match.clock import MS, SECOND, TimeControl
from arbiter.season.config import Config, load
from arbiter.season.forecast import (
    longest_match_ns,
    longest_time,
    season_size,
    trial_specs,
    with_number_of_players,
)
from arbiter.season.season import Season
from arbiter.store import Store
from tests.fixtures.commands import RANDOM
from tests.fixtures.records import by_name, forfeited

if TYPE_CHECKING:
    from tests.fixtures.commands import Run


SMALL = "game: {name: planning, deals: [[1, 0], [2, 1]]}"


def configured(tmp_path: Path, players: int = 8, *lines: str) -> Config:
    path = tmp_path / "s.yaml"
    text = [SMALL, "seed: abc", "rounds: 10", "start_time: 5s", *lines, "players:"]
    command = ", ".join(RANDOM.split())
    text += [f"  - {{name: p{n}, command: [{command}]}}" for n in range(players)]
    path.write_text("\n".join(text))
    return load(path)


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        # 20 requests for a decision among 140 commands.
        ("60s", 5 + 4 * 60),
        ("60s+1s", 5 + 4 * 60 + 20),
        ("1s/request", 5 + 140),
    ],
)
def test_a_match_at_worst_counts_what_it_asks(time: str, seconds: int, tmp_path: Path) -> None:
    assert longest_match_ns(configured(tmp_path), TimeControl.parse(time)) == seconds * SECOND


def test_a_round_takes_as_many_turns_as_the_busiest_worker_has_matches(tmp_path: Path) -> None:
    season = season_size(configured(tmp_path, 12), 5)
    assert (season.tables, season.matches, season.turns) == (3, 12, 3)
    assert season.season_ns(SECOND) == 30 * SECOND
    assert season_size(configured(tmp_path, 4), 16).at_once == 4


def test_the_longest_time_is_the_largest_with_which_all_rounds_fit(tmp_path: Path) -> None:
    config = configured(tmp_path)
    season = season_size(config, 2)
    hours = 3600 * 5 * SECOND
    longest = longest_time(config, season, hours)
    unit = SECOND if longest >= SECOND else MS
    control = config.limits.time
    assert season.season_ns(longest_match_ns(config, replace(control, budget_ns=longest))) <= hours
    assert season.season_ns(longest_match_ns(config, replace(control, budget_ns=longest + unit))) > hours
    assert longest_time(config, season, SECOND) == 0


def test_trial_matches_are_of_all_tables_and_on_deals_of_their_own(tmp_path: Path) -> None:
    config = configured(tmp_path)
    specs = trial_specs(config, 10)
    assert [spec.table for spec in specs[:4]] == [1, 2, 1, 2]
    assert {player.name for spec in specs[:2] for player in spec.players} == {f"p{n}" for n in range(8)}
    assert len({(spec.table, spec.rotation, spec.round) for spec in specs}) == 10
    assert all(spec.seed != config.seed for spec in specs)


@pytest.mark.process
def test_plan_tells_what_fits(arbiter: Run, tmp_path: Path) -> None:
    config = configured(tmp_path, 4, "time: 60s").file
    code, out, err = arbiter(
        "plan", config, "--within", "24h", "--trial", "2", "--workers", "1", "--format", "json"
    )
    figures = json.loads(out)
    assert (code, "Traceback" in err) == (0, False)
    assert (figures["matches_per_round"], figures["at_once"]) == (4, 1)
    assert figures["worst"] == {"match_s": 245.0, "round_s": 980.0, "season_s": 9800.0}
    assert figures["trial"]["matches"] == 2
    assert 0 < figures["trial"]["match_s"] < 245
    fits = figures["within"]
    assert (fits["rounds_at_worst"], fits["longest_time_s"], fits["contest_budget_s"]) == (88, 538, 538)
    assert not (tmp_path / "s.sqlite").exists()


@pytest.mark.parametrize(
    ("time", "within", "words"),
    [
        ("5m", "24h", "10 rounds fit at worst with 8 min 58 s a player and match; of the contest's 3 to 15 min take 8 min 58 s\n"),
        ("5m", "48h", "with 17 min 58 s a player and match; of the contest's 3 to 15 min take 15 min\n"),
        ("5m", "2h", "with 43 s a player and match, less than the contest's 3 min: play fewer rounds, or more matches at once\n"),
        ("60s", "2h", "with 43 s a player and match, less than the season's 1 min: play fewer rounds, or more matches at once\n"),
        ("10s", "2h", "10 rounds fit at worst with 43 s a player and match\n"),
        ("1s/request", "24h", "10 rounds fit at worst with 15 s a command\n"),
        ("30s/request", "24h", "with 15 s a command, less than the season's 30 s: play fewer rounds, or more matches at once\n"),
        ("10s", "3m", "10 rounds do not fit at worst, even with the shortest time for the players\n"),
    ],
)  # fmt: skip
def test_plan_in_words(time: str, within: str, words: str, arbiter: Run, tmp_path: Path) -> None:
    config = configured(tmp_path, 4, f"time: {time}").file
    code, out, _ = arbiter("plan", config, "--within", within, "--trial", "0", "--workers", "1")
    assert code == 0
    assert words in out


@pytest.mark.parametrize(
    ("every", "ends", "warned"),
    [
        ("1h", "2999-01-01T09:16:20+00:00", "round 10 ends at worst after `until`"),
        (
            "10m",
            "2999-01-01T02:43:20+00:00",
            "a round takes 16 min 20 s at worst, longer than `every` (10 min)",
        ),
    ],
)
def test_plan_names_the_dates_and_what_does_not_fit(
    every: str, ends: str, warned: str, arbiter: Run, tmp_path: Path
) -> None:
    calendar = f"opens: 2999-01-01T00:00+00:00\nevery: {every}\nuntil: 2999-01-01T09:00+00:00"
    config = configured(tmp_path, 4, f"time: 60s\n{calendar}").file
    code, out, err = arbiter("plan", config, "--trial", "0", "--workers", "1", "--format", "json")
    assert (code, json.loads(out)["dates"]) == (
        0,
        {
            "next_round": 1,
            "begins": "2999-01-01T00:00:00+00:00",
            "last_round": 10,
            "ends_at_worst": ends,
            "ends_at_trial_pace": None,
        },
    )
    assert [line.startswith(f"arbiter: {warned}") for line in err.splitlines() if "round" in line] == [True]
    assert "round 10, the last, ends " in arbiter("plan", config, "--trial", "0")[1]


def begun(config: Config, rounds: int, matches: int = 0, faulty: str = "") -> None:
    """Complete rounds, and so many matches of one more; in all of them one player faults."""
    store = Store(config.store)
    opened_season = Season.open(config, store)
    for number in range(1, rounds + 1 + (matches > 0)):
        plan = opened_season.rounds.plan()
        assert plan is not None
        for spec in plan.missing[: matches if number > rounds else None]:
            opened_season.stored.add_match(forfeited(by_name(spec), faulty))
        if number <= rounds:
            opened_season.rounds.finish(number)
    store.close()


def planned(arbiter: Run, config: Config, *more: str) -> list[str]:
    code, out, _ = arbiter("plan", config.file, "--trial", "0", "--workers", "2", *more)
    assert code == 0
    return out.splitlines()


def test_a_plan_of_a_season_that_is_begun_tells_what_is_left(arbiter: Run, tmp_path: Path) -> None:
    config = configured(tmp_path, 8, "time: 10s")
    begun(config, 6, matches=3)
    assert planned(arbiter, config, "--within", "10m") == [
        "s: 8 players, 2 tables, 8 matches a round, 2 at once; 80 matches in 10 rounds",
        "6 of 10 rounds are complete: 29 matches in 4 rounds are left",
        "at worst: a match 45 s, a round 3 min, the rest 11 min 15 s",
        "within 10 min: 3 rounds at worst",
        "4 rounds fit at worst with 8 s a player and match, less than the season's 10 s: play fewer rounds, or more matches at once",
    ]  # fmt: skip


def test_a_plan_for_a_number_of_players_needs_none_of_them(arbiter: Run, tmp_path: Path) -> None:
    config = configured(tmp_path, 2, "time: 10s", "house_bots: [p0]")
    text = config.file.read_text().replace("name: p0,", "name: p0, house: true,")
    config.file.write_text(text.replace("name: p1,", "name: p1, rung: true,"))
    assert planned(arbiter, config, "--players", "14")[0] == (
        "s: 16 players, 4 tables, 16 matches a round, 2 at once; 160 matches in 10 rounds"
    )
    sized = with_number_of_players(load(config.file), 14)
    assert [entry.player.name for entry in sized.entries[-3:]] == ["player@14", "p0", "p1"]
    assert {entry.player.command for entry in sized.entries} == {
        entry.player.command for entry in load(config.file).entries
    }


def test_a_plan_of_a_season_that_is_over_says_so(arbiter: Run, tmp_path: Path) -> None:
    config = configured(tmp_path, 4, "time: 10s")
    begun(config, 10)
    lines = planned(arbiter, config, "--within", "10m")
    assert lines[1:] == [
        "all 10 rounds are complete: nothing is left to play",
        "at worst: a match 45 s, a round 1 min 30 s",
        "within 10 min: 6 more rounds at worst",
    ]
    # Nothing is tried where nothing is left: there would be a bar or a line about it.
    code, out, err = arbiter("plan", config.file, "--trial", "4")
    assert (code, len(out.splitlines()), "pace" in out) == (0, 3, False), err


def test_a_plan_leaves_out_who_is_suspended(arbiter: Run, tmp_path: Path) -> None:
    config = configured(tmp_path, 5, "suspend_after: 4", "house_bots: [p0]")
    config.file.write_text(config.file.read_text().replace("name: p0,", "name: p0, house: true,"))
    begun(load(config.file), 2, faulty="p3")
    figures = json.loads("\n".join(planned(arbiter, config, "--format", "json")))
    assert (figures["players"], figures["suspended"], figures["tables"]) == (4, ["p3"], 1)
    assert planned(arbiter, config)[0].startswith(
        "s: 4 players (p3 is suspended), 1 table, 4 matches a round,"
    )
    assert all("p3" not in str(spec.players) for spec in trial_specs(load(config.file), 4, ("p3",)))


@pytest.mark.process
def test_the_trial_pace_is_that_of_whole_matches(arbiter: Run, tmp_path: Path) -> None:
    config = configured(tmp_path, 8)
    config.file.write_text(re.sub(r"(name: p7, command:).*\]", r"\1 ['true']", config.file.read_text()))
    code, out, _ = arbiter("plan", config.file, "--trial", "4", "--workers", "1", "--format", "json")
    trial = json.loads(out)["trial"]
    assert (code, trial["matches"], trial["faults"]) == (0, 2, 2)
    said = arbiter("plan", config.file, "--trial", "2", "--workers", "1")[1]
    assert "at the pace of 1 trial match (1 more ended by a fault): a match " in said
    config.file.write_text(re.sub(r"command: \[.*?\]", "command: ['true']", config.file.read_text()))
    _, out, err = arbiter("plan", config.file, "--trial", "2", "--workers", "1")
    assert ("pace" in out, "2 trial matches ended by a fault of a bot" in err) == (False, True)


@pytest.mark.parametrize(
    ("within", "words"),
    [("two days", "not a duration: 'two days'"), ("0h", "--within: expected more than 0")],
)
def test_plan_names_what_is_wrong(within: str, words: str, arbiter: Run, tmp_path: Path) -> None:
    code, _, err = arbiter("plan", configured(tmp_path, 4).file, "--trial", "0", "--within", within)
    assert (code, words in err) == (2, True)


def test_plan_says_when_the_last_round_begins(arbiter: Run, tmp_path: Path) -> None:
    config = configured(tmp_path, 4, "every: 30m")
    assert "a round begins every 30 min, the last of 10 4 h 30 min after the first" in planned(
        arbiter, config
    )


def test_a_moment_that_is_over_leaves_the_other_figures(arbiter: Run, tmp_path: Path) -> None:
    code, out, err = arbiter("plan", configured(tmp_path, 4, "until: 2020-01-01").file, "--trial", "0")
    assert (code, "is over: beyond" in err, "--within shows" in err) == (0, True, True)
    assert "at worst: a match" in out


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.26, "260 ms"), (42, "42 s"), (245, "4 min 5 s"), (98000, "1 d 3 h"), (3599.9, "1 h"), (86399, "1 d"), (7200, "2 h")],
)  # fmt: skip
def test_durations_for_people(seconds: float, words: str) -> None:
    assert duration_text(seconds) == words
