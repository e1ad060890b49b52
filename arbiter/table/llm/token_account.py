"""The tokens of a model: the count of an answer, and the rest.

Only the provider knows its tokens, some of which have no text: the end of a turn, the tags of reasoning,
blanks that a grammar removes. So its report counts up to what was allowed, and is checked only from below: a
piece of the stream has at least one token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match.spec import ModelEntry
    from arbiter.table.llm.provider import Streamed


class TokenCount(NamedTuple):
    """The tokens of an answer, and why the provider's report is impossible, or ""."""

    tokens: int
    lie: str = ""


def count_tokens(streamed: Streamed, allowed: int) -> TokenCount:
    """Return the tokens of an answer: as reported if possible, or else the nearest possible count.

    At most `allowed` were requested.
    """
    pieces, reported = streamed.pieces, streamed.reported
    if reported is None:
        return TokenCount(pieces)
    if reported < pieces:
        return TokenCount(pieces, f"{reported} tokens reported for {pieces} pieces of text")
    if reported > allowed:
        return TokenCount(max(allowed, pieces), f"{reported} tokens reported where {allowed} were allowed")
    return TokenCount(reported)


FRAME_TOKENS = 64
"""The most tokens that a provider may add to a message: its role, marks, added words."""
USUAL_BYTES = 3
"""The usual bytes of a token in questions, which have many cards and numbers."""


def question_tokens(messages: Sequence[Mapping[str, str]], reported: int | None) -> int:
    """Return the tokens of a question: as reported, at most what is plausible; else one for three bytes."""
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
