"""The reviews of matches in a season's state, and who may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.replay.match_review import review_for
from arbiter.replay.visibility import Reader, replay_of

if TYPE_CHECKING:
    from arbiter.replay.match_review import Review, ReviewedDecision
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.season.snapshot.viewer import Viewer


def has_review(state: SeasonState, match_id: str) -> bool:
    """True for a match with a review that authors or the public may see."""
    match = state.match(match_id)
    if match is None or state.held is not None or not state.is_complete(match.round):
        return False
    return any(state.stored.reviews.briefs([match_id]))


def review(state: SeasonState, match_id: str, viewer: Viewer | None = None) -> Review | None:
    """Load the part of a match's review that `viewer` may see; None if there is none.

    The `event` of a decision is the number of its answer in the full replay.
    """
    match = state.match(match_id)
    # A hidden replay removes the review of its match, which must not be revealed.
    if match is None or state.held is not None:
        return None
    record, found = state.record(match_id), state.stored.reviews.one(match_id)
    if record is None or found is None:
        return None
    complete = state.is_complete(match.round)
    own = tuple(seat for seat, name in enumerate(match.players) if viewer is not None and viewer.own(name))
    reader = Reader("full") if viewer is not None and viewer.organiser else Reader("public", notes=own)
    seen = review_for(found, reader, state.file.publish_reviews, complete)
    if seen is None:
        return None
    events = replay_of(record, Reader("full"))["events"]
    places = dict(enumerate(event["i"] for event in events if event["t"] == "answer"))
    decisions: list[ReviewedDecision] = [
        {**decision, "event": places[decision["i"]]}
        for decision in seen["decisions"]
        if decision["i"] in places
    ]
    return {**seen, "decisions": decisions}
