"""The faults of a provider, drawn as they may come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fixtures.provider import Served, text

if TYPE_CHECKING:
    import random

WORDS = ("the", "queen", "of", "spades", "wins", "ten", "\nANSWER:", "TD", "Ünicode", "—")


def faulty(draw: random.Random) -> Served:
    """An answer, or one of the things that go wrong."""
    words = " ".join(draw.choices(WORDS, k=draw.randint(1, 30)))
    kind = draw.randrange(12)
    match kind:
        case 0:
            return Served(status=draw.choice((429, 500, 502, 503)), headers={"Retry-After": "1"})
        case 1:
            return text(words, cut=0)
        case 2:
            return text(words, cut=1)
        case 3:
            return text(words, reported=-1)
        case 4:
            return text(words, reported=1_000_000)
        case 5:
            return text(words, reported=None)
        case 6:
            return text(words, thought=("so", " it", " is"))
        case 7:
            return text(words, hidden=draw.randint(1, 90))
        case 8:
            return text(words, finish="length")
        case 9:
            return text(words, finish="content_filter")
        case _:
            return text(words)
