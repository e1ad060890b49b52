"""What may be posted: the bodies of the applet's requests, and what is wrong with one, field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.errors import Problem

MOST = 10**6
Line = Annotated[str, Field(max_length=100_000)]
Seat = Annotated[int, Field(ge=0, le=100)]
Count = Annotated[int, Field(ge=1, le=MOST)]


class Form(BaseModel):
    """A body: no other keys than these, and of these types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Play(Form):
    """How far to go on."""

    until: Literal["deal", "end"] = "end"


class Undo(Form):
    """What to take back."""

    decisions: Count = 1
    deal: bool = False


class Redo(Form):
    """How many decisions to make again."""

    decisions: Count = 1


class Decide(Form):
    """A decision for the seat to act."""

    word: Line


class Send(Form):
    """Any lines to a seat."""

    seat: Seat
    line: Line


class Macro(Form):
    """Lines to a seat by their name: the greeting, this deal's, or both and a question."""

    name: Literal["greeting", "deal", "smoke"]
    seat: Seat


class Sit(Form):
    """Who sits down in a seat: ``bot:COMMAND``, ``human``, ``random``."""

    seat: Seat
    who: Line


def mistakes(problems: Iterable[Problem]) -> dict[str, Any]:
    """What is wrong, in the form of an answer: the first as ``error``, all as ``errors``."""
    found = [
        {"message": problem.message, "hint": problem.hint, "field": ".".join(map(str, problem.path))}
        for problem in problems
    ]
    return {"error": found[0], "errors": found}
