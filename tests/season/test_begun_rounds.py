"""A round that was begun is finished under the settings that it was begun with, whatever the file says then."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.errors import ConfigError
from arbiter.season.config import load
from arbiter.season.events import (
    ChangesAccepted,
    FinishedAsBegun,
    HostRemark,
    MatchStored,
    RoundComplete,
    RoundPlanned,
    SeasonComplete,
)
from arbiter.season.season import Season
from arbiter.store import Store, db_schema
from tests.fixtures.executor import Scripted
from tests.fixtures.made_up_seasons import of_kind, play, players
from tests.fixtures.records import by_name

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.season.events import Event
    from arbiter.store import SeasonStore
    from tests.fixtures.made_up_seasons import Configured

CONFIG = f"game: planning\nrounds: 3\nopening_rounds: 1\nseed: abc\ntime: 10s\nplayers:\n{players(8)}"
EDITED = CONFIG.replace("time: 10s", "time: 5s").replace("name: p7", "name: p8")
"""Another time, and p8 in the place of p7."""
WHAT = "time: 10s -> 5s; p8 is new; p7 is withdrawn"
MATCHES = 8


@pytest.fixture
def config(tmp_path: Path) -> Configured:
    """A config from its text."""

    def write(text: str) -> Config:
        path = tmp_path / "s.yaml"
        path.write_text(text)
        return load(path)

    return write


def kill_at(opened_season: Season, point: int) -> bool:
    """Play, and abandon everything after so many events; False if there were fewer."""
    going = opened_season.play(Scripted(by_name))
    for number, _ in zip(count(1), going, strict=False):
        if number == point:
            going.close()  # type: ignore[attr-defined]
            return True
    return False


def kept(season: SeasonStore, rounds: int) -> tuple[object, ...]:
    """All that the first rounds left in the store."""
    return (
        [stored for stored in season.rounds() if stored.number <= rounds],
        [record for number in range(1, rounds + 1) for record in season.records(number)],
        [season.standings(number) for number in range(1, rounds + 1)],
    )


@pytest.mark.slow
def test_killed_at_any_point_it_ends_as_if_undisturbed(config: Configured) -> None:
    """The file is edited while nobody plays; the round goes on without asking, and the next one asks."""
    two, two_edited = (text.replace("rounds: 3", "rounds: 2") for text in (CONFIG, EDITED))
    with closing(Store("sqlite://")) as store:
        undisturbed = Season.open(config(two), store)
        play(undisturbed)
        expected = {number: kept(undisturbed.stored, number) for number in (1, 2)}
    # In the middle of a round one point is like the next.
    for point in (point for point in count(1) if point % (1 + MATCHES + 1) not in (4, 5, 6, 7)):
        with closing(Store("sqlite://")) as store:
            if not kill_at(Season.open(config(two), store), point):
                break
            edited = Season.open(config(two_edited), store)
            begun = next((known for known in edited.stored.rounds() if not known.complete), None)
            there = 0 if begun is None else len(edited.stored.match_ids(begun.number))
            events: list[Event] = []
            is_last = begun is not None and there > 0 and begun.number == 2
            if edited.stored.complete < 2:
                asks = pytest.raises(ConfigError, match="give --accept-changes")
                with nullcontext() if is_last else asks:
                    events.extend(edited.play(Scripted(by_name)))
            finished = [FinishedAsBegun, RoundPlanned, RoundComplete] if there else []
            end = [SeasonComplete] if is_last else []
            assert [type(event) for event in events if not isinstance(event, MatchStored)] == finished + end
            if begun is not None and there:
                assert events[0] == FinishedAsBegun(begun.number, WHAT)
                assert sum(isinstance(event, MatchStored) for event in events) == MATCHES - there
            complete = edited.stored.complete
            if complete:
                assert kept(edited.stored, complete) == expected[complete]
    assert point == 2 * (1 + MATCHES + 1) + 2


@pytest.mark.slow
def test_all_matches_stored_and_none_rated_is_finished_with_consent_too(
    config: Configured, store: Store
) -> None:
    kill_at(Season.open(config(CONFIG), store), 1 + MATCHES)
    opened_season = Season.open(config(EDITED), store)
    executor = Scripted(by_name)
    events = list(opened_season.play(executor, accept_changes=True))
    assert events[0] == FinishedAsBegun(1, WHAT)
    assert executor.played[0] == "r002/t01/m0"
    assert of_kind(ChangesAccepted, events) == [ChangesAccepted(WHAT)]
    assert isinstance(events[-1], SeasonComplete)
    now = [stored.digest == opened_season.config.digest for stored in opened_season.stored.rounds()]
    assert now == [False, True, True]


def test_one_round_that_was_begun_leaves_the_change_to_be_accepted(config: Configured, store: Store) -> None:
    kill_at(Season.open(config(CONFIG), store), 3)
    opened_season = Season.open(config(EDITED), store)
    events = play(opened_season, accept_changes=True, only_one=True)
    assert not any(isinstance(event, ChangesAccepted) for event in events)
    with pytest.raises(ConfigError, match="changed since round 1, which is complete"):
        opened_season.rounds.plan()


def test_its_matches_have_the_limits_of_then_on_the_tier_of_this_machine(
    config: Configured, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []

    def look(spec: MatchSpec) -> MatchRecord:
        limits.append((spec.limits.time.budget_ns, spec.limits.isolation))
        return by_name(spec)

    kill_at(Season.open(config(CONFIG), store), 3)
    monkeypatch.setattr(
        "arbiter.season.config.readable_secrets.choose", lambda *_: ("plain", "nothing keeps bots apart")
    )
    now = config(EDITED)
    now = replace(now, limits=replace(now.limits, isolation="plain"))
    events = play(Season.open(now, store), look, only_one=True)
    assert set(limits) == {(10 * 10**9, "plain")}
    assert [event.text for event in events if isinstance(event, HostRemark)] == ["nothing keeps bots apart"]


def with_programs(folder: Path) -> str:
    """The config, each player with a program in a folder of its own."""
    text = CONFIG
    for number in range(8):
        (folder / f"p{number}").mkdir()
        (folder / f"p{number}" / "bot.py").touch()
        text = text.replace(
            f"p{number}, command: [python3]", f"p{number}, command: [python3, p{number}/bot.py]"
        )
    return text


def test_programs_that_are_gone_are_named_before_anything_is_played(
    config: Configured, store: Store, tmp_path: Path
) -> None:
    kill_at(Season.open(config(with_programs(tmp_path)), store), 3)
    (tmp_path / "p7" / "bot.py").unlink()
    opened_season = Season.open(config(EDITED), store)
    executor = Scripted(by_name)
    with pytest.raises(ConfigError) as caught:
        list(opened_season.play(executor))
    assert executor.played == []
    assert str(caught.value).endswith(
        "round 1 is played under the settings that it was begun with, and of those p7:"
        " there is no file p7/bot.py (put it back)"
    )
    assert "\n" not in str(caught.value)


def test_where_only_ratings_are_missing_no_program_is(
    config: Configured, store: Store, tmp_path: Path
) -> None:
    kill_at(Season.open(config(with_programs(tmp_path)), store), 1 + MATCHES)
    (tmp_path / "p7" / "bot.py").unlink()
    opened_season = Season.open(config(EDITED), store)
    assert isinstance(play(opened_season, only_one=True)[-1], RoundComplete)


def test_who_sits_in_a_begun_round_may_be_started_beside_the_players_of_now(
    config: Configured, store: Store
) -> None:
    kill_at(Season.open(config(CONFIG), store), 3)
    opened_season = Season.open(config(EDITED), store)
    assert {player.name for player in opened_season.rounds.players()} == {f"p{n}" for n in range(9)}
    play(opened_season, only_one=True)
    assert {player.name for player in opened_season.rounds.players()} == {f"p{n}" for n in range(9)} - {"p7"}


def test_settings_that_were_not_kept_leave_the_round_to_the_old_file(
    config: Configured, store: Store
) -> None:
    kill_at(Season.open(config(CONFIG), store), 3)
    with store.transaction() as connection:
        connection.execute(sa.delete(db_schema.configs))
    with pytest.raises(ConfigError, match=r"begun: what it was is not known \(finish it with"):
        Season.open(config(EDITED), store).rounds.plan(accept_changes=True)
