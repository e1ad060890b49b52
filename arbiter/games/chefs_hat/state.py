"""The base of the states of a deal, before the play and in it, by either rule set.

Theory of operation. A deal goes through states of two kinds. An `Opening` lasts from the cards to
the first discard; in the first deal nothing is to be decided then, and it is left out. The play
follows, in `BookState` or `Gym2State`. A reader of a state asks it, never which kind it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple, Protocol, TypeAlias

from arbiter.errors import IllegalAction
from arbiter.games.cards import Card
from arbiter.games.chefs_hat.actions import NOTHING, STEP_IDS, ids_of
from arbiter.games.chefs_hat.deal import ChefsHatDeal, Gift, Hands
from arbiter.games.game import Action, Command, Seat


class Setting(NamedTuple):
    """The circumstances in which the play of a deal began.

    `hands` are sorted, before the exchange; `roles` are those after a food fight; `opener` leads
    first.
    """

    deal: ChefsHatDeal
    hands: Hands
    roles: tuple[int, ...] | None
    special: tuple[Seat, Action] | None
    exchange: tuple[Gift, ...] | None
    opener: Seat


Said: TypeAlias = tuple[Action, ...]
"""The last action of each seat since the last pizza, `NOTHING` for none."""


class ChefsHatState(Protocol):
    """A state; what it does not say otherwise is as in the play by the rule book.

    Learners decide in *steps*, the 200 ids of the play: before it 198 declares the one special action
    that is open to a role and 199 none, and each card to give is a step of its own.
    """

    __slots__ = ()
    in_play: ClassVar[bool] = True
    """True when discards are asked for, or the deal is over."""

    @property
    def setting(self) -> Setting:
        """The circumstances in which the play began, as far as they are known."""

    @property
    def deal(self) -> ChefsHatDeal:
        """The deal in progress."""
        return self.setting.deal

    # Who is asked for what.

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats that decide now."""

    @property
    def asking_special(self) -> bool:
        """True when a special action is asked for."""
        return False

    @property
    def request(self) -> Command:
        """The command that asks for the decision."""
        return "gen_move"

    @property
    def wanted(self) -> int:
        """The number of words that answer it."""
        return 1

    def parse(self, text: str) -> Action:
        """The action that an answer means; IllegalAction."""
        action = STEP_IDS.get(text)
        if action is None:
            raise IllegalAction("there is no such discard; it is written C11;Q2;J1, or pass")
        return action

    # What can be done, and what comes of it.

    def playable(self, seat: Seat) -> int:
        """The legal actions as a mask."""

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """The legal actions, ascending."""
        return ids_of(self.playable(seat))

    def allows(self, seat: Seat, action: Action) -> bool:
        return seat in self.to_act and action >= 0 and bool(self.playable(seat) >> action & 1)

    def apply(self, seat: Seat, action: Action) -> ChefsHatState:
        """The state after an action; IllegalAction with the reason."""

    def advance(self, seat: Seat, tried: Action, forced: Action | None = None) -> ChefsHatState:  # noqa: ARG002
        """The state after an illegal try, or after `forced`, which is done in the place of any."""
        return self

    def forced(self, seat: Seat) -> bool:  # noqa: ARG002
        """True when the seat's next action will be a random one, whatever it asks for."""
        return False

    @property
    def random_actions(self) -> tuple[tuple[Seat, Action], ...]:
        """(seat, action) of each action so far that took the place of another one."""
        return ()

    def carried_out(self, action: Action, after: ChefsHatState) -> Action:
        """Return the action carried out: the one that led to `after`, or a random one in its place."""
        lots = after.random_actions
        return action if lots == self.random_actions else lots[-1][1]

    def points(self) -> tuple[int, ...]:
        """Points by seat of a deal that is over."""

    # In steps.

    def steps(self, seat: Seat, picked: Sequence[Card] = ()) -> tuple[Action, ...]:  # noqa: ARG002
        """The possible steps, ascending, of a seat that has `picked` these cards to give already."""
        return self.legal(seat)

    def refused(self, seat: Seat) -> tuple[Action, ...]:  # noqa: ARG002
        """The steps, ascending, that are listed as possible and are not."""
        return ()

    def decision(
        self,
        picked: tuple[Card, ...],  # noqa: ARG002
        step: Action,
    ) -> tuple[Action | None, tuple[Card, ...]]:
        """The action that a possible step completes, None while more is to come; and what is picked then."""
        return step, ()

    # What is on the table and in the hands.

    @property
    def table(self) -> int:
        """The discard that lies there, or `CLEARED`, or `FIRST_PLAY`."""

    def said_after(self, said: Said, action: Action, after: ChefsHatState) -> Said:
        """Return what has been said after an action that led to `after`, `said` being what was before."""
        seat = self.to_act[0]
        said = (*said[:seat], action, *said[seat + 1 :])
        if after.rounds == self.rounds:
            return said
        return tuple([NOTHING if left else what for left, what in zip(after.cards_left(), said, strict=True)])

    @property
    def last(self) -> Seat:
        """The seat that discarded last, or else would lead if all passed."""

    @property
    def rounds(self) -> int:
        """The number of the round, from 1; after a pizza that of the next one."""

    @property
    def order(self) -> tuple[Seat, ...]:
        """The seats without cards, in the order of finishing."""
        return ()

    def hand(self, seat: Seat) -> tuple[Card, ...]:
        """The cards that a seat holds now, ascending."""

    def cards_left(self) -> list[int]:
        """The number of cards by seat."""

    @property
    def board(self) -> bytes:
        """The 11 cells of the board: the cards laid, then zeros; an empty board starts with a 13."""

    def board_after(self, seat: Seat, action: Action) -> bytes:
        """The board with an action that is carried out, before a pizza clears it."""

    def cells(self, seat: Seat) -> bytes:
        """The 17 cells of a hand, zeros for cards that have gone."""


Begin: TypeAlias = Callable[[Setting, Hands], ChefsHatState]
"""Makes the first state of the play from the hands after the exchange."""
