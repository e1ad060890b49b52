"""Rounds: planned from what is stored, played once each, rated when complete."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.config import Config, load
from arbiter.errors import ConfigError, VoidMatch
from arbiter.match import Fault, MatchSummary
from arbiter.schedule import drawn_tables
from arbiter.store import SeasonStore, Store
from arbiter.tournament import finish_round, next_round, open_season, pairwise, play_round, ranking
from tests.test_store import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arbiter.match import MatchRecord, MatchSpec

CONFIG = """\
game: planning
rounds: 2
seed: abc
players:
""" + "".join(f"  - {{name: p{n}, command: [python3]}}\n" for n in range(8))


class Scripted(Executor):
    """Answers each match from a function, in place of playing it."""

    def __init__(self, outcome: Callable[[MatchSpec], MatchRecord]) -> None:
        self.played: list[str] = []
        self._outcome = outcome

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        (spec,) = args
        self.played.append(spec.id)
        future: Future[Any] = Future()
        try:
            future.set_result(self._outcome(spec))
        except Exception as error:
            future.set_exception(error)
        return future


def by_name(spec: MatchSpec) -> MatchRecord:
    """The higher number wins."""
    names = tuple(player.name for player in spec.players)
    points = tuple(int(name[1:]) for name in names)
    return record(
        spec.id, spec.round or 0, players=names, points=points, table=spec.table, rotation=spec.rotation
    )


@pytest.fixture
def config(tmp_path: Path) -> Config:
    path = tmp_path / "s.yaml"
    path.write_text(CONFIG)
    return load(path)


@pytest.fixture
def season(config: Config) -> Iterator[SeasonStore]:
    store = Store(config.store)
    yield open_season(config, store)
    store.close()


def played(config: Config, season: SeasonStore, executor: Executor) -> dict[str, Any]:
    plan = next_round(config, season)
    assert plan is not None
    play_round(season, plan, executor)
    return finish_round(config, season, plan)


def test_rounds_follow_each_other_until_the_last(config: Config, season: SeasonStore) -> None:
    executor = Scripted(by_name)
    assert played(config, season, executor)["rounds_played"] == 1
    standings = played(config, season, executor)
    assert standings["rounds_played"] == 2
    assert next_round(config, season) is None
    assert {row["player"]: row["wins"] for row in standings["players"]}["p7"] == 24
    assert executor.played == [f"r{r:03d}/t{t:02d}/m{m}" for r in (1, 2) for t in (1, 2) for m in range(4)]


def test_a_broken_round_goes_on_with_what_is_missing(config: Config, season: SeasonStore) -> None:
    def breaks(spec: MatchSpec) -> MatchRecord:
        if spec.id == "r001/t02/m1":
            raise KeyboardInterrupt
        return by_name(spec)

    class Broken(Scripted):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            season.add_match(future.result())
            return future

    plan = next_round(config, season)
    assert plan is not None
    with pytest.raises(KeyboardInterrupt):
        play_round(season, plan, Broken(breaks))
    assert len(season.match_ids(1)) == 5
    rest = Scripted(by_name)
    played(config, season, rest)
    assert rest.played == ["r001/t02/m1", "r001/t02/m2", "r001/t02/m3"]


def test_a_void_match_is_played_again_under_its_id(config: Config, season: SeasonStore) -> None:
    voids = ["r001/t01/m2"]

    def once(spec: MatchSpec) -> MatchRecord:
        if spec.id in voids:
            voids.remove(spec.id)
            raise VoidMatch("no memory")
        return by_name(spec)

    executor = Scripted(once)
    played(config, season, executor)
    assert executor.played.count("r001/t01/m2") == 2
    assert len(season.match_ids(1)) == 8


def test_two_voids_in_a_row_stop_the_run(config: Config, season: SeasonStore) -> None:
    def never(spec: MatchSpec) -> MatchRecord:
        raise VoidMatch("no memory")

    with pytest.raises(VoidMatch, match=r"r001/t0./m. was void twice in a row: no memory"):
        played(config, season, Scripted(never))


def test_a_changed_config_needs_consent(config: Config, season: SeasonStore, tmp_path: Path) -> None:
    played(config, season, Scripted(by_name))
    path = tmp_path / "s.yaml"
    path.write_text(CONFIG + "time: 5s\n")
    changed = load(path)
    with pytest.raises(ConfigError, match="changed since round 1, which is complete"):
        next_round(changed, season)
    assert next_round(changed, season, accept_changes=True) is not None
    with pytest.raises(ConfigError, match="changed since round 2, which is begun"):
        next_round(config, season, accept_changes=True)


def test_a_drawn_seed_stays_with_the_season(config: Config, tmp_path: Path) -> None:
    path = tmp_path / "auto.yaml"
    path.write_text(CONFIG.replace("seed: abc", "seed: auto"))
    auto = load(path)
    store = Store(auto.store)
    seed = open_season(auto, store).seed
    assert len(seed) == 64
    assert open_season(auto, store).seed == seed
    store.close()


def test_a_commitment_to_a_seed_that_is_still_to_be_drawn_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "auto.yaml"
    path.write_text(CONFIG.replace("seed: abc", f"seed: auto\nseed_commitment: {'a' * 64}"))
    auto = load(path)
    store = Store(auto.store)
    with pytest.raises(ConfigError, match="still to be drawn"):
        open_season(auto, store)
    assert store.season(auto.season) is None
    store.close()


def summary(players: str, points: tuple[int, ...] | None, faulty: int | None = None) -> MatchSummary:
    fault = None if faulty is None else Fault.CRASH
    return MatchSummary("m", 1, 1, 0, tuple(players.split()), points, None, faulty, fault)


def test_a_completed_match_counts_six_results_and_a_forfeited_one_three() -> None:
    complete = pairwise([summary("a b c d", (5, 3, 3, 1))])
    assert sum(map(sum, complete["wins"])) == 5
    assert sum(map(sum, complete["draws"])) == 2
    forfeited = pairwise([summary("a b c d", None, 1)])
    assert [sum(row) for row in forfeited["losses"]] == [0, 3, 0, 0]
    assert sum(map(sum, forfeited["wins"])) == 3


def test_copies_of_a_house_bot_give_no_result_with_each_other() -> None:
    for match in (summary("a b h h#2", (5, 3, 2, 1)), summary("a b h h#2", None, 2)):
        table = pairwise([match])
        one, other = table["players"].index("h"), table["players"].index("h#2")
        assert table["wins"][other][one] == table["wins"][one][other] == 0
        assert sum(map(sum, table["wins"])) == (5 if match.points else 2)


def test_a_player_without_results_stands_last_without_a_rating() -> None:
    rows = ranking([summary("a b c d", (5, 3, 2, 1))], ["idle", "a"]).rows
    assert (rows[-1].player, rows[-1].elo, rows[-1].low) == ("idle", None, None)


@pytest.mark.parametrize("rule", ["variance", "a-optimal", "swiss"])
def test_after_the_opening_the_rule_of_pairing_takes_over(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(CONFIG + f"opening_rounds: 1\npairing: {rule}\n")
    paired = load(path)
    store = Store(paired.store)
    season = open_season(paired, store)
    played(paired, season, Scripted(by_name))
    plan = next_round(paired, season)
    assert plan is not None
    tables = plan.stored.tables
    assert sorted(name for table in tables for name in table) == [f"p{n}" for n in range(8)]
    assert [list(table) for table in tables] != drawn_tables([f"p{n}" for n in range(8)], 4, "abc", 2)
    again = next_round(paired, season)
    assert again is not None
    assert again.stored.tables == tables
    store.close()
