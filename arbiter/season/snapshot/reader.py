"""Reads a season's state from its store: all of it, or the changes since the last one."""

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
from arbiter.store.event_log import EventKind
from arbiter.store.match_lists import MatchRange

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

MOST_NEWS = 1000
"""Events that are read singly; after more of them all matches are counted again."""


def read_state(config: Config, stored: SeasonStore, before: SeasonState | None = None) -> SeasonState:
    """Read the state of a season; parts unchanged since `before` are taken from it.

    A round completed or an order given during reading causes another reading, so that all figures are of one
    moment. A match stored meanwhile does not: on a busy machine they come faster than a season is read. It
    may be included, and `event` is older than it.
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
            # In advance, so that requests for pages do not wait.
            getattr(state, name)
        if state.ranking is not None:
            # Loads the data to compare two players, and to draw a chart.
            state.ranking.intervals.los(())
            deque(state.briefs(some_rounds(state.complete, MOST_BRIEFS)), maxlen=0)
        if stored.last_change()[1] == state.revision:
            return state


def _counts(stored: SeasonStore, before: SeasonState | None) -> Mapping[int, int]:
    """Load the number of stored matches by round, counted again from the first changed round on."""
    first, kept = 1, {}
    if before is not None:
        news = stored.events(before.event, MOST_NEWS)
        if len(news) < MOST_NEWS:
            first = min((event.round for event in news if event.kind is EventKind.MATCH), default=MOST_ROUNDS)
            kept = {number: count for number, count in before.counts.items() if number < first}
    return {**kept, **stored.counts(MatchRange(first, MOST_ROUNDS))}
