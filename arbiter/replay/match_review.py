"""A review of a match in the form ``arbiter-review/1``, and the part that a reader may see.

docs/reference/review.md explains each key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

if TYPE_CHECKING:
    from collections.abc import Collection

    from arbiter.games.game import Seat
    from arbiter.replay.visibility import Reader

FORMAT: Final = "arbiter-review/1"

Phase: TypeAlias = Literal["declaration", "early", "late"]
PHASES: tuple[Phase, ...] = ("declaration", "early", "late")
"""Answers before the play, the first half of a deal's plays, the second half."""


class ReviewedDecision(TypedDict):
    """A decision: `i` is its place in the record's moves, from 0; points are those of its deal.

    `loss` and `best` are None where the program does not value what was done, `se` without an estimate of
    uncertainty; `excuse` is why a loss is no `mistake`, "" for a mistake or without a loss. `chance_lost` is
    the lead of the best option in the probability of winning. `win` has by seat the probability of winning
    the match after the decision, None where unknown.
    """

    i: int
    seat: int
    deal: int
    phase: Phase
    request: str
    done: str
    best: str | None
    loss: float | None
    se: float | None
    mistake: bool
    excuse: str
    chance_lost: float | None
    values: dict[str, float]
    win: list[float | None]
    say: NotRequired[str]
    event: NotRequired[int]


class PhaseLoss(TypedDict):
    """The mean loss of decisions in points, and its standard error; None with too few decisions."""

    decisions: int
    mean_loss: float | None
    se: float | None


class LossByPhase(PhaseLoss):
    """The losses of a player, of all its decisions and by phase."""

    player: str
    mistakes: int
    phases: dict[Phase, PhaseLoss]


class ReviewedSeat(LossByPhase):
    """The losses of a seat in a match."""

    seat: int


class Lead(TypedDict):
    """A seat's points above the mean of all seats, and the same with `even` cards, without the luck.

    In 95 of 100 matches the player's mean lead at such a table is between `low` and `high`.
    """

    points: float
    even: float
    low: float
    high: float


class Review(TypedDict):
    """A match as the program `by` values it; `budget` is its time for all seats, in ms.

    Reviews of earlier versions have no `leads`.
    """

    format: Literal["arbiter-review/1"]
    match: str
    by: str
    budget: int
    answers: int
    decisions: list[ReviewedDecision]
    seats: list[ReviewedSeat]
    luck: list[float | None]
    leads: NotRequired[list[Lead | None]]
    worst: list[int]


def review_for(review: Review, reader: Reader, published: bool, complete: bool = True) -> Review | None:
    """Return a review as a reader may see it; None if nothing may be seen.

    The organiser sees all of it at any time. Once the round is complete an author sees the decisions of the
    own seats and of `Reader.notes`, and all readers see all of it if reviews are `published`. Values of
    answers reveal hidden cards.
    """
    if reader.kind == "full" or (complete and published):
        return review
    own = {reader.seat} if reader.kind == "seat" and reader.author else set()
    seats = own.union(reader.notes) if complete else ()
    return limit_to_seats(review, seats) if seats else None


def limit_to_seats(review: Review, seats: Collection[Seat]) -> Review:
    """Return the review with the decisions and figures of these seats only."""
    decisions = [
        {**decision, "win": [win if seat in seats else None for seat, win in enumerate(decision["win"])]}
        for decision in review["decisions"]
        if decision["seat"] in seats
    ]
    kept = {decision["i"] for decision in decisions}
    return {
        **review,
        "decisions": decisions,  # type: ignore[typeddict-item]
        "seats": [of for of in review["seats"] if of["seat"] in seats],
        "worst": [i for i in review["worst"] if i in kept],
    }
