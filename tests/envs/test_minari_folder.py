"""Data sets of Minari: what each seat saw, might do and did, as Minari itself reads it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from arbiter import envs
from arbiter.cli import exit_code
from arbiter.envs.minari_folder import MinariFolder, episodes
from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.replay.export.columns import facts
from arbiter.testing import ScriptedBot, match_spec, play_by_policy, play_in_memory, random_policy

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchRecord

minari = pytest.importorskip("minari", reason="needs minari: pip install 'arbiter-cards[minari]'")
for package in ("h5py", "PIL", "pyarrow"):
    pytest.importorskip(package, reason=f"needs {package}: pip install 'arbiter-cards[minari]'")

OPTIONS: dict[str, dict[str, Any]] = {
    "planning": {"deals": [[2, 1], [3, 0]]},
    "codepiece": {"dealers": [3]},
    "dou_dizhu": {"landlords": [1]},
    "chefs_hat": {"matches": 3},
    "chefs_hat, gym2": {"rules": "gym2", "matches": 2},
}


def record_of(kind: str, seed: str = "1") -> tuple[AnyGame, MatchRecord]:
    game = make(kind.partition(",")[0], OPTIONS[kind])
    return game, play_by_policy(game, random_policy(seed), match_spec(game, seed=seed))


@pytest.mark.parametrize("kind", OPTIONS)
def test_minari_reads_every_episode_as_it_was(kind: str, tmp_path: Path) -> None:
    game, record = record_of(kind)
    with MinariFolder(str(tmp_path / "games-v0"), game) as out:
        out.write([record])
    read = minari.MinariDataset(tmp_path / "games-v0" / "data")
    expected = list(episodes(record, game))
    assert read.total_episodes == len(expected) == game.seats
    for got, episode in zip(read.iterate_episodes(), expected, strict=True):
        assert np.array_equal(got.observations["observation"], episode.observations)
        assert np.array_equal(got.observations["action_mask"], episode.masks)
        assert got.actions.tolist() == episode.actions.tolist()
        assert got.rewards.tolist() == [0.0] * (len(episode.actions) - 1) + [record.points[episode.seat]]  # type: ignore[index]
        assert got.terminations.tolist() == [False] * (len(episode.actions) - 1) + [True]
        assert not got.truncations.any()
    told = [dict(one["options"]) for one in read.storage.get_episode_metadata(range(game.seats))]
    assert [(one["match"], one["player"], int(one["seat"])) for one in told] == [
        (record.id, player, seat) for seat, player in enumerate(record.players)
    ]


@pytest.mark.parametrize("kind", OPTIONS)
def test_an_episode_is_what_the_environment_shows_its_seat(kind: str) -> None:
    game, record = record_of(kind)
    env = envs.aec(game)
    env.reset(seed="1")
    told = {episode.seat: episode for episode in episodes(record, game)}
    steps = dict.fromkeys(told, 0)
    while not any(env.terminations.values()):
        agent = env.agent_selection
        seat = env.seat_of(agent)
        episode, step = told[seat], steps[seat]
        seen = env.observe(agent)
        assert np.array_equal(seen["observation"], episode.observations[step])
        assert np.array_equal(seen["action_mask"], episode.masks[step])
        env.step(int(episode.actions[step]))
        steps[seat] += 1
    assert {seat: len(episode.actions) for seat, episode in told.items()} == steps
    assert [env.rewards[agent] for agent in env.possible_agents] == [
        told[seat].rewards[-1] for seat in sorted(told)
    ]


def test_what_a_fault_cut_off_is_truncated_without_rewards() -> None:
    game = make("chefs_hat", {"matches": 1})
    deal = game.deal_from_json({"hands": [["11", "8"], ["5"], ["6"], ["7"]], "opener": 0})
    record = play_in_memory(
        game.given([deal]), [ScriptedBot(["C8;Q1;J0"]), ScriptedBot(["C1;Q1;J0"]), *[ScriptedBot()] * 2]
    )
    assert record.points is None
    for episode in episodes(record, game):
        assert not episode.terminated
        assert not episode.rewards.any()


def test_it_says_what_it_holds_and_makes_its_environment(tmp_path: Path) -> None:
    game, record = record_of("chefs_hat, gym2")
    with MinariFolder(
        str(tmp_path / "spring-v3"), game, facts(game, "spring", "a seed that nobody has")
    ) as out:
        out.write([record])
    read = minari.MinariDataset(tmp_path / "spring-v3" / "data")
    assert read.spec.dataset_id == "spring-v3"
    metadata = read.storage.metadata
    assert json.loads(metadata["arbiter.options"]) == dict(game.options)
    assert {"arbiter.rules", "arbiter.version", "arbiter.season", "arbiter.seed_sha256"} <= metadata.keys()
    env = read.recover_environment().unwrapped
    assert env.play.game.options == game.options
    assert read.observation_space["observation"] == env.observation_space


@pytest.mark.parametrize("form", ["aec", "single"])
def test_environments_write_what_is_played(form: str, tmp_path: Path) -> None:
    folder = tmp_path / "own-v0"
    env: Any = getattr(envs, form)("codepiece", dealers=[0], dataset=f"minari:{folder}")
    for seed in range(2):
        env.reset(seed=seed)
        over = False
        while not over:
            legal = env.legal_ids(env.agent_selection) if form == "aec" else env._legal_ids()
            env.step(legal[-1])
            over = env.play.over
    assert not folder.exists()
    env.close()
    read = minari.MinariDataset(folder / "data")
    assert read.total_episodes == 8
    assert [path.name for path in tmp_path.iterdir()] == ["own-v0"]


def test_the_command_writes_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, record = record_of("planning")
    (tmp_path / "match.json").write_text(json.dumps(record.to_json()))
    monkeypatch.chdir(tmp_path)
    assert exit_code(["export", "match.json", "--as", "minari", "--output", "one-v0"]) == 0
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    assert minari.load_dataset("one-v0").total_episodes == game.seats


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("games", "is not a name of a data set"),
        ("there-v0", "is there already"),
        ("no/games-v0", "No such file"),
    ],
)
def test_a_folder_that_cannot_be_is_refused(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "there-v0").mkdir()
    with pytest.raises(ConfigError, match=words):
        MinariFolder(str(tmp_path / name), make("codepiece", {}))
    assert [path.name for path in tmp_path.iterdir()] == ["there-v0"]


def test_a_folder_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    game, record = record_of("codepiece")
    with pytest.raises(ZeroDivisionError), MinariFolder(str(tmp_path / "x-v0"), game) as out:
        out.write([record])
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("package", "words"), [("minari", "the package minari"), ("h5py", "cannot be written without")]
)
def test_a_missing_package_is_one_line(
    package: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for name in [name for name in sys.modules if name.startswith("minari.dataset._storages.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ConfigError, match=words) as raised:
        MinariFolder(str(tmp_path / "x-v0"), make("codepiece", {}))
    assert "arbiter-cards[minari]" in str(raised.value)
    assert not list(tmp_path.iterdir())
