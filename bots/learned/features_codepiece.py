"""What the learned player of Codepiece knows of a decision, as numbers; the same at a table and in training.

A decision is one of a row of `memory_codepiece.Memory`, by a seat with a hand, bool (52,), in the order of
the deck. Strength is relative: a card is known by how many of its suit that are still out or in the own hand
are higher. Suits stand in the order trump, the suit led, then by how many cards of them are held: which plain
suit it is does not matter. Seats go round from the own one.
"""

import numpy as np
from memory_codepiece import (
    CARDS,
    FIRST_CARD,
    FIRST_TRUMP,
    FORCED,
    HIGHEST,
    SEATS,
    SUITS,
    TRICKS,
    UNKNOWN,
    VALUES,
    overtakes,
)

BIDS = HIGHEST - FORCED + 1
OUTCOMES = 4 * BIDS
HAND_CELLS = CARDS + 3 * SUITS
CALL_CELLS = 3
BID_CELLS, BID_DONE = HAND_CELLS + SEATS + BIDS + 2 + 3 * CALL_CELLS, BIDS + 1
TRUMP_CELLS, TRUMP_DONE = BIDS + 3 * CALL_CELLS, HAND_CELLS
PLAY_CELLS, PLAY_DONE = 190, 45
SPREAD = 10.6
"""The deviation of a deal's points."""


def hand_cells(hand, first):
    """Cells of a hand with the suit `first` in front and the others by length, (decisions, `HAND_CELLS`)."""
    n = len(hand)
    own = hand.reshape(n, SUITS, VALUES)[:, :, ::-1]
    worth = own @ (1 << np.arange(VALUES - 1, -1, -1)) + (own.sum(axis=2) << VALUES)
    worth[np.arange(n), first] += 1 << 20
    own = own[np.arange(n)[:, None], np.argsort(-worth, axis=1, kind="stable")]
    lengths = own.sum(axis=2)
    found = np.empty((n, HAND_CELLS), np.float32)
    found[:, :CARDS] = own.reshape(n, CARDS)
    found[:, CARDS : CARDS + SUITS] = lengths / 6
    found[:, CARDS + SUITS : CARDS + 2 * SUITS] = lengths == 0
    # High cards in a row from the ace down: tricks, as long as nobody ruffs them.
    found[:, CARDS + 2 * SUITS :] = np.cumprod(own, axis=2).sum(axis=2) / 4
    return found


def strongest(hand):
    """The suit of most cards, and of the highest among such."""
    own = hand.reshape(len(hand), SUITS, VALUES)
    return (own @ (1 << np.arange(VALUES)) + (own.sum(axis=2) << VALUES)).argmax(axis=1)


def call_cells(memory, rows, seats):
    """What each of the others has called: not yet, pass, or how high."""
    calls = memory.calls[rows[:, None], (seats[:, None] + np.arange(1, SEATS)) % SEATS]
    cells = calls == UNKNOWN, calls == 0, np.maximum(calls, 0) / HIGHEST
    return np.concatenate(cells, axis=1, dtype=np.float32)


def bid_seen(memory, rows, seats, hand):
    """Cells of what is seen by those who bid, (decisions, `BID_CELLS`)."""
    n = len(rows)
    each, found = np.arange(n), np.zeros((n, BID_CELLS), np.float32)
    found[:, :HAND_CELLS] = hand_cells(hand, strongest(hand))
    at = HAND_CELLS
    found[each, at + (memory.calls[rows] != UNKNOWN).sum(axis=1)] = 1
    at += SEATS
    bid, leader = memory.bid[rows], memory.leader[rows]
    found[each, at + np.maximum(bid - FORCED, 0)] = 1
    at += BIDS
    partner = (leader ^ seats) & 1 == 0
    found[:, at], found[:, at + 1] = (leader >= 0) & partner, (leader >= 0) & ~partner
    found[:, at + 2 :] = call_cells(memory, rows, seats)
    return found


def bid_done(ids):
    """Cells of calls by their ids, (calls, `BID_DONE`)."""
    found = np.zeros((len(ids), BID_DONE), np.float32)
    found[np.arange(len(ids)), ids] = 1
    found[:, BIDS] = ids / BIDS
    return found


def trump_seen(memory, rows, seats):
    """Cells of what is seen by those who name a trump, (decisions, `TRUMP_CELLS`)."""
    found = np.zeros((len(rows), TRUMP_CELLS), np.float32)
    found[np.arange(len(rows)), memory.bid[rows] - FORCED] = 1
    found[:, BIDS:] = call_cells(memory, rows, seats)
    return found


def trump_done(hands, ids):
    """Cells of trumps by their ids, each with the hand of its decision, (trumps, `TRUMP_DONE`)."""
    return hand_cells(hands, SUITS - 1 - (ids - FIRST_TRUMP))


class Sight:
    """Some decisions of the play, as arrays by decision."""

    def __init__(self, memory, rows, seats, hand):
        n = len(rows)
        self.each = each = np.arange(n)
        row = each[:, None]
        own, gone = (cards.reshape(n, SUITS, VALUES)[:, :, ::-1] for cards in (hand, memory.gone[rows]))
        self.trump, self.led_suit = memory.trump[rows], memory.led[rows]
        self.on_table, self.best = memory.on_table[rows], memory.best[rows]
        self.following = self.on_table > 0
        self.ahead = (memory.ahead[rows] - seats) % SEATS
        # Suits by rank: trump, what was led, then the longest; aces first.
        worth = own @ (128 + np.arange(VALUES, 0, -1))
        worth[each, self.trump] += 1 << 20
        worth[each, self.led_suit] += self.following << 16
        order = np.argsort(-worth, axis=1, kind="stable")
        self.slots = np.argsort(order, axis=1)
        self.led = self.slots[each, self.led_suit]
        self.own = own = own[row, order]
        live = ~gone[row, order]
        out = live & ~own
        # By place in the suit from the ace down: how many of those alive are higher, are mine, are out.
        self.place = np.cumsum(live, axis=2) - 1
        self.higher_out = np.cumsum(out, axis=2)
        self.higher_own = np.cumsum(own, axis=2) - own
        self.outs, self.lengths = out.sum(axis=2), own.sum(axis=2)
        # Of the cards out, those that each of the others may hold.
        around = (seats[:, None] + np.arange(SEATS)) % SEATS
        self.below = np.take_along_axis(memory.below[rows[:, None], around], order[:, None], axis=2)
        self.laid = np.take_along_axis(memory.laid[rows[:, None], around], order[:, None], axis=2)
        above = np.concatenate([np.zeros((n, SUITS, 1), np.int64), self.higher_out], axis=2)
        first = np.moveaxis(VALUES - self.below, 1, 2)
        self.may = self.outs[:, None] - np.moveaxis(np.take_along_axis(above, first, axis=2), 2, 1)
        self.bid, self.won = memory.bid[rows], memory.won[rows]
        self.leader = (memory.leader[rows] - seats) % SEATS
        self.calls = call_cells(memory, rows, seats)

    def seen(self):
        """Cells of what is seen, (decisions, `PLAY_CELLS`)."""
        n, each, following = len(self.each), self.each, self.following
        found = np.zeros((n, PLAY_CELLS), np.float32)
        row, suit, value = self.own.nonzero()
        found[row, suit * VALUES + self.place[row, suit, value]] = 1
        found[:, 52:56] = self.lengths / 6
        found[:, 56:60] = self.outs / 13
        found[:, 60:72] = (self.may[:, 1:] == 0).reshape(n, 12)
        found[:, 72:84] = (self.may[:, 1:] / np.maximum(self.outs, 1)[:, None]).reshape(n, 12)
        found[:, 84:88] = (self.own & (self.higher_out == 0)).sum(axis=2) / 4
        found[:, 88:92] = (self.outs == 0) & (self.lengths > 0)
        found[each, 92 + self.on_table] = 1
        found[each[following], 96 + self.led[following]] = 1
        found[each[following], 100 + self.ahead[following]] = 1
        best_suit, place = self.slots[each, self.best // VALUES], VALUES - 1 - self.best % VALUES
        found[:, 104] = following * self.higher_out[each, best_suit, place] / 6
        found[:, 105] = following * self.higher_own[each, best_suit, place] / 6
        found[:, 106] = following & (best_suit == 0)
        found[each, 107 + self.leader] = 1
        found[each, 111 + self.bid - FORCED] = 1
        need, spare = self.bid - self.won[:, 0], HIGHEST + 1 - self.bid - self.won[:, 1]
        found[each, 118 + np.maximum(need, 0)] = 1
        found[each, 132 + spare] = 1
        left = TRICKS - self.won.sum(axis=1)
        found[each, 140 + left] = 1
        found[:, 154:163] = self.calls
        found[:, 163] = need / left
        found[:, 164] = spare / left
        bidders = self.leader & 1 == 0
        found[:, 165] = bidders
        found[:, 166] = (SEATS - 1 - self.on_table) / 3
        # Cards of a suit beside those the others may hold: who is long in it.
        found[:, 167:171] = (self.lengths > self.outs) & (self.outs > 0)
        found[:, 171:174] = self.outs[:, :1] > 0
        found[:, 174:177] = self.may[:, 1:, 0] > 0
        found[:, 178:190] = self.laid[:, 1:].reshape(n, 12) / 4
        found[:, 177] = self.lengths[:, 0] / np.maximum(self.outs[:, 0] + self.lengths[:, 0], 1)
        return found

    def cards(self, rows, cards):
        """Cells of playing cards of the deck (0..51) in the decisions `rows`, (cards, `PLAY_DONE`)."""
        n = len(cards)
        each = np.arange(n)
        suit, at = self.slots[rows, cards // VALUES], VALUES - 1 - cards % VALUES
        place, higher = self.place[rows, suit, at], self.higher_out[rows, suit, at]
        on_table, outs = self.on_table[rows], self.outs[rows, suit]
        leads, trump = on_table == 0, suit == 0
        led = np.where(leads, suit, self.led[rows])
        follows = suit == led
        partner_ahead = ~leads & (self.ahead[rows] == 2)
        wins = leads | overtakes(cards, self.best[rows], self.trump[rows])
        # Those yet to play who may still beat it: with the suit, or with trumps once they are out of it.
        behind = np.arange(SEATS) < (SEATS - on_table)[:, None]
        behind[:, 0] = False
        may = self.may[rows]
        may_led = np.take_along_axis(may, led[:, None, None], axis=2)[:, :, 0]
        may_trump = may[:, :, 0]
        # The best card after this one, by its slot and place.
        best = np.where(wins, cards, self.best[rows])
        best_suit, best_at = self.slots[rows, best // VALUES], VALUES - 1 - best % VALUES
        above = self.higher_out[rows, best_suit, best_at]
        # Of the cards above it, a seat may hold those below its bound.
        bound = VALUES - np.take_along_axis(self.below[rows], best_suit[:, None, None], axis=2)[:, :, 0]
        table = np.concatenate([np.zeros((n, 1), np.int64), self.higher_out[rows, best_suit]], axis=1)
        over = above[:, None] > np.take_along_axis(table, bound, axis=1)
        plain = best_suit != 0
        beats_in_suit = behind & over & ((best_suit == led) | ~plain)[:, None]
        # A trump in the trick is beaten only by those who need not follow, unless trumps were led.
        must_lack = (~plain & (led != 0))[:, None] & (may_led > 0)
        ruffs = behind & plain[:, None] & (led != 0)[:, None] & (may_trump > 0)
        surely = ruffs & (may_led == 0)
        found = np.zeros((n, PLAY_DONE), np.float32)
        found[each, suit] = 1
        found[each, 4 + place] = 1
        found[:, 17] = leads
        found[:, 18] = ~leads & follows
        found[:, 19] = ~leads & trump & ~follows
        found[:, 20] = ~leads & ~trump & ~follows
        found[:, 21] = wins
        found[:, 22] = partner_ahead & ~wins
        found[:, 23] = partner_ahead & wins
        found[:, 24] = (SEATS - 1 - on_table) / 3
        found[:, 25] = higher / 6
        found[:, 26] = higher == 0
        found[:, 27] = higher == 1
        found[:, 28] = (outs - higher) / 6
        found[:, 29] = outs == higher
        found[:, 30] = self.higher_own[rows, suit, at] / 4
        found[:, 31] = (self.lengths[rows, suit] - self.higher_own[rows, suit, at] - 1) / 4
        found[:, 32] = self.lengths[rows, suit] == 1
        found[:, 33] = outs / 13
        found[:, 34] = np.where(trump, 0, self.outs[rows, 0]) / 13
        opponents = np.array([False, True, False, True])
        found[:, 35] = (beats_in_suit & ~must_lack & opponents).sum(axis=1) / 2
        found[:, 36] = (beats_in_suit & must_lack & opponents).sum(axis=1) / 2
        found[:, 37] = (beats_in_suit & ~opponents).any(axis=1)
        found[:, 38] = (surely & opponents).sum(axis=1) / 2
        found[:, 39] = (ruffs & ~surely & opponents).sum(axis=1) / 2
        found[:, 40] = (surely & ~opponents).any(axis=1)
        ours = wins | partner_ahead
        beaten = ((beats_in_suit | ruffs) & opponents).any(axis=1)
        found[:, 41] = ours & ~beaten
        found[:, 42] = leads & (may[:, 1, :][each, suit] == 0)
        found[:, 43] = leads & (may[:, 2, :][each, suit] == 0)
        found[:, 44] = leads & (may[:, 3, :][each, suit] == 0)
        return found


def cells(name, memory, rows, seats, hands, mine, ids):
    """Cells of what is seen in decisions `rows` of a kind, and of the options `ids` of decisions `mine`."""
    if name == "bid":
        return bid_seen(memory, rows, seats, hands), bid_done(ids)
    if name == "trump":
        return trump_seen(memory, rows, seats), trump_done(hands[mine], ids)
    sight = Sight(memory, rows, seats, hands)
    return sight.seen(), sight.cards(mine, ids - FIRST_CARD)


_BID = np.arange(FORCED, HIGHEST + 1)
_OURS = np.stack([-2 * _BID, _BID], axis=1).reshape(-1)
POINTS = np.concatenate([_OURS, -_OURS])
"""What a side gets by outcome: its own bids, each failed and made, then the others'."""


def odds(outputs):
    """The chance of each outcome."""
    chances = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


def winning(total, later):
    """The chance to win a match with so many points before its last deals, about."""
    after = 1 / (1 + np.exp(-1.702 * total / (SPREAD * np.sqrt(np.maximum(later, 0.01)))))
    return np.where(later > 0, after, (np.sign(total) + 1) / 2)


def worth(name, memory, rows, seats, outputs, mine):
    """What options are worth by a network's outputs: the chance to win the match, or log odds to succeed."""
    if name != "bid":
        return outputs[:, 0]
    total = np.where(seats & 1, -memory.total[rows], memory.total[rows])[mine]
    chances = winning(total[:, None] + POINTS, memory.later(rows)[mine][:, None])
    return (odds(outputs) * chances).sum(axis=1)
