"""Fingerprints of tokens by winnowing (Schleimer, Wilkerson and Aiken, 2003).

Of the hashes of all runs of `RUN` tokens the least of every `WINDOW` that follow each other is kept. So two
files that share `RUN + WINDOW - 1` tokens in a row share a fingerprint, wherever those stand; the order of
functions does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.contest.integrity.tokens import Codes

RUN, WINDOW = 18, 8
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
NONE = np.empty(0, np.uint64)


def runs(codes: Codes) -> Codes:
    """The hashes of all runs of `RUN` tokens, by the first one's place; none for fewer tokens."""
    count = len(codes) - RUN + 1
    if count < 1:
        return NONE
    made = np.zeros(count, np.uint64)
    for at in range(RUN):
        made = made * _FACTOR + codes[at : at + count]
    # The low bits of a product know only the low bits of its factors; the least is chosen by the high ones.
    return (made ^ (made >> np.uint64(29))) * _FACTOR


def fingerprints(codes: Codes) -> Codes:
    """The fingerprints of a file's tokens, each once."""
    hashes = runs(codes)
    if len(hashes) <= WINDOW:
        return np.unique(hashes)
    return np.unique(sliding_window_view(hashes, WINDOW).min(axis=1))


def together(parts: Iterable[Codes]) -> Codes:
    """All of several sets, each once."""
    return np.unique(np.concatenate([NONE, *parts]))
