"""A slice of a regression test: every n-th block, for a machine that knows nothing of the others."""

from __future__ import annotations

import re
from dataclasses import dataclass

from arbiter.errors import ConfigError

SLICE = re.compile(r"(\d{1,6})/(\d{1,6})")


@dataclass(frozen=True, slots=True)
class Slice:
    """Part `number` of `parts`, counted from 1."""

    number: int
    parts: int

    @classmethod
    def parse(cls, text: str) -> Slice:
        """``2/5``; ConfigError otherwise."""
        found = SLICE.fullmatch(text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise ConfigError(f"not a slice: {text!r}", hint="write 1/5 to 5/5 for five of them")
        return cls(int(found[1]), int(found[2]))

    def has(self, block: int) -> bool:
        """True when a block, counted from 1, is this part's."""
        return block % self.parts == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.parts}"
