"""Environments as data sets: the rows are those of an export of the same match, loaded back."""

from __future__ import annotations

import csv
import gc
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from arbiter import envs
from arbiter.envs import dou_dizhu_v4
from arbiter.envs.dataset_writer import record_of
from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.replay.export.columns import EVENT_COLUMNS
from arbiter.replay.export.event_rows import events
from arbiter.testing import ScriptedBot, match_spec, play_in_memory
from tests.envs.forms import SHORT, to_the_end

if TYPE_CHECKING:
    from pathlib import Path


def play(env: Any, seed: int = 1) -> None:
    """A match by lot."""
    chance = Random(seed)
    env.reset(seed=seed)
    while not env.terminations[agent := env.agent_selection]:
        env.step(chance.choice(env.unwrapped.legal_ids(agent)))


def loaded(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def as_text(value: object) -> str:
    return "" if value is None else str(value)


@pytest.mark.parametrize("name", SHORT)
def test_each_match_is_in_the_file_as_the_rules_tell_it(name: str, tmp_path: Path) -> None:
    """The match is conducted again by the referee with the same moves, and exported."""
    path = tmp_path / "games.csv"
    env = envs.aec(name, dataset=str(path), **SHORT[name])
    expected = []
    for number in (1, 2):
        play(env, number)
        record = record_of(env.unwrapped.play, f"m{number}", env.unwrapped.player_names)
        game = make(name, SHORT[name])
        bots = [ScriptedBot.replaying(record, seat) for seat in range(game.seats)]
        again = play_in_memory(game, bots, match_spec(game, seed=str(number), names=record.players))
        assert again.points == record.points
        assert again.deals == record.deals
        expected += [row | {"season": "", "match": f"m{number}"} for row in events(again, game)]
    env.close()
    found = loaded(path)
    assert list(found[0]) == list(EVENT_COLUMNS)
    assert found == [{key: as_text(value) for key, value in row.items()} for row in expected]


def test_an_illegal_move_ends_the_match_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    env = envs.aec("codepiece", dataset=str(path))
    env.reset(seed=1)
    env.step(40)
    env.close()
    ends = [row for row in loaded(path) if row["event"] == "end_match"]
    assert [row["detail"][:8] for row in ends if row["detail"]] == ["illegal:"]
    assert {row["points"] for row in ends} == {""}


def test_the_parallel_form_and_dou_dizhu_as_it_was_write_too(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pandas as pd

    parallel = envs.parallel("planning", dataset=str(tmp_path / "p.parquet"), deals=[[1, 0]])
    parallel.reset(seed=1)
    while parallel.agents:
        movers = [parallel.possible_agents[seat] for seat in parallel.play.to_act]
        parallel.step({agent: int(parallel.observe(agent)["action_mask"].argmax()) for agent in movers})
    parallel.close()
    old = dou_dizhu_v4.env()
    old.unwrapped.write_to(str(tmp_path / "d.parquet"))
    play(old)
    old.close()
    for name, seats in (("p", 4), ("d", 3)):
        rows = pd.read_parquet(tmp_path / f"{name}.parquet")
        assert (rows["event"] == "end_match").sum() == seats
        assert rows["points"].notna().any()


def test_a_single_agent_writes_its_matches(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    env = envs.single("codepiece", seat="rotate", dataset=str(path))
    for number in range(3):
        to_the_end(env, None if number else 1)
    env.close()
    rows = loaded(path)
    assert sorted({row["match"] for row in rows}) == ["m1", "m2", "m3"]
    agents = {row["match"]: row["seat"] for row in rows if row["player"].endswith(" agent")}
    assert agents == {"m1": "0", "m2": "1", "m3": "2"}


def test_where_nothing_can_be_written_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a form of a data set"):
        envs.aec("planning", dataset=str(tmp_path / "games.xlsx"))
    with pytest.raises(ConfigError, match="cannot be written"):
        envs.single("planning", dataset=str(tmp_path / "no" / "games.csv"))


def test_two_environments_do_not_write_one_file(tmp_path: Path) -> None:
    path = str(tmp_path / "games.csv")
    first = envs.single("planning", dataset=path, deals=[[1, 0]])
    with pytest.raises(ConfigError, match="being written already: give each its own file"):
        envs.aec("planning", dataset=path)
    first.close()
    envs.aec("planning", dataset=path).close()


@pytest.mark.slow
def test_a_data_set_is_completed_when_its_environment_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    env = envs.aec("planning", dataset=str(path), deals=[[1, 0]])
    play(env)
    del env
    gc.collect()
    assert loaded(path)[-1]["event"] == "end_match"
    assert [file.name for file in tmp_path.iterdir()] == ["games.csv"]


def test_a_closed_environment_goes_on_without_its_data_set(tmp_path: Path) -> None:
    env = envs.single("planning", dataset=str(tmp_path / "one.csv"), deals=[[1, 0]])
    for file in ("one.csv", "two.csv"):
        to_the_end(env, 1)
        env.close()
        assert loaded(tmp_path / "one.csv")
        assert file == "one.csv" or loaded(tmp_path / "two.csv")
        env.write_to(str(tmp_path / "two.csv"))
    env.close()


@pytest.mark.parametrize("file", [5, None, b"x.csv"])
def test_what_is_no_file_is_refused(file: Any) -> None:
    env = envs.aec("planning")
    with pytest.raises(ConfigError):
        env.unwrapped.write_to(file)
