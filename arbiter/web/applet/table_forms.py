"""The posted forms, and the tables that they describe; all errors are reported, each at its field."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from arbiter.errors import ConfigError, Problem
from arbiter.games import make, names
from arbiter.match.limits import USUAL, Clock, Isolation, override_limits
from arbiter.match.position import planned_deals
from arbiter.sandbox.tiers import choose
from arbiter.table.interactive.setup import Setup
from arbiter.table.interactive.verbs import Macro, Until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from arbiter.games.game import AnyGame
    from arbiter.match.spec import Limits as BotLimits
    from arbiter.table.interactive.occupants import Occupant
    from arbiter.table.interactive.session import TableSnapshot

MOST = 10**6
MOST_DEALS = 10_000
Line = Annotated[str, Field(max_length=100_000)]
Natural = Annotated[int, Field(ge=0, le=10**18)]
Word = Annotated[str, Field(max_length=1000)]
File = Annotated[str, Field(max_length=4000, pattern=r"^[^\x00]+$")]
Seat = Annotated[int, Field(ge=0, le=100)]
Count = Annotated[int, Field(ge=1, le=MOST)]
Seats = Annotated[list[Line], Field(max_length=100)]


class Form(BaseModel):
    """A posted body, which rejects unknown keys and wrong types."""

    model_config = ConfigDict(extra="forbid", strict=True)


def form_of(verb: Callable[..., object]) -> type[Form] | None:
    """Return the form of a verb: its arguments without the table; None without any."""
    given = list(signature(verb, eval_str=True).parameters.values())[1:]
    fields: dict[str, Any] = {
        one.name: (_OF_ARGUMENTS[one.annotation], ... if one.default is one.empty else one.default)
        for one in given
    }
    name = verb.__name__.capitalize()
    return create_model(name, __base__=Form, **fields) if fields else None


_OF_ARGUMENTS: dict[object, object] = {
    int: Count,
    bool: bool,
    str: Line,
    Until: Annotated[Until, Field(description="How far to play.")],
    int | None: Seat | None,
}
"""The types of the arguments of verbs, with limits."""


class SendForm(Form):
    """Lines for a seat."""

    seat: Seat
    line: Line


class MacroForm(Form):
    """Lines for a seat by name: the greeting, this deal's, or both and a question."""

    name: Macro
    seat: Seat


class SitForm(Form):
    """An occupant for a seat: ``bot:COMMAND``, ``human``, ``random``."""

    seat: Seat
    who: Line


class LimitsForm(Form):
    """The limits of bots, as in a season's file; null means the default."""

    time: Word | None = None
    start_time: Word | None = None
    memory: Word | None = None
    clock: Clock | None = None


class TableForm(Form):
    """A table: the game, and the occupants; random players fill the other seats."""

    game: Word
    options: dict[str, Any] = {}
    seats: Seats = []
    seed: Word | None = None
    deals: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MOST_DEALS)] | None = None
    limits: LimitsForm = LimitsForm()
    isolation: Isolation | None = None
    round: Count = 1


class DealForm(Form):
    """Other cards or roles for a deal, by default the current one: keys of a deal as in a match record."""

    model_config = ConfigDict(extra="allow", strict=True)

    deal: Annotated[int, Field(ge=0, le=MOST)] | None = None


class PlayedForm(Form):
    """The needed parts of a match record, and how to feed it; or a saved table, which has no moves.

    It is fed up to its fault or `until` decisions; `seats` are as in `arbiter console`: ``human``, or
    ``2=bot:COMMAND``.
    """

    model_config = ConfigDict(extra="allow", strict=True)

    until: Annotated[int, Field(ge=0, le=MOST)] | None = None
    seats: Seats = []


class AgainForm(PlayedForm):
    """A stored match of a season, and how to feed it."""

    model_config = ConfigDict(extra="forbid")

    config: File
    id: Word


class MoveForm(Form):
    """A decision of a match record."""

    deal: Natural
    seat: Seat
    request: Word
    action: Word
    wall_ns: Natural
    cpu_ns: Natural
    delay_ns: Natural
    charged_ns: Natural
    left_ns: int


class Record(BaseModel):
    """The parts of a match record that are checked before it is fed."""

    model_config = ConfigDict(extra="allow", strict=True)

    id: Word
    round: Count | None
    game: Word
    options: dict[str, Any]
    seed: Word
    deal_hash: Word
    players: Annotated[list[Word], Field(min_length=1, max_length=100)]
    deals: Annotated[list[dict[str, Any]], Field(max_length=MOST_DEALS)]
    moves: Annotated[list[MoveForm], Field(max_length=MOST)]
    delivery: Literal["strict", "batched"] = "strict"


def config_error(errors: Iterable[Mapping[str, Any]], within: int = 0) -> ConfigError:
    """Return pydantic's errors as a ConfigError; the first `within` parts of a location are no field."""
    found = (Problem(tuple(error["loc"][within:]), error["msg"]) for error in errors)
    # A part may be an untrusted key of the body.
    return ConfigError([replace(p, path=tuple(str(part)[:100] for part in p.path)) for p in found])


@contextmanager
def _collect(mistakes: list[Problem], *path: str | int) -> Iterator[None]:
    """Collect the ConfigError of a block as problems of a field, or of the part that the error names."""
    try:
        yield
    except ConfigError as error:
        mistakes += [replace(problem, path=(*path, *problem.path)) for problem in error.problems]


def table_of(
    form: TableForm, read_occupant: Callable[[str, BotLimits], Occupant]
) -> tuple[Setup, list[Occupant], list[str]]:
    """Return the setup, the occupants and notes of the table in a form; ConfigError with all problems."""
    mistakes: list[Problem] = []
    limits, notes = _limits(form, mistakes)
    game: AnyGame | None = None
    with _collect(mistakes, "options" if form.game in names() else "game"):
        game = make(form.game, form.options)
    if game is not None and form.deals is not None:
        deals = []
        for number, shape in enumerate(form.deals):
            with _collect(mistakes, "deals", number):
                deals.append(game.deal_from_json(shape))
        if not mistakes:
            with _collect(mistakes, "deals"):
                game = game.given(deals)
    if form.seed is not None and not form.seed.isprintable():
        mistakes.append(Problem(("seed",), "printable characters only"))
    occupants = []
    for seat, who in enumerate(form.seats):
        with _collect(mistakes, "seats", seat):
            if game is not None and seat >= game.seats:
                raise ConfigError(f"expected a seat from 0 to {game.seats - 1}")
            occupants.append(read_occupant(who, limits or USUAL.limits()))
    if mistakes or game is None or limits is None:
        raise ConfigError(mistakes)
    seed = form.seed or secrets.token_hex(16)
    return Setup(game, seed, limits, form.round), occupants, notes


def _limits(form: TableForm, mistakes: list[Problem]) -> tuple[BotLimits | None, list[str]]:
    """Return the limits, with isolation chosen for this machine, and warnings; add problems to `mistakes`."""
    limits = USUAL.limits()
    count = len(mistakes)
    for key, text in form.limits.model_dump(exclude_none=True).items():
        with _collect(mistakes, "limits", key):
            limits = override_limits(limits, **{key: text})
    tier, warning = choose(form.isolation or USUAL.isolation)
    if len(mistakes) > count:
        return None, []
    return replace(limits, isolation=tier), [warning] if warning else []


def edit_deal(seen: TableSnapshot, number: int | None, changes: Mapping[str, Any]) -> tuple[Setup, int]:
    """Return the setup with other cards or roles in a deal, by default the current one, and the number of
    decisions before it; ConfigError if they are impossible."""
    setup, position = seen.setup, seen.position
    game, deals = setup.game, list(position.deals)
    number = len(deals) - 1 if number is None else number
    if number >= len(deals):
        raise ConfigError([Problem(("deal",), f"expected a deal from 0 to {len(deals) - 1}, got {number}")])
    deal = game.deal_from_json({**game.deal_json(deals[number]), **changes})
    if game.chained:
        other = game.begun([*deals[:number], deal])
    else:
        planned = list(planned_deals(game, setup.seed, setup.round_number).deals)
        other = game.given([*planned[:number], deal, *planned[number + 1 :]])
    if other.seats != game.seats:
        raise ConfigError("a deal must have a hand for each seat")
    if number and list(other.greeting()) != list(game.greeting()):
        hint = "set a new table, or edit the first deal"
        raise ConfigError("the bots received another programme when the match began", hint=hint)
    return replace(setup, game=other), sum(move.deal < number for move in seen.moves)
