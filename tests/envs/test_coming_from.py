"""The examples of docs/howto/coming-from-other-environments.md run, and its tables say what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arbiter.envs import dou_dizhu_v4

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "coming-from-other-environments.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_examples_run_to_the_end(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    exec(compile(BLOCKS[number], PAGE.name, "exec"), names)
    if "play" in names:
        assert sum(names["returns"]) in (1, -1, 3, -3)  # type: ignore[call-overload]
    elif "room" in names:
        assert names["result"].matches == 3  # type: ignore[attr-defined]
    elif "game" in names:
        assert names["game"].is_over()  # type: ignore[attr-defined]
    elif "payoffs" in names:
        assert sorted(names["payoffs"]) in ([-1, -1, 1], [-1, 1, 1])  # type: ignore[call-overload]
    else:
        env = names["env"]
        assert getattr(env, "gameFinished", getattr(env, "over", None)) or env.agents == []  # type: ignore[attr-defined]


def test_spaces_of_all_agents_are_there_by_their_old_names() -> None:
    env = dou_dizhu_v4.env()
    for agent in env.possible_agents:
        assert env.observation_spaces[agent] is env.observation_space(agent)
        assert env.action_spaces[agent] is env.action_space(agent)
