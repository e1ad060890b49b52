"""`run-round` and `run-season`: what they say before the first match."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from arbiter.store import Store
from tests.fixtures.commands import RANDOM

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A round of four short matches."""
    path = tmp_path / "spring.yaml"
    lines = ["game: {name: planning, deals: [[1, 0]]}", "isolation: plain", "rounds: 2", "players:"]
    lines += [f"  - {{name: p{n}, command: {json.dumps(RANDOM.split())}}}" for n in range(4)]
    path.write_text("\n".join(lines))
    return path


def with_seasons(file: Path, *names: str) -> None:
    store = Store(f"sqlite:///{file}")
    for name in names:
        store.make_season(name, "planning", "1")
    store.close()


@pytest.mark.process
@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("autumn",), "the store {file} holds the season autumn; a new season spring begins in it"),
        (("autumn", "winter"), "the store {file} holds the seasons autumn, winter; a new season spring begins in it"),
        ((), "the file {file} was there already and holds no season; a new season spring begins in it"),
    ],
)  # fmt: skip
def test_a_new_season_in_an_old_store_is_announced_once(
    names: tuple[str, ...], words: str, config: Path, arbiter: Run
) -> None:
    file = config.with_suffix(".sqlite")
    with_seasons(file, *names)
    told = f"arbiter: {words.format(file=file)}\n"
    for times in (1, 0):
        code, _, err = arbiter("run-round", config)
        assert (code, err.count(told), err.count("begins in it")) == (0, times, times)


@pytest.mark.process
def test_a_new_season_in_a_new_store_is_not_announced(config: Path, arbiter: Run) -> None:
    code, _, err = arbiter("run-round", config)
    assert (code, "begins in it" in err) == (0, False)
