"""Replayed matches: the result of each run, for all readers.

The store keeps each run. A state has the runs of its own orders: while results are held back, no hidden
replacement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.match.packing import unpack
from arbiter.replay.result_text import say_change, say_match
from arbiter.season.snapshot.pagination import page_fields, window
from arbiter.store import OrderKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.match.packing import PackedMatch
    from arbiter.match.record import MatchRecord, MatchSummary
    from arbiter.season.order_effects import Rerun
    from arbiter.season.snapshot.match_schema import MatchFault, MatchRun, Rejudging, Rejudgings
    from arbiter.season.snapshot.season_state import SeasonState

MOST_REJUDGED = 50
"""The most rejudgings on a player's page, the last ones."""


def rejudgings_of(state: SeasonState, match: MatchSummary) -> list[Rejudging]:
    """Return the rejudgings of a match, the oldest first; `match` is its last run."""
    reruns = state.reruns.get(match.id, ())
    ends = [*(rerun.order.before or match for rerun in reruns), match]
    found = [_rejudging(rerun, ends[k], ends[k + 1]) for k, rerun in enumerate(reruns)]
    for rerun, one in zip(reruns, found, strict=True):
        if (effect := state.effects.get((match.id, rerun.place))) is not None:
            one["standings"], one["changed"] = effect["standings"], effect["changed"]
    return found


def rejudgings_with(state: SeasonState, player: str, limit: int = MOST_REJUDGED) -> list[Rejudging]:
    """Return the last `limit` rejudgings of a player's matches, the last first."""
    mine = [one for one in _newest_first(state) if one.order.before and player in one.order.before.players]
    return _load_rejudgings(state, mine[:limit])


def last_rejudgings(state: SeasonState, limit: int) -> list[Rejudging]:
    """Return the last rejudgings, the last first."""
    return _load_rejudgings(state, _newest_first(state)[:limit])


def rejudgings(state: SeasonState, page: int = 1) -> Rejudgings | None:
    """Return a page of all rejudgings, the last first; None for an unknown page."""
    every = _newest_first(state)
    shown = window(len(every), page)
    return None if shown is None else {
        "season": state.name,
        "rejudgings": _load_rejudgings(state, every[shown.first : shown.end]),
        "total": len(every),
        "waiting": [{"match": name, "because": why} for name, why in state.awaited_replays.items()],
        **page_fields(shown),
    }  # fmt: skip


def rejudging_text(one: Rejudging) -> str:
    """Describe a rejudging for feeds and webhooks: ``match ID was played again, because TEXT: CHANGE``."""
    because = f", because {one['because']}" if one["because"] else ""
    if one["kind"] == "restored":
        return f"run {one['counts']} of match {one['match']} counts again{because}: {one['say']}"
    return f"match {one['match']} was played again{because}: {one['say']}"


def earlier_run(state: SeasonState, match_id: str, run: int) -> PackedMatch | None:
    """Load run `run` of a match, from 1 as they were played, if it was ever replaced; None otherwise."""
    places = [rerun.place for rerun in state.reruns.get(match_id, ()) if rerun.replaces == run]
    if state.match(match_id) is None or not places:
        return None
    return state.stored.orders.earlier(match_id)[places[0] - 1]


def run_counted(state: SeasonState, match_id: str) -> int:
    """Return the run of a match that counts."""
    reruns = state.reruns.get(match_id)
    return reruns[-1].counts if reruns else 1


def run_in_name(state: SeasonState, match_id: str, run: int | None) -> str:
    """Return the part of a file's name for a run, by default the run that counts; "" for the only run."""
    if run is None and match_id not in state.reruns:
        return ""
    return f"-run-{run or run_counted(state, match_id)}"


def runs_played(state: SeasonState, match_id: str) -> list[int]:
    """Return the numbers of the runs of a match."""
    return sorted({1, *(rerun.counts for rerun in state.reruns.get(match_id, ()))})


def run_of(state: SeasonState, match_id: str, run: int | None) -> MatchRecord | None:
    """Load the record of a run of a match, by default of the run that counts; None if it was never replaced.

    None for an unknown match, too.
    """
    if run is not None:
        found = earlier_run(state, match_id, run)
        return None if found is None else unpack(found.record, match_id)
    return state.record(match_id) if state.match(match_id) is not None else None


def fault_in(match: MatchSummary) -> MatchFault | None:
    """Return the fault that ended a match, without its reason, which may reveal cards or standard error."""
    if match.faulty is None:
        return None
    return {"seat": match.faulty, "player": match.players[match.faulty], "kind": str(match.fault)}


def _newest_first(state: SeasonState) -> list[Rerun]:
    every = [rerun for reruns in state.reruns.values() for rerun in reruns]
    return sorted(every, key=lambda one: (one.order.moment, one.order.subject, one.place), reverse=True)


def _load_rejudgings(state: SeasonState, reruns: Iterable[Rerun]) -> list[Rejudging]:
    """Load the matches of these reruns; return their rejudgings in the same order."""
    wanted = [(rerun.order.subject, rerun.place) for rerun in reruns]
    matches = state.matches_of({match_id for match_id, _ in wanted})
    of = {match.id: rejudgings_of(state, match) for match in matches}
    return [of[match_id][place - 1] for match_id, place in wanted if match_id in of]


def _rejudging(rerun: Rerun, before: MatchSummary, after: MatchSummary) -> Rejudging:
    """Return a rejudging as JSON values, with the run before and the run after it."""
    return {
        "match": after.id,
        "round": after.round,
        "run": rerun.replaces,
        "counts": rerun.counts,
        "kind": "restored" if rerun.order.verb is OrderKind.RESTORED else "replayed",
        "moment": rerun.order.moment,
        "because": rerun.because,
        "before": _run_in_short(before),
        "after": _run_in_short(after),
        "say": say_change(before, after),
    }


def _run_in_short(match: MatchSummary) -> MatchRun:
    return {
        "players": list(match.players),
        "points": None if match.points is None else list(match.points),
        "say": say_match(match),
        "fault": fault_in(match),
    }
