#!/usr/bin/env python3
"""A bot that learned Planning by playing against itself: for each declaration or card a small network
foresees how many tricks will be taken after it and what the others will make, and the bot does what is worth
most by that. It was trained by deep Monte Carlo, on nothing but the outcome of deals between its earlier
selves.

What the network knows is what a seat knows: own cards, cards gone, suits others are out of, declarations,
tricks. It knows four players and the deck of 52 cards; in any other match the bot declares its share of the
tricks and plays cards at random. Needs NumPy, `planning_weights.npz`, which `train.py` makes, and
`planning_kit.py`, beside this file or in `../python`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a bot writes no files, not even those of the import system
os.environ["OPENBLAS_NUM_THREADS"] = (
    "1"  # read when NumPy is imported: it would start a thread for every core
)
sys.path.append(str(Path(__file__).parents[1] / "python"))  # planning_kit

import numpy as np  # noqa: E402
import planning_kit as kit  # noqa: E402
from features_planning import (  # noqa: E402
    CARDS,
    DECLARED,
    DECLARING,
    LEADER,
    NUMBERS,
    SEATS,
    SEEN,
    SIZE,
    TAKEN,
    Sight,
    points,
)
from network import Network  # noqa: E402

DECK = ("23456789TJQKA", "CDHS")
WEIGHTS = Path(__file__).with_name("planning_weights.npz")


class Learned(kit.Bot):
    """Does what two networks value most, one for declarations and one for cards."""

    def __init__(self, seed: int = 1, weights: Path = WEIGHTS) -> None:
        super().__init__(seed)
        self.declaring, self.playing = (Network.load(weights, name) for name in ("declare", "play"))
        with np.load(weights) as arrays:
            self.weight = float(arrays["weight"])

    def declare(self, table: kit.Table) -> int:
        if not known(table):
            return round(table.size / table.seats)
        numbers = np.arange(table.size + 1)
        sight = sight_of(table)
        return int(numbers[self._best(self.declaring, sight, sight.declarations(numbers), numbers)])

    def move(self, table: kit.Table) -> str:
        legal = table.legal()
        if not known(table):
            return self.rng.choice(legal)
        sight, rows = sight_of(table), np.zeros(len(legal), np.int64)
        cells = sight.cards(rows, np.array([table.deck.index(card) for card in legal]))
        return legal[self._best(self.playing, sight, cells, np.full(len(legal), sight.declared[0, 0]))]

    def values(self, table: kit.Table) -> dict[int | str, tuple[float, float | None]] | None:
        """The points that the network expects, without a chance to win: it knows nothing of matches."""
        if not known(table):
            return None
        sight = sight_of(table)
        if table.declaring:
            options: list[int | str] = list(range(table.size + 1))
            network, declared = self.declaring, np.arange(table.size + 1)
            cells = sight.declarations(declared)
        else:
            options = list(table.legal())
            network, declared = self.playing, np.full(len(options), sight.declared[0, 0])
            cards = np.array([table.deck.index(card) for card in options])
            cells = sight.cards(np.zeros(len(options), np.int64), cards)
        outputs = network(sight.seen(), cells, np.zeros(len(options), np.int64))
        worth = points(outputs, declared, sight.taken[0, 0], sight.size[0], 0)
        return {option: (float(value), None) for option, value in zip(options, worth, strict=True)}

    def _best(self, network: Network, sight: Sight, done: np.ndarray, declared: np.ndarray) -> int:
        """Which of these actions is worth most; one of them by lot where several are."""
        outputs = network(sight.seen(), done, np.zeros(len(done), np.int64))
        worth = points(outputs, declared, sight.taken[0, 0], sight.size[0], self.weight)
        return int(self.rng.choice(np.flatnonzero(worth == worth.max()).tolist()))


def known(table: kit.Table) -> bool:
    """Whether this is a match that the network has learned."""
    return (table.values, table.suits) == DECK and table.seats == SEATS


def sight_of(table: kit.Table) -> Sight:
    """What the own seat knows, as the network sees it."""
    return Sight(*seen_at(table))


def seen_at(table: kit.Table) -> tuple[np.ndarray, np.ndarray]:
    """What ``arbiter.envs`` would show the own seat, (1, 603), and suits known to be missing, (1, 4, 4)."""
    seen = np.zeros((1, SEEN), np.int8)
    void = np.zeros((1, SEATS, SEATS), bool)
    cells, index = seen[0], table.deck.index
    cells[[index(card) for card in table.hand]] = 1

    def away(seat: int) -> int:
        return (seat - table.me) % SEATS

    for seat, card in table.played:
        cells[CARDS * (1 + away(seat)) + index(card)] = 1
    for seat, card in table.trick:
        cells[CARDS * (1 + SEATS + away(seat)) + index(card)] = 1
    for seat in range(SEATS):
        number = table.declared[seat]
        if number is not None:
            cells[DECLARED + NUMBERS * away(seat) + number] = 1
        cells[TAKEN + NUMBERS * away(seat) + table.taken[seat]] = 1
        for suit in table.void[seat]:
            void[0, away(seat), table.suits.index(suit)] = True
    cells[SIZE + table.size] = 1
    # While declaring everybody is to act, and all cards are still there.
    declaring = None in table.declared
    leads = table.trick[0][0] if table.trick else table.turn
    assert leads is not None
    cells[LEADER + away(leads)] = 1
    cells[DECLARING] = declaring
    return seen, void


def main() -> None:
    """Command line."""
    kit.serve(Learned(kit.parser(__doc__).parse_args().seed))


if __name__ == "__main__":
    main()
