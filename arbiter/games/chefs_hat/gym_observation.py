"""Chef's Hat as published agents see it: cells of the board and of a hand, and running scores.

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
    """Return the board of a discard: its cards, then zeros.

    Cards beyond the 11 cells are cut off: a discard has up to 13, all elevens and both jokers.
    """
    return bytes(cards).ljust(BOARD, b"\0")[:BOARD]


BOARDS = (*map(board_cells, map(cards_laid, range(PASS))), EMPTY_BOARD, EMPTY_BOARD)
"""The board by the discard on the table; the last two are `CLEARED` and `FIRST_PLAY`."""


def hand_cells(cards: Sequence[Card]) -> bytes:
    """Return the cells of a hand: zeros, then the cards."""
    return bytes(cards).rjust(HAND, b"\0")


@lru_cache(maxsize=1 << 14)
def mask_cells(mask: int) -> bytes:
    """Return `hand_cells` of a hand's mask."""
    return hand_cells(cards_of(mask))


@lru_cache
def role_names(roles: tuple[int, ...] | None) -> tuple[str, ...]:
    """Return the names of the roles by seat; empty strings for None."""
    return NO_ROLES if roles is None else tuple(ROLES[role] for role in roles)


class Tally(NamedTuple):
    """Points and performance scores by seat after a number of matches.

    A performance score is the mean over matches of ten times the points by the number of rounds.
    """

    matches: int = 0
    points: tuple[int, ...] = (0,) * SEATS
    performance: tuple[float, ...] = (0.0,) * SEATS

    def after(self, state: ChefsHatState) -> Tally:
        """Return the tally with one more match, whose final state is `state`."""
        won, rounds, matches = state.points(), state.rounds, self.matches
        points = tuple([old + new for old, new in zip(self.points, won, strict=True)])
        # Updated match by match as in the published environment: one division differs in the last bit.
        performance = tuple(
            [
                (mean * matches + new * 10 / rounds) / (matches + 1)
                for mean, new in zip(self.performance, won, strict=True)
            ]
        )
        return Tally(matches + 1, points, performance)
