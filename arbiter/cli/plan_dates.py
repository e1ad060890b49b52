"""The dates of a plan: when a season's rounds begin and end by its calendar, and what does not fit."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from arbiter.cli.output import duration_text, note, say, time_text
from arbiter.match.clock import SECOND
from arbiter.season.calendar import round_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.season.config import Config
    from arbiter.season.forecast import SeasonSize


def plan_dates(config: Config, season: SeasonSize, mean: float | None) -> dict[str, Any] | None:
    """Return the dates of the rounds left, at worst and with matches of `mean` ns; None without a calendar.

    ISO 8601, UTC; an end is null at an unknown pace, or beyond the year 9999.
    """
    if not season.turns_left or (config.opens is None and config.every is None and config.until is None):
        return None
    now = datetime.now(UTC)
    begins = None if season.left.matches else next(_spans(config, season, now, 0))[0]
    ends = [None if ns is None else _end(config, season, now, ns) for ns in (season.match_ns, mean)]
    return {
        "next_round": season.left.complete + 1,
        "begins": _iso(begins),
        "last_round": season.left.complete + season.left.unfinished,
        "ends_at_worst": _iso(ends[0]),
        "ends_at_trial_pace": _iso(ends[1]),
    }


def print_dates(dates: dict[str, Any]) -> None:
    """Print when the next round begins and the last one ends."""
    begins, worst, pace = (
        None if dates[key] is None else time_text(datetime.fromisoformat(dates[key]))
        for key in ("begins", "ends_at_worst", "ends_at_trial_pace")
    )
    ends = [f"{when} {how}" for when, how in ((worst, "at worst"), (pace, "at the trial pace")) if when]
    begun = f"round {dates['next_round']} {'has begun' if begins is None else f'begins {begins}'}"
    say(f"{begun}; round {dates['last_round']}, the last, ends {', '.join(ends) or 'after the year 9999'}")


def warn_of_dates(config: Config, season: SeasonSize, mean: float | None, dates: dict[str, Any]) -> None:
    """Print to stderr which rounds are longer than `every`, and which end after `until`."""
    for text in _warnings(config, season, mean, dates):
        note(text)


def _warnings(config: Config, season: SeasonSize, mean: float | None, dates: dict[str, Any]) -> Iterator[str]:
    paces = [("at worst", float(season.match_ns), dates["ends_at_worst"])]
    if mean is not None:
        paces.append(("at the trial pace", mean, dates["ends_at_trial_pace"]))
    if config.every is not None:
        every = config.every.total_seconds()
        long = [
            f"{duration_text(season.round_ns(ns) / SECOND)} {how}"
            for how, ns, _ in paces
            if season.round_ns(ns) > every * SECOND
        ]
        if long:
            then = "begin late" if config.missed == "play" else "are left out"
            text = f"a round takes {' and '.join(long)}, longer than `every` ({duration_text(every)})"
            yield f"{text}: rounds {then}; set a longer `every` or a shorter `time`, or play more at once"
    if config.until is not None:
        late = [how for how, _, end in paces if end is None or datetime.fromisoformat(end) > config.until]
        if late:
            text = f"round {dates['last_round']} ends {' and '.join(late)} after `until`"
            then = "it is played all the same; set fewer `rounds`, or a later `until`"
            yield f"{text} ({time_text(config.until)}): {then}"


def _end(config: Config, season: SeasonSize, now: datetime, ns: float) -> datetime | None:
    try:
        last = deque(_spans(config, season, now, ns), maxlen=1)
        return last[0][1] if last else now + timedelta(seconds=season.season_ns(ns) / SECOND)
    except OverflowError:
        return None


def _spans(
    config: Config, season: SeasonSize, now: datetime, ns: float
) -> Iterator[tuple[datetime, datetime]]:
    """Yield start and end of the rounds not begun, after the matches left of the current one."""
    rest = season.season_ns(ns) - season.left.rounds * season.round_ns(ns)
    free, length = (timedelta(seconds=part / SECOND) for part in (rest, season.round_ns(ns)))
    return round_spans(config, season.left.planned, now, now + free, length, season.left.rounds)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")
