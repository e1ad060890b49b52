"""A season's state, read from its store: all of it, or what has changed since the last one."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from arbiter.season.snapshot.pagination import some_rounds
from arbiter.season.snapshot.season_state import (
    MOST_BRIEFS,
    MOST_ROUNDS,
    SeasonState,
    preload,
    with_changes,
)
from arbiter.store.event_log import Happening
from arbiter.store.match_lists import MatchRange

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

MOST_NEWS = 1000
"""Events that are read one by one; after more of them all matches are counted again."""


def read_state(config: Config, stored: SeasonStore, before: SeasonState | None = None) -> SeasonState:
    """Read all of a season; what has not changed since `before` is taken from it.

    A round that is completed, or an order that is given, while it is read makes it read again, so that all
    figures are of one moment. A match that is stored meanwhile does not: on a busy machine they come faster
    than a season is read. It is there or not, and `event` is older than it.
    """
    if before is not None and before.file is not config:
        before = None
    while True:
        change, holder = stored.last_change(), stored.holder()
        if before is not None and (before.event, before.revision) == change:
            if before.holder == holder:
                return before
            return with_changes(before, holder=holder, moment=datetime.now(UTC))
        state = SeasonState.of(config, stored)
        if before is not None:
            preload(state, known_briefs=before.known_briefs, known_highlights=before.known_highlights)
        if before is not None and before.revision == state.revision:
            # Matches of the round under way are not rated yet.
            preload(state, last_standings=before.last_standings, ranking=before.ranking)
        preload(state, counts=_counts(stored, before))
        for name in (
            "last_standings",
            "given",
            "annulled",
            "suspended",
            "names",
            "ranking",
            "unranked",
            "crossed",
        ):
            # So that nobody who asks for a page waits for it.
            getattr(state, name)
        if state.ranking is not None:
            # Loads what it takes to compare two players, and to draw a chart.
            state.ranking.intervals.los(())
            deque(state.briefs(some_rounds(state.complete, MOST_BRIEFS)), maxlen=0)
        if stored.last_change()[1] == state.revision:
            return state


def _counts(stored: SeasonStore, before: SeasonState | None) -> Mapping[int, int]:
    """By round how many matches are stored; those are counted in which one was stored since `before`."""
    first, kept = 1, {}
    if before is not None:
        news = stored.events(before.event, MOST_NEWS)
        if len(news) < MOST_NEWS:
            first = min((event.round for event in news if event.kind is Happening.MATCH), default=MOST_ROUNDS)
            kept = {number: count for number, count in before.counts.items() if number < first}
    return {**kept, **stored.counts(MatchRange(first, MOST_ROUNDS))}
