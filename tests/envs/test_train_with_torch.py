"""The network of docs/howto/train-with-torch.md, which needs no torch; tests/docs/test_docs.py runs all of the page."""

from __future__ import annotations

import importlib.util
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arbiter.envs import PolicyBot, aec
from tests.docs.pages import ROOT, blocks

PAGE = ROOT / "docs" / "howto" / "train-with-torch.md"


@pytest.fixture
def network(tmp_path: Path) -> Any:
    """The class of the page."""
    (text,) = [text for _, file, text in blocks(PAGE) if file == "ppo/network.py"]
    (tmp_path / "network.py").write_text(text)
    spec = importlib.util.spec_from_file_location("network", tmp_path / "network.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Network


def test_the_network_takes_the_legal_id_of_the_highest_score(network: Any, tmp_path: Path) -> None:
    # Of two cells by two tanh to three scores: id 2 gets most, then id 0.
    layers: dict[str, Any] = {"weight0": np.eye(2), "bias0": np.array([0.0, 1.0])}
    layers |= {"weight1": np.array([[1.0, 0.0], [0.0, -1.0], [2.0, 0.5]]), "bias1": np.array([0.0, 0.1, 0.2])}
    np.savez(tmp_path / "layers.npz", **layers)
    policy, seen = network(tmp_path / "layers.npz"), np.array([1, 0], np.int8)
    assert policy(seen, np.array([1, 1, 1], np.int8)) == 2
    assert policy(seen, np.array([1, 1, 0], np.int8)) == 0
    assert policy(seen, np.array([0, 1, 0], np.int8)) == 1


def test_the_network_is_a_bot(network: Any, tmp_path: Path) -> None:
    chance, env = np.random.default_rng(1), aec("planning")
    shape = env.observation_space("seat_0")["observation"].shape
    assert shape is not None
    sizes = [shape[0], 16, env.action_space("seat_0").n]
    layers: dict[str, Any] = {}
    for number, (before, after) in enumerate(pairwise(sizes)):
        layers[f"weight{number}"] = chance.normal(size=(after, before)).astype(np.float32)
        layers[f"bias{number}"] = chance.normal(size=after).astype(np.float32)
    np.savez(tmp_path / "layers.npz", **layers)
    bot = PolicyBot(network(tmp_path / "layers.npz"), game="planning")
    for line in (
        "set_deck 23456789TJQKA CDHS",
        "set_players 4 0",
        "set_game 1 2 0",
        "set_cards 2 2C AS",
    ):
        assert bot.answer(line) == "="
    reply = bot.answer("gen_declare")
    assert reply in {"= 0", "= 1", "= 2"}
