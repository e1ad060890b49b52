"""What an inspection says of an archive: its steps in order, and a refusal with what mends it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an inspection: what was found, what mends it, and what a program wrote, as text."""

    name: str
    ok: bool
    detail: str = ""
    fix: str = ""
    output: str = ""

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        return asdict(self)


class Refused(Exception):
    """An archive, a build or a bot is at fault: why, what mends it, and what a program wrote.

    `missing` is the word of a program that this machine does not have.
    """

    def __init__(self, detail: str, fix: str = "", output: str = "", missing: str = "") -> None:
        super().__init__(detail)
        self.detail, self.fix, self.output, self.missing = detail, fix, output, missing
