"""From a file to checked keys in four steps, for every kind of file: read, validate, locate, raise.

Each mistake has a plain message and a position.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from types import NoneType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from arbiter.errors import ConfigError, Problem, did_you_mean
from arbiter.games import find, names
from arbiter.season.config.game_option import game_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pydantic import ValidationError

    from arbiter.errors import Problem
    from arbiter.games.game import AnyGame
    from arbiter.season.config.yaml_positions import Document


_DICTIONARY = re.compile(r"a valid dictionary( or instance of \w+)?")
"""Pydantic's term for a mapping, with the name of our class."""
_UNKNOWN = "unknown key"
_MEASURES = {"time", "start_time", "memory", "every"}
"""Keys whose values are texts because they have units."""
_NUMBER = "should be a valid integer, or should be a valid number", "should be a number"


def problems_of(error: ValidationError, model: type[BaseModel]) -> Iterable[Problem]:
    """Translate pydantic's errors; the branches of a union make one problem."""
    by_path: dict[tuple[str | int, ...], list[Problem]] = {}
    for item in error.errors():
        problem = _problem_of(item, model)
        by_path.setdefault(problem.path, []).append(problem)
    for path, found in by_path.items():
        message = ", or ".join(problem.message for problem in found).replace(*_NUMBER)
        yield Problem(path, message, found[0].hint)


def _problem_of(error: Mapping[str, Any], model: type[BaseModel]) -> Problem:
    """Return one of pydantic's errors as a problem in plain words, at its path in the file."""
    # Pydantic's paths contain names of union members, which are not in the file.
    path = tuple(key for key in error["loc"] if not _is_union_branch(key))
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return Problem(path, _UNKNOWN, did_you_mean(str(path[-1]), _keys_at(model, path[:-1])))
    if kind == "string_type":
        return _not_text_problem(path, error["input"])
    if kind == "missing":
        return Problem(path, "is required")
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'", context["expected"])
        return Problem(path, f"{error['input']!r} is not known", did_you_mean(str(error["input"]), known))
    message = _DICTIONARY.sub("a mapping of keys", error["msg"]).replace("Input should be", "should be")
    message = re.sub(
        "(List|Dictionary) should have at least 1 item after validation, not 0", "is empty", message
    )
    return Problem(path, message, context.get("hint", ""))


def _not_text_problem(path: tuple[str | int, ...], value: object) -> Problem:
    """Return the problem of a value or key that YAML does not read as a text."""
    read_as = {bool: "true or false", int: "a number", float: "a number", NoneType: "nothing"}.get(
        type(value)
    )
    if read_as is None and isinstance(value, date):
        read_as = "a date"
    if path[-1:] == ("[key]",):
        path = path[:-2]
    is_name = read_as is not None and not _MEASURES & set(path[-1:])
    return Problem(
        path, "should be a valid string", f"YAML reads it as {read_as}: quote it" if is_name else ""
    )


def _with_option_hint(problem: Problem, values: Mapping[str, Any]) -> Problem:
    """Return the problem of an unknown key, with a hint if it is an option of the game."""
    key, game = problem.path[0], values.get("game")
    name = game.get("name") if isinstance(game, dict) else game
    options = find(name).option_help if name in names() else {}
    given = values[key] if key == "options" else {key: None}
    found = [option for option in given if option in options] if isinstance(given, dict) else []
    if key != "options" and not found:
        return problem
    shown = f"name: {name if options else 'GAME'}, {(found or ['KEY'])[0]}: ..."
    return replace(problem, hint=f"options of a game belong in game: {{{shown}}}")


def _is_union_branch(key: object) -> bool:
    """True for pydantic's name of a union's member in a path."""
    return isinstance(key, str) and (
        key in {"str", "int", "float", "constrained-int", "constrained-str"}
        or key.startswith(("literal[", "dict[", "function-"))
    )


def place_problems(problems: Iterable[Problem], document: Document) -> list[Problem]:
    """Return problems with the line and column of their key or value, in file order."""
    place_problems = []
    for problem in problems:
        line, column = (problem.line, problem.column) if problem.line else document.place(problem.path)
        place_problems.append(replace(problem, line=line, column=column))
    return sorted(place_problems, key=lambda problem: (problem.line, problem.column))


def _keys_at(model: type[BaseModel], path: tuple[str | int, ...]) -> list[str]:
    """Return the keys that the mapping at this path may have."""
    models = [model]
    for step in path:
        if isinstance(step, str):
            fields = [one.model_fields[step].annotation for one in models if step in one.model_fields]
            # A user's name as key of a mapping does not change the models.
            models = (
                [found for annotation in fields for found in _models_in(annotation)] if fields else models
            )
    return [key for one in models for key in one.model_fields]


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in a type: ``PlayerModel`` of ``list[PlayerModel] | None``."""
    if isinstance(annotation, type) and not get_args(annotation) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


Model = TypeVar("Model", bound=BaseModel)


@dataclass(slots=True)
class DocumentReading(Generic[Model]):
    """A document being checked: its valid parts, and the problems found so far.

    `model` is None if a key is invalid by itself, `game` if it is missing or invalid. Add further problems to
    `problems`, then call `settled`.
    """

    document: Document
    model: Model | None
    game: AnyGame | None
    problems: list[Problem]

    def settled(
        self, file: str, place: Callable[[list[Problem], Document], list[Problem]] = place_problems
    ) -> tuple[Model, AnyGame]:
        """Return keys and game; ConfigError with all problems and their positions, if any."""
        if self.problems or self.model is None or self.game is None:
            raise ConfigError(place(self.problems, self.document), file)
        return self.model, self.game


def entries(document: Document, key: str, kind: type[Model]) -> Iterator[tuple[int, Model]]:
    """Yield the entries of the list `key` that are a valid `kind`, with their numbers from 0."""
    found = document.value.get(key)
    for number, entry in enumerate(found if isinstance(found, list) else []):
        with suppress(ValidationError):
            yield number, kind.model_validate(entry)


def validate(
    document: Document, kind: type[Model], values: Mapping[str, Any] | None = None
) -> DocumentReading[Model]:
    """Check each key of a document, or of other values in its place, by itself.

    The reading returned has the valid parts and all problems.
    """
    values = document.value if values is None else values
    reading: DocumentReading[Model] = DocumentReading(document, None, None, list(document.problems))
    try:
        reading.model = kind.model_validate(values)
    except ValidationError as error:
        found = [p for p in problems_of(error, kind) if p.path not in document.unread]
        unknown = {p.path for p in found if p.message == _UNKNOWN and len(p.path) == 1}
        reading.problems += [_with_option_hint(p, values) if p.path in unknown else p for p in found]
    if "game" in values and (values["game"] is not None or kind.model_fields["game"].is_required()):
        try:
            reading.game = game_of(values["game"])
        except ConfigError as error:
            reading.problems += error.problems
    return reading
