"""What everybody has heard of Codepiece, in many matches side by side: calls, cards, what they exclude."""

import numpy as np

SEATS, SUITS, VALUES, CARDS, TRICKS = 4, 4, 13, 52, 13
PASS, FIRST_TRUMP, FIRST_CARD = 0, 7, 11
"""Ids in ``arbiter.envs``."""
FORCED, HIGHEST = 7, 13
NOBODY, UNKNOWN = -1, -1


class Memory:
    """What has been heard of the deals in play, as arrays by match."""

    def __init__(self, n, dealers):
        self.dealers = np.array(dealers)
        self.deal = np.zeros(n, np.int64)
        self.total = np.zeros(n, np.int64)  # points of seats 0 and 2 in the match
        self.calls = np.zeros((n, SEATS), np.int64)
        self.bid, self.leader, self.trump = (np.zeros(n, np.int64) for _ in range(3))
        self.gone = np.zeros((n, CARDS), bool)
        # Of a suit a seat holds nothing but cards lower than this: 0 once it is known to be out of it.
        self.below = np.zeros((n, SEATS, SUITS), np.int64)
        self.laid = np.zeros((n, SEATS, SUITS), np.int64)  # cards that each has played
        self.on_table, self.led, self.best, self.ahead = (np.zeros(n, np.int64) for _ in range(4))
        self.won = np.zeros((n, 2), np.int64)  # tricks of the bidders and of the defenders
        self.begin(np.arange(n))

    def begin(self, rows):
        """A deal begins in these matches."""
        self.calls[rows], self.bid[rows], self.below[rows] = UNKNOWN, 0, VALUES
        self.leader[rows] = self.trump[rows] = NOBODY
        self.gone[rows], self.laid[rows], self.on_table[rows], self.won[rows] = False, 0, 0, 0

    def points(self):
        """What the bidders get, by match, once a deal is over."""
        return np.where(self.won[:, 0] >= self.bid, self.bid, -2 * self.bid)

    def end(self, rows):
        """A deal is over in these matches: its points count, and the next one begins, or the next match."""
        points = self.points()[rows]
        self.total[rows] += np.where(self.leader[rows] & 1, -points, points)
        self.deal[rows] += 1
        last = rows[self.deal[rows] == len(self.dealers)]
        self.deal[last] = self.total[last] = 0
        self.begin(rows)

    def later(self, rows):
        """How many deals follow the one in play."""
        return len(self.dealers) - 1 - self.deal[rows]

    def hear(self, rows, seats, ids):
        """Each of these seats did what has this id in ``arbiter.envs``: True for deals that are over."""
        over = np.zeros(len(rows), bool)
        bids, cards = ids < FIRST_TRUMP, ids >= FIRST_CARD
        if bids.any():
            self._hear_bids(rows[bids], seats[bids], ids[bids])
        named = ~bids & ~cards
        self.trump[rows[named]] = SUITS - 1 - (ids[named] - FIRST_TRUMP)
        if cards.any():
            over[cards] = self._hear_cards(rows[cards], seats[cards], ids[cards] - FIRST_CARD)
        return over

    def _hear_bids(self, rows, seats, ids):
        self.calls[rows, seats] = np.where(ids == PASS, 0, ids + FORCED)
        higher = ids != PASS
        self.bid[rows[higher]], self.leader[rows[higher]] = ids[higher] + FORCED, seats[higher]
        # All have passed, the dealer last.
        forced = (self.calls[rows] == 0).all(axis=1)
        self.bid[rows[forced]], self.leader[rows[forced]] = FORCED, (seats[forced] + 1) % SEATS

    def _hear_cards(self, rows, seats, cards):
        first = self.on_table[rows] == 0
        suits, trump = cards // VALUES, self.trump[rows]
        led = np.where(first, suits, self.led[rows])
        best, ahead = self.best[rows], self.ahead[rows]
        beats = first | overtakes(cards, best, trump)
        follows = suits == led
        # Whoever does not follow has none; whoever lets an opponent's card win has none that beats it.
        out = ~follows
        self.below[rows[out], seats[out], led[out]] = 0
        lets = ~beats & ((ahead ^ seats) & 1 == 1)
        best_suit = best // VALUES
        same = lets & (best_suit == np.where(follows, led, trump))
        at = rows[same], seats[same], best_suit[same]
        self.below[at] = np.minimum(self.below[at], best[same] % VALUES)
        none = lets & out & (best_suit != trump)
        self.below[rows[none], seats[none], trump[none]] = 0
        self.gone[rows, cards] = True
        self.laid[rows, seats, suits] += 1
        self.led[rows] = led
        self.best[rows], self.ahead[rows] = np.where(beats, cards, best), np.where(beats, seats, ahead)
        self.on_table[rows] = (self.on_table[rows] + 1) % SEATS
        full = rows[self.on_table[rows] == 0]
        self.won[full, (self.ahead[full] ^ self.leader[full]) & 1] += 1
        return (self.won[rows, 1] > HIGHEST - self.bid[rows]) | (self.won[rows].sum(axis=1) == TRICKS)

    def decided(self, rows):
        """Whether the bid is made, so that what is still played changes nothing."""
        return (self.bid[rows] > 0) & (self.won[rows, 0] >= self.bid[rows])


def overtakes(cards, best, trump):
    """Whether a card takes the trick from the best one."""
    suits, best_suit = cards // VALUES, best // VALUES
    return np.where(suits == best_suit, cards > best, suits == trump)
