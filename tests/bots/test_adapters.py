"""The adapters of bots/adapters play whole matches; each is skipped where its package is missing."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from arbiter.games import make
from arbiter.testing import match_spec, play_in_memory
from tests.fixtures.bot_programs import BOTS

AGENT = """
def lowest(ids):
    return min(ids)

def agent(observation, configuration):
    return {"submission": lowest(observation.legalActions)}
"""


def adapter(name: str, made: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, BOTS / "adapters" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, made)


def forfeit_in_match(name: str, bots: list[Any]) -> Any:
    game = make(name, {"landlords": [0, 1]} if name == "dou_dizhu" else {})

    def voice(bot: Any) -> Any:
        return lambda line: f"{bot.answer(line)}\n\n".encode()

    return play_in_memory(game, [voice(bot) for bot in bots], match_spec(game)).forfeit


@pytest.mark.parametrize("game", ["dou_dizhu", "chefs_hat"])
def test_a_kaggle_function_plays_a_match(game: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(AGENT)
    bot = adapter("kaggle_style", "KaggleBot")
    seats = make(game, {}).seats
    assert forfeit_in_match(game, [bot(str(tmp_path / "main.py"), game) for _ in range(seats)]) is None


def test_rlcard_agents_play_a_match() -> None:
    pytest.importorskip("rlcard", reason="needs rlcard")
    bot = adapter("rlcard_dou_dizhu", "RLCardBot")
    assert forfeit_in_match("dou_dizhu", [bot() for _ in range(3)]) is None


def test_openspiel_bots_play_a_match() -> None:
    pytest.importorskip("pyspiel", reason="needs open_spiel")
    bot = adapter("openspiel_dou_dizhu", "OpenSpielBot")
    assert forfeit_in_match("dou_dizhu", [bot(simulations=2) for _ in range(3)]) is None
