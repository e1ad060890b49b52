"""The tokens of a model: how an answer's are counted, and what is left.

A provider alone knows its tokens, and may be wrong. So what it reports is held to what has come: a token is
no less than a byte of text, and a piece of the stream is no less than a token. Reasoning that is not sent is
counted as reported, but never beyond what was allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match.spec import ModelEntry
    from arbiter.table.llm.provider import Streamed


class TokenCount(NamedTuple):
    """The tokens of an answer, and in what the provider's report cannot be right, "" for nothing."""

    tokens: int
    lie: str = ""


def counted(streamed: Streamed, allowed: int) -> TokenCount:
    """The tokens of an answer of which at most `allowed` were asked for.

    They are the reported ones, or else the pieces that came.
    """
    pieces, reported = streamed.pieces, streamed.reported
    if reported is None:
        return TokenCount(pieces)
    hidden = 0 if streamed.thought else min(streamed.hidden, reported)
    most = len(streamed.text.encode()) + len(streamed.thought.encode()) + hidden
    if reported < pieces:
        return TokenCount(pieces, f"it reported {reported} tokens, and sent {pieces} pieces")
    if reported > most:
        return TokenCount(
            min(most, allowed), f"it reported {reported} tokens, which {most} bytes cannot hold"
        )
    if reported > allowed:
        return TokenCount(max(allowed, pieces), f"it reported {reported} tokens where {allowed} were allowed")
    return TokenCount(reported)


FRAME_TOKENS = 64
"""What a provider may put around a message: its role, marks, words of its own."""
USUAL_BYTES = 4
"""Of a token."""


def asked_tokens(messages: Sequence[Mapping[str, str]], reported: int | None) -> int:
    """The tokens of a question: as many as reported, as far as it can have them; else one for four bytes."""
    size = sum(len(message["content"].encode()) for message in messages)
    return -(-size // USUAL_BYTES) if reported is None else min(reported, size + FRAME_TOKENS * len(messages))


class TokenAccount:
    """The tokens and attempts that are left to a model, of the match and of the decision in hand."""

    def __init__(self, entry: ModelEntry) -> None:
        self._entry = entry
        self.match = entry.match_tokens
        self.move = self.attempts = 0

    def open(self) -> None:
        """Begin a decision."""
        self.move, self.attempts = self._entry.move_tokens, self._entry.attempts

    def close(self) -> None:
        """End it: nothing may be asked until the next one."""
        self.move = self.attempts = 0

    @property
    def allowed(self) -> int:
        """The tokens that the next answer may have."""
        return max(0, min(self.move, self.match))

    def charge(self, tokens: int) -> None:
        """Take the tokens of an answer."""
        self.move -= tokens
        self.match -= tokens

    def left(self) -> dict[str, int]:
        """Return what is left, as the harness hears it."""
        return {"move": max(0, self.move), "match": max(0, self.match), "attempts": self.attempts}

    def used_up(self) -> str:
        """Return which account is empty, for people."""
        if self.match <= 0:
            return f"all {self._entry.match_tokens} tokens of the match are used"
        return f"all {self._entry.move_tokens} tokens of the move are used"
