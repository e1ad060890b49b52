"""What may be asked of an address: numbers of a range, texts of a form, and names that it knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from arbiter.web.http.http_errors import Refusal
from arbiter.web.http.request_guard import number_of
from arbiter.web.rendering.template_filters import part

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable

    from arbiter.season.snapshot.season_state import SeasonState

Value: TypeAlias = int | str | None
DIGITS = 10
"""Of the longest number that is read."""


@dataclass(frozen=True)
class Parameter:
    """A number of a range, or a text of a form: what is `meant` by it, how that is `written` in a path.

    A season has answers to those `known`, by default to all.
    """

    name: str
    values: range | str
    known: Callable[[SeasonState], Container[Value]] | None = None
    default: Value = None
    says: str = ""
    meant: Callable[[str], str] = str
    written: Callable[[str], str] = part

    def read(self, text: str) -> Value:
        """The value that a text is; Refusal for any other text."""
        if isinstance(self.values, str):
            if not re.fullmatch(self.values, text):
                raise _invalid(f"{self.name}: this is not of the form {self.values}")
            return self.meant(text)
        number = number_of(text, DIGITS)
        if number is None or number not in self.values:
            first, last = self.values[0], self.values[-1]
            raise _invalid(f"{self.name}: this is not a whole number from {first} to {last}")
        return number

    def has_answer(self, value: Value, state: SeasonState) -> bool:
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
        parameter = {"name": self.name, "in": place, "required": place == "path", "schema": schema}
        return {**parameter, "description": self.says} if self.says else parameter


def check_names(given: Iterable[str], known: Collection[str]) -> None:
    """Refusal where an address asks by a name that it does not know."""
    for name in given:
        if name not in known:
            hint = f"known here: {', '.join(known)}" if known else "nothing can be asked here"
            raise _invalid(f"{name[:50]}: this is not a parameter of this address; {hint}")


def _invalid(message: str) -> Refusal:
    return Refusal(422, "invalid", message)
