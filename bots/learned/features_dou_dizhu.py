"""What the learned player of Dou Dizhu knows of a decision, as numbers; the same at a table and in training.

A row of `seen` is what ``arbiter.envs`` shows a seat (docs/reference/environments.md, "Dou Dizhu: what is
seen"). Cards are counts: an integer with four bits for each rank, so that taking cards out of a hand is a
subtraction. A play is known by its kind, its lowest main rank and what it leaves: above all by about how many
turns the rest of the hand then needs.
"""

from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

RANKS = "3456789TJQKA2BR"
JOKER, TWO, PLANE, ROLES = 13, 12, 54, 3
SEEN, BEST, PLAYED, LAST, LEFT, EXTRA, ROLE = 1035, 54, 594, 756, 918, 978, 1032
SEEN_CELLS, PLAY_CELLS = 6 * PLANE + 72, 15 + 15 + PLANE + 38
MOST_LEFT, MOST_TURNS = 20, 12
ONES = 0x111111111111111
CHAINED = 0x111111111111  # the ranks that chains are made of
GUARD = 0x888888888888888
BOMB, PASS = 12, 14

# Every form of play by its kind: copies of a main rank, main ranks in a row, kickers, cards of a kicker.
FORMS = [
    (0, 1, 1, 0, 0),
    (1, 2, 1, 0, 0),
    (2, 3, 1, 0, 0),
    (3, 3, 1, 1, 1),
    (4, 3, 1, 1, 2),
    (BOMB, 4, 1, 0, 0),
]
FORMS += [(5, 1, row, 0, 0) for row in range(5, 13)]
FORMS += [(6, 2, row, 0, 0) for row in range(3, 11)]
FORMS += [(7, 3, row, 0, 0) for row in range(2, 7)]
FORMS += [(8, 3, row, row, 1) for row in range(2, 6)]
FORMS += [(9, 3, row, row, 2) for row in range(2, 5)]
FORMS += [(10, 4, 1, 2, 1), (11, 4, 1, 2, 2)]


class Plays(NamedTuple):
    """All plays there are, as arrays; the last one is to pass. The rocket is the highest bomb."""

    cards: np.ndarray
    kind: np.ndarray
    start: np.ndarray
    row: np.ndarray
    copies: np.ndarray
    size: np.ndarray


def all_plays():
    """The 27,472 plays of the rules, ascending by their cards but for the pass."""
    found = [(0x11 << 4 * JOKER, BOMB, JOKER, 1, 1, 2)]

    for kind, copies, row, kickers, each in FORMS:
        for start in range((15 if copies == 1 and row == 1 else 13 if row == 1 else TWO) - row + 1):
            main = sum(copies << 4 * rank for rank in range(start, start + row))
            size = copies * row + kickers * each
            for others in _kickers(start, row, kickers, each):
                cards = main + sum(each << 4 * rank for rank in others)
                found.append((cards, kind, start, row, copies, size))
    found.sort()
    found.append((0, PASS, 0, 1, 1, 0))
    return Plays(*(np.array(column) for column in zip(*found, strict=True)))


def _kickers(start, row, kickers, each):
    """The ranks of the kickers that a main part may have, one entry for each choice."""
    free = [rank for rank in range(15) if not start <= rank < start + row]
    if each == 2:
        yield from combinations([rank for rank in free if rank < JOKER], kickers)
        return
    for ranks in combinations_with_replacement(free, kickers):
        thrice = {rank for rank in ranks if ranks.count(rank) > 2}
        # One joker at most, and three alike must not make the row longer.
        fits = all(
            ranks.count(rank) == 3 and (rank == TWO or rank not in (start - 1, start + row))
            for rank in thrice
        )
        if fits and sum(rank >= JOKER for rank in ranks) < 2:
            yield ranks


def legal(plays, hand, best):
    """Numbers of the plays that a hand may make on the play `best`; on a pass, when it leads, all others."""
    held = ((hand | GUARD) - plays.cards) & GUARD == GUARD
    if plays.kind[best] == PASS:
        held[best] = False
        return held.nonzero()[0]
    better = (
        (plays.kind == plays.kind[best]) & (plays.row == plays.row[best]) & (plays.start > plays.start[best])
    )
    if plays.kind[best] != BOMB:
        better |= plays.kind == BOMB
    better[-1] = True
    return (held & better).nonzero()[0]


def number(ranks):
    """How many of these ranks there are: the sum of the four bits of each."""
    return (ranks * ONES) >> 56 & 15


def levels(counts):
    """The ranks with at least one, two, three and four cards, a bit each."""
    half, most = counts >> 1, counts >> 2 & ONES
    two = half & ONES | most
    return counts & ONES | two, two, counts & half & ONES | most, most


def plane_of(counts):
    """54 cells of cards: four for each rank and one for each joker, filled from the first."""
    nibbles = counts[:, None] >> np.arange(0, 60, 4) & 15
    cells = nibbles[:, :, None] > np.arange(4)
    return np.concatenate((cells[:, :JOKER].reshape(-1, 52), cells[:, JOKER:, 0]), axis=1)


def counts_in(planes):
    """The counts of planes of 54 cells, (..., 54)."""
    nibbles = np.empty((*planes.shape[:-1], 15), np.int64)
    nibbles[..., :JOKER] = planes[..., :52].reshape(*planes.shape[:-1], JOKER, 4).sum(axis=-1)
    nibbles[..., JOKER:] = planes[..., 52:]
    return nibbles @ (1 << np.arange(0, 60, 4))


def without_longest(counts, copies, least):
    """Counts less the longest row of ranks with so many copies, where it is at least so long."""
    ranks = levels(counts)[copies - 1] & CHAINED
    begins, length = ranks, (ranks != 0).astype(np.int64)
    while True:
        longer = begins & (ranks >> 4 * length)
        grows = longer != 0
        if not grows.any():
            break
        begins = np.where(grows, longer, begins)
        length += grows
    # The highest row of that length: its ranks, from the bit where it begins.
    begin = np.int64(1) << np.log2(np.maximum(begins, 1)).astype(np.int64)
    row = begin * ((np.int64(1) << 4 * length) // 15)
    return np.where(length >= least, counts - copies * row, counts), length >= least


def rows_apart(counts):
    """Turns for a hand without chains of single cards or pairs: its groups, less what trios take along."""
    one, two, three, four = levels(counts)
    trios = three & ~four
    loose = number(one & ~two) + number(two & ~three)
    low = trios & CHAINED
    together = number(trios) - number(low & low << 4)
    return loose + together + number(four) - np.minimum(number(trios), loose)


def turns(counts):
    """About how many turns hands need: the best of some ways to take chains out, the longest first."""
    chain, found = without_longest(counts, 1, 5)
    best = np.minimum(rows_apart(counts), rows_apart(chain) + found)
    second, again = without_longest(chain, 1, 5)
    best = np.minimum(best, rows_apart(second) + found + again)
    pairs, paired = without_longest(counts, 2, 3)
    best = np.minimum(best, rows_apart(pairs) + paired)
    both, chained = without_longest(pairs, 1, 5)
    return np.minimum(best, rows_apart(both) + paired + chained)


class Sight:
    """Some decisions, as arrays by decision: cells of what is seen, and of plays."""

    def __init__(self, seen):
        n = len(seen)
        each = np.arange(n)
        self.role = seen[:, ROLE:].argmax(axis=1)
        # The seat itself, the next and the one before it.
        around = (self.role[:, None] + np.arange(ROLES)) % ROLES
        self.hand, self.best, self.extra = (counts_in(seen[:, at : at + PLANE]) for at in (0, BEST, EXTRA))
        of = each[:, None], around
        self.played = counts_in(seen[:, PLAYED:LAST].reshape(n, ROLES, PLANE)[of])
        last = counts_in(seen[:, LAST:LEFT].reshape(n, ROLES, PLANE)[of])
        self.left = seen[:, LEFT:EXTRA].reshape(n, ROLES, MOST_LEFT)[of].argmax(axis=2) + 1
        self.leads = self.best == 0
        self.before_has_it = ~self.leads & (last[:, 2] == self.best)
        deck = 4 * (ONES & ~(0x11 << 4 * JOKER)) + (0x11 << 4 * JOKER)
        self.out = deck - self.hand - self.played.sum(axis=1)
        fellow = np.where(self.role == 1, 1, 2)  # the other peasant, by distance
        self.from_fellow = ~self.leads & (self.role > 0) & ((fellow == 2) == self.before_has_it)

    def seen(self):
        """Cells of what is seen, (decisions, `SEEN_CELLS`)."""
        n, each = len(self.role), np.arange(len(self.role))
        found = np.zeros((n, SEEN_CELLS), np.float32)
        known = np.where(self.role == 0, 0, self.extra)
        planes = (self.hand, self.out, self.best, self.played[:, 1], self.played[:, 2], known)
        for place, counts in enumerate(planes):
            found[:, place * PLANE : (place + 1) * PLANE] = plane_of(counts)
        at = 6 * PLANE
        for seat in range(ROLES):
            found[each, at + seat * MOST_LEFT + self.left[:, seat] - 1] = 1
        at += ROLES * MOST_LEFT
        found[each, at + self.role] = 1
        found[:, at + 3] = self.leads
        found[:, at + 4] = self.before_has_it
        found[:, at + 5] = self.from_fellow
        out_bombs = levels(self.out)[3]
        found[:, at + 6] = number(out_bombs) / 4
        found[:, at + 7] = self.out >> 4 * JOKER == 0x11
        found[:, at + 8] = turns(self.hand) / 10
        enemies = np.where(self.role == 0, self.left[:, 1:].min(axis=1), self.left[each, -self.role % ROLES])
        found[:, at + 9] = enemies == 1
        found[:, at + 10] = enemies == 2
        found[:, at + 11] = enemies / 20
        return found

    def plays(self, plays, rows, numbers):
        """Cells of plays by their numbers in the decisions `rows`, (plays, `PLAY_CELLS`)."""
        n, each = len(numbers), np.arange(len(numbers))
        kind, start, row, copies = (getattr(plays, of)[numbers] for of in ("kind", "start", "row", "copies"))
        size, rest = plays.size[numbers], self.hand[rows] - plays.cards[numbers]
        out, left = self.out[rows], self.left[rows, 0] - size
        found = np.zeros((n, PLAY_CELLS), np.float32)
        found[each, kind] = 1
        found[each, 15 + start] = 1
        found[:, 30 : 30 + PLANE] = plane_of(rest)
        at = 30 + PLANE
        needed = np.minimum(turns(rest), MOST_TURNS)
        found[each, at + needed] = 1
        at += MOST_TURNS + 1
        found[:, at] = needed / 6
        found[:, at + 1] = left / 20
        found[:, at + 2] = left == 0
        found[:, at + 3] = left == 1
        found[:, at + 4] = left == 2
        found[:, at + 5] = size / 8
        found[:, at + 6] = row / 8
        one, two, three, four = levels(rest)
        solos, pairs = one & ~two, two & ~three
        found[:, at + 7] = number(solos) / 6
        found[:, at + 8] = number(pairs) / 6
        found[:, at + 9] = number(three & ~four) / 4
        found[:, at + 10] = number(four) / 2
        found[:, at + 11] = rest >> 4 * JOKER == 0x11
        # What is left that nobody can beat by a higher one, and what lies low.
        higher, higher_two = levels(out)[:2]
        found[:, at + 12] = number(_above(solos, higher)) / 4
        found[:, at + 13] = number(_above(pairs, higher_two)) / 4
        found[:, at + 14] = number(solos & 0x11111111) / 6
        found[:, at + 15] = number(pairs & 0x11111111) / 6
        # Whether it can be beaten by its like, by a bomb, and whose play it beats.
        passes = kind == PASS
        like = self._can_beat(out, copies, row, start) & ~passes
        bombs = (levels(out)[3] != 0) | (out >> 4 * JOKER == 0x11)
        found[:, at + 16] = like
        found[:, at + 17] = bombs
        found[:, at + 18] = ~like & ~bombs & ~passes
        found[:, at + 19] = passes & self.from_fellow[rows]
        found[:, at + 20] = ~passes & self.from_fellow[rows]
        found[:, at + 21] = ~passes & ~like & (needed <= 1)
        found[:, at + 22] = (needed <= 2) & ~like & ~passes
        found[:, at + 23] = (left > 0) & passes
        found[:, at + 24] = size >= self.left[rows, 0]
        return found

    @staticmethod
    def _can_beat(out, copies, row, start):
        """Whether the cards that are out hold the same main part with a higher start."""
        ranks = np.choose(copies - 1, levels(out))
        runs = ranks & np.where(row > 1, CHAINED, ONES)
        whole = runs
        for more in range(1, 12):
            whole = np.where(row > more, whole & runs >> 4 * more, whole)
        return whole >> 4 * start >> 4 != 0


def _above(ranks, others):
    """Those of the ranks that none of the others is higher than."""
    for _ in range(4):
        # All bits below the highest one of the others.
        others = others | others >> 4 | others >> 8 | others >> 12 | others >> 16
    return ranks & ~(others >> 4)
