"""The base of the states of a deal, before the play and in it, by either rule set.

Theory of operation. A deal has states of two kinds. An `Opening` lasts from the deal to the first
discard; the first deal has no decisions before the play, and no opening. The play follows, in
`BookState` or `Gym2State`. Callers use this interface and do not check which kind a state is.
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

    `hands` are sorted, before the exchange; `roles` are after a food fight; `opener` leads first.
    """

    deal: ChefsHatDeal
    hands: Hands
    roles: tuple[int, ...] | None
    special: tuple[Seat, Action] | None
    exchange: tuple[Gift, ...] | None
    opener: Seat


LastActions: TypeAlias = tuple[Action, ...]
"""The last action of each seat since the last pizza, `NOTHING` for none."""


class ChefsHatState(Protocol):
    """A state; the defaults are those of the play by the rule book.

    Environments use *steps*, the 200 ids of the play: before it 198 declares the special action of the
    seat's role and 199 declines, and each card to give is a separate step.
    """

    __slots__ = ()
    in_play: ClassVar[bool] = True
    """True once the play has begun, and when the deal is over."""

    @property
    def setting(self) -> Setting:
        """The circumstances in which the play began, as far as they are known."""

    @property
    def deal(self) -> ChefsHatDeal:
        return self.setting.deal

    # Who is asked for what.

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats that decide now."""

    @property
    def asking_special(self) -> bool:
        """True if the request is for a special action; False in the play."""
        return False

    @property
    def request(self) -> Command:
        """The ``gen_`` command of the decision, in the play ``gen_move``."""
        return "gen_move"

    @property
    def wanted(self) -> int:
        """The number of words of the answer, in the play 1."""
        return 1

    def parse(self, text: str) -> Action:
        """Return the step of a word, legal or not; IllegalAction for other words."""
        action = STEP_IDS.get(text)
        if action is None:
            raise IllegalAction("there is no such discard; it is written C11;Q2;J1, or pass")
        return action

    # Actions and their effects.

    def playable(self, seat: Seat) -> int:
        """Return the legal actions as a mask."""

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """Return the legal actions, ascending."""
        return ids_of(self.playable(seat))

    def allows(self, seat: Seat, action: Action) -> bool:
        return seat in self.to_act and action >= 0 and bool(self.playable(seat) >> action & 1)

    def apply(self, seat: Seat, action: Action) -> ChefsHatState:
        """Return the state after an action; IllegalAction with the reason."""

    def advance(self, seat: Seat, tried: Action, forced: Action | None = None) -> ChefsHatState:  # noqa: ARG002
        """Return the state after an illegal action, or after `forced`; here unchanged, see `Gym2State`."""
        return self

    def forced(self, seat: Seat) -> bool:  # noqa: ARG002
        """Return True if a random action will replace the seat's next one; by default False."""
        return False

    @property
    def random_actions(self) -> tuple[tuple[Seat, Action], ...]:
        """(seat, action) of each random action so far that replaced a seat's own; by default ()."""
        return ()

    def carried_out(self, action: Action, after: ChefsHatState) -> Action:
        """Return the action that led to `after`: this one, or its random replacement."""
        lots = after.random_actions
        return action if lots == self.random_actions else lots[-1][1]

    def points(self) -> tuple[int, ...]:
        """Return the points by seat of a deal that is over."""

    # In steps.

    def steps(self, seat: Seat, picked: Sequence[Card] = ()) -> tuple[Action, ...]:  # noqa: ARG002
        """Return the possible steps, ascending, of a seat that has already `picked` these cards to give."""
        return self.legal(seat)

    def refused(self, seat: Seat) -> tuple[Action, ...]:  # noqa: ARG002
        """Return the steps, ascending, that are listed as possible but refused; by default ()."""
        return ()

    def decision(
        self,
        picked: tuple[Card, ...],  # noqa: ARG002
        step: Action,
    ) -> tuple[Action | None, tuple[Card, ...]]:
        """Return the action that a step completes, None if more steps follow, and the cards picked so far."""
        return step, ()

    # The table and the hands.

    @property
    def table(self) -> int:
        """The discard on the table, or `CLEARED`, or `FIRST_PLAY`."""

    def last_actions_after(self, said: LastActions, action: Action, after: ChefsHatState) -> LastActions:
        """Return `said`, each seat's last action since the last pizza, after `action` led to `after`."""
        seat = self.to_act[0]
        said = (*said[:seat], action, *said[seat + 1 :])
        if after.rounds == self.rounds:
            return said
        return tuple([NOTHING if left else what for left, what in zip(after.cards_left(), said, strict=True)])

    @property
    def last(self) -> Seat:
        """The seat that discarded last, or would lead if all passed."""

    @property
    def rounds(self) -> int:
        """The number of the round, from 1; after a pizza that of the next one."""

    @property
    def order(self) -> tuple[Seat, ...]:
        """The seats without cards, in the order of finishing; by default ()."""
        return ()

    def hand(self, seat: Seat) -> tuple[Card, ...]:
        """Return the cards of a seat, ascending."""

    def cards_left(self) -> list[int]:
        """Return the number of cards by seat."""

    @property
    def board(self) -> bytes:
        """The 11 cells of the board: the cards of the discard, then zeros; an empty board starts with 13."""

    def board_after(self, seat: Seat, action: Action) -> bytes:
        """Return the board after an action, before a pizza clears it."""

    def cells(self, seat: Seat) -> bytes:
        """Return the 17 cells of a hand, zeros for cards played."""


Begin: TypeAlias = Callable[[Setting, Hands], ChefsHatState]
"""Makes the first state of the play from the hands after the exchange."""
