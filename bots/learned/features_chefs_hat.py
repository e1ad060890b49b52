"""What the learned player of Chef's Hat knows of a decision, as numbers; the same at a table and in training.

Strength is relative: a group of cards is known by who of the rivals may have what beats it. That is told in
three ways: with cards alone, with their jokers, and with cards alone that `Memory.most` believes they have.
"""

import numpy as np
from memory_chefs_hat import (
    DECK,
    EMPTY,
    HAND,
    JOKER,
    JOKERS,
    LONE_JOKER,
    NO_PLACE,
    PASS,
    QUANTITY,
    SEATS,
    VALUE,
)
from worth_chefs_hat import PLACES

PLAY, SPECIAL, FIRST_GIFT, LAST_GIFT = range(4)
"""What is asked for."""
SEEN_CELLS, ACTION_CELLS, OUTPUTS = 455, 140, len(PLACES)
GROUPS, MOST_NEED = JOKER - 1, 12
# A cell for each card: value by value, the first one, the second one, ...
_CARD = np.repeat(np.arange(JOKER + 1), DECK)
_NUMBER = np.concatenate([np.arange(1, many + 1) for many in DECK])


def counts_of(cards):
    """How many of each value some hands have, (n, 13); `cards` (n, any) are values, 0 for none."""
    found = np.zeros((len(cards), JOKER + 1), np.int8)
    np.add.at(found, (np.arange(len(cards))[:, None], cards), 1)
    found[:, 0] = 0
    return found


def _one_hot(numbers, size):
    return numbers[..., None] == np.arange(size)


def _flat(*parts):
    """Arrays by decision side by side."""
    n = len(parts[0])
    return np.concatenate([part.reshape(n, -1) for part in parts], axis=1, dtype=np.float32, casting="unsafe")


class Sight:
    """Some decisions, as arrays by decision: cells of what is seen, and of actions.

    `rows` are matches of the memory and `seats` who decides in them, `hands` (n, 13) counts without what is
    given away already, `asked` what is asked for; `deals` come after this one.
    """

    def __init__(self, memory, rows, seats, hands, asked, totals, deals):
        self.hands, self.asked = hands.astype(np.int64), asked
        row, mine = rows[:, None], seats[:, None]
        around = (mine + np.arange(SEATS)) % SEATS
        others = around[:, 1:]
        self.left, self.place = memory.left[row, around], memory.place[row, around]
        self.role = memory.role[row, around]
        self.inside = ~memory.out[row, others]
        self.over, self.need = memory.over[rows], memory.need[rows]
        owner = memory.owner[rows]
        self.owner = np.where(owner < SEATS, (owner - seats) % SEATS, SEATS)
        self.unseen = np.maximum(DECK - hands - memory.laid[rows], 0).astype(np.int64)
        self.totals = totals[row, around]
        self.deals = deals[rows]
        self.known = memory.known[row, mine, others].astype(np.int64)
        self.floor = memory.floor[row, mine, others]
        self._judge(memory.most[row, others])

    def _judge(self, believed):
        """How many cards rivals may lay on each value at most, by way, rival and value (n, 3, 3, 12)."""
        left = self.left[:, 1:, None]
        elsewhere = self.known.sum(axis=1, keepdims=True) - self.known
        can = np.minimum(self.unseen[:, None] - elsewhere, left)
        can = np.where(np.arange(JOKER + 1) < self.floor[..., None], self.known, can)
        can = np.maximum(can, 0)
        self.believed = np.maximum(np.minimum(can, believed), np.minimum(self.known, left))
        plain, likely = (np.maximum.accumulate(of[..., :JOKER], axis=2) for of in (can, self.believed))
        wild = np.where(plain > 0, np.minimum(plain + self.unseen[:, None, None, JOKER], left), 0)
        self.reach = np.stack((plain, wild, likely), axis=1)
        self.most = self.reach.max(axis=2)

    def seen(self):
        """Cells of what is seen, (decisions, cells)."""
        hands, left = self.hands, self.left
        groups = hands[:, 1:JOKER]
        sure = (groups > self.most[..., :GROUPS].swapaxes(0, 1)).swapaxes(0, 1)
        unsure = ((groups > 0)[:, None] & ~sure).sum(axis=2)
        return _flat(
            hands[:, _CARD] >= _NUMBER,
            self.unseen[:, _CARD] >= _NUMBER,
            sure,
            _one_hot((groups > 0).sum(axis=1), 12),
            _one_hot(np.minimum(unsure, 7), 8),
            left[..., None] > np.arange(HAND),
            self.inside,
            _one_hot(self.place[:, 1:], SEATS),
            self.known[..., 1:] / 2,
            self.believed[..., 1:] / 4,
            self.floor / JOKER,
            self.most / 6,
            _one_hot(self.role, SEATS),
            _one_hot(self.over, EMPTY + 1),
            self.need[:, None] > np.arange(MOST_NEED),
            _one_hot(self.owner, SEATS),
            _one_hot(self.asked, 4),
            _one_hot(np.minimum(self.deals, 2), 3),
            (self.totals[:, :1] - self.totals[:, 1:]) / 6,
        )

    def possible(self):
        """Which orders agree with the places known, (n, 24); seats are counted from who decides."""
        place = self.place[:, None]
        return ((place == NO_PLACE) | (place == PLACES)).all(axis=2)

    def actions(self, rows, ids):
        """Cells of actions by their ids in the decisions `rows`, (actions, cells).

        Also `rest`, how many cards each leaves, whether it is `sure` that nobody beats it, even with jokers,
        and whether it `wins`: after it all groups but one are sure, too.
        """
        each = np.arange(len(ids))
        special = self.asked[rows] == SPECIAL
        declares, passes = special & (ids == LONE_JOKER), ids == PASS
        value, quantity, jokers = (np.where(special, 0, of[ids]) for of in (VALUE, QUANTITY, JOKERS))
        size = quantity + jokers
        after = self.hands[rows]
        after[each, value] -= quantity
        after[:, JOKER] -= jokers
        self.rest = rest = after[:, 1:].sum(axis=1)
        groups = after[:, 1:JOKER]
        held = groups > 0
        most = self.most[rows]
        unsure = held[:, None] & (groups[:, None] <= most[..., :GROUPS])
        left_unsure = unsure.sum(axis=2)
        # Who may beat it of those who have not passed; nobody beats a pass.
        beaten = self.reach[rows, :, :, np.maximum(value - 1, 0)] >= size[:, None, None]
        beaten &= self.inside[rows, None] & (value > 0)[:, None, None]
        stands = ~beaten.any(axis=2) & (size > 0)[:, None]
        wins = stands & (left_unsure <= 1)
        self.sure, self.wins = stands[:, 1], wins[:, 1]
        leads = self.over[rows] == EMPTY
        owner = self.owner[rows] % SEATS
        return _flat(
            _one_hot(value, JOKER + 1),
            quantity[:, None] > np.arange(8),
            _one_hot(jokers, 3)[:, 1:],
            _one_hot(np.minimum(rest, 8), 9),
            _one_hot(np.minimum(held.sum(axis=1), 8), 9),
            _one_hot(np.minimum(left_unsure, 5), 6),
            after[:, JOKER, None] > np.arange(2),
            beaten,
            stands,
            wins,
            np.where(value > 0, after[each, value], 0) / 4,
            (value > 0) & (after[each, value] > 0),
            passes,
            declares,
            passes & (self.inside[rows].sum(axis=1) > 1),
            passes & (self.left[rows, owner] <= 2),
            leads & ~passes,
            ~leads * np.maximum(size - self.need[rows], 0) / 4,
            ~leads * (self.over[rows] - value) / 6,
            held,
            groups / 4,
            unsure,
        )


def odds(outputs, possible):
    """How likely each order of finishing is after some actions, (actions, 24); `possible` as of `Sight`."""
    likely = np.exp(outputs - outputs.max(axis=1, keepdims=True)) * possible
    return likely / likely.sum(axis=1, keepdims=True)
