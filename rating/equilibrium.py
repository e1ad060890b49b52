"""Nash averaging: the score of each player against the equilibrium mixture of players.

Elo puts players on a line. Ten copies of one player move the rating of every player that does well or badly
against it, and a cycle (paper beats rock, scissors beat paper, ..) leaves all at 0. Nash averaging (Balduzzi,
Tuyls, Perolat and Graepel 2018, "Re-evaluating evaluation") takes the scores of pairs as the payoffs of a
game in which two sides each choose a player: a player's figure is its expected score against the equilibrium
of maximum entropy. Players in the equilibrium score one half, others less; copies share the place of the
original, so no other player moves.

Raw scores of pairs are noisy, and an equilibrium amplifies noise. So only the shared part of the deviations
from Elo's expected scores is kept: the singular values of their matrix above the noise level, shrunk as in
Gavish and Donoho (2017). If results show no cycle beyond chance, Elo's scores remain. Results of a round
count as dependent.

The equilibrium is the end of a path: with payoffs A (antisymmetric) and a temperature t the solutions of
p = softmax(A p / t) are unique, and as t falls to 0 they tend to the equilibrium of maximum entropy. Newton's
method follows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from rating.crosstable import PairTable
from rating.errors import OptionError
from rating.fit.bayeselo import bayeselo
from rating.threads import one_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rating.arrays import Floats, Ints
    from rating.fit.bayeselo import Fit
    from rating.seeded_shuffle import Seed

MOST_PLAYERS = 300
"""Maximum players: the matrix of all pairs is solved some thousand times."""
FEWEST = 10
"""Minimum clusters for intervals."""
SAMPLES = 200
COLDEST, COOLING = 5e-4, 0.5
"""The final temperature of the path, in shares of a score, and its factor from step to step."""
NEWTON_STEPS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Nash:
    """Scores against the equilibrium: arrays of shape (n,), one entry per player, NaN without results.

    `score` is 1/2 for players in it and less for others, `low` and `high` are the ends of its interval (NaN
    with too few clusters), `share` is the player's share of the equilibrium. `cycles` is the standard
    deviation of true scores of pairs around Elo's expected ones; `met` the share of pairs that have met.
    """

    players: tuple[str, ...]
    score: Floats
    low: Floats
    high: Floats
    share: Floats
    cycles: float
    met: float
    samples: int

    def figures(self, player: str) -> dict[str, float | None]:
        """Return score, low, high and share of a player by these names; None for each that is NaN.

        All four are None for an unknown player.
        """
        found = {"score": self.score, "low": self.low, "high": self.high, "share": self.share}
        if player not in self.players:
            return dict.fromkeys(found)
        k = self.players.index(player)
        return {name: None if np.isnan(of[k]) else round(float(of[k]), 6) for name, of in found.items()}


def nash(fit: Fit, *, level: float = 0.95, samples: int = SAMPLES, seed: Seed = 0) -> Nash:
    """Return the scores of a fit's players against the equilibrium, with intervals at `level`.

    They come from a bootstrap of `samples` samples of rounds, with fewer than ten known rounds of matches.
    The same seed gives the same intervals. OptionError without results and for more than 300 players.
    """
    table, rated = fit.table, np.flatnonzero(fit.rated)
    if not rated.size:
        raise OptionError("nash needs results, got none")
    if rated.size > MOST_PLAYERS:
        raise OptionError(f"nash: expected at most {MOST_PLAYERS} players, got {rated.size}")
    counts = _Counts.of(table, rated)
    expected = expected_scores(fit.elo[rated], fit.drawelo)
    cluster, number = _clusters(table)
    noise = _noise(table, counts, expected, cluster, number)
    shown, cycles = _remove_noise(counts, expected, noise)
    found = np.full((samples if number >= FEWEST else 0, rated.size), np.nan)
    with one_thread():
        score, share = _solve_scores(shown)
        for row, drawn in zip(found, _bootstrap_counts(number, seed), strict=False):
            again = _resample(table, cluster, drawn)
            refit = bayeselo(again, drawelo=fit.drawelo, prior=max(fit.prior, 0.1), start=fit.elo)
            scores = expected_scores(refit.elo[rated], fit.drawelo)
            row[:] = _solve_scores(_remove_noise(_Counts.of(again, rated), scores, noise)[0])[0]
    columns = np.full((4, len(table.players)), np.nan)
    columns[0, rated], columns[3, rated] = score, share
    if found.size:
        # A player that is best by luck is best in the samples by more luck: the basic bootstrap corrects it.
        ends = 2.0 * score - np.quantile(found, [(1 + level) / 2, (1 - level) / 2], axis=0)
        columns[1:3, rated] = np.clip(ends, 0.0, 0.5)
    pairs = rated.size * (rated.size - 1) / 2
    met = float((np.triu(counts.number) > 0).sum() / pairs) if pairs else 0.0
    return Nash(table.players, columns[0], columns[1], columns[2], columns[3], cycles, met, len(found))


def equilibrium(payoff: Floats) -> Floats:
    """Return the maximum-entropy equilibrium of an antisymmetric game (n, n), a distribution of shape (n,).

    Its payoffs are exact to 0.0005 times log n, in the unit of `payoff`, whose entries are at most 1.
    """
    size = len(payoff)
    logits, heat = np.zeros(size), 1.0
    while True:
        logits = _solve_logits(payoff / heat, logits)
        if heat <= COLDEST:
            return _softmax(logits)
        cooler = max(COOLING * heat, COLDEST)
        logits *= heat / cooler
        heat = cooler


def expected_scores(elo: Floats, drawelo: float) -> Floats:
    """Return the expected scores (n, n) of row against column, from ratings."""
    apart = elo[:, None] - elo[None, :]

    def win_chance(by: Floats) -> Floats:
        return np.asarray(1.0 / (1.0 + 10.0 ** ((drawelo - by) / 400.0)))

    return np.asarray(0.5 + (win_chance(apart) - win_chance(-apart)) / 2.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """Numbers of results of pairs, and the mean scores of row against column, 1/2 without results."""

    number: Floats
    score: Floats

    @classmethod
    def of(cls, table: PairTable, rated: Ints) -> _Counts:
        place = np.full(len(table.players), -1)
        place[rated] = np.arange(rated.size)
        pairs = table.pairs()
        wins, draws, losses = pairs.totals
        number, won = np.zeros((2, rated.size, rated.size))
        i, j = place[pairs.i], place[pairs.j]
        number[i, j] = number[j, i] = wins + draws + losses
        won[i, j], won[j, i] = wins + draws / 2.0, losses + draws / 2.0
        return cls(number, np.divide(won, number, out=np.full_like(won, 0.5), where=number > 0))


def _remove_noise(counts: _Counts, expected: Floats, noise: float) -> tuple[Floats, float]:
    """Return the scores of pairs without noise, and their standard deviation around Elo's."""
    met = counts.number > 0
    off = np.where(met, counts.score - expected, 0.0)
    spread = noise * expected * (1.0 - expected) / np.maximum(counts.number, 1.0)
    edge = 4.0 * len(expected) * float(spread[met].mean() if met.any() else 0.0)
    left, sizes, right = np.linalg.svd(off)
    # Equal singular values come in pairs, one cycle each: rounding must not separate them.
    kept = np.sqrt(np.maximum(sizes**2 - edge, 0.0))
    cyclic = (left * kept) @ right
    cyclic = (cyclic - cyclic.T) / 2.0
    pairs = max(len(expected) * (len(expected) - 1), 1)
    return np.clip(expected + cyclic, 0.0, 1.0), float(np.sqrt((cyclic**2).sum() / pairs))


def _solve_scores(scores: Floats) -> tuple[Floats, Floats]:
    """Return the scores against the equilibrium, and the equilibrium."""
    payoff = 2.0 * scores - 1.0
    share = equilibrium(payoff)
    return 0.5 + np.minimum(payoff @ share, 0.0) / 2.0, share


def _noise(table: PairTable, counts: _Counts, expected: Floats, cluster: Ints, number: int) -> float:
    """Return the variance of a pair's summed results over that of independent ones without draws, or 1."""
    place = (
        np.cumsum(np.bincount(np.concatenate([table.first, table.second]), minlength=len(table.players)) > 0)
        - 1
    )
    first, second = place[table.first], place[table.second]
    left = (table.outcome + 1) / 2.0 - counts.score[first, second]
    low, high = np.minimum(first, second), np.maximum(first, second)
    size = len(expected)
    keys = (low * size + high) * number + cluster
    cells, where = np.unique(keys, return_inverse=True)
    sums = np.bincount(where, np.where(first == low, left, -left))
    pair = cells // number
    met = np.bincount(pair, minlength=size * size)
    often = met[pair] > 1
    if not often.any():
        return 1.0
    of_pair = np.flatnonzero(met > 1)
    alone = (counts.number * expected * (1.0 - expected)).ravel()[of_pair].sum()
    seen = (sums**2 * met[pair] / np.maximum(met[pair] - 1, 1))[often].sum()
    return float(max(seen / alone, 0.05)) if alone > 0 else 1.0


def _clusters(table: PairTable) -> tuple[Ints, int]:
    """Return the round of each result, or with few rounds its match, and their number."""
    found = table.clusters("round")
    if found is None or found[1] < FEWEST:
        found = table.clusters("match")
    assert found is not None
    return found


def _bootstrap_counts(number: int, seed: Seed) -> Iterator[Ints]:
    """Yield, for each bootstrap sample, how often each cluster is drawn."""
    chance = np.random.default_rng([int(part) for part in sha256(f"nash|{seed}".encode()).digest()[:16]])
    while True:
        yield np.bincount(chance.integers(number, size=number), minlength=number)


def _resample(table: PairTable, cluster: Ints, drawn: Ints) -> PairTable:
    """Return the table with the results of each cluster as often as it was drawn."""
    chosen = np.repeat(np.arange(cluster.size), drawn[cluster])
    return PairTable.from_results(
        table.players, table.first[chosen], table.second[chosen], table.outcome[chosen]
    )


def _solve_logits(payoff: Floats, logits: Floats) -> Floats:
    """Solve x = payoff softmax(x) by damped Newton steps from `logits`."""
    wrong = logits - payoff @ _softmax(logits)
    for _ in range(NEWTON_STEPS):
        if np.abs(wrong).max() < 1e-9:
            break
        chosen = _softmax(logits)
        slope = payoff * chosen - np.outer(payoff @ chosen, chosen)
        step, length = np.linalg.solve(np.eye(len(logits)) - slope, wrong), 1.0
        while length > 1e-4:
            nearer = logits - length * step
            off = nearer - payoff @ _softmax(nearer)
            if np.abs(off).max() < np.abs(wrong).max():
                break
            length /= 2.0
        logits, wrong = nearer, off
    return logits


def _softmax(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max())
    return np.asarray(raised / raised.sum())
