"""What is said of a version: its inspection, whether it plays, from when, and what keeps it from that.

API, pages and `arbiter submit` all say what stands here. While results are held back an author is told that a
version plays, and not since which round: that would tell how many were played.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, cast

from arbiter.config.changes import rated_name
from arbiter.picture.figures import progress
from arbiter.season.orders import first_round, force
from arbiter.store import Verb
from arbiter.store.versions import ACCEPTED, DROPPED, REFUSED

if TYPE_CHECKING:
    from arbiter.store import Order
    from arbiter.store.versions import Submission
    from arbiter.web import shapes
    from arbiter.web.callers import Caller
    from arbiter.web.shapes import Step, SubmissionInShort

FAULTS = "its last matches ended by its own fault"
"""The reason of a suspension for faults where their number is held back."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What decides on an author's versions: the one that is `active`, and a suspension.

    That is by `order`, the reason why, of the author with any version; or for `faults`, of the active version
    alone. `shown` is the round after which an author is told nothing, None where all is told; `last` that
    of a season that is over, None before. `given` are all orders, the oldest first.
    """

    author: str
    active: int | None
    order: str | None
    faults: str | None
    shown: int | None
    last: int | None
    given: tuple[Order, ...]

    @classmethod
    def of(cls, caller: Caller, author: str) -> Self:
        """As it is at this moment, for the eyes of the caller."""
        state, stored = caller.state, caller.state.stored
        given = stored.orders.read().given
        known = stored.authors.named(author)
        active = None if known is None else known.active
        order = force(given).suspended.get(author)
        by_hand = None if order is None or order.verb is Verb.FAILED else order.because
        faults = None
        if active is not None and by_hand is None:
            faults = caller.suspended().get(rated_name(author, active))
        shown = None if caller.author.organiser else state.frozen
        told = faults if faults is None or shown is None else FAULTS
        last = len(state.rounds) if progress(state) == "over" else None
        return cls(author, active, by_hand, told, shown, last, given)

    def reason(self, found: Submission) -> str | None:
        """Why a version sits out that would play; None for one that plays, or would not in any case."""
        if found.state != ACCEPTED or found.version != self.active:
            return None
        return self.order or self.faults

    def joins_round(self, found: Submission) -> int | None:
        """The first round that is planned with a version, as far as that may be told."""
        if found.joins_round is None:
            return None
        number = first_round(self.given, self.author, found.joins_round)
        ends = [end for end in (self.shown, self.last) if end is not None]
        return None if any(number > end for end in ends) else number

    def say(self, found: Submission) -> str:
        """In words, to follow `it` or the version's name."""
        if found.state == DROPPED:
            return "was dropped: its files are gone"
        if found.state == REFUSED:
            return "does not play: mend what failed, and send it again"
        if found.state != ACCEPTED:
            return "is being looked at, or waits for it"
        if found.version != self.active:
            return "does not play: another version does"
        if self.order is not None:
            whose = f"{self.author} is suspended by an organiser, who alone can end that"
            return f"does not play: {whose}: {self.order}"
        if self.faults is not None:
            return f"does not play: {self.faults}; a new version that is accepted will"
        number = self.joins_round(found)
        if number is None and self.last is not None:
            return "does not play: the season is over"
        if number is None:
            return "plays; since which round is told when the season is over"
        return f"plays from round {number} on"

    def in_short(self, found: Submission) -> SubmissionInShort:
        """A submission as JSON values, without the steps of its inspection."""
        return {
            "id": found.id,
            "version": found.version,
            "sha256": found.sha256,
            "received": found.received,
            "state": found.state,
            "active": found.version == self.active,
            "joins_round": self.joins_round(found),
            "bytes": found.bytes,
            "suspended": self.reason(found),
            "say": self.say(found),
        }


def shape_of(found: Submission, caller: Caller) -> shapes.Submission:
    """A submission as JSON values, for the eyes of the caller."""
    steps = [cast("Step", step) for step in found.steps]
    return {**Verdicts.of(caller, found.author).in_short(found), "steps": steps}
