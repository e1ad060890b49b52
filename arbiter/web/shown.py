"""What everybody may know of a season: all of it, but for results that are held back until it is over.

With `freeze` in a season's file the last rounds are played unseen. The public is then shown the season as it
stood before them: a state like any other, so that no page, list, figure or event can tell more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.season.orders import force_after, suspended_now
from arbiter.web.state import keep_ranking, out_of_count

if TYPE_CHECKING:
    from arbiter.web.state import State


def as_shown(whole: State, before: State | None = None) -> State:
    """A state as everybody may see it; `before` was shown last, and is shown on while nothing changes."""
    last = whole.frozen
    if last is None:
        return whole
    matches = tuple(match for match in whole.matches if match.round is not None and match.round <= last)
    orders = whole.stored.orders.read().given
    shown = replace(
        whole,
        event=whole.stored.last_event_of(last),
        # How often it has changed since would tell of orders and rounds.
        revision=last,
        rounds=whole.rounds[:last],
        matches=matches,
        annulled=out_of_count(force_after(orders, last), matches),
        standings=whole.standings[:last],
        suspended=suspended_now(whole.stored, last),
    )
    if before is None or before.config is not shown.config or before.complete != last:
        return shown
    if _told(before) == _told(shown):
        return before
    if before.annulled == shown.annulled:
        keep_ranking(before, shown)
    return shown


def _told(state: State) -> tuple[object, ...]:
    """What may still change of a season whose results are held back."""
    runs = state.holder, state.stopping, state.paused, state.closed, state.wish, state.following
    return state.event, state.revision, state.annulled, state.suspended, *runs
