"""Many matches of Dou Dizhu at once, their rules as operations on arrays.

What all hands hold, whose turn it is and what is to be beaten are arrays by match, and so is what players
see: a record of 1035 cells in which an action changes a few planes. Only the combinations of several
ranks, a fourth of the turns, are looked for match by match, by the functions that the game has for it.
A deal that has ended goes back to its `Play`, which counts the points and deals again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.batches import Batch
from arbiter.envs.mistakes import checked_number
from arbiter.envs.observers import Observer
from arbiter.envs.observers.dou_dizhu import PLANE, RECENT, DouDizhuObserver, RoleObserver, plane_rows
from arbiter.envs.play import Play
from arbiter.games.dou_dizhu.combinations import (
    FIRST_BOMB,
    FIRST_PAIR,
    FIRST_TRIO,
    GUARD,
    MOST,
    ONES,
    PASS,
    ladder_of,
    table,
)
from arbiter.games.dou_dizhu.game import HAND, DouDizhuState
from arbiter.games.dou_dizhu.moves import long_leads, rivals_in
from arbiter.rules import AnyGame

Numbers = NDArray[np.int64]

_AFTER = np.array([1, 2, 0])
_ROLES = np.eye(3, dtype=np.int8)[[0, 1, 2, 0]]
_LEFT = np.concatenate((np.zeros((1, MOST), np.int8), np.eye(MOST, dtype=np.int8)))
"""By the number of cards left, a 1 in cell n - 1; nothing for none."""
_SOLOS, _PAIRS, _TRIOS, _TAIL = range(4)
"""Words of a bit for each rank; those of the last are bombs, the rocket and a pass."""
_ROCKET_BIT, _PASS_BIT = 1 << 4 * 13, 1 << 4 * 14
_FIRST_LONG = FIRST_TRIO + 13
_LOW = 0x111111111111
"""The ranks that chains are made of."""
_ID_BITS = 15


class _Tables(NamedTuple):
    """The tables indexed by the id of a combination, and the meaning of bits of words."""

    cards: Numbers
    sizes: Numbers
    floor: Numbers
    ceiling: Numbers
    planes: NDArray[np.int8]
    kept: Numbers
    """By the combination to beat, and `PASS` for a lead: which bits of the four words are legal, (ids, 4)."""
    long: NDArray[np.bool_]
    """True where it has several ranks."""
    meant: Numbers
    """The id of each of the 256 bits of four words."""


@cache
def _tables() -> _Tables:
    entries = table()
    cards = np.array(entries.cards)
    planes = plane_rows(cards)
    kept = np.zeros((len(cards), 4), np.int64)
    for word, first, after in ((_SOLOS, 0, FIRST_PAIR), (_PAIRS, FIRST_PAIR, FIRST_TRIO)):
        for best in range(first, after):
            kept[best, word] = -(2 << 4 * (best - first))
    for best in range(FIRST_TRIO, _FIRST_LONG):
        kept[best, _TRIOS] = -(2 << 4 * (best - FIRST_TRIO))
    kept[:, _TAIL] = -1
    for best in range(FIRST_BOMB, PASS):
        kept[best, _TAIL] = -(2 << 4 * (best - FIRST_BOMB))
    kept[PASS] = (-1, -1, -1, ~_PASS_BIT)
    meant = np.zeros((4, 64), np.int64)
    for word, first, count in (
        (_SOLOS, 0, 15),
        (_PAIRS, FIRST_PAIR, 13),
        (_TRIOS, FIRST_TRIO, 13),
        (_TAIL, FIRST_BOMB, 15),
    ):
        meant[word, : 4 * count : 4] = np.arange(first, first + count)
    ids = np.arange(len(cards))
    return _Tables(
        cards,
        planes.sum(axis=1),
        np.array(entries.floor),
        np.array(entries.ceiling),
        planes,
        kept,
        (ids >= _FIRST_LONG) & (ids < FIRST_BOMB),
        meant.reshape(-1),
    )


class DouDizhuBatch(Batch):
    """`Batch` for Dou Dizhu; see the module."""

    def _prepare(self, game: AnyGame, observer: Observer, plays: list[Play]) -> None:
        super()._prepare(game, observer, plays)
        n = self.n
        self._recorder = DouDizhuObserver(game)
        self._each = np.arange(n)
        # One array of all numbers, so that a new deal is taken over by one assignment.
        self._numbers = np.zeros((13, n), np.int64)
        self._hands, self._dealt, self._counts = self._numbers[:9].reshape(3, 3, n)
        self._best, self._owners, self._landlords, self._bombs = self._numbers[9:]
        self.turns = np.zeros(n, np.int64)
        # What `DouDizhuObserver` shows the seat to act, and the planes in it that are by role.
        self._record = np.zeros((n, self._recorder.size(0)), np.int8)
        at = 2 * PLANE + RECENT * PLANE
        self._played = self._record[:, at : at + 3 * PLANE].reshape(n, 3, PLANE)
        self._last = self._record[:, at + 3 * PLANE : at + 6 * PLANE].reshape(n, 3, PLANE)
        self._left = self._record[:, at + 6 * PLANE : at + 6 * PLANE + 3 * MOST].reshape(n, 3, MOST)

    def observations(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        seen = self._views(self._each, self._record, self.turns)
        if out is None:
            return seen.copy() if seen is self._record else seen
        np.copyto(out, seen)
        return out

    def _views(self, numbers: Numbers, records: NDArray[np.int8], seats: Numbers) -> NDArray[np.int8]:  # noqa: ARG002
        """Return what seats see of these matches, by the records of their sights."""
        return records

    def step(self, actions: Sequence[int] | NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        given, turns, best, tables = self._checked(actions), self.turns, self._best, _tables()
        each, hands, need = self._each, self._hands, tables.cards[given]
        hand = hands[turns, each]
        bombs = given >= FIRST_BOMB
        legal = ((hand | GUARD) - need) & GUARD == GUARD
        legal &= ((tables.floor[best] <= given) & (given < tables.ceiling[best])) | (bombs & (given > best))
        rewards, over = np.zeros((self.n, 3), np.float32), np.zeros(self.n, np.bool_)
        if np.count_nonzero(legal) != self.n:
            over = ~legal
            rewards[over, turns[over]] = -1
            if self.ends is not None:
                wrong = over.nonzero()[0]
                views = self._views(wrong, self._record[wrong], turns[wrong])
                self.ends.update(zip(wrong.tolist(), views, strict=True))
            # They pass, for all that it matters.
            given, need = np.where(legal, given, PASS), np.where(legal, need, 0)
        hand -= need
        hands[turns, each] = hand
        passed = given == PASS
        played = ~passed
        np.copyto(self._owners, turns, where=played)
        np.copyto(best, given, where=played)
        self.turns = after = _AFTER[turns]
        best[passed & (self._owners == after)] = PASS
        self._bombs += bombs & played
        self._legal = None
        self._note(given, turns, hand)
        ended = ((hand == 0) | over).nonzero()[0].tolist()
        for number in ended:
            play = self._plays[number]
            if over[number]:
                play.stop()
            else:
                play.state = self._state(number, int(turns[number]))
                play._finish_deal()
                if play.over:
                    over[number] = True
                    rewards[number] = play.totals
                    if self.ends is not None:
                        self.ends[number] = self._end(number, int(turns[number]))
            if over[number]:
                self._renew(number)
        if ended:
            self._load(ended)
        return rewards, over

    def _note(self, given: Numbers, turns: Numbers, hand: Numbers) -> None:
        """Write down what was done, `hand` being what is left of the cards, and look from the next seat."""
        tables, record, each, after = _tables(), self._record, self._each, self.turns
        plane, role = tables.planes[given], (turns - self._landlords) % 3
        recent = record[:, 2 * PLANE : (2 + RECENT) * PLANE]
        recent[:, :-PLANE] = recent[:, PLANE:]
        recent[:, -PLANE:] = plane
        record[:, PLANE : 2 * PLANE] = tables.planes[self._best]
        changed = np.concatenate((self._hands[after, each], self._dealt[turns, each] - hand))
        planes = plane_rows(changed)
        record[:, :PLANE], self._played[each, role] = planes[: self.n], planes[self.n :]
        self._last[each, role] = plane
        self._counts[turns, each] = left = self._counts[turns, each] - tables.sizes[given]
        self._left[each, role] = _LEFT[left]
        record[:, -3:] = _ROLES[role + 1]

    def _look(self) -> None:
        self._load(list(range(self.n)))

    def _load(self, numbers: list[int]) -> None:
        """Take over the plays of these matches as they stand."""
        fields, seen = [], []
        for number in numbers:
            play = self._plays[number]
            _, _, hands, best, owner, landlord, bombs = play.state
            counts = [ladder_of(cards).bit_count() for cards in hands]
            fields.append((*hands, *play.first.hands, *counts, best, owner, landlord, bombs))
            seen.append(self._recorder.vector(play, play.turn))
        self._numbers[:, numbers] = np.array(fields).T
        self.turns[numbers] = [self._plays[number].turn for number in numbers]
        self._record[numbers] = seen
        self._legal = None

    def _end(self, number: int, seat: int) -> NDArray[np.int8]:
        """Return what a seat that has played its last card sees."""
        seen: NDArray[np.int8] = self._record[number].copy()
        seen[:PLANE] = 0
        seen[-3:] = _ROLES[(seat - self._landlords[number]) % 3]
        view: NDArray[np.int8]
        (view,) = self._views(np.array([number]), seen[None], np.array([seat]))
        return view

    def _state(self, number: int, seat: int) -> DouDizhuState:
        """The last state of a deal that the last card of a seat has ended."""
        hands, best = tuple(self._hands[:, number].tolist()), int(self._best[number])
        landlord, bombs = int(self._landlords[number]), int(self._bombs[number])
        return DouDizhuState(self._plays[number].game, (), hands, best, seat, landlord, bombs)  # type: ignore[arg-type]

    def _enumerated(self) -> tuple[Numbers, Numbers]:
        tables, best = _tables(), self._best
        ranks = one, two, three, most = _ranks(self._hands[self.turns, self._each])
        words = np.empty((self.n, 4), np.int64)
        words[:, 0], words[:, 1], words[:, 2] = one, two, three
        # Both jokers make a rocket; the pass is always there.
        words[:, 3] = most | (one & one >> 4 & _ROCKET_BIT) | _PASS_BIT
        words &= tables.kept[best]
        bits = np.unpackbits(words.view(np.uint8).reshape(-1), bitorder="little").view(np.bool_).nonzero()[0]
        leads = best == PASS
        leading = (leads & _has_long(one, two, three)).nonzero()[0]
        following = tables.long[best].nonzero()[0]
        lists = [*map(long_leads, *[cards[leading].tolist() for cards in ranks])]
        if len(following):
            ladders = (one | two << 1 | three << 2 | most << 3)[following].tolist()
            lists += map(rivals_in, ladders, best[following].tolist())
        counts = np.fromiter(map(len, lists), np.int64, len(lists))
        # One number for match and id, so that sorting it sorts both.
        rows = np.repeat(np.concatenate((leading, following)), counts)
        found = np.fromiter(chain.from_iterable(lists), np.int64, len(rows))
        both = np.concatenate((bits >> 8 << _ID_BITS | tables.meant[bits & 255], rows << _ID_BITS | found))
        both.sort()
        self._rows = both >> _ID_BITS
        starts = np.zeros(self.n + 1, np.int64)
        np.cumsum(np.bincount(self._rows, minlength=self.n), out=starts[1:])
        return both & (1 << _ID_BITS) - 1, starts


# `dou_dizhu_v4`: the same matches, seen as its agents see them.

_CELLS = DouDizhuObserver(None).size(0)
_RECENT = np.arange(2 * PLANE, (2 + RECENT) * PLANE)
_PLAYED_AT, _LAST_AT, _LEFT_AT = (_RECENT[-1] + 1 + part * 3 * PLANE for part in range(3))


def _plane(first: int, role: int = 0) -> NDArray[np.int64]:
    return np.arange(first + role * PLANE, first + (role + 1) * PLANE)


def _left(role: int, cards: int) -> NDArray[np.int64]:
    """The cells that tell how many cards a role has left, at most so many."""
    return np.arange(_LEFT_AT + role * MOST, _LEFT_AT + role * MOST + cards)


def _cells_of(role: int, *, visible: bool) -> NDArray[np.int64]:
    """Return where the cells of `RoleObserver` stand in a record, with two planes behind it: see `_views`."""
    parts = [_plane(0), *([_plane(_CELLS, 1)] if visible else []), _plane(_CELLS), _RECENT]
    if role == 0:
        parts += [_plane(_PLAYED_AT, 2), _plane(_PLAYED_AT, 1), _left(2, HAND), _left(1, HAND)]
    else:
        mate = 3 - role
        parts += [_plane(_PLAYED_AT), _plane(_PLAYED_AT, mate), _plane(_LAST_AT), _plane(_LAST_AT, mate)]
        parts += [_left(0, MOST), _left(mate, HAND)]
    return np.concatenate(parts)


class RoleBatch(DouDizhuBatch):
    """`n` matches of `dou_dizhu_v4` in play; `dou_dizhu_v4.batch` makes it. Seat 0 is the landlord.

    Match k of a batch with seed s is the first that the environment plays with seed s + k, then its second,
    and so on.
    """

    def __init__(self, plays: list[Play], seed: int, *, visible: bool) -> None:
        self._visible = visible
        self._cells = [_cells_of(role, visible=visible) for role in range(3)]
        self._prepare(plays[0].game, RoleObserver(visible=visible, rlcard=False), plays)
        self.reset(seed)

    def reset(self, seed: int | str = 0) -> None:
        """Begin all matches anew; seeds are integers from 0."""
        first = checked_number(seed, "a seed of dou_dizhu_v4 is an integer from 0")
        self.begin([first + number for number in range(self.n)])

    def _views(self, numbers: Numbers, records: NDArray[np.int8], seats: Numbers) -> NDArray[np.int8]:
        count, last = len(numbers), _RECENT[-PLANE:]
        seen = np.zeros((count, self.size), np.int8)
        more = np.zeros((count, _CELLS + 2 * PLANE), np.int8)
        more[:, :_CELLS] = records
        # The last action, the one before it if that was a pass, which has no cards.
        played = records[:, last].any(axis=1, keepdims=True)
        more[:, _CELLS : _CELLS + PLANE] = np.where(played, records[:, last], records[:, last - PLANE])
        if self._visible:
            hands = self._hands[:, numbers]
            more[:, _CELLS + PLANE :] = plane_rows(hands.sum(axis=0) - hands[seats, np.arange(count)])
        for role, cells in enumerate(self._cells):
            rows = (seats == role).nonzero()[0]
            seen[rows, : len(cells)] = more[rows[:, None], cells]
        return seen


def _ranks(hand: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """The ranks of which hands have one card, two, three, and all four, a bit in the place of the rank."""
    half, most = hand >> 1, hand >> 2 & ONES
    two = half & ONES | most
    return hand & ONES | two, two, hand & half & ONES | most, most


def _has_long(one: Numbers, two: Numbers, three: Numbers) -> NDArray[np.bool_]:
    low, twos = one & _LOW, two & _LOW
    low &= low >> 4
    runs = low & low >> 4 & low >> 8 & low >> 12 | twos & twos >> 4 & twos >> 8
    found: NDArray[np.bool_] = (three | runs) != 0
    return found
