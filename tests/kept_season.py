"""A season as it was played, with every kind of forfeit in it, for tests that tamper with it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from arbiter.config import load
from arbiter.season.findings import FindingKind
from arbiter.season.season import Season
from arbiter.season.verify import verify
from arbiter.store import Store, schema
from arbiter.testing import ScriptedBot, play_by_policy, play_in_memory, random_policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.config import Config
    from arbiter.match import MatchSpec
    from arbiter.record import MatchRecord
    from arbiter.store import SeasonStore

SEED = "a seed that nobody guesses in a hurry"
CONFIG = f"""\
season: small
game: {{name: planning, deals: [[1, 0], [3, 1]]}}
seed: {SEED}
rounds: 4
opening_rounds: 1
time: 60s+100ms
house_bots: [random]
players:
""" + "".join(f"  - {{name: p{n}, command: [python3]}}\n" for n in range(6))
CONFIG += "  - {name: random, command: [python3], house: true}\n"

ILLEGAL, REFUSED, MALFORMED, CRASH, TIMEOUT = (
    f"r001/{place}" for place in ("t01/m1", "t01/m2", "t01/m3", "t02/m1", "t02/m2")
)
FORFEITS: dict[str, dict[tuple[str, int], bytes | None]] = {
    ILLEGAL: {("gen_move", 1): b"= 2C 2C\n\n"},  # replaced by a card below
    REFUSED: {("gen_declare", 1): b"? no idea\n\n"},
    MALFORMED: {("play", 2): b"hello\n\n"},
    CRASH: {("set_cards", 1): None},
    TIMEOUT: {("gen_move", 2): b"= 3"},
}
CLEAN = "r001/t02/m0"
BROKEN_ROUND = 3


def played(config: Config, spec: MatchSpec) -> MatchRecord:
    """A true record: any legal play, and in some matches of round 1 seat 2 faults."""
    record = play_by_policy(config.game, random_policy(spec.id), spec, cost=1_234_567)
    raw = FORFEITS.get(spec.id)
    if raw is None:
        return record
    if spec.id == ILLEGAL:
        others = record.deals[1]["hands"][0]
        raw = {("gen_move", 1): f"= {others[0]}\n\n".encode()}
    bots = [ScriptedBot.replaying(record, seat, raw if seat == 2 else None) for seat in range(4)]
    return play_in_memory(config.game, bots, spec, cost=1_234_567)


def play_on(config: Config, season: SeasonStore, matches: int | None = None) -> list[MatchSpec]:
    """Play the next round to its end, or so many matches of it; what was played."""
    going = Season(config, season)
    plan = going.rounds.plan()
    assert plan is not None
    for spec in plan.missing[:matches]:
        season.add_match(played(config, spec))
    if matches is None:
        going.rounds.finish(plan.stored.number)
    return list(plan.missing[:matches])


def play_season(config: Config) -> None:
    """Two complete rounds and one broken off after three matches, in the config's store."""
    store = Store(config.store)
    season = Season.open(config, store).stored
    for _ in range(1, BROKEN_ROUND):
        play_on(config, season)
    play_on(config, season, 3)
    store.close()


@pytest.fixture(scope="session")
def original_season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a season that nobody changes."""
    folder = tmp_path_factory.mktemp("season")
    (folder / "small.yaml").write_text(CONFIG)
    play_season(load(folder / "small.yaml"))
    return folder


@dataclass
class Kept:
    """A season of one's own to tamper with."""

    file: Path
    config: Config
    store: Store
    season: SeasonStore

    def play(self, matches: int | None = None) -> list[MatchSpec]:
        return play_on(self.config, self.season, matches)

    def change(self, match_id: str, alter: Callable[[MatchRecord], MatchRecord]) -> None:
        """Another record in place of one, its summary made to fit."""
        record = self.match(match_id)
        self.remove(match_id)
        self.season.add_match(alter(record))

    def match(self, match_id: str) -> MatchRecord:
        record = self.season.match(match_id)
        assert record is not None
        return record

    def remove(self, match_id: str) -> None:
        self.write(sa.delete(schema.matches).where(schema.matches.c.id == match_id))

    def write(self, statement: Any) -> None:
        with self.store.transaction() as connection:
            connection.execute(statement)

    def found(self) -> list[str]:
        """All findings but what could not be checked."""
        season = self.store.season(self.season.name)
        assert season is not None
        return [str(item) for item in verify(self.config, season) if item.kind is not FindingKind.UNCHECKED]


@contextmanager
def copied(original: Path, folder: Path) -> Iterator[Kept]:
    """A copy of a season, in a folder that is made."""
    shutil.copytree(original, folder)
    config = load(folder / "small.yaml")
    with closing(Store(config.store)) as store:
        yield Kept(folder / "small.yaml", config, store, Season.open(config, store).stored)


@pytest.fixture
def kept(original_season: Path, tmp_path: Path) -> Iterator[Kept]:
    with copied(original_season, tmp_path / "kept") as season:
        yield season


@pytest.fixture(scope="module")
def shown(original_season: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """The same for all tests of a file, which only look at it."""
    with copied(original_season, tmp_path_factory.mktemp("shown") / "kept") as season:
        yield season
