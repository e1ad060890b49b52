"""What the end of a deal of Chef's Hat is worth in its match, as numbers.

A deal ends in one of 24 orders of the seats. With the points so far, and with how likely who has which role
finishes how in the deals to come, each order has a worth for each seat.
"""

from itertools import permutations

import numpy as np

SEATS, MOST_DEALS = 4, 2
TRIFLE = 0.01
"""What a point is worth beside rivals: it decides where nobody can be overtaken any more."""
ORDERS = np.array(list(permutations(range(SEATS))))
"""Seats in the order of finishing."""
PLACES = np.argsort(ORDERS, axis=1)
"""The place of each seat, by order."""
POINTS = SEATS - 1 - PLACES
_KEYS = SEATS ** np.arange(SEATS)
_NUMBERS = np.zeros(SEATS**SEATS, np.int64)
_NUMBERS[PLACES @ _KEYS] = np.arange(len(ORDERS))


def number_of(places):
    """The number of the order in which the seats have these places, (..., seats)."""
    return _NUMBERS[places @ _KEYS]


SHIFTED = np.array([number_of(np.roll(PLACES, seat, axis=1)) for seat in range(SEATS)])
"""By seat and order, in which the seats are counted from that seat: the same order of the table's seats."""
SEEN_FROM = np.argsort(SHIFTED, axis=1)
"""By seat and order of the table's seats: the same order, counted from that seat."""


def ahead(totals):
    """Of totals by seat: the share of rivals that each is ahead of, level ones counting half."""
    mine, theirs = totals[..., :, None], totals[..., None, :]
    return ((mine > theirs).sum(axis=-1) + ((mine == theirs).sum(axis=-1) - 1) / 2) / (SEATS - 1)


def first(totals):
    """Of totals by seat: each one's share of the first place."""
    best = totals == totals.max(axis=-1, keepdims=True)
    return best / best.sum(axis=-1, keepdims=True)


def worths(totals, deals, chances, of=ahead):
    """By match, order and seat, (n, 24, seats): what it is worth if this deal ends so.

    `totals` (n, seats) are the points before it, and `deals` come after it, of which two at most are looked
    at; `chances` are how likely those with the roles 0, 1, 2, 3 finish in each order.
    """
    after = totals[:, None] + POINTS
    if deals <= 0:
        return of(after)
    # The next deal's orders, once its seats are counted by the roles that this one gave them.
    worth = np.empty((len(totals), len(ORDERS), SEATS))
    for number, order in enumerate(ORDERS):
        by_role = worths(after[:, number, order], min(deals, MOST_DEALS) - 1, chances, of)
        worth[:, number, order] = np.einsum("o,nos->ns", chances, by_role)
    return worth


def aims(totals, deals, chances):
    """What players aim at, (n, 24, seats): to be ahead of rivals at the end of the match, then points."""
    return worths(totals, deals, chances) + TRIFLE * POINTS


def wins(totals, deals, chances):
    """Each seat's share of the first place of the match, (n, 24, seats)."""
    return worths(totals, deals, chances, first)
