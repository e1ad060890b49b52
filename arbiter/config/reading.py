"""From a file to checked keys in four steps, for every kind of file: read, validate, place, raise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from arbiter.config.game import game_of
from arbiter.config.problems import placed, problems_of
from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.config.places import Document
    from arbiter.errors import Problem
    from arbiter.rules import AnyGame

Model = TypeVar("Model", bound=BaseModel)


@dataclass(slots=True)
class Reading(Generic[Model]):
    """Keys on their way: what they say as far as it is right, and what is wrong so far.

    `model` is None where a key is wrong by itself, `game` where there is none or it is wrong. Add what
    is wrong besides to `problems`, then ask for what is `settled`.
    """

    document: Document
    model: Model | None
    game: AnyGame | None
    problems: list[Problem]

    def settled(
        self, file: str, place: Callable[[list[Problem], Document], list[Problem]] = placed
    ) -> tuple[Model, AnyGame]:
        """Keys and game; ConfigError with all problems, each in its place, if there are any."""
        if self.problems or self.model is None or self.game is None:
            raise ConfigError(place(self.problems, self.document), file)
        return self.model, self.game


def validate(
    document: Document, kind: type[Model], values: Mapping[str, Any] | None = None
) -> Reading[Model]:
    """The keys of a document, or other values in their place, each checked by itself."""
    values = document.value if values is None else values
    reading: Reading[Model] = Reading(document, None, None, list(document.problems))
    try:
        reading.model = kind.model_validate(values)
    except ValidationError as error:
        reading.problems += [p for p in problems_of(error, kind) if p.path not in document.unread]
    if "game" in values and (values["game"] is not None or kind.model_fields["game"].is_required()):
        try:
            reading.game = game_of(values["game"])
        except ConfigError as error:
            reading.problems += error.problems
    return reading
