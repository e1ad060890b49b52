"""Drawing lots: a shuffle that is the same on every machine and in every year.

Neither `random.shuffle` nor numpy promises its stream across versions, and a season must be checkable later.
So words of 64 bits (big-endian) come from SHA-256 of `rating-lots-1|seed|block`, block = 0, 1, ..; a number
below m is w mod m, words from 2^64 - (2^64 mod m) on being rejected; Fisher and Yates's shuffle swaps place i
= N-1, .., 1 with a place below i + 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count
from typing import TypeVar

Seed = int | str

T = TypeVar("T")


def shuffle(items: Sequence[T], seed: Seed) -> list[T]:
    """The items in an order drawn from `seed`; every order is equally likely."""
    return shuffled(items, words(seed))


def shuffled(items: Sequence[T], drawn: Iterator[int]) -> list[T]:
    """The items in an order that the next words of `drawn` give."""
    order = list(items)
    for place in range(len(order) - 1, 0, -1):
        other = _below(place + 1, drawn)
        order[place], order[other] = order[other], order[place]
    return order


def words(seed: Seed) -> Iterator[int]:
    """Words of 64 bits without end, drawn from `seed`."""
    for block in count():
        digest = sha256(f"rating-lots-1|{seed}|{block}".encode(errors="backslashreplace")).digest()
        for start in range(0, 32, 8):
            yield int.from_bytes(digest[start : start + 8], "big")


def _below(limit: int, drawn: Iterator[int]) -> int:
    fair = 2**64 - 2**64 % limit
    for word in drawn:
        if word < fair:
            return word % limit
    raise AssertionError("the words never end")
