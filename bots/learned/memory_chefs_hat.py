"""What the seats of Chef's Hat have seen so far, as arrays by match: of one at a table, of many in training.

`known` and `floor` are what a seat alone knows of another one, from the exchange: cards that it surely has,
and a value that its other cards are not below. All else is public. `most` is how many cards of each value a
seat has at most if it always discards the largest value that it may, and all cards of it.
"""

import numpy as np

SEATS, HAND, JOKER, EMPTY, LONE_JOKER, PASS = 4, 17, 12, 13, 198, 199
DECK = np.array([*range(JOKER), 2], np.int8)
"""How many cards of each value there are."""
NO_ROLE = NO_PLACE = SEATS
CHEF, SOUSCHEF, WAITER, DISHWASHER = range(SEATS)
_PARTS = [(v, q, j) for v in range(1, JOKER) for q in range(1, v + 1) for j in range(3)]
VALUE, QUANTITY, JOKERS = np.array([*_PARTS, (JOKER, 0, 1), (0, 0, 0)]).T
"""Of each discard by its id, and of a pass."""
VALUES = np.arange(JOKER + 1)
_IDS = {f"C{value};Q{quantity};J{jokers}": number for number, (value, quantity, jokers) in enumerate(_PARTS)}
_IDS |= {"C0;Q0;J1": LONE_JOKER, "pass": PASS}


def id_of(word):
    """The id of a discard or a pass as the protocol writes it; ValueError for what is none."""
    if word not in _IDS:
        raise ValueError(word)
    return _IDS[word]


class Memory:
    """`n` matches; `rows` are some of them, each once, and `seats` one seat in each of these."""

    def __init__(self, n):
        shape = n, SEATS
        self.laid = np.zeros((n, JOKER + 1), np.int8)
        self.left, self.place, self.role = (np.zeros(shape, np.int64) for _ in range(3))
        self.out = np.zeros(shape, bool)  # have passed, or have no cards
        self.over, self.need, self.owner = (np.zeros(n, np.int64) for _ in range(3))  # of what lies there
        self.most = np.zeros((*shape, JOKER + 1), np.int8)
        self.known = np.zeros((n, SEATS, SEATS, JOKER + 1), np.int8)  # by who knows it, and of whom
        self.floor = np.zeros((n, SEATS, SEATS), np.int64)

    def begin(self, rows, roles, cards=HAND):
        """A deal begins, of so many cards each; in the first of a match nobody has a role."""
        self.laid[rows], self.known[rows], self.floor[rows] = 0, 0, 0
        self.left[rows], self.place[rows], self.role[rows] = cards, NO_PLACE, roles
        self.most[rows] = DECK
        self.out[rows] = False
        self.over[rows], self.need[rows], self.owner[rows] = EMPTY, 1, NO_PLACE

    def show_jokers(self, rows, seats):
        """A special action tells all who has both jokers."""
        self.known[rows, :, seats, JOKER] = 2

    def give(self, rows, givers, takers, cards):
        """Of what a seat gave it knows where it is; `cards` (rows, values) are counts."""
        self.known[rows, givers, takers] += cards

    def take(self, rows, takers, givers, cards):
        """The strongest cards of a giver, who keeps none below them and knows who has these now."""
        self.give(rows, givers, takers, cards)
        self.floor[rows, takers, givers] = JOKER - (cards[:, ::-1] > 0).argmax(axis=1)

    def act(self, rows, seats, ids):
        """A discard or a pass in each; what it does to the table."""
        value, quantity, jokers = VALUE[ids], QUANTITY[ids], JOKERS[ids]
        size = quantity + jokers
        plays = size > 0
        over, need = self.over[rows, None], self.need[rows, None]
        larger = (value[:, None] < VALUES) & (np.minimum(over, JOKER) > VALUES)
        most = self.most[rows, seats]
        most = np.where(larger, np.minimum(most, need - 1), most)
        most[quantity > 0, value[quantity > 0]] = 0
        self.most[rows, seats] = most
        for card, number in ((value, quantity), (JOKER, jokers)):
            self.laid[rows, card] += number.astype(np.int8)
            known = self.known[rows, :, seats, card]
            self.known[rows, :, seats, card] = np.maximum(known - number[:, None], 0)
        self.left[rows, seats] = np.maximum(self.left[rows, seats] - size, 0)
        done = plays & (self.left[rows, seats] == 0)
        self.place[rows[done], seats[done]] = (self.place[rows[done]] < NO_PLACE).sum(axis=1)
        self.out[rows, seats] |= ~plays | done
        laid = rows[plays]
        self.over[laid], self.need[laid], self.owner[laid] = value[plays], size[plays], seats[plays]
        # When all others have passed, the table is cleared.
        others = ~self.out[rows] & (np.arange(SEATS) != self.owner[rows, None])
        clear = rows[~others.any(axis=1)]
        self.over[clear], self.need[clear], self.owner[clear] = EMPTY, 1, NO_PLACE
        self.out[clear] = self.left[clear] == 0

    def end(self, rows):
        """Those of `rows` whose deal is over, with everybody's place."""
        over = rows[(self.place[rows] < NO_PLACE).sum(axis=1) == SEATS - 1]
        self.place[over] = np.minimum(self.place[over], SEATS - 1)
        return over
