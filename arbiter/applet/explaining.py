"""What helps after a bad reply, in the words of `check-bot`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.botcheck.verdicts import fix_of

if TYPE_CHECKING:
    from arbiter.byhand.setup import TranscriptEntry

_OURS = {
    "interrupted": "you stopped it; Again starts it anew, tells it what it had heard and asks once more",
    "void": "the bot did nothing wrong; Again tries once more",
}
"""Kinds that are no faults of the bot's."""


def explanation(entry: TranscriptEntry) -> str:
    """One line for an exchange that went wrong; "" where nothing is known."""
    return _OURS.get(entry.kind) or fix_of(entry.kind, entry.command, entry.raw)
