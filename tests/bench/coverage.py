"""How many of the 95 % intervals by round hold the true rating, by rounds, field and shared luck.

    python -m tests.bench.coverage --seasons 400 --first-seed 5000

Made seasons (`rating.simulation`) at tables of four, drawn at random, strengths with a standard deviation of
150 Elo. Each row is one size of field, one alpha (1, 0.9, 0.6: no, usual and large luck of the round) and one
number of rounds: the share of intervals that hold, its standard error over seasons, whose players share their
luck, and the half-widths' spread in a season, the standard deviation over its players, of their mean.
"""

from __future__ import annotations

import argparse
import json
import sys

import numpy as np

from rating.crosstable import PairTable
from rating.fit.bayeselo import bayeselo
from rating.fit.intervals import intervals
from rating.simulation import simulate
from rating.threads import one_thread

FIELDS = (12, 24, 60)
ALPHAS = (1.0, 0.9, 0.6)
ROUNDS = (2, 3, 5, 9, 10, 20, 50, 100)


def coverage(players: int, rounds: int, alpha: float, seeds: range) -> dict[str, float]:
    """The row of one cell, a season for each seed."""
    held, spreads, widths = [], [], []
    with one_thread():
        for seed in seeds:
            season = simulate(players, rounds, seed=seed, alpha=alpha)
            of = intervals(bayeselo(PairTable.from_matches(season.matches)), "round")
            truth = np.array([season.elo[name] for name in of.fit.table.players])
            held.append(np.mean((of.low <= truth) & (truth <= of.high)))
            half = (of.high - of.low) / 2.0
            widths.append(half.mean())
            spreads.append(half.std() / half.mean())
    return {
        "players": players,
        "rounds": rounds,
        "alpha": alpha,
        "held": round(float(np.mean(held)), 4),
        "error": round(float(np.std(held, ddof=1) / np.sqrt(len(held))), 4),
        "half_width": round(float(np.mean(widths)), 1),
        "spread": round(float(np.mean(spreads)), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seasons", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--players", type=int, nargs="*", default=FIELDS)
    parser.add_argument("--rounds", type=int, nargs="*", default=ROUNDS)
    given = parser.parse_args()
    seeds = range(given.first_seed, given.first_seed + given.seasons)
    for players in given.players:
        for alpha in ALPHAS:
            for rounds in given.rounds:
                print(json.dumps(coverage(players, rounds, alpha, seeds)), flush=True)
    print(f"{given.seasons} seasons a cell", file=sys.stderr)


if __name__ == "__main__":
    main()
