"""Ranks that equals share; needs no numpy, so that what only shows stored ratings loads none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EQUAL = 1e-6
"""Elo up to which ratings are equal."""


def shared_ranks(elos: Iterable[float | None]) -> Iterator[int]:
    """Yield the ranks of ratings in Elo, the best first, None for none; equals share the best of theirs."""
    rank, last = 0, None
    for number, elo in enumerate(elos, 1):
        is_equal = elo is last or (elo is not None and last is not None and abs(elo - last) <= EQUAL)
        if number == 1 or not is_equal:
            rank = number
        last = elo
        yield rank
