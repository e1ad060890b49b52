"""When the round under way is over, by the pace of its last matches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arbiter.picture.played import time_left
from arbiter.picture.state import read_state
from arbiter.web.words import duration
from tests.kept_season import Kept


def test_the_time_left_follows_from_the_last_ends(kept: Kept) -> None:
    # Three of eight are stored, ten seconds from end to end.
    for k, match in enumerate(kept.season.summaries(3, 3)):
        started = f"2026-11-20T10:00:{10 * k:02d}.000+00:00"
        kept.change(match.id, lambda record, s=started: replace(record, started=s, wall_ns=2 * 10**9))  # type: ignore[misc]
    state = read_state(kept.config, kept.season)
    assert time_left(state) is None
    assert time_left(replace(state, holder="somebody")) == pytest.approx(50)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "5 s"), (42, "40 s"), (131, "2 min 10 s"), (118, "2 min"), (900, "15 min"), (3599, "1 h"), (11100, "3 h 5 min")],
)  # fmt: skip
def test_durations_are_as_exact_as_a_pace_is(seconds: float, text: str) -> None:
    assert duration(seconds) == text
