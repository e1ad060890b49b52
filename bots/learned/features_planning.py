"""What the learned player of Planning knows of a decision, as numbers; the same at a table and in training.

A row of `seen` is what ``arbiter.envs`` shows a seat (docs/reference/environments.md, "Planning: what is
seen"), a row of `void` (4 seats, 4 suits) says which suits each seat, the own one first, has shown to be out
of. Strength is relative: a card is known by how many of its suit that are still out or in the own hand are
higher, so that a king whose ace is gone is an ace. Suits stand in the order trump, the suit led, then by how
many cards of them are held: which plain suit it is does not matter.
"""

import numpy as np

SEATS, SUITS, VALUES, CARDS, MOST = 4, 4, 13, 52, 13
NUMBERS = MOST + 1
DECLARED, TAKEN, SIZE, LEADER, DECLARING, SEEN = 468, 524, 580, 594, 602, 603
SEEN_CELLS, DECLARATION_CELLS, CARD_CELLS = 167, 15, 41


class Sight:
    """Some decisions, as arrays by decision: cells of what is seen, and of cards or declarations."""

    def __init__(self, seen, void):
        n = len(seen)
        self.each = each = np.arange(n)
        row = each[:, None]
        # Aces first.
        own = seen[:, :CARDS].reshape(n, SUITS, VALUES)[:, :, ::-1].astype(bool)
        gone = seen[:, CARDS : CARDS + SEATS * CARDS].reshape(n, SEATS, SUITS, VALUES).any(1)[:, :, ::-1]
        self._look_at_the_trick(seen, n)
        # Suits by rank: trump, what was led, then the longest.
        worth = own @ (128 + np.arange(VALUES, 0, -1))
        worth[:, 0] += 1 << 20
        worth[each, self.led_suit] += (self.on_table > 0) << 16
        order = np.argsort(-worth, axis=1, kind="stable")
        self.slots = np.argsort(order, axis=1)
        self.led = self.slots[each, self.led_suit]
        self.own = own = own[row, order]
        live = ~gone[row, order]
        self.out = live & ~own
        self.void = np.take_along_axis(void, order[:, None, :], axis=2)
        # By place in the suit from the ace down: how many of those alive are higher, are mine, are out.
        self.place = np.cumsum(live, axis=2) - 1
        self.higher_out = np.cumsum(self.out, axis=2)
        self.higher_own = np.cumsum(own, axis=2) - own
        self.outs, self.lengths = self.out.sum(axis=2), own.sum(axis=2)
        self.declaring = seen[:, DECLARING].astype(bool)
        self.declared = seen[:, DECLARED:TAKEN].reshape(n, SEATS, NUMBERS).argmax(axis=2)
        self.taken = seen[:, TAKEN:SIZE].reshape(n, SEATS, NUMBERS).argmax(axis=2)
        self.size = seen[:, SIZE:LEADER].argmax(axis=1)
        self.left = self.size - self.taken.sum(axis=1)
        self.leader = seen[:, LEADER : LEADER + SEATS].argmax(axis=1)
        self.need = np.where(self.declaring[:, None], 0, self.declared - self.taken)

    def _look_at_the_trick(self, seen, n):
        """Who has played, and which card wins so far; `best` is its power, 0 where there is no trick."""
        each = self.each
        table = seen[:, CARDS + SEATS * CARDS : DECLARED].reshape(n, SEATS, CARDS)
        self.has_played = table.any(axis=2)
        self.on_table = self.has_played.sum(axis=1)
        cards = table.argmax(axis=2)
        leader = seen[:, LEADER : LEADER + SEATS].argmax(axis=1)
        self.led_suit = cards[each, leader] // VALUES
        powers = np.where(self.has_played, self.power(cards, self.led_suit[:, None]), 0)
        self.winner, self.best = powers.argmax(axis=1), powers.max(axis=1)
        self.best_card = cards[each, self.winner]

    @staticmethod
    def power(cards, led):
        """What a card is worth in a trick: 0 for a discard, then the suit led, then trumps."""
        suits = cards // VALUES
        return np.where(suits == 0, 14 + cards, np.where(suits == led, 1 + cards % VALUES, 0))

    def seen(self):
        """Cells of what is seen, (decisions, `SEEN_CELLS`)."""
        n, each = len(self.each), self.each
        found = np.zeros((n, SEEN_CELLS), np.float32)
        row, suit, value = self.own.nonzero()
        found[row, suit * VALUES + self.place[row, suit, value]] = 1
        found[:, 52:56] = self.lengths / 6
        found[:, 56:60] = self.outs / 13
        found[:, 60:72] = self.void[:, 1:].reshape(n, 12)
        # The trick: how much of it lies there, who has it, and how safely.
        following = self.on_table > 0
        found[each, 72 + self.on_table] = 1
        found[each[following], 76 + self.led[following]] = 1
        found[each[following], 79 + self.winner[following]] = 1
        best_suit = self.slots[each, self.best_card // VALUES]
        place = VALUES - 1 - self.best_card % VALUES
        found[:, 83] = following * self.higher_out[each, best_suit, place] / 6
        found[:, 84] = following * self.higher_own[each, best_suit, place] / 6
        found[:, 85] = following & (best_suit == 0)
        # What everybody still wants: the seat itself, then the others.
        need, left = self.need, self.left
        found[each, 86 + np.clip(need[:, 0], -1, MOST) + 1] = 1
        found[:, 101] = need[:, 0] > left
        found[each, 102 + left] = 1
        for seat in (1, 2, 3):
            at = 116 + 8 * (seat - 1)
            found[each, at + np.clip(need[:, seat], -1, 3) + 1] = 1
            found[:, at + 5] = need[:, seat] / 6
            found[:, at + 6] = need[:, seat] > left
            found[:, at + 7] = self.has_played[:, seat]
        found[each, 140 + self.size] = 1
        found[each, 154 + self.leader] = 1
        found[:, 158] = (np.maximum(need, 0).sum(axis=1) - left) / 4
        found[:, 159] = need[:, 0] / np.maximum(left, 1)
        found[:, 160] = ~self.declaring
        # Of the cards that are out, how many are in hands: the rest was not dealt.
        hands = (SEATS - 1) * left - self.on_table
        found[:, 161] = hands / np.maximum(self.outs.sum(axis=1), 1)
        found[:, 162:166] = (self.outs == 0) & (self.lengths > 0)
        found[:, 166] = (SEATS - 1 - self.on_table) / 3
        return found

    @staticmethod
    def declarations(numbers):
        """Cells of declarations, (numbers, `DECLARATION_CELLS`)."""
        found = np.zeros((len(numbers), DECLARATION_CELLS), np.float32)
        found[np.arange(len(numbers)), numbers] = 1
        found[:, NUMBERS] = numbers / MOST
        return found

    def cards(self, rows, cards):
        """Cells of playing cards of the deck (0..51) in the decisions `rows`, (cards, `CARD_CELLS`)."""
        n = len(cards)
        each = np.arange(n)
        suit, at = self.slots[rows, cards // VALUES], VALUES - 1 - cards % VALUES
        place, higher = self.place[rows, suit, at], self.higher_out[rows, suit, at]
        on_table, outs = self.on_table[rows], self.outs[rows, suit]
        leads, trump = on_table == 0, suit == 0
        led = np.where(leads, suit, self.led[rows])
        follows = suit == led
        wins = leads | (self.power(cards, self.led_suit[rows]) > self.best[rows])
        after = SEATS - 1 - on_table
        # Those yet to play who may still beat it: with the suit, or with trumps once they are out of it.
        behind = ~self.has_played[rows]
        behind[:, 0] = False
        trumps_out = np.where(trump, 0, self.outs[rows, 0])
        lacks = self.void[rows[:, None], np.arange(SEATS), led[:, None]].astype(bool)
        trumps_lacking = self.void[rows, :, 0].astype(bool)
        over = behind & ~lacks & ((higher > 0) & follows)[:, None]
        ruff = behind & ~trumps_lacking & (np.where(trump, higher, trumps_out) > 0)[:, None]
        found = np.zeros((n, CARD_CELLS), np.float32)
        found[each, suit] = 1
        found[each, 4 + place] = 1
        found[:, 17] = leads
        found[:, 18] = ~leads & follows
        found[:, 19] = ~leads & trump & ~follows
        found[:, 20] = ~leads & ~trump & ~follows
        found[:, 21] = wins
        found[:, 22] = after / 3
        found[:, 23] = higher / 6
        found[:, 24] = higher == 0
        found[:, 25] = higher == 1
        found[:, 26] = (outs - higher) / 6
        found[:, 27] = outs == higher
        found[:, 28] = self.higher_own[rows, suit, at] / 4
        lower_own = self.lengths[rows, suit] - self.higher_own[rows, suit, at] - 1
        found[:, 29] = lower_own / 4
        found[:, 30] = self.lengths[rows, suit] == 1
        found[:, 31] = outs / 13
        found[:, 32] = trumps_out / 13
        found[:, 33] = over.sum(axis=1) / 3
        found[:, 34] = (ruff & lacks).sum(axis=1) / 3
        found[:, 35] = (ruff & ~lacks).sum(axis=1) / 3
        found[:, 36] = wins & ~(over | ruff).any(axis=1)
        need = self.need[rows, 0]
        found[:, 37] = wins & (need <= 0)
        found[:, 38] = wins & (need > 0)
        found[:, 39] = ~wins & (need > 0)
        found[:, 40] = ~wins & (need <= 0)
        return found


def points(outputs, declared, taken, size, weight):
    """What actions are worth, in points: the own ones, less `weight` times what the others have on average.

    The first 14 `outputs` are the odds of how many more tricks will be taken, the last one the mean of the
    others' points for each card dealt; the other arguments are by action, `declared` 0..13, `taken` so far.
    """
    odds = np.exp(outputs[:, :NUMBERS] - outputs[:, :NUMBERS].max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    missing = declared - taken
    exactly = np.where(missing >= 0, odds[np.arange(len(odds)), np.maximum(missing, 0)], 0)
    own = taken + odds @ np.arange(NUMBERS) + size * exactly
    return own - weight * size * outputs[:, NUMBERS]
