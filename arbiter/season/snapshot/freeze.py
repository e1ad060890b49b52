"""The public part of a season: everything except results held back until it is over.

With `freeze` in a season's file the results of its last rounds are hidden. The public then sees the season
before them: a state like any other, so that no page, list, figure or event reveals more. Of later events it
contains only announcements, and how the season runs: its coordinator, a pause, its end.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.season.calendar import round_by_calendar
from arbiter.season.order_effects import effective_orders, suspended_of, uncounted_matches
from arbiter.season.results import SeasonResults
from arbiter.season.roster import with_active_versions
from arbiter.season.settings import config_of
from arbiter.season.snapshot.season_state import preload, with_changes
from arbiter.season.snapshot.viewer import HeldResults
from arbiter.store import Orders

if TYPE_CHECKING:
    from arbiter.season.config import Entry
    from arbiter.season.snapshot.season_state import SeasonState


def public_state(whole: SeasonState, before: SeasonState | None = None) -> SeasonState:
    """Return the public view of a state; `before` is the last one, returned again while nothing changes."""
    last = whole.frozen
    if last is None:
        return whole
    if before is None or before.config is not whole.config or before.frozen != last:
        before = None
    made = before or _state_after(whole, last)
    assert made.held is not None
    first, events = whole.stored.events_frozen(last)
    shown = with_changes(
        made,
        event=first + len(events),
        held=made.held._replace(first_event=first, events=tuple(events)),
        holder=whole.holder,
        stopping=whole.stopping,
        paused=whole.paused,
        closed=whole.closed,
        wish=whole.wish,
        following=None if whole.closed else round_by_calendar(whole.config, made.rounds, whole.moment),
        moment=whole.moment,
    )
    return before if before is not None and _changeable_parts(before) == _changeable_parts(shown) else shown


def _state_after(whole: SeasonState, last: int) -> SeasonState:
    """Return the season after round `last`, under the orders given before the next one was planned."""
    orders = whole.stored.orders.read()
    holds = effective_orders(orders.given, lambda order: order.planned <= last)
    held = Orders(orders.revision, tuple(order for order in orders.given if order.planned <= last))
    standings = whole.standings_after(last) if last else None
    if last and any(order.complete <= last < order.planned for order in orders.given):
        # Some orders came after the next round was planned and changed these standings.
        then = SeasonResults(whole.config, whole.stored).rated_under(last, held, holds.earlier).standings
        standings = json.loads(json.dumps(then))
    entries = _last_public_players(whole, last)
    playing = {entry.registered_name: entry.player.name for entry in entries if entry.is_sent}
    # The real revision would reveal later orders and rounds.
    made = replace(
        whole,
        revision=last,
        rounds=whole.rounds[:last],
        held=HeldResults(held, entries),
    )
    preload(
        made,
        annulled=uncounted_matches(holds, whole.stored.orders.read().given, made.matches_of),
        last_standings=standings,
        suspended=suspended_of(standings, held.given, playing),
    )
    for name in ("counts", "names", "ranking"):
        getattr(made, name)
    return made


def _last_public_players(whole: SeasonState, last: int) -> tuple[Entry, ...]:
    """Return the players of the last public round, or of the first round."""
    planned = next((known for known in whole.rounds if known.number == max(last, 1)), None)
    then = None if planned is None else config_of(whole.config, whole.stored, planned)
    return (then or with_active_versions(whole.config, whole.stored)).entries


def _changeable_parts(state: SeasonState) -> tuple[object, ...]:
    """Return what may still change in a frozen season's view: last event, next round, how it runs."""
    runs = state.holder, state.stopping, state.paused, state.closed, state.wish
    return state.event, state.following, *runs
