"""A season whose authors' programs lie on its shelf."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.submissions.author_accounts import add_authors
from arbiter.season.config import Config, load
from arbiter.season.config.submission_settings import SOURCE
from arbiter.season.roster import folder_of
from arbiter.season.season import Season
from arbiter.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arbiter.store import SeasonStore

SETTINGS = """\
game: planning
rounds: 9
seed: abc
weak_seed: true
store: sqlite:///all.sqlite
submissions: {}
players:
  - {name: h0, command: [python3], house: true}
"""


@dataclass
class Shelved:
    """The season, and how it gets programs."""

    config: Config
    stored: SeasonStore

    def take(self, author: str, **files: str) -> Path:
        """The folder of the files of an author's next version, which plays from now on; `__` is a dot."""
        book = self.stored.submissions
        if author not in {known.name for known in self.stored.authors.all()}:
            add_authors(self.config, self.stored, [author], False, "test")
        number = len(book.of(author)) + 1
        file = f"{self.stored.name}-{author}-{number}"
        folder = folder_of(self.config) / file / SOURCE
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name.replace("__", ".")).write_text(text)
        made, _ = book.add(author, file.rjust(64, "0")[-64:], file, 9)
        book.accept(made.id, [], {"command": ["python3"], "read": [], "files": {}})
        return folder


def shelved(file: Path, store: Store) -> Shelved:
    config = load(file)
    return Shelved(config, Season.open(config, store).stored)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With the files of two seasons in one store."""
    for name in ("spring", "autumn"):
        (tmp_path / f"{name}.yaml").write_text(f"season: {name}\n{SETTINGS}")
    return tmp_path


@pytest.fixture
def seasons(folder: Path) -> Iterator[tuple[Shelved, Shelved]]:
    """The earlier and the present one."""
    with closing(Store(load(folder / "spring.yaml").store)) as store:
        yield shelved(folder / "spring.yaml", store), shelved(folder / "autumn.yaml", store)


@pytest.fixture
def present_season(seasons: tuple[Shelved, Shelved]) -> Shelved:
    """The present one."""
    return seasons[1]
