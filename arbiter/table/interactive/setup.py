"""An interactive match and its results: a step's end, its exchanges, the match as a record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.match.position import Position, planned_deals
from arbiter.match.record import Fault, MatchRecord
from arbiter.match.spec import MatchSpec, Player

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.games.game import AnyGame, Command, Seat, State
    from arbiter.match.record import Move
    from arbiter.match.spec import Limits
    from arbiter.table.interactive.occupants import Occupant

ID = "by hand"


class Stop(StrEnum):
    """The reason why a step ended."""

    DECIDED = "decided"
    PERSON = "person"
    TROUBLE = "trouble"
    OVER = "over"


class TranscriptEntry(NamedTuple):
    """One command and the raw reply; `kind` is the kind of fault, or "", `problem` the reason.

    `fix` is the rules' advice. `word` is the legal answer to a request, in canonical form; `by_hand` is
    True for a typed line.
    """

    seat: Seat
    command: Command
    raw: bytes
    wall_ns: int
    charged_ns: int = 0
    kind: str = ""
    problem: str = ""
    word: str = ""
    by_hand: bool = False
    fix: str = ""

    @property
    def in_step(self) -> bool:
        """True if the process can continue: it has answered each command once."""
        return not self.problem or self.kind in (Fault.ILLEGAL, Fault.REFUSED)


@dataclass(frozen=True, slots=True)
class Setup:
    """A game with given deals, or a seed and round for its deals; limits."""

    game: AnyGame
    seed: str
    limits: Limits
    round_number: int = 1

    @property
    def spec(self) -> MatchSpec:
        """The match for the referee."""
        return MatchSpec(
            id=ID,
            season="",
            round=self.round_number,
            table=None,
            rotation=0,
            game=self.game.name,
            options=self.game.options,
            seed=self.seed,
            players=(Player("", ()),) * self.game.seats,
            limits=self.limits,
        )


class LaidTable(NamedTuple):
    """A table: its setup, the occupants, and moves to feed."""

    setup: Setup
    occupants: list[Occupant]
    moves: Sequence[Move] | None = None


def record_of(setup: Setup, position: Position, moves: Sequence[Move], players: Sequence[str]) -> MatchRecord:
    """Return the record of a match up to `position`, with points once it is over.

    It includes a deal without decisions; `players` are names by seat.
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
        deal_hash=planned_deals(game, setup.seed, setup.round_number).hash,
        players=tuple(players),
        deals=tuple(_deals_json(position)),
        moves=tuple(moves),
        points=position.totals if position.to_act is None else None,
        forfeit=None,
        sides=game.sides,
        delivery=setup.limits.delivery,
        clock=setup.limits.clock,
    )


def _deals_json(position: Position) -> Iterator[Mapping[str, Any]]:
    """Yield the deals so far, each with its decisions on cards."""
    game = position.game
    if not game.chained:
        yield from map(game.deal_json, position.deals)
        return
    for deal, state in zip(position.deals, _final_states(position), strict=True):
        yield game.deal_record(deal, state)


def _final_states(position: Position) -> list[State]:
    """Return the final state of each deal, and the current one of the last."""
    states = [position.state]
    after = position
    while (before := after.before) is not None:
        if len(before.deals) < len(after.deals):
            states.append(before.state.apply(before.state.to_act[0], after.action))
        after = before
    return states[::-1]
