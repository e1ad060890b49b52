"""Meetings: which owners have sat at tables together, and apart, often enough to be tested."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from rating.arrays import Bools, Ints

LEAST = 8
"""Minimum tables together, and apart, to test a pair."""
LEAST_FREEDOM = 6
"""Minimum degrees of freedom, of ordered pairs less strengths, to estimate the spread between pairs."""


class Reach(NamedTuple):
    """Of all `pairs` of owners but house bots, `met` have `LEAST` tables together and apart, `able` a test.

    `earliest` is the first round after which a pair can be tested, None with too few owners; `typical` the
    round after which a pair has met that often at the rate so far, None for never.
    """

    pairs: int
    met: int
    able: int
    earliest: int | None
    typical: int | None


class Meetings(NamedTuple):
    """By pair of owners, (owners, owners): tables together, tables of the first without the second, whether
    both are enough, and whether also neither is a house bot.
    """

    together: Ints
    apart: Ints
    known: Bools
    asked: Bools

    @classmethod
    def of(cls, owner: Ints, owners: Sequence[str], house: Collection[str]) -> Meetings:
        """Return the meetings at tables (T, m) of indices of `owners`; len(owners) marks an empty place."""
        together = count_shared_tables(owner, len(owners))
        apart = np.diag(together)[:, None] - together
        others = ~np.eye(len(owners), dtype=bool)
        known = (together >= LEAST) & (np.minimum(apart, apart.T) >= LEAST) & others
        ours = np.array([name not in house for name in owners], bool)
        return cls(together, apart, known, known & ours[:, None] & ours[None, :])

    def reach(self, owners: Sequence[str], house: Collection[str], last: int, tested: bool) -> Reach:
        """Return the pairs testable after round `last`; `tested` is False if the spread is unknown."""
        ours = np.array([name not in house for name in owners], bool)
        upper = np.triu(np.ones_like(self.known), 1)
        pairs = upper & ours[:, None] & ours[None, :]
        number = int((self.asked & upper).sum())
        # A player sits at one table a round, a house bot at several.
        lacking = np.maximum(LEAST - self.together, 0) + np.maximum(LEAST - self.apart, 0)
        lacking[~ours] = 0
        lacking = np.maximum(lacking, lacking.T)
        needed = len(owners) + LEAST_FREEDOM // 2
        earliest = None
        if pairs.any() and upper.sum() >= needed:
            enough = np.sort(lacking[upper])[needed - 1]
            earliest = last + max(int(enough), int(lacking[pairs].min()), 0 if tested else 1)
        both = (self.together, np.minimum(self.apart, self.apart.T))
        rarer = min(float(of[pairs].mean()) for of in both) if pairs.any() else 0.0
        typical = math.ceil(LEAST * last / rarer) if rarer else None
        return Reach(int(pairs.sum()), number, number if tested else 0, earliest, typical)


def count_shared_tables(owner: Ints, many: int) -> Ints:
    """Return the number of shared tables by pair of owners, (many, many), on the diagonal of own tables."""
    seated = np.zeros((len(owner), many + 1), np.int64)
    np.put_along_axis(seated, owner, 1, axis=1)
    found: Ints = (seated.T @ seated)[:many, :many]
    return found
