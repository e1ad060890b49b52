"""The start times of a season's rounds, and the number of rounds that there is time for.

All follow from the season's file, its rounds and the present time, so a resumed season has the same
start times.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import ArbiterError
from arbiter.season.schedule import matches_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore, StoredRound
    from arbiter.store.row_values import Planned

RECENT = 3
"""Complete rounds from which the length of the next one is estimated."""
LATE = timedelta(minutes=1)
"""How late a round may begin with `missed: skip`, at most half the time between two rounds."""
LOOK_SECONDS = 1.0
"""Between two polls for orders and stop requests while waiting for a round."""
KEYS = ("opens", "every", "until", "missed", "rounds", "freeze", "submissions")
"""The keys of the season's file that determine when rounds begin."""
FOREVER = datetime.max.replace(tzinfo=UTC)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SeasonClock:
    """The clock of a season: the time of day, and a function that sleeps for seconds."""

    now: Callable[[], datetime] = _now
    sleep: Callable[[float], None] = time.sleep


class CalendarFile:
    """The calendar of a season's file, which may change while a season waits for a round."""

    def __init__(self, file: Path) -> None:
        self._file, self._mtime = file, _mtime(file)

    def is_changed(self) -> bool:
        """True if the file was written since it was read."""
        return _mtime(self._file) != self._mtime

    def apply(self, config: Config) -> Config:
        """Reload a changed file; return the config with its calendar, unchanged if the file has a mistake."""
        from arbiter.season.config import load

        if not self.is_changed():
            return config
        self._mtime = _mtime(self._file)
        try:
            now = load(self._file)
        except ArbiterError:
            return config
        return replace(config, **{key: getattr(now, key) for key in KEYS})


def _mtime(file: Path) -> int:
    """Return when the file was last written, in ns; 0 if that cannot be read."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def next_start(config: Config, complete: Sequence[Planned], now: datetime) -> datetime | None:
    """Return the start of the round after the complete ones, at once if it is past; None if it has none.

    With `every` starts are multiples of it after the season's opening, or else after its first round was
    planned: a late round moves no other. With `missed: skip` the start is never past. The start of a round
    that was planned under a clock set ahead is not used.
    """
    planned = _planning_times(config, complete, now)
    first = _first_start(config, planned)
    return _start_of_place(config, first, _next_place(config, first, planned), now)


class NextRound(NamedTuple):
    """The next round and its start, at once if that is past; `number` is None while results are held back."""

    number: int | None
    begins: datetime


def next_round(config: Config, rounds: Sequence[Planned], over: bool, now: datetime) -> NextRound | None:
    """Return the next round; None during a round, if the season is `over`, or if it has no start."""
    if over or not all(known.complete for known in rounds):
        return None
    number, moment = len(rounds) + 1, next_start(config, rounds, now)
    return None if moment is None or _is_too_late(config, number, moment) else NextRound(number, moment)


def round_by_calendar(config: Config, rounds: Sequence[Planned], now: datetime) -> NextRound | None:
    """Return the next future start, regardless of the rounds played since; its number is None."""
    moment, number = next_start(config, rounds, now), len(rounds) + 1
    if moment is not None and moment <= now and config.every is not None:
        late = (now - moment) // config.every + 1
        moment, number = moment + late * config.every, number + late
    if moment is None or moment <= now or _is_too_late(config, number, moment):
        return None
    return NextRound(None, moment)


def _is_too_late(config: Config, number: int, moment: datetime) -> bool:
    """True for a round above `rounds` that is not before `until`."""
    return number > config.rounds and (config.until is None or moment >= config.until)


def rounds_left(config: Config, season: SeasonStore, at_once: int, now: datetime, limit: int) -> int:
    """Read how many more rounds, `limit` at most, would end before `until`; 0 without `until`.

    Each is expected to take as long as the longest of the last few.
    """
    if config.until is None:
        return 0
    complete = [known for known in season.rounds() if known.complete]
    longest = longest_round(config, season, complete, at_once)
    found = 0
    for start, _ in round_spans(config, complete, now, now, longest, limit):
        if config.until - start <= longest:
            break
        found += 1
    return found


def round_spans(
    config: Config, planned: Sequence[Planned], now: datetime, free: datetime, length: timedelta, number: int
) -> Iterator[tuple[datetime, datetime]]:
    """Yield start and end of the next `number` rounds of this length after the `planned` ones.

    None begins before `free`. OverflowError beyond the year 9999.
    """
    times = _planning_times(config, planned, now)
    first = _first_start(config, times) or now
    place = _next_place(config, first, times)
    for _ in range(number):
        start = max(free, _start_of_place(config, first, place, free) or free)
        free = start + length
        yield start, free
        place = _place_of_round(config, first, start, place) + 1


def next_due(config: Config, season: SeasonStore, total_rounds: int, now: datetime) -> datetime | None:
    """Read the start of the next of `total_rounds`, if in the future; None during a round or at the end."""
    rounds = season.rounds()
    begun = not all(known.complete for known in rounds)
    if begun or len(rounds) >= total_rounds or season.running.read().closed is not None:
        return None
    moment = next_start(config, rounds, now)
    return None if moment is None or moment <= now else moment


def submissions_end(config: Config, now: datetime) -> datetime | None:
    """Return the end of submissions; None if they are closed."""
    if config.submissions is None:
        return None
    end = config.submissions.until or FOREVER
    return end if now < end else None


def freeze_last_rounds(config: Config, season: SeasonStore, at_once: int, now: datetime) -> None:
    """Store that results are held back from now on, if the next round is among the last `freeze` rounds."""
    rounds = season.rounds()
    begun = not all(known.complete for known in rounds)
    if not config.freeze or begun or season.frozen_after() is not None:
        return
    fits = rounds_left(config, season, at_once, now, limit=config.freeze + 1)
    if 0 < max(config.rounds - len(rounds), fits) <= config.freeze:
        season.freeze(len(rounds))


def wait_until(
    moment: datetime, season: SeasonStore, clock: SeasonClock, is_changed: Callable[[], bool]
) -> bool:
    """Wait for a moment, an order, or a change of the calendar; return True when asked to stop."""
    before = season.last_change()
    while (left := (moment - clock.now()).total_seconds()) > 0:
        clock.sleep(min(left, LOOK_SECONDS))
        if season.is_asked_to_stop():
            return True
        if season.last_change() != before or is_changed():
            break
    return False


def longest_round(
    config: Config, season: SeasonStore, complete: Sequence[StoredRound], at_once: int
) -> timedelta:
    """Read the time that the longest of the last few rounds would take, `at_once` matches at a time."""
    longest = 0.0
    for known in complete[-RECENT:]:
        matches = matches_of(config.game, known.tables)
        turns = -(-matches // max(at_once, 1))
        longest = max(longest, turns * season.wall_ns(known.number) / matches)
    return timedelta(microseconds=longest / 1000)


def _start_of_place(config: Config, first: datetime | None, place: int, now: datetime) -> datetime | None:
    """Return the start of a place in the calendar, 0 at `first`; a later start if it was missed."""
    if config.every is None or first is None:
        return config.opens
    try:
        if config.missed == "skip":
            late = min(LATE, config.every / 2)
            place = max(place, -((first - now + late) // config.every))
        return first + place * config.every
    except OverflowError:
        return FOREVER


def _planning_times(config: Config, complete: Sequence[Planned], now: datetime) -> list[datetime | None]:
    """Return when these rounds were planned; None if unknown or too far in the future."""
    latest = now + (config.every or timedelta())
    return [known.planned if known.planned and known.planned <= latest else None for known in complete]


def _first_start(config: Config, planned: Sequence[datetime | None]) -> datetime | None:
    """Return the start of place 0 in the calendar; None without one."""
    if config.opens is not None or config.every is None:
        return config.opens
    return next((known - place * config.every for place, known in enumerate(planned) if known), None)


def _next_place(config: Config, first: datetime | None, planned: Sequence[datetime | None]) -> int:
    """Return the place in the calendar of the round after these."""
    last = planned[-1] if planned else None
    return len(planned) if last is None else _place_of_round(config, first, last, len(planned) - 1) + 1


def _place_of_round(config: Config, first: datetime | None, begun: datetime, place: int) -> int:
    """Return the place of a round begun at this time: its number, unless earlier places were skipped."""
    if config.missed == "play" or config.every is None or first is None:
        return place
    return max(place, (begun - first) // config.every)
