"""Games between two players as a file has them: columns of text, all cells checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

OUTCOMES = {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "1/2": 0, "½-½": 0}
"""The results that may be written, and the outcome for the player named first."""

_LEADING = re.compile(r"\d{1,15}")


class Games(NamedTuple):
    """A stretch of games: one cell a game in each column, without blanks around it.

    `white` and `black` differ and are never empty, `result` is a key of OUTCOMES; `round` and `table` begin
    with their number (see `whole_number`), `event` and `match` are names. Those four are empty where unknown.
    """

    white: Sequence[str]
    black: Sequence[str]
    result: Sequence[str]
    round: Sequence[str]
    table: Sequence[str]
    event: Sequence[str]
    match: Sequence[str]


@lru_cache(maxsize=10_000)
def whole_number(text: str) -> int:
    """The number that `text` begins with, 3 for `3` and `3.2`; -1 for `?`, `-`, `final` and nothing."""
    found = _LEADING.match(text)
    return int(found.group()) if found else -1
