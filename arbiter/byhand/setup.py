"""What is played by hand, and what comes of a step: its end, its exchanges."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from arbiter.match import Fault, MatchSpec, Player

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.byhand.occupants import Occupant
    from arbiter.match import Limits, Move
    from arbiter.rules import AnyGame, Command, Seat


class Stop(StrEnum):
    """Why a step ended."""

    DECIDED = "decided"
    PERSON = "person"
    TROUBLE = "trouble"
    OVER = "over"


class TranscriptEntry(NamedTuple):
    """One command and the raw reply; `kind` is the kind of fault, "" for none, `problem` the reason.

    `word` is the legal answer to a request, in canonical form; `by_hand` tells of a line that was typed.
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

    @property
    def in_step(self) -> bool:
        """True if the same process can be asked again: it has answered each command once."""
        return not self.problem or self.kind in (Fault.ILLEGAL, Fault.REFUSED)


@dataclass(frozen=True, slots=True)
class Setup:
    """What is played: a game with given deals, or the seed and round that deals are drawn from; limits."""

    game: AnyGame
    seed: str
    limits: Limits
    round_number: int = 1

    @property
    def spec(self) -> MatchSpec:
        """The match for the referee."""
        return MatchSpec(
            id="by hand",
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


class Laid(NamedTuple):
    """A table: what is played, who sits there, and the moves to feed."""

    setup: Setup
    occupants: list[Occupant]
    moves: Sequence[Move] | None = None
