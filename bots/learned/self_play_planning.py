"""Planning for the trainer: matches of a network against itself, and what they teach."""

import numpy as np
from features_planning import MOST, NUMBERS, SEATS, VALUES, Sight, points


class Matches:
    """Matches side by side, all seats of which play with the same two networks, "declare" and "play".

    But a fifth of them plays at random: who has only ever met its like does not know what to do with those
    who declare and play nonsense.
    """

    careless = 0.2

    def __init__(self, batch, weight):
        self.batch, self.weight, self.n = batch, weight, batch.n
        self.void = np.zeros((self.n, SEATS, SEATS), bool)
        self.each = np.arange(self.n)

    def play(self, networks, chance, explore):
        """One match each: samples for each network, and points a match.

        All matches have the same programme, and so stand at the same trick all along.
        """
        samples, totals = {"declare": [], "play": []}, 0
        self.at_random = chance.random((self.n, SEATS)) < self.careless
        for size in range(1, MOST + 1):
            self.void[:] = False
            deal = []
            for step in range(SEATS * (size + 1)):
                name = "declare" if step < SEATS else "play"
                deal.append((name, *self._decide(networks[name], name == "declare", chance, explore)))
            taken, declared = self._taken, self._declared
            won = taken + size * (taken == declared)
            totals += won[~self.at_random].mean()
            for name, seen, done, seat, before in deal:
                more = taken[self.each, seat] - before
                others = (won.sum(axis=1) - won[self.each, seat]) / (SEATS - 1) / size
                learns = ~self.at_random[self.each, seat]
                arrays = seen, done, more, others.astype(np.float32)
                samples[name].append([array[learns] for array in arrays])
        joined = {
            name: [np.concatenate(arrays) for arrays in zip(*rows, strict=True)]
            for name, rows in samples.items()
        }
        return joined, totals

    def _decide(self, network, declaring, chance, explore):
        """One decision in every match: what was seen and done, by whom, and the tricks it had."""
        batch, each = self.batch, self.each
        turns = batch.turns
        around = (turns[:, None] + np.arange(SEATS)) % SEATS
        sight = Sight(batch.observations(), self.void[each[:, None], around])
        ids, starts = batch.legal_ids()
        rows = np.repeat(each, np.diff(starts))
        seen = sight.seen()
        done = sight.declarations(ids) if declaring else sight.cards(rows, ids - NUMBERS)
        declared = ids if declaring else sight.declared[rows, 0]
        values = points(
            network(seen, done, rows), declared, sight.taken[rows, 0], sight.size[rows], self.weight
        )
        chosen = np.lexsort((values, rows))[starts[1:] - 1]
        tries = chance.random(self.n) < explore
        if declaring:  # something near
            near = np.clip(chosen + chance.choice((-1, 1), self.n), starts[:-1], starts[1:] - 1)
        anything = starts[:-1] + (chance.random(self.n) * np.diff(starts)).astype(int)
        chosen = np.where(tries, near if declaring else anything, chosen)
        chosen = np.where(self.at_random[each, turns], anything, chosen)
        if not declaring:
            self._notice(sight, turns, around, ids[chosen] - NUMBERS)
        batch.step(ids[chosen])
        return seen, done[chosen], turns, sight.taken[:, 0]

    def _notice(self, sight, turns, around, cards):
        """Who does not follow suit, and who has the trick; the last call of a deal tells its end."""
        each = self.each
        suits = cards // VALUES
        fails = (sight.on_table > 0) & (suits != sight.led_suit)
        self.void[each[fails], turns[fails], sight.led_suit[fails]] = True
        mine = sight.power(cards, np.where(sight.on_table > 0, sight.led_suit, suits)) > sight.best
        taker = around[each, np.where(mine, 0, sight.winner)]
        self._taken, self._declared = np.zeros((2, self.n, SEATS), np.int64)
        self._taken[each[:, None], around] = sight.taken
        self._declared[each[:, None], around] = sight.declared
        self._taken[each, taker] += 1
