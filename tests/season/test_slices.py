"""A season in slices: each plays its own share, and merged they are the season played in one piece."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.config import Config, load
from arbiter.errors import ConfigError, StoreError
from arbiter.season.administration import annul
from arbiter.season.events import Stopped
from arbiter.season.results import Results
from arbiter.season.season import Season
from arbiter.season.slices import Slice, merge, open_part, play_slice
from arbiter.store import SeasonStore, Store, schema
from tests.builders import Scripted, by_name, play_round

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = """\
season: s
game: planning
rounds: 5
opening_rounds: 3
suspend_after: 0
seed: abc
players:
""" + "".join(f"  - {{name: p{n}, command: [python3]}}\n" for n in range(12))
PARTS = 2


class Hall:
    """A folder with the season's own store and those of its parts."""

    def __init__(self, folder: Path, text: str = CONFIG) -> None:
        self.folder = folder
        (folder / "s.yaml").write_text(text)
        self.config = load(folder / "s.yaml")
        self._open: list[Store] = []

    def store(self, name: str) -> Store:
        self._open.append(Store(f"sqlite:///{self.folder / name}.sqlite"))
        return self._open[-1]

    def play(self, number: int, parts: int = PARTS, name: str = "") -> list[str]:
        """Let a slice play all it can; the ids of its matches."""
        base = Store(self.config.store) if Path(self.folder / "s.sqlite").exists() else None
        before = base.season("s") if base else None
        part = self.store(name or f"part{number}")
        season = open_part(self.config, before, part)
        executor = Scripted(by_name)
        for event in play_slice(season, before, Slice(number, parts), executor):
            assert not isinstance(event, Stopped)
        if base:
            base.close()
        return executor.played

    def close(self) -> None:
        for store in self._open:
            store.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with closing(Hall(tmp_path)) as made:
        yield made


def whole(config: Config, store: Store) -> SeasonStore:
    """The season in one piece."""
    season = Season.open(config, store).stored
    going = Season(config, season)
    while plan := going.rounds.plan():
        play_round(season, plan, Scripted(by_name))
        going.rounds.finish(plan.stored.number)
    return season


def test_slices_share_every_match_of_the_rounds_drawn_by_lot(hall: Hall) -> None:
    played = [hall.play(number) for number in (1, 2)]
    assert set(played[0]).isdisjoint(played[1])
    assert sorted(played[0] + played[1]) == [
        f"r{r:03d}/t{t:02d}/m{m}" for r in (1, 2, 3) for t in (1, 2, 3) for m in range(4)
    ]
    assert all(len({name[:8] for name in one if name.startswith("r001")}) <= 2 for one in played)


def test_merged_slices_are_the_season_in_one_piece(hall: Hall) -> None:
    for _ in range(3):
        for number in (1, 2):
            hall.play(number)
        merge(hall.config, hall.store("s"), [hall.store("part1"), hall.store("part2")])
    merged = hall.store("s").season("s")
    assert merged is not None
    alone = whole(hall.config, hall.store("whole"))
    assert merged.summaries() == alone.summaries()
    assert merged.rounds() == alone.rounds()
    assert [merged.standings(number) for number in range(1, 6)] == [
        alone.standings(number) for number in range(1, 6)
    ]


def test_merging_again_adds_nothing(hall: Hall) -> None:
    hall.play(1)
    first = merge(hall.config, hall.store("s"), [hall.store("part1")])
    again = merge(hall.config, hall.store("s"), [hall.store("part1")])
    assert (first.added, first.there, again.added) == (20, 0, 0)
    assert again.there == first.added


def test_what_is_missing_is_told_and_the_season_goes_on_with_it(hall: Hall) -> None:
    hall.play(1)
    merged = merge(hall.config, hall.store("s"), [hall.store("part1")])
    assert (merged.complete, sum(missing for _, missing, _ in merged.missing)) == (0, 36 - merged.added)
    season = whole(hall.config, hall.store("s"))
    assert season.summaries() == whole(hall.config, hall.store("whole")).summaries()


def test_where_players_may_be_suspended_one_round_is_played_at_a_time(tmp_path: Path) -> None:
    with closing(Hall(tmp_path, CONFIG.replace("suspend_after: 0", "suspend_after: 12"))) as hall:
        assert {name[:4] for name in hall.play(1, 1)} == {"r001"}
        merge(hall.config, hall.store("s"), [hall.store("part1")])
        assert {name[:4] for name in hall.play(1, 1, "next")} == {"r002"}


def test_a_slice_that_was_broken_off_plays_only_what_is_missing(hall: Hall) -> None:
    hall.play(1)
    assert hall.play(1) == []


def test_a_seed_that_is_still_to_be_drawn_cannot_be_shared(tmp_path: Path) -> None:
    with closing(Hall(tmp_path, CONFIG.replace("seed: abc", "seed: auto"))) as hall:
        with pytest.raises(ConfigError, match="would draw another seed for each slice"):
            hall.play(1)
        whole_season = Season.open(hall.config, hall.store("s")).stored
        hall.play(1)
        found = hall.store("part1").season("s")
        assert found is not None
        assert found.seed == whole_season.seed


def test_a_season_moves_to_another_store_with_rounds_of_an_earlier_config(hall: Hall) -> None:
    """A player withdrew after round 2; what was rated then stays as it was rated."""
    moved = whole(replace(hall.config, rounds=2), hall.store("before"))
    (hall.folder / "s.yaml").write_text(CONFIG.replace("name: p11,", "name: p11, version: 2,"))
    now = load(hall.folder / "s.yaml")
    going = Season(now, moved)
    plan = going.rounds.plan(accept_changes=True)
    assert plan is not None
    play_round(moved, plan, Scripted(lambda spec: by_name(spec, {"p11@2": 5})))
    going.rounds.finish(3)
    merged = merge(now, hall.store("s"), [hall.store("before")])
    assert (merged.added, merged.complete, merged.missing) == (36, 3, ())
    there = hall.store("s").season("s")
    assert there is not None
    assert there.rounds() == moved.rounds()
    assert [there.standings(n) for n in (1, 2, 3)] == [moved.standings(n) for n in (1, 2, 3)]
    assert [there.settings(stored.digest) for stored in there.rounds()] == [
        moved.settings(stored.digest) for stored in moved.rounds()
    ]


def test_rounds_begun_with_another_config_are_finished_merged_and_rated_under_it(hall: Hall) -> None:
    hall.play(1)
    before = hall.config
    (hall.folder / "s.yaml").write_text(CONFIG.replace("name: p11,", "name: p12,") + "time: 5s\n")
    hall.config = load(hall.folder / "s.yaml")
    merge(hall.config, hall.store("s"), [hall.store("part1")])
    # The other slice has the rounds' settings from the season's own store.
    hall.play(2)
    merged = merge(hall.config, hall.store("s"), [hall.store("part2")])
    assert (merged.complete, merged.missing) == (3, ())
    alone = whole(replace(before, rounds=3), hall.store("whole"))
    there = hall.store("s").season("s")
    assert there is not None
    assert there.rounds() == alone.rounds()
    assert [there.standings(n) for n in (1, 2, 3)] == [alone.standings(n) for n in (1, 2, 3)]
    with pytest.raises(ConfigError, match="changed since round 3, which is complete"):
        hall.play(1)


def test_a_round_begun_with_settings_that_nobody_has_kept_is_not_merged(hall: Hall) -> None:
    hall.play(1)
    part = hall.store("part1")
    with part.transaction() as connection:
        connection.execute(sa.delete(schema.configs))
    (hall.folder / "s.yaml").write_text(CONFIG + "time: 5s\n")
    with pytest.raises(ConfigError, match="begun with another config, whose settings are not kept"):
        merge(load(hall.folder / "s.yaml"), hall.store("s"), [part])
    assert hall.store("s").season("s") is None


def test_a_match_that_two_stores_have_played_differently_is_refused(hall: Hall) -> None:
    hall.play(1)
    hall.play(1, name="again")
    found = hall.store("again").season("s")
    assert found is not None
    first = next(iter(found.match_ids(1)))
    other = hall.store("other").make_season("s", "planning", "abc")
    stored = found.rounds()[0]
    other.add_round(1, stored.digest, stored.tables, {})
    played = found.match(first)
    assert played is not None
    other.add_match(replace(played, wall_ns=7, points=(9, 9, 9, 9)))
    with pytest.raises(
        StoreError, match=rf"match {first} was played twice, in \S+again\.sqlite and in \S+other\.sqlite"
    ):
        merge(hall.config, hall.store("s"), [hall.store("again"), hall.store("other")])
    assert hall.store("s").season("s") is None


def test_a_store_with_more_than_rounds_and_matches_is_not_merged(hall: Hall) -> None:
    hall.play(1, 1)
    part = hall.store("part1")
    (name,) = part.seasons()
    season = part.season(name)
    assert season is not None
    season.authors.add("ann", "ann", "0" * 64, False, "olga")
    annul(Results(hall.config, season), ["r001/t01/m0"], "power cut")
    target = hall.store("s")
    with pytest.raises(StoreError, match=r"part1\.sqlite holds authors, orders, .* arbiter restore moves"):
        merge(hall.config, target, [part])
    assert target.seasons() == []


def test_a_changed_config_is_refused_by_a_slice_too(hall: Hall) -> None:
    whole(replace(hall.config, rounds=2), hall.store("s"))
    (hall.folder / "s.yaml").write_text(CONFIG + "time: 5s\n")
    hall.config = load(hall.folder / "s.yaml")
    with pytest.raises(ConfigError, match="changed since round 2, which is complete: time: 10s -> 5s"):
        hall.play(1)


def test_another_seed_than_the_seasons_is_refused_by_slice_and_merge(hall: Hall) -> None:
    hall.play(1)
    (hall.folder / "s.yaml").write_text(CONFIG.replace("seed: abc", "seed: abd"))
    now = load(hall.folder / "s.yaml")
    with pytest.raises(ConfigError, match="the seed is not the one"):
        merge(now, hall.store("s"), [hall.store("part1")])
    whole(replace(hall.config, rounds=1), hall.store("s"))
    hall.config = now
    with pytest.raises(ConfigError, match="the seed is not the one"):
        hall.play(2)


def test_parts_of_different_seasons_are_not_merged(hall: Hall) -> None:
    hall.play(1)
    other = hall.store("part2")
    other.make_season("s", "planning", "another seed")
    with pytest.raises(StoreError, match="have different seeds"):
        merge(hall.config, hall.store("s"), [hall.store("part1"), other])
    assert hall.store("s").season("s") is None


def test_a_part_without_the_season_is_named(hall: Hall) -> None:
    with pytest.raises(StoreError, match=r"part1\.sqlite holds no season s of planning"):
        merge(hall.config, hall.store("s"), [hall.store("part1")])


def test_parts_planned_otherwise_are_not_merged(hall: Hall) -> None:
    hall.play(1)
    other = hall.store("part2").make_season("s", "planning", "abc")
    other.add_round(1, hall.config.digest, [["p0", "p1", "p2", "p3"]], {})
    with pytest.raises(StoreError, match=r"part2\.sqlite has another plan of round 1"):
        merge(hall.config, hall.store("s"), [hall.store("part1"), hall.store("part2")])


def test_a_part_that_begins_later_needs_the_store_of_the_rounds_before(hall: Hall) -> None:
    later = hall.store("part1").make_season("s", "planning", "abc")
    later.add_round(3, hall.config.digest, [["p0", "p1", "p2", "p3"]], {})
    with pytest.raises(StoreError, match="round 1 is in none of these stores"):
        merge(hall.config, hall.store("s"), [hall.store("part1")])


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "a/b", "1/0", "-1/2", "1/2/3"])
def test_a_slice_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="not a slice"):
        Slice.parse(text)
