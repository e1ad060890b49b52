"""Dou Dizhu: observations of 54-cell planes, one kind for all seats and one by role.

A plane is 54 bytes: four cells for each rank 3 .. A, 2, with a 1 for each card, filled from the first,
and one cell for each joker. Planes are cached by their counts, so that an observation is little more
than joining them.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import cast

import numpy as np

from arbiter.envs.match_state import Play
from arbiter.envs.observers.observer import Observer, Vector
from arbiter.games.cards import Card
from arbiter.games.dou_dizhu.combinations import ACTIONS, MOST, PASS, UNKNOWN_FROM, Counts, table
from arbiter.games.dou_dizhu.game import HAND, DouDizhu, DouDizhuState
from arbiter.games.game import AnyGame, Seat

PLANE = 54
RECENT = 9
_REMEMBERED = 1 << 15


@cache
def _rank_cells(counts: int) -> bytes:
    """Return the sixteen cells of four ranks."""
    return b"".join(b"\1" * (counts >> at & 7) + b"\0" * (4 - (counts >> at & 7)) for at in range(0, 16, 4))


@lru_cache(maxsize=_REMEMBERED)
def _plane(counts: Counts) -> bytes:
    """Return the plane of cards."""
    high = _rank_cells(counts >> 48)
    low = (_rank_cells(counts >> at & 0xFFFF) for at in (0, 16, 32))
    return b"".join((*low, high[:5], high[8:9]))


@lru_cache(maxsize=_REMEMBERED)
def _card_count(counts: Counts) -> int:
    """Return the number of cards, including unknown ones."""
    return sum(counts >> at & 7 for at in range(0, UNKNOWN_FROM, 4)) + (counts >> UNKNOWN_FROM)


@cache
def _combination_plane(action: int) -> bytes:
    """Return the plane of a combination by its id; zeros for a pass."""
    return _plane(table().cards[action])


_NOTHING = bytes(PLANE)
_PADDING = tuple(bytes(PLANE * (RECENT - n)) for n in range(RECENT + 1))
"""By the number of actions so far, the padding before them."""
_LEFT_17 = tuple(bytes(i == n - 1 for i in range(HAND)) for n in range(HAND + 1))
"""By the number of cards left, a 1 in cell n - 1; zeros for no cards."""
_LEFT_20 = tuple(bytes(i == n - 1 for i in range(MOST)) for n in range(MOST + 1))
_WRAPPED_17 = (_LEFT_17[-1], *_LEFT_17[1:])
_WRAPPED_20 = (_LEFT_20[-1], *_LEFT_20[1:])
_ROLES = tuple(bytes(i == role for i in range(3)) for role in range(3))


@lru_cache(maxsize=1 << 12)
def _counts_of(cards: tuple[Card, ...]) -> Counts:
    """Return the counts of the landlord's extra cards, which stay the same in a deal."""
    return sum(1 << 4 * (card // 4 + card // 53) for card in cards)


class _AnyDouDizhu(Observer):
    """The base of both observers: the ids are the game's."""

    actions = ACTIONS

    def action_name(self, action: int) -> str:
        return table().names[action]


class DouDizhuObserver(_AnyDouDizhu):
    """int8[1035] of 0 and 1, the same for all seats, since the landlord changes from deal to deal.

    Roles are the landlord (0), the peasant after it (1) and the peasant before it (2).

    | cells | what |
    |---|---|
    | 0:54 | own hand |
    | 54:108 | the combination to beat: the last action except passes; zeros when leading |
    | 108:594 | the last 9 actions, oldest first, padded in front, passes are zeros |
    | 594:756 | cards played by roles 0, 1, 2 |
    | 756:918 | last action of roles 0, 1, 2; zeros for a pass or no action |
    | 918:978 | cards left of roles 0, 1, 2, one-hot 20 (cell n - 1) |
    | 978:1032 | the landlord's three extra cards |
    | 1032:1035 | own role, one-hot |

    Ids are the game's own: all 27,472 combinations.
    """

    def __init__(self, game: AnyGame | None) -> None:
        self._compile(game, DouDizhu)

    def size(self, seat: Seat) -> int:  # noqa: ARG002
        return 2 * PLANE + (RECENT + 7) * PLANE + 3 * MOST + 3

    def vector(self, play: Play, seat: Seat) -> Vector:
        state = cast("DouDizhuState", play.state)
        hands, dealt, moves, landlord = state.hands, play.first.hands, play.actions, state.landlord
        seats = (landlord, (landlord + 1) % 3, (landlord + 2) % 3)
        count = len(moves)
        cells = bytearray().join(
            (
                _plane(hands[seat]),
                _combination_plane(state.best),
                _PADDING[min(count, RECENT)],
                *map(_combination_plane, moves[-RECENT:]),
                *[_plane(dealt[other] - hands[other]) for other in seats],
                *[_last_action_plane(moves, role) for role in range(3)],
                *[_LEFT_20[_card_count(hands[other])] for other in seats],
                _plane(_counts_of(play.deal.extra)),
                _ROLES[(seat - landlord) % 3],
            )
        )
        return np.frombuffer(cells, np.int8)


class RoleObserver(_AnyDouDizhu):
    """The observations of `dou_dizhu_v4`, seat 0 being the landlord: int8 of 0 and 1.

    With the opponents' hands hidden, 54:108 is left out and the following cells move up by 54: 736 and 847
    cells. ``compat="rlcard-1.2.0"`` copies two faults of RLCard: the first actions instead of the last ones
    in 756:864 of a peasant, and the last cell for no cards left.

    | cells | landlord, 790 | cells | peasant, 901 |
    |---|---|---|---|
    | 0:54 | own hand | 0:54 | own hand |
    | 54:108 | the others' hands, together | 54:108 | the others' hands, together |
    | 108:162 | the last action; if it is a pass, the one before it; zeros if both are | 108:162 | the same |
    | 162:648 | last 9 actions, oldest first, padded in front | 162:648 | the same |
    | 648:702 | cards played by peasant_1 | 648:702 | cards played by the landlord |
    | 702:756 | cards played by peasant_0 | 702:756 | cards played by the teammate |
    | 756:773 | cards left of peasant_1, one-hot 17 | 756:810 | the landlord's last action |
    | 773:790 | cards left of peasant_0, one-hot 17 | 810:864 | the teammate's last action |
    | | | 864:884 | cards left of the landlord, one-hot 20 |
    | | | 884:901 | cards left of the teammate, one-hot 17 |
    """

    def __init__(self, *, visible: bool, rlcard: bool) -> None:
        self._visible, self._rlcard = visible, rlcard
        self._left_17 = _WRAPPED_17 if rlcard else _LEFT_17
        self._left_20 = _WRAPPED_20 if rlcard else _LEFT_20

    def size(self, seat: Seat) -> int:
        return (901 if seat else 790) - (0 if self._visible else PLANE)

    def vector(self, play: Play, seat: Seat) -> Vector:
        state = cast("DouDizhuState", play.state)
        hands, dealt, moves = state.hands, play.first.hands, play.actions
        count = len(moves)
        parts = [_plane(hands[seat])]
        if self._visible:
            parts.append(_plane(sum(hands) - hands[seat]))
        if not count:
            parts.append(_NOTHING)
        else:
            last = moves[-1]
            parts.append(_combination_plane(moves[-2] if last == PASS and count > 1 else last))
        if count < RECENT:
            parts.append(_PADDING[count])
        parts += map(_combination_plane, moves[-RECENT:])
        if seat == 0:
            parts += (
                _plane(dealt[2] - hands[2]),
                _plane(dealt[1] - hands[1]),
                self._left_17[_card_count(hands[2])],
                self._left_17[_card_count(hands[1])],
            )
        else:
            mate = 3 - seat
            kept = _first_action_plane if self._rlcard else _last_action_plane
            parts += (
                _plane(dealt[0] - hands[0]),
                _plane(dealt[mate] - hands[mate]),
                kept(moves, 0),
                kept(moves, mate),
                self._left_20[_card_count(hands[0])],
                self._left_17[_card_count(hands[mate])],
            )
        # A bytearray, so that the array is writable.
        return np.frombuffer(bytearray().join(parts), np.int8)


def _last_action_plane(moves: list[int], role: int) -> bytes:
    """Return the plane of a role's last action: role r does actions r, r + 3, ..."""
    count = len(moves)
    return _combination_plane(moves[count - 1 - (count - 1 - role) % 3]) if count > role else _NOTHING


def _first_action_plane(moves: list[int], role: int) -> bytes:
    """Return the plane of a role's first action; `moves` are all so far, in turn from the landlord (0)."""
    return _combination_plane(moves[role]) if len(moves) > role else _NOTHING
