"""Usage of a language model in a match: billed tokens and counts of decisions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class BilledTokens(NamedTuple):
    """Input tokens, and output tokens with reasoning."""

    input: int
    output: int

    def plus(self, other: BilledTokens) -> BilledTokens:
        """Return the sums of both."""
        return BilledTokens(self.input + other.input, self.output + other.output)


NOTHING = BilledTokens(0, 0)


class ModelUse(NamedTuple):
    """Usage of one seat's model: its decisions, those with a legal first answer, its tokens."""

    seat: int
    decisions: int
    first_try: int
    input: int
    output: int

    @property
    def billed(self) -> BilledTokens:
        """Its tokens, without seat and counts."""
        return BilledTokens(self.input, self.output)


def model_use(seat: int, kept: Mapping[str, Any], answered: int, faulted: bool) -> ModelUse:
    """Return the usage of a model from its calls in a record (`kept`); `answered` decisions became moves.

    A further decision did not if it `faulted`. Interrupted answers count as output.
    """
    # A question that is too long for the model's context is not an attempt.
    asked = Counter(call["decision"] for call in kept["calls"] if call.get("outcome") != "long")
    legal = sum(asked[decision] == 1 for decision in range(1, answered + 1))
    output = kept["tokens"] + kept["broken_off"]
    # Records of earlier versions have no input tokens.
    return ModelUse(seat, answered + faulted, legal, kept.get("asked", 0), output)
