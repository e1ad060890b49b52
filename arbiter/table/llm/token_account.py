"""The tokens of a model: the count of an answer, and the rest.

Only the provider knows its tokens, and may be wrong. So its report is checked against the received text: a
token has at least one byte, and a piece of the stream at least one token. Reasoning that is not sent is
counted as reported, but at most as allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match.spec import ModelEntry
    from arbiter.table.llm.provider import Streamed


class TokenCount(NamedTuple):
    """The tokens of an answer, and the error of the provider's report, or ""."""

    tokens: int
    lie: str = ""


def count_tokens(streamed: Streamed, allowed: int) -> TokenCount:
    """Return the tokens of an answer: as reported if plausible, or else the received pieces.

    At most `allowed` were requested.
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
"""The most tokens that a provider may add to a message: its role, marks, added words."""
USUAL_BYTES = 4
"""The usual bytes of a token."""


def question_tokens(messages: Sequence[Mapping[str, str]], reported: int | None) -> int:
    """Return the tokens of a question: as reported, at most what is plausible; else one for four bytes."""
    size = sum(len(message["content"].encode()) for message in messages)
    return -(-size // USUAL_BYTES) if reported is None else min(reported, size + FRAME_TOKENS * len(messages))


class TokenAccount:
    """The tokens and attempts left to a model, in the match and for the current decision."""

    def __init__(self, entry: ModelEntry) -> None:
        self._entry = entry
        self.match = entry.match_tokens
        self.move = self.attempts = 0

    def open(self) -> None:
        """Begin a decision with all its tokens and attempts."""
        self.move, self.attempts = self._entry.move_tokens, self._entry.attempts

    def close(self) -> None:
        """End the decision: allow no question until the next one."""
        self.move = self.attempts = 0

    @property
    def allowed(self) -> int:
        """The most tokens of the next answer."""
        return max(0, min(self.move, self.match))

    def charge(self, tokens: int) -> None:
        """Subtract an answer's tokens from those of the decision and of the match."""
        self.move -= tokens
        self.match -= tokens

    def left(self) -> dict[str, int]:
        """Return the remaining tokens and attempts, for the harness."""
        return {"move": max(0, self.move), "match": max(0, self.match), "attempts": self.attempts}

    def empty_account_text(self) -> str:
        """Return which account is empty, for people."""
        if self.match <= 0:
            return f"all {self._entry.match_tokens} tokens of the match are used"
        return f"all {self._entry.move_tokens} tokens of the move are used"
