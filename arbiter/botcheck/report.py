"""A step of the check, and what it says: frozen values, and words for raw bytes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

SHOWN = 200
"""Bytes that are shown of what was sent, and of what came back."""
LAST_LINES = 16
"""Lines of standard error: with fewer, a library's innermost calls hide the bot's own."""


@dataclass(frozen=True, slots=True)
class Step:
    """One named step. `ok` is None where it was left out, `detail` then says why.

    `sent` is the command, or several; `got` the raw bytes, escaped; `fix` one line; `stderr` the
    last lines of the bot's standard error, with a failed step; `public` what of the detail is for all, not
    its author alone. One that is not `required` is advice: no
    match of the season comes to what it asks.
    """

    name: str
    ok: bool | None
    sent: str = ""
    got: str = ""
    fix: str = ""
    detail: str = ""
    stderr: tuple[str, ...] = ()
    required: bool = True
    public: str = ""

    @property
    def fails(self) -> bool:
        """True for a required step that failed."""
        return self.required and self.ok is False

    def to_json(self) -> dict[str, Any]:
        """JSON values only, for the author."""
        shape = asdict(self)
        del shape["public"]
        return shape

    def text(self) -> str:
        """The step as one line: ``ok NAME``, ``FAIL NAME: ...`` or ``left out NAME: why``.

        Below a failed one stand the last lines of standard error, where there are any.
        """
        if self.ok:
            return f"ok {self.name}" + (f": {self.detail}" if self.detail else "")
        if self.ok is None:
            return f"left out {self.name}: {self.detail}"
        came = f"'{self.got}'" if self.got else "nothing"
        advice = "" if self.required else "(advisory) "
        line = f"FAIL {self.name}: {advice}{self.detail}; sent '{self.sent}', got {came}; fix: {self.fix}"
        return "\n".join((line, *(f"  stderr: {text}" for text in self.stderr)))


def escaped(raw: bytes) -> str:
    """Raw bytes on one line that steers no terminal, cut where they are many."""
    text = repr(raw[:SHOWN])[2:-1]
    return text if len(raw) <= SHOWN else f"{text}... ({len(raw)} bytes)"


def last_lines(stderr: bytes) -> tuple[str, ...]:
    """The end of what a bot wrote to standard error."""
    return tuple(stderr.decode(errors="replace").splitlines()[-LAST_LINES:])


def passed(name: str, detail: str = "") -> Step:
    """A step without a fault."""
    return Step(name, True, detail=detail)


def left_out(name: str, why: str) -> Step:
    """A step that makes no sense after what was seen before."""
    return Step(name, None, detail=why)
