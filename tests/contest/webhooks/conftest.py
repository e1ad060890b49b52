"""A receiver, and a season with webhooks."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.season.config import load
from arbiter.store import Store
from tests.fixtures.receiving import SECRET, Receiver, receiving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore


SEASON = """\
season: spring
game: planning
players:
  - {name: a, command: [python3]}
  - {name: b, command: [python3]}
  - {name: c, command: [python3]}
  - {name: d, command: [python3]}
webhooks:
"""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.write_bytes(SECRET)
    file.chmod(0o600)
    return file


@pytest.fixture
def configured(tmp_path: Path, secret: Path) -> Callable[..., Config]:
    """Writes a season's file with webhooks, each as YAML has it, and reads it."""

    def write(*webhooks: str) -> Config:
        lines = [f"  - {{secret_file: secret, {webhook}}}\n" for webhook in webhooks]
        (tmp_path / "spring.yaml").write_text(SEASON + "".join(lines))
        return load(tmp_path / "spring.yaml", check_secrets=True)

    return write


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[SeasonStore]:
    """The season in its store, before anything has happened."""
    with closing(Store(f"sqlite:///{tmp_path / 'spring.sqlite'}")) as store:
        yield store.make_season("spring", "planning", "a seed that nobody guesses in a hurry")
