"""Chef's Hat for the trainer: matches of a network against itself and others, and what they teach."""

import numpy as np
from features_chefs_hat import FIRST_GIFT, LAST_GIFT, PLAY, SPECIAL, Sight, counts_of, odds
from memory_chefs_hat import (
    CHEF,
    DISHWASHER,
    JOKER,
    JOKERS,
    LONE_JOKER,
    NO_ROLE,
    PASS,
    QUANTITY,
    SEATS,
    SOUSCHEF,
    VALUE,
    WAITER,
    Memory,
)
from worth_chefs_hat import ORDERS, SEEN_FROM, SHIFTED, aims, number_of

DEALS = 3
BOARD, CARDS = 11, 28
NETWORK, CARELESS, QUICK = range(3)


class Matches:
    """Matches side by side, most seats of which play with the same two networks, "open" and "play".

    Some play at random, and some discard the largest values first, as simple programs do: who has only ever
    met its like does not know what to do with them.
    """

    shares = (0.72, 0.08, 0.2)

    def __init__(self, batch, chance):
        self.batch, self.n, self.chance = batch, batch.n, chance
        self.each = np.arange(batch.n)
        self.memory = Memory(batch.n)
        shape = batch.n, SEATS
        self.totals, self.deals = np.zeros(shape, np.int64), np.zeros(batch.n, np.int64)
        self.kind = np.zeros(shape, np.int64)
        self.before = np.zeros(shape, np.int64)  # roles by the deal before, which a food fight may reverse
        self._worths = {}
        self.worth = np.zeros((batch.n, len(ORDERS), SEATS))
        self.finished = np.ones(len(ORDERS))  # how often roles did in each order
        self.opening, self.picks = np.zeros(batch.n, bool), np.zeros(batch.n, np.int64)
        self.kept = np.zeros((*shape, JOKER + 1), np.int8)  # of their hands, without what they gave
        self.given = np.zeros((*shape, JOKER + 1), np.int8)
        self.takes = np.zeros(shape, bool)  # gets the strongest cards of another, which nobody has seen yet
        self._waiting = {"open": [], "play": []}
        self._begin(self.each, np.ones(batch.n, bool))

    def chances(self):
        """How likely each order is for those who have the roles 0, 1, 2, 3."""
        return self.finished / self.finished.sum()

    def play(self, networks, explore, steps=64):
        """So many decisions in every match: samples for each network of the deals that ended.

        And how often the Chef stays it.
        """
        self.finished *= 0.99
        self._worths.clear()
        self._weigh(self.each)
        self.serial, ends = self.each.copy(), [-1] * self.n
        rows, self._waiting = self._waiting, {"open": [], "play": []}
        for _ in range(steps):
            for name, *sample in self._decide(networks, explore):
                rows[name].append(sample)
            for number, order in self._ended:
                ends[self.serial[number]] = order
                self.serial[number] = len(ends)
                ends.append(-1)
        ends, place = np.array(ends), np.zeros(len(ends), np.int64)
        place[self.serial] = self.each
        samples = {}
        for name, parts in rows.items():
            seen, done, seats, deals = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
            ended = ends[deals] >= 0
            # What belongs to deals in progress waits for their end, under the number of the match.
            rest = ~ended
            self._waiting[name] = [[seen[rest], done[rest], seats[rest], place[deals[rest]]]]
            orders = SEEN_FROM[seats[ended], ends[deals[ended]]]
            samples[name] = [seen[ended], done[ended], orders]
        return samples, self.chances()[ORDERS[:, 0] == CHEF].sum()

    def _begin(self, rows, new):
        """The next deals begin; `new` are the first of a match."""
        memory = self.memory
        self.totals[rows[new]], self.deals[rows[new]] = 0, DEALS
        self.deals[rows] -= 1
        self.before[rows] = np.where(new[:, None], NO_ROLE, memory.place[rows])
        memory.begin(rows, self.before[rows])
        self.opening[rows], self.picks[rows], self.takes[rows] = ~new, 0, False
        self.given[rows] = 0
        draws = self.chance.random((new.sum(), SEATS))
        self.kind[rows[new]] = np.searchsorted(np.cumsum(self.shares), draws, side="right").clip(0, QUICK)
        self._weigh(rows)

    def _weigh(self, rows):
        """What each order is worth where these matches stand."""
        for row, deals, totals in zip(rows, self.deals[rows], map(tuple, self.totals[rows]), strict=True):
            if (deals, totals) not in self._worths:
                self._worths[deals, totals] = aims(np.array([totals]), deals, self.chances())[0]
            self.worth[row] = self._worths[deals, totals]

    def _decide(self, networks, explore):
        """One decision in every match: what networks saw and did."""
        batch, each, turns = self.batch, self.each, self.batch.turns.copy()
        cards = np.rint(batch.observations()[:, BOARD:CARDS] * 13).astype(np.int64)
        ids, starts = batch.legal_ids()
        counts = np.diff(starts)
        hands = counts_of(cards) - np.where(self.opening[:, None], self.given[each, turns], 0)
        asked = np.where(self.picks > 0, LAST_GIFT, FIRST_GIFT)
        asked = np.where(ids[starts[1:] - 1] == PASS, SPECIAL, asked)
        asked = np.where(self.opening, asked, PLAY)
        self._notice_gifts(turns, hands)
        # Where only one answer is left, nothing is to be learned.
        chosen, rows, samples = starts[:-1].copy(), (counts > 1).nonzero()[0], []
        if len(rows):
            sight = Sight(self.memory, rows, turns[rows], hands[rows], asked[rows], self.totals, self.deals)
            places = np.flatnonzero(np.repeat(counts > 1, counts))
            at = np.repeat(np.arange(len(rows)), counts[rows])
            best, samples = self._choose(networks, explore, sight, rows, turns[rows], at, ids[places])
            chosen[rows] = places[best]
        self._do(turns, hands, asked, ids[chosen])
        return samples

    def _choose(self, networks, explore, sight, rows, seats, at, ids):
        """The place in `ids`, the actions of the decisions `at`, of those chosen in `rows`; and samples."""
        seen, done = sight.seen(), sight.actions(at, ids)
        play, kind = sight.asked == PLAY, self.kind[rows, seats]
        values = np.empty(len(at))
        worth, possible = self.worth[rows[:, None], SHIFTED[seats], seats[:, None]], sight.possible()
        thinks = (kind == NETWORK)[at]
        for name, these in (("play", thinks & play[at]), ("open", thinks & ~play[at])):
            of = at[these]
            likely = odds(networks[name](seen, done[these], of), possible[of])
            values[these] = np.einsum("ao,ao->a", likely, worth[of])
        values[~thinks] = self._quick(sight, at, ids)[~thinks]
        starts = np.searchsorted(at, np.arange(len(rows) + 1))
        best = np.lexsort((values, at))[starts[1:] - 1]
        anything = starts[:-1] + (self.chance.random(len(rows)) * np.diff(starts)).astype(int)
        tries = (kind == CARELESS) | ((kind == NETWORK) & (self.chance.random(len(rows)) < explore))
        best = np.where(tries, anything, best)
        samples = []
        for name, these in (("open", ~play), ("play", play)):
            these = these & (kind == NETWORK)
            samples.append((name, seen[these], done[best[these]], seats[these], self.serial[rows[these]]))
        return best, samples

    @staticmethod
    def _quick(sight, rows, ids):
        """Ranks of actions: the largest values first, jokers saved for what nobody beats."""
        value, quantity, jokers = VALUE[ids], QUANTITY[ids], JOKERS[ids]
        rank = 12.0 * value + quantity
        few = (sight.hands[rows, 1:JOKER] > 0).sum(axis=1) <= 4
        rank -= np.where(jokers > 0, np.where(sight.sure & few, 400, 600) + 100 * jokers, 0)
        rank = np.where(ids == PASS, -500, rank)
        play = sight.asked[rows] == PLAY
        rank += np.where(play & sight.wins, 2000 - 150 * jokers, 0)
        rank += np.where(play & (sight.rest == 0), 9000, 0)
        declares = (ids == LONE_JOKER) == (sight.role[rows, 0] >= WAITER)
        return np.where(sight.asked[rows] == SPECIAL, declares, rank)

    def _notice_gifts(self, turns, hands):
        """Who first acts after it was given the strongest cards of another."""
        rows = (self.takes[self.each, turns] & ~self.opening).nonzero()[0]
        takers = turns[rows]
        role = self.memory.role
        givers = (role[rows] == DISHWASHER - role[rows, takers][:, None]).argmax(axis=1)
        self.takes[rows, takers] = False
        self.memory.take(rows, takers, givers, hands[rows] - self.kept[rows, takers])

    def _do(self, turns, hands, asked, ids):
        """The next step of all matches, and what the memory makes of it."""
        memory, each = self.memory, self.each
        declared = (asked == SPECIAL) & (ids == LONE_JOKER)
        fights = declared & (memory.role[each, turns] == DISHWASHER)
        memory.show_jokers(declared.nonzero()[0], turns[declared])
        memory.role[fights] = DISHWASHER - memory.role[fights]
        self.opening &= ~declared | fights
        gives = asked >= FIRST_GIFT
        rows, givers = gives.nonzero()[0], turns[gives]
        self.given[rows, givers, VALUE[ids[rows]]] += 1
        self.kept[rows, givers] = hands[rows]
        self.kept[rows, givers, VALUE[ids[rows]]] -= 1
        self.picks[rows] += 1
        ready = rows[self.picks[rows] == 3]
        self.picks[ready], self.opening[ready] = 0, False
        for role in (CHEF, SOUSCHEF):
            giver, taker = ((memory.role[ready] == of).argmax(axis=1) for of in (role, DISHWASHER - role))
            memory.give(ready, giver, taker, self.given[ready, giver])
            self.takes[ready, giver] = True
        played = (asked == PLAY).nonzero()[0]
        memory.act(played, turns[played], ids[played])
        _, over = self.batch.step(ids)
        self._ended = []
        ended = memory.end(played)
        if len(ended):
            orders = number_of(memory.place[ended])
            self._ended = list(zip(ended.tolist(), orders.tolist(), strict=True))
            self._count(ended, self.before[ended])
            self.totals[ended] += SEATS - 1 - memory.place[ended]
            self._begin(ended, over[ended])

    def _count(self, rows, roles):
        """How those of our own kind finish with these roles."""
        these = (roles[:, 0] < NO_ROLE) & (self.kind[rows] == NETWORK).all(axis=1)
        places = np.empty_like(roles[these])
        np.put_along_axis(places, roles[these], self.memory.place[rows[these]], axis=1)
        np.add.at(self.finished, number_of(places), 1)
