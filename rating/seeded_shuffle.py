"""A seeded shuffle that is the same on every machine and in every version.

Neither `random.shuffle` nor numpy guarantees its stream across versions, and a season must stay verifiable.
So 64-bit words (big-endian) come from SHA-256 of `rating-lots-1|seed|block`, block = 0, 1, ..; a number below
m is w mod m, with words from 2^64 - (2^64 mod m) on rejected; the Fisher-Yates shuffle swaps place i = N-1,
.., 1 with a place below i + 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count
from typing import TypeVar

Seed = int | str

T = TypeVar("T")


def shuffle(items: Sequence[T], seed: Seed) -> list[T]:
    """Return the items in an order drawn from `seed`; every order is equally likely."""
    return shuffle_with(items, words(seed))


def shuffle_with(items: Sequence[T], drawn: Iterator[int]) -> list[T]:
    """Return the items in an order given by the next words of `drawn`."""
    order = list(items)
    for place in range(len(order) - 1, 0, -1):
        other = _draw_below(place + 1, drawn)
        order[place], order[other] = order[other], order[place]
    return order


def words(seed: Seed) -> Iterator[int]:
    """Yield 64-bit words without end, drawn from `seed`."""
    for block in count():
        digest = sha256(f"rating-lots-1|{seed}|{block}".encode(errors="backslashreplace")).digest()
        for start in range(0, 32, 8):
            yield int.from_bytes(digest[start : start + 8], "big")


def _draw_below(limit: int, drawn: Iterator[int]) -> int:
    fair = 2**64 - 2**64 % limit
    for word in drawn:
        if word < fair:
            return word % limit
    raise AssertionError("the words never end")
