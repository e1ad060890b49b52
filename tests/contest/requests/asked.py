"""A season whose authors ask for matches, played in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from arbiter.contest.requests.request import CheckedRequest, RequestForm, check_request
from arbiter.contest.requests.request_worker import RequestWorker
from arbiter.contest.service_loop import Turns
from arbiter.games import make
from arbiter.match.record import MatchRecord
from arbiter.match.spec import MatchSpec
from arbiter.season.config import Config, load
from arbiter.season.roster import with_active_versions
from arbiter.season.season import Season
from arbiter.store import SeasonStore, Store
from arbiter.store.request_queue import Request
from arbiter.testing import play_by_policy, random_policy
from tests.fixtures.executor import Scripted

CONFIG = """\
season: small
game: {name: planning, deals: [[1, 0], [2, 1]]}
isolation: plain
seed: a seed that nobody guesses in a hurry
house_bots: [random]
after_fault: end
submissions: {}
requests: {per_day: 1000, per_hour: 1000, matches: 40, against: AGAINST}
players:
  - {name: greedy, command: [python3]}
  - {name: random, command: [python3], house: true}
"""
PROGRAM = {"command": ["python3"], "read": [], "files": {}}


class RandomMatches(Scripted):
    """Plays at once, in this process; `fails` may raise in place of a match."""

    def __init__(self) -> None:
        super().__init__(self._play)
        self.fails: Callable[[MatchSpec], None] = lambda _: None

    def _play(self, spec: MatchSpec) -> MatchRecord:
        self.fails(spec)
        game = make(spec.game, spec.options)
        if spec.deals is not None:
            game = game.given([game.deal_from_json(shape) for shape in spec.deals])
        policy = random_policy(f"{spec.seed}{spec.id}")
        return play_by_policy(game, policy, spec, cost=1_000_000)


@dataclass
class AskedSeason:
    """The season, its executor, what was said."""

    config: Config
    season: SeasonStore
    executor: RandomMatches = field(default_factory=RandomMatches)
    said: list[str] = field(default_factory=list)

    def accept(self, author: str, archive: str) -> int:
        """The number of an author's next version."""
        made, _ = self.season.submissions.add(author, archive * 64, f"file{author}{archive}", 99)
        self.season.submissions.accept(made.id, [], PROGRAM)
        return made.version

    def wish(self, author: str, kind: Any, version: int, *against: str, **more: Any) -> CheckedRequest:
        roster = with_active_versions(self.config, self.season).entries
        return check_request(
            self.config, self.season, roster, author, RequestForm(kind, version, against, **more)
        )

    def ask(self, author: str, kind: Any, version: int, *against: str, **more: Any) -> Request:
        wish = self.wish(author, kind, version, *against, **more)
        return self.season.requests.add(author, kind, wish.kept(), wish.most, 1000, 1000)

    def desk(self) -> RequestWorker:
        return RequestWorker([self.config], self.executor, Turns(), self.said.append)

    def work(self) -> None:
        """Play all that waits."""
        self.desk().work(until_empty=True)

    def now(self, request: Request) -> Request:
        found = self.season.requests.one(request.id)
        assert found is not None
        return found

    @property
    def store_of_requests(self) -> Path:
        return self.config.file.with_name("small.requests.sqlite")

    def matches(self, request: Request) -> int:
        with closing(Store(f"sqlite:///{self.store_of_requests}")) as store:
            season = store.season(request.place)
            return 0 if season is None else len(season.summaries())


def asked_season(folder: Path, against: str = "house") -> Iterator[AskedSeason]:
    (folder / "small.yaml").write_text(CONFIG.replace("AGAINST", against))
    config = load(folder / "small.yaml")
    with closing(Store(config.store)) as store:
        made = AskedSeason(config, Season.open(config, store).stored)
        for name in ("ann", "ben"):
            made.season.authors.add(name, name, f"token of {name}", False, "test")
            made.accept(name, "1")
        made.accept("ann", "2")
        yield made


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[AskedSeason]:
    yield from asked_season(tmp_path)


@pytest.fixture
def asked_openly(tmp_path: Path) -> Iterator[AskedSeason]:
    """Others' versions are met, too."""
    yield from asked_season(tmp_path, "all")
