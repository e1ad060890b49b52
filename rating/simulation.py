"""Simulated seasons with known true ratings, to measure pairing rules, intervals and tests.

A player of strength theta (natural, theta = a r for r in Elo) scores theta + g in a match, g being its luck,
a standard Gumbel variable. The difference of two such scores is logistic, so pairwise results follow the
Bradley-Terry model exactly, for any shared luck:

    z = alpha x own + sqrt(1 - alpha^2) x deal,     g = -ln(-ln Phi(z)),

`own` is drawn for each seat of each match, `deal` for each seat of the round's deals: all tables of a round
and all rotations share it, every player once per rotation. alpha^2 is the share of luck that is not shared;
.85 to .95 resembles real card games, 1 shares nothing. Points are whole numbers of steps 4 x ties, so about
the share `ties` of the results between equals are draws (the density of a logistic difference at 0 is 1/4).

Everything follows from the seed (by numpy's generator, whose stream may change with its version).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rating.arrays import Floats
from rating.crosstable import PairTable
from rating.errors import OptionError
from rating.fit.bayeselo import bayeselo
from rating.fit.likelihood import ELO
from rating.matches import Match
from rating.pairing.rounds import next_round
from rating.pairing.rules import Rule, rule_of_round

# Maximum spread in Elo; beyond, no player would ever lose to a weaker one.
_WIDEST = 5000.0


@dataclass(frozen=True, slots=True)
class Simulation:
    """A simulated season: the true ratings in Elo (mean 0) by player, and its matches in order."""

    elo: Mapping[str, float]
    matches: tuple[Match, ...]


def simulate(
    players: int = 40,
    rounds: int = 60,
    *,
    seed: int = 0,
    size: int = 4,
    spread: float = 150.0,
    alpha: float = 0.9,
    ties: float = 0.018,
    rule: Rule = "random",
    opening_rounds: int = 12,
) -> Simulation:
    """Simulate `rounds` rounds at tables of `size`, `size` rotations each, rounds and tables from 1.

    True ratings are normal with standard deviation `spread` Elo, less their mean. `alpha` and `ties` are as
    in `play_round`. Tables are random for `opening_rounds`
    rounds and then follow `rule` (see `rating.pairing.rounds`) from the results so far. Raises OptionError
    for players that do not fill the tables and for values out of range.
    """
    _check_shares(alpha, ties)
    if players < 2 or rounds < 0:
        raise OptionError(f"{players} players, {rounds} rounds: give at least 2 and 0")
    if not 0.0 <= spread <= _WIDEST:
        raise OptionError(f"spread {spread!r}: give a number of Elo from 0 to {_WIDEST:.0f}")
    if seed < 0:
        raise OptionError(f"seed {seed}: give a whole number from 0 on")
    digits = len(str(players))
    names = [f"p{number:0{digits}}" for number in range(1, players + 1)]
    strength = np.random.default_rng([seed, 0]).normal(0.0, spread, players)
    elo = dict(zip(names, (strength - strength.mean()).tolist(), strict=True))
    matches: list[Match] = []
    table, start = PairTable.from_matches([], players=names), None
    for number in range(1, rounds + 1):
        chosen = rule_of_round(rule, number, opening_rounds)
        fit = bayeselo(table, start=start) if chosen != "random" else None
        start = None if fit is None else fit.elo
        tables = next_round(fit or table, names, rule=chosen, size=size, seed=f"{seed}|{number}")
        played = play_round(tables, elo, round=number, seed=seed, alpha=alpha, ties=ties)
        matches += played
        if rule != "random":
            table = table.append(played)
    return Simulation(elo, tuple(matches))


def play_round(
    tables: Sequence[Sequence[str]],
    elo: Mapping[str, float],
    *,
    round: int,
    seed: int = 0,
    alpha: float = 0.9,
    ties: float = 0.018,
) -> list[Match]:
    """Simulate one round: each table of m players plays m matches on the round's deals; in match s each
    player sits s seats further.

    `elo` has the true ratings. The share `alpha`^2 of the luck is a match's own, the rest belongs to a seat's
    cards and is the same at all tables; about `ties` of the results between equals are draws.
    Raises OptionError for tables of different sizes and shares outside 0 to 1.
    """
    _check_shares(alpha, ties)
    if not tables:
        return []
    size = len(tables[0])
    if any(len(seats) != size for seats in tables):
        raise OptionError("tables differ in size: give each the same number of players")
    rng = np.random.default_rng([seed, 1, round])
    theta = np.array([[elo[name] for name in seats] for seats in tables]) * ELO
    shared = rng.normal(size=size)
    own = rng.normal(size=(len(tables), size, size))
    matches = []
    for shift in range(size):
        # Seat k has the player that began k - shift seats further.
        points = np.roll(theta, shift, axis=1) + gumbel_luck(own[:, shift], shared, alpha)
        if ties > 0.0:
            points = np.floor(points / (4.0 * ties))
        for number, (seats, scored) in enumerate(zip(tables, points.tolist(), strict=True), start=1):
            names = [seats[k - shift] for k in range(size)]
            matches.append(Match(names, scored, round=round, table=number))
    return sorted(matches, key=lambda match: match.table or 0)


def gumbel_luck(own: Floats, shared: Floats, alpha: float) -> Floats:
    """Return standard Gumbel variables with the common part `shared`; the shapes broadcast."""
    from scipy.special import ndtr

    z = alpha * own + math.sqrt(1.0 - alpha**2) * shared
    # ln Phi(z) by the other tail is accurate even if Phi(z) rounds to 1.
    luck: Floats = -np.log(-np.log1p(-ndtr(-z)))
    return luck


def _check_shares(alpha: float, ties: float) -> None:
    """Raise OptionError unless alpha is in 0 to 1, and ties from 0 to below 1."""
    if not 0.0 <= alpha <= 1.0:
        raise OptionError(f"alpha {alpha!r}: give a number from 0 to 1")
    if not 0.0 <= ties < 1.0:
        raise OptionError(f"ties {ties!r}: give a share of draws from 0 to below 1")
