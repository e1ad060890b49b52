"""A match by hand up to now as a match record: to be kept, exported, fed again, or shown as a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.course import Position, programme
from arbiter.match import MatchRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from arbiter.byhand.setup import Setup
    from arbiter.match import Move
    from arbiter.rules import State

ID = "by hand"


def record_of(setup: Setup, position: Position, moves: Sequence[Move], players: Sequence[str]) -> MatchRecord:
    """The record of a match that stands where `position` is; points once it is over.

    A deal that nobody has decided in yet is there, too; `players` are names by seat.
    """
    game = setup.game
    return MatchRecord(
        id=ID,
        season="",
        round=setup.round_number,
        table=None,
        rotation=0,
        game=game.name,
        options=game.options,
        seed=setup.seed,
        deal_hash=programme(game, setup.seed, setup.round_number).hash,
        players=tuple(players),
        deals=tuple(_shapes(position)),
        moves=tuple(moves),
        points=position.totals if position.to_act is None else None,
        forfeit=None,
        sides=game.sides,
        delivery=setup.limits.delivery,
        clock=setup.limits.clock,
    )


def _shapes(position: Position) -> Iterator[Mapping[str, Any]]:
    """The deals up to now, each with what was decided about it."""
    game = position.game
    if not game.chained:
        yield from map(game.deal_json, position.deals)
        return
    for deal, state in zip(position.deals, _last_states(position), strict=True):
        yield game.deal_record(deal, state)


def _last_states(position: Position) -> list[State]:
    """The last state of each deal up to now."""
    states = [position.state]
    after = position
    while (before := after.before) is not None:
        if len(before.deals) < len(after.deals):
            states.append(before.state.apply(before.state.to_act[0], after.action))
        after = before
    return states[::-1]
