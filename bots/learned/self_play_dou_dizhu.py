"""Dou Dizhu for the trainer: deals of a network against itself, and what they teach."""

import numpy as np
from features_dou_dizhu import Sight, all_plays

from arbiter.games.dou_dizhu.combinations import table


class Matches:
    """Deals side by side, all seats of which play with the same network."""

    def __init__(self, batch):
        self.batch, self.n = batch, batch.n
        self.each = np.arange(batch.n)
        self.plays = all_plays()
        # From the ids of the environment to our numbers.
        cards = np.array(table().cards)
        self.numbers = np.searchsorted(self.plays.cards[:-1], cards)
        self.numbers[-1] = len(cards) - 1
        self._waiting = []

    def play(self, network, chance, explore, steps=64):
        """So many decisions in every deal: samples of the deals that ended, and the share of landlords."""
        deals, won = self.each.copy(), [-1] * self.n
        rows, self._waiting = self._waiting, []
        for _ in range(steps):
            seen, done, roles, over, winners = self._decide(network, chance, explore)
            rows.append((seen, done, roles == 0, deals.copy()))
            for number in over:
                won[deals[number]] = int(winners[number])
                deals[number] = len(won)
                won.append(-1)
        seen, done, landlord, deal = (np.concatenate(arrays) for arrays in zip(*rows, strict=True))
        ends = np.array(won)
        ended = ends[deal] >= 0
        # What belongs to deals in progress waits for their end, under the number of the match.
        place = np.zeros(len(won), np.int64)
        place[deals] = self.each
        rest = ~ended
        self._waiting = [(seen[rest], done[rest], landlord[rest], place[deal[rest]])]
        success = (ends[deal] == landlord)[ended].astype(np.float32)
        return [seen[ended], done[ended], success], ends[ends >= 0].mean()

    def _decide(self, network, chance, explore):
        """A decision in every match: what was seen and done by which role; matches over, and who won."""
        batch = self.batch
        sight = Sight(batch.observations())
        ids, starts = batch.legal_ids()
        rows = np.repeat(self.each, np.diff(starts))
        seen, done = sight.seen(), sight.plays(self.plays, rows, self.numbers[ids])
        values = network(seen, done, rows)[:, 0]
        chosen = np.lexsort((values, rows))[starts[1:] - 1]
        anything = starts[:-1] + (chance.random(self.n) * np.diff(starts)).astype(int)
        chosen = np.where(chance.random(self.n) < explore, anything, chosen)
        rewards, over = batch.step(ids[chosen])
        return seen, done[chosen], sight.role, over.nonzero()[0], rewards[:, 0] > 0
