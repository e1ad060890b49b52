"""What a language model used in a match: the tokens that its provider bills, and how it decided."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Billed(NamedTuple):
    """Tokens of questions and of answers, reasoning included."""

    input: int
    output: int

    def plus(self, other: Billed) -> Billed:
        return Billed(self.input + other.input, self.output + other.output)


NOTHING = Billed(0, 0)


class ModelUse(NamedTuple):
    """One seat's model in a match: how many decisions it had, in how many its first answer was legal."""

    seat: int
    decisions: int
    first_try: int
    input: int
    output: int

    @property
    def billed(self) -> Billed:
        return Billed(self.input, self.output)


def use_of(seat: int, kept: Mapping[str, Any], answered: int, faulted: bool) -> ModelUse:
    """What the model of a seat used, by what is `kept` of it; `answered` decisions came to a move.

    One more did not where it `faulted`. Answers that broke off count as output.
    """
    asked = Counter(call["decision"] for call in kept["calls"])
    legal = sum(asked[decision] == 1 for decision in range(1, answered + 1))
    output = kept["tokens"] + kept["broken_off"]
    # Records of earlier versions do not say what the questions had.
    return ModelUse(seat, answered + faulted, legal, kept.get("asked", 0), output)
