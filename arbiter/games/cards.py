"""Cards as small integers, decks, and the documented stream that all deals are drawn from.

A card is its index in the deck, suit by suit in the deck's order and values ascending within
each suit. A set of cards is an integer with those bits set.

The stream is SHA-256 in counter mode, so that a deal can be repeated in ten lines of any language and
does not depend on the version of Python: block k is the digest of
``arbiter-deals-1|seed|round|deal|k``, read as four big-endian 64-bit words.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, field
from hashlib import sha256
from math import log2
from struct import Struct

Card = int
UNKNOWN: Card = 1 << 10
"""Cards from this number on are unknown; no deck is so large."""

_WORDS = 1 << 64
_SURE = _WORDS - (1 << 32)
_FOUR_WORDS = Struct(">4Q")


class Stream:
    """A deterministic source of uniform integers, seeded by a text. Only reading advances it, not play."""

    __slots__ = ("_block", "_name", "_words")

    def __init__(self, *name: object) -> None:
        self._name = "|".join(map(str, name))
        self._block = 0
        self._words: list[int] = []

    @classmethod
    def of_deal(cls, seed: object, round_number: int, deal: int) -> Stream:
        """Return the stream of one deal; rounds count from 1, deals from 0."""
        return cls("arbiter-deals-1", seed, round_number, deal)

    def draw(self, m: int) -> int:
        """Return a uniform integer in 0..m-1, by rejection of the incomplete last interval."""
        limit = _WORDS - _WORDS % m
        while True:
            if not self._words:
                self._refill()
            word = self._words.pop()
            if word < limit:
                return word % m

    def shuffled(self, n: int) -> list[int]:
        """Return the integers 0..n-1 in random order: Fisher-Yates, downwards from the end."""
        order = list(range(n))
        words = self._words
        for i in range(n - 1, 0, -1):
            if not words:
                self._refill()
            word = words.pop()
            if word < _SURE:
                # Not in the last interval of any i: `draw` inlined, since dealing spends its time here.
                j = word % (i + 1)
            else:
                words.append(word)
                j = self.draw(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

    def _refill(self) -> None:
        """Append the next block's four words, last first since they are taken from the end."""
        digest = sha256(f"{self._name}|{self._block}".encode()).digest()
        self._words += _FOUR_WORDS.unpack(digest)[::-1]
        self._block += 1


LEAST_BITS = 64
"""A seed of fewer bits can be found from its hash by trial."""
_ALPHABETS = (
    string.digits,
    string.digits + "abcdef",
    string.ascii_lowercase,
    string.ascii_lowercase + string.digits,
    string.ascii_letters + string.digits,
    string.printable,
)


def seed_bits(seed: str) -> int:
    """Return an upper bound of a seed's entropy in bits, from the smallest usual alphabet that holds it."""
    size = next((len(alphabet) for alphabet in _ALPHABETS if set(seed) <= set(alphabet)), 256)
    return int(len(seed) * log2(size))


def commitment(seed: str) -> str:
    """Return the SHA-256 of a seed's text in hex, which commits a season to its seed before it starts."""
    return sha256(seed.encode()).hexdigest()


def published_commitment(seed: str, insisted: bool = False) -> str | None:
    """Return the commitment to publish before the end; None if it reveals the seed, unless `insisted`."""
    return commitment(seed) if insisted or seed_bits(seed) >= LEAST_BITS else None


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck of `values` (weakest first) in each of `suits`; names are value then suit.

    >>> Deck("23456789TJQKA", "CDHS").names[12]
    'AC'
    """

    values: str
    suits: str
    names: tuple[str, ...] = field(init=False, compare=False)
    index: dict[str, Card] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        names = tuple(value + suit for suit in self.suits for value in self.values)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "index", {name: card for card, name in enumerate(names)})

    def __len__(self) -> int:
        return len(self.names)

    def suit(self, card: Card) -> int:
        """Return the index of the card's suit in `suits`."""
        return card // len(self.values)
