"""A table set in the page: every mistake in the form at once, each at its field."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arbiter.applet.forms import Table
from arbiter.byhand.setup import Setup
from arbiter.config.limits import USUAL, changed
from arbiter.course import programme
from arbiter.errors import ConfigError, Problem
from arbiter.games import make, names
from arbiter.table.sandbox.isolation import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from arbiter.byhand.occupants import Occupant
    from arbiter.byhand.session import Seen
    from arbiter.match import Limits
    from arbiter.rules import AnyGame


@contextmanager
def _noted(mistakes: list[Problem], *path: str | int) -> Iterator[None]:
    """Note what goes wrong in a block as a mistake in a field, or the part of it that the error names."""
    try:
        yield
    except ConfigError as error:
        mistakes += [replace(problem, path=(*path, *problem.path)) for problem in error.problems]


def table_of(
    form: Table, read_occupant: Callable[[str, Limits], Occupant]
) -> tuple[Setup, list[Occupant], list[str]]:
    """The table that a form describes, and notes about it; ConfigError with all that is wrong."""
    mistakes: list[Problem] = []
    limits, notes = _limits(form, mistakes)
    game: AnyGame | None = None
    with _noted(mistakes, "options" if form.game in names() else "game"):
        game = make(form.game, form.options)
    if game is not None and form.deals is not None:
        deals = []
        for number, shape in enumerate(form.deals):
            with _noted(mistakes, "deals", number):
                deals.append(game.deal_from_json(shape))
        if not mistakes:
            with _noted(mistakes, "deals"):
                game = game.given(deals)
    if form.seed is not None and not form.seed.isprintable():
        mistakes.append(Problem(("seed",), "printable characters only"))
    occupants = []
    for seat, who in enumerate(form.seats):
        with _noted(mistakes, "seats", seat):
            if game is not None and seat >= game.seats:
                raise ConfigError(f"there is no such seat, only 0 to {game.seats - 1}")
            occupants.append(read_occupant(who, limits or USUAL.limits()))
    if mistakes or game is None or limits is None:
        raise ConfigError(mistakes)
    seed = form.seed or secrets.token_hex(16)
    return Setup(game, seed, limits, form.round), occupants, notes


def _limits(form: Table, mistakes: list[Problem]) -> tuple[Limits | None, list[str]]:
    """The limits, the isolation decided for this machine, and what there is to say about that."""
    limits = USUAL.limits()
    count = len(mistakes)
    for key, text in form.limits.model_dump(exclude_none=True).items():
        with _noted(mistakes, "limits", key):
            limits = changed(limits, **{key: text})
    tier, warning = choose(form.isolation or USUAL.isolation)
    if len(mistakes) > count:
        return None, []
    return replace(limits, isolation=tier), [warning] if warning else []


def dealt_otherwise(seen: Seen, number: int | None, changes: Mapping[str, Any]) -> tuple[Setup, int]:
    """The setup in which one deal, by default the present one, has other cards or roles, and the number of
    decisions before it; ConfigError where that cannot be."""
    setup, position = seen.setup, seen.position
    game, deals = setup.game, list(position.deals)
    number = len(deals) - 1 if number is None else number
    if number >= len(deals):
        raise ConfigError([Problem(("deal",), f"deal {number} has not come yet: there are {len(deals)}")])
    deal = game.deal_from_json({**game.deal_json(deals[number]), **changes})
    if game.chained:
        other = game.begun([*deals[:number], deal])
    else:
        planned = list(programme(game, setup.seed, setup.round_number).deals)
        other = game.given([*planned[:number], deal, *planned[number + 1 :]])
    if other.seats != game.seats:
        raise ConfigError("a deal has as many hands as there are seats")
    if number and list(other.greeting()) != list(game.greeting()):
        hint = "set a new table, or edit the first deal"
        raise ConfigError("the bots were told another programme when the match began", hint=hint)
    return replace(setup, game=other), sum(move.deal < number for move in seen.moves)
