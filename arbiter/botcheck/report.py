"""A step of the check, and what it says: frozen values, and words for raw bytes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

SHOWN = 200
"""So many bytes of what was sent, and of what came back, are shown."""


@dataclass(frozen=True, slots=True)
class Step:
    """One named step. `ok` is None where it was left out, `detail` then says why.

    `sent` is the command, or several; `got` the raw bytes, escaped; `fix` one line.
    """

    name: str
    ok: bool | None
    sent: str = ""
    got: str = ""
    fix: str = ""
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        return asdict(self)

    def text(self) -> str:
        """The step as one line: ``ok NAME``, ``FAIL NAME: ...`` or ``left out NAME: why``."""
        if self.ok:
            return f"ok {self.name}" + (f": {self.detail}" if self.detail else "")
        if self.ok is None:
            return f"left out {self.name}: {self.detail}"
        came = f"'{self.got}'" if self.got else "nothing"
        return f"FAIL {self.name}: {self.detail}; sent '{self.sent}', got {came}; fix: {self.fix}"


def escaped(raw: bytes) -> str:
    """Raw bytes on one line that steers no terminal, cut where they are many."""
    text = repr(raw[:SHOWN])[2:-1]
    return text if len(raw) <= SHOWN else f"{text}... ({len(raw)} bytes)"


def passed(name: str, detail: str = "") -> Step:
    """A step without a fault."""
    return Step(name, True, detail=detail)


def left_out(name: str, why: str) -> Step:
    """A step that makes no sense after what was seen before."""
    return Step(name, None, detail=why)
