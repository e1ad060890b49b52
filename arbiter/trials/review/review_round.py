"""Review the unreviewed matches of a round on idle cores, and keep each review as it comes."""

from __future__ import annotations

import os
from concurrent.futures import as_completed
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from arbiter.errors import BotCheckFailed
from arbiter.match.clock import MS
from arbiter.match.packing import unpack
from arbiter.season.config import digest_of
from arbiter.trials.regression.program_identity import player_settings, portable_identity
from arbiter.trials.review.evaluator import Evaluator
from arbiter.trials.review.review_match import review_match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Executor, Future

    from arbiter.match.spec import Limits, Player
    from arbiter.replay.match_review import Review
    from arbiter.store import SeasonStore
    from arbiter.trials.regression.program_identity import Digests

SHOWN = 3
"""Maximum programs whose reasons for not reviewing are reported."""
LOWEST = 19
"""The nice value of the reviewing process and its programs."""


class Reviewer(NamedTuple):
    """The reviewing program, its limits, and its thinking time in ms for a match, all seats together."""

    player: Player
    limits: Limits
    budget_ms: int
    digest: str = ""

    @classmethod
    def of(cls, player: Player, limits: Limits, budget_ms: int, digests: Digests) -> Self:
        """Read a player's files and return it as a reviewer; `digest` identifies its command and files."""
        return cls(player, limits, budget_ms, digest_of(portable_identity(player_settings(player, digests))))


def idle_cores() -> int:
    """Return the number of cores idle in the last minute, at least 1."""
    return max(1, len(os.sched_getaffinity(0)) - round(os.getloadavg()[0]))


def review_packed(packed: bytes, match_id: str, reviewer: Reviewer, nicely: bool = False) -> Review:
    """Review a match given as a store keeps it; `nicely` lowers this process's priority to the minimum.

    BotCheckFailed if the program does not evaluate answers, or fails.
    """
    if nicely:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, LOWEST)
    record = unpack(packed, match_id)
    thinking_ns = reviewer.budget_ms * MS // len(record.players)
    with Evaluator(reviewer.player, reviewer.limits, thinking_ns) as reference:
        return review_match(record, reference, reviewer.budget_ms)


def brief_of(review: Review) -> Mapping[str, Any]:
    """Return a review's luck, and by seat its mistakes and sums of losses, for a season's figures."""
    seats = []
    for of in review["seats"]:
        sums = {
            phase: [losses["decisions"], losses["decisions"] * losses["mean_loss"]]
            for phase, losses in of["phases"].items()
            if losses["mean_loss"] is not None
        }
        seats.append({"seat": of["seat"], "player": of["player"], "mistakes": of["mistakes"], "sums": sums})
    return {"seats": seats, "luck": review["luck"]}


def find_reviewer(
    packed: bytes, match_id: str, reviewers: Sequence[Reviewer], executor: Executor
) -> tuple[Reviewer, Review]:
    """Review a match by each program until one succeeds; return it and the review, else BotCheckFailed."""
    if len(reviewers) == 1:
        return reviewers[0], executor.submit(review_packed, packed, match_id, reviewers[0]).result()
    refused = []
    for reviewer in reviewers:
        try:
            return reviewer, executor.submit(review_packed, packed, match_id, reviewer).result()
        except BotCheckFailed as error:
            refused.append(str(error))
    said = "; ".join(refused[:SHOWN])
    raise BotCheckFailed(f"no player of the season can review: {said} (--by rollouts always can)")


def review_round(
    stored: SeasonStore, number: int, reviewer: Reviewer, executor: Executor
) -> Iterator[Review]:
    """Review the unreviewed matches of a round; yield each review once it is stored.

    BotCheckFailed if the program fails at one; stored reviews stay, and waiting ones are cancelled.
    """
    there = reviewed_matches(stored, number, reviewer)
    waiting: dict[Future[Review], tuple[str, bytes]] = {}
    try:
        for match_id in sorted(stored.match_ids(number) - there):
            if (packed := stored.packed(match_id)) is not None:
                task = executor.submit(review_packed, packed, match_id, reviewer, nicely=True)
                waiting[task] = match_id, packed
        for done in as_completed(waiting):
            review = done.result()
            if stored.reviews.keep(number, review, brief_of(review), waiting[done][1], reviewer.digest):
                yield review
    finally:
        for task in waiting:
            task.cancel()


def reviewed_matches(stored: SeasonStore, number: int, reviewer: Reviewer) -> set[str]:
    """Load the ids of a round's matches that the program has reviewed."""
    return stored.reviews.reviewed(number, reviewer.digest, reviewer.budget_ms)
