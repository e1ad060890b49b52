"""Shared ranks, without numpy, so that showing stored ratings does not load it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EQUAL = 1e-6
"""Ratings that differ by at most this, in Elo, are equal."""


def shared_ranks(elos: Iterable[float | None]) -> Iterator[int]:
    """Yield the ranks of ratings in Elo, sorted best first, None without results; equals share a rank."""
    rank, last = 0, None
    for number, elo in enumerate(elos, 1):
        is_equal = elo is last or (elo is not None and last is not None and abs(elo - last) <= EQUAL)
        if number == 1 or not is_equal:
            rank = number
        last = elo
        yield rank
