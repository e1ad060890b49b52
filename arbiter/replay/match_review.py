"""A review of a match in the form ``arbiter-review/1``, and what of it a reader may see.

docs/reference/review.md says what each key means.
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
"""What is answered before the play, the first half of a deal's plays, the second."""


class ReviewedDecision(TypedDict):
    """A decision: `i` is its place in the record's moves, from 0; points are those of its deal.

    `loss` and `best` are None where the program does not value what was done, `se` where it shows no
    uncertainty; `excuse` is why a loss is no `mistake`, "" for one that is and where nothing is lost.
    `chance_lost` is what of the chance to win the best option had more. `win` has by seat the chance to win
    the match after it, None where the program tells none.
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
    """The mean loss of some decisions in points, and its standard error; None where there are too few."""

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
    """A seat's points over the mean of all seats, and with `even` cards: what is left without the luck.

    The player's mean lead at such a table lies between `low` and `high` in 95 of 100 matches.
    """

    points: float
    even: float
    low: float
    high: float


class Review(TypedDict):
    """A match as the program `by` values it; `budget` is the time that it was told, for all seats, in ms.

    Reviews that were kept before there were `leads` have none.
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
    """Return a review as a reader may see it; None for nothing.

    The organiser sees all of it at any time. Once the round is complete an author sees the decisions of the
    own seats (`Reader.notes` too), and all readers see all of it where reviews are `published`. What an
    answer was worth tells of hidden cards.
    """
    if reader.kind == "full" or (complete and published):
        return review
    own = {reader.seat} if reader.kind == "seat" and reader.author else set()
    seats = own.union(reader.notes) if complete else ()
    return of_seats(review, seats) if seats else None


def of_seats(review: Review, seats: Collection[Seat]) -> Review:
    """The review with what tells of these seats alone."""
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
