"""Rounds that begin at their moments: waited for, made up for when late, the same after an interruption."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError
from arbiter.season import administration
from arbiter.season.calendar import LOOK_SECONDS, SeasonClock, next_start, rounds_left
from arbiter.season.config import load
from arbiter.season.events import RoundAwaited, RoundComplete, RoundPlanned, SeasonComplete, Stopped
from arbiter.season.season import Season
from arbiter.store import SeasonStore, Store
from tests.fixtures.executor import Scripted
from tests.fixtures.made_up_seasons import of_kind, players
from tests.fixtures.records import by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.events import Event
    from tests.fixtures.commands import Run
    from tests.fixtures.made_up_seasons import Opened

CONFIG = f"game: planning\nisolation: plain\nrounds: 3\nseed: abc\nplayers:\n{players(4)}"
UNBOUND = CONFIG.replace("rounds: 3\n", "")
MORNING = datetime(2026, 12, 1, 8, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class Day:
    """The time of a made day; whoever waits makes it later. `at` are things done at moments of it."""

    def __init__(self) -> None:
        self.now = MORNING
        self.at: dict[datetime, Callable[[], object]] = {}
        self.longest_nap = 0.0

    def sleep(self, seconds: float) -> None:
        self.longest_nap = max(self.longest_nap, seconds)
        self.now += timedelta(seconds=seconds)
        for moment in [moment for moment in self.at if moment <= self.now]:
            self.at.pop(moment)()

    @property
    def clock(self) -> SeasonClock:
        return SeasonClock(lambda: self.now, self.sleep)


@pytest.fixture
def day() -> Day:
    return Day()


@pytest.fixture
def open_season(tmp_path: Path, day: Day) -> Iterator[Opened]:
    """Opens the season whose file has these lines, too, as a new process would."""
    stores: list[Store] = []

    def opened(lines: str = "", config: str = CONFIG) -> Season:
        file = tmp_path / "s.yaml"
        file.write_text(f"{lines}\n{config}")
        settled = load(file)
        stores.append(Store(settled.store))
        return Season(settled, Season.open(settled, stores[-1]).stored, clock=day.clock)

    yield opened
    for store in stores:
        store.close()


def lasting(day: Day, seconds: float) -> Scripted:
    """Plays rounds of four matches, one at a time, that take so many seconds in all."""

    def play(spec: MatchSpec) -> MatchRecord:
        day.now += seconds * SECOND / 4
        return replace(by_name(spec), wall_ns=int(seconds * 25e7))

    return Scripted(play)


def times(day: Day, events: Iterator[Event]) -> list[float]:
    """The seconds of the day at which rounds begin."""
    return [(day.now - MORNING) / SECOND for event in events if isinstance(event, RoundPlanned)]


@pytest.mark.parametrize(
    ("lines", "config", "seconds", "began"),
    [
        ("every: 30s", CONFIG, 4, [0, 30, 60]),
        ("every: 30s\nopens: 2026-12-01T08:01:00+00:00", CONFIG, 4, [60, 90, 120]),
        ("opens: 2026-12-01T08:01:00+00:00", CONFIG, 4, [60, 64, 68]),
        ("every: 30s\nmissed: skip\nopens: 2026-12-01T07:59:40+00:00", CONFIG, 4, [10, 40, 70]),
        ("every: 20s\nuntil: 2026-12-01T08:00:45+00:00", UNBOUND, 10, [0, 20]),
    ],
    ids=[
        "an interval",
        "after the opening",
        "without an interval",
        "a missed opening",
        "too late to end in time",
    ],
)
def test_rounds_begin_at_the_moments_of_the_calendar(
    day: Day, open_season: Opened, lines: str, config: str, seconds: float, began: list[float]
) -> None:
    assert times(day, open_season(lines, config).play(lasting(day, seconds))) == began
    assert day.now == MORNING + (began[-1] + seconds) * SECOND


@pytest.mark.parametrize(
    ("later", "began"),
    [
        ("opens: 2026-12-01T08:00:20+00:00", [20, 50, 80]),
        ("opens: 2026-12-01T08:00:20+00:00\nevery: 0", [60, 90, 120]),
    ],
    ids=["as it is now", "a mistake changes nothing"],
)
def test_a_calendar_that_changes_while_a_round_is_awaited_is_followed(
    day: Day, open_season: Opened, tmp_path: Path, later: str, began: list[float]
) -> None:
    opened_season = open_season("every: 30s\nopens: 2026-12-01T08:01:00+00:00")
    text = f"every: 30s\n{later}\n{CONFIG}" if "every" not in later else f"{later}\n{CONFIG}"
    day.at[MORNING + 10 * SECOND] = partial(_rewrite, tmp_path / "s.yaml", text)
    assert times(day, opened_season.play(lasting(day, 4))) == began


def _rewrite(file: Path, text: str) -> None:
    file.write_text(text)
    os.utime(file, ns=(0, 1))


@pytest.mark.parametrize(
    ("missed", "began"), [("play", [0, 70, 74, 90, 120]), ("skip", [0, 70, 90, 120, 150])]
)
def test_moments_that_pass_during_a_long_round_are_made_up_for_or_left_out(
    day: Day, open_season: Opened, missed: str, began: list[float]
) -> None:
    config = CONFIG.replace("rounds: 3", "rounds: 5")
    opened_season = open_season(f"every: 30s\nmissed: {missed}", config)
    took = iter([70, 70, 70, 70, *[4] * 16])

    def play(spec: MatchSpec) -> MatchRecord:
        day.now += next(took) * SECOND / 4
        return by_name(spec)

    assert times(day, opened_season.play(Scripted(play))) == began


def test_a_moment_that_is_just_over_is_not_missed_and_nobody_gets_two_rounds_for_one(
    day: Day, open_season: Opened
) -> None:
    going = open_season("every: 5m\nmissed: skip").play(lasting(day, 4))
    assert any(isinstance(event, RoundAwaited) for event in going)
    day.now = MORNING + 3 * 300 * SECOND + 50 * SECOND
    again = open_season("every: 5m\nmissed: skip")
    assert times(day, again.play(lasting(day, 4))) == [950, 1200]


def test_the_rounds_that_are_left_before_an_end_leave_out_what_cannot_be_begun(
    day: Day, open_season: Opened
) -> None:
    lines = "every: 20s\nmissed: skip\nuntil: 2026-12-01T08:02:00+00:00"
    opened_season = open_season(lines, UNBOUND)
    list(opened_season.play(lasting(day, 35), only_one=True))
    # Of 35 seconds each, at 40 and 80 seconds.
    assert rounds_left(opened_season.config, opened_season.stored, 1, day.now, limit=99) == 2


def test_a_season_that_was_killed_goes_on_at_the_same_moments(day: Day, open_season: Opened) -> None:
    going = open_season("every: 30s").play(lasting(day, 4))
    assert any(isinstance(event, RoundAwaited) for event in going)
    day.now += 20 * SECOND
    assert times(day, open_season("every: 30s").play(lasting(day, 4))) == [30, 60]


def test_a_round_that_was_broken_off_is_finished_at_once(day: Day, open_season: Opened) -> None:
    opened_season = open_season("every: 30s")
    assert opened_season.rounds.plan() is not None
    day.now += 5 * SECOND
    assert times(day, open_season("every: 30s").play(lasting(day, 4))) == [5, 30, 60]


def test_what_is_waited_for_is_told_once(day: Day, open_season: Opened) -> None:
    events = of_kind(RoundAwaited, open_season("every: 30s").play(lasting(day, 4)))
    assert events == [RoundAwaited(2, MORNING + 30 * SECOND), RoundAwaited(3, MORNING + 60 * SECOND)]
    assert 0 < day.longest_nap <= LOOK_SECONDS < 2, "an order waits no longer"


def test_a_wish_to_stop_is_heard_while_a_round_is_waited_for(day: Day, open_season: Opened) -> None:
    opened_season = open_season("every: 30s")
    day.at[MORNING + 10 * SECOND] = opened_season.stored.ask_to_stop
    assert list(opened_season.play(lasting(day, 4)))[-1] == Stopped()
    assert day.now - MORNING < 10 * SECOND + 2 * timedelta(seconds=LOOK_SECONDS)
    assert not opened_season.stored.is_asked_to_stop()


def test_a_season_that_is_closed_meanwhile_is_over_at_once(day: Day, open_season: Opened) -> None:
    opened_season = open_season("every: 30s")
    day.at[MORNING + 10 * SECOND] = lambda: opened_season.stored.running.close("olga")
    assert list(opened_season.play(lasting(day, 4)))[-1] == SeasonComplete(1, "abc")
    assert day.now - MORNING < 12 * SECOND


def test_a_season_that_is_paused_meanwhile_stops_and_then_goes_on_at_its_moments(
    day: Day, open_season: Opened
) -> None:
    opened_season = open_season("every: 30s")
    day.at[MORNING + 10 * SECOND] = lambda: opened_season.stored.running.pause("olga")
    assert list(opened_season.play(lasting(day, 4)))[-1] == Stopped()
    assert day.now - MORNING < 12 * SECOND
    opened_season.stored.running.resume("olga")
    assert times(day, opened_season.play(lasting(day, 4))) == [30, 60]


def test_matches_annulled_meanwhile_are_played_again_before_the_next_round(
    day: Day, open_season: Opened
) -> None:
    opened_season, executor, again = open_season("every: 30s"), lasting(day, 4), "r001/t01/m2"
    day.at[MORNING + 10 * SECOND] = lambda: administration.annul(
        opened_season.results, [again], "a power cut", replay=True
    )
    assert times(day, opened_season.play(executor)) == [0, 30, 60]
    assert executor.played[4] == again
    assert executor.played.count(again) == 2


def test_what_must_be_accepted_is_said_before_the_wait(day: Day, open_season: Opened) -> None:
    going = open_season("every: 30s").play(lasting(day, 4))
    assert any(isinstance(event, RoundComplete) for event in going)
    changed = open_season("every: 30s\ntime: 1s")
    with pytest.raises(ConfigError, match="changed since round 1"):
        next(iter(changed.play(lasting(day, 4))))
    assert not day.longest_nap


def test_a_single_round_is_played_at_once(day: Day, open_season: Opened) -> None:
    opened_season = open_season("every: 30s")
    for _ in range(2):
        list(opened_season.play(lasting(day, 4), only_one=True))
    assert (opened_season.stored.complete, day.now) == (2, MORNING + 8 * SECOND)


def test_rounds_end_by_the_end_of_the_season(day: Day, open_season: Opened) -> None:
    """Three of ten seconds fit into 35, and after the third the season is over at once."""
    opened_season = open_season("until: 2026-12-01T08:00:35+00:00", UNBOUND)
    events = list(opened_season.play(lasting(day, 10)))
    assert isinstance(events[-1], SeasonComplete)
    assert (opened_season.stored.complete, day.now) == (3, MORNING + 30 * SECOND)
    assert opened_season.stored.seed_told() == 3


def test_the_rounds_that_are_left_are_counted_with_their_moments_and_lengths(
    day: Day, open_season: Opened
) -> None:
    lines = "every: 20s\nuntil: 2026-12-01T08:02:00+00:00"
    opened_season = open_season(lines, UNBOUND)
    list(opened_season.play(lasting(day, 15), only_one=True))
    # At 20, 40, 60, 80 and 100 seconds; six one after the other, since the seventh would end with the season.
    assert rounds_left(opened_season.config, opened_season.stored, 1, day.now, limit=99) == 5
    assert rounds_left(opened_season.config, opened_season.stored, 1, day.now, limit=2) == 2
    free = replace(opened_season.config, every=None)
    assert rounds_left(free, opened_season.stored, 1, day.now, limit=99) == 6


def test_moments_beyond_all_calendars_are_the_last_of_all(day: Day, open_season: Opened) -> None:
    opened_season = open_season("every: 8760h\nopens: 9999-12-01", CONFIG)
    assert opened_season.rounds.plan() is not None
    season_store: SeasonStore = opened_season.stored
    moment = next_start(opened_season.config, season_store.rounds(), day.now)
    assert moment is not None
    assert moment.year == 9999


def test_the_status_tells_when_the_next_round_begins_and_until_when_there_are_rounds(
    day: Day, open_season: Opened, arbiter: Run
) -> None:
    # The command looks at this machine's clock.
    day.now = datetime.now(UTC).replace(microsecond=0)
    following, until = day.now + 30 * SECOND, day.now + timedelta(days=1)
    opened_season = open_season(f"every: 30s\nuntil: {until.isoformat()}")
    list(opened_season.play(lasting(day, 4), only_one=True))
    shape = json.loads(arbiter("status", opened_season.config.file, "--format", "json")[1])
    assert shape["next"] == {"round": 2, "begins": following.isoformat()}
    assert opened_season.config.until is not None
    assert shape["until"] == opened_season.config.until.isoformat()
    text = arbiter("status", opened_season.config.file)[1]
    assert f"1 round complete\nround 2 is due at {following.astimezone():%Y-%m-%d} " in text
    assert f"no round begins that would not end before {until.astimezone():%Y-%m-%d} " in text


def test_the_status_tells_the_organiser_what_the_public_does_not_see(
    day: Day, open_season: Opened, arbiter: Run
) -> None:
    opened_season = open_season("freeze: 2")
    for _ in range(2):
        list(opened_season.play(lasting(day, 4), only_one=True))
    shape = json.loads(arbiter("status", opened_season.config.file, "--format", "json")[1])
    assert shape["frozen_after"] == 1
    words = "results after round 1 are hidden from the public until the season is over"
    assert words in arbiter("status", opened_season.config.file)[1]


@pytest.mark.parametrize(
    ("lines", "config", "lasts", "frozen"),
    [
        ("freeze: 2", CONFIG.replace("rounds: 3", "rounds: 5"), 4, [None, None, None, 3, 3]),
        ("freeze: 5", CONFIG, 4, [0, 0, 0]),
        ("freeze: 2\nuntil: 2026-12-01T08:00:45+00:00", UNBOUND, 10, [None, None, 2, 2]),
    ],
    ids=["of five", "more than there are", "before an end, as far as can be told"],
)
def test_the_last_rounds_are_held_back_from_the_public(
    day: Day, open_season: Opened, lines: str, config: str, lasts: float, frozen: list[int | None]
) -> None:
    opened_season = open_season(lines, config)
    events = opened_season.play(lasting(day, lasts))
    seen = [opened_season.stored.frozen_after() for event in events if isinstance(event, RoundPlanned)]
    assert seen == frozen
    assert opened_season.stored.frozen_after() is None, "it is over"


def test_the_last_round_shows_what_was_held_back_also_where_rounds_are_played_one_by_one(
    day: Day, open_season: Opened
) -> None:
    opened_season = open_season("freeze: 1")
    seen = []
    for _ in range(3):
        list(opened_season.play(lasting(day, 4), only_one=True))
        seen.append((opened_season.stored.frozen_after(), opened_season.stored.seed_told()))
    assert seen == [(None, None), (None, None), (None, 3)]
    assert "over" in [event.subject for event in opened_season.stored.events(0, 99)]


def test_a_single_round_after_which_no_other_fits_ends_the_season(day: Day, open_season: Opened) -> None:
    opened_season = open_season("until: 2026-12-01T08:00:25+00:00", UNBOUND)
    ends = [list(opened_season.play(lasting(day, 10), only_one=True))[-1] for _ in range(2)]
    assert list(map(type, ends)) == [RoundComplete, SeasonComplete]


def test_results_stay_held_back_when_rounds_are_added(day: Day, open_season: Opened) -> None:
    opened_season = open_season("freeze: 2")
    for _ in range(2):
        list(opened_season.play(lasting(day, 4), only_one=True))
    assert opened_season.stored.frozen_after() == 1
    longer = open_season("freeze: 2", CONFIG.replace("rounds: 3", "rounds: 9"))
    list(longer.play(lasting(day, 4), only_one=True))
    assert longer.stored.frozen_after() == 1


def test_rounds_that_are_played_in_parts_are_held_back_by_the_files_number(
    day: Day, open_season: Opened
) -> None:
    opened_season = open_season("freeze: 1")
    list(opened_season.play(lasting(day, 4), rounds=2))
    assert opened_season.stored.frozen_after() is None


@pytest.mark.parametrize("lines", ["every: 30s", "every: 30s\nmissed: skip"])
def test_a_round_that_was_begun_while_the_clock_was_ahead_delays_none(
    day: Day, open_season: Opened, lines: str
) -> None:
    opened_season = open_season(lines)
    day.now += timedelta(days=365)
    list(opened_season.play(lasting(day, 4), only_one=True))
    day.now = MORNING
    assert times(day, open_season(lines).play(lasting(day, 4))) == [0, 30]
