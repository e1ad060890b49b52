"""Chef's Hat as published agents are shown it: cells of the board and of a hand, rounds, running scores.

Environments and data sets show the same things of both rule sets, which keep them differently.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.games.chefs_hat.actions import HAND, NONE_LEFT, PASS, cards_laid, cards_of
from arbiter.games.chefs_hat.book import BookState
from arbiter.games.chefs_hat.deal import ROLES, SEATS
from arbiter.games.chefs_hat.gym2 import BOARD, EMPTY_BOARD, Gym2State

if TYPE_CHECKING:
    from arbiter.cards import Card
    from arbiter.games.chefs_hat.opening import ChefsHatState, Setting
    from arbiter.rules import Action, Seat

BOARDS = (
    *((*cards, *(0,) * (BOARD - len(cards)))[:BOARD] for cards in map(cards_laid, range(PASS))),
    EMPTY_BOARD,  # cleared
    EMPTY_BOARD,  # the first play
)
"""The cells of the board by what lies there; 13 cards are more than it has room for."""
NO_ROLES = ("",) * SEATS


def board_cells(state: ChefsHatState) -> tuple[Card, ...]:
    """The 11 cells of the board: the cards laid, then zeros; an empty board starts with a 13."""
    if isinstance(state, BookState):
        return BOARDS[state.table]
    return state.board if isinstance(state, Gym2State) else EMPTY_BOARD


def board_after(before: ChefsHatState, seat: Seat, action: Action, after: ChefsHatState) -> tuple[Card, ...]:
    """The board after an action of the play, before a pizza clears it."""
    if action == PASS:
        return board_cells(before)
    if isinstance(before, Gym2State):
        assert isinstance(after, Gym2State)
        if after.rounds == before.rounds:
            return after.board
        return laid_by_place(before.hands[seat], action)
    return BOARDS[action]


def laid_by_place(hand: tuple[Card, ...], action: Action) -> tuple[Card, ...]:
    """The cells of a discard from 17 places that an exchange may have left unsorted."""
    if not hand[0]:
        return BOARDS[action]
    wanted = list(cards_laid(action))
    laid = []
    for card in hand:
        if card in wanted:
            wanted.remove(card)
            laid.append(card)
    return (*laid, *(0,) * (BOARD - len(laid)))[:BOARD]


def hand_cells(state: ChefsHatState, seat: Seat) -> tuple[Card, ...]:
    """The 17 cells of a hand, zeros for cards that have gone."""
    if isinstance(state, Gym2State):
        return state.hands[seat]
    cards = cards_of(state.hands[seat]) if isinstance(state, BookState) else state.hand(seat)
    return (*(0,) * (HAND - len(cards)), *cards)


def cards_left(state: ChefsHatState) -> list[int]:
    """The number of cards that each seat has."""
    if isinstance(state, BookState):
        masks = state.hands
    elif isinstance(state, Gym2State):
        masks = state.masks
    else:
        return [len(hand) for hand in _setting(state).hands]
    # The bits without jokers are one for each card; then a bit for each joker.
    return [(mask & NONE_LEFT).bit_count() + (mask >> 198 & 1) + (mask >> 200 & 1) for mask in masks]


def rounds_of(state: ChefsHatState) -> int:
    """The number of the round, from 1; after a pizza that of the next one."""
    if isinstance(state, BookState):
        return state.pizzas + 1
    return state.rounds if isinstance(state, Gym2State) else 1


def roles_now(state: ChefsHatState) -> tuple[str, ...]:
    """The role of each seat, after a food fight the new one; empty strings where there are none."""
    roles = _setting(state).roles
    return NO_ROLES if roles is None else role_names(roles)


@lru_cache
def role_names(roles: tuple[int, ...]) -> tuple[str, ...]:
    """Roles by seat in words."""
    return tuple(ROLES[role] for role in roles)


def _setting(state: Any) -> Setting:
    # The protocol of states does not have it, all of them do.
    setting: Setting = state.setting
    return setting


class Tally(NamedTuple):
    """What the seats have after so many matches: points, and performance scores.

    A performance score is the mean over matches of ten times the points by the number of rounds.
    """

    matches: int = 0
    points: tuple[int, ...] = (0,) * SEATS
    performance: tuple[float, ...] = (0.0,) * SEATS

    def after(self, state: ChefsHatState) -> Tally:
        """With one more match, which ended as `state`."""
        won, rounds, matches = state.points(), rounds_of(state), self.matches
        points = tuple([old + new for old, new in zip(self.points, won, strict=True)])
        # Term by term as published agents know it: a sum divided once differs in the last bit.
        performance = tuple(
            [
                (mean * matches + new * 10 / rounds) / (matches + 1)
                for mean, new in zip(self.performance, won, strict=True)
            ]
        )
        return Tally(matches + 1, points, performance)
