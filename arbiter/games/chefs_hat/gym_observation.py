"""Chef's Hat as published agents are shown it: cells of the board and of a hand, and running scores.

Cells are bytes, one for each card.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from arbiter.games.cards import Card
from arbiter.games.chefs_hat.actions import HAND, PASS, cards_laid, cards_of
from arbiter.games.chefs_hat.deal import ROLES, SEATS
from arbiter.games.chefs_hat.state import ChefsHatState

BOARD = 11
EMPTY_BOARD = bytes((13, *(0,) * (BOARD - 1)))
NO_ROLES = ("",) * SEATS


def board_cells(cards: Sequence[Card]) -> bytes:
    """The cells of a discard, one after the other, then zeros.

    Thirteen cards, all elevens and both jokers, are more than the board has room for.
    """
    return bytes(cards).ljust(BOARD, b"\0")[:BOARD]


BOARDS = (*map(board_cells, map(cards_laid, range(PASS))), EMPTY_BOARD, EMPTY_BOARD)
"""The cells of the board by what lies there; the last two are `CLEARED` and `FIRST_PLAY`."""


def hand_cells(cards: Sequence[Card]) -> bytes:
    """The cells of a hand: zeros, then the cards."""
    return bytes(cards).rjust(HAND, b"\0")


@lru_cache(maxsize=1 << 14)
def mask_cells(mask: int) -> bytes:
    """The same of a hand given as a mask; the same ones come again and again."""
    return hand_cells(cards_of(mask))


@lru_cache
def role_names(roles: tuple[int, ...] | None) -> tuple[str, ...]:
    """Roles by seat in words; empty strings where there are none."""
    return NO_ROLES if roles is None else tuple(ROLES[role] for role in roles)


class Tally(NamedTuple):
    """Points and performance scores by seat after a number of matches.

    A performance score is the mean over matches of ten times the points by the number of rounds.
    """

    matches: int = 0
    points: tuple[int, ...] = (0,) * SEATS
    performance: tuple[float, ...] = (0.0,) * SEATS

    def after(self, state: ChefsHatState) -> Tally:
        """With one more match, which ended as `state`."""
        won, rounds, matches = state.points(), state.rounds, self.matches
        points = tuple([old + new for old, new in zip(self.points, won, strict=True)])
        # Term by term as published agents know it: a sum divided once differs in the last bit.
        performance = tuple(
            [
                (mean * matches + new * 10 / rounds) / (matches + 1)
                for mean, new in zip(self.performance, won, strict=True)
            ]
        )
        return Tally(matches + 1, points, performance)
