"""Codepiece for the trainer: deals of three networks against themselves, and what they teach."""

import features_codepiece as features
import numpy as np
from memory_codepiece import CARDS, FIRST_TRUMP, FORCED, NOBODY, SEATS, Memory


class Matches:
    """Matches side by side, all seats of which play with the same networks: "bid", "trump" and "play".

    But a twentieth of them bids low by lot and plays at random: who has only ever met its like does not know
    what to do with others.
    """

    careless = 0.05

    def __init__(self, batch, dealers):
        self.batch, self.n = batch, batch.n
        self.each = np.arange(batch.n)
        self.memory = Memory(batch.n, dealers)
        self.at_random = np.zeros((batch.n, SEATS), bool)
        self._waiting = {"bid": [], "trump": [], "play": []}

    def play(self, networks, chance, explore, steps=64):
        """So many decisions in every match: samples for each network, and the share of bids made."""
        self._deals, self._ends = self.each.copy(), [(-1, 0, 0)] * self.n
        rows, self._waiting = self._waiting, {}
        for _ in range(steps):
            self._decide(networks, chance, explore, rows)
        ends, samples = np.array(self._ends), {}
        # What belongs to deals in progress waits for their end, under the number of the match.
        place = np.zeros(len(ends), np.int64)
        place[self._deals] = self.each
        for name, parts in rows.items():
            seen, done, seats, deals = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
            over = ends[deals, 0] >= 0
            samples[name] = [seen[over], done[over], self._taught(name, ends[deals[over]], seats[over])]
            rest = ~over
            self._waiting[name] = [(seen[rest], done[rest], seats[rest], place[deals[rest]])]
        return samples, ends[ends[:, 0] >= 0, 2].mean()

    @staticmethod
    def _taught(name, ends, seats):
        """What came of decisions: the outcome for bids, else whether the own side succeeded."""
        leader, bid, made = ends.T
        theirs = (leader ^ seats) & 1
        if name == "bid":
            return 2 * features.BIDS * theirs + 2 * (bid - FORCED) + made
        return (made != theirs).astype(np.float32)

    def _decide(self, networks, chance, explore, samples):
        """A decision in every match; what the networks saw and did goes into `samples`."""
        batch, memory, each = self.batch, self.memory, self.each
        turns, hands = batch.turns.copy(), batch.observations()[:, :CARDS] > 0
        ids, starts = batch.legal_ids()
        counts = np.diff(starts)
        bidding, naming = ids[starts[:-1]] < FIRST_TRUMP, memory.trump == NOBODY
        # Of bids one of the lowest.
        several = np.where(bidding, np.minimum(counts, 3), counts)
        picked = starts[:-1] + (chance.random(self.n) * several).astype(int)
        chosen = ids[picked]
        plays = ~self.at_random[each, turns] & ~memory.decided(each)
        tries = chance.random(self.n) < explore
        for name, which in (("bid", bidding), ("trump", naming & ~bidding), ("play", ~naming)):
            rows = np.flatnonzero(which & plays)
            if not len(rows):
                continue
            mine = np.repeat(np.arange(len(rows)), counts[rows])
            ends = np.cumsum(counts[rows])
            shift = starts[:-1][rows] - (ends - counts[rows])
            options = ids[shift[mine] + np.arange(len(mine))]
            seen, done = features.cells(name, memory, rows, turns[rows], hands[rows], mine, options)
            outputs = networks[name](seen, done, mine)
            values = features.worth(name, memory, rows, turns[rows], outputs, mine)
            best = np.lexsort((values, mine))[ends - 1]
            at = np.where(tries[rows], picked[rows] - shift, best)
            chosen[rows] = options[at]
            samples[name].append((seen, done[at], turns[rows], self._deals[rows]))
        over = np.flatnonzero(memory.hear(each, turns, chosen))
        batch.step(chosen)
        made = memory.won[over, 0] >= memory.bid[over]
        ended = zip(over, memory.leader[over], memory.bid[over], made, strict=True)
        for number, leader, bid, success in ended:
            self._ends[self._deals[number]] = leader, bid, success
            self._deals[number] = len(self._ends)
            self._ends.append((-1, 0, 0))
        memory.end(over)
        self.at_random[over] = chance.random((len(over), SEATS)) < self.careless
