"""`chefshat-v1`: scripts for ChefsHatGym 2 find the names that they use, and the game that they know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import arbiter.envs
from arbiter.envs.chefs_hat import GAMETYPE
from arbiter.errors import ConfigError

NAMES = ["a", "b", "c", "d"]


def begun(**more: Any) -> Any:
    env: Any = gymnasium.make("chefshat-v1")
    env.startExperiment(**{"gameType": GAMETYPE["MATCHES"], "stopCriteria": 2, "playerNames": NAMES} | more)
    return env


def one_hot(seen: Any) -> Any:
    return np.eye(200)[np.flatnonzero(seen[28:] == 1)[-1]]


def play_game(env: Any) -> list[dict[str, Any]]:
    """The infos of a game in the loop of a room."""
    infos = []
    while not env.gameFinished:
        infos.append(dict(env.step(one_hot(env.getObservation()))[4]))
    return infos


def test_its_games_are_those_of_gym2_step_for_step() -> None:
    env = begun()
    twin: Any = gymnasium.make(arbiter.envs.CHEFS_HAT, rules="gym2", matches=2, player_names=NAMES).unwrapped
    seen, _ = env.reset(seed=5)
    same, _ = twin.reset(seed=5)
    while not env.gameFinished:
        assert seen.tolist() == same.tolist() == env.getObservation().tolist()
        assert env.currentPlayer == twin.player
        seen, *rest = env.step(one_hot(seen))
        same, *same_rest = twin.step(int(one_hot(same).argmax()))
        assert rest == same_rest
    assert twin.over


def test_the_length_of_a_game_is_told_as_it_was() -> None:
    assert GAMETYPE == {"POINTS": "POINTS", "MATCHES": "MATCHES"}
    env = begun(gameType=GAMETYPE["POINTS"], stopCriteria=4, maxRounds=3)
    assert not env.gameFinished
    env.reset(seed=1)
    infos = play_game(env)
    assert max(infos[-1]["Game_Score"]) >= 4 > max(infos[-2]["Game_Score"])
    assert {info["Rounds"] for info in infos} <= {1, 2, 3, 4}


def test_a_game_may_follow_another_under_other_settings() -> None:
    env = begun(stopCriteria=1)
    env.reset(seed=1)
    assert play_game(env)[-1]["Matches"] == 1
    env.startExperiment(GAMETYPE["MATCHES"], 2, -1, 5, ["e", "f", "g", "h"])
    env.reset(seed=1)
    assert play_game(env)[-1]["Player_Names"] == ["e", "f", "g", "h"]


def test_a_data_set_is_written_into_the_folder_for_logs(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas: pip install 'arbiter-cards[datasets]'")
    env = begun(saveDataset=True, logDirectory=str(tmp_path / "logs"))
    env.reset(seed=1)
    play_game(env)
    env.close()
    kinds = pandas.read_pickle(tmp_path / "logs" / "Datasets" / "Dataset.pkl")["Action_Type"].tolist()
    assert (kinds[0], kinds[-1], kinds.count("END_MATCH")) == ("START_EXPERIMENT", "END_EXPERIMENT", 2)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"gameType": "ROUNDS"}, "gameType is 'ROUNDS'"),
        ({"maxInvalidActions": 9}, "here it is always 5"),
        ({"saveDataset": True}, "saveDataset needs a logDirectory"),
        ({"playerNames": ["a"]}, "4 different names"),
        ({"stopCriteria": 0}, "0 is not a number from 1"),
    ],
)
def test_settings_that_cannot_be_are_refused(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        begun(**more)
