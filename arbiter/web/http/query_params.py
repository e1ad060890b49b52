"""Query and path parameters: numbers of a range, texts of a pattern, and names that a season knows."""

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
"""Of the longest number that is accepted."""


@dataclass(frozen=True)
class Parameter:
    """A parameter: a number of a range, or a text of a pattern, decoded by `decode` and encoded by `encode`.

    `known` returns the values that a season has answers to, by default all.
    """

    name: str
    values: range | str
    known: Callable[[SeasonState], Container[Value]] | None = None
    default: Value = None
    description: str = ""
    decode: Callable[[str], str] = str
    encode: Callable[[str], str] = part

    def read(self, text: str) -> Value:
        """Return the value of a text; Refusal for an invalid one."""
        if isinstance(self.values, str):
            if not re.fullmatch(self.values, text):
                raise _invalid(f"{self.name}: expected a text of the form {self.values}")
            return self.decode(text)
        number = number_of(text, DIGITS)
        if number is None or number not in self.values:
            first, last = self.values[0], self.values[-1]
            raise _invalid(f"{self.name}: expected a whole number from {first} to {last}")
        return number

    def has_answer(self, value: Value, state: SeasonState) -> bool:
        """Return True if the season has an answer to a value."""
        return value == self.default or self.known is None or value in self.known(state)

    def describe(self, place: str) -> Mapping[str, object]:
        """Return the parameter as an OpenAPI object; `place` is "path" or "query"."""
        if isinstance(self.values, str):
            schema: dict[str, Value] = {"type": "string", "pattern": f"^{self.values}$"}
        else:
            schema = {"type": "integer", "minimum": self.values[0], "maximum": self.values[-1]}
        if self.default is not None:
            schema["default"] = self.default
        parameter = {"name": self.name, "in": place, "required": place == "path", "schema": schema}
        return {**parameter, "description": self.description} if self.description else parameter


def check_names(given: Iterable[str], known: Collection[str]) -> None:
    """Raise Refusal for an unknown name of a query parameter."""
    for name in given:
        if name not in known:
            hint = f"expected one of {', '.join(known)}" if known else "this address takes no parameters"
            raise _invalid(f"{name[:50]}: unknown parameter; {hint}")


def _invalid(message: str) -> Refusal:
    return Refusal(422, "invalid", message)
