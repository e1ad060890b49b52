"""What may be asked in an address, each text read to one form of its value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from arbiter.web.security import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Mapping

    from arbiter.picture.state import State

Value: TypeAlias = int | str | None
DIGITS = 10
"""Of the longest number that is read."""


class Wrong(ValueError):
    """What cannot be asked; says what can."""


@dataclass(frozen=True)
class Parameter:
    """A number of a range, or a text of a form; a season has answers to those `known`, by default to all."""

    name: str
    values: range | str
    known: Callable[[State], Container[Value]] | None = None
    default: Value = None
    says: str = ""

    def read(self, text: str) -> Value:
        """The value that a text is; Wrong for any other text."""
        if isinstance(self.values, str):
            if not re.fullmatch(self.values, text):
                raise Wrong(f"{self.name}: this is not of the form {self.values}")
            return text
        number = number_of(text, DIGITS)
        if number not in self.values:
            raise Wrong(f"{self.name}: this is no whole number from {self.values[0]} to {self.values[-1]}")
        return number

    def has_answer(self, value: Value, state: State) -> bool:
        """True where the season has something to a value."""
        return value == self.default or self.known is None or value in self.known(state)

    def describe(self, place: str) -> Mapping[str, object]:
        """As OpenAPI has it; `place` is path or query."""
        if isinstance(self.values, str):
            schema: dict[str, Value] = {"type": "string", "pattern": f"^{self.values}$"}
        else:
            schema = {"type": "integer", "minimum": self.values[0], "maximum": self.values[-1]}
        if self.default is not None:
            schema["default"] = self.default
        told = {"name": self.name, "in": place, "required": place == "path", "schema": schema}
        return {**told, "description": self.says} if self.says else told


def check_names(given: Iterable[str], known: Collection[str]) -> None:
    """Raise Wrong where an address asks by a name that it does not know."""
    for name in given:
        if name not in known:
            hint = f"known here: {', '.join(known)}" if known else "nothing can be asked here"
            raise Wrong(f"{name[:50]}: this is no parameter of this address; {hint}")
