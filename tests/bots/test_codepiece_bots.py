"""The Codepiece bots: they play legally in every seat, the same with the same seed, and in the promised order."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from codepiece_pimc import Bot as Pimc
from measure_codepiece import BOTS, Spoken, pairs

from arbiter.games.codepiece import Codepiece
from arbiter.testing import match_spec, play_in_memory

PYTHON_BOTS = Path(__file__).parents[2] / "bots" / "python"
FILES = sorted({*PYTHON_BOTS.glob("codepiece_*.py")} - {PYTHON_BOTS / "codepiece_kit.py"})


def played(name, seat, seed="bots"):
    """A match in memory with a bot in one seat and random ones beside it."""
    bots = [Spoken(BOTS[name if place == seat else "random"](place)) for place in range(4)]
    return play_in_memory(Codepiece([3, 0]), bots, match_spec(Codepiece([3, 0]), seed=seed))


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("seat", range(4))
def test_a_bot_plays_legally_in_every_seat(name, seat) -> None:
    record = played(name, seat)
    assert record.forfeit is None, record.forfeit


@pytest.mark.parametrize("name", BOTS)
def test_the_same_seed_plays_the_same(name) -> None:
    one, other = played(name, 1), played(name, 1)
    assert one.moves == other.moves


@pytest.mark.slow
@pytest.mark.parametrize(
    ("better", "worse", "number"),
    [
        ("small bids", "random", 4),
        ("aces", "small bids", 10),
        ("high", "aces", 20),
        ("rules", "high", 20),
        ("few worlds", "rules", 4),
    ],
)
def test_the_ladder_is_in_the_promised_order(better, worse, number, monkeypatch) -> None:
    monkeypatch.setitem(BOTS, "few worlds", lambda seed: Pimc(seed, worlds=15, clock=False))
    outcomes, _ = pairs(better, worse, number)
    assert sum(outcomes) > 0


@pytest.mark.process
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_bot_refuses_what_it_does_not_know_and_ends_with_its_input(file) -> None:
    said = "fold\n\nset_rules bridge 1\nset_players\ngen_move\nset_rules codepiece 1\n"
    done = subprocess.run(
        [sys.executable, "-E", "-S", file], input=said, capture_output=True, text=True, check=True
    )
    assert done.stdout == "?\n\n?\n\n?\n\n?\n\n=\n\n"
    assert done.stderr == ""
